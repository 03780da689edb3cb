//! The built-in model: a table of token vectors, which are summed.
//!
//! The table is data in the binary (`models/static-384/`, where `pack.py` describes its layout);
//! only the pages of a text's own tokens are loaded.

use std::collections::HashMap;

use pimem_encoder::pack::Hash;

use super::{
    catalog::{Embedder, Model, Pooling, STATIC, TextRole, Unavailable},
    transformer::{self, Vocabulary},
    vector::normalize,
};
use crate::model::hash::{fnv1a64, fnv1a64_more};

pub const DIMENSION: usize = 384;
const ROW: usize = DIMENSION / 2 + 2;
const HEADER: usize = 24;
/// `[UNK]`, an unknown word.
pub(super) const UNKNOWN: u16 = 100;
/// `[CLS]`, the start of a text for BERT.
pub(super) const CLS: u16 = 101;
/// `[SEP]`, the end of a text for BERT.
pub(super) const SEP: u16 = 102;
/// SHA-256 of the vocabulary, BERT's uncased one: its pieces, each followed by a line feed.
pub(super) const VOCABULARY: Hash = [
    0x07, 0xec, 0xed, 0x37, 0x5c, 0xec, 0x14, 0x4d, 0x27, 0xc9, 0x00, 0x24, 0x1f, 0x3e, 0x33, 0x94,
    0x78, 0xde, 0xc9, 0x58, 0xf9, 0x2f, 0xdd, 0xbc, 0x55, 0x1f, 0x29, 0x5c, 0x99, 0x20, 0x38, 0xa3,
];
/// Length of the longest token in bytes.
const LONGEST: usize = 24;

static TABLE: &[u8] = include_bytes!("../../../../models/static-384/table.bin");

/// The model's name, as in `embedding.model`.
pub const NAME: &str = "static";

#[must_use]
pub fn model() -> Model {
    Model {
        id: NAME.to_owned(),
        revision: "384-int4".to_owned(),
        dimension: DIMENSION,
        pooling: Pooling::Sum,
        query_prefix: String::new(),
        passage_prefix: String::new(),
        thresholds: STATIC,
    }
}

/// Returns the vector of a text: the sum of its token vectors, scaled to length 1. All zeros for a
/// text without tokens.
#[must_use]
pub fn embed(text: &str) -> Vec<f32> {
    let mut sum = vec![0.0; DIMENSION];
    add(text, 1.0, &mut sum);
    normalize(&mut sum);
    sum
}

/// Adds the token vectors of a text to `sum`, multiplied by `weight`.
pub fn add(text: &str, weight: f32, sum: &mut [f32]) {
    let table = Table::new(TABLE);
    transformer::pieces(text, &table, |token| table.add(token, weight, sum));
}

/// Returns how well the table knows a word, 0 to 1: 1 if one piece is at least half of the word.
/// Letters and fragments have the meaning of other words, and unknown characters have none.
#[must_use]
pub fn knows(word: &str) -> f32 {
    let table = Table::new(TABLE);
    let (mut longest, mut all) = (0, 0);
    transformer::pieces(word, &table, |token| {
        let text = table.token(token);
        let length = text.strip_prefix(b"##").unwrap_or(text).len();
        longest = longest.max(if token == table.unknown() { 0 } else { length });
        all += length;
    });
    (2 * longest).min(all) as f32 / all.max(1) as f32
}

/// Returns the vocabulary of the table, which transformers share.
pub(super) fn vocabulary() -> impl Vocabulary {
    Table::new(TABLE)
}

/// The built-in model as an [`Embedder`]. It caches the tokens of words, because few words make up
/// most of any text.
#[derive(Debug)]
pub struct Static {
    model: Model,
    words: HashMap<Box<str>, Box<[u32]>>,
}

/// Maximum number of cached words.
const KEPT: usize = 50_000;

impl Default for Static {
    fn default() -> Self {
        Self { model: model(), words: HashMap::new() }
    }
}

