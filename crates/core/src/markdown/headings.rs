//! The headings above each place of a file.

use std::{iter::Peekable, ops::Range, vec::IntoIter};

use super::{asides::Asides, handoff, lines::lines};

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
