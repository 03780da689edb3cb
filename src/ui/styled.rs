//! Text with styles, and how it is broken into lines that fit a terminal.

use std::{borrow::Cow, ops::Range};

use pimem_core::safety::safe_text;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Fewest columns that are left for text beside an indent.
const LEAST: usize = 16;

/// The mark after a styled word. Like the marks before one it is a bidirectional control: these have
/// no width, and what is safe to print has none of them.
const END: char = '\u{2069}';

/// What a part of a text is, which decides its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// Names of fields and columns.
    Label,
    Id,
    /// In use, added, better.
    Good,
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
    const ALL: [Self; 8] = [
        Self::Label,
        Self::Id,
        Self::Good,
        Self::New,
        Self::Warn,
        Self::Bad,
        Self::Faint,
        Self::Match,
    ];

    /// Returns the mark before a word of this style.
    fn mark(self) -> char {
        match self {
            Self::Label => '\u{202a}',
            Self::Id => '\u{202b}',
            Self::Good => '\u{202c}',
            Self::New => '\u{202d}',
            Self::Warn => '\u{202e}',
            Self::Bad => '\u{2066}',
            Self::Faint => '\u{2067}',
            Self::Match => '\u{2068}',
        }
    }

    /// Returns the style of a state, or of the annotation that stands for it.
    pub(crate) fn of_state(word: &str) -> Option<Self> {
        match word {
            "active" | "pinned" => Some(Self::Good),
            "fresh" => Some(Self::New),
            "unreviewed" => Some(Self::Warn),
            "dropped" | "forgotten" | "expired" | "replaced" => Some(Self::Faint),
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
            Cow::Borrowed(_) => Self { text, spans: Vec::new() },
            Cow::Owned(text) => Self { text, spans: Vec::new() },
        }
    }
}

impl From<&str> for Styled {
    fn from(text: &str) -> Self {
        Self { text: safe_text::terminal(text).into_owned(), spans: Vec::new() }
    }
}

impl Styled {
    pub(crate) fn new(style: impl Into<Option<Style>>, text: &str) -> Self {
        let mut made = Self::default();
        made.push(style, text);
        made
    }

