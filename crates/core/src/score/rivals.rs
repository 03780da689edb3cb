//! Competition for the places of one category, computed without looking at other categories.

use super::{
    caps::{self, Candidate},
    ledger::Ledger,
    ranking::{self, Rules},
    stability::{self, Score, Standing, State},
};
use crate::model::{
    category::CategoryId,
    entry::EntryId,
    time::{Age, Now},
};

/// Maximum number of reinforcements considered; also the most that one call may add.
const MOST: u32 = 1000;

/// Returns the candidate for an entry by its evidence and the calendar; `None` if there is no
/// evidence. `pinned` is true if the line has the pinned marker.
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

/// Returns the least number of reinforcements that ranks an entry with evidence (`weight`, `count`)
/// before `before`, or makes it active if `before` is `None`. Returns `None` if no number up to
/// `MOST` does.
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
        let score = Score::new(weight, Age(0), tau, count.saturating_add(u64::from(*n)));
        let standing = Standing::Scored(score);
        let after = Candidate { standing, last_reinforced: now.0, ..*of };
        match before {
            Some(before) => caps::competes(&after) && caps::order(&after, before).is_lt(),
            None => standing.state() == State::Active,
        }
    })
}
