//! The reports of coming days, if nothing happens.
//!
//! Every entry is scored anew for each day; nothing is extrapolated.

use std::collections::BTreeSet;

use super::{
    explain::Stores,
    render::{self, Settings},
};
use crate::{
    model::{
        entry::EntryId,
        time::{DAY_MS, Now, Timestamp},
    },
    score::ranking::{Ranking, Rules},
};

/// The report of one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Day {
    pub at: Timestamp,
    /// Size in tokens.
    pub tokens: u32,
    /// Entries in the report.
    pub shown: BTreeSet<EntryId>,
    /// Entries that the report of the day before showed and this one does not.
    pub left: BTreeSet<EntryId>,
    /// Entries that the report of the day before did not show.
    pub entered: BTreeSet<EntryId>,
}

/// Returns the report of `now` and those of the next `days` days at the same time of day.
#[must_use]
pub fn outlook(
    now: Now,
    rules: Rules<'_>,
    settings: Settings<'_>,
    stores: &Stores<'_>,
    days: u32,
) -> Vec<Day> {
    let mut found: Vec<Day> = Vec::new();
    for day in 0..=i64::from(days) {
        let at = Timestamp(now.0.0.saturating_add(day * DAY_MS));
        let ranking = Ranking::new(Now(at), rules, stores.to_vec());
        let report = render::report(&ranking, rules.categories, settings);
        let shown: BTreeSet<EntryId> = report.shown(&ranking).collect();
        let before = found.last().map_or(&shown, |day| &day.shown);
        let left = before.difference(&shown).copied().collect();
        let entered = shown.difference(before).copied().collect();
        found.push(Day { at, tokens: report.tokens.0, shown, left, entered });
    }
    found
}