impl Static {
    /// Like [`embed`].
    pub fn vector(&mut self, text: &str) -> Vec<f32> {
        let mut sum = vec![0.0; DIMENSION];
        let table = Table::new(TABLE);
        transformer::words(text, |word| {
            if let Some(tokens) = self.words.get(word) {
                for token in tokens {
                    table.add(*token, 1.0, &mut sum);
                }
                return;
            }
            let mut tokens = Vec::new();
            transformer::cut(word, &table, &mut tokens);
            for token in &tokens {
                table.add(*token, 1.0, &mut sum);
            }
            if self.words.len() < KEPT {
                self.words.insert(word.into(), tokens.into());
            }
        });
        normalize(&mut sum);
        sum
    }
}

impl Embedder for Static {
    fn model(&self) -> &Model {
        &self.model
    }

    fn embed(
        &mut self,
        _: TextRole,
        texts: &[&str],
        progress: &mut dyn FnMut(usize),
    ) -> Result<Vec<Vec<f32>>, Unavailable> {
        let one = |(done, text): (usize, &&str)| {
            progress(done);
            self.vector(text)
        };
        Ok(texts.iter().enumerate().map(one).collect())
    }
}

struct Table<'a> {
    slots: &'a [u8],
    offsets: &'a [u8],
    text: &'a [u8],
    rows: &'a [u8],
}

impl<'a> Table<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let number = |at: usize| usize::try_from(read_u32(bytes, at)).unwrap_or(0);
        let (rows, slots, text) = (number(8), number(16), number(20));
        let (_, rest) = bytes.split_at_checked(HEADER).unwrap_or_default();
        let (slots, rest) = rest.split_at_checked(slots * 4).unwrap_or_default();
        let (offsets, rest) = rest.split_at_checked((rows + 1) * 4).unwrap_or_default();
        let (text, rows) = rest.split_at_checked(text.next_multiple_of(4)).unwrap_or_default();
        Self { slots, offsets, text, rows }
    }

    /// Returns the token with this hash and text, with `##` before it if `inner`.
    fn find(&self, hash: u64, text: &[u8], inner: bool) -> Option<u32> {
        let mask = (self.slots.len() / 4).checked_sub(1)?;
        let [.., tag_low, tag_high] = hash.to_le_bytes();
        let tag = u32::from(u16::from_le_bytes([tag_low, tag_high]));
        let mut at = usize::try_from(hash & 0xffff_ffff).ok()? & mask;
        loop {
            let slot = read_u32(self.slots, at * 4);
            if slot == 0 {
                return None;
            }
            let token = (slot & 0xffff) - 1;
            if slot >> 16 == tag {
                let known = self.token(token);
                let known = if inner { known.strip_prefix(b"##") } else { Some(known) };
                if known == Some(text) {
                    return Some(token);
                }
            }
            at = (at + 1) & mask;
        }
    }

    fn token(&self, token: u32) -> &'a [u8] {
        let token = usize::try_from(token).unwrap_or(0);
        let offset = |at: usize| usize::try_from(read_u32(self.offsets, at * 4)).unwrap_or(0);
        self.text.get(offset(token)..offset(token + 1)).unwrap_or_default()
    }

    /// Adds a token's vector to `sum`, multiplied by `weight`.
    fn add(&self, token: u32, weight: f32, sum: &mut [f32]) {
        let at = usize::try_from(token).unwrap_or(0) * ROW;
        let Some(row) = self.rows.get(at..at + ROW) else { return };
        let Some((nibbles, scale)) = row.split_last_chunk::<2>() else { return };
        let scale = weight * half(u16::from_le_bytes(*scale));
        let Some((low, high)) = sum.split_at_mut_checked(nibbles.len()) else { return };
        for ((low, high), byte) in low.iter_mut().zip(high).zip(nibbles) {
            *low += scale * (f32::from(byte & 15) - 8.0);
            *high += scale * (f32::from(byte >> 4) - 8.0);
        }
    }
}

