//! Detection of copies of entries: by id, and by text where two texts share an id.

use std::collections::{HashMap, hash_map};

use super::ranking::LocatedEntry;
use crate::model::{
    entry::{EntryId, Wording},
    hash::IdMap,
};

/// The relation of an entry to the entries before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// The first with its id.
    First,
    /// A copy of the entry with this index.
    Copy(usize),
    /// Another text with the id of the entry with this index.
    Twin(usize),
}

/// Indexes of the entries seen so far.
#[derive(Debug, Default)]
pub struct Copies {
    first: IdMap<EntryId, usize>,
    twins: HashMap<Wording, usize>,
}

impl Copies {
    /// Returns the relation of `entry` to the earlier entries, which `known` looks up by index.
    /// Unless the entry is a copy, it is recorded with the index `next`.
    pub fn slot<'a>(
        &mut self,
        next: usize,
        entry: &LocatedEntry,
        known: impl Fn(usize) -> Option<&'a LocatedEntry>,
    ) -> Slot {
        let first = *self.first.entry(entry.id).or_insert(next);
        if first == next {
            return Slot::First;
        }
        if known(first).is_some_and(|first| first.is_copy(entry)) {
            return Slot::Copy(first);
        }
        match self.twins.entry(entry.wording()) {
            hash_map::Entry::Occupied(known) => Slot::Copy(*known.get()),
            hash_map::Entry::Vacant(free) => {
                free.insert(next);
                Slot::Twin(first)
            }
        }
    }
}
