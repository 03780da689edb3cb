//! Detects entries that seem to be replaced: somebody chose another entry later that gives another
//! value to the same subject, but did not say that it supersedes them.
//!
//! The newest choice is the latest typed act (see [`Evidence::choice`]), as for supersession. What
//! seems to be replaced yields its place where places are scarce. It is not withheld while there
//! is room.
//!
//! [`Evidence::choice`]: crate::score::evidence::Evidence::choice

use std::{
    borrow::Cow,
    cell::OnceCell,
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
    hash::Hash,
};

use crate::{
    gate::{Facts, Mark, Verdict},
    language::{
        slot::{SlotTopic, Slots},
        words::WordIndex,
    },
    model::{
        category::{Categories, CategorySpec},
        entry::EntryId,
        event::Order,
        hash::IdMap,
        time::{DAY_MS, Timestamp},
    },
    score::{
        caps::CapPlace,
        evidence::Evidence,
        ranking::{Ranking, ScoredEntry},
    },
};

/// Minimum time between the first adds: what came on one day belongs together.
const APART_MS: i64 = DAY_MS;
/// Maximum number of entries of one subject that an entry is compared with, the newest choices.
const RIVALS: usize = 64;

/// Returns true if a new text may seem to replace one of `others`, which are of its category.
#[must_use]
pub fn may_replace<'a>(
    text: &str,
    spec: &CategorySpec,
    mut others: impl Iterator<Item = &'a str>,
) -> bool {
    let slots = Slots::of(text);
    let replaces = |other| slots.may_share_a_topic(other) && slots.replaces(&Slots::of(other));
    !spec.traits.is_done && others.any(replaces)
}

/// Returns true if one of two entries counts instead of the other, by the evidence of both and by how
/// far up their stores are: it is a newer choice, or a nearer one.
#[must_use]
pub fn is_newer(one: (&Evidence, u8), other: (&Evidence, u8)) -> bool {
    let of = |(evidence, levels)| Chosen::of(evidence, levels);
    of(one).is_newer(&of(other))
}

/// Returns the pairs of texts, each given by its place, of which the second gives another value to the
/// subject of the first. Only those of one group are compared, and the first `is_sought`.
#[must_use]
pub fn pairs<'a, G: Eq + Hash>(
    texts: impl Iterator<Item = (G, usize, &'a str)>,
    is_sought: impl Fn(usize) -> bool,
) -> Vec<(usize, usize)> {
    let mut groups: HashMap<G, Vec<(usize, &str)>> = HashMap::new();
    for (group, at, text) in texts {
        groups.entry(group).or_default().push((at, text));
    }
    let mut found = Vec::new();
    for group in groups.into_values() {
        if group.len() < 2 || !group.iter().any(|(at, _)| is_sought(*at)) {
            continue;
        }
        let slots: Vec<(usize, Slots)> =
            group.into_iter().map(|(at, text)| (at, Slots::of(text))).collect();
        for (older, one) in slots.iter().filter(|(at, _)| is_sought(*at)) {
            let newer = slots.iter().filter(|(at, other)| at != older && other.replaces(one));
            found.extend(newer.map(|(newer, _)| (*older, *newer)));
        }
    }
    found
}

/// Returns the first `limit` places in the order in which they are shown: each stands directly after
/// its successor, whose place `above` has for it, and which is shown before all others.
#[must_use]
pub fn below_successors(above: &[Option<usize>], limit: usize) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::new();
    for at in 0..above.len() {
        // The newest stands first, then those that it seems to replace, the newer ones first.
        let mut chain = Vec::new();
        let mut next = Some(at);
        while let Some(at) = next.filter(|at| !order.contains(at) && !chain.contains(at)) {
            chain.push(at);
            next = above.get(at).copied().flatten();
        }
        order.extend(chain.into_iter().rev());
        if order.len() >= limit {
            break;
        }
    }
    order.truncate(limit);
    // One that is shown anyway moves up to its successor.
    let mut sorted: Vec<usize> = Vec::new();
    for at in &order {
        if sorted.contains(at) {
            continue;
        }
        let mut open = vec![*at];
        while let Some(at) = open.pop() {
            sorted.push(at);
            let below = order.iter().filter(|low| above.get(**low) == Some(&Some(at)));
            let below: Vec<usize> = below.filter(|low| !sorted.contains(low)).copied().collect();
            open.extend(below.into_iter().rev());
        }
    }
    sorted
}