impl Vocabulary for Table<'_> {
    fn longest(&self, rest: &str, inner: bool) -> Option<(u32, usize)> {
        let start = if inner { fnv1a64(&[b"##"]) } else { fnv1a64(&[]) };
        // Compute the hashes of all prefixes in one pass.
        let mut hashes = [0_u64; LONGEST];
        let mut hash = start;
        for (kept, byte) in hashes.iter_mut().zip(rest.bytes()) {
            hash = fnv1a64_more(hash, byte);
            *kept = hash;
        }
        let bytes = rest.as_bytes();
        (1..=rest.len().min(LONGEST)).rev().find_map(|length| {
            let (text, hash) = (bytes.get(..length)?, hashes.get(length - 1)?);
            Some((self.find(*hash, text, inner)?, length))
        })
    }

    fn unknown(&self) -> u32 {
        UNKNOWN.into()
    }
}

fn read_u32(bytes: &[u8], at: usize) -> u32 {
    let word = bytes.get(at..).and_then(|rest| rest.first_chunk());
    word.map_or(0, |word| u32::from_le_bytes(*word))
}

/// Converts a half-precision number. The table contains only finite ones.
fn half(bits: u16) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let exponent = i32::from(bits >> 10 & 31);
    let fraction = f32::from(bits & 1023) / 1024.0;
    let (significand, exponent) =
        if exponent == 0 { (fraction, -14) } else { (1.0 + fraction, exponent - 15) };
    sign * significand * 2.0_f32.powi(exponent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use sha2::{Digest, Sha256};

    fn numbers(value: &Value) -> Vec<f64> {
        value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
    }

    #[test]
    fn golden() {
        let golden = include_str!("../../../../models/static-384/golden.json");
        let golden: Value = serde_json::from_str(golden).unwrap();
        let texts: Vec<&str> =
            golden["texts"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
        let table = Table::new(TABLE);
        for (at, text) in texts.iter().enumerate() {
            let mut tokens = Vec::new();
            transformer::pieces(text, &table, |token| tokens.push(f64::from(token)));
            assert_eq!(tokens, numbers(&golden["token_ids"][at]), "{text}");
            let first = numbers(&golden["int4_384"]["first8"][at]);
            for (got, want) in embed(text).iter().zip(first) {
                assert!((f64::from(*got) - want).abs() < 1e-4, "{text}: {got} {want}");
            }
            for (other, want) in texts.iter().zip(numbers(&golden["int4_384"]["cos"][at])) {
                let cosine: f32 = embed(text).iter().zip(embed(other)).map(|(a, b)| a * b).sum();
                assert!((f64::from(cosine) - want).abs() < 2e-4, "{text} {other}: {cosine} {want}");
            }
            let mut kept = Static::default();
            assert_eq!((kept.vector(text), kept.vector(text)), (embed(text), embed(text)));
        }
    }

    #[test]
    fn the_vocabulary_is_berts() {
        let table = Table::new(TABLE);
        let mut lines = Vec::new();
        for token in 0..u32::try_from(table.rows.len() / ROW).unwrap() {
            lines.extend([table.token(token), b"\n"].concat());
        }
        assert_eq!(Sha256::digest(lines).as_slice(), VOCABULARY);
        let marks = [UNKNOWN, CLS, SEP].map(|token| table.token(token.into()));
        assert_eq!(marks, [&b"[UNK]"[..], b"[CLS]", b"[SEP]"]);
    }

    #[test]
    fn no_token_is_longer_than_thought() {
        let table = Table::new(TABLE);
        let rows = table.rows.len() / ROW;
        assert_eq!(rows, 30_522);
        let longest = (0..rows).map(|token| table.token(u32::try_from(token).unwrap()).len()).max();
        assert!(longest.unwrap() <= LONGEST);
    }

    #[test]
    fn halves() {
        for (bits, want) in
            [(0x3c00, 1.0), (0xc000, -2.0), (0x0001, 5.960_464_5e-8), (0x7bff, 65504.0)]
        {
            assert!((half(bits) - want).abs() <= want.abs() * 1e-6, "{bits:x}");
        }
    }
}

#[cfg(test)]
#[path = "parity_tests.rs"]
mod parity;
