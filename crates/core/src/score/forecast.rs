//! Forecasts when time alone changes the state of an entry or moves it out of a window, and which
//! entries move to the archive then.
//!
//! Explicit entries are never archived automatically. Time in which the store is not used does not
//! count either: a pause does not mean that an entry is no longer wanted.
//!
//! Other entries are ignored: caps and budgets depend on all of them together.

use super::{
    clock::{ActiveDays, Clock},
    evidence::Evidence,
    policy::{Policy, PolicyParts},
    ranking::ScoredEntry,
    stability::{Standing, State},
};
use crate::model::{
    category::{Categories, CategorySpec},
    event::{ArchiveReason, Cue},
    operation::UserState,
    time::{Age, DAY_MS, Now, Timestamp},
};

/// A change that happens to an entry by time alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ForecastTurn {
    Falls(State),
    /// The entry no longer counts as active for being new.
    NoLongerFresh,
    /// The entry's section shows only recent reinforcements, and its last one is now too old.
    LeavesWindow,
    /// The entry's last day is over.
    Expires,
}

impl ForecastTurn {
    /// Describes the change: `becomes candidate`, `expires` and so on, for an entry of a category.
    #[must_use]
    pub fn describe(self, spec: &CategorySpec) -> String {
        match self {
            Self::Falls(state) => format!("becomes {}", state.name()),
            Self::NoLongerFresh => "is no longer new".to_owned(),
            Self::LeavesWindow => {
                let days = spec.window_days.unwrap_or_default();
                format!("leaves its section: not reinforced for {days} days")
            }
            Self::Expires => "expires".to_owned(),
        }
    }
}

/// Returns the changes from `now` on, in order of time. Each moment is the first at which the new
/// state holds.
#[must_use]
pub fn turns(
    now: Now,
    clock: Clock,
    policy: Policy,
    row: &ScoredEntry,
    spec: &CategorySpec,
) -> Vec<(Timestamp, ForecastTurn)> {
    let evidence = &row.evidence;
    let mut found: Vec<(Timestamp, ForecastTurn)> = Vec::new();
    // The moment at which an age that is `since` now reaches `length` milliseconds.
    let when = |since: Age, length: i64| {
        let since = i64::try_from(since.0).unwrap_or(i64::MAX);
        let more = length.saturating_sub(since);
        (more > 0).then(|| clock.reached(now, more))
    };
    if let (Standing::Scored(_), Some(judged)) = (row.standing, &row.judged) {
        // Under `weighted` time changes no state by itself.
        if let (PolicyParts::Ebbinghaus(parts), Policy::Ebbinghaus(fading)) = (judged.parts, policy)
        {
            let falls = |state: State| {
                let least = fading.least(state)?;
                let length = parts.falls_below(least)?;
                let next = fading.state(least.next_down());
                Some((when(parts.idle, length)?, ForecastTurn::Falls(next)))
            };
            found.extend(State::ALL.into_iter().filter_map(falls));
        }
    } else if let Standing::Scored(_) = row.standing {
        let below = |state: State| {
            let length = falls_below(evidence, spec, state.least()?)?;
            Some((when(row.idle, length)?, ForecastTurn::Falls(state.next()?)))
        };
        found.extend(State::ALL.into_iter().filter_map(below));
        let half_life = days(spec.tau_days * std::f64::consts::LN_2);
        let until = when(row.known_for, half_life).filter(|_| row.fresh);
        found.extend(until.map(|until| (until, ForecastTurn::NoLongerFresh)));
        let window =
            |length: f64| Some((when(row.idle, days(length))?, ForecastTurn::LeavesWindow));
        found.extend(spec.window_days.and_then(window));
    }
    let after = |until: Timestamp| Timestamp(until.0.saturating_add(1));
    found.extend(evidence.until.map(|until| (after(until), ForecastTurn::Expires)));
    found.retain(|(at, _)| *at > now.0);
    found.sort_unstable();
    found.dedup();
    found
}

/// Returns the least Δt, in milliseconds, at which the score is below `least`: w × exp(−Δt/τ) ×
/// ln(1 + n) solved for Δt. `None` if the score was never that high.
fn falls_below(evidence: &Evidence, spec: &CategorySpec, least: f64) -> Option<i64> {
    let at_first = evidence.cue.weight() * (evidence.count as f64).ln_1p();
    let age = spec.tau_days * (at_first / least).ln();
    (age >= 0.0).then(|| days(age).saturating_add(1))
}

#[expect(clippy::cast_possible_truncation, reason = "conversion of floats saturates")]
fn days(days: f64) -> i64 {
    (days * DAY_MS as f64).ceil() as i64
}

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
pub fn goes_unasked(now: Now, row: &ScoredEntry, days: &ActiveDays) -> bool {
    let last = row.evidence.touched.max(row.evidence.last_reinforced);
    is_free(row) && row.evidence.cue != Cue::Explicit && days.between(last, now.0) >= USED
}

