//! Which words a list may hold, worked out when the program is built.

use crate::model::hash::{FNV1A64, fnv1a64, fnv1a64_more};

/// A bit for the hash of each word, in `N` times 64: what is in no list is nearly always told at once.
#[derive(Debug, Clone, Copy)]
pub struct Filter<const N: usize>([u64; N]);

impl<const N: usize> Filter<N> {
    /// Of no words.
    pub const NONE: Self = Self([0; N]);

    /// With the words of a list, which the byte `between` parts.
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

    /// Whether a word may be among them.
    #[must_use]
    pub fn may_hold(&self, word: &str) -> bool {
        self.may_hold_hash(fnv1a64(&[word.as_bytes()]))
    }

    /// The same by the FNV-1a hash of the word, for who asks several.
    #[must_use]
    pub fn may_hold_hash(&self, hash: u64) -> bool {
        let (place, bit) = Self::bit(hash);
        self.0.get(place).is_some_and(|bits| bits & bit != 0)
    }

    /// Where the bit of a hash is. The low bits of the hash choose it, and others the number.
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
