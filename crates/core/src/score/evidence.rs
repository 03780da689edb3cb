//! The evidence for one entry, as folded from its events.

use std::collections::BTreeSet;

use crate::model::{
    entry::EntryId,
    event::{Cue, Order},
    share::Share,
    time::Timestamp,
    ulid::EventId,
};

crate::named! {
    /// A user's decision about an entry.
    #[derive(PartialOrd, Ord, Default)]
    pub enum UserState {
        /// No decision.
        #[default]
        Auto = "auto",
        /// The entry never fades.
        Pinned = "pinned",
        /// The entry is dropped.
        Forgotten = "forgotten",
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// The strongest cue among the adds.
    pub cue: Cue,
    /// 1 + reinforcements − 4 × harm, at least 0.
    pub count: u64,
    /// Earliest add.
    pub first_seen: Timestamp,
    /// Latest add or reinforcement. May be in the future of a reader's clock.
    pub last_reinforced: Timestamp,
    /// Latest add, reinforcement or restoration. Keeps a topic from going cold.
    pub touched: Timestamp,
    /// Latest of pin, unpin, forget and restore.
    pub user: UserState,
    /// The last moment at which the entry is valid; `None` if it has no end.
    pub until: Option<Timestamp>,
    /// Entries that replace this one.
    pub superseded_by: BTreeSet<EntryId>,
    /// Entries that replaced this one before it was chosen again.
    pub outlived: BTreeSet<EntryId>,
    /// The newest typed choice: the latest act that shows that somebody wants the entry, which is a
    /// person's add, reinforcement or edit, a restoration, or its choice as a replacement. `None`
    /// if there is none. Evidence of hooks and imports is no choice.
    pub chosen: Option<Order>,
    /// Replaces the score under the policy `weighted`.
    pub priority: Option<Share>,
    /// Importance at the start, under the policy `ebbinghaus`.
    pub importance: Option<Share>,
}

/// The part of the evidence that determines the score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Strength {
    /// The strongest cue among the adds.
    pub cue: Cue,
    /// Evidence count.
    pub count: u64,
    /// Latest add or reinforcement.
    pub last_reinforced: Timestamp,
    pub user: UserState,
}

impl Evidence {
    /// Returns when the entry was last chosen; one that nobody typed was chosen when it came.
    #[must_use]
    pub fn choice(&self) -> Order {
        let come = (self.first_seen, EventId(0));
        self.chosen.map_or(come, |chosen| chosen.max(come))
    }

    #[must_use]
    pub fn strength(&self) -> Strength {
        let Self { cue, count, last_reinforced, user, .. } = *self;
        Strength { cue, count, last_reinforced, user }
    }
}
