//! Texts to vectors: models, the built-in table, and vectors themselves. Pure.

use std::borrow::Cow;

pub mod calibrate;
pub mod catalog;
pub mod model;
pub mod table;
pub mod vector;
pub mod wordpiece;

/// What of a text is embedded: all but tags of the form `#key:value`, which say where it is from
/// and not what it is about.
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
