//! Free markdown as searchable passages: long-term notes by section, logs and lists by item.
//!
//! Never writes; editing these files is not this module's concern.

use std::ops::Range;

use super::topic::lines;

/// A searchable piece of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// Line number of its first line, from 1.
    pub line: usize,
    /// Its bytes in the file.
    pub span: Range<usize>,
}

/// Sections of long-term notes: a heading with what follows it, up to the next heading.
#[must_use]
pub fn sections(bytes: &[u8]) -> Vec<Passage> {
    let mut found: Vec<Passage> = Vec::new();
    let mut fenced = false;
    for (number, span) in (1..).zip(lines(bytes)) {
        let line = bytes.get(span.clone()).unwrap_or_default();
        if line.starts_with(b"```") {
            fenced = !fenced;
        }
        match found.last_mut() {
            Some(last) if fenced || !line.starts_with(b"#") => {
                if !line.trim_ascii().is_empty() {
                    last.span.end = span.end;
                }
            }
            _ if line.trim_ascii().is_empty() => {}
            _ => found.push(Passage { line: number, span }),
        }
    }
    found
}

/// Items of a log or list: each line with words, but headings and comments.
#[must_use]
pub fn items(bytes: &[u8]) -> Vec<Passage> {
    let mut commented = false;
    let mut found = Vec::new();
    for (number, span) in (1..).zip(lines(bytes)) {
        let line = bytes.get(span.clone()).unwrap_or_default().trim_ascii();
        commented |= line.starts_with(b"<!--");
        let skip = commented || line.starts_with(b"#") || line.is_empty();
        commented &= !line.ends_with(b"-->");
        if !skip && line.len() <= super::line::MAX_LINE {
            found.push(Passage { line: number, span });
        }
    }
    found
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
    fn logs_split_at_lines() {
        let text = "# 2026-06-30\n\n- 09:00 one\n<!-- HANDOFF\nx -->\n- 10:00 two";
        let want = [(3, "- 09:00 one".to_owned()), (6, "- 10:00 two".to_owned())];
        assert_eq!(texts(text, &items(text.as_bytes())), want);
    }
}
