//! A text's content words as a set of hashes, which is very cheap to compute.
//!
//! Used in a report to tell that a newer entry seems to replace an older one, where stemming every
//! word of a store would take longer than all other steps.

use crate::model::hash::fnv1a64;

/// Maximum length of a word; longer ones are cut. Cutting is nearly as good as stemming (`McNamee`
/// and Mayfield 2004), and costs nothing.
const PREFIX: usize = 5;

/// Words without content, cut to the prefix, sorted.
const EMPTY: [&str; 99] = [
    "a", "about", "after", "again", "all", "also", "alway", "an", "and", "any", "are", "as", "at",
    "be", "becau", "been", "befor", "but", "by", "can", "do", "does", "don", "each", "every",
    "for", "from", "had", "has", "have", "how", "i", "if", "in", "inste", "into", "is", "it",
    "its", "just", "make", "may", "more", "must", "need", "never", "new", "no", "not", "now", "of",
    "off", "on", "one", "only", "or", "our", "out", "over", "s", "same", "shoul", "so", "t",
    "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "throu",
    "to", "too", "two", "under", "up", "use", "used", "uses", "using", "via", "was", "we", "were",
    "what", "when", "where", "which", "while", "who", "will", "with", "witho", "you", "your",
];

/// [`EMPTY`] as numbers.
static EMPTY_WORDS: [u64; EMPTY.len()] = numbers(EMPTY);
/// Filter with a bit for each word of [`EMPTY`], which rules out most other words.
static EMPTY_BITS: [u64; 8] = bits_of_all(EMPTY_WORDS);
/// Maps each byte to its lower-case letter or digit, or to 0.
static LETTERS: [u8; 256] = letters();

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Gist {
    /// Hashes of cut words, sorted and without duplicates.
    words: Vec<u32>,
    /// Filter with one bit per word, which rules out most pairs.
    bits: u128,
    /// Number of words that share their bit with another.
    crowded: u32,
}

impl Gist {
    /// Computes the gist of a text. Case and punctuation do not matter.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut words = Vec::with_capacity(24);
        each_word(text, |word| {
            if !is_empty(word) {
                words.push(hash(word));
            }
        });
        words.sort_unstable();
        words.dedup();
        let bits = words.iter().fold(0_u128, |bits, word| bits | 1 << (word % 128));
        let crowded = u32::try_from(words.len()).unwrap_or(u32::MAX) - bits.count_ones();
        Self { words, bits, crowded }
    }

    fn has(&self, word: u32) -> bool {
        self.bits >> (word % 128) & 1 == 1 && self.words.binary_search(&word).is_ok()
    }

    /// Returns true if a text may share at least this share of words. Faster than computing its
    /// gist.
    #[must_use]
    pub fn may_be_near(&self, text: &str, share: f64) -> bool {
        let mut common = 0_usize;
        each_word(text, |word| {
            common += usize::from(self.has(hash(word)));
        });
        common as f64 >= share * self.words.len() as f64
    }

    /// Returns the share of common words, 0 to 1 (the Jaccard index).
    #[must_use]
    pub fn similarity(&self, other: &Self) -> f64 {
        self.near(other, f64::MIN_POSITIVE).unwrap_or(0.0)
    }

    /// Like [`Gist::similarity`], but only if it is at least `share`, which must be positive.
    #[must_use]
    pub fn near(&self, other: &Self, share: f64) -> Option<f64> {
        let most = (self.bits & other.bits).count_ones() + self.crowded.min(other.crowded);
        let most = (most as usize).min(self.words.len().midpoint(other.words.len()));
        self.share(most, other, share)?;
        self.share(self.words.iter().filter(|word| other.has(**word)).count(), other, share)
    }

    /// Returns the similarity of two texts with this number of common words, if it is at least
    /// `share`.
    #[must_use]
    pub fn share(&self, common: usize, other: &Self, share: f64) -> Option<f64> {
        let all = self.words.len() + other.words.len() - common;
        Some(common as f64 / all as f64).filter(|found| common > 0 && *found >= share)
    }

    /// Returns the hashes of the words, sorted and without duplicates.
    #[must_use]
    pub fn words(&self) -> &[u32] {
        &self.words
    }
}

fn is_empty(word: u64) -> bool {
    let (at, bit) = bit_of(word);
    EMPTY_BITS.get(at).is_some_and(|bits| bits & bit != 0)
        && EMPTY_WORDS.binary_search(&word).is_ok()
}

/// Returns the position of a word's bit among 512.
const fn bit_of(word: u64) -> (usize, u64) {
    let hash = word.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((hash >> 61) as usize, 1 << (hash >> 55 & 63))
}

