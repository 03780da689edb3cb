//! Archiving: which entries move to the archive automatically, and for which reason.
//!
//! Explicit entries are never archived automatically. Time in which the store is not used does not
//! count either: a pause does not mean that an entry is no longer wanted.

use super::{
    clock::Days,
    evidence::UserState,
    ranking::ScoredEntry,
    stability::{Standing, State},
};
use crate::model::{
    category::Categories,
    event::{Cue, Why},
    time::Now,
};

/// Days on which the store was used that must pass since an entry was last used.
const USED: usize = 10;

/// Returns true if an entry may be changed automatically.
#[must_use]
pub fn is_free(row: &ScoredEntry) -> bool {
    let kept = row.standing == Standing::Pinned || row.entry.pinned || row.entry.enforced;
    // A shared id means shared evidence, which would be archived for the other text too.
    row.entry.reviewed && !kept && !row.shared && row.evidence.user != UserState::Forgotten
}

/// Returns true if the score has dropped and the entry no longer counts as new.
#[must_use]
pub fn is_dropped(row: &ScoredEntry) -> bool {
    row.state == State::Dropped && !row.fresh
}

/// Returns true if an entry that is dropped, or in a cold topic, is archived automatically. `days`
/// are the days on which the store was used. All other faded entries are left for a person to
/// decide.
#[must_use]
pub fn goes_unasked(now: Now, row: &ScoredEntry, days: &Days) -> bool {
    let last = row.evidence.touched.max(row.evidence.last_reinforced);
    is_free(row) && row.evidence.cue != Cue::Explicit && days.between(last, now.0) >= USED
}

/// Returns the reason to record when an entry is archived now.
#[must_use]
pub fn why(row: &ScoredEntry, categories: &Categories) -> Why {
    let tau = categories.spec(row.entry.category).tau_days;
    if row.expired || row.superseded_by.is_some() {
        Why::Replaced
    } else if is_dropped(row) || row.untouched.days() >= 2.0 * tau {
        Why::Age
    } else {
        Why::Person
    }
}
