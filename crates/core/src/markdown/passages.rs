//! Splits free markdown into searchable passages: notes by section and item, logs and lists by
//! item, observations by item with its sub-items.
//!
//! Read only.

use std::{iter::Peekable, ops::Range, vec::IntoIter};

use super::{asides::Asides, handoff, patch::lines};
use crate::model::time::Timestamp;

/// A searchable part of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// Number of the first line, from 1.
    pub line: usize,
    /// Byte range in the file.
    pub span: Range<usize>,
    /// The time that the passage states; `None` if it states none.
    pub when: Option<Timestamp>,
}

/// Returns the sections of long-term notes: a heading and the text up to the next heading. Each
/// list item is a passage of its own, with the lines indented below it. A heading directly above a
/// list belongs to the first item.
#[must_use]
pub fn sections(bytes: &[u8]) -> Vec<Passage> {
    let mut found: Vec<Passage> = Vec::new();
    let (mut fenced, mut titled, mut listed) = (false, false, false);
    for (number, span) in (1..).zip(lines(bytes)) {
        let line = bytes.get(span.clone()).unwrap_or_default();
        let within = fenced;
        fenced ^= line.starts_with(b"```");
        if line.trim_ascii().is_empty() {
            continue;
        }
        let heading = !within && line.starts_with(b"#");
        let item = !within && is_item(line);
        // A line after a list that is not indented does not belong to the last item.
        let after = !within && listed && !line.starts_with(b" ") && !line.starts_with(b"\t");
        match found.last_mut() {
            Some(last) if !heading && (titled || !item && !after) => last.span.end = span.end,
            _ => found.push(Passage { line: number, span, when: None }),
        }
        titled = heading;
        listed = item || listed && !after && !heading;
    }
    found
}

/// Returns true if a line begins a top-level list item.
fn is_item(line: &[u8]) -> bool {
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    matches!(line, [b'-' | b'*' | b'+', b' ', ..])
        || digits > 0 && matches!(line.get(digits..), Some([b'.' | b')', b' ', ..]))
}

/// Returns the items of a log or list: each non-blank line, except headings, comments and handoff
/// blocks, which repeat other items. `day` is the date of a log; the time at the start of an item
/// is added to it.
#[must_use]
pub fn items(bytes: &[u8], day: Option<Timestamp>) -> Vec<Passage> {
    let mut commented = false;
    let mut found = Vec::new();
    let mut handoffs = handoff::blocks(bytes).into_iter().peekable();
    for (number, span) in (1..).zip(lines(bytes)) {
        while handoffs.next_if(|block| block.end <= span.start).is_some() {}
        if handoffs.peek().is_some_and(|block| block.contains(&span.start)) {
            continue;
        }
        let line = bytes.get(span.clone()).unwrap_or_default().trim_ascii();
        if !is_skipped(line, &mut commented) && line.len() <= crate::markdown::topic::MAX_LINE {
            found.push(Passage { line: number, span, when: at(day, line) });
        }
    }
    found
}

/// Returns the observations: each top-level item with the lines indented below it. It is dated by
/// the last line `Date: YYYY-MM-DD` above; an invalid date leaves the day unknown.
#[must_use]
pub fn observations(bytes: &[u8]) -> Vec<Passage> {
    let mut commented = false;
    let mut day = None;
    let mut open = false;
    let mut found: Vec<Passage> = Vec::new();
    for (number, span) in (1..).zip(lines(bytes)) {
        let line = bytes.get(span.clone()).unwrap_or_default();
        let indented = line.first().is_some_and(u8::is_ascii_whitespace);
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        if is_skipped(line, &mut commented) {
            open = false;
        } else if let Some(date) = line.strip_prefix(b"Date:").filter(|_| !indented) {
            let date = str::from_utf8(date.trim_ascii()).ok();
            (day, open) = (date.and_then(Timestamp::parse_date), false);
        } else if let Some(item) = found.last_mut().filter(|_| indented && open) {
            item.span.end = span.end;
        } else {
            open = true;
            found.push(Passage { line: number, span, when: at(day, line) });
        }
    }
    found.retain(|item| item.span.len() <= crate::markdown::topic::MAX_LINE);
    found
}