/// What tells which of two entries is the newer choice.
struct Chosen {
    first_seen: Timestamp,
    choice: Order,
    /// How far up its store is: what a nearer one says counts instead, whenever it was said.
    levels: u8,
}

impl Chosen {
    fn of(evidence: &Evidence, levels: u8) -> Self {
        Self { first_seen: evidence.first_seen, choice: evidence.choice(), levels }
    }

    fn is_newer(&self, other: &Self) -> bool {
        if self.levels != other.levels {
            return self.levels < other.levels;
        }
        let apart = self.first_seen.0.abs_diff(other.first_seen.0) >= APART_MS.unsigned_abs();
        apart && self.choice > other.choice
    }
}

/// Returns true if an entry is out of force anyway.
fn is_gone(row: &ScoredEntry) -> bool {
    matches!(
        row.place,
        CapPlace::Forgotten | CapPlace::Excluded | CapPlace::Unreviewed | CapPlace::Secret
    )
}

/// The entries of a ranking, indexed for comparison with others of their category.
pub struct Newer<'a> {
    ranking: &'a Ranking,
    /// For each category, the rows that may replace another or be replaced.
    alike: Vec<Alike>,
    /// When each row was first added and last chosen.
    chosen: Vec<Chosen>,
    /// Pairs of rows of which one replaced the other at some time and both are in force: for the older
    /// choice the first newer one.
    linked: BTreeMap<usize, usize>,
}

/// Rows of a category, by their words: only of those that may be about the same the values are read.
#[derive(Default)]
struct Alike {
    rows: Vec<usize>,
    /// The values of each row.
    slots: OnceCell<Vec<OnceCell<Box<Slots>>>>,
    words: OnceCell<WordIndex>,
    newest: OnceCell<Vec<Newest>>,
}

/// A choice, and the earliest and latest first adds among those up to it, the newest choice first.
struct Newest {
    choice: Order,
    first_seen: (Timestamp, Timestamp),
}

impl Alike {
    /// Returns true if one of the rows is a newer choice, whatever it is about.
    fn has_newer(&self, all: &[Chosen], than: &Chosen) -> bool {
        if than.levels > 0 {
            return true;
        }
        let newest = self.newest.get_or_init(|| {
            let mut rows: Vec<&Chosen> = self.rows.iter().filter_map(|at| all.get(*at)).collect();
            rows.sort_unstable_by_key(|row| Reverse(row.choice));
            let mut newest: Vec<Newest> = Vec::with_capacity(rows.len());
            for Chosen { choice, first_seen, .. } in rows {
                let (from, to) =
                    newest.last().map_or((*first_seen, *first_seen), |last| last.first_seen);
                let first_seen = (from.min(*first_seen), to.max(*first_seen));
                newest.push(Newest { choice: *choice, first_seen });
            }
            newest
        });
        let end = newest.partition_point(|one| one.choice > than.choice);
        let Some(Newest { first_seen: (from, to), .. }) =
            end.checked_sub(1).and_then(|at| newest.get(at))
        else {
            return false;
        };
        let apart = |first_seen: &Timestamp| first_seen.0.abs_diff(than.first_seen.0);
        apart(from).max(apart(to)) >= APART_MS.unsigned_abs()
    }

