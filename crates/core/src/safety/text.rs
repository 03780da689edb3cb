//! Validated texts: those of entries, and those of several lines for notes, logs and lists.

use crate::{
    markdown::topic,
    model::{entry::Markers, rules::LineAsides},
    safety::{
        safe_text::{self, without_private},
        secret,
    },
};

pub const MAX_CHARS: usize = 20_000;
/// Maximum number of bytes: a line that is longer would not be read.
const MAX_BYTES: usize = topic::MAX_LINE - 1024;

/// Text of an entry: one non-empty line without invisible characters or secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryText {
    text: String,
    markers: Markers,
}

/// The reason why a text cannot become an entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// Nothing is left of it.
    #[error("the text is empty")]
    Empty,
    /// Contains a character that is invisible, or that a terminal or model would interpret.
    #[error("the text contains {} (U+{:04X})", safe_text::describe(*.0), u32::from(*.0))]
    Unsafe(char),
    /// Contains a secret of this kind.
    #[error("the text contains what looks like {0}")]
    Secret(&'static str),
    /// Has this many characters.
    #[error("the text has {0} characters, and a memory 20,000 at most")]
    TooLong(usize),
}

impl EntryText {
    /// Replaces line breaks by spaces, removes `<private>…</private>`, and strips a pinned marker.
    ///
    /// # Errors
    /// If the rest is empty or too long, or contains invisible characters or a secret.
    pub fn new(raw: &str) -> Result<Self, TextError> {
        let open = without_private(raw);
        let folded = open.split(['\n', '\r', '\u{2028}', '\u{2029}', '\u{b}', '\u{c}']);
        let folded = folded.map(str::trim).filter(|line| !line.is_empty());
        let folded = folded.collect::<Vec<_>>().join(" ").replace('\t', " ");
        if let Some(bad) = safe_text::first_hazard(&folded) {
            return Err(TextError::Unsafe(bad));
        }
        if let Some(kind) = secret::find(&folded) {
            return Err(TextError::Secret(kind));
        }
        let (text, markers) = topic::split_markers(folded.trim());
        if text.is_empty() {
            return Err(TextError::Empty);
        }
        let chars = text.chars().count();
        if chars > MAX_CHARS || text.len() > MAX_BYTES {
            return Err(TextError::TooLong(chars));
        }
        Ok(Self { text: text.to_owned(), markers })
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns true if the text ended in the pinned marker.
    #[must_use]
    pub fn pinned(&self) -> bool {
        self.markers.pinned
    }

    #[must_use]
    pub fn markers(&self) -> Markers {
        self.markers.clone()
    }

    /// Returns what the text said behind itself that it is asked for as, and its rules.
    #[must_use]
    pub fn asides(&self) -> &LineAsides {
        &self.markers.asides
    }
}

/// Lines that are not all empty, without invisible characters or secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteText {
    lines: Vec<String>,
}

impl NoteText {
    /// Removes `<private>…</private>`, white space at line ends, and blank lines at both ends.
    ///
    /// # Errors
    /// If the rest is empty, or contains invisible characters or a secret.
    pub fn new(raw: &str) -> Result<Self, TextError> {
        let open = without_private(raw).replace('\t', "    ");
        let lines = open.split(['\n', '\u{2028}', '\u{2029}', '\u{b}', '\u{c}']);
        let mut lines: Vec<String> = lines.map(|line| line.trim_end().to_owned()).collect();
        let first = lines.iter().position(|line| !line.is_empty()).ok_or(TextError::Empty)?;
        lines.drain(..first);
        lines.truncate(lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1));
        if let Some(bad) = lines.iter().find_map(|line| safe_text::first_hazard(line)) {
            return Err(TextError::Unsafe(bad));
        }
        // A key may span several lines.
        if let Some(kind) = secret::find(&lines.join("\n")) {
            return Err(TextError::Secret(kind));
        }
        Ok(Self { lines })
    }

    /// The lines; the first and the last are not blank.
    #[must_use]
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// Returns the text as a list item that starts with `lead`, with later lines indented.
    #[must_use]
    pub fn item(&self, lead: &str) -> Vec<String> {
        let mut lines = self.lines.iter();
        let first = lines.next().map(|line| format!("- {lead}{}", line.trim_start()));
        let below = |line: &String| {
            if line.is_empty() { String::new() } else { format!("  {line}") }
        };
        first.into_iter().chain(lines.map(below)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_20_000_characters_at_most() {
        let text = |c: char, n: usize| c.to_string().repeat(n);
        assert!(EntryText::new(&text('x', MAX_CHARS)).is_ok());
        assert_eq!(EntryText::new(&text('x', MAX_CHARS + 1)), Err(TextError::TooLong(20_001)));
        // Within the limit, but its line would not be read.
        assert_eq!(EntryText::new(&text('𝕏', MAX_CHARS)), Err(TextError::TooLong(20_000)));
        let shown = TextError::TooLong(25_000).to_string();
        assert_eq!(shown, "the text has 25000 characters, and a memory 20,000 at most");
    }

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

    #[test]
    fn note_texts() {
        for (raw, want) in [
            ("  one", Ok(&["  one"][..])),
            ("\n\n- a \r\n\r\n\tb\n\n", Ok(&["- a", "", "    b"])),
            ("a <private>b\nc</private>d", Ok(&["a d"])),
            ("", Err(TextError::Empty)),
            (" \n\t\r\n", Err(TextError::Empty)),
            ("<private>x", Err(TextError::Empty)),
            ("a\nbell\u{7}", Err(TextError::Unsafe('\u{7}'))),
            ("red \u{1b}[31m", Err(TextError::Unsafe('\u{1b}'))),
        ] {
            let got = NoteText::new(raw);
            let got = got.as_ref().map(|text| text.lines().to_vec()).map_err(Clone::clone);
            let want = want.map(|lines| lines.iter().map(|line| (*line).to_owned()).collect());
            assert_eq!(got, want, "{raw:?}");
        }
        let key =
            "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n-----END RSA PRIVATE KEY-----";
        assert!(matches!(NoteText::new(key), Err(TextError::Secret(_))));
    }

    #[test]
    fn items() {
        let item = |raw: &str| NoteText::new(raw).unwrap().item("14:30 ").join("\n");
        assert_eq!(item("one"), "- 14:30 one");
        assert_eq!(item("  one\n\n  two"), "- 14:30 one\n\n    two");
    }
}
