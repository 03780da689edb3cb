//! Text with styles, and how it is broken into lines that fit a terminal.

use std::ops::Range;

use pimem_core::safety::safe_text;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Fewest columns that are left for text beside an indent.
const LEAST: usize = 16;

/// What a part of a text is, which decides its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// Names of fields and columns.
    Label,
    Id,
    /// In use, added, better.
    Good,
    /// New.
    New,
    /// Changed, or worth a look.
    Warn,
    /// Gone, worse, an error.
    Bad,
    /// Of little interest now.
    Faint,
    /// Found by a search.
    Match,
}

impl Style {
    /// Returns the style of a state, or of the annotation that stands for it.
    pub(crate) fn of_state(word: &str) -> Option<Self> {
        match word {
            "active" | "pinned" => Some(Self::Good),
            "fresh" => Some(Self::New),
            "unreviewed" => Some(Self::Warn),
            "dropped" | "forgotten" | "expired" | "superseded" => Some(Self::Faint),
            _ => None,
        }
    }

    /// Returns the parameters of the escape sequence that selects the style.
    fn code(self) -> &'static str {
        match self {
            Self::Label => "1",
            Self::Id => "33",
            Self::Good => "32",
            Self::New => "36",
            Self::Warn => "1;33",
            Self::Bad | Self::Match => "1;31",
            Self::Faint => "2",
        }
    }
}

/// A text that is safe to print, parts of which have a style.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Styled {
    text: String,
    /// In order, without overlaps.
    spans: Vec<(Range<usize>, Style)>,
}

impl From<String> for Styled {
    fn from(text: String) -> Self {
        match safe_text::terminal(&text) {
            std::borrow::Cow::Borrowed(_) => Self { text, spans: Vec::new() },
            std::borrow::Cow::Owned(text) => Self { text, spans: Vec::new() },
        }
    }
}

impl From<&str> for Styled {
    fn from(text: &str) -> Self {
        Self { text: safe_text::terminal(text).into_owned(), spans: Vec::new() }
    }
}

impl Styled {
    /// Returns a text that has one style.
    pub(crate) fn new(style: impl Into<Option<Style>>, text: &str) -> Self {
        let mut made = Self::default();
        made.push(style, text);
        made
    }

    /// Appends a part.
    pub(crate) fn push(&mut self, style: impl Into<Option<Style>>, text: &str) {
        let start = self.text.len();
        self.text.push_str(&safe_text::terminal(text));
        if let Some(style) = style.into() {
            self.spans.push((start..self.text.len(), style));
        }
    }

    /// Appends another text with its styles.
    pub(crate) fn append(&mut self, other: &Self) {
        let shift = self.text.len();
        self.text.push_str(&other.text);
        let moved =
            |(span, style): &(Range<usize>, Style)| (span.start + shift..span.end + shift, *style);
        self.spans.extend(other.spans.iter().map(moved));
    }

    /// Appends a part and returns the whole.
    pub(crate) fn with(mut self, style: impl Into<Option<Style>>, text: &str) -> Self {
        self.push(style, text);
        self
    }