    /// Returns the row of the highest rank, of those that have one and for which `fits` is true of its
    /// values; of equal ranks the last one.
    fn best_for<R: Ord>(
        &self,
        all: (&Ranking, &[Chosen]),
        slots: &Slots,
        fits: impl Fn(&Slots) -> bool,
        rank: impl Fn(usize) -> Option<R>,
    ) -> Option<usize> {
        let rivals = slots.topics.iter().flat_map(|topic| self.about(all, topic));
        let fitting = rivals.filter(|at| self.slots_at(all.0, *at).is_some_and(&fits));
        let ranked = fitting.filter_map(|at| {
            let row = *self.rows.get(at)?;
            Some((rank(row)?, row))
        });
        ranked.max().map(|(_, row)| row)
    }

    /// Returns the rows about a topic, the newest choices, as indexes of `rows`.
    fn about(&self, (ranking, chosen): (&Ranking, &[Chosen]), topic: &SlotTopic) -> Vec<usize> {
        let has = |at: &usize| {
            let slots = self.slots_at(ranking, *at);
            slots.is_some_and(|slots| slots.topics.iter().any(|one| one.hash == topic.hash))
        };
        let words = || self.words.get_or_init(|| WordIndex::new(self.texts(ranking)));
        let mut rows: Vec<usize> = match topic.word {
            Some(word) => words().with(word).filter(has).collect(),
            None => (0..self.rows.len()).filter(has).collect(),
        };
        rows.dedup();
        if rows.len() > RIVALS {
            let choice = |at: &usize| Some(chosen.get(*self.rows.get(*at)?)?.choice);
            rows.sort_unstable_by_key(|at| (Reverse(choice(at)), Reverse(*at)));
            rows.truncate(RIVALS);
        }
        rows
    }

    fn texts<'a>(&'a self, ranking: &'a Ranking) -> impl Iterator<Item = &'a str> {
        self.rows.iter().map(|at| ranking.rows.get(*at).map_or("", |row| &row.entry.text))
    }

    /// Returns the values of one of the rows, by its index in the ranking.
    fn slots_of(&self, ranking: &Ranking, row: usize) -> Option<&Slots> {
        // They are in order.
        self.slots_at(ranking, self.rows.binary_search(&row).ok()?)
    }

    fn slots_at(&self, ranking: &Ranking, at: usize) -> Option<&Slots> {
        let slots = self.slots.get_or_init(|| self.rows.iter().map(|_| OnceCell::new()).collect());
        let text = || ranking.rows.get(*self.rows.get(at)?).map(|row| row.entry.text.as_str());
        Some(slots.get(at)?.get_or_init(|| Box::new(text().map(Slots::of).unwrap_or_default())))
    }
}

impl<'a> Newer<'a> {
    #[must_use]
    pub fn new(ranking: &'a Ranking, categories: &Categories) -> Self {
        let mut alike: Vec<Alike> = categories.iter().map(|_| Alike::default()).collect();
        let mut linked = BTreeMap::new();
        let in_force: OnceCell<IdMap<EntryId, usize>> = OnceCell::new();
        for (at, row) in ranking.rows.iter().enumerate() {
            let gone = is_gone(row);
            // Each completion stands for itself, however similar two are.
            let single = categories.spec(row.entry.category).traits.is_done;
            // A branch decides nothing before it is merged.
            let single = single || row.entry.branch.is_some();
            if let Some(alike) =
                alike.get_mut(usize::from(row.entry.category.0)).filter(|_| !gone && !single)
            {
                alike.rows.push(at);
            }
            for other in row.outlived.iter().filter(|_| !gone) {
                let rows = || {
                    let rows = ranking.rows.iter().enumerate().rev();
                    rows.filter(|(_, row)| !is_gone(row))
                        .map(|(at, row)| (row.entry.id, at))
                        .collect()
                };
                let Some(other) = in_force.get_or_init(rows).get(other).copied() else { continue };
                let choice = |at: usize| ranking.rows.get(at).map(|row| row.evidence.choice());
                let is_older = choice(other) < choice(at);
                let (older, newer) = if is_older { (other, at) } else { (at, other) };
                linked.entry(older).or_insert(newer);
            }
        }
        let chosen = |row: &ScoredEntry| Chosen::of(&row.evidence, row.entry.scope.levels());
        let chosen = ranking.rows.iter().map(chosen).collect();
        Self { ranking, alike, chosen, linked }
    }

