//! Explains why an entry is in the report or not: its score, its forecast, when it will leave, and the
//! cheapest act that would bring it in or keep it.
//!
//! Decides nothing: standing, place and verdict are those of the ranking and the selection.

use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
};

use super::{
    render::{self, RenderSettings, Report},
    select::ReportVerdict,
};
use crate::{
    model::{
        category::CategorySpec,
        entry::{EntryId, Share},
        event::{Author, Event, EventKind, MOST_PROOFS},
        time::{DAY_MS, Now, Timestamp},
    },
    score::{
        caps::CapPlace,
        ledger::Ledger,
        policy::Policy,
        ranking::{LocatedEntry, Ranking, RankingRules, ScoredEntry},
    },
};

/// Maximum number of reinforcements tried; also the most that one call may add.
const MOST: u32 = MOST_PROOFS;

/// The factors of a stability score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arithmetic {
    pub weight: f64,
    /// Days since the last reinforcement, by the store's clock.
    pub age_days: f64,
    /// The category's decay constant in days.
    pub tau_days: f64,
    /// exp(−age / τ).
    pub decay: f64,
    pub count: u64,
    /// ln(1 + count).
    pub evidence: f64,
}

impl Arithmetic {
    /// Returns the factors of a row's score, even if the row is pinned or forgotten.
    #[must_use]
    pub fn of(row: &ScoredEntry, spec: &CategorySpec) -> Self {
        let age_days = row.idle.days();
        Self {
            weight: row.evidence.cue.weight(),
            age_days,
            tau_days: spec.tau_days,
            decay: (-age_days / spec.tau_days).exp(),
            count: row.evidence.count,
            evidence: (row.evidence.count as f64).ln_1p(),
        }
    }

    /// The product of the factors.
    #[must_use]
    pub fn score(self) -> f64 {
        self.weight * self.decay * self.evidence
    }
}

/// An act that brings an entry into the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// Reinforce the entry this many times.
    Reinforce(u32),
    /// Restore the entry.
    Restore,
    /// Restore the entry, then reinforce it this many times.
    RestoreAndReinforce(u32),
    Prioritize,
    Pin,
    /// Review the entry.
    Trust,
    /// Say that what looks like a secret in it is none.
    LetOut,
}

impl Remedy {
    /// Returns the command that performs the act on the entry with this short id.
    #[must_use]
    pub fn command(self, short: &str) -> String {
        let reinforce = |n: u32| match n {
            1 => format!("pimem reinforce {short}"),
            n => format!("pimem reinforce --by {n} {short}"),
        };
        match self {
            Self::Reinforce(n) => reinforce(n),
            Self::Restore => format!("pimem restore {short}"),
            Self::RestoreAndReinforce(n) => format!("pimem restore {short} && {}", reinforce(n)),
            Self::Prioritize => format!("pimem edit {short} --priority 1"),
            Self::Pin => format!("pimem pin {short}"),
            Self::Trust => format!("pimem trust {short}"),
            Self::LetOut => format!("pimem trust --no-secret {short}"),
        }
    }
}

/// The entries of one or two stores, each store with its ledger.
pub type Stores<'a> = [(Vec<LocatedEntry>, &'a Ledger)];

/// A report of a part of the entries is not surely that of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unsure;

/// Makes reports of entries as they would be after an act, or at another time.
#[derive(Clone, Copy)]
pub struct ReportTrial<'a> {
    pub now: Now,
    pub rules: RankingRules<'a>,
    pub settings: RenderSettings<'a>,
    pub stores: &'a Stores<'a>,
}

/// An act of today that keeps an entry in the report, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptBy {
    pub act: Remedy,
    /// A moment on the day on which the report ceases to show the entry all the same; `None` if that
    /// is years away.
    pub until: Option<Timestamp>,
}

/// No act is followed for longer, in days: nobody plans so far.
const FURTHEST: i64 = 3 * 366;

/// Returns the first moment of the day that has a moment, where the reader is.
pub type StartOfDay<'a> = &'a dyn Fn(Timestamp) -> Timestamp;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DayOutlook {
    pub at: Timestamp,
    pub tokens: u32,
    pub shown: BTreeSet<EntryId>,
    /// Entries that the report ceases to show since that of the day before, each with a moment on
    /// the day on which it does: the first one looked at when it does not show it.
    pub left: BTreeMap<EntryId, Timestamp>,
    /// Entries that the report begins to show since that of the day before, each with a moment on
    /// the day on which it does.
    pub entered: BTreeMap<EntryId, Timestamp>,
}

