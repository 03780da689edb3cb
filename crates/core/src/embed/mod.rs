//! Embedding: converts texts to vectors by a model or the built-in table. Pure.

use std::borrow::Cow;

pub mod catalog;
pub mod table;
pub mod transformer;
pub mod vector;

/// Returns the part of a text that is embedded: all but tags of the form `#key:value`, which state
/// its origin and not its subject.
#[must_use]
pub fn passage(text: &str) -> Cow<'_, str> {
    let is_label = |word: &str| word.starts_with('#') && word.contains(':');
    if text.split_whitespace().any(is_label) {
        let words: Vec<&str> = text.split_whitespace().filter(|word| !is_label(word)).collect();
        return Cow::Owned(words.join(" "));
    }
    Cow::Borrowed(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_left_out() {
        assert_eq!(passage("Use tabs #style"), "Use tabs #style");
        assert_eq!(passage("Use tabs #source:user in Go"), "Use tabs in Go");
    }
}
