//! The reports of coming days, if nothing happens.
//!
//! Every entry is scored anew for each day; nothing is extrapolated.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    explain::{self, Act, Stores, fewest, ledgers_after, shown_by},
    render::{self, Settings},
};
use crate::{
    model::{
        entry::EntryId,
        event::EventKind,
        time::{DAY_MS, Now, Timestamp},
    },
    score::{
        ledger::Ledger,
        ranking::{LocatedEntry, Ranking, Rules},
    },
};

/// No act is followed for longer, in days: nobody plans so far.
const FURTHEST: i64 = 3 * 366;

/// Returns the first moment of the day that has a moment, where the reader is.
pub type StartOfDay<'a> = &'a dyn Fn(Timestamp) -> Timestamp;

/// The report of one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Day {
    pub at: Timestamp,
    /// Size in tokens.
    pub tokens: u32,
    /// Entries in the report.
    pub shown: BTreeSet<EntryId>,
    /// Entries that the report ceases to show since that of the day before, each with a moment on
    /// the day on which it does: the first one looked at when it does not show it.
    pub left: BTreeMap<EntryId, Timestamp>,
    /// The same for entries that it begins to show.
    pub entered: BTreeMap<EntryId, Timestamp>,
}

/// Returns the report of `now` and those of the next `days` days at the same time of day.
#[must_use]
pub fn outlook(
    now: Now,
    rules: Rules<'_>,
    settings: Settings<'_>,
    stores: &Stores<'_>,
    days: u32,
    start_of_day: StartOfDay<'_>,
) -> Vec<Day> {
    let report = |at: Timestamp| {
        let ranking = Ranking::new(Now(at), rules, stores.to_vec());
        let report = render::report(&ranking, rules.categories, settings);
        (report.tokens.0, report.shown(&ranking).collect::<BTreeSet<EntryId>>())
    };
    let mut found: Vec<Day> = Vec::new();
    for day in 0..=i64::from(days) {
        let at = Timestamp(now.0.0.saturating_add(day * DAY_MS));
        let (tokens, shown) = report(at);
        let (mut left, mut entered) = (BTreeMap::new(), BTreeMap::new());
        // A report at the end of each day between tells on which day something changed.
        let mut since = found.last().map(|day| (day.at, day.shown.clone()));
        while let Some((from, before)) = since.filter(|(_, before)| *before != shown) {
            let end = end_of_day(from, at, start_of_day);
            let after = if end == at { shown.clone() } else { report(end).1 };
            left.extend(before.difference(&after).map(|id| (*id, end)));
            entered.extend(after.difference(&before).map(|id| (*id, end)));
            since = (end < at).then_some((end, after));
        }
        found.push(Day { at, tokens, shown, left, entered });
    }
    found
}

/// Returns the last moment of the first day that begins after `from`, or of the day of `from` if
/// that is not over; at most `until`.
fn end_of_day(from: Timestamp, until: Timestamp, start_of_day: StartOfDay<'_>) -> Timestamp {
    let mut end = until;
    loop {
        let before = Timestamp(start_of_day(end).0.saturating_sub(1));
        if before <= from || before >= end {
            return end;
        }
        end = before;
    }
}

/// Returns true if the report of `at` shows an entry.
#[must_use]
pub fn shows(
    at: Timestamp,
    rules: Rules<'_>,
    settings: Settings<'_>,
    stores: &Stores<'_>,
    of: &LocatedEntry,
) -> bool {
    explain::shows(Now(at), rules, settings, stores.to_vec(), &of.wording())
}

/// What keeps an entry in the report if it is done now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept {
    pub act: Act,
    /// A moment on the day on which the report ceases to show the entry all the same; `None` if that
    /// is years away.
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
    of: &LocatedEntry,
    leaves: Timestamp,
    start_of_day: StartOfDay<'_>,
) -> Option<Kept> {
    let (after, wording) =
        (|kind: EventKind| ledgers_after(now, stores, of, &[kind]), of.wording());
    let shown = |at: Timestamp, ledgers: &[Ledger]| {
        shown_by(Now(at), rules, settings, stores, ledgers, &wording)
    };
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
        let end = end_of_day(day(low), day(high), start_of_day);
        if shown(end, &ledgers) { day(high) } else { end }
    });
    Some(Kept { act: Act::Reinforce(n), until })
}
