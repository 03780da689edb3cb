//! The syntax of an entry line, `- [category] text *(pinned)*`.

use std::ops::Range;

use crate::model::{
    category::{Categories, CategoryId},
    entry::{EntryId, Markers},
};

/// Longest line, in bytes, that is parsed as an entry. Longer lines are preserved, but not parsed.
pub const MAX_LINE: usize = 64 * 1024;

const PINNED: &str = "*(pinned)*";
const ENFORCED: &str = "*(enforced)*";

/// The parts of an entry line, as offsets into the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryLine {
    pub category: CategoryId,
    /// The text, without markers.
    pub text: Range<usize>,
    pub markers: Markers,
}

/// Parses a line without its line end. Returns `None` if it is not an entry of a known category.
#[must_use]
pub fn parse(line: &[u8], categories: &Categories) -> Option<EntryLine> {
    if line.len() > MAX_LINE {
        return None;
    }
    let rest = line.trim_ascii_start().strip_prefix(b"-")?.trim_ascii_start();
    let inside = rest.strip_prefix(b"[")?;
    let close = inside.iter().position(|byte| *byte == b']')?;
    let (name, after) = inside.split_at_checked(close)?;
    let category = categories.find(str::from_utf8(name).ok()?)?;
    let body = after.strip_prefix(b"]")?;
    // `[lesson](url)` is a link, not an entry.
    if !body.first()?.is_ascii_whitespace() {
        return None;
    }
    let start = line.len() - body.trim_ascii_start().len();
    let (text, markers) = split_marker_bytes(body.trim_ascii());
    (!text.is_empty()).then(|| EntryLine { category, text: start..start + text.len(), markers })
}

/// Returns the canonical line, which an entry's id is computed from.
#[must_use]
pub fn canonical(category: &str, text: &str) -> String {
    format!("- [{category}] {text}")
}

/// Returns the line as pimem writes it, without line end.
#[must_use]
pub fn render(category: &str, text: &str, markers: Markers) -> String {
    let mut line = canonical(category, text);
    for (marker, is_set) in [(ENFORCED, markers.enforced), (PINNED, markers.pinned)] {
        if is_set {
            line.push(' ');
            line.push_str(marker);
        }
    }
    line
}

/// Returns the id of the entry on `line`.
#[must_use]
pub fn id(line: &[u8], entry: &EntryLine, categories: &Categories) -> EntryId {
    let text = line.get(entry.text.clone()).unwrap_or_default();
    EntryId::of(&categories.spec(entry.category).name, text)
}

/// Splits trailing markers off a text. A text that consists of one marker is left unchanged.
#[must_use]
pub fn split_markers(text: &str) -> (&str, Markers) {
    let (kept, markers) = split_marker_bytes(text.as_bytes());
    // Markers are ASCII, so the cut is on a character boundary.
    (text.get(..kept.len()).unwrap_or(text), markers)
}

pub(super) fn split_marker_bytes(mut text: &[u8]) -> (&[u8], Markers) {
    let mut markers = Markers::default();
    loop {
        let (marker, flag) = if text.ends_with(PINNED.as_bytes()) {
            (PINNED, &mut markers.pinned)
        } else if text.ends_with(ENFORCED.as_bytes()) {
            (ENFORCED, &mut markers.enforced)
        } else {
            return (text, markers);
        };
        let Some(before) = text.strip_suffix(marker.as_bytes()) else { return (text, markers) };
        let trimmed = before.trim_ascii_end();
        if trimmed.len() == before.len() || trimmed.is_empty() {
            return (text, markers);
        }
        *flag = true;
        text = trimmed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let categories = Categories::default();
        for (line, want) in [
            ("- [lesson] text", Some(("lesson", "text", false, false))),
            ("- [done] a *(pinned)*", Some(("done", "a", true, false))),
            ("- [done] a *(enforced)* *(pinned)*  ", Some(("done", "a", true, true))),
            ("  - [mistake]  indented ", Some(("mistake", "indented", false, false))),
            ("-\t[pattern]\tx", Some(("pattern", "x", false, false))),
            ("- [lesson] *(pinned)*", Some(("lesson", "*(pinned)*", false, false))),
            ("- [lesson] no*(pinned)*", Some(("lesson", "no*(pinned)*", false, false))),
            (
                "- [decision] [[x]] uses [brackets]",
                Some(("decision", "[[x]] uses [brackets]", false, false)),
            ),
            ("- [lesson](https://example.org)", None),
            ("- [idea] unknown", None),
            ("- [Lesson] case", None),
            ("* [lesson] star", None),
            ("- [lesson]", None),
            ("- [lesson]   ", None),
            ("- [x] task", None),
            ("", None),
        ] {
            let got = parse(line.as_bytes(), &categories).map(|entry| {
                let name = categories.spec(entry.category).name.to_string();
                (name, line[entry.text].to_owned(), entry.markers.pinned, entry.markers.enforced)
            });
            let want = want.map(|(c, t, p, e)| (c.to_owned(), t.to_owned(), p, e));
            assert_eq!(got, want, "{line:?}");
        }
    }
}
