//! Notes: the scratchpad, a checklist that is edited one item at a time, and lines that are added to
//! `MEMORY.md` and daily logs.
//!
//! Never reserialises: headings, comments, foreign syntax and line ends are preserved.

use std::ops::Range;

use super::{
    asides::Asides,
    patch::{self, Edit, apply, is_fence, lines, newline},
};

/// An item of a checklist, `- [ ] text`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Line number, from 1.
    pub line: usize,
    /// True if ticked.
    pub done: bool,
    pub text: String,
    /// Byte offset of the character between the brackets.
    tick: usize,
    /// Byte range of the item, including the comment above, the indented lines below and line ends.
    block: Range<usize>,
    /// Columns before the dash.
    indent: usize,
}

/// Returns the items of a checklist in file order. Code blocks are skipped.
#[must_use]
pub fn items(bytes: &[u8]) -> Vec<Item> {
    let mut found: Vec<Item> = Vec::new();
    let mut fenced = false;
    // Items that the following lines may still belong to, outermost first.
    let mut open: Vec<usize> = Vec::new();
    let mut comment = None;
    let mut spans = lines(bytes).peekable();
    let mut number = 0;
    while let Some(span) = spans.next() {
        number += 1;
        let end = spans.peek().map_or(bytes.len(), |next| next.start);
        let line = bytes.get(span.clone()).unwrap_or_default();
        let indent = line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let words = line.trim_ascii();
        fenced ^= is_fence(words);
        if words.is_empty() {
            // A blank line belongs to an item only if an indented line follows.
            continue;
        }
        open.retain(|at| found.get(*at).is_some_and(|item| item.indent < indent));
        for at in &open {
            if let Some(item) = found.get_mut(*at) {
                item.block.end = end;
            }
        }
        // A comment that is indented more belongs to the item above it.
        let above = comment.take().filter(|(_, columns)| *columns <= indent);
        if words.starts_with(b"<!--") && words.ends_with(b"-->") && !fenced {
            comment = Some((span.start, indent));
        } else if let Some((tick, text)) = item(line).filter(|_| !fenced) {
            let done = line.get(tick).is_some_and(|mark| *mark != b' ');
            let text = String::from_utf8_lossy(text).into_owned();
            let block = above.map_or(span.start, |(start, _)| start)..end;
            open.push(found.len());
            found.push(Item { line: number, done, text, tick: span.start + tick, block, indent });
        }
    }
    found
}

pub fn open(bytes: &[u8]) -> impl Iterator<Item = Item> {
    items(bytes).into_iter().filter(|item| !item.done)
}

/// Returns the offset of the tick and the text, if the line is an item.
pub(super) fn item(line: &[u8]) -> Option<(usize, &[u8])> {
    let words = line.trim_ascii_start();
    let ([b'-' | b'*' | b'+'], rest) = words.split_at_checked(1)? else { return None };
    let rest = rest.trim_ascii_start();
    let [b'[', b' ' | b'x' | b'X', b']', text @ ..] = rest else { return None };
    let text = text.first().filter(|byte| byte.is_ascii_whitespace()).map(|_| text.trim_ascii())?;
    (!text.is_empty()).then(|| (line.len() - rest.len() + 1, text))
}

/// Returns the first item with this state whose text contains `needle`, ignoring case.
#[must_use]
pub fn find<'a>(items: &'a [Item], needle: &str, done: bool) -> Option<&'a Item> {
    let needle = needle.to_lowercase();
    items.iter().find(|item| item.done == done && item.text.to_lowercase().contains(&needle))
}

/// Ticks or unticks an item.
#[must_use]
pub fn tick(item: &Item, done: bool) -> Edit {
    let mark = if done { b'x' } else { b' ' };
    Edit { span: item.tick..item.tick + 1, bytes: vec![mark] }
}

#[must_use]
pub fn append_items(bytes: &[u8], texts: &[String]) -> Edit {
    let lines: Vec<String> = texts.iter().map(|text| format!("- [ ] {text}")).collect();
    patch::append(bytes, "Scratchpad", &lines)
}

