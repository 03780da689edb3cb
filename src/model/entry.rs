//! Entries: one remembered line each, and the id that names it.

use std::{fmt, str::FromStr};

use super::{category::CategoryId, hash::fnv1a64, hex};
use crate::text::{line, safe, secret};

/// 64-bit FNV-1a of the canonical line `- [category] text`; 16 lower-case hex digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct EntryId(pub u64);

impl EntryId {
    /// The id of an entry. `text` is bytes, so that a line in a foreign encoding has an id too.
    #[must_use]
    pub fn of(category: &str, text: &[u8]) -> Self {
        Self(fnv1a64(&[b"- [", category.as_bytes(), b"] ", text]))
    }

    /// Reads 16 digits, letters in lower case.
    #[must_use]
    pub fn read(text: &[u8]) -> Option<Self> {
        hex::read_half(text).map(Self)
    }
}

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl FromStr for EntryId {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::read(text.as_bytes()).ok_or(())
    }
}

/// An entry by its text. Ids find entries, but two texts can be made to have the same one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Wording {
    /// The id.
    pub id: EntryId,
    /// The category.
    pub category: CategoryId,
    /// The text, without markers.
    pub text: String,
}

/// Markers behind an entry's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Markers {
    /// `*(pinned)*`: never fades.
    pub pinned: bool,
    /// `*(enforced)*`: written by other tools, kept, never written here.
    pub enforced: bool,
}

impl Markers {
    /// Whether there is any.
    #[must_use]
    pub fn any(self) -> bool {
        self.pinned || self.enforced
    }
}

/// Text that may become an entry: one line, not empty, nothing invisible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryText {
    text: String,
    pinned: bool,
}

/// Why a text cannot become an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextError {
    /// Nothing is left of it.
    Empty,
    /// It holds a character that a terminal or a model would act on, or that nobody sees.
    Unsafe(char),
    /// It holds a secret of this kind.
    Secret(&'static str),
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the text is empty"),
            Self::Unsafe(c) => {
                write!(f, "the text contains {} (U+{:04X})", safe::describe(*c), u32::from(*c))
            }
            Self::Secret(kind) => write!(f, "the text contains what looks like {kind}"),
        }
    }
}

impl EntryText {
    /// Folds line breaks to spaces, drops `<private>…</private>`, takes a pinned marker off.
    ///
    /// # Errors
    /// When nothing is left, or what is left holds invisible characters or a secret.
    pub fn new(raw: &str) -> Result<Self, TextError> {
        let open = without_private(raw);
        let folded = open.split(['\n', '\r', '\u{2028}', '\u{2029}', '\u{b}', '\u{c}']);
        let folded = folded.map(str::trim).filter(|line| !line.is_empty());
        let folded = folded.collect::<Vec<_>>().join(" ").replace('\t', " ");
        if let Some(bad) = safe::first_hazard(&folded) {
            return Err(TextError::Unsafe(bad));
        }
        if let Some(kind) = secret::find(&folded) {
            return Err(TextError::Secret(kind));
        }
        let (text, markers) = line::split_markers(folded.trim());
        if text.is_empty() {
            return Err(TextError::Empty);
        }
        Ok(Self { text: text.to_owned(), pinned: markers.pinned })
    }

    /// The text itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether the text ended in the pinned marker.
    #[must_use]
    pub fn pinned(&self) -> bool {
        self.pinned
    }
}

/// `raw` without `<private>…</private>`; an unclosed span runs to the end, so that nothing private
/// is kept because of a typing mistake.
pub(crate) fn without_private(raw: &str) -> String {
    const OPEN: &str = "<private>";
    const CLOSE: &str = "</private>";
    let mut kept = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((before, inside)) = rest.split_once(OPEN) {
        kept.push_str(before);
        rest = inside.split_once(CLOSE).map_or("", |(_, after)| after);
        if kept.ends_with(' ') {
            rest = rest.trim_start_matches(' ');
        }
    }
    kept.push_str(rest);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        for (raw, want) in [
            ("  use   tabs ", Ok("use   tabs")),
            ("two\nlines\r\nhere", Ok("two lines here")),
            ("a <private>b</private> c", Ok("a c")),
            ("a <private>b", Ok("a")),
            ("<private>b</private>", Err(TextError::Empty)),
            (" \n ", Err(TextError::Empty)),
            ("*(pinned)*", Ok("*(pinned)*")),
            ("x *(pinned)*", Ok("x")),
            ("bell\u{7}", Err(TextError::Unsafe('\u{7}'))),
            ("red \u{1b}[31m", Err(TextError::Unsafe('\u{1b}'))),
            ("bidi \u{202e}x", Err(TextError::Unsafe('\u{202e}'))),
            ("family 👨‍👩‍👧 é", Ok("family 👨‍👩‍👧 é")),
        ] {
            let got = EntryText::new(raw).map(|text| text.as_str().to_owned());
            assert_eq!(got, want.map(str::to_owned), "{raw:?}");
        }
    }
}
