//! The entries of a large store that decide about its reports: few, so that a report need not read the
//! others.
//!
//! **Theorem.** Let `L` be the shortlist of a ranking under the policy `stability` by the calendar, and
//! `R` the rest. At any later time, as long as no event is about an entry of `R` and at most [`SLACK`]
//! events take something from entries of `L`, the report of `L` that counts `R` is that of both, if it
//! [is sure](super::render::Report::is_sure). Because:
//!
//! 1. All entries of `R` have only adds and reinforcements, so only time changes their scores, by one
//!    factor for all of a category: their order does not change, nor that of their first adds.
//! 2. So no entry of `R` gets a place before one of `L` of its category has lost one. `L` has
//!    [`SLACK`] more in each category than there are places by score and for the newest.
//! 3. No entry of `R` is about what one of `L` is about, so neither seems to replace the other.
//! 4. Where the budget is filled, entries come by lasting value, in a category those first that were
//!    reinforced last. The selection looks at the first entry of `R` in that order, and whether the
//!    shortest fits by then. What the last lines count is known of `R`.

use std::cmp::Reverse;

use super::{
    budget::{Tokens, showable},
    select::line_chars,
};
use crate::{
    language::slot::{SlotTopic, Slots},
    model::{
        category::{Categories, CategoryId, CategorySpec},
        entry::EntryId,
        event::Cue,
        hash::{IdMap, IdSet},
        operation::UserState,
        shares::{MANY_LINES, in_shares},
        time::{Now, Timestamp},
    },
    score::{
        caps::POOL,
        evidence::Evidence,
        ranking::{Ranking, RestOfCategory, ScoredEntry},
        stability::Score,
    },
};

/// Entries of a category beyond its places, and events that may take something from them.
pub const SLACK: usize = 16;
/// Of so many lines of a category the shortest one is on the list, as it may fit into what is left of a
/// budget.
const SHORT: usize = 32;

/// An entry that is not on the shortlist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RestEntry {
    pub id: EntryId,
    pub category: CategoryId,
    /// Characters of its line in a report.
    pub chars: usize,
    pub cue: Cue,
    /// The count of [`Evidence`].
    pub evidence: u64,
    pub last_reinforced: Timestamp,
}

