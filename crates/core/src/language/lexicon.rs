//! Lists of words and wordings by which the rules of language decide: `lexicon/*.txt`, a module each
//! (`build.rs` compiles them).

use memchr::memchr_iter;

use crate::model::hash::{FNV1A64, fnv1a64, fnv1a64_more};

mod tables {
    use super::{Concepts, LexiconWording, WordFilter, Words};

    include!(concat!(env!("OUT_DIR"), "/lexicon.rs"));
}
pub(crate) use tables::*;

/// A set of concepts.
pub(crate) type Concepts = u128;

/// A wording of an instruction to an agent.
pub(crate) struct LexiconWording {
    /// What the instruction does.
    pub(crate) does: &'static str,
    pub(crate) steps: &'static str,
    /// The words that it may begin with.
    pub(crate) first: WordFilter<4>,
}

/// A list of words separated by spaces. A process makes too few lookups to pay for building a hash
/// table.
pub(crate) struct Words {
    list: &'static str,
    filter: WordFilter<16>,
}

impl Words {
    pub(crate) const fn new(list: &'static str) -> Self {
        Self { list, filter: WordFilter::NONE.with(list.as_bytes(), b' ') }
    }

    /// Returns true if the list contains a word.
    pub(crate) fn contains(&self, word: &str) -> bool {
        // A text with a space would match two words.
        self.filter.may_hold(word) && !word.contains(' ') && stands_in(self.list, b' ', word)
    }
}

/// Returns true if a word is one of a list whose words a byte separates.
pub(crate) fn stands_in(list: &str, between: u8, word: &str) -> bool {
    let list = list.as_bytes();
    let is_end = |byte: Option<&u8>| byte.is_none_or(|byte| *byte == between);
    let stands = |at: usize| {
        let (before, rest) = list.split_at(at);
        rest.starts_with(word.as_bytes()) && is_end(before.last()) && is_end(rest.get(word.len()))
    };
    word.bytes().next().is_some_and(|first| memchr_iter(first, list).any(stands))
}

/// A filter with a bit for the hash of each word, among `N` times 64. It rules out nearly all words
/// that are in no list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WordFilter<const N: usize>([u64; N]);

impl<const N: usize> WordFilter<N> {
    /// The filter without words.
    pub(crate) const NONE: Self = Self([0; N]);

    /// Adds the words of a list, separated by the byte `between`.
    pub(crate) const fn with(self, list: &[u8], between: u8) -> Self {
        let Self(mut bits) = self;
        let (mut hash, mut at) = (FNV1A64, 0);
        while at <= list.len() {
            #[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
            if at == list.len() || list[at] == between {
                let (place, bit) = Self::bit(hash);
                bits[place] |= bit;
                hash = FNV1A64;
            } else {
                hash = fnv1a64_more(hash, list[at]);
            }
            at += 1;
        }
        Self(bits)
    }

    /// The filter for the words of phrases.
    pub(crate) const fn of(phrases: &[&str]) -> Self {
        let (mut filter, mut rest) = (Self::NONE, phrases);
        while let [first, more @ ..] = rest {
            filter = filter.with(first.as_bytes(), b' ');
            rest = more;
        }
        filter
    }

    /// Returns true if a word may be in the list.
    pub(crate) fn may_hold(&self, word: &str) -> bool {
        self.may_hold_hash(fnv1a64(&[word.as_bytes()]))
    }

    /// Like [`Self::may_hold`], for a word's FNV-1a hash, which can be shared by several filters.
    pub(crate) fn may_hold_hash(&self, hash: u64) -> bool {
        let (place, bit) = Self::bit(hash);
        self.0.get(place).is_some_and(|bits| bits & bit != 0)
    }

    /// Returns the position of a hash's bit. The low bits of the hash choose the bit, others the
    /// number.
    const fn bit(hash: u64) -> (usize, u64) {
        (((hash >> 6) % N as u64) as usize, 1 << (hash & 63))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_a_list_may_be() {
        let list = "one two three four five six seven eight nine ten";
        let filter = WordFilter::<4>::NONE.with(list.as_bytes(), b' ');
        assert!(list.split(' ').all(|word| filter.may_hold(word)));
        let others = ["eleven", "on", "onetwo", "two three", "ONE", "tens", "zero", "none"];
        assert!(others.iter().filter(|word| filter.may_hold(word)).count() < 3);
        assert!(!WordFilter::<1>::NONE.may_hold("one"));
        let more = filter.with(b"zero|naught", b'|');
        assert!(["zero", "naught", "ten"].iter().all(|word| more.may_hold(word)));
    }
}
