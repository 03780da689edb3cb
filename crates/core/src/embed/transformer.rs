//! Vectors of texts by a BERT encoder, whose arithmetic is in the crate `pimem_encoder`.

use pimem_encoder::{Encoder, pack};
pub use pimem_encoder::{
    Level,
    pack::{Hash, Pack, PackError, Pooling as PackedPooling, Shape},
    packer::{Original, pack},
};

use super::{
    model::Pooling,
    pieces::{Marks, Pieces},
    table::{self, CLS, SEP, UNKNOWN},
    wordpiece::{self, Vocabulary},
};
use crate::model::hex;

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
        hex::write(&self.encoder.pack().revision())
    }

    #[must_use]
    pub fn dimension(&self) -> usize {
        self.encoder.pack().shape.hidden
    }

    #[must_use]
    pub fn pooling(&self) -> Pooling {
        match self.encoder.pack().shape.pooling {
            pack::Pooling::Mean => Pooling::Mean,
            pack::Pooling::First => Pooling::Cls,
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
        wordpiece::pieces(word, vocabulary, |token| {
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
