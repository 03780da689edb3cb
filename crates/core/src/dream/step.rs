//! What a dream does to a store: acts, each with its reason.

use crate::model::{entry::EntryId, event::Cue, time::Timestamp};

/// One change to a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// Entries that say what another one says go to the archive, and it takes over their evidence. An
    /// entry that stands on several lines is merged with itself, and keeps one of them.
    Merge {
        /// The one that stays.
        keep: EntryId,
        /// Those that go.
        from: Vec<EntryId>,
    },
    /// An entry goes to the archive.
    Archive(EntryId),
    /// A new entry.
    Add {
        /// Its category's name.
        category: String,
        /// How it came about.
        cue: Cue,
        /// Its text.
        text: String,
    },
    /// A known entry was said again so many times.
    Reinforce(EntryId, u32),
    /// Several entries go to the archive, and a new one takes over their evidence.
    Combine {
        /// The new one's category.
        category: String,
        /// Its text.
        text: String,
        /// Those that go.
        from: Vec<EntryId>,
    },
    /// Entries that somebody should put into one. Nothing is done about it.
    Propose(Vec<EntryId>),
}

/// Who wants it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// The rules, which only want what cannot do harm.
    Rules,
    /// The rules, if somebody agrees.
    Offer,
    /// A language model.
    Model,
}

/// An act with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What is to be done.
    pub act: Act,
    /// Why, on one line.
    pub reason: String,
    /// Who wants it.
    pub by: By,
}

/// Something that was asked for and is not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// What it was, on one line.
    pub what: String,
    /// Why not.
    pub why: String,
}

/// What is to become of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// What the store holds, as a hash: it is only applied to that.
    pub state: String,
    /// When it was made.
    pub made: Timestamp,
    /// The acts, in the order in which they are done.
    pub steps: Vec<Step>,
    /// What was refused.
    pub refused: Vec<Refused>,
}
