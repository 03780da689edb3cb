//! Similarity of two wordings, estimated from hashes of their words.

use std::{collections::BTreeSet, fmt};

use super::slot;
use crate::model::hash::fnv1a64;

/// Maximum number of hashes per text; texts with fewer distinct words are compared exactly.
const SIZE: usize = 64;

/// A bottom-k `MinHash` sketch (Broder 1997): the smallest 24-bit hashes of a text's words. It is
/// stored where the words themselves must not, or need not, be. Hashes are ascending.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sketch(Vec<u32>);

impl Sketch {
    /// Computes the sketch of a text. Case and punctuation do not matter.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let lower = text.to_lowercase();
        let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        Self(smallest(words.map(hash24).collect()))
    }

    /// Parses the output of `Display`: six hex digits per hash.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        if !digits.len().is_multiple_of(6) {
            return None;
        }
        let hash = |chunk: &[u8]| u32::from_str_radix(str::from_utf8(chunk).ok()?, 16).ok();
        digits.chunks(6).take(SIZE).map(hash).collect::<Option<_>>().map(smallest).map(Self)
    }

    /// Returns the share of common words, 0 to 1 (an estimate of the Jaccard index).
    #[must_use]
    pub fn similarity(&self, other: &Self) -> f64 {
        let union = smallest([self.0.as_slice(), &other.0].concat());
        let has = |sketch: &Self, hash| sketch.0.binary_search(hash).is_ok();
        let common = union.iter().filter(|hash| has(self, hash) && has(other, hash)).count();
        if union.is_empty() { 0.0 } else { common as f64 / union.len() as f64 }
    }
}

/// Similarity of words from which a text may repeat another.
const ALIKE: f64 = 0.8;

/// The parts of a text that tell whether another one repeats it: its words, its denials, and its numbers
/// and code.
pub struct Gist {
    words: Sketch,
    /// Number of words that deny.
    denials: usize,
    /// Hashes of the words in spans of code, and of those with a digit.
    exact: BTreeSet<u32>,
}

impl Gist {
    #[must_use]
    pub fn of(text: &str) -> Self {
        let lower = text.to_lowercase().replace('\u{2019}', "'");
        let last = lower.matches('`').count();
        let (mut exact, mut denials) = (BTreeSet::new(), 0);
        for (at, part) in lower.split('`').enumerate() {
            // A span that nothing closes is none.
            let is_code = at % 2 == 1 && at < last;
            for word in part.split_whitespace() {
                let word = word.trim_matches(|c: char| !c.is_alphanumeric());
                if !word.is_empty() && (is_code || word.contains(|c: char| c.is_numeric())) {
                    exact.insert(hash24(word));
                } else {
                    denials += usize::from(slot::is_negation(word));
                }
            }
        }
        Self { words: Sketch::of(text), denials, exact }
    }

    /// Returns true if two texts say the same in much the same words. Two commands, or two numbers, are
    /// two things, however much is said of both.
    #[must_use]
    pub fn repeats(&self, other: &Self) -> bool {
        let has_more = |a: &Self, b: &Self| !a.exact.is_subset(&b.exact);
        self.denials == other.denials
            && !(has_more(self, other) && has_more(other, self))
            && self.words.similarity(&other.words) >= ALIKE
    }
}

impl fmt::Display for Sketch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|hash| write!(f, "{hash:06x}"))
    }
}

fn smallest(mut hashes: Vec<u32>) -> Vec<u32> {
    hashes.sort_unstable();
    hashes.dedup();
    hashes.truncate(SIZE);
    hashes
}

fn hash24(word: &str) -> u32 {
    let hash = fnv1a64(&[word.as_bytes()]);
    u32::try_from((hash ^ hash >> 24 ^ hash >> 48) & 0x00ff_ffff).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similarity() {
        for (a, b, want) in [
            ("use tabs", "Use, tabs!", 1.0),
            ("a b c d", "a b c e", 0.6),
            ("one", "two", 0.0),
            ("", "", 0.0),
            ("", "x", 0.0),
        ] {
            let (a, b) = (Sketch::of(a), Sketch::of(b));
            assert!((a.similarity(&b) - want).abs() < 1e-9);
            assert_eq!(Sketch::read(&a.to_string()), Some(a));
        }
        assert_eq!(Sketch::read("zz"), None);
    }

    #[test]
    fn repeats() {
        for (a, b, want) in [
            (
                "Use pnpm to install all that the web app needs",
                "use pnpm to install all the web app needs",
                true,
            ),
            (
                "Squash when a branch is merged into main here",
                "Never squash when a branch is merged into main here",
                false,
            ),
            (
                "Don't squash when a branch is merged into main",
                "Don\u{2019}t squash when a branch is merged into main",
                true,
            ),
            (
                "Wait for the tide tables up to 30 minutes before anyone is called at night",
                "Wait for the tide tables up to 90 minutes before anyone is called at night",
                false,
            ),
            (
                "Wait for the tide tables before anyone is called at night",
                "Wait for the tide tables before anyone is called at night (#12)",
                true,
            ),
            (
                "After the fixtures are made one test runs by `cargo test -p engine` alone",
                "After the fixtures are made one test runs by `cargo test -p server` alone",
                false,
            ),
            (
                "After the fixtures are made one test runs by `cargo test` alone",
                "After the fixtures are made one test runs by cargo test alone",
                true,
            ),
            (
                "It is ` that breaks the tables of the harbor pages",
                "It is that which breaks the tables of the harbor pages",
                true,
            ),
            ("Use tabs in makefiles", "Use tabs in the scripts", false),
        ] {
            assert_eq!(Gist::of(a).repeats(&Gist::of(b)), want, "{a}");
            assert_eq!(Gist::of(b).repeats(&Gist::of(a)), want, "{b}");
        }
    }

    #[test]
    fn long_texts_are_estimated() {
        let words = |from: usize, to: usize| {
            (from..to).map(|n| format!("word{n}")).collect::<Vec<_>>().join(" ")
        };
        let near = Sketch::of(&words(0, 400)).similarity(&Sketch::of(&words(100, 500)));
        assert!((near - 0.6).abs() < 0.2, "{near}");
    }
}