fn hash(word: u64) -> u32 {
    u32::try_from(word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32).unwrap_or(0)
}

/// Passes the cut words of a text to `take`, as numbers. Tags are skipped, because whole families
/// of entries share them.
fn each_word(text: &str, mut take: impl FnMut(u64)) {
    if !text.is_ascii() {
        let spoken = text.split_whitespace().filter(|chunk| !chunk.starts_with('#'));
        let parts = spoken.flat_map(|chunk| chunk.split(|c: char| !c.is_alphanumeric()));
        for word in parts.filter(|word| !word.is_empty()) {
            let cut: String = word.chars().flat_map(char::to_lowercase).take(PREFIX).collect();
            take(if cut.is_ascii() { number(cut.as_bytes()) } else { fnv1a64(&[cut.as_bytes()]) });
        }
        return;
    }
    let (mut rest, mut begins, mut tag) = (text.as_bytes(), true, false);
    while let Some((byte, after)) = rest.split_first() {
        if letter(*byte) == 0 {
            if byte.is_ascii_whitespace() {
                (begins, tag) = (true, false);
            } else {
                tag |= begins && *byte == b'#';
                begins = false;
            }
            rest = after;
            continue;
        }
        let (mut word, mut length) = (0, 0);
        while let Some((byte, after)) = rest.split_first()
            && length < PREFIX
            && letter(*byte) != 0
        {
            word = with(word, length, letter(*byte));
            (length, rest) = (length + 1, after);
        }
        let cut = rest.iter().take_while(|byte| letter(**byte) != 0).count();
        rest = rest.get(cut..).unwrap_or_default();
        begins = false;
        if !tag {
            take(word);
        }
    }
}

/// Returns a letter in lower case or a digit; 0 for other bytes.
fn letter(byte: u8) -> u8 {
    LETTERS.get(usize::from(byte)).copied().unwrap_or(0)
}

/// Appends a letter to a word. The first letter is the highest byte, so that words sort like
/// numbers.
const fn with(word: u64, length: usize, byte: u8) -> u64 {
    // `as` widens here, because `From` is not available in constants.
    if length < PREFIX { word | (byte as u64) << (8 * (PREFIX - 1 - length)) } else { word }
}

const fn number(mut word: &[u8]) -> u64 {
    let (mut found, mut length) = (0, 0);
    while let [byte, rest @ ..] = word {
        found = with(found, length, *byte);
        length += 1;
        word = rest;
    }
    found
}

#[expect(clippy::indexing_slicing, reason = "evaluated when it is compiled")]
const fn bits_of_all<const N: usize>(words: [u64; N]) -> [u64; 8] {
    let mut found = [0; 8];
    let mut number = 0;
    while number < N {
        let (at, bit) = bit_of(words[number]);
        found[at] |= bit;
        number += 1;
    }
    found
}

#[expect(clippy::indexing_slicing, reason = "evaluated when it is compiled")]
const fn letters() -> [u8; 256] {
    let mut found = [0; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        if byte.is_ascii_alphanumeric() {
            found[byte as usize] = byte.to_ascii_lowercase();
        }
        byte += 1;
    }
    found
}

#[expect(clippy::indexing_slicing, reason = "evaluated when it is compiled")]
const fn numbers<const N: usize>(words: [&str; N]) -> [u64; N] {
    let mut found = [0; N];
    let mut at = 0;
    while at < N {
        found[at] = number(words[at].as_bytes());
        at += 1;
    }
    found
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
            let (a, near) = (Gist::of(&a), Gist::of(&a).similarity(&Gist::of(&b)));
            for share in [0.2, 0.5] {
                prop_assert!(near < share || a.may_be_near(&b, share), "{near}");
            }
            let other = Gist::of(&b);
            let common = a.words.iter().filter(|word| other.words.contains(word)).count();
            let all = a.words.len() + other.words.len() - common;
            let want = if all == 0 { 0.0 } else { common as f64 / all as f64 };
            prop_assert!((near - want).abs() < 1e-9, "{near} {want}");
            prop_assert_eq!(a.near(&other, 0.2).is_some(), want >= 0.2);
        }

        /// Non-ASCII letters elsewhere in a text do not change its ASCII words.
        #[test]
        fn bytes_and_characters_agree(text in "([a-zA-Z0-9#,.-]{0,9} ){0,9}") {
            let (mut bytes, mut characters) = (Vec::new(), Vec::new());
            each_word(&text, |word| bytes.push(word));
            each_word(&(text + " \u{2026}"), |word| characters.push(word));
            prop_assert_eq!(bytes, characters);
        }
    }

    #[test]
    fn similarity() {
        assert!(EMPTY.is_sorted() && EMPTY_WORDS.is_sorted());
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
