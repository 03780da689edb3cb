//! Charts of Unicode blocks for a terminal.

/// Number of rows in a column chart.
const ROWS: usize = 6;
const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Draws columns proportional to the values, in lines of at most `width` columns with a scale at
/// the left. A column of full height stands for `top`. If there are more values than columns, each
/// column shows the maximum of a group of values.
pub(crate) fn columns(values: &[u32], top: u32, width: usize) -> Vec<String> {
    let top = top.max(values.iter().copied().max().unwrap_or(0)).max(1);
    let room = width.saturating_sub(top.to_string().len() + 2).max(1);
    let highest = |part: &[u32]| part.iter().copied().max().unwrap_or(0);
    let values: Vec<u32> = values.chunks(values.len().div_ceil(room).max(1)).map(highest).collect();
    let eighths = |value: u32| {
        let full = (ROWS * 8) as u64 * u64::from(value);
        usize::try_from(full.div_ceil(u64::from(top))).unwrap_or(0)
    };
    let width = top.to_string().len();
    let line = |row: usize| {
        let bars = values.iter().map(|value| {
            BLOCKS.get(eighths(*value).saturating_sub(row * 8).min(8)).copied().unwrap_or(' ')
        });
        let scale = match row {
            0 => "0".to_owned(),
            row if row + 1 == ROWS => top.to_string(),
            _ => String::new(),
        };
        format!("{scale:>width$} │{}", bars.collect::<String>())
    };
    (0..ROWS).rev().map(line).collect()
}

/// Draws the values as one line of blocks, at most `width` columns wide. If there are more values
/// than columns, each column shows the maximum of a group of values.
pub(crate) fn sparkline(values: &[usize], width: usize) -> String {
    let top = values.iter().copied().max().unwrap_or(0).max(1);
    let group = values.len().div_ceil(width.max(1)).max(1);
    let block = |values: &[usize]| {
        let value = values.iter().copied().max().unwrap_or(0);
        BLOCKS.get((value.saturating_mul(8)).div_ceil(top).min(8)).copied().unwrap_or(' ')
    };
    values.chunks(group).map(block).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_high_as_their_values() {
        let got = columns(&[0, 1, 24, 48], 48, 80);
        let want = ["48 │   █", "   │   █", "   │   █", "   │  ██", "   │  ██", " 0 │ ▁██"];
        assert_eq!(got, want);
        assert_eq!(columns(&[5], 1, 80)[0], "5 │█");
        assert_eq!(columns(&[], 0, 80).len(), ROWS);
        let narrow = columns(&[48, 1, 24, 47, 3, 0, 2], 48, 8);
        assert_eq!(narrow[5], " 0 │██▃▂", "two days a column");
    }

    #[test]
    fn a_line_of_blocks_fits() {
        for (values, width, want) in [
            (vec![0, 1, 4, 8], 80, " ▁▄█"),
            (vec![0, 0], 80, "  "),
            (vec![1_000_000, 1], 80, "█▁"),
            (vec![3, 0, 0, 3, 6, 1], 3, "▄▄█"),
            (vec![3, 0, 0, 3, 6], 4, "▄▄█"),
            (vec![2, 1], 0, "█"),
            (vec![], 80, ""),
        ] {
            assert_eq!(sparkline(&values, width), want, "{values:?} in {width}");
        }
    }
}
