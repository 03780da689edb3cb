//! Vectors of texts by a BERT encoder, whose arithmetic is in the crate `pimem_encoder`, and the word
//! pieces that it reads.

use std::collections::HashMap;

use pimem_encoder::Encoder;
use sha2::{Digest, Sha256};
use unicode_categories::UnicodeCategories;
use unicode_normalization_alignments::UnicodeNormalization;

use super::{
    catalog::Pooling,
    table::{self, CLS, SEP, UNKNOWN},
};
use crate::model::hash;
pub use pimem_encoder::{
    Level,
    pack::{Hash, Pack, PackError, PackPooling as PackedPooling, Shape},
    packer::{Original, pack},
};

/// Hash of the vocabulary of the built-in table, BERT's uncased one.
pub const VOCABULARY: Hash = table::VOCABULARY;

/// The tokens of the built-in table that mark a text.
const MARKS: Marks = Marks { unknown: UNKNOWN, start: CLS, end: SEP };

/// An encoder with its vocabulary.
#[derive(Debug)]
pub struct Transformer<'a> {
    encoder: Encoder<'a>,
    /// `None` for the vocabulary of the built-in table.
    pieces: Option<&'a Pieces>,
}

impl<'a> Transformer<'a> {
    /// Reads packed weights in the vocabulary of the built-in table. Most of them are read only
    /// when they are used.
    ///
    /// # Errors
    /// If they are of another format or vocabulary, or not complete.
    pub fn new(weights: &'a [u8]) -> Result<Self, PackError> {
        Self::with_pieces(weights, &table::VOCABULARY, None)
    }

    /// Reads packed weights in a vocabulary with this hash, which is that of the built-in table
    /// without `pieces`.
    ///
    /// # Errors
    /// If they are of another format or vocabulary, or not complete.
    pub fn with_pieces(
        weights: &'a [u8],
        vocabulary: &Hash,
        pieces: Option<&'a Pieces>,
    ) -> Result<Self, PackError> {
        Ok(Self { encoder: Encoder::new(Pack::read(weights, vocabulary)?), pieces })
    }

    /// Checks all weights.
    ///
    /// # Errors
    /// If some are damaged.
    pub fn verify(&self) -> Result<(), PackError> {
        self.encoder.pack().verify()
    }

    /// Returns a text that differs between any two sets of weights.
    #[must_use]
    pub fn revision(&self) -> String {
        hash::write_hex(&self.encoder.pack().revision())
    }

    #[must_use]
    pub fn dimension(&self) -> usize {
        self.encoder.pack().shape.hidden
    }

    #[must_use]
    pub fn pooling(&self) -> Pooling {
        match self.encoder.pack().shape.pooling {
            PackedPooling::Mean => Pooling::Mean,
            PackedPooling::First => Pooling::Cls,
        }
    }

    /// Returns the maximum number of tokens of a text; later ones have no influence.
    #[must_use]
    pub fn max_tokens(&self) -> usize {
        self.encoder.pack().shape.positions
    }

    /// Returns a vector of length 1 for each text by its first `limit` tokens; all zeros for a text
    /// without a known word. `level` is the instruction set to use, which has no influence on the
    /// result.
    #[must_use]
    pub fn embed(&self, level: Level, texts: &[&str], limit: usize) -> Vec<Vec<f32>> {
        let limit = limit.min(self.max_tokens());
        let tokens = |text: &&str| match self.pieces {
            Some(pieces) => tokens(text, limit, pieces, pieces.marks),
            None => tokens(text, limit, &table::vocabulary(), MARKS),
        };
        let texts: Vec<Vec<u16>> = texts.iter().map(tokens).collect();
        self.encoder.embed(level, &texts)
    }
}