    /// Returns the newer entry that seems to replace the row at index `at`: one that replaced it
    /// before, or the newest one of its subject.
    #[must_use]
    pub fn seems_to_replace(&self, at: usize) -> Option<EntryId> {
        self.successor(at).and_then(|by| self.ranking.rows.get(by)).map(|row| row.entry.id)
    }

    /// Returns true if the row at index `at` and a newer choice replaced one another.
    pub(super) fn is_linked(&self, at: usize) -> bool {
        self.linked.contains_key(&at)
    }

    /// Like [`seems_to_replace`](Self::seems_to_replace), as the index of a row.
    pub(super) fn successor(&self, at: usize) -> Option<usize> {
        if let Some(newer) = self.linked.get(&at) {
            return Some(*newer);
        }
        let (row, chosen) = (self.ranking.rows.get(at)?, self.chosen.get(at)?);
        // Few entries are so old that another one is newer.
        let alike = self.alike.get(usize::from(row.entry.category.0))?;
        let newer = |other: usize| self.chosen.get(other).filter(|other| other.is_newer(chosen));
        if !alike.has_newer(&self.chosen, chosen) {
            return None;
        }
        let all = (self.ranking, self.chosen.as_slice());
        let own = || Cow::Owned(Slots::of(&row.entry.text));
        let slots = alike.slots_of(self.ranking, at).map_or_else(own, Cow::Borrowed);
        let by = |other: &Slots| other.replaces(&slots);
        alike.best_for(all, &slots, by, |other| Some(newer(other)?.choice))
    }

    /// Returns the entry that a new one seems to replace: the newest one of its category and
    /// store for which `was_there` returns true. Who adds it is asked at once, so lines of the same
    /// day count too.
    #[must_use]
    pub fn seems_replaced_by(
        &self,
        new: &ScoredEntry,
        was_there: impl Fn(&ScoredEntry) -> bool,
    ) -> Option<&'a ScoredEntry> {
        let alike = self.alike.get(usize::from(new.entry.category.0))?;
        let first_seen = |at: usize| {
            let row = self.ranking.rows.get(at)?;
            let counts = row.entry.scope == new.entry.scope && was_there(row);
            counts.then_some(row.evidence.first_seen)
        };
        let slots = Slots::of(&new.entry.text);
        let all = (self.ranking, self.chosen.as_slice());
        let found = alike.best_for(all, &slots, |other| slots.replaces(other), first_seen)?;
        self.ranking.rows.get(found)
    }

    /// Returns the entry that was a newer choice than another before that was chosen again, and now
    /// yields to it; the newest of them. `was` is the former choice of the other.
    #[must_use]
    pub fn overtaken(&self, by: &ScoredEntry, was: Order) -> Option<&'a ScoredEntry> {
        let rows = &self.ranking.rows;
        let overtook = |(at, row): &(usize, &ScoredEntry)| {
            // Comparing texts comes last: it takes longest.
            row.evidence.choice() > was
                && !is_gone(row)
                && self
                    .successor(*at)
                    .and_then(|at| rows.get(at))
                    .is_some_and(|row| row.entry.is_copy(&by.entry))
        };
        let found = rows.iter().enumerate().filter(|_| !is_gone(by)).filter(overtook);
        found.map(|(_, row)| row).max_by_key(|row| row.evidence.choice())
    }
}

/// The entries that the gate gives with the mark that a newer choice seems to replace them. Each is
/// looked at when it is asked for.
pub struct ReplacedMarks<'a> {
    newer: Newer<'a>,
    rows: IdMap<EntryId, usize>,
}