impl RestEntry {
    /// Adds the entry to what is known of its category.
    pub fn count_in(&self, rest: &mut RestOfCategory, now: Now, spec: &CategorySpec) {
        rest.count += 1;
        rest.shortest = rest.shortest.min(self.chars);
        let idle = now.since(self.last_reinforced);
        if idle <= rest.first.0 {
            let score = Score::new(self.cue.weight(), idle, spec.tau_days, self.evidence);
            let first = (idle, score, self.id);
            let key = |(idle, score, id)| (Reverse(idle), score, Reverse(id));
            if key(first) > key(rest.first) {
                rest.first = first;
            }
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shortlist {
    pub ids: IdSet<EntryId>,
    pub rest: Vec<RestEntry>,
    /// The [`topics`] of the rest, sorted, each with its entry.
    pub about: Vec<(u64, EntryId)>,
}

/// Returns the shortlist for reports of up to `budget`. `always` returns true for entries about which
/// events of others tell too. `None` if it would have most of the entries.
#[must_use]
pub fn shortlist(
    ranking: &Ranking,
    categories: &Categories,
    budget: Tokens,
    always: impl Fn(&ScoredEntry) -> bool,
) -> Option<Shortlist> {
    let rows = &ranking.rows;
    if !ranking.policy.is_stability() || budget == Tokens::UNLIMITED {
        return None;
    }
    let related: IdSet<EntryId> = rows.iter().flat_map(|row| related(ranking, row)).collect();
    let is_in =
        |row: &ScoredEntry| is_special(row) || related.contains(&row.entry.id) || always(row);
    let mut listed: Vec<bool> = rows.iter().map(is_in).collect();
    let chars = in_shares(rows, MANY_LINES, |rows| rows.iter().map(line_chars).collect());
    for (category, spec) in categories.iter() {
        let of = |at: &usize| rows.get(*at).is_some_and(|row| row.entry.category == category);
        let mut all: Vec<usize> = (0..rows.len()).filter(of).collect();
        let places = spec.max_active.saturating_add(POOL + SLACK);
        let mut take = |some: &mut dyn Iterator<Item = &usize>| {
            some.for_each(|at| listed.get_mut(*at).into_iter().for_each(|listed| *listed = true));
        };
        // Rows are sorted best first.
        take(&mut all.iter().take(places));
        let row = |at: &usize| rows.get(*at);
        all.sort_by_key(|at| Reverse(row(at).map(|row| row.evidence.first_seen)));
        take(&mut all.iter().take(places));
        all.sort_by_key(|at| (Reverse(row(at).map(|row| row.evidence.last_reinforced)), *at));
        let mut taken = 0;
        take(&mut all.iter().take_while(|at| {
            let before = taken;
            taken += chars.get(**at).unwrap_or(&0);
            // The more have not fit, the less is left.
            before <= 3 * budget.chars() / 2
        }));
        all.sort_by_key(|at| chars.get(*at));
        take(&mut all.iter().take(SLACK.max(all.len() / SHORT)));
    }
    let about = about(rows, categories);
    close(&mut listed, &about);
    if listed.iter().filter(|listed| **listed).count() * 2 > rows.len() {
        return None;
    }
    let mut found = Shortlist::default();
    for (((row, listed), chars), about) in rows.iter().zip(listed).zip(chars).zip(about) {
        let (id, category) = (row.entry.id, row.entry.category);
        if listed {
            found.ids.insert(id);
            continue;
        }
        let Evidence { cue, count: evidence, last_reinforced, .. } = row.evidence;
        found.rest.push(RestEntry { id, category, chars, cue, evidence, last_reinforced });
        found.about.extend(about.into_iter().map(|topic| (topic, id)));
    }
    found.rest.sort_unstable_by_key(|entry| entry.id);
    found.about.sort_unstable();
    Some(found)
}

/// Returns true if an entry is more than text with adds and reinforcements, or has a place, or none for
/// another reason than room.
fn is_special(row: &ScoredEntry) -> bool {
    let (entry, known) = (&row.entry, &row.evidence);
    row.place.eligible()
        || !showable(row)
        || row.shared
        || entry.pinned
        || entry.secret.is_some()
        || entry.branch.is_some()
        || !entry.asides.rules.is_empty()
        || known.user != UserState::Auto
        || known.until.is_some()
        || !known.superseded_by.is_empty()
        || !known.outlived.is_empty()
}

/// Returns the entries of which one has replaced the other, by their present wordings.
fn related<'a>(
    ranking: &'a Ranking,
    row: &'a ScoredEntry,
) -> impl Iterator<Item = EntryId> + use<'a> {
    let ids = row.evidence.superseded_by.iter().chain(&row.evidence.outlived);
    ids.map(|id| ranking.former.get(id).copied().unwrap_or(*id))
}

/// Returns what each entry is about, with its category; nothing of those that never replace another.
fn about(rows: &[ScoredEntry], categories: &Categories) -> Vec<Vec<u64>> {
    let topics = |row: &ScoredEntry| -> Vec<u64> {
        if categories.spec(row.entry.category).traits.is_done {
            return Vec::new();
        }
        topics(row.entry.category, &row.entry.text)
    };
    in_shares(rows, MANY_LINES, |rows| rows.iter().map(topics).collect())
}

/// Returns what a text of a category is about, as hashes.
#[must_use]
pub fn topics(category: CategoryId, text: &str) -> Vec<u64> {
    let of = |topic: &SlotTopic| topic.hash.wrapping_add(u64::from(category.0));
    Slots::of(text).topics.iter().map(of).collect()
}

/// Adds what is about the same as one that is listed.
fn close(listed: &mut [bool], about: &[Vec<u64>]) {
    let mut rows: IdMap<u64, Vec<usize>> = IdMap::default();
    for (at, topics) in about.iter().enumerate() {
        for topic in topics {
            rows.entry(*topic).or_default().push(at);
        }
    }
    let mut open: Vec<usize> =
        (0..listed.len()).filter(|at| listed.get(*at) == Some(&true)).collect();
    while let Some(at) = open.pop() {
        for topic in about.get(at).into_iter().flatten() {
            // Who has found all of a topic need not look again.
            for other in rows.remove(topic).into_iter().flatten() {
                if let Some(listed) = listed.get_mut(other).filter(|listed| !**listed) {
                    *listed = true;
                    open.push(other);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        model::{
            entry::{EventId, Wording},
            event::{Author, Cue, Event, EventKind},
            time::{DAY_MS, Now},
        },
        report::{
            explain::{Remedy, ReportTrial, Unsure},
            render::{self, GroundTruth, RenderSettings, Report},
        },
        score::{
            ledger::Ledger,
            ranking::{LocatedEntry, RankingRules, RestOfCategory},
        },
    };

    const DAY: i64 = 100;

    /// An entry: its category, its words, the days of its add and of its last reinforcement, and how
    /// often it was reinforced.
    type Made = (u16, String, i64, i64, u32);

    struct Built {
        categories: Categories,
        entries: Vec<LocatedEntry>,
        ledger: Ledger,
    }

    impl Built {
        fn new(made: &[Made]) -> Self {
            let (categories, mut ledger) = (Categories::default(), Ledger::default());
            let mut entries = Vec::new();
            for (number, (category, words, first, last, times)) in (0_u32..).zip(made) {
                let category = CategoryId(*category);
                // A number would be a value of whatever stands before it.
                let digits = number.to_string();
                let name: String = digits.bytes().map(|digit| char::from(digit + 49)).collect();
                let text = format!("{words} {name}");
                let id = EntryId::of(&categories.spec(category).name, text.as_bytes());
                let events = [
                    (*first, EventKind::Add(Cue::Behavioral, None)),
                    (*first.max(last), EventKind::Reinforce(*times)),
                ];
                for (day, kind) in events.into_iter().take(if *times > 0 { 2 } else { 1 }) {
                    fold(&mut ledger, id, day, kind);
                }
                entries.push(LocatedEntry {
                    pinned: number % 97 == 0,
                    reviewed: true,
                    ..LocatedEntry::new(id, category, text)
                });
            }
            Self { categories, entries, ledger }
        }

        fn ranked(&self, day: i64, ledger: &Ledger, ids: Option<&IdSet<EntryId>>) -> Ranking {
            let mut entries = self.entries.clone();
            entries.retain(|entry| ids.is_none_or(|ids| ids.contains(&entry.id)));
            let now = Now(Timestamp(day * DAY_MS));
            Ranking::new(now, RankingRules::new(&self.categories), vec![(entries, ledger)])
        }

        fn report(&self, ranking: &Ranking, budget: u32) -> Report {
            render::report(ranking, &self.categories, settings(budget))
        }

        /// Returns what brings an entry in, found among all entries or those of a shortlist.
        fn cheapest(
            &self,
            day: i64,
            ledger: &Ledger,
            of: Option<&Shortlist>,
            budget: u32,
            wording: &Wording,
        ) -> Result<Option<Remedy>, Unsure> {
            let rest = of.map(|of| self.rest(day, &of.rest)).unwrap_or_default();
            let rules = RankingRules { rest: &rest, ..RankingRules::new(&self.categories) };
            let mut entries = self.entries.clone();
            entries.retain(|entry| of.is_none_or(|of| of.ids.contains(&entry.id)));
            let now = Now(Timestamp(day * DAY_MS));
            let stores = vec![(entries, ledger)];
            let ranking = Ranking::new(now, rules, stores.clone());
            let row = ranking.find(wording).unwrap();
            let settings = settings(budget);
            ReportTrial { now, rules, settings, stores: &stores }.cheapest(row)
        }

        fn rest(&self, day: i64, rest: &[RestEntry]) -> Vec<RestOfCategory> {
            let now = Now(Timestamp(day * DAY_MS));
            let mut found = vec![RestOfCategory::default(); self.categories.iter().count()];
            for entry in rest {
                let spec = self.categories.spec(entry.category);
                entry.count_in(&mut found[usize::from(entry.category.0)], now, spec);
            }
            found
        }
    }

    fn settings(budget: u32) -> RenderSettings<'static> {
        RenderSettings {
            budget: Tokens(budget),
            ground_truth: GroundTruth::Factual,
            remove_command: "",
            fill: Some("pimem search"),
            reasons: false,
        }
    }

    fn fold(ledger: &mut Ledger, entry: EntryId, day: i64, kind: EventKind) {
        let ts = Timestamp(day * DAY_MS);
        let id = EventId::new(ts, u128::from(entry.0) << 8 | ledger.len() as u128 & 0xff);
        ledger.fold(&Event { id, ts, entry, by: Author::Person, kind });
    }

    fn made() -> impl Strategy<Value = Vec<Made>> {
        let words = prop_oneof![
            4 => "[a-z]{2,9}( [a-z]{2,9}){1,24}",
            1 => "(Dates|Logs) (are|go through) (A1|B2|C3)",
        ];
        prop::collection::vec((0..3_u16, words, 0..DAY, 0..DAY, 0..4_u32), 500..700)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        /// A report of the shortlist that is sure is that of all entries.
        #[test]
        fn reports_are_those_of_all_entries(
            made in made(),
            budget in 60..500_u32,
            later in prop::sample::select(vec![0, 1, 20, 400]),
            events in prop::collection::vec((any::<prop::sample::Index>(), 0..6_u8), 0..40),
            at in any::<prop::sample::Index>(),
        ) {
            let built = Built::new(&made);
            let ranking = built.ranked(DAY, &built.ledger, None);
            let found = shortlist(&ranking, &built.categories, Tokens(500), |_| false);
            prop_assume!(found.is_some());
            let found = found.unwrap();
            let mut ledger = built.ledger.clone();
            let listed: Vec<&LocatedEntry> =
                built.entries.iter().filter(|entry| found.ids.contains(&entry.id)).collect();
            let mut taken = 0;
            for (at, what) in events {
                let takes = what > 3;
                if takes && taken == SLACK {
                    continue;
                }
                taken += usize::from(takes);
                let kind = match what {
                    4 => EventKind::Forget,
                    5 => EventKind::Supersede(at.get(&listed[7..]).id),
                    n => EventKind::Reinforce(u32::from(n) + 1),
                };
                fold(&mut ledger, at.get(&listed).id, DAY, kind);
            }
            let day = DAY + later;
            let all = built.ranked(day, &ledger, None);
            let whole = built.report(&all, budget);
            let mut part = built.ranked(day, &ledger, Some(&found.ids));
            part.rest = built.rest(day, &found.rest);
            let of = at.get(&listed).wording();
            let acts = [None, Some(&found)].map(|part| built.cheapest(day, &ledger, part, budget, &of));
            if let [Ok(whole), Ok(part)] = acts {
                prop_assert_eq!(part, whole);
            }
            prop_assert!(acts[0].is_ok());
            let part = built.report(&part, budget);
            prop_assert!(whole.is_sure);
            if part.is_sure {
                prop_assert_eq!(part.text.to_string(), whole.text.to_string());
                prop_assert_eq!(part.crowded, whole.crowded);
            }
        }
    }

    #[test]
    fn few_are_enough() {
        let words = ["cranes", "turn slowly", "ships", "wait", "ropes", "fray early", "at noon"];
        let made: Vec<Made> = (0..3_000_u16)
            .map(|at| {
                let word = |n: u16| words[usize::from(at % 7 * (n + 3) % 7)];
                let text: Vec<&str> = (0..2 + at * 7 % 19).map(word).collect();
                (at % 3, text.join(" "), i64::from(at % 80), i64::from(at % 90), u32::from(at % 3))
            })
            .collect();
        let built = Built::new(&made);
        let ranking = built.ranked(DAY, &built.ledger, None);
        let found = shortlist(&ranking, &built.categories, Tokens(500), |_| false).unwrap();
        assert!(found.ids.len() < 700, "{}", found.ids.len());
        assert_eq!(found.ids.len() + found.rest.len(), 3_000);
        for later in [0, 3, 30, 300] {
            let mut part = built.ranked(DAY + later, &built.ledger, Some(&found.ids));
            part.rest = built.rest(DAY + later, &found.rest);
            let part = built.report(&part, 500);
            assert!(part.is_sure, "{later}");
            let whole = built.report(&built.ranked(DAY + later, &built.ledger, None), 500);
            assert_eq!(part.text.to_string(), whole.text.to_string());
        }
    }
}
