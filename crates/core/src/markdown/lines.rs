//! The lines of a file, and edits that leave every other byte as it was.
//!
//! Knows nothing of what lines mean.

use std::ops::Range;

pub(super) const BOM: &[u8] = b"\xef\xbb\xbf";

/// The only way to change a file: replace `span` by `bytes`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// Bytes of the file to replace.
    pub span: Range<usize>,
    /// What comes instead.
    pub bytes: Vec<u8>,
}

/// The bytes after `edits`, which must not overlap.
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

/// Adds lines at the end, in the file's own line-end style, supplying a missing last one. A new
/// file starts with `heading`.
#[must_use]
pub fn append(bytes: &[u8], heading: &str, added: &[String]) -> Edit {
    let end = bytes.len();
    let newline = newline(bytes);
    let mut new = Vec::new();
    match bytes.last() {
        None => new.extend_from_slice(format!("# {heading}{newline}{newline}").as_bytes()),
        Some(b'\n' | b'\r') => {}
        // A file that holds a byte order mark alone is as good as new.
        Some(_) if bytes == BOM => {}
        Some(_) => new.extend_from_slice(newline.as_bytes()),
    }
    for line in added {
        new.extend_from_slice(line.as_bytes());
        new.extend_from_slice(newline.as_bytes());
    }
    Edit { span: end..end, bytes: new }
}

/// The line end that most lines have.
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

/// Whether a line begins or ends a code block.
pub fn is_fence(line: &[u8]) -> bool {
    line.starts_with(b"```") || line.starts_with(b"~~~")
}

/// Characters in `bytes`; each byte that is not part of one counts as one.
#[must_use]
pub fn count_chars(bytes: &[u8]) -> usize {
    bytes.utf8_chunks().map(|chunk| chunk.valid().chars().count() + chunk.invalid().len()).sum()
}

/// The lines of a file, as spans without their ends (LF, CRLF or CR) and without a leading byte
/// order mark.
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
