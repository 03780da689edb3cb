//! The lines of a file, and edits that preserve every other byte.
//!
//! Knows nothing about the meaning of lines.

use std::ops::Range;

pub(super) const BOM: &[u8] = b"\xef\xbb\xbf";

/// Replaces `span` by `bytes`. The only way to change a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// Byte range to replace.
    pub span: Range<usize>,
    /// The replacement.
    pub bytes: Vec<u8>,
}

/// Applies `edits`, which must not overlap, and returns the new content.
#[must_use]
pub fn apply(bytes: &[u8], mut edits: Vec<Edit>) -> Vec<u8> {
    edits.sort_by_key(|edit| edit.span.start);
    let mut out = Vec::with_capacity(bytes.len() + 256);
    let mut copied = 0;
    for edit in edits {
        out.extend_from_slice(bytes.get(copied..edit.span.start).unwrap_or_default());
        out.extend_from_slice(&edit.bytes);
        copied = edit.span.end;
    }
    out.extend_from_slice(bytes.get(copied..).unwrap_or_default());
    out
}

/// Appends lines with the file's own line ends, adding one to the last line if it is missing. A new
/// file starts with `heading`.
#[must_use]
pub fn append(bytes: &[u8], heading: &str, added: &[String]) -> Edit {
    let end = bytes.len();
    let newline = newline(bytes);
    let mut new = Vec::new();
    match bytes.last() {
        None => new.extend_from_slice(format!("# {heading}{newline}{newline}").as_bytes()),
        Some(b'\n' | b'\r') => {}
        // A file that contains only a byte order mark counts as new.
        Some(_) if bytes == BOM => {}
        Some(_) => new.extend_from_slice(newline.as_bytes()),
    }
    for line in added {
        new.extend_from_slice(line.as_bytes());
        new.extend_from_slice(newline.as_bytes());
    }
    Edit { span: end..end, bytes: new }
}

/// Returns the most frequent line end.
#[must_use]
pub fn newline(bytes: &[u8]) -> &'static str {
    let (mut lf, mut crlf, mut cr) = (0, 0, 0);
    for span in lines(bytes) {
        match bytes.get(span.end..) {
            Some([b'\r', b'\n', ..]) => crlf += 1,
            Some([b'\r', ..]) => cr += 1,
            Some([b'\n', ..]) => lf += 1,
            _ => {}
        }
    }
    match () {
        () if crlf > lf && crlf >= cr => "\r\n",
        () if cr > lf => "\r",
        () => "\n",
    }
}

/// Returns true if a line opens or closes a code block.
pub fn is_fence(line: &[u8]) -> bool {
    line.starts_with(b"```") || line.starts_with(b"~~~")
}

/// Returns the number of characters; each byte that is not valid UTF-8 counts as one.
#[must_use]
pub fn count_chars(bytes: &[u8]) -> usize {
    bytes.utf8_chunks().map(|chunk| chunk.valid().chars().count() + chunk.invalid().len()).sum()
}

/// Returns the lines of a file, as spans without line ends (LF, CRLF or CR) and without a leading
/// byte order mark.
pub fn lines(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut at = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
    std::iter::from_fn(move || {
        let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
        let length = memchr::memchr2(b'\n', b'\r', rest);
        let span = at..at + length.unwrap_or(rest.len());
        let end = match rest.get(length.unwrap_or(rest.len())..) {
            Some([b'\r', b'\n', ..]) => 2,
            Some([_, ..]) => 1,
            _ => 0,
        };
        at = span.end + end;
        Some(span)
    })
}