impl ReportTrial<'_> {
    /// Returns the cheapest act that would bring a row into the report; `None` if no act would.
    ///
    /// # Errors
    /// Fails if a trial is not sure, which may be where entries are counted and not ranked.
    pub fn cheapest(self, row: &ScoredEntry) -> Result<Option<Remedy>, Unsure> {
        let is_sure = Cell::new(true);
        let act = self.found_cheapest(row, &is_sure);
        if is_sure.get() { Ok(act) } else { Err(Unsure) }
    }

    fn found_cheapest(self, row: &ScoredEntry, is_sure: &Cell<bool>) -> Option<Remedy> {
        let entry = &row.entry;
        let shows = |kinds: &[EventKind]| {
            self.shown_after(entry, kinds).unwrap_or_else(|Unsure| {
                is_sure.set(false);
                false
            })
        };
        if !entry.reviewed {
            let vouched = |known: &LocatedEntry| LocatedEntry {
                reviewed: known.reviewed || known.is_copy(entry),
                ..known.clone()
            };
            let store = |(placed, ledger): &(Vec<LocatedEntry>, _)| {
                (placed.iter().map(vouched).collect(), *ledger)
            };
            let stores: Vec<_> = self.stores.iter().map(store).collect();
            let shown = ReportTrial { stores: &stores, ..self }.shown_after(entry, &[]);
            is_sure.set(shown.is_ok());
            return (shown == Ok(true)).then_some(Remedy::Trust);
        }
        if row.entry.secret.is_some() {
            return Some(Remedy::LetOut);
        }
        let over = row.is_over();
        let back = over.then_some(EventKind::Restore);
        if over && shows(&[EventKind::Restore]) {
            return Some(Remedy::Restore);
        }
        let enough = |n: u32| {
            let reinforced = [EventKind::Reinforce(n)];
            shows(&back.iter().cloned().chain(reinforced).collect::<Vec<EventKind>>())
        };
        if let Some(n) = fewest(enough) {
            return Some(if over { Remedy::RestoreAndReinforce(n) } else { Remedy::Reinforce(n) });
        }
        let is_weighted = matches!(self.rules.policy, Policy::Weighted(_));
        if is_weighted && shows(&[EventKind::Priority(Share::clamped(1.0))]) {
            return Some(Remedy::Prioritize);
        }
        shows(&[EventKind::Pin]).then_some(Remedy::Pin)
    }

    /// Returns true if the report would show an entry after these events.
    fn shown_after(self, entry: &LocatedEntry, kinds: &[EventKind]) -> Result<bool, Unsure> {
        self.shows_by(self.now, self.with_ledgers(&self.ledgers_after(entry, kinds)), entry)
    }

    /// Returns the ledgers of the stores after these events of now in the store of the entry.
    fn ledgers_after(self, entry: &LocatedEntry, kinds: &[EventKind]) -> Vec<Ledger> {
        let is_there = |known: &LocatedEntry| known.scope == entry.scope && known.is_copy(entry);
        let ledger = |(placed, ledger): &(Vec<LocatedEntry>, &Ledger)| {
            let kinds = if placed.iter().any(is_there) { kinds } else { &[] };
            after(self.now, ledger, entry.id, kinds)
        };
        self.stores.iter().map(ledger).collect()
    }

    /// Returns the stores with these ledgers in place of their own.
    fn with_ledgers(self, ledgers: &[Ledger]) -> Vec<(Vec<LocatedEntry>, &Ledger)> {
        let stores = self.stores.iter().zip(ledgers);
        stores.map(|((placed, _), ledger)| (placed.clone(), ledger)).collect()
    }

    /// Returns true if the report of `at` and these stores would show an entry.
    fn shows_by(
        self,
        at: Now,
        stores: Vec<(Vec<LocatedEntry>, &Ledger)>,
        of: &LocatedEntry,
    ) -> Result<bool, Unsure> {
        let (ranking, report) = self.report(at, stores);
        if !report.is_sure {
            return Err(Unsure);
        }
        let row = ranking.find(&of.wording());
        let verdict = row.and_then(|row| report.verdict(&ranking, row));
        Ok(verdict.is_some_and(ReportVerdict::shown))
    }

    fn report(self, at: Now, stores: Vec<(Vec<LocatedEntry>, &Ledger)>) -> (Ranking, Report) {
        let ranking = Ranking::new(at, self.rules, stores);
        let settings = RenderSettings { reasons: false, ..self.settings };
        let report = render::report(&ranking, self.rules.categories, settings);
        (ranking, report)
    }

    /// Returns the report of now and those of the next `days` days at the same time of day.
    #[must_use]
    pub fn outlook(self, days: u32, start_of_day: StartOfDay<'_>) -> Vec<DayOutlook> {
        let report = |at: Timestamp| {
            let (ranking, report) = self.report(Now(at), self.stores.to_vec());
            (report.tokens.0, report.shown(&ranking).collect::<BTreeSet<EntryId>>())
        };
        let mut found: Vec<DayOutlook> = Vec::new();
        for day in 0..=i64::from(days) {
            let at = Timestamp(self.now.0.0.saturating_add(day * DAY_MS));
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
            found.push(DayOutlook { at, tokens, shown, left, entered });
        }
        found
    }

    /// Returns true if the report of a moment shows an entry.
    #[must_use]
    pub fn shows(self, at: Timestamp, of: &LocatedEntry) -> bool {
        self.shows_by(Now(at), self.stores.to_vec(), of) == Ok(true)
    }

    /// Returns the least that keeps an entry in the report of the day on which it would leave, found
    /// by trial like everything here. `None` if nothing does.
    #[must_use]
    pub fn kept(
        self,
        of: &LocatedEntry,
        leaves: Timestamp,
        start_of_day: StartOfDay<'_>,
    ) -> Option<KeptBy> {
        let after = |kind: EventKind| self.ledgers_after(of, &[kind]);
        let shown = |at: Timestamp, ledgers: &[Ledger]| {
            self.shows_by(Now(at), self.with_ledgers(ledgers), of) == Ok(true)
        };
        let reinforced = |n: u32| after(EventKind::Reinforce(n));
        let Some(n) = fewest(|n| shown(leaves, &reinforced(n))) else {
            let pinned = shown(leaves, &after(EventKind::Pin));
            return pinned.then_some(KeptBy { act: Remedy::Pin, until: None });
        };
        let ledgers = reinforced(n);
        let day = |days: i64| Timestamp(leaves.0.saturating_add(days * DAY_MS));
        let steps = std::iter::successors(Some(1), |days| Some(days * 2));
        let high =
            steps.take_while(|days| *days < FURTHEST).find(|days| !shown(day(*days), &ledgers));
        let until = high.map(|high| {
            let (mut low, mut high) = (high / 2, high);
            while high - low > 1 {
                let middle = i64::midpoint(low, high);
                if shown(day(middle), &ledgers) { low = middle } else { high = middle }
            }
            let end = end_of_day(day(low), day(high), start_of_day);
            if shown(end, &ledgers) { day(high) } else { end }
        });
        Some(KeptBy { act: Remedy::Reinforce(n), until })
    }
}

