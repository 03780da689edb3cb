//! Validated text of several lines, for notes, logs and lists.

use super::{entry_text::TextError, private::without_private, safe_text, secret};

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
    fn texts() {
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