/// Returns true if a trimmed line is empty, a heading, or part of a comment.
pub(crate) fn is_skipped(line: &[u8], commented: &mut bool) -> bool {
    *commented |= line.starts_with(b"<!--");
    let skip = *commented || line.starts_with(b"#") || line.is_empty();
    *commented &= !line.ends_with(b"-->");
    skip
}

/// Returns the time of an item on `day`, as in `- 09:30 text` and `- [!] 09:30 text`.
fn at(day: Option<Timestamp>, line: &[u8]) -> Option<Timestamp> {
    let mut rest = line.strip_prefix(b"-").unwrap_or(line).trim_ascii_start();
    if let [b'[', _, b']', after @ ..] = rest {
        rest = after.trim_ascii_start();
    }
    day.map(|day| Timestamp(day.0 + i64::from(clock(rest).unwrap_or(0)) * 60_000))
}

/// Parses `HH:MM`, not followed by another digit, as minutes of the day.
pub(crate) fn clock(text: &[u8]) -> Option<u16> {
    let (clock, rest) = text.split_at_checked(5)?;
    let [h0, h1, b':', m0, m1] = *clock else { return None };
    let two = |tens: u8, ones: u8| {
        let digits = tens.is_ascii_digit() && ones.is_ascii_digit();
        digits.then(|| u16::from(tens - b'0') * 10 + u16::from(ones - b'0'))
    };
    let (hour, minute) = (two(h0, h1)?, two(m0, m1)?);
    let ends = !rest.first().is_some_and(u8::is_ascii_digit);
    (hour < 24 && minute < 60 && ends).then_some(hour * 60 + minute)
}

/// Splits `14:30 text` into the minutes of the day and the text.
#[must_use]
pub fn timed(text: &str) -> (Option<u16>, &str) {
    let after = text.get(5..).filter(|after| after.is_empty() || after.starts_with(' '));
    match clock(text.as_bytes()).zip(after) {
        Some((minute, after)) => (Some(minute), after.trim()),
        None => (None, text),
    }
}

/// Maximum number of bytes of a title that count.
const TITLE: usize = 200;

struct Heading {
    start: usize,
    level: usize,
    title: Range<usize>,
}

/// The headings of a file, read from its start to its end.
pub struct Headings<'a> {
    bytes: &'a [u8],
    below: Peekable<IntoIter<Heading>>,
    /// Those above the place, outermost first.
    open: Vec<Heading>,
}

impl<'a> Headings<'a> {
    /// Finds the headings of a file, without those in code blocks, comments and handoffs.
    #[must_use]
    pub fn of(bytes: &'a [u8]) -> Self {
        let mut found = Vec::new();
        let mut asides = Asides::of(bytes);
        let mut handed = false;
        for span in lines(bytes) {
            let marked = bytes.get(span.clone()).unwrap_or_default();
            handed |= marked.starts_with(handoff::OPEN);
            let is_hidden = asides.hides(&span);
            let level = marked.iter().take_while(|byte| **byte == b'#').count();
            let is_titled = marked.get(level).is_some_and(u8::is_ascii_whitespace);
            if !is_hidden && is_titled && (1..=6).contains(&level) {
                let start = span.end - marked.len() + level;
                let title = start..span.end.min(start + TITLE);
                found.push(Heading { start: span.start, level, title });
            }
        }
        // Most files have none.
        if handed {
            let blocks = handoff::blocks(bytes);
            found.retain(|heading| !blocks.iter().any(|block| block.contains(&heading.start)));
        }
        Self { bytes, below: found.into_iter().peekable(), open: Vec::new() }
    }

