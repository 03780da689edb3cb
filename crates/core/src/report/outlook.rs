//! What the report will look like on days to come if nothing happens.
//!
//! Scores every entry anew for each day, as a report of that day would: nothing is extrapolated.

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
    /// When.
    pub at: Timestamp,
    /// Its size in tokens.
    pub tokens: u32,
    /// The entries in it.
    pub shown: BTreeSet<EntryId>,
    /// Entries that were in the report of the day before.
    pub left: BTreeSet<EntryId>,
    /// Entries that were not.
    pub entered: BTreeSet<EntryId>,
}

/// The reports of now and of the next `days` days at the same time.
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
        let board = Ranking::new(Now(at), rules, stores.to_vec());
        let report = render::report(&board, rules.categories, settings);
        let shown: BTreeSet<EntryId> = report.shown(&board).collect();
        let before = found.last().map_or(&shown, |day| &day.shown);
        let left = before.difference(&shown).copied().collect();
        let entered = shown.difference(before).copied().collect();
        found.push(Day { at, tokens: report.tokens.0, shown, left, entered });
    }
    found
}
