//! Tables and charts that fit a terminal. comfy-table draws the tables; here is what it cannot do: which
//! columns are left out where the text has no room, what room each other has, styles, and blocks of
//! lines on a terminal that has no room for columns. Charts are of Unicode blocks.

use comfy_table::{
    Cell, CellAlignment, ColumnConstraint::Absolute, ContentArrangement, LineStyle, Table,
    TableStyle, Width::Fixed,
};
use unicode_width::UnicodeWidthStr;

use super::styled::{Style, Styled, broken, painted, unmarked};

/// Tables of more rows are printed as in a pipe: they are read by scrolling or by a program, and the
/// widths of their columns would be known after the last row only.
pub(crate) const DRAWN: usize = 1_000;
/// The line below the header. There are no other borders, so that many rows fit on a screen.
const RULE: char = '─';
const UNDERLINED: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill(RULE));

/// Columns between two columns.
const GAP: u16 = 2;
/// Columns that the widest text is to have; others are left out for it.
const TEXT: usize = 45;
/// A column up to this width is never broken or shortened.
const WHOLE: usize = 14;
/// If wide columns have less than this, each row becomes a block of lines.
const LEAST: usize = 24;
/// Indent of the lines of a block.
const INDENT: usize = 4;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Column<'a> {
    name: &'a str,
    /// Columns with a rank are left out where the text has no room, lower ranks first.
    spare: Option<u8>,
}

impl<'a> From<&'a str> for Column<'a> {
    fn from(name: &'a str) -> Self {
        Self { name, spare: None }
    }
}

impl<'a> Column<'a> {
    /// Returns a column that is left out where the text has no room.
    pub(crate) fn spare(rank: u8, name: &'a str) -> Self {
        Self { name, spare: Some(rank) }
    }
}

