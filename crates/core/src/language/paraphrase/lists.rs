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

/// Returns true if the word is on the list, in this exact spelling.
pub(crate) fn is(list: List, word: &str) -> bool {
    TABLE.get(word).is_some_and(|lists| lists & 1_u64 << list as u32 != 0)
}

/// Returns the words of a list.
pub(crate) fn all(list: List) -> impl Iterator<Item = &'static str> {
    LISTS.iter().filter(move |(other, _)| *other == list).flat_map(|(_, words)| words.split(' '))
}
