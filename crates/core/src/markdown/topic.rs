//! Topic files and their entry lines: a lossless view of the bytes, with edits that touch one line
//! each.
//!
//! Never reserialises: bytes outside an edited span are preserved, whatever the line ends, byte
//! order mark or encoding. Parsing never fails.

use std::{fmt::Write as _, ops::Range};

use super::{
    asides::Asides,
    patch::{Edit, append, apply, count_chars, lines, text},
};
use crate::model::{
    category::{Categories, CategoryId},
    entry::{EntryId, Markers, Wording},
    hash::{IdMap, IdSet},
    questions::Questions,
    rules::{LineRule, LineRules},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicEntry {
    pub id: EntryId,
    pub category: CategoryId,
    /// Text without markers.
    pub text: String,
    pub markers: Markers,
    /// Line number, from 1.
    pub line: usize,
    /// Byte range of the line in the file, without the line end.
    pub span: Range<usize>,
    pub text_span: Range<usize>,
}

impl TopicEntry {
    #[must_use]
    pub fn is(&self, wording: &Wording) -> bool {
        self.id == wording.id && self.category == wording.category && self.text == wording.text
    }

    /// Returns true if `other` is a line of the same entry.
    #[must_use]
    pub fn is_copy(&self, other: &Self) -> bool {
        self.id == other.id && self.category == other.category && self.text == other.text
    }

    #[must_use]
    pub fn wording(&self) -> Wording {
        Wording { id: self.id, category: self.category, text: self.text.clone() }
    }
}

#[derive(Debug, Clone, Default)]
pub struct TopicDoc {
    bytes: Vec<u8>,
    /// Entries in file order.
    pub entries: Vec<TopicEntry>,
}

impl TopicDoc {
    /// Parses a topic file. A duplicate line is listed twice, so that an edit finds both. Lines in
    /// code blocks and comments are no entries.
    #[must_use]
    pub fn parse(bytes: Vec<u8>, categories: &Categories) -> Self {
        let mut entries = Vec::new();
        let mut asides = Asides::of(&bytes);
        for (number, span) in (1..).zip(lines(&bytes)) {
            if asides.hides(&span) {
                continue;
            }
            let raw = bytes.get(span.clone()).unwrap_or_default();
            let Some(found) = parse(raw, categories) else { continue };
            let id = id(raw, &found, categories);
            let text = text(raw.get(found.text.clone()).unwrap_or_default());
            let text_span = span.start + found.text.start..span.start + found.text.end;
            entries.push(TopicEntry {
                id,
                category: found.category,
                text,
                markers: found.markers,
                line: number,
                span,
                text_span,
            });
        }
        Self { bytes, entries }
    }

    /// The bytes as read.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the file with empty lines in place of all other entries; `None` if these would then be read in
    /// another way.
    #[must_use]
    pub fn only(&self, ids: &IdSet<EntryId>, categories: &Categories) -> Option<Vec<u8>> {
        let (mut part, mut from) = (Vec::new(), 0);
        for entry in self.entries.iter().filter(|entry| !ids.contains(&entry.id)) {
            part.extend_from_slice(self.bytes.get(from..entry.span.start)?);
            from = entry.span.end;
        }
        part.extend_from_slice(self.bytes.get(from..)?);
        let read = Self::parse(part.clone(), categories);
        let meant = self.entries.iter().filter(|entry| ids.contains(&entry.id));
        let is_same = |(one, other): (&TopicEntry, &TopicEntry)| {
            one.is_copy(other) && one.markers == other.markers && one.line == other.line
        };
        let is_all = meant.clone().count() == read.entries.len();
        (is_all && meant.zip(&read.entries).all(is_same)).then_some(part)
    }

    /// Returns the lines that are copies of some lines of another document, both in order.
    #[must_use]
    pub fn lines_of_copies(&self, other: &Self, lines: &[usize]) -> Vec<usize> {
        let known = other.entries.iter().filter(|entry| lines.binary_search(&entry.line).is_ok());
        let known: IdMap<EntryId, &TopicEntry> = known.map(|entry| (entry.id, entry)).collect();
        let is_copy =
            |entry: &&TopicEntry| known.get(&entry.id).is_some_and(|of| of.is_copy(entry));
        self.entries.iter().filter(is_copy).map(|entry| entry.line).collect()
    }

    /// Length in characters; a byte that is not valid UTF-8 counts as one.
    #[must_use]
    pub fn chars(&self) -> usize {
        count_chars(&self.bytes)
    }

    /// Returns the topic that goes on in this file, if its first line names one.
    #[must_use]
    pub fn continues(&self) -> Option<&str> {
        let first = self.bytes.get(lines(&self.bytes).next()?)?;
        let inside = first.trim_ascii().strip_prefix(CONTINUES)?.strip_suffix(b"-->")?;
        let name = str::from_utf8(inside.trim_ascii()).ok()?;
        let fits = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.');
        ((1..=64).contains(&name.len()) && name.chars().all(fits)).then_some(name)
    }

    /// Appends lines with the file's own line ends, adding one to the last line if it is missing. A
    /// new file starts with `heading`.
    #[must_use]
    pub fn append(&self, heading: &str, lines: &[String]) -> Edit {
        append(&self.bytes, heading, lines)
    }

    #[must_use]
    pub fn replace_text(&self, entry: &TopicEntry, text: &str) -> Edit {
        Edit { span: entry.text_span.clone(), bytes: text.as_bytes().to_vec() }
    }

    /// Replaces the markers of a line.
    #[must_use]
    pub fn set_markers(entry: &TopicEntry, markers: &Markers) -> Edit {
        let bytes = written(markers).into_bytes();
        Edit { span: entry.text_span.end..entry.span.end, bytes }
    }

    /// Returns the heading above an entry, which tells its subject. The file's title does not
    /// count.
    #[must_use]
    pub fn heading_above(&self, entry: &TopicEntry) -> Option<String> {
        let above = self.bytes.get(..entry.span.start)?;
        let mut found = None;
        let mut asides = Asides::of(&self.bytes);
        for span in lines(above) {
            let line = above.get(span.clone()).unwrap_or_default();
            let is_hidden = asides.hides(&span);
            let rest = line.trim_ascii_start();
            let level = rest.iter().take_while(|byte| **byte == b'#').count();
            let title = rest.get(level..).unwrap_or_default();
            if is_hidden || !title.starts_with(b" ") {
                continue;
            }
            match level {
                1 => found = None,
                2..=6 => found = Some(String::from_utf8_lossy(title.trim_ascii()).into_owned()),
                _ => {}
            }
        }
        found
    }

    /// Removes a line, including its line end.
    #[must_use]
    pub fn remove(&self, entry: &TopicEntry) -> Edit {
        let rest = self.bytes.get(entry.span.end..).unwrap_or_default();
        let newline = match rest {
            [b'\r', b'\n', ..] => 2,
            [b'\r' | b'\n', ..] => 1,
            _ => 0,
        };
        Edit { span: entry.span.start..entry.span.end + newline, bytes: Vec::new() }
    }

    /// Returns the lines of an entry that may be removed: those without a marker. With `keep`, the
    /// first line stays if none has a marker.
    pub fn repeats<'a>(
        &'a self,
        of: &'a Wording,
        keep: bool,
    ) -> impl Iterator<Item = &'a TopicEntry> {
        let lines = || self.entries.iter().filter(move |entry| entry.is(of));
        let stay = usize::from(keep && !lines().any(|entry| entry.markers.any()));
        lines().filter(|entry| !entry.markers.any()).skip(stay)
    }

    /// Applies `edits`, which must not overlap, and returns the new content.
    #[must_use]
    pub fn apply(&self, edits: Vec<Edit>) -> Vec<u8> {
        apply(&self.bytes, edits)
    }
}