    /// Moves on to a place and returns the titles of the headings above it, outermost first. A
    /// heading at the place itself is not above it, but ends the sections of its level.
    pub fn above(&mut self, at: usize) -> impl Iterator<Item = &'a [u8]> {
        while let Some(heading) = self.below.next_if(|heading| heading.start < at) {
            self.open.retain(|outer| outer.level < heading.level);
            self.open.push(heading);
        }
        let own = self.below.peek().filter(|heading| heading.start == at);
        let most = own.map_or(usize::MAX, |heading| heading.level);
        let outer = self.open.iter().filter(move |outer| outer.level < most);
        let bytes = self.bytes;
        outer.map(move |outer| bytes.get(outer.title.clone()).unwrap_or_default().trim_ascii())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(bytes: &str, found: &[Passage]) -> Vec<(usize, String)> {
        found.iter().map(|p| (p.line, bytes[p.span.clone()].to_owned())).collect()
    }

    #[test]
    fn notes_split_at_headings() {
        let text = "intro\n\n# A\none\n\n```\n# not a heading\n```\n\n## B\r\ntwo\r\n";
        let want = [
            (1, "intro".to_owned()),
            (3, "# A\none\n\n```\n# not a heading\n```".to_owned()),
            (10, "## B\r\ntwo".to_owned()),
        ];
        assert_eq!(texts(text, &sections(text.as_bytes())), want);
    }

    #[test]
    fn lists_split_at_items() {
        let text = "# Memory\n\n- one\n- two\n  more of two\n\n  and more\n1. three\nafter\nit\n\n## B\n\
                    prose\n- four\n```\n- code\n```\n-five\n## C\n### D\n* six\n";
        let want = [
            (1, "# Memory\n\n- one"),
            (4, "- two\n  more of two\n\n  and more"),
            (8, "1. three"),
            (9, "after\nit"),
            (12, "## B\nprose"),
            (14, "- four"),
            (15, "```\n- code\n```\n-five"),
            (19, "## C"),
            (20, "### D\n* six"),
        ];
        let want = want.map(|(line, text)| (line, text.to_owned()));
        assert_eq!(texts(text, &sections(text.as_bytes())), want);
    }

    #[test]
    fn logs_split_at_lines() {
        let text = "# 2026-06-30\n\n- 09:00 one\n<!-- HANDOFF\nx -->\n- 10:00 two";
        let want = [(3, "- 09:00 one".to_owned()), (6, "- 10:00 two".to_owned())];
        let found = items(text.as_bytes(), None);
        assert_eq!(texts(text, &found), want);
        assert!(found.iter().all(|item| item.when.is_none()));
        let block = "<!-- HANDOFF 2026-06-30 09:30:00 -->\n- 09:00 one\n<!-- /HANDOFF -->\n";
        let text = format!("- 09:00 one\n{block}- 10:00 two\n{block}{block}- 11:00 three\n");
        let lines: Vec<usize> = items(text.as_bytes(), None).iter().map(|item| item.line).collect();
        assert_eq!(lines, [1, 5, 12], "a handoff repeats what is found already");
    }

    fn times(found: &[Passage]) -> Vec<String> {
        let short = |time: Timestamp| time.to_string().chars().take(16).collect();
        found.iter().map(|item| item.when.map_or_else(|| "-".to_owned(), short)).collect()
    }

    #[test]
    fn a_log_has_a_day_and_its_items_times() {
        let day = Timestamp::parse_date("2026-06-30");
        for (line, want) in [
            ("- 09:30 text", "2026-06-30T09:30"),
            ("09:30 text", "2026-06-30T09:30"),
            ("- 23:59", "2026-06-30T23:59"),
            ("- [x] 14:00 text", "2026-06-30T14:00"),
            ("- 09:30:15 text", "2026-06-30T09:30"),
            ("- 24:00 text", "2026-06-30T00:00"),
            ("- 12:60 text", "2026-06-30T00:00"),
            ("- 09:301 text", "2026-06-30T00:00"),
            ("- 9:30 text", "2026-06-30T00:00"),
            ("- at 09:30 text", "2026-06-30T00:00"),
            ("- ", "2026-06-30T00:00"),
        ] {
            assert_eq!(times(&items(line.as_bytes(), day)), [want], "{line}");
        }
    }