/// Lays out a table in lines of at most `width` columns, or a block of lines for each row where
/// that leaves too little for the texts.
pub(crate) fn drawn(
    header: &[Column<'_>],
    rows: &[Vec<Styled>],
    width: usize,
    color: bool,
) -> String {
    let widths: Vec<usize> = header
        .iter()
        .enumerate()
        .map(|(column, head)| {
            let cells = rows.iter().filter_map(|row| row.get(column)).map(Styled::width);
            cells.max().unwrap_or(0).max(Styled::from(head.name).width())
        })
        .collect();
    let text = widths.iter().copied().max().unwrap_or(0).min(TEXT);
    let mut shown: Vec<usize> = (0..header.len()).collect();
    let mut spare: Vec<(u8, usize)> =
        header.iter().enumerate().filter_map(|(at, head)| Some((head.spare?, at))).collect();
    spare.sort_unstable();
    let mut spare = spare.into_iter();
    loop {
        let found = fitted(&shown, &widths, width);
        let least = if found.wide { text } else { 0 };
        if found.room >= least {
            return rendered(header, rows, &found.columns, color);
        }
        match spare.next() {
            Some((_, column)) => shown.retain(|at| *at != column),
            None if found.room >= text.min(LEAST) => {
                return rendered(header, rows, &found.columns, color);
            }
            None => return blocks(header, rows, width, color),
        }
    }
}

/// The widths of columns in a table.
struct Fitted {
    /// Numbers and widths of the columns.
    columns: Vec<(usize, usize)>,
    /// Width of the columns that were broken; 0 if the others have no room either.
    room: usize,
    /// True if columns were broken.
    wide: bool,
}

/// Gives narrow columns their width, the widest one what a text should have, and shares the rest
/// among the wide ones: each gets what it needs or as much as any other.
fn fitted(shown: &[usize], widths: &[usize], width: usize) -> Fitted {
    let of = |column: &usize| widths.get(*column).copied().unwrap_or(0);
    let gaps = usize::from(GAP) * shown.len().saturating_sub(1);
    if shown.iter().map(of).sum::<usize>() + gaps <= width {
        let columns = shown.iter().map(|column| (*column, of(column))).collect();
        return Fitted { columns, room: width, wide: false };
    }
    let narrow: usize = shown.iter().map(of).filter(|width| *width <= WHOLE).sum();
    let mut wide: Vec<usize> = shown.iter().map(of).filter(|width| *width > WHOLE).collect();
    wide.sort_unstable();
    let room = width.saturating_sub(narrow + gaps);
    let (mut left, mut share) = (room, 0);
    for (number, need) in wide.iter().enumerate() {
        share = left / (wide.len() - number);
        left -= share.min(*need);
    }
    let text = wide.pop().unwrap_or(0);
    // The others can be broken before the text is, down to a width that shows what they are.
    let others = share.min(room.saturating_sub(text.min(TEXT)) / wide.len().max(1));
    let others = if others < WHOLE { share } else { others };
    let share = room.saturating_sub(wide.iter().map(|need| others.min(*need)).sum());
    let widest = shown.iter().rev().copied().find(|column| of(column) == text);
    let fit = |column: &usize| match of(column) {
        width if width <= WHOLE => width,
        width if Some(*column) == widest => width.min(share),
        width => width.min(others),
    };
    let columns = shown.iter().map(|column| (*column, fit(column))).collect();
    Fitted { columns, room: share, wide: true }
}

/// Draws columns of these widths. A word that is wider than its column is shortened.
fn rendered(
    header: &[Column<'_>],
    rows: &[Vec<Styled>],
    columns: &[(usize, usize)],
    color: bool,
) -> String {
    let heads = header.iter().map(|head| Styled::new(Style::Label, head.name)).collect();
    let cells = |row: &Vec<Styled>| -> Vec<Cell> {
        let shown = columns.iter().map(|(column, width)| (row.get(*column), *width));
        shown.map(|(cell, width)| drawn_cell(cell, width, color)).collect()
    };
    let mut table = Table::new();
    table.load_style(UNDERLINED).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(cells(&heads)).add_rows(rows.iter().map(cells));
    let last = columns.len().saturating_sub(1);
    for (made, (number, (column, width))) in table.column_iter_mut().zip(columns.iter().enumerate())
    {
        let gap = if number == last { 0 } else { GAP };
        let wide = u16::try_from(*width).unwrap_or(u16::MAX).saturating_add(gap);
        made.set_padding((0, gap)).set_constraint(Absolute(Fixed(wide)));
        let mut cells = rows.iter().filter_map(|row| row.get(*column));
        if number != last && cells.all(|cell| is_number(cell.as_str())) {
            made.set_cell_alignment(CellAlignment::Right);
        }
    }
    let (mut out, mut is_header) = (String::new(), true);
    for line in table.lines() {
        let line = line.trim_end();
        let is_rule = is_header && line.starts_with(RULE);
        is_header &= !is_rule;
        match color {
            true if is_rule => out.push_str(&painted(Style::Faint, line)),
            true => out.push_str(&unmarked(line)),
            false => out.push_str(line),
        }
        out.push('\n');
    }
    out
}

/// Returns a cell of so many columns. Words are broken into lines by the table; where there are no
/// spaces between wide characters, they are broken here.
fn drawn_cell(cell: Option<&Styled>, width: usize, color: bool) -> Cell {
    let Some(cell) = cell else { return Cell::new("") };
    let cell = cell.shortened(width);
    let fits = cell.as_str().split(' ').all(|word| word.width() <= width);
    let whole = 0..cell.as_str().len();
    let lines = if fits { vec![whole] } else { broken(cell.as_str(), width, width) };
    let line = |line| if color { cell.marked(line) } else { cell.print(line, false) };
    Cell::new(lines.iter().map(line).collect::<Vec<_>>().join("\n"))
}

/// Returns true if a cell is better aligned at the right.
fn is_number(cell: &str) -> bool {
    cell.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '%' | '-' | '+'))
}