    pub(crate) fn push(&mut self, style: impl Into<Option<Style>>, text: &str) {
        let start = self.text.len();
        self.text.push_str(&safe_text::terminal(text));
        if let Some(style) = style.into() {
            self.spans.push((start..self.text.len(), style));
        }
    }

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
        if color { self.drawn(part, painted) } else { self.slice(part.clone()).to_owned() }
    }

    /// Returns a part of the text with a mark before and after each styled word, for a layout that
    /// counts escape sequences as text. [`unmarked`] turns the marks into styles.
    pub(crate) fn marked(&self, part: &Range<usize>) -> String {
        self.drawn(part, |style, text| {
            let words = text.split(' ').map(|word| match word {
                "" => String::new(),
                word => format!("{}{word}{END}", style.mark()),
            });
            words.collect::<Vec<_>>().join(" ")
        })
    }

    /// Returns a part of the text, styled by `paint`.
    fn drawn(&self, part: &Range<usize>, paint: impl Fn(Style, &str) -> String) -> String {
        let (mut out, mut at) = (String::new(), part.start);
        for (span, style) in &self.spans {
            let (from, to) = (span.start.max(at), span.end.min(part.end));
            if from < to {
                out.push_str(self.slice(at..from));
                out.push_str(&paint(*style, self.slice(from..to)));
                at = to;
            }
        }
        out.push_str(self.slice(at..part.end));
        out
    }

    fn slice(&self, part: Range<usize>) -> &str {
        self.text.get(part).unwrap_or_default()
    }

    /// Returns the text with each word that is wider than `width` columns shortened to it, the last
    /// column showing an ellipsis.
    pub(crate) fn shortened(&self, width: usize) -> Cow<'_, Self> {
        let (mut made, mut at) = (Self::default(), 0);
        for word in words(&self.text) {
            if self.slice(word.clone()).width() > width {
                let cut = word.start + prefix(self.slice(word.clone()), width.saturating_sub(1));
                made.append(&self.part(at..cut));
                made.push(None, "…");
                at = word.end;
            }
        }
        if at == 0 {
            return Cow::Borrowed(self);
        }
        made.append(&self.part(at..self.text.len()));
        Cow::Owned(made)
    }

    /// Returns a part of the text with its styles.
    fn part(&self, part: Range<usize>) -> Self {
        let within = |(span, style): &(Range<usize>, Style)| {
            let (from, to) = (span.start.max(part.start), span.end.min(part.end));
            (from < to).then(|| (from - part.start..to - part.start, *style))
        };
        let spans = self.spans.iter().filter_map(within).collect();
        Self { text: self.slice(part.clone()).to_owned(), spans }
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

/// Replaces the marks of [`Styled::marked`] by escape sequences.
pub(crate) fn unmarked(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for c in line.chars() {
        match Style::ALL.into_iter().find(|style| style.mark() == c) {
            Some(style) => out.extend(["\u{1b}[", style.code(), "m"]),
            None if c == END => out.push_str("\u{1b}[0m"),
            None => out.push(c),
        }
    }
    out
}

/// Breaks a text between words into parts of at most `first` columns, and `rest` after the first one.
/// A word that is wider than a line stays whole on a line of its own.
pub(crate) fn broken(text: &str, first: usize, rest: usize) -> Vec<Range<usize>> {
    let (mut lines, mut room) = (Vec::new(), first);
    // The line goes from `start` to `end`, the end of its last word.
    let (mut start, mut end) = (0, 0);
    for word in words(text) {
        let width = text.get(start..word.end).unwrap_or_default().width();
        if width > room && end > start {
            lines.push(start..end);
            (start, room) = (word.start, rest);
        }
        end = word.end;
    }
    if lines.is_empty() || start < end {
        lines.push(start..end);
    }
    lines
}

/// Returns the parts of a text that are not broken: words between spaces, and within these what
/// stands between wide characters, as scripts that have them use no spaces.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut graphemes = text.grapheme_indices(true).peekable();
    std::iter::from_fn(move || {
        while graphemes.next_if(|(_, it)| *it == " ").is_some() {}
        let (start, first) = graphemes.next()?;
        let (mut end, mut is_wide) = (start + first.len(), first.width() > 1);
        while let Some((at, it)) = graphemes.next_if(|(_, it)| {
            let follows = *it != " " && !is_wide && it.width() <= 1;
            is_wide = it.width() > 1;
            follows
        }) {
            end = at + it.len();
        }
        Some(start..end)
    })
}

/// Returns the length in bytes of the longest beginning that is at most `room` columns wide, and at
/// least one character as people see them.
fn prefix(text: &str, room: usize) -> usize {
    let (mut used, mut end) = (0, 0);
    for grapheme in text.graphemes(true) {
        used += grapheme.width();
        if used > room && end > 0 {
            break;
        }
        end += grapheme.len();
    }
    end
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
            ("abcdefghij", 4, 4, vec!["abcdefghij"]),
            ("to abcdefghij z", 6, 4, vec!["to", "abcdefghij", "z"]),
            ("日本語 日本語", 6, 6, vec!["日本語", "日本語"]),
            ("日本語日本語", 5, 5, vec!["日本", "語日", "本語"]),
            // A combining mark stays with its letter, a family stays together.
            ("e\u{301}e\u{301} e\u{301}", 2, 2, vec!["e\u{301}e\u{301}", "e\u{301}"]),
            ("👩\u{200d}👩\u{200d}👧ab", 2, 2, vec!["👩\u{200d}👩\u{200d}👧", "ab"]),
            ("日本", 1, 1, vec!["日", "本"]),
            ("日本語PostgreSQL語", 8, 8, vec!["日本語", "PostgreSQL", "語"]),
            ("a path/to/the/file b", 10, 10, vec!["a", "path/to/the/file", "b"]),
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
                let fits = line.width() <= if number == 0 { first } else { rest };
                prop_assert!(fits || words(line).count() == 1, "{:?}", parts);
            }
            let short = Styled::from(text.as_str()).shortened(rest).into_owned();
            prop_assert_eq!(words(&short.text).count(), words(&text).count());
            for part in lines(&short.text, rest, rest) {
                prop_assert!(part.trim_start().width() <= rest, "{:?} in {}", part, rest);
            }
        }
    }
}
