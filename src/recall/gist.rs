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
        let mut cut = String::new();
        // A tag is shared by whole families of entries.
        let spoken = text.split_whitespace().filter(|chunk| !chunk.starts_with('#'));
        let parts = spoken.flat_map(|chunk| chunk.split(|c: char| !c.is_alphanumeric()));
        for word in parts.filter(|word| !word.is_empty()) {
            cut.clear();
            cut.extend(word.chars().flat_map(char::to_lowercase).take(PREFIX));
            if EMPTY.binary_search(&cut.as_str()).is_err() {
                let hash = fnv1a64(&[cut.as_bytes()]);
                words.push(u32::try_from((hash ^ hash >> 32) & 0xffff_ffff).unwrap_or(0));
            }
        }
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

#[cfg(test)]
mod tests {
    use super::*;

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
