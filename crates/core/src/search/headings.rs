//! The headings above a document and the name of its topic, whose words count as its own for BM25.
//!
//! They are no part of its text: they are not shown, and count neither for its length nor its
//! vector.

use std::collections::HashSet;

use super::{documents::SourceKind, tokens::Tokenizer};

/// Returns the name of a file if it tells what its documents are about: that of a topic.
#[must_use]
pub(super) fn subject(kind: SourceKind, name: &str) -> &str {
    let stem = name.rsplit('/').next().and_then(|name| name.strip_suffix(".md"));
    match kind {
        SourceKind::Topic | SourceKind::Archive => stem.unwrap_or_default(),
        _ => "",
    }
}

/// Returns the headings that tell more than the name of the file, such as the date of a log.
pub(super) fn join<'a>(
    name: &str,
    subject: &str,
    titles: impl Iterator<Item = &'a [u8]>,
) -> String {
    let stem = name.rsplit('/').next().unwrap_or_default().trim_end_matches(".md");
    let mut joined = subject.to_owned();
    for title in titles.filter(|title| !title.eq_ignore_ascii_case(stem.as_bytes())) {
        if !joined.is_empty() {
            joined.push('\n');
        }
        joined.push_str(&String::from_utf8_lossy(title));
    }
    joined
}

/// The distinct tokens of headings, kept because documents beside each other have the same.
pub struct HeadingTokens<T> {
    headings: String,
    found: Vec<T>,
}

impl<T> Default for HeadingTokens<T> {
    fn default() -> Self {
        Self { headings: String::new(), found: Vec::new() }
    }
}

impl<T> HeadingTokens<T> {
    /// Returns what `keep` makes of each distinct token of `headings`.
    pub fn of(
        &mut self,
        headings: &str,
        tokenizer: &mut Tokenizer,
        keep: impl Fn(&str) -> Option<T>,
    ) -> &[T] {
        if self.headings != headings {
            headings.clone_into(&mut self.headings);
            self.found.clear();
            let mut seen = HashSet::new();
            tokenizer.each(headings, |token, _| {
                if seen.insert(token.to_owned()) {
                    self.found.extend(keep(token));
                }
            });
        }
        &self.found
    }
}
