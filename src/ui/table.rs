//! Tables that fit a terminal.

use super::styled::{Style, Styled, broken, painted};

/// Columns between two columns.
const GAP: usize = 2;
/// Columns that the widest text is to have; others are left out for it.
const TEXT: usize = 45;
/// A column up to this width is never broken.
const WHOLE: usize = 14;
/// If wide columns have less than this, each row becomes a block of lines.
const LEAST: usize = 24;
/// Indent of the lines of a block.
const INDENT: usize = 4;

/// A column of a table.
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
    let gaps = GAP * shown.len().saturating_sub(1);
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

fn rendered(
    header: &[Column<'_>],
    rows: &[Vec<Styled>],
    columns: &[(usize, usize)],
    color: bool,
) -> String {
    let mut out = String::new();
    let last = columns.last().map_or(0, |(column, _)| *column);
    let right: Vec<bool> = columns
        .iter()
        .map(|(column, _)| {
            let mut cells = rows.iter().filter_map(|row| row.get(*column));
            *column != last && cells.all(|cell| is_number(cell.as_str()))
        })
        .collect();
    let heads = header.iter().map(|head| Styled::new(Style::Label, head.name)).collect();
    let total = columns.iter().map(|(_, width)| width + GAP).sum::<usize>().saturating_sub(GAP);
    for (number, row) in std::iter::once(&heads).chain(rows).enumerate() {
        let cells: Vec<Vec<(String, usize)>> = columns
            .iter()
            .map(|(column, width)| {
                let Some(cell) = row.get(*column) else { return Vec::new() };
                let parts = broken(cell.as_str(), *width, *width).into_iter();
                let part = |part: std::ops::Range<usize>| {
                    let plain = cell.as_str().get(part.clone()).unwrap_or_default();
                    (cell.print(&part, color), Styled::from(plain).width())
                };
                parts.map(part).collect()
            })
            .collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        for line in 0..height {
            let mut text = String::new();
            for ((cell, (_, width)), right) in cells.iter().zip(columns).zip(&right) {
                let (part, used) = cell.get(line).map_or(("", 0), |(part, used)| (part, *used));
                let pad = width.saturating_sub(used);
                let (before, after) = if *right { (pad, 0) } else { (0, pad) };
                text.push_str(&format!("{:before$}{part}{:after$}", "", "", after = after + GAP));
            }
            out.push_str(text.trim_end());
            out.push('\n');
        }
        if number == 0 {
            let rule = "─".repeat(total);
            out.push_str(&if color { painted(Style::Faint, &rule) } else { rule });
            out.push('\n');
        }
    }
    out
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
            text.append(cell);
            out.extend(text.hanging(width, INDENT, color).iter().flat_map(|line| [line, "\n"]));
        }
    }
    out
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
        let place = "../data/session-search.json:11";
        let made = table(&["id", "where", "text"], &[&["bb02d6c", place, &text]], 80);
        assert!(made.contains("  ../data/ "), "{made}");
        assert!(made.contains("\n         session-search.json:11 "), "{made}");
        let made = table(&["id", "state", "text"], &[&["bb02d6c", "provisional", &text]], 40);
        assert!(made.starts_with("bb02d6c  provisional\n    berth berth"), "{made}");
        let word = "x".repeat(2_000);
        assert!(table(&["id", "text"], &[&["bb02d6c", &word]], 80).lines().count() < 35);
        assert!(
            table(&["id", "text"], &[&["日本", "語".repeat(90).as_str()]], 80).lines().count() > 4
        );
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
}
