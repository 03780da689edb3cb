//! What a text is about, as a set of hashes that costs next to nothing to make.
//!
//! For telling that a newer entry seems to replace an older one, in a report, where a stemmer for
//! every word of a store would take longer than everything else.

use crate::model::hash::fnv1a64;

/// Letters of a word that count: cutting words is nearly as good as stemming them (`McNamee` and
/// Mayfield 2004), and costs nothing.
const PREFIX: usize = 5;

/// Words without content of their own, as they are after cutting, sorted.
const EMPTY: &[&str] = &[
    "a", "about", "after", "again", "all", "also", "alway", "an", "and", "any", "are", "as", "at",
    "be", "becau", "been", "befor", "but", "by", "can", "do", "does", "don", "each", "every",
    "for", "from", "had", "has", "have", "how", "i", "if", "in", "inste", "into", "is", "it",
    "its", "just", "make", "may", "more", "must", "need", "never", "new", "no", "not", "now", "of",
    "off", "on", "one", "only", "or", "our", "out", "over", "s", "same", "shoul", "so", "t",
    "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "throu",
    "to", "too", "two", "under", "up", "use", "used", "uses", "using", "via", "was", "we", "were",
    "what", "when", "where", "which", "while", "who", "will", "with", "witho", "you", "your",
];

/// The content words of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Gist {
    /// Hashes of cut words, sorted, each once.
    words: Vec<u32>,
    /// One bit a word, so that most pairs need no closer look.
    bits: u64,
}

impl Gist {
    /// The gist of a text. Case and punctuation do not matter.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut words = Vec::new();
        self::words(text, |cut| {
            let hash = fnv1a64(&[cut.as_bytes()]);
            words.push(u32::try_from((hash ^ hash >> 32) & 0xffff_ffff).unwrap_or(0));
        });
        words.sort_unstable();
        words.dedup();
        let bits = words.iter().fold(0, |bits, word| bits | 1 << (word % 64));
        Self { words, bits }
    }

    /// The share of common words, 0 to 1 (the Jaccard index).
    #[must_use]
    pub fn similarity(&self, other: &Self) -> f64 {
        if self.bits & other.bits == 0 {
            return 0.0;
        }
        let common = self.words.iter().filter(|word| other.words.binary_search(word).is_ok());
        let common = common.count();
        common as f64 / (self.words.len() + other.words.len() - common) as f64
    }
}

/// Gives the content words of a text, cut.
fn words(text: &str, mut take: impl FnMut(&str)) {
    let mut cut = String::new();
    // A tag is shared by whole families of entries.
    let spoken = text.split_whitespace().filter(|chunk| !chunk.starts_with('#'));
    let parts = spoken.flat_map(|chunk| chunk.split(|c: char| !c.is_alphanumeric()));
    for word in parts.filter(|word| !word.is_empty()) {
        cut.clear();
        cut.extend(word.chars().flat_map(char::to_lowercase).take(PREFIX));
        if EMPTY.binary_search(&cut.as_str()).is_err() {
            take(&cut);
        }
    }
}

/// A quick look for texts that may share words with one: it passes all that do, and a few that do not.
pub struct Glance {
    /// The beginnings of the content words, each once.
    words: Vec<u64>,
    /// A bit for each of them.
    bits: u64,
    /// Whether there is a word that cannot be looked for like this.
    blind: bool,
}

impl Glance {
    /// For the content words of a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut glance = Self { words: Vec::new(), bits: 0, blind: !text.is_ascii() };
        words(text, |cut| glance.words.push(cut.bytes().fold(0, next)));
        glance.words.sort_unstable();
        glance.words.dedup();
        glance.bits = glance.words.iter().fold(0, |bits, word| bits | bit(*word));
        glance
    }

    /// Whether another text may have at least such a share of words in common with it.
    #[must_use]
    pub fn may_be_near(&self, text: &str, share: f64) -> bool {
        if self.blind || !text.is_ascii() {
            return true;
        }
        let (mut common, mut word, mut length) = (0_usize, 0, 0);
        for byte in text.bytes().chain([b' ']) {
            if byte.is_ascii_alphanumeric() {
                if length < PREFIX {
                    word = next(word, byte.to_ascii_lowercase());
                }
                length += 1;
            } else if length > 0 {
                let known = self.bits & bit(word) != 0 && self.words.binary_search(&word).is_ok();
                common += usize::from(known);
                (word, length) = (0, 0);
            }
        }
        common as f64 >= share * self.words.len() as f64
    }
}

/// The beginning of a word with one more letter.
fn next(word: u64, byte: u8) -> u64 {
    word << 8 | u64::from(byte)
}

fn bit(word: u64) -> u64 {
    1 << (word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_glance_misses_nothing(
            a in "([a-eA-E#,. é]{0,3} ?){0,12}", b in "([a-eA-E#,. é]{0,3} ?){0,12}",
        ) {
            let near = Gist::of(&a).similarity(&Gist::of(&b));
            for share in [0.2, 0.5] {
                let may = Glance::of(&a).may_be_near(&b, share);
                prop_assert!(near < share || may, "{near}");
            }
        }
    }

    #[test]
    fn similarity() {
        assert!(EMPTY.is_sorted());
        assert!(
            EMPTY.iter().all(|word| word.chars().count() <= PREFIX),
            "as they are after cutting"
        );
        for (a, b, want) in [
            ("We use PostgreSQL for payments", "Payments are in PostgreSQL now", 1.0),
            ("Deploys go through Jenkins", "Deployment goes through Argo", 0.2),
            ("Cache tokens #source:user", "Keep logs #source:user", 0.0),
            ("Cache tokens in Redis", "The printer is on fire", 0.0),
            ("", "", 0.0),
            ("the of", "the of", 0.0),
        ] {
            let got = Gist::of(a).similarity(&Gist::of(b));
            assert!((got - want).abs() < 1e-9, "{a} | {b}: {got}");
        }
    }
}