/// Renders each row as a line of its short cells with the text below. Where no cell is long, they
/// stand below the first one with their names.
fn blocks(header: &[Column<'_>], rows: &[Vec<Styled>], width: usize, color: bool) -> String {
    let is_long =
        |at: usize| rows.iter().filter_map(|row| row.get(at)).any(|cell| cell.width() > LEAST);
    let texts: Vec<usize> = (0..header.len()).filter(|at| is_long(*at)).collect();
    let mut out = String::new();
    for row in rows {
        let mut first = Styled::default();
        let cells = || row.iter().zip(header).enumerate().filter(|(_, (it, _))| it.width() > 0);
        for (at, (cell, head)) in cells().filter(|(at, _)| !texts.contains(at)) {
            if texts.is_empty() && at > 0 {
                first.push(None, if first.as_str().contains(": ") { ", " } else { ": " });
                first.push(None, &format!("{} ", head.name));
            } else if !first.as_str().is_empty() {
                first.push(None, "  ");
            }
            first.append(cell);
        }
        if !first.as_str().is_empty() {
            out.extend(first.hanging(width, INDENT, color).iter().flat_map(|line| [line, "\n"]));
        }
        for (_, (cell, _)) in cells().filter(|(at, _)| texts.contains(at)) {
            let mut text = Styled::from(" ".repeat(INDENT));
            text.append(&cell.shortened(width - INDENT));
            out.extend(text.hanging(width, INDENT, color).iter().flat_map(|line| [line, "\n"]));
        }
    }
    out
}

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

    fn table(header: &[&str], rows: &[&[&str]], width: usize) -> String {
        let header: Vec<Column<'_>> = header.iter().copied().map(Column::from).collect();
        let rows: Vec<Vec<Styled>> =
            rows.iter().map(|row| row.iter().map(|cell| Styled::from(*cell)).collect()).collect();
        let table = drawn(&header, &rows, width, false);
        for line in table.lines() {
            assert!(Styled::from(line).width() <= width, "{line}\n{table}");
        }
        table
    }

    #[test]
    fn numbers_are_not_broken() {
        let header =
            ["set", "mode", "asked", "R@5", "R@10", "MRR", "nDCG@10", "abstained", "tokens", "ms"];
        let row = "harbor semantic 1299 0.602 0.655 0.786 0.672 0.735 47.7 0.05";
        let row: Vec<&str> = row.split(' ').collect();
        assert_eq!(table(&header, &[&row], 80).lines().count(), 3);
        let narrow = table(&header, &[&row], 40);
        assert!(narrow.starts_with("harbor: mode semantic, asked 1299, R@5\n"), "{narrow}");
    }

    #[test]
    fn texts_are_broken_at_words() {
        let text = "berth ".repeat(20);
        let made = table(&["score", "where", "text"], &[&["0.585", "topics/a.md:4", &text]], 60);
        assert!(made.contains("0.585  topics/a.md:4  berth berth"), "{made}");
        let made = table(&["id", "state", "text"], &[&["bb02d6c", "provisional", &text]], 40);
        assert!(made.starts_with("bb02d6c  provisional\n    berth berth"), "{made}");
        let wide = "語".repeat(90);
        let made = table(&["id", "text"], &[&["日本", &wide]], 80);
        assert!(made.lines().count() > 4, "{made}");
        assert_eq!(made.matches('語').count(), 90, "{made}");
    }

    #[test]
    fn words_that_are_wider_than_their_column_are_shortened() {
        let text = "berth ".repeat(20);
        let place = "../data/session-search.json:11";
        let made = table(&["id", "where", "text"], &[&["bb02d6c", place, &text]], 80);
        assert!(made.contains("bb02d6c  ../data/session-search.…  berth "), "{made}");
        let word = "x".repeat(2_000);
        for text in [word.clone(), format!("See {word} again"), format!("語{word}語")] {
            for width in [40, 80, 120] {
                let made = table(&["id", "text"], &[&["bb02d6c", &text]], width);
                assert!(made.contains("xx…") && made.matches('…').count() == 1, "{made}");
                assert!(made.lines().count() <= 5, "{made}");
                let narrow = table(&["id", "state", "text"], &[&["a", "provisional", &text]], 20);
                assert!(narrow.contains("xx…"), "{narrow}");
            }
        }
    }

    #[test]
    fn styles_go_round_words() {
        let text = Styled::from("Lock the berth, berth by berth");
        let text = text.mark_words(Style::Match, |word| word == "berth");
        let rows = [vec![Styled::new(Style::Id, "bb02d6c"), text]];
        let plain = drawn(&["id".into(), "text".into()], &rows, 34, false);
        assert_eq!(
            plain,
            format!(
                "id       text\n{}\nbb02d6c  Lock the berth, berth by\n         berth\n",
                "─".repeat(34)
            )
        );
        let colored = drawn(&["id".into(), "text".into()], &rows, 34, true);
        let (id, found) = ("\u{1b}[33mbb02d6c\u{1b}[0m", "\u{1b}[1;31mberth\u{1b}[0m");
        assert!(colored.contains(&format!("\n{id}  Lock the {found}, {found} by\n")), "{colored}");
        assert!(colored.ends_with(&format!("\n         {found}\n")), "{colored}");
        let mut without = colored.replace("\u{1b}[0m", "");
        for code in ["1", "2", "33", "1;31"] {
            without = without.replace(&format!("\u{1b}[{code}m"), "");
        }
        assert_eq!(without, plain);
    }

    #[test]
    fn spare_columns_make_room_for_the_text() {
        let header = ["id", "category", "state"].map(Column::from).into_iter();
        let spare = [Column::spare(1, "score"), Column::spare(2, "age"), "text".into()];
        let header: Vec<Column<'_>> = header.chain(spare).collect();
        let row = ["bb02d6c", "preference", "provisional", "0.705", "26d", &"berth ".repeat(20)];
        let rows = [row.iter().map(|cell| Styled::from(*cell)).collect::<Vec<_>>()];
        for (width, want) in [
            (100, "id       category    state        score  age  text"),
            (85, "id       category    state        age  text"),
            (80, "id       category    state        text"),
        ] {
            let made = drawn(&header, &rows, width, false);
            assert_eq!(made.lines().next(), Some(want));
        }
        let short = [["a", "b", "c", "1.0", "2d", "short"].map(Styled::from).to_vec()];
        assert!(drawn(&header, &short, 80, false).contains("score"), "where it fits, all is shown");
    }

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
