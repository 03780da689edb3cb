//! The reports of coming days, if nothing happens.
//!
//! Every entry is scored anew for each day; nothing is extrapolated.

use std::collections::BTreeSet;

use super::{
    explain::{Act, Stores, fewest, ledgers_after, shown_by},
    render::{self, Settings},
};
use crate::{
    model::{
        entry::{EntryId, Wording},
        event::EventKind,
        time::{DAY_MS, Now, Timestamp},
    },
    score::{
        ledger::Ledger,
        ranking::{Ranking, Rules},
    },
};

/// No act is followed for longer, in days: nobody plans so far.
const FURTHEST: i64 = 3 * 366;

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

/// What keeps an entry in the report if it is done now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept {
    pub act: Act,
    /// First day on which the report does not show the entry all the same; `None` if that is years
    /// away.
    pub until: Option<Timestamp>,
}

/// Returns the least that keeps an entry in the report of the day on which it would leave, found by
/// trial like everything here. `None` if nothing does.
#[must_use]
pub fn kept(
    now: Now,
    rules: Rules<'_>,
    settings: Settings<'_>,
    stores: &Stores<'_>,
    of: &Wording,
    leaves: Timestamp,
) -> Option<Kept> {
    let after = |kind: EventKind| ledgers_after(now, stores, of.id, &[kind]);
    let shown =
        |at: Timestamp, ledgers: &[Ledger]| shown_by(Now(at), rules, settings, stores, ledgers, of);
    let reinforced = |n: u32| after(EventKind::Reinforce(n));
    let Some(n) = fewest(|n| shown(leaves, &reinforced(n))) else {
        let pinned = shown(leaves, &after(EventKind::Pin));
        return pinned.then_some(Kept { act: Act::Pin, until: None });
    };
    let ledgers = reinforced(n);
    let day = |days: i64| Timestamp(leaves.0.saturating_add(days * DAY_MS));
    let steps = std::iter::successors(Some(1), |days| Some(days * 2));
    let high = steps.take_while(|days| *days < FURTHEST).find(|days| !shown(day(*days), &ledgers));
    let until = high.map(|high| {
        let (mut low, mut high) = (high / 2, high);
        while high - low > 1 {
            let middle = i64::midpoint(low, high);
            if shown(day(middle), &ledgers) { low = middle } else { high = middle }
        }
        day(high)
    });
    Some(Kept { act: Act::Reinforce(n), until })
}
