//! Insertion and removal of parts of a JSON text, such that a removal restores the original bytes.
//! Pure.
//!
//! In non-empty brackets, new parts go after the last one, white space first. In empty brackets,
//! they go directly before the closing one. Brackets that we add have white space before the
//! closing one, which tells them apart.

use pimem_core::exchange::json_scan::{Part, Value};

/// Text to insert at a byte offset.
pub(super) type Splice = (usize, String);

/// Returns the bytes with the splices inserted.
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

/// Returns true if the brackets were added with our hooks.
pub(super) fn is_ours(bytes: &[u8], holder: &Value) -> bool {
    let end = holder.parts().last().map_or(holder.span.end, Part::end);
    let rest = bytes.get(end..holder.span.end.saturating_sub(1)).unwrap_or_default();
    !rest.is_empty() && rest.trim_ascii().is_empty()
}

/// The formatting of a file: line breaks, indentation, and whether all is on one line.
pub(super) struct Style {
    newline: &'static str,
    unit: String,
    flat: bool,
}

impl Style {
    /// Returns the style of a new file.
    pub(super) fn new() -> Self {
        Self { newline: "\n", unit: "  ".to_owned(), flat: false }
    }

    /// Detects the style of a file.
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

/// Returns true if the part begins on a new line.
fn has_newline(bytes: &[u8], part: &Part) -> bool {
    bytes.get(part.lead..part.start).unwrap_or_default().contains(&b'\n')
}

/// Returns the leading white space of the line that contains the byte `at`.
fn indent(bytes: &[u8], at: usize) -> String {
    let before = bytes.get(..at).unwrap_or_default();
    let start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
    let line = before.get(start..).unwrap_or_default();
    line.iter().take_while(|byte| b" \t".contains(byte)).map(|byte| char::from(*byte)).collect()
}

/// JSON to insert.
pub(super) enum Fresh {
    /// Text inserted verbatim.
    Line(String),
    /// Text up to the opening bracket, parts, and the closing bracket.
    Block(String, Vec<Fresh>, char),
}

impl Fresh {
    /// Renders the text. The caller has indented the first line.
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

/// Appends parts after those in the brackets.
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
        // Keep the trailing comma of a file that uses one.
        let separated = parts.iter().flat_map(|part| [separator.as_str(), part, ","]);
        splices.push((anchor, separated.collect()));
    } else {
        splices.push((last.value.span.end, ",".to_owned()));
        splices.push((anchor, format!("{separator}{}", parts.join(&format!(",{separator}")))));
    }
}

/// Returns the end of the comments that follow on the same line, and whether the last one extends
/// to the end of the line.
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