/// Start of the first line of a file in which a topic goes on.
const CONTINUES: &[u8] = b"<!-- continues ";

/// Returns the first lines of a new file, `stem`, in which the topic `of` goes on.
#[must_use]
pub fn continuation(stem: &str, of: &str) -> String {
    format!("<!-- continues {of} -->\n# {}\n\n", heading(stem))
}

/// Returns true if a line is a title or names the topic that a file continues.
#[must_use]
pub fn is_head(line: &[u8]) -> bool {
    line.starts_with(b"# ") || line.starts_with(CONTINUES)
}

/// Returns the heading of a new topic file: `Build notes` for `build-notes`.
#[must_use]
pub fn heading(stem: &str) -> String {
    let words = stem.replace('-', " ");
    let mut chars = words.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// Longest line, in bytes, that is parsed as an entry. Longer lines are preserved, but not parsed.
pub const MAX_LINE: usize = 64 * 1024;

const PINNED: &str = "*(pinned)*";
const ENFORCED: &str = "*(enforced)*";
const ASKED: &str = "*(asked: ";
/// Start of every marker.
const START: &str = "*(";
/// End of every marker.
const END: &str = ")*";

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
pub fn render(category: &str, text: &str, markers: &Markers) -> String {
    canonical(category, text) + &written(markers)
}

/// Returns markers as they stand behind a text, each with a space before it.
#[must_use]
pub fn written(markers: &Markers) -> String {
    let mut out = String::new();
    if !markers.asides.asked.is_empty() {
        out = format!(" {ASKED}{}{END}", markers.asides.asked);
    }
    for rule in &markers.asides.rules {
        let _ = write!(out, " *({rule}{END}");
    }
    for (marker, is_set) in [(ENFORCED, markers.enforced), (PINNED, markers.pinned)] {
        if is_set {
            out.push(' ');
            out.push_str(marker);
        }
    }
    out
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
    // Markers begin with ASCII, so the cut is on a character boundary.
    (text.get(..kept.len()).unwrap_or(text), markers)
}

pub(super) fn split_marker_bytes(mut text: &[u8]) -> (&[u8], Markers) {
    let mut markers = Markers::default();
    loop {
        let Some(start) = last_marker(text) else { return (text, markers) };
        let (before, marker) = text.split_at_checked(start).unwrap_or((text, b""));
        let trimmed = before.trim_ascii_end();
        if trimmed.len() == before.len() || trimmed.is_empty() {
            return (text, markers);
        }
        if marker == PINNED.as_bytes() {
            markers.pinned = true;
        } else if marker == ENFORCED.as_bytes() {
            markers.enforced = true;
        } else {
            let marker = String::from_utf8_lossy(marker);
            let marker = marker.strip_suffix(END).unwrap_or_default();
            let asides = &mut markers.asides;
            if let Some(asked) = marker.strip_prefix(ASKED) {
                // Of two the last one counts.
                if asides.asked.is_empty() {
                    asides.asked = Questions::read(asked);
                }
            } else if let Some(rule) = marker.strip_prefix(START).and_then(LineRule::read) {
                asides.rules = LineRules::of(asides.rules.iter().cloned().chain([rule]));
            }
        }
        text = trimmed;
    }
}

/// Returns the offset of the marker at the end of a text.
fn last_marker(text: &[u8]) -> Option<usize> {
    let inside = text.strip_suffix(END.as_bytes())?;
    for marker in [PINNED, ENFORCED] {
        if text.ends_with(marker.as_bytes()) {
            return Some(text.len() - marker.len());
        }
    }
    // A pattern may hold what begins a marker, so the first one that is not closed counts.
    let closed = memchr::memmem::rfind(inside, END.as_bytes()).map_or(0, |at| at + END.len());
    let open = inside.get(closed..)?;
    let starts = memchr::memmem::find_iter(open, START.as_bytes());
    let is_known = |at: &usize| open.get(*at..).is_some_and(begins);
    starts.into_iter().find(is_known).map(|at| closed + at)
}

/// Returns true if a marker with a body begins here.
fn begins(text: &[u8]) -> bool {
    text.starts_with(ASKED.as_bytes())
        || text.strip_prefix(START.as_bytes()).is_some_and(|inside| {
            LineRule::NAMES.iter().any(|name| {
                inside.strip_prefix(name.as_bytes()).is_some_and(|rest| rest.starts_with(b": "))
            })
        })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::rules::LineAsides;

    #[test]
    fn what_is_asked_stands_behind_the_text() {
        let doc = doc("- [lesson] é *(asked: a b; c)* *(pinned)*\n- [lesson] f\n".as_bytes());
        let [one, two] = doc.entries.as_slice() else { panic!("{:?}", doc.entries) };
        assert_eq!((&*one.text, one.markers.asides.asked.questions().len()), ("é", 2));
        let lines = |edit| String::from_utf8(doc.apply(vec![edit])).unwrap();
        let lines = |edit| lines(edit).lines().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(lines(asked(one, ""))[0], "- [lesson] é *(pinned)*");
        assert_eq!(lines(pinned(one, false))[0], "- [lesson] é *(asked: a b; c)*");
        assert_eq!(lines(asked(two, "x"))[1], "- [lesson] f *(asked: x)*");
        for (text, kept) in [
            ("a *(asked: b)*", "a"),
            ("a *(asked: b)* *(asked: c)*", "a"),
            ("a *(pinned)* *(asked: b)*", "a"),
            ("a *(asked: b)* c", "a *(asked: b)* c"),
            ("a*(asked: b)*", "a*(asked: b)*"),
            ("*(asked: b)*", "*(asked: b)*"),
            ("a *(asked: )*", "a"),
            ("a *(in staging only)*", "a *(in staging only)*"),
            ("a *(asked: b)* *(in staging only)*", "a *(asked: b)* *(in staging only)*"),
        ] {
            assert_eq!(split_markers(text).0, kept, "{text}");
        }
        assert_eq!(
            split_markers("a *(asked: b)* *(asked: c)*").1.asides.asked,
            Questions::read("c")
        );
    }

    fn pinned(entry: &TopicEntry, pinned: bool) -> Edit {
        TopicDoc::set_markers(entry, &Markers { pinned, ..entry.markers.clone() })
    }

    fn asked(entry: &TopicEntry, asked: &str) -> Edit {
        let asked = Questions::read(asked);
        let asides = LineAsides { asked, ..entry.markers.asides.clone() };
        TopicDoc::set_markers(entry, &Markers { asides, ..entry.markers.clone() })
    }

    fn doc(text: &[u8]) -> TopicDoc {
        TopicDoc::parse(text.to_vec(), &Categories::default())
    }

    #[test]
    fn appends_in_the_file_s_own_style() {
        for (before, after) in [
            (&b""[..], &b"# Lessons\n\n- [lesson] new\n"[..]),
            (b"# L\n", b"# L\n- [lesson] new\n"),
            (b"# L", b"# L\n- [lesson] new\n"),
            (b"a\r\nb\r\nc", b"a\r\nb\r\nc\r\n- [lesson] new\r\n"),
            (b"a\rb\r", b"a\rb\r- [lesson] new\r"),
            (b"a\nb\r\nc\n", b"a\nb\r\nc\n- [lesson] new\n"),
            (b"\xef\xbb\xbf", b"\xef\xbb\xbf- [lesson] new\n"),
            (b"caf\xe9", b"caf\xe9\n- [lesson] new\n"),
        ] {
            let doc = doc(before);
            let edit = doc.append("Lessons", &["- [lesson] new".to_owned()]);
            assert_eq!(doc.apply(vec![edit]), after, "{:?}", String::from_utf8_lossy(before));
        }
    }

    #[test]
    fn edits_touch_their_line_only() {
        let bytes = b"\xef\xbb\xbf# T\r\n- [lesson] one  *(pinned)* \r\n- [idea] kept\n- [lesson] t\xfco *(enforced)*\rend";
        let doc = doc(bytes);
        let [one, two] = doc.entries.as_slice() else { panic!("{:?}", doc.entries) };
        assert_eq!((one.line, two.line), (2, 4));
        let check = |edit: Edit, from: &str, to: &str| {
            let want = String::from_utf8_lossy(bytes).replacen(from, to, 1);
            assert_eq!(String::from_utf8_lossy(&doc.apply(vec![edit])), want);
        };
        check(pinned(one, false), "one  *(pinned)* ", "one");
        check(pinned(two, true), "*(enforced)*", "*(enforced)* *(pinned)*");
        check(doc.replace_text(two, "2"), "t\u{fffd}o", "2");
        check(doc.remove(one), "- [lesson] one  *(pinned)* \r\n", "");
        check(doc.remove(two), "- [lesson] t\u{fffd}o *(enforced)*\r", "");
    }

    #[test]
    fn lines_in_code_blocks_and_comments_are_no_entries() {
        let text = "- [lesson] a\n```\n- [lesson] b\n```\n<!--\n- [lesson] c\n-->\n- [lesson] d\n<!-- - [lesson] e\n";
        let doc = doc(text.as_bytes());
        let found: Vec<(&str, usize)> =
            doc.entries.iter().map(|entry| (entry.text.as_str(), entry.line)).collect();
        assert_eq!(found, [("a", 1), ("d", 8)]);
        let edits = doc.entries.iter().map(|entry| doc.remove(entry)).collect();
        let want = text.replace("- [lesson] a\n", "").replace("- [lesson] d\n", "");
        assert_eq!(String::from_utf8(doc.apply(edits)).unwrap(), want);
    }

    #[test]
    fn a_first_line_names_the_topic_that_a_file_continues() {
        let long = format!("<!-- continues {} -->", "x".repeat(65));
        for (text, want) in [
            (continuation("release-2", "release"), Some("release")),
            ("\u{feff}<!-- continues lessons -->\r\n".to_owned(), Some("lessons")),
            ("<!-- continues a b -->".to_owned(), Some("a b")),
            // What a union merge makes of two files that are new on both sides.
            ("<!-- continues a -->\n<!-- continues a -->\n- [lesson] x".to_owned(), Some("a")),
            ("# Release 2\n<!-- continues release -->\n".to_owned(), None),
            ("<!-- continues ../release -->".to_owned(), None),
            ("<!-- continues -->".to_owned(), None),
            ("<!-- continues release".to_owned(), None),
            (long, None),
            (String::new(), None),
        ] {
            assert_eq!(doc(text.as_bytes()).continues(), want, "{text:?}");
        }
    }

    #[test]
    fn one_of_several_lines_stays() {
        let check = |text: &str, keep, gone: &[usize]| {
            let doc = doc(text.as_bytes());
            let lines: Vec<usize> =
                doc.repeats(&doc.entries[0].wording(), keep).map(|e| e.line).collect();
            assert_eq!(lines, gone, "{text:?}");
        };
        check("- [done] a\n- [done] b\n- [done] a\n-  [done]  a", true, &[3, 4]);
        check("- [done] a\n- [done] a *(pinned)*\n- [done] a", true, &[1, 3]);
        check("- [done] a\n- [done] a *(enforced)*", false, &[1]);
        check("- [done] a\n- [done] b", true, &[]);
        check("- [done] a\n- [done] b", false, &[1]);
    }

    proptest! {
        #[test]
        fn any_bytes_survive(lines in prop::collection::vec(any_line(), 0..12), pick: prop::sample::Index) {
            let bytes = lines.concat();
            let before = doc(&bytes);
            prop_assert_eq!(before.apply(Vec::new()), bytes.clone());
            let appended = before.apply(vec![before.append("T", &["- [done] new".to_owned()])]);
            prop_assert!(appended.starts_with(&bytes));
            prop_assert!(doc(&appended).entries.iter().any(|entry| entry.text == "new"));
            if before.entries.is_empty() { return Ok(()); }
            let entry = &before.entries[pick.index(before.entries.len())];
            for edit in [pinned(entry, true), before.replace_text(entry, "other"), before.remove(entry)] {
                let tail = bytes.len() - edit.span.end;
                let after = before.apply(vec![edit.clone()]);
                prop_assert_eq!(&after[..edit.span.start], &bytes[..edit.span.start]);
                prop_assert_eq!(&after[after.len() - tail..], &bytes[edit.span.end..]);
            }
        }
    }

    fn any_line() -> impl Strategy<Value = Vec<u8>> {
        let body = prop_oneof![
            prop::collection::vec(any::<u8>(), 0..20),
            "- \\[(lesson|done|idea)\\] [a-z é]{1,12}( \\*\\(pinned\\)\\*)?"
                .prop_map(String::into_bytes),
        ];
        (body, prop::sample::select(vec!["\n", "\r\n", "\r", ""]))
            .prop_map(|(body, end)| [body, end.as_bytes().to_vec()].concat())
    }
}

#[cfg(test)]
mod entry_line_tests {
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