/// Returns the reason to record when an entry is archived now.
#[must_use]
pub fn why_archived(row: &ScoredEntry, categories: &Categories) -> ArchiveReason {
    let tau = categories.spec(row.entry.category).tau_days;
    if row.expired || row.superseded_by.is_some() {
        ArchiveReason::Replaced
    } else if is_dropped(row) || row.untouched.days() >= 2.0 * tau {
        ArchiveReason::Age
    } else {
        ArchiveReason::Person
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        model::{
            category::Categories,
            entry::{EntryId, EventId},
            event::{Author, Cue, Event, EventKind},
        },
        score::{
            ledger::Ledger,
            ranking::{LocatedEntry, Ranking, RankingRules, Scope},
        },
    };

    /// Returns the row of one entry at `now`, reinforced `n` times on day 0.
    fn row(now: Timestamp, category: &str, n: u32, until: Option<Timestamp>) -> ScoredEntry {
        row_by(Clock::Calendar, now, category, n, until)
    }

    /// Like [`row`], in a store that was used on a few more days.
    fn row_by(
        clock: Clock,
        now: Timestamp,
        category: &str,
        n: u32,
        until: Option<Timestamp>,
    ) -> ScoredEntry {
        let categories = Categories::default();
        let category = categories.find(category).unwrap();
        let id = EntryId(7);
        let kinds = [
            Some(EventKind::Add(Cue::Explicit, None)),
            (n > 0).then_some(EventKind::Reinforce(n)),
            until.map(EventKind::Expire),
        ];
        let mut ledger = Ledger::default();
        for (number, kind) in (0..).zip(kinds.into_iter().flatten()) {
            ledger.fold(&Event {
                id: EventId(number),
                ts: Timestamp(0),
                entry: id,
                by: Author::Person,
                kind,
            });
        }
        for day in [1, 2, 5, 6, 9, 14, 15, 16, 20, 30, 31, 39] {
            let (id, ts, entry) = (EventId(100), Timestamp(day * DAY_MS + 5), EntryId(8));
            let kind = EventKind::Reinforce(1);
            ledger.fold(&Event { id, ts, entry, by: Author::Program, kind });
        }
        let (text, topic) = ("text".to_owned(), "t".to_owned());
        let scope = Scope::Project;
        let placed =
            LocatedEntry { topic, scope, reviewed: true, ..LocatedEntry::new(id, category, text) };
        let rules = RankingRules { clock, ..RankingRules::new(&categories) };
        Ranking::new(Now(now), rules, vec![(vec![placed], &ledger)]).rows.remove(0)
    }

    fn told(now: i64, category: &str, n: u32, until: Option<Timestamp>) -> Vec<String> {
        let categories = Categories::default();
        let spec = categories.spec(categories.find(category).unwrap());
        let now = Timestamp(now * DAY_MS);
        let turns = turns(
            Now(now),
            Clock::Calendar,
            Policy::Stability,
            &row(now, category, n, until),
            spec,
        );
        let day = |at: Timestamp| at.0 as f64 / DAY_MS as f64;
        turns.into_iter().map(|(at, turn)| format!("{:.1} {turn:?}", day(at))).collect()
    }

    #[test]
    fn table() {
        // ln 2 is below provisional from the start; the half-life of 60 days is 41.6.
        assert_eq!(told(0, "lesson", 0, None), ["33.0 Falls(Dropped)", "41.6 NoLongerFresh"]);
        assert_eq!(
            told(0, "lesson", 9, None),
            [
                "28.1 Falls(Provisional)",
                "41.6 NoLongerFresh",
                "73.9 Falls(Candidate)",
                "107.5 Falls(Dropped)"
            ]
        );
        assert_eq!(told(80, "lesson", 9, None), ["107.5 Falls(Dropped)"]);
        assert_eq!(told(1, "done", 0, None)[0], "3.0 LeavesWindow");
        let until = Some(Timestamp(5 * DAY_MS - 1));
        assert_eq!(told(0, "done", 0, until)[1], "5.0 Expires");
        assert_eq!(told(200, "lesson", 0, until), [""; 0]);
    }

    proptest! {
        #[test]
        fn a_turn_is_when_the_board_says_so(day in 0..50_i64, n in 0..200_u32, at in 0..3_usize) {
            let category = ["lesson", "decision", "mistake"][at];
            let categories = Categories::default();
            let spec = categories.spec(categories.find(category).unwrap());
            let now = Timestamp(day * DAY_MS);
            for (moment, turn) in turns(Now(now), Clock::Calendar, Policy::Stability, &row(now, category, n, None), spec) {
                let then = |shift: i64| row(Timestamp(moment.0 + shift), category, n, None);
                match turn {
                    ForecastTurn::Falls(state) => {
                        prop_assert_eq!(then(0).standing.state(), state);
                        prop_assert!(then(-3).standing.state() > state);
                    }
                    ForecastTurn::NoLongerFresh => prop_assert!(!then(0).fresh && then(-1).fresh),
                    ForecastTurn::LeavesWindow | ForecastTurn::Expires => {}
                }
            }
        }

        #[test]
        fn a_turn_by_days_of_use_too(hour in 0..1_200_i64, n in 0..200_u32, at in 0..3_usize) {
            let category = ["lesson", "decision", "done"][at];
            let categories = Categories::default();
            let spec = categories.spec(categories.find(category).unwrap());
            let now = Timestamp(hour * 3_600_000);
            let clock = Clock::Active(Now(now));
            let of = |at: Timestamp| row_by(clock, at, category, n, None);
            for (moment, turn) in turns(Now(now), clock, Policy::Stability, &of(now), spec) {
                prop_assert!(moment > now);
                let (then, before) = (of(moment), of(Timestamp(moment.0 - 1)));
                match turn {
                    ForecastTurn::Falls(state) => {
                        prop_assert_eq!(then.standing.state(), state);
                        prop_assert!(before.standing.state() > state);
                    }
                    ForecastTurn::NoLongerFresh => prop_assert!(!then.fresh && before.fresh),
                    ForecastTurn::LeavesWindow => {
                        let window = spec.window_days.unwrap();
                        prop_assert!(then.idle.days() >= window && before.idle.days() < window);
                    }
                    ForecastTurn::Expires => {}
                }
            }
        }
    }
}