/// Returns the tokens of a text between their two marks, at most `limit` in all. Empty if no word
/// of the text is known: nothing is known of its meaning.
fn tokens(text: &str, limit: usize, vocabulary: &impl Vocabulary, marks: Marks) -> Vec<u16> {
    let mut tokens = vec![marks.start];
    // No token spans white space, so that a long text need not be read to its end.
    for word in text.split([' ', '\t', '\n', '\r']) {
        if tokens.len() >= limit {
            break;
        }
        pieces(word, vocabulary, |token| {
            tokens.push(u16::try_from(token).unwrap_or(marks.unknown));
        });
    }
    tokens.truncate(limit.saturating_sub(1));
    if tokens.iter().skip(1).all(|token| *token == marks.unknown) {
        return Vec::new();
    }
    tokens.push(marks.end);
    tokens
}

/// Start of a piece that continues a word.
const INNER: &str = "##";

/// The tokens that a text needs besides its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marks {
    pub unknown: u16,
    /// `[CLS]`, the start of a text.
    pub start: u16,
    /// `[SEP]`, the end of a text.
    pub end: u16,
}

/// Known pieces, by whether they start or continue a word.
#[derive(Debug)]
pub struct Pieces {
    whole: HashMap<Box<str>, u16>,
    inner: HashMap<Box<str>, u16>,
    /// Length of the longest piece in bytes.
    longest: usize,
    pub marks: Marks,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PiecesError {
    #[error("has no {0}")]
    Lacks(&'static str),
    #[error("has {0} pieces, and at most {max} are supported", max = 1 << 16)]
    TooMany(usize),
    #[error("has a piece with a line feed")]
    LineFeed,
}

impl Pieces {
    /// Creates a vocabulary of pieces in the order of their numbers.
    ///
    /// # Errors
    /// If there are too many, or one that every text needs is missing.
    pub fn new(pieces: &[impl AsRef<str>]) -> Result<Self, PiecesError> {
        let (mut whole, mut inner, mut longest) = (HashMap::new(), HashMap::new(), 0);
        for (number, piece) in pieces.iter().map(AsRef::as_ref).enumerate() {
            let number = u16::try_from(number).map_err(|_| PiecesError::TooMany(pieces.len()))?;
            if piece.contains('\n') {
                return Err(PiecesError::LineFeed);
            }
            longest = longest.max(piece.len());
            match piece.strip_prefix(INNER).filter(|rest| !rest.is_empty()) {
                Some(rest) => inner.insert(rest.into(), number),
                None => whole.insert(piece.into(), number),
            };
        }
        let mark = |name| whole.get(name).copied().ok_or(PiecesError::Lacks(name));
        let marks = Marks { unknown: mark("[UNK]")?, start: mark("[CLS]")?, end: mark("[SEP]")? };
        Ok(Self { whole, inner, longest, marks })
    }
}

/// Returns the hash of a vocabulary by which packed weights name it.
#[must_use]
pub fn hash(pieces: &[impl AsRef<str>]) -> Hash {
    let mut hash = Sha256::new();
    for piece in pieces {
        hash.update(piece.as_ref());
        hash.update("\n");
    }
    hash.finalize().into()
}

impl Vocabulary for Pieces {
    fn longest(&self, rest: &str, inner: bool) -> Option<(u32, usize)> {
        let known = if inner { &self.inner } else { &self.whole };
        (1..=rest.len().min(self.longest)).rev().find_map(|length| {
            let number = known.get(rest.get(..length)?)?;
            Some((u32::from(*number), length))
        })
    }

    fn unknown(&self) -> u32 {
        self.marks.unknown.into()
    }
}

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

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use serde::Deserialize;

    use super::*;

    fn tokens(text: &str, limit: usize) -> Vec<u16> {
        super::tokens(text, limit, &table::vocabulary(), MARKS)
    }

    #[derive(Deserialize)]
    struct Golden {
        text: String,
        pieces: Vec<u16>,
    }

    /// Texts and their tokens by the tokenizer of all-MiniLM-L6-v2.
    #[test]
    fn golden() {
        let golden = include_str!("../../../../models/minilm-l6-v2/golden.json");
        let golden: Vec<Golden> = serde_json::from_str(golden).unwrap();
        assert!(golden.len() >= 60);
        for Golden { text, pieces } in golden {
            let words = &pieces[1..pieces.len() - 1];
            let known = words.iter().any(|piece| *piece != UNKNOWN);
            assert_eq!(tokens(&text, 256), if known { pieces } else { vec![] }, "{text:?}");
        }
    }

    #[test]
    fn texts_that_say_nothing() {
        for text in ["", " \n\t", "🚀", "🎉 👍🏽 🚀", "\u{0}\u{1}", &"y".repeat(101)] {
            assert!(tokens(text, 256).is_empty(), "{text:?}");
        }
        assert_eq!(tokens("🚀 launch", 256), [CLS, UNKNOWN, 4888, SEP]);
    }

    #[test]
    fn the_beginning_of_a_long_text_counts() {
        let words: Vec<String> = (0..10_000).map(|number| format!("word{number}")).collect();
        let long = tokens(&words.join(" "), 256);
        assert_eq!((long.len(), long.last()), (256, Some(&SEP)));
        assert_eq!(tokens(&words[..300].join(" "), 256), long);
        assert_eq!(tokens("one two three four", 4).len(), 4);
        assert!(tokens(&"x".repeat(1_000_000), 256).is_empty());
    }

    #[test]
    fn the_weights_of_minilm() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let weights = fs::read(root.join("models/minilm-l6-v2/minilm.pack")).unwrap();
        let model = Transformer::new(&weights).unwrap();
        assert_eq!((model.dimension(), model.max_tokens()), (384, 256));
        assert_eq!((model.pooling(), model.revision().len()), (Pooling::Mean, 16));
        let texts =
            ["which database do we use", "We chose PostgreSQL", "Prefer tabs over spaces", ""];
        let vectors = model.embed(Level::new(), &texts, usize::MAX);
        let cosine = |a: usize, b: usize| -> f32 {
            vectors[a].iter().zip(&vectors[b]).map(|(a, b)| a * b).sum()
        };
        assert!((cosine(0, 0) - 1.0).abs() < 1e-5 && cosine(3, 3) < 1e-5);
        assert!(cosine(0, 1) > 0.4 && cosine(0, 2) < 0.2, "{} {}", cosine(0, 1), cosine(0, 2));
        assert_eq!(
            Transformer::new(&weights[..9]).err(),
            Some(PackError::Truncated { found: 9, expected: 128 })
        );
    }
}

