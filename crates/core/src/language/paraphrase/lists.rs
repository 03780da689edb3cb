//! The closed lists of words.

use std::sync::LazyLock;

use crate::model::hash::IdMap;

use crate::language::lexicon::paraphrase::LISTS;
pub(crate) use crate::language::lexicon::paraphrase::List;

static TABLE: LazyLock<IdMap<&str, u64>> = LazyLock::new(|| {
    let mut table = IdMap::default();
    for (list, words) in LISTS {
        for word in words.split(' ') {
            *table.entry(word).or_default() |= 1_u64 << *list as u32;
        }
    }
    table
});

/// The lists that a word is on, in its exact spelling.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WordLists(u64);

impl WordLists {
    pub(crate) fn of(word: &str) -> Self {
        Self(TABLE.get(word).copied().unwrap_or_default())
    }

    pub(crate) fn has(self, list: List) -> bool {
        self.0 & 1_u64 << list as u32 != 0
    }
}

/// Returns true if the word is on the list, in this exact spelling.
pub(crate) fn is(list: List, word: &str) -> bool {
    WordLists::of(word).has(list)
}

/// Returns the words of a list.
pub(crate) fn all(list: List) -> impl Iterator<Item = &'static str> {
    LISTS.iter().filter(move |(other, _)| *other == list).flat_map(|(_, words)| words.split(' '))
}
