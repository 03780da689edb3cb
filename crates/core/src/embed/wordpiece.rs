//! BERT's uncased `WordPiece` tokenizer (Devlin et al. 2019), over any vocabulary.
//!
//! Gives the same pieces as the `tokenizers` crate with that model's settings: text is cleaned,
//! lower-cased and stripped of accents, CJK characters and punctuation stand alone, and each word
//! is split into the longest known pieces.

use unicode_categories::UnicodeCategories;
use unicode_normalization_alignments::UnicodeNormalization;

/// Longer words are unknown as a whole.
const MAX_CHARS: usize = 100;

/// A set of known pieces.
pub trait Vocabulary {
    /// Returns the longest known piece that `rest` starts with: its number, and its length in
    /// bytes. `inner` is true if `rest` is not the whole word.
    fn longest(&self, rest: &str, inner: bool) -> Option<(u32, usize)>;
    /// The number of the unknown word.
    fn unknown(&self) -> u32;
}

/// Calls `emit` with the number of each piece of `text`.
pub fn pieces(text: &str, vocabulary: &impl Vocabulary, mut emit: impl FnMut(u32)) {
    let mut found = Vec::new();
    words(text, |word| {
        found.clear();
        cut(word, vocabulary, &mut found);
        for piece in &found {
            emit(*piece);
        }
    });
}

/// Calls `emit` with each normalised word of `text`.
pub fn words(text: &str, mut emit: impl FnMut(&str)) {
    let mut word = String::new();
    let mut end = |word: &mut String| {
        if !word.is_empty() {
            emit(word);
            word.clear();
        }
    };
    let mut push = |c: char| {
        if c.is_whitespace() {
            end(&mut word);
        } else if is_punctuation(c) || is_cjk(c) {
            end(&mut word);
            word.push(c);
            end(&mut word);
        } else {
            word.push(c);
        }
    };
    if text.is_ascii() {
        for byte in text.bytes() {
            match byte {
                b'\t' | b'\n' | b'\r' => push(' '),
                0..32 | 127 => {}
                _ => push(char::from(byte.to_ascii_lowercase())),
            }
        }
    } else {
        let clean = text.chars().filter_map(clean);
        for (c, _) in clean.nfd() {
            if !c.is_mark_nonspacing() {
                c.to_lowercase().for_each(&mut push);
            }
        }
    }
    push(' ');
}

/// Appends the pieces of a word to `found`; only the unknown piece if the word is too long or not
/// fully known.
pub fn cut(word: &str, vocabulary: &impl Vocabulary, found: &mut Vec<u32>) {
    let first = found.len();
    let mut rest = word;
    let mut known = word.len() <= MAX_CHARS || word.chars().count() <= MAX_CHARS;
    while known && !rest.is_empty() {
        let longest = vocabulary.longest(rest, rest.len() < word.len());
        let after = longest.and_then(|(_, length)| rest.get(length.max(1)..));
        known = after.is_some();
        found.extend(longest.map(|(piece, _)| piece));
        rest = after.unwrap_or_default();
    }
    if !known {
        found.truncate(first);
        found.push(vocabulary.unknown());
    }
}

/// Maps white space to a space, and removes characters that are not text.
fn clean(c: char) -> Option<char> {
    match c {
        '\t' | '\n' | '\r' => Some(' '),
        '\0' | '\u{fffd}' => None,
        c if c.is_other() => None,
        c if c.is_whitespace() => Some(' '),
        c => Some(c),
    }
}

fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation() || (!c.is_ascii() && c.is_punctuation())
}

/// The ranges of ideographs that BERT treats as separate words.
fn is_cjk(c: char) -> bool {
    matches!(
        u32::from(c),
        0x4E00..=0x9FFF
            | 0x3400..=0x4DBF
            | 0x20000..=0x2A6DF
            | 0x2A700..=0x2B73F
            | 0x2B740..=0x2B81F
            | 0x2B920..=0x2CEAF
            | 0xF900..=0xFAFF
            | 0x2F800..=0x2FA1F
    )
}
