//! Evidence: what the events about one entry come to.

use std::collections::BTreeSet;

use crate::model::{entry::EntryId, event::Cue, time::Timestamp};

/// What a user decided about an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum UserState {
    /// Nothing.
    #[default]
    Auto,
    /// It never fades.
    Pinned,
    /// It is dropped.
    Forgotten,
}

impl UserState {
    /// The word in JSON output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Pinned => "pinned",
            Self::Forgotten => "forgotten",
        }
    }
}

/// The evidence for one entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// How it was produced: the strongest cue given.
    pub cue: Cue,
    /// 1 + reinforcements − 4 × harm, not below 0.
    pub count: u64,
    /// Earliest add.
    pub first_seen: Timestamp,
    /// Latest add or reinforcement; may lie in the future of a reader's clock.
    pub last_reinforced: Timestamp,
    /// Latest add, reinforcement or restoration: what keeps a topic from going cold.
    pub touched: Timestamp,
    /// Latest of pin, unpin, forget and restore.
    pub user: UserState,
    /// Not valid after this moment.
    pub until: Option<Timestamp>,
    /// Entries that replace it.
    pub superseded_by: BTreeSet<EntryId>,
}

/// The part of the evidence that the score is made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Strength {
    /// The strongest cue given.
    pub cue: Cue,
    /// Evidence count.
    pub count: u64,
    /// Latest add or reinforcement.
    pub last_reinforced: Timestamp,
    /// What the user decided.
    pub user: UserState,
}

impl Evidence {
    /// What the score is made from.
    #[must_use]
    pub fn strength(&self) -> Strength {
        let Self { cue, count, last_reinforced, user, .. } = *self;
        Strength { cue, count, last_reinforced, user }
    }
}
