//! The archive: what goes there unasked, and what a line is there for.
//!
//! What somebody said on purpose never goes by itself, and nothing goes while nobody is there: a pause
//! is no reason to think that an entry is not wanted.

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

/// Days on which the store has to have been used since an entry was last of use.
const USED: usize = 10;

/// Whether an entry may be changed unasked at all.
#[must_use]
pub fn is_free(row: &ScoredEntry) -> bool {
    let kept = row.standing == Standing::Pinned || row.entry.pinned || row.entry.enforced;
    // What shares its id with another text shares its evidence, and that would go with it.
    row.entry.reviewed && !kept && !row.shared && row.evidence.user != UserState::Forgotten
}

/// Whether its score has dropped and being new does not count any more.
#[must_use]
pub fn is_dropped(row: &ScoredEntry) -> bool {
    row.state == State::Dropped && !row.fresh
}

/// Whether an entry that is dropped, or of a cold topic, goes to the archive unasked in a store that
/// was used on these days. Whatever else has faded is for somebody to decide.
#[must_use]
pub fn goes_unasked(now: Now, row: &ScoredEntry, days: &Days) -> bool {
    let last = row.evidence.touched.max(row.evidence.last_reinforced);
    is_free(row) && row.evidence.cue != Cue::Explicit && days.between(last, now.0) >= USED
}

/// What an entry that goes to the archive now is there for.
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
