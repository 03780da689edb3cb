//! Filters for word lists, computed at compile time.

use crate::model::hash::{FNV1A64, fnv1a64, fnv1a64_more};

/// A filter with a bit for the hash of each word, among `N` times 64. It rules out nearly all words
/// that are in no list.
#[derive(Debug, Clone, Copy)]
pub struct Filter<const N: usize>([u64; N]);

impl<const N: usize> Filter<N> {
    /// The filter without words.
    pub const NONE: Self = Self([0; N]);

    /// Adds the words of a list, separated by the byte `between`.
    #[must_use]
    pub const fn with(self, list: &[u8], between: u8) -> Self {
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

    /// Returns true if a word may be in the list.
    #[must_use]
    pub fn may_hold(&self, word: &str) -> bool {
        self.may_hold_hash(fnv1a64(&[word.as_bytes()]))
    }

    /// Like [`Self::may_hold`], for a word's FNV-1a hash, which can be shared by several filters.
    #[must_use]
    pub fn may_hold_hash(&self, hash: u64) -> bool {
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
        let filter = Filter::<4>::NONE.with(list.as_bytes(), b' ');
        assert!(list.split(' ').all(|word| filter.may_hold(word)));
        let others = ["eleven", "on", "onetwo", "two three", "ONE", "tens", "zero", "none"];
        assert!(others.iter().filter(|word| filter.may_hold(word)).count() < 3);
        assert!(!Filter::<1>::NONE.may_hold("one"));
        let more = filter.with(b"zero|naught", b'|');
        assert!(["zero", "naught", "ten"].iter().all(|word| more.may_hold(word)));
    }
}