/// Returns the least number of reinforcements that is enough. More evidence never hurts, so it can
/// be found by bisection.
fn fewest(enough: impl Fn(u32) -> bool) -> Option<u32> {
    let most = std::iter::successors(Some(1), |n| Some(n * 2)).take_while(|n| *n < MOST);
    let high = most.chain([MOST]).find(|n| enough(*n))?;
    let (mut low, mut high) = (high / 2, high);
    while high - low > 1 {
        let middle = low.midpoint(high);
        if enough(middle) { high = middle } else { low = middle }
    }
    Some(high)
}

/// Returns the ledger with additional events about an entry, later than all others.
fn after(now: Now, ledger: &Ledger, entry: EntryId, kinds: &[EventKind]) -> Ledger {
    let mut ledger = ledger.clone();
    for kind in kinds {
        if let Some((ts, id)) = ledger.place(now, entry, kind, 0) {
            let (by, kind) = (Author::Person, kind.clone());
            ledger.fold(&Event { id, ts, entry, by, kind });
        }
    }
    ledger
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

impl ReportVerdict {
    /// Returns true if the entry could be shown and only has no room: what the report counts as more.
    #[must_use]
    pub fn wants_room(&self) -> bool {
        use CapPlace::{Elsewhere, Forgotten, Secret, Spent, Unreviewed, Unset};
        match self {
            Self::NoPlace(Elsewhere | Unset | Forgotten | Unreviewed | Secret | Spent)
            | Self::Superseded
            | Self::Expired
            | Self::OwnCopy
            | Self::Repeated
            | Self::Withheld(_) => false,
            _ => !self.shown(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        model::{
            category::{Categories, CategoryId},
            entry::EventId,
            event::Cue,
            time::{DAY_MS, Timestamp},
        },
        report::{budget::Tokens, render::GroundTruth},
        score::ranking::Scope,
    };

    const NOW: Now = Now(Timestamp(400 * DAY_MS));

    fn settings(budget: u32) -> RenderSettings<'static> {
        let ground_truth = GroundTruth::Off;
        RenderSettings {
            budget: Tokens(budget),
            ground_truth,
            remove_command: "",
            fill: None,
            reasons: true,
        }
    }

    /// Category, age in days, number of reinforcements, and a last event.
    type Entry = (u16, i64, u32, Option<EventKind>);

    fn store(entries: &[Entry]) -> (Vec<LocatedEntry>, Ledger) {
        let categories = Categories::default();
        let mut ledger = Ledger::default();
        let mut placed = Vec::new();
        for (number, (category, age, n, last)) in (0_u128..).zip(entries) {
            let category = CategoryId(*category);
            let text = format!("entry {number}");
            let id = EntryId::of(&categories.spec(category).name, text.as_bytes());
            let ts = Timestamp(NOW.0.0 - age * DAY_MS);
            let kinds = [
                Some(EventKind::Add(Cue::Explicit, None)),
                Some(EventKind::Reinforce(*n)),
                last.clone(),
            ];
            for (step, kind) in (0..).zip(kinds.into_iter().flatten()) {
                ledger.fold(&Event {
                    id: EventId(number * 4 + step),
                    ts,
                    entry: id,
                    by: Author::Person,
                    kind,
                });
            }
            let (topic, scope) = ("t".to_owned(), Scope::Project);
            placed.push(LocatedEntry {
                topic,
                scope,
                reviewed: true,
                ..LocatedEntry::new(id, category, text)
            });
        }
        (placed, ledger)
    }

    /// Returns the cheapest act for the first entry.
    fn act(entries: &[Entry], budget: u32) -> Option<Remedy> {
        let categories = Categories::default();
        let rules = RankingRules::new(&categories);
        let (placed, ledger) = store(entries);
        let id = placed[0].id;
        let stores = vec![(placed, &ledger)];
        let ranking = Ranking::new(NOW, rules, stores.clone());
        let trial = ReportTrial { now: NOW, rules, settings: settings(budget), stores: &stores };
        trial.cheapest(ranking.get(id).unwrap()).unwrap()
    }

    #[test]
    fn table() {
        let old = |last| (1, 300, 0, last);
        assert_eq!(act(&[old(None)], 1700), Some(Remedy::Reinforce(1)), "provisional is enough");
        assert_eq!(
            act(&[old(Some(EventKind::Forget))], 1700),
            Some(Remedy::RestoreAndReinforce(1))
        );
        let young = (1, 1, 30, Some(EventKind::Forget));
        assert_eq!(act(&[young], 1700), Some(Remedy::Restore));
        let expired = EventKind::Expire(Timestamp(0));
        assert_eq!(act(&[old(Some(expired))], 1700), Some(Remedy::RestoreAndReinforce(1)));
        assert_eq!(act(&[old(None)], 0), None, "no report, no act");
        // Eight places in the section and six in the pool are taken by entries with more evidence.
        let mut crowd = vec![old(None)];
        crowd.extend((0..14).map(|n| (1, 0, 40 + n, None)));
        // With a score equal to the weakest of them, it comes first by its id.
        assert_eq!(act(&crowd, 1700), Some(Remedy::Reinforce(40)));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn an_act_brings_it_in_and_less_does_not(
            entries in prop::collection::vec((0..6_u16, 0..200_i64, 0..40_u32, Just(None)), 1..40),
            budget in 60..1700_u32,
            fill in any::<bool>(),
        ) {
            let categories = Categories::default();
            let rules = RankingRules::new(&categories);
            let (placed, ledger) = store(&entries);
            let of = placed[0].clone();
            let stores = vec![(placed, &ledger)];
            let fill = fill.then_some("pimem search");
            let settings = RenderSettings { fill, ..settings(budget) };
            let trial = ReportTrial { now: NOW, rules, settings, stores: &stores };
            let shown = |kinds: &[EventKind]| trial.shown_after(&of, kinds).unwrap();
            let ranking = Ranking::new(NOW, rules, stores.clone());
            let row = ranking.find(&of.wording()).unwrap();
            let act = trial.cheapest(row).unwrap();
            if let Some(Remedy::Reinforce(n)) = act {
                prop_assert!(shown(&[EventKind::Reinforce(n)]));
                if n > 1 && !shown(&[]) {
                    prop_assert!(!shown(&[EventKind::Reinforce(n - 1)]));
                }
            }
        }

        #[test]
        fn the_factors_make_the_score(age in 0..500_i64, n in 0..100_u32, category in 0..6_u16) {
            let categories = Categories::default();
            let rules = RankingRules::new(&categories);
            let (placed, ledger) = store(&[(category, age, n, None)]);
            let ranking = Ranking::new(NOW, rules, vec![(placed, &ledger)]);
            let row = &ranking.rows[0];
            let arithmetic = Arithmetic::of(row, categories.spec(CategoryId(category)));
            prop_assert!((arithmetic.score() - row.standing.shown()).abs() < 1e-9);
        }
    }
}