    /// Styles the words for which `choose` returns true, in a text without styles.
    pub(crate) fn mark_words(mut self, style: Style, choose: impl Fn(&str) -> bool) -> Self {
        let words = self.text.split_word_bound_indices().filter(|(_, word)| choose(word));
        self.spans = words.map(|(at, word)| (at..at + word.len(), style)).collect();
        self
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the width in columns.
    pub(crate) fn width(&self) -> usize {
        self.text.width()
    }

    /// Returns a part of the text as it is printed, with escape sequences if `color`.
    pub(crate) fn print(&self, part: &Range<usize>, color: bool) -> String {
        let slice = |range: Range<usize>| self.text.get(range).unwrap_or_default();
        if !color || self.spans.is_empty() {
            return slice(part.clone()).to_owned();
        }
        let (mut out, mut at) = (String::new(), part.start);
        for (span, style) in &self.spans {
            let (from, to) = (span.start.max(at), span.end.min(part.end));
            if from < to {
                out.push_str(slice(at..from));
                out.push_str(&painted(*style, slice(from..to)));
                at = to;
            }
        }
        out.push_str(slice(at..part.end));
        out
    }

    /// Returns the text as it is printed.
    pub(crate) fn whole(&self, color: bool) -> String {
        self.print(&(0..self.text.len()), color)
    }

    /// Breaks the text into lines of `width` columns, all but the first indented by `indent`.
    pub(crate) fn hanging(&self, width: usize, indent: usize, color: bool) -> Vec<String> {
        let indent = indent.min(width.saturating_sub(LEAST));
        let mut lines = broken(&self.text, width, width - indent).into_iter();
        let first = lines.next().map(|part| self.print(&part, color));
        let rest = lines.map(|part| format!("{:indent$}{}", "", self.print(&part, color)));
        first.into_iter().chain(rest).collect()
    }
}

/// Returns a text with the escape sequences of a style around it.
pub(crate) fn painted(style: Style, text: &str) -> String {
    format!("\u{1b}[{}m{text}\u{1b}[0m", style.code())
}

/// Breaks a text at spaces into parts of at most `first` columns, and `rest` after the first one. A
/// word that is wider than a line is broken between characters as people see them.
pub(crate) fn broken(text: &str, first: usize, rest: usize) -> Vec<Range<usize>> {
    let width = |range: Range<usize>| text.get(range).unwrap_or_default().width();
    let (mut lines, mut room) = (Vec::new(), first.max(1));
    // The line goes from `start` to `end`, the end of its last word.
    let (mut start, mut end) = (0, 0);
    let mut at = 0;
    for word in text.split(' ') {
        let word_end = at + word.len();
        if !word.is_empty() {
            let fits_alone = width(at..word_end) <= rest;
            if width(start..word_end) > room && end > start && fits_alone {
                lines.push(start..end);
                (start, room) = (at, rest.max(1));
            }
            while width(start..word_end) > room {
                let cut = start + prefix(text.get(start..word_end).unwrap_or_default(), room);
                let shown = text.get(start..cut).unwrap_or_default().trim_end().len();
                lines.push(start..start + shown);
                (start, room) = (cut, rest.max(1));
            }
            end = word_end;
        }
        at = word_end + 1;
    }
    if lines.is_empty() || start < end {
        lines.push(start..end);
    }
    lines
}

/// Returns the length in bytes of the longest beginning that is at most `room` columns wide, and at
/// least one character long. It ends after a slash, unless that leaves less than a quarter.
fn prefix(text: &str, room: usize) -> usize {
    let (mut used, mut end) = (0, 0);
    for grapheme in text.graphemes(true) {
        used += grapheme.width();
        if used > room && end > 0 {
            break;
        }
        end += grapheme.len();
    }
    let slash = text.get(..end).and_then(|part| part.rfind('/')).map(|at| at + 1);
    slash.filter(|slash| *slash > end / 4 && end < text.len()).unwrap_or(end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines(text: &str, first: usize, rest: usize) -> Vec<&str> {
        broken(text, first, rest).into_iter().map(|part| &text[part]).collect()
    }

    #[test]
    fn lines_end_at_words() {
        for (text, first, rest, want) in [
            ("", 10, 10, vec![""]),
            ("one two three", 80, 80, vec!["one two three"]),
            ("one two three", 7, 7, vec!["one two", "three"]),
            ("one two three", 3, 9, vec!["one", "two three"]),
            ("  one  two", 7, 7, vec!["  one", "two"]),
            ("one ", 3, 3, vec!["one"]),
            ("abcdefghij", 4, 4, vec!["abcd", "efgh", "ij"]),
            ("to abcdefghij z", 6, 4, vec!["to abc", "defg", "hij", "z"]),
            ("日本語 日本語", 6, 6, vec!["日本語", "日本語"]),
            ("日本語日本語", 5, 5, vec!["日本", "語日", "本語"]),
            // A combining mark stays with its letter, a family stays together.
            ("e\u{301}e\u{301}e\u{301}", 2, 2, vec!["e\u{301}e\u{301}", "e\u{301}"]),
            ("👩\u{200d}👩\u{200d}👧ab", 2, 2, vec!["👩\u{200d}👩\u{200d}👧", "ab"]),
            ("日本", 1, 1, vec!["日", "本"]),
            ("a path/to/the/file", 10, 10, vec!["a path/to/", "the/file"]),
        ] {
            assert_eq!(lines(text, first, rest), want, "{text:?} in {first} and {rest}");
        }
    }

    #[test]
    fn styles_go_on_in_the_next_line() {
        let text =
            Styled::new(Style::Label, "state").with(None, " of the ").with(Style::Bad, "long word");
        assert_eq!(text.whole(false), "state of the long word");
        assert_eq!(
            text.hanging(18, 2, true),
            [
                "\u{1b}[1mstate\u{1b}[0m of the \u{1b}[1;31mlong\u{1b}[0m",
                "  \u{1b}[1;31mword\u{1b}[0m"
            ]
            .map(str::to_owned)
        );
        let marked = Styled::from("Lock the berth.").mark_words(Style::Match, |it| it == "berth");
        assert_eq!(marked.whole(true), "Lock the \u{1b}[1;31mberth\u{1b}[0m.");
        assert_eq!(Styled::new(Style::Id, "a\u{1b}[2J").whole(false), "a\\u{1b}[2J");
    }

    proptest! {
        #[test]
        fn nothing_is_lost_or_too_wide(text in "[a-z é日 👍]{0,60}", first in 2..30_usize, rest in 2..30_usize) {
            let parts = lines(&text, first, rest);
            let kept: String = parts.concat().split(' ').collect();
            prop_assert_eq!(kept, text.split(' ').collect::<String>());
            for (number, line) in parts.iter().enumerate() {
                prop_assert!(line.width() <= if number == 0 { first } else { rest }, "{:?}", parts);
            }
        }
    }
}