#[cfg(test)]
mod pieces_tests {
    use super::*;

    const LIST: [&str; 9] = ["[UNK]", "[CLS]", "[SEP]", "data", "##base", "##b", "#", "für", "d"];

    #[test]
    fn the_longest_piece_is_taken() {
        let pieces = Pieces::new(&LIST).unwrap();
        assert_eq!(pieces.marks, Marks { unknown: 0, start: 1, end: 2 });
        let cut = |text: &str| {
            let mut found = Vec::new();
            super::pieces(text, &pieces, |piece| found.push(piece));
            found
        };
        assert_eq!(cut("database Data datab"), [3, 4, 3, 3, 5]);
        assert_eq!(cut("base dx ##base"), [0, 0, 6, 6, 0]);
        assert_eq!(cut("[CLS]"), [0, 0, 0]);
        assert_eq!(pieces.longest("für", false), Some((7, 4)));
    }

    #[test]
    fn lists_that_are_none() {
        let many: Vec<String> = (0..=1 << 16).map(|number| number.to_string()).collect();
        for (list, want) in [
            (&LIST[1..], PiecesError::Lacks("[UNK]")),
            (&LIST[..2], PiecesError::Lacks("[SEP]")),
            (&["a\nb"], PiecesError::LineFeed),
        ] {
            assert_eq!(Pieces::new(list).unwrap_err(), want);
        }
        assert_eq!(Pieces::new(&many).unwrap_err(), PiecesError::TooMany(65_537));
        assert_ne!(hash(&["a", "b"]), hash(&["ab"]));
    }
}
