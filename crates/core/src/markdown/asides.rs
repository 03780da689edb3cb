//! Code blocks and comments: lines of a file that show or hide something and remember nothing.
//!
//! Every reader of the lines of a topic asks here, so that all agree on what is an entry.
//!
//! A block must be closed. What would begin one and never ends is a line like any other, and the
//! lines below it count as ever: a stray mark must not take the rest of a file out of memory, nor
//! what is appended to it.

use std::ops::Range;

use super::patch::lines;

/// Longest run of fence characters that is told from a longer one. It bounds the searches for the
/// ends of hostile files.
const LONGEST: usize = 16;

/// The code blocks and comments of a file, for places in ascending order.
#[derive(Debug, Clone)]
pub struct Asides<'a> {
    bytes: &'a [u8],
    /// End of the last block found, the line end of its last line included.
    end: usize,
    /// For each fence character, the least length from which on no fence is closed any more.
    unclosed: [usize; 2],
    /// True if no comment is closed any more.
    uncommented: bool,
}

/// What begins a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opening {
    Comment,
    Fence { mark: u8, length: usize },
}

impl Opening {
    /// Parses the first line of a block. Like Markdown, it knows blocks by the beginning of a line;
    /// the indentation does not matter, because it may be that of a list.
    fn of(line: &[u8]) -> Option<Self> {
        let line = line.trim_ascii_start();
        let mark = *line.first()?;
        match mark {
            b'<' => line.starts_with(b"<!--").then_some(Self::Comment),
            b'`' | b'~' => {
                let length = line.iter().take_while(|byte| **byte == mark).count();
                // ```a``` is code within a line.
                let info = line.get(length..).unwrap_or_default();
                let is_fence = length >= 3 && !(mark == b'`' && info.contains(&b'`'));
                is_fence.then_some(Self::Fence { mark, length: length.min(LONGEST) })
            }
            _ => None,
        }
    }

    fn is_closed_by(self, line: &[u8]) -> bool {
        match self {
            Self::Comment => memchr::memmem::find(line, b"-->").is_some(),
            Self::Fence { mark, length } => {
                let line = line.trim_ascii();
                line.len() >= length && line.iter().all(|byte| *byte == mark)
            }
        }
    }
}

impl<'a> Asides<'a> {
    #[must_use]
    pub fn of(bytes: &'a [u8]) -> Self {
        Self { bytes, end: 0, unclosed: [usize::MAX; 2], uncommented: false }
    }

    /// Returns true if a line is part of a code block or a comment, their marks included. Lines are
    /// asked for from the first to the last.
    pub fn hides(&mut self, line: &Range<usize>) -> bool {
        if line.start < self.end {
            return true;
        }
        let text = self.bytes.get(line.clone()).unwrap_or_default();
        let Some(opening) = Opening::of(text) else { return false };
        let Some(end) = self.end_of(opening, line) else { return false };
        self.end = end;
        true
    }

    /// Returns the end of the block that the last line asked for is part of.
    pub(super) fn end(&self) -> usize {
        self.end
    }

    /// Returns the end of a block that begins on a line.
    fn end_of(&mut self, opening: Opening, line: &Range<usize>) -> Option<usize> {
        if self.is_open(opening) {
            return None;
        }
        let below = match opening {
            Opening::Comment => line.start,
            Opening::Fence { .. } => line.end,
        };
        let rest = self.bytes.get(below..).unwrap_or_default();
        // A rest that begins with the end of the line has an empty first line.
        let mut spans = lines(rest).map(|span| below + span.start..below + span.end).peekable();
        while let Some(span) = spans.next() {
            if opening.is_closed_by(self.bytes.get(span).unwrap_or_default()) {
                return Some(spans.peek().map_or(self.bytes.len(), |next| next.start));
            }
        }
        match opening {
            Opening::Comment => self.uncommented = true,
            Opening::Fence { mark, length } => {
                let [back, wavy] = &mut self.unclosed;
                *(if mark == b'`' { back } else { wavy }) = length;
            }
        }
        None
    }

