//! Parts put into a JSON text and taken out again, so that the bytes are what they were. Pure.
//!
//! What is put in brackets that hold something goes behind it, white space first. What is put in
//! empty ones goes directly before the closing one, and brackets of its own have white space there.

use std::ops::Range;

use super::scan::{Part, Value};

/// Text to be put in at a byte.
pub(super) type Splice = (usize, String);

/// A text with what is put in.
pub(super) fn spliced(bytes: &[u8], mut splices: Vec<Splice>) -> Vec<u8> {
    splices.sort_by_key(|(at, _)| *at);
    let mut after = Vec::with_capacity(bytes.len() + 2048);
    let mut done = 0;
    for (at, text) in splices {
        after.extend_from_slice(bytes.get(done..at).unwrap_or_default());
        after.extend_from_slice(text.as_bytes());
        done = at;
    }
    after.extend_from_slice(bytes.get(done..).unwrap_or_default());
    after
}

/// A text without what is cut out.
pub(super) fn without(bytes: &[u8], mut cuts: Vec<Range<usize>>) -> Vec<u8> {
    cuts.sort_by_key(|cut| cut.start);
    let mut after = Vec::with_capacity(bytes.len());
    let mut done = 0;
    for cut in cuts {
        after.extend_from_slice(bytes.get(done..cut.start).unwrap_or_default());
        done = done.max(cut.end);
    }
    after.extend_from_slice(bytes.get(done..).unwrap_or_default());
    after
}

/// Whether brackets came with our hooks.
pub(super) fn is_ours(bytes: &[u8], holder: &Value) -> bool {
    let end = holder.parts().last().map_or(holder.span.end, Part::end);
    let rest = bytes.get(end..holder.span.end.saturating_sub(1)).unwrap_or_default();
    !rest.is_empty() && rest.trim_ascii().is_empty()
}

/// Cuts parts out of their brackets, with what came with them.
pub(super) fn cut(bytes: &[u8], parts: &[Part], gone: &[bool], cuts: &mut Vec<Range<usize>>) {
    let marked = || parts.iter().zip(gone);
    let Some(kept) = marked().rev().find(|(_, gone)| !**gone).map(|(part, _)| part) else {
        // Nothing stays in brackets that were there before: the white space was, too.
        if let (Some(first), Some(last)) = (parts.first(), parts.last()) {
            cuts.push(first.start..last.end());
        }
        return;
    };
    for (part, _) in marked().filter(|(_, gone)| **gone) {
        let follows = bytes.get(part.end()..).and_then(<[u8]>::first);
        let on_comment = part.after_comment && !matches!(follows, Some(b'\n' | b'\r'));
        let start = if on_comment { part.start } else { part.lead };
        cuts.push(start..part.value.span.end);
        cuts.extend(part.comma.map(|comma| comma..comma + 1));
    }
    // The comma that made room for the first of ours at the end.
    let last = marked().next_back();
    if let (Some((last, true)), Some(comma)) = (last, kept.comma)
        && last.comma.is_none()
    {
        cuts.push(comma..comma + 1);
    }
}

/// How a file is written.
pub(super) struct Style {
    newline: &'static str,
    unit: String,
    flat: bool,
}

impl Style {
    /// That of a new file.
    pub(super) fn new() -> Self {
        Self { newline: "\n", unit: "  ".to_owned(), flat: false }
    }

    /// That of a file.
    pub(super) fn of(bytes: &[u8], root: &Value) -> Self {
        let end = memchr::memchr(b'\n', bytes).and_then(|end| bytes.get(end.checked_sub(1)?));
        let newline = if end == Some(&b'\r') { "\r\n" } else { "\n" };
        let Some(first) = root.parts().first() else {
            return Self { newline, unit: "  ".to_owned(), flat: false };
        };
        let flat = !has_newline(bytes, first);
        let indent = if flat { String::new() } else { indent(bytes, first.start) };
        let unit = if indent.is_empty() { "  ".to_owned() } else { indent };
        Self { newline, unit, flat }
    }

    fn separator(&self, indent: &str) -> String {
        if self.flat { " ".to_owned() } else { format!("{}{indent}", self.newline) }
    }
}

/// Whether a part begins on a line of its own.
fn has_newline(bytes: &[u8], part: &Part) -> bool {
    bytes.get(part.lead..part.start).unwrap_or_default().contains(&b'\n')
}

/// The white space that the line of a byte begins with.
fn indent(bytes: &[u8], at: usize) -> String {
    let before = bytes.get(..at).unwrap_or_default();
    let start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
    let line = before.get(start..).unwrap_or_default();
    line.iter().take_while(|byte| b" \t".contains(byte)).map(|byte| char::from(*byte)).collect()
}

/// What is to be written.
pub(super) enum Fresh {
    /// As it is.
    Line(String),
    /// What comes before the parts, the parts, and the closing bracket.
    Block(String, Vec<Fresh>, char),
}

impl Fresh {
    /// As text, its first line indented already.
    pub(super) fn render(&self, style: &Style, indent: &str) -> String {
        match self {
            Self::Line(line) => line.clone(),
            Self::Block(open, parts, close) => {
                let inner = format!("{indent}{}", style.unit);
                let separator = style.separator(&inner);
                let parts: Vec<String> =
                    parts.iter().map(|part| part.render(style, &inner)).collect();
                let body = parts.join(&format!(",{separator}"));
                format!("{open}{separator}{body}{}{close}", style.separator(indent))
            }
        }
    }
}

/// Puts parts behind what brackets hold.
pub(super) fn append(
    bytes: &[u8],
    holder: &Value,
    style: &Style,
    fresh: &[Fresh],
    splices: &mut Vec<Splice>,
) {
    if fresh.is_empty() {
        return;
    }
    let Some(last) = holder.parts().last() else {
        let inner = format!("{}{}", indent(bytes, holder.span.start), style.unit);
        let parts: Vec<String> = fresh.iter().map(|part| part.render(style, &inner)).collect();
        let text = parts.join(&format!(",{}", style.separator(&inner)));
        splices.push((holder.span.end - 1, text));
        return;
    };
    let (anchor, in_comment) = after_comments(bytes, last.end());
    let flat = !has_newline(bytes, last) && !in_comment;
    let inner = indent(bytes, last.start);
    let style = Style { newline: style.newline, unit: style.unit.clone(), flat };
    let separator = style.separator(&inner);
    let parts: Vec<String> = fresh.iter().map(|part| part.render(&style, &inner)).collect();
    if last.comma.is_some() {
        // A file that ends its parts in a comma goes on doing so.
        let separated = parts.iter().flat_map(|part| [separator.as_str(), part, ","]);
        splices.push((anchor, separated.collect()));
    } else {
        splices.push((last.value.span.end, ",".to_owned()));
        splices.push((anchor, format!("{separator}{}", parts.join(&format!(",{separator}")))));
    }
}

/// The end of the comments that follow on the same line, and whether they last to its end.
fn after_comments(bytes: &[u8], at: usize) -> (usize, bool) {
    let mut end = at;
    loop {
        let rest = bytes.get(end..).unwrap_or_default();
        let blank = rest.iter().take_while(|byte| b" \t".contains(byte)).count();
        let rest = rest.get(blank..).unwrap_or_default();
        if rest.starts_with(b"//") {
            let length = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
            return (end + blank + length, true);
        }
        let Some(close) = memchr::memmem::find(rest, b"*/").filter(|_| rest.starts_with(b"/*"))
        else {
            return (end, false);
        };
        end += blank + close + 2;
    }
}