/// Removes the done items with their comments and sub-items. An item is kept if one of its
/// sub-items is open, or if its block begins or ends inside a code block. Returns the new content
/// and the removed lines.
#[must_use]
pub fn clear(bytes: &[u8]) -> (Vec<u8>, Vec<String>) {
    let items = items(bytes);
    let inside = |outer: &Item, inner: &Item| {
        outer.block.start <= inner.block.start && inner.block.end <= outer.block.end
    };
    let is_whole = |item: &Item| {
        let block = bytes.get(item.block.clone()).unwrap_or_default();
        let fence =
            |span: &Range<usize>| block.get(span.clone()).is_some_and(|l| is_fence(l.trim_ascii()));
        lines(block).filter(fence).count().is_multiple_of(2)
    };
    let is_over = |item: &&Item| {
        let open = |other: &Item| !other.done && inside(item, other);
        item.done && is_whole(item) && !items.iter().any(open)
    };
    let mut edits: Vec<Edit> = Vec::new();
    let mut cleared = Vec::new();
    for item in items.iter().filter(is_over) {
        // A sub-item is removed with its parent.
        if edits.last().is_some_and(|last| item.block.end <= last.span.end) {
            continue;
        }
        let block = bytes.get(item.block.clone()).unwrap_or_default();
        let lines = lines(block).filter_map(|span| block.get(span)).map(String::from_utf8_lossy);
        cleared.extend(lines.filter(|line| !line.trim().is_empty()).map(String::from));
        edits.push(Edit { span: item.block.clone(), bytes: Vec::new() });
    }
    (apply(bytes, edits), cleared)
}

/// Appends lines at the end. A new file starts with a title.
#[must_use]
pub fn append(bytes: &[u8], added: &[String]) -> Edit {
    let last = lines(bytes).last().and_then(|span| bytes.get(span)).unwrap_or_default();
    let mut added = added.to_vec();
    if !bytes.is_empty() && !goes_on(last, &added) {
        added.insert(0, String::new());
    }
    patch::append(bytes, "Memory", &added)
}

/// Appends lines to the first section with this heading, ignoring case. If there is none, the
/// section is created at the end of the file.
#[must_use]
pub fn append_to(bytes: &[u8], heading: &str, added: &[String]) -> Edit {
    let Some(last) = section(bytes, heading) else {
        let new = [format!("## {heading}"), String::new()];
        return append(bytes, &[&new, added].concat());
    };
    let newline = newline(bytes);
    let mut new = String::new();
    let at = match bytes.get(last.end..).unwrap_or_default() {
        [b'\r', b'\n', ..] => last.end + 2,
        [b'\r' | b'\n', ..] => last.end + 1,
        _ => {
            new.push_str(newline);
            last.end
        }
    };
    if !goes_on(bytes.get(last).unwrap_or_default(), added) {
        new.push_str(newline);
    }
    for line in added {
        new.push_str(line);
        new.push_str(newline);
    }
    Edit { span: at..at, bytes: new.into_bytes() }
}

/// Returns true if no blank line is needed between `last` and the added lines: both are items of
/// one list.
fn goes_on(last: &[u8], added: &[String]) -> bool {
    let is_item = |line: &[u8]| matches!(line, [b'-' | b'*' | b'+', b' ', ..]);
    let indented = last.first().is_some_and(u8::is_ascii_whitespace);
    let first = added.first().is_some_and(|line| is_item(line.as_bytes()));
    last.trim_ascii().is_empty() || first && (indented || is_item(last))
}

