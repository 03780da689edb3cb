//! Copies of entries: found by id, and told by text where two texts have one id.

use std::collections::{HashMap, hash_map};

use super::ranking::LocatedEntry;
use crate::model::{
    entry::{EntryId, Wording},
    hash::IdMap,
};

/// What an entry is among those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// The first with its id.
    First,
    /// A copy of the entry with that number.
    Copy(usize),
    /// Another text with the id of the entry with that number.
    Twin(usize),
}

/// The entries so far, by number.
#[derive(Debug, Default)]
pub struct Copies {
    first: IdMap<EntryId, usize>,
    twins: HashMap<Wording, usize>,
}

impl Copies {
    /// What `entry` is among the entries so far, which `known` gives. It gets the number `next`, unless
    /// it is a copy.
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