impl<'a> ReplacedMarks<'a> {
    #[must_use]
    pub fn new(ranking: &'a Ranking, categories: &Categories) -> Self {
        let rows = ranking.rows.iter().enumerate().map(|(at, row)| (row.entry.id, at)).collect();
        Self { newer: Newer::new(ranking, categories), rows }
    }

    /// Returns the choice that seems to replace an entry, if it has the mark.
    #[must_use]
    pub fn of(&self, id: EntryId) -> Option<EntryId> {
        let at = *self.rows.get(&id)?;
        let row = self.newer.ranking.rows.get(at)?;
        let facts = Facts { yields_to: self.newer.seems_to_replace(at), ..row.facts() };
        match facts.verdict() {
            Verdict::Marked(Mark::SeemsReplaced(by)) => Some(by),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        model::{
            entry::EventId,
            event::{Author, Cue, Event, EventKind},
            time::{Now, Timestamp},
        },
        report::{
            budget::Tokens,
            render::{GroundTruth, RenderSettings, report},
            select::ReportVerdict,
        },
        score::{
            ledger::Ledger,
            ranking::{LocatedEntry, RankingRules},
        },
    };

    const TEXTS: [&str; 3] = [
        "Releases are signed with Cosign",
        "Releases are signed with Notation",
        "Cranes are painted blue",
    ];

    /// Ranks the three texts on day 30 after events, each with the number of its text and its day.
    fn ranked(categories: &Categories, events: &[(usize, i64, Author, EventKind)]) -> Ranking {
        ranked_texts(categories, &TEXTS.map(str::to_owned), events)
    }

    fn ranked_texts(
        categories: &Categories,
        texts: &[String],
        events: &[(usize, i64, Author, EventKind)],
    ) -> Ranking {
        let (category, spec) = categories.iter().nth(1).unwrap();
        let id = |at: usize| EntryId::of(&spec.name, texts[at].as_bytes());
        let mut ledger = Ledger::default();
        for (number, (at, day, by, kind)) in (0..).zip(events) {
            let ts = Timestamp(day * DAY_MS);
            let kind = match kind {
                EventKind::Supersede(by) => {
                    EventKind::Supersede(id(usize::try_from(by.0).unwrap()))
                }
                kind => kind.clone(),
            };
            ledger.fold(&Event { id: EventId::new(ts, number), ts, entry: id(*at), by: *by, kind });
        }
        let located = |at: usize| LocatedEntry {
            line: at,
            reviewed: true,
            ..LocatedEntry::new(id(at), category, texts[at].clone())
        };
        let placed = (0..texts.len()).map(located).collect();
        Ranking::new(
            Now(Timestamp(30 * DAY_MS)),
            RankingRules::new(categories),
            vec![(placed, &ledger)],
        )
    }

    proptest! {
        /// The search by subjects finds what a comparison with all other texts finds.
        #[test]
        fn as_if_all_were_compared(
            texts in prop::collection::btree_set("(Dates|Logs) (are|go through) (A1|B2|C3)( for (x|y))?", 2..24),
            days in prop::collection::vec(0..30_i64, 24),
        ) {
            let categories = Categories::default();
            let texts: Vec<String> = texts.into_iter().collect();
            let add = |at: usize| {
                (at, days[at], Author::Person, EventKind::Add(Cue::Explicit, None))
            };
            let events: Vec<_> = (0..texts.len()).map(add).collect();
            let ranking = ranked_texts(&categories, &texts, &events);
            let newer = Newer::new(&ranking, &categories);
            let slots: Vec<Slots> =
                ranking.rows.iter().map(|row| Slots::of(&row.entry.text)).collect();
            for at in 0..slots.len() {
                let others = (0..slots.len()).filter(|other| {
                    newer.chosen[*other].is_newer(&newer.chosen[at])
                        && slots[*other].replaces(&slots[at])
                });
                let want = others.max_by_key(|other| (newer.chosen[*other].choice, *other));
                prop_assert_eq!(newer.successor(at), want);
            }
        }
    }

    #[test]
    fn the_newest_choice_stands() {
        use Author::{Person, Program};
        let categories = Categories::default();
        let add = || EventKind::Add(Cue::Explicit, None);
        let (again, machine) = (EventKind::Reinforce(1), Author::Program);
        let by = |at: u64| EventKind::Supersede(EntryId(at));
        let both = [(0, 1, Person, add()), (1, 3, Person, add())];
        // What follows, and the older and the newer choice.
        for (what, more, want) in [
            ("nothing", vec![], Some((0, 1))),
            ("it is said again", vec![(0, 4, Person, add())], Some((1, 0))),
            ("it is confirmed", vec![(0, 4, Person, again.clone())], Some((1, 0))),
            ("it is restored", vec![(0, 4, Person, EventKind::Restore)], Some((1, 0))),
            ("a hook confirms it", vec![(0, 4, Program, again.clone())], Some((0, 1))),
            (
                "the other is confirmed last",
                vec![(0, 4, Person, again.clone()), (1, 5, Person, again.clone())],
                Some((0, 1)),
            ),
            (
                "it was replaced by something unlike, and is said again",
                vec![(0, 5, Person, by(2)), (0, 6, Person, add())],
                Some((2, 0)),
            ),
        ] {
            let events: Vec<_> =
                both.iter().cloned().chain([(2, 2, machine, add())]).chain(more).collect();
            let ranking = ranked(&categories, &events);
            let newer = Newer::new(&ranking, &categories);
            let at = |text: usize| {
                ranking.rows.iter().position(|row| row.entry.text == TEXTS[text]).unwrap()
            };
            let (older, newest) = want.unwrap();
            assert_eq!(newer.successor(at(older)), Some(at(newest)), "{what}");
            assert_ne!(newer.successor(at(newest)), Some(at(older)), "{what}");
        }
        let of_one_day = [(0, 1, Person, add()), (1, 1, Person, add()), (1, 9, Person, again)];
        let ranking = ranked(&categories, &of_one_day);
        let newer = Newer::new(&ranking, &categories);
        let mut all = (0..ranking.rows.len()).filter_map(|at| newer.successor(at));
        assert_eq!(all.next(), None, "what came on one day belongs together");
    }

    #[test]
    fn what_seems_replaced_gives_way_only_where_room_is_scarce() {
        let categories = Categories::default();
        let add = || EventKind::Add(Cue::Explicit, None);
        let days = [27, 29, 20];
        let events = (0..3).map(|at| (at, days[at], Author::Person, add())).collect::<Vec<_>>();
        let ranking = ranked(&categories, &events);
        let of = |budget| {
            let fill = Some("pimem search");
            let settings = RenderSettings {
                budget: Tokens(budget),
                ground_truth: GroundTruth::Off,
                remove_command: "",
                fill,
                reasons: true,
            };
            let report = report(&ranking, &categories, settings);
            let verdict = |text: &&str| {
                let at = ranking.rows.iter().position(|row| row.entry.text == **text).unwrap();
                report.verdicts[at].clone()
            };
            (TEXTS.iter().map(verdict).collect::<Vec<_>>(), report.text.to_string())
        };
        let (verdicts, text) = of(1700);
        assert!(verdicts.iter().all(ReportVerdict::shown), "{verdicts:?}");
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("- ")).collect();
        let after = lines.iter().position(|line| line.contains(TEXTS[1])).unwrap() + 1;
        assert!(
            lines[after].contains(TEXTS[0]),
            "it stands below what seems to replace it: {text}"
        );
        let mut scarce = 0;
        for (verdicts, text) in (20..60).map(of) {
            let others = verdicts[1].shown() && verdicts[2].shown();
            assert!(others || !verdicts[0].shown(), "{text} {verdicts:?}");
            scarce += usize::from(others && !verdicts[0].shown());
        }
        assert!(scarce > 0);
    }
}