    #[test]
    fn observations_are_items_with_their_sub_items() {
        let text = "- [i] before any date\r\nDate: 2026-02-10\r\n- [!] 14:30 one\r\n  \
                    - [!] 14:32 sub\r\n\r\n\t- [i] sub sub\r\n- [?] 14:40 two\r\n# Heading\r\n  \
                    - [i] 15:00 lost\r\n<!-- a\r\n- comment -->\r\nDate: 2026-02-30\r\n- [!] 16:00 no day\r\n\
                    Date: 2026-02-11 \r\n  - 17:00 indented\r\n- 25:00 no time";
        let found = observations(text.as_bytes());
        let want = [
            (1, "- [i] before any date"),
            (3, "- [!] 14:30 one\r\n  - [!] 14:32 sub\r\n\r\n\t- [i] sub sub"),
            (7, "- [?] 14:40 two"),
            (9, "  - [i] 15:00 lost"),
            (13, "- [!] 16:00 no day"),
            (15, "  - 17:00 indented"),
            (16, "- 25:00 no time"),
        ];
        assert_eq!(texts(text, &found), want.map(|(line, text)| (line, text.to_owned())));
        let want = [
            "-",
            "2026-02-10T14:30",
            "2026-02-10T14:40",
            "2026-02-10T15:00",
            "-",
            "2026-02-11T17:00",
            "2026-02-11T00:00",
        ];
        assert_eq!(times(&found), want);
    }

    #[test]
    fn days_that_are_none() {
        for (heading, known) in [
            ("Date: 2026-02-28", true),
            ("Date:2026-02-28", true),
            ("Date: 2026-02-29", false),
            ("Date: 2026-2-28", false),
            ("Date: yesterday", false),
            ("Date:", false),
            ("Date: 2026-02-28 or so", false),
        ] {
            let text = format!("Date: 2026-01-01\n{heading}\n- text");
            let found = observations(text.as_bytes());
            assert_eq!(found.len(), 1, "{heading}");
            assert_eq!(found[0].when.is_some(), known, "{heading}");
        }
    }
}

#[cfg(test)]
mod headings_tests {
    use super::*;

    /// Returns the titles above each line.
    fn above(text: &str) -> Vec<String> {
        let mut headings = Headings::of(text.as_bytes());
        let mut titles = |at| {
            let titles: Vec<&[u8]> = headings.above(at).collect();
            String::from_utf8_lossy(&titles.join(&b" > "[..])).into_owned()
        };
        lines(text.as_bytes()).map(|span| titles(span.start)).collect()
    }

    #[test]
    fn sections_nest_and_end() {
        let text =
            "\u{feff}# Git\n- a\n## Commits #\n- b\n### Bodies\n- c\n## Tags\n- d\r\n# CI\n- e";
        let want = [
            "",
            "Git",
            "Git",
            "Git > Commits #",
            "Git > Commits #",
            "Git > Commits # > Bodies",
            "Git",
            "Git > Tags",
            "",
            "CI",
        ];
        assert_eq!(above(text), want);
    }

    #[test]
    fn what_is_no_heading() {
        for line in [
            "#tag",
            "####### seven",
            " # indented",
            "```\n# in code\n```",
            "~~~\n# in code\n~~~",
            "<!-- a\n# in a comment\n-->",
            "<!-- HANDOFF 2026-06-30 09:30:00 -->\n## Session Handoff\n<!-- /HANDOFF -->",
        ] {
            let got = above(&format!("# One\n{line}\n- item"));
            assert_eq!(got.last().map(String::as_str), Some("One"), "{line}");
        }
        assert_eq!(above("<!-- a comment -->\n# One\n- item").last().unwrap(), "One");
        assert_eq!(above("- item"), [""]);
    }
}
