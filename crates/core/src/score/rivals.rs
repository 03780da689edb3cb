//! What it takes to have one of the places of a category, told without a look at other categories.

use super::{
    caps::{self, Candidate},
    ledger::Ledger,
    ranking::{self, Rules},
    stability::{self, Stability, Standing, State},
};
use crate::model::{
    category::CategoryId,
    entry::EntryId,
    time::{Age, Now},
};

/// Reinforcements that are thought of at most; as many as one call may add.
const MOST: u32 = 1000;

/// An entry as it competes by its evidence alone and the calendar, if that is known. `pinned` tells
/// whether it is marked so.
#[must_use]
pub fn rival(
    now: Now,
    rules: Rules<'_>,
    ledger: &Ledger,
    (id, category, pinned): (EntryId, CategoryId, bool),
) -> Option<Candidate> {
    let spec = rules.categories.spec(category);
    let evidence = ranking::capped(now, ledger.evidence(now, id)?);
    let standing =
        stability::standing(now.since(evidence.last_reinforced), &evidence, spec, pinned);
    let fresh = rules.fresh && stability::fresh(now.since(evidence.first_seen), spec, standing);
    let (first_seen, last_reinforced) = (evidence.first_seen, evidence.last_reinforced);
    let (excluded, reviewed) = (false, true);
    Some(Candidate {
        id,
        category,
        standing,
        fresh,
        first_seen,
        last_reinforced,
        excluded,
        reviewed,
    })
}

/// The least number of reinforcements that put an entry with so much evidence before another one, or
/// where there is none, make it active; `None` when no number does.
#[must_use]
pub fn least(
    now: Now,
    rules: Rules<'_>,
    of: &Candidate,
    (weight, count): (f64, u64),
    before: Option<&Candidate>,
) -> Option<u32> {
    let tau = rules.categories.spec(of.category).tau_days;
    (1..=MOST).find(|n| {
        let score = Stability::new(weight, Age(0), tau, count.saturating_add(u64::from(*n)));
        let standing = Standing::Scored(score);
        let after = Candidate { standing, last_reinforced: now.0, ..*of };
        match before {
            Some(before) => caps::competes(&after) && caps::order(&after, before).is_lt(),
            None => standing.state() == State::Active,
        }
    })
}