/// Returns the span of the last non-blank line of a section, including its heading.
fn section(bytes: &[u8], heading: &str) -> Option<Range<usize>> {
    let mut found: Option<(usize, Range<usize>)> = None;
    let mut asides = Asides::of(bytes);
    for span in lines(bytes) {
        let line = bytes.get(span.clone()).unwrap_or_default();
        let is_hidden = asides.hides(&span);
        let title = title(line).filter(|_| !is_hidden);
        match (&mut found, title) {
            (Some((level, _)), Some((other, _))) if other <= *level => break,
            (Some((_, last)), _) => {
                if !line.trim_ascii().is_empty() {
                    *last = span;
                }
            }
            (None, Some((level, text))) if text.to_lowercase() == heading.to_lowercase() => {
                found = Some((level, span));
            }
            (None, _) => {}
        }
    }
    found.map(|(_, last)| last)
}

/// Parses the level and text of a heading.
fn title(line: &[u8]) -> Option<(usize, String)> {
    let level = line.iter().take_while(|byte| **byte == b'#').count();
    let text = line.get(level..)?;
    let heads = (1..=6).contains(&level) && text.first().is_some_and(u8::is_ascii_whitespace);
    heads.then(|| (level, String::from_utf8_lossy(text.trim_ascii()).into_owned()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PAD: &str = "# Scratchpad\r\n\r\nSome words.\r\n<!-- 2026-02-15 14:30:00 [a1b2c3d4] -->\r\n\
        - [ ] Fix auth bug\r\n- [x] Review PR #42\r\n  details of it\r\n\r\n  more\r\n* [X] star\r\n\
        - [x] outer\r\n  - [ ] inner open\r\n- [x] over\r\n\t- [x] inner done\r\n```\r\n\
        - [ ] code\r\n```\r\n- [] no box\r\n-[ ] tight\r\n- [ ]glued\r\n- [-] other\r\n- [ ] \r\n1. [ ] numbered";

    fn shown(items: &[Item]) -> Vec<String> {
        let mark = |item: &Item| if item.done { 'x' } else { ' ' };
        items.iter().map(|item| format!("{}{} {}", item.line, mark(item), item.text)).collect()
    }

    #[test]
    fn items_are_found_among_anything() {
        let want = [
            "5  Fix auth bug",
            "6x Review PR #42",
            "10x star",
            "11x outer",
            "12  inner open",
            "13x over",
            "14x inner done",
            "19  tight",
        ];
        assert_eq!(shown(&items(PAD.as_bytes())), want);
    }

    #[test]
    fn the_first_that_contains_it_counts() {
        let items = items(PAD.as_bytes());
        let line = |needle: &str, done| find(&items, needle, done).map(|item| item.line);
        assert_eq!(line("AUTH", false), Some(5));
        assert_eq!(line("auth", true), None);
        assert_eq!(line("inner", false), Some(12));
        assert_eq!(line("R", true), Some(6));
        assert_eq!(line("nothing", false), None);
    }

    #[test]
    fn a_tick_changes_one_byte() {
        for item in items(PAD.as_bytes()) {
            for done in [true, false] {
                let after = apply(PAD.as_bytes(), vec![tick(&item, done)]);
                let differing = after.iter().zip(PAD.as_bytes()).filter(|(a, b)| a != b).count();
                assert_eq!(after.len(), PAD.len());
                // A capital X is a tick as well.
                assert!(differing <= 1, "{}", item.text);
                assert!(items(&after).iter().any(|now| now.line == item.line && now.done == done));
            }
        }
    }

    #[test]
    fn clearing_takes_what_is_over_with_all_that_belongs_to_it() {
        let (after, cleared) = clear(PAD.as_bytes());
        let want = PAD
            .replace("- [x] Review PR #42\r\n  details of it\r\n\r\n  more\r\n* [X] star\r\n", "")
            .replace("- [x] over\r\n\t- [x] inner done\r\n", "");
        assert_eq!(String::from_utf8_lossy(&after), want);
        let lines =
            ["- [x] Review PR #42", "  details of it", "  more", "* [X] star", "- [x] over"];
        assert_eq!(cleared[..5], lines);
        assert_eq!(clear(&after), (after.clone(), Vec::new()), "once is enough");
        let with_comment = b"<!-- a -->\n- [x] b\n<!-- c -->\n- [ ] d";
        assert_eq!(clear(with_comment).0, b"<!-- c -->\n- [ ] d");
    }

    #[test]
    fn additions_follow_the_file_s_style() {
        let texts = ["one".to_owned(), "two".to_owned()];
        for (before, after) in [
            ("", "# Scratchpad\n\n- [ ] one\n- [ ] two\n"),
            ("- [ ] a\r\nb", "- [ ] a\r\nb\r\n- [ ] one\r\n- [ ] two\r\n"),
        ] {
            let edit = append_items(before.as_bytes(), &texts);
            assert_eq!(apply(before.as_bytes(), vec![edit]), after.as_bytes());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        /// Clearing never loses, duplicates or changes a non-blank line.
        #[test]
        fn clearing_moves_lines_and_nothing_else(
            lines in prop::collection::vec("( {0,4}|\t)([-*+] )?(\\[[ xX-]\\] )?(```|<!-- a -->|# )?[a-c ]{0,6}", 0..24),
            end in "(\r\n|\n|\r)",
        ) {
            let text = lines.join(&end);
            let (after, cleared) = clear(text.as_bytes());
            let words = |lines: &mut dyn Iterator<Item = String>| {
                let mut lines: Vec<String> = lines.filter(|line| !line.trim().is_empty()).collect();
                lines.sort();
                lines
            };
            let own = |bytes: &[u8]| -> Vec<String> {
                let line = |span: Range<usize>| String::from_utf8(bytes[span].to_vec()).unwrap();
                super::lines(bytes).map(line).collect()
            };
            let mut both = own(&after).into_iter().chain(cleared.clone());
            prop_assert_eq!(words(&mut both), words(&mut lines.into_iter()));
            let open = |bytes: &[u8]| -> Vec<String> {
                items(bytes).into_iter().filter(|item| !item.done).map(|item| item.text).collect()
            };
            prop_assert_eq!(open(&after), open(text.as_bytes()));
            prop_assert_eq!(clear(&after).1, Vec::<String>::new());
        }
    }
}

#[cfg(test)]
mod memo_tests {
    use super::*;

    fn check(before: &str, heading: Option<&str>, text: &str, after: &str) {
        let added: Vec<String> = text.lines().map(str::to_owned).collect();
        let bytes = before.as_bytes();
        let edit = match heading {
            None => append(bytes, &added),
            Some(heading) => append_to(bytes, heading, &added),
        };
        let got = apply(bytes, vec![edit]);
        assert_eq!(String::from_utf8_lossy(&got), after, "{before:?} {heading:?} {text:?}");
    }

    #[test]
    fn table() {
        check("", None, "- a", "# Memory\n\n- a\n");
        check("", Some("Plan"), "- a", "# Memory\n\n## Plan\n\n- a\n");
        check("- a", None, "- b", "- a\n- b\n");
        check("- a\n  more\n", None, "- b", "- a\n  more\n- b\n");
        check("text\n", None, "- b", "text\n\n- b\n");
        check("- a\n", None, "text\nmore", "- a\n\ntext\nmore\n");
        check("text\r\n\r\n", None, "- b", "text\r\n\r\n- b\r\n");
        let file = "# M\n\n## One\n- a\n\n### Deep\n\n- d\n\n\n## Two\n```\n## Three\n```";
        check(file, Some("one"), "- b", &file.replace("- d\n", "- d\n- b\n"));
        check(file, Some("Deep"), "text", &file.replace("- d\n", "- d\n\ntext\n"));
        check(file, Some("TWO"), "- b", &format!("{file}\n\n- b\n"));
        check(file, Some("Three"), "- b", &format!("{file}\n\n## Three\n\n- b\n"));
        check("## Übung\r\n## B\r\n", Some("übung"), "- x", "## Übung\r\n\r\n- x\r\n## B\r\n");
        check("\u{feff}# M\n", Some("m"), "- x", "\u{feff}# M\n\n- x\n");
    }
}