    /// Returns true if it is known that nothing below closes such a block.
    fn is_open(&self, opening: Opening) -> bool {
        let [back, wavy] = self.unclosed;
        match opening {
            Opening::Comment => self.uncommented,
            Opening::Fence { mark: b'`', length } => length >= back,
            Opening::Fence { length, .. } => length >= wavy,
        }
    }
}

/// Returns the code blocks and comments of a file, each with the line ends of its lines.
#[must_use]
pub fn blocks(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut asides = Asides::of(bytes);
    let mut found: Vec<Range<usize>> = Vec::new();
    for span in lines(bytes) {
        let within = found.last().is_some_and(|last| span.start < last.end);
        if !within && asides.hides(&span) {
            found.push(span.start..asides.end());
        }
    }
    found
}

/// Returns the numbers of the lines, from 1, that would begin a code block or a comment but for its
/// missing end.
#[must_use]
pub fn unclosed(bytes: &[u8]) -> Vec<usize> {
    let mut asides = Asides::of(bytes);
    let mut opens = |span: &Range<usize>| {
        !asides.hides(span) && Opening::of(bytes.get(span.clone()).unwrap_or_default()).is_some()
    };
    let spans = (1..).zip(lines(bytes));
    spans.filter(|(_, span)| opens(span)).map(|(number, _)| number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the lines that are not hidden.
    fn shown(text: &str) -> Vec<&str> {
        let mut asides = Asides::of(text.as_bytes());
        let spans = lines(text.as_bytes()).filter(|span| !asides.hides(span));
        spans.filter_map(|span| text.get(span)).collect()
    }

    #[test]
    fn blocks_that_are_closed_hide_their_lines() {
        for (text, want) in [
            ("a\n```\nb\n```\nc", &["a", "c"][..]),
            ("a\n```md\nb\n~~~\nc\n```  \nd", &["a", "d"]),
            ("````\n```\nb\n```\n````\nc", &["c"]),
            ("  ~~~\n  b\n  ~~~\nc", &["c"]),
            ("```a``` b\nc", &["```a``` b", "c"]),
            ("```\nb\n```a\nc\n```\nd", &["d"]),
            ("a\r\n```\r\nb\r\n```\r\nc\r\n", &["a", "c"]),
            ("a\r```\rb\r```\rc", &["a", "c"]),
            ("\u{feff}```\nb\n```\nc", &["c"]),
            ("<!-- a -->\nb", &["b"]),
            ("<!--\na\n-->\nb", &["b"]),
            ("<!-- a\nb --> c\nd", &["d"]),
            ("  <!-- a\n- b\n-->\nd", &["d"]),
            ("a <!-- b\nc", &["a <!-- b", "c"]),
            ("<!--\n```\n-->\na\n```\nb\n```", &["a"]),
            ("```\n<!--\n```\na\n-->", &["a", "-->"]),
        ] {
            assert_eq!(shown(text), want, "{text:?}");
        }
    }

    #[test]
    fn what_is_not_closed_hides_nothing() {
        for text in ["```\na", "<!-- a\nb", "~~~\n```\na", "````\na\n```\nb", "a\n```"] {
            assert_eq!(shown(text), text.lines().collect::<Vec<_>>(), "{text:?}");
        }
        assert_eq!(shown("<!--\na\n```\nb\n```\nc"), ["<!--", "a", "c"], "the fence is closed");
        assert_eq!(shown("````\na\n```\nb\n```\nc"), ["````", "a", "c"], "so is the shorter one");
    }

    #[test]
    fn the_blocks_of_a_file() {
        let text = "a\n```\nb\n```\n<!-- c -->\nd\n";
        let blocks: Vec<&str> =
            blocks(text.as_bytes()).into_iter().filter_map(|span| text.get(span)).collect();
        assert_eq!(blocks, ["```\nb\n```\n", "<!-- c -->\n"]);
    }

    #[test]
    fn many_openings_are_quick() {
        let text = "<!-- a\n```b\n~~~~c\n".repeat(100_000);
        let mut asides = Asides::of(text.as_bytes());
        assert!(!lines(text.as_bytes()).any(|span| asides.hides(&span)));
    }
}
