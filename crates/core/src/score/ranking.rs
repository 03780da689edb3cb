//! The ranking: every entry of one or two stores with its standing and its place.
//!
//! Built from values; what a command shows about an entry comes from here and nowhere else.

use std::collections::BTreeMap;

use super::{
    caps::{self, Candidate, Place},
    clock::{Clock, Days, Hands},
    copies::{Copies, Slot},
    evidence::Evidence,
    ledger::Ledger,
    stability::{self, Standing, State},
};
use crate::model::{
    category::{Categories, CategoryId},
    entry::{EntryId, Wording},
    event::Cue,
    hash::IdMap,
    time::{Age, Now, Timestamp},
};

/// Which store an entry belongs to. The project's wins where both hold the same entry and neither is
/// out of force.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// The project's store.
    Project,
    /// The user's own store.
    User,
}

impl Scope {
    /// The word in output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
        }
    }
}

/// An entry as it stands in a file.
#[derive(Debug, Clone)]
pub struct LocatedEntry {
    /// Its id.
    pub id: EntryId,
    /// Its category.
    pub category: CategoryId,
    /// Its text.
    pub text: String,
    /// Whether it is marked as pinned.
    pub pinned: bool,
    /// Whether a line of it is marked as enforced.
    pub enforced: bool,
    /// Stem of its topic file.
    pub topic: String,
    /// Line number in it, from 1.
    pub line: usize,
    /// Whose it is.
    pub scope: Scope,
    /// Whether it was written or reviewed on this machine; what was not is for no agent.
    pub reviewed: bool,
}

impl LocatedEntry {
    /// The entry by its text.
    #[must_use]
    pub fn wording(&self) -> Wording {
        Wording { id: self.id, category: self.category, text: self.text.clone() }
    }

    /// Whether it is the entry of that wording.
    #[must_use]
    pub fn is(&self, wording: &Wording) -> bool {
        self.id == wording.id && self.category == wording.category && self.text == wording.text
    }

    /// Whether it is another copy of the same entry.
    #[must_use]
    pub fn is_copy(&self, other: &Self) -> bool {
        self.id == other.id && self.category == other.category && self.text == other.text
    }
}

/// An entry with all that is known about it.
#[derive(Debug, Clone)]
pub struct ScoredEntry {
    /// The entry.
    pub entry: LocatedEntry,
    /// Its evidence.
    pub evidence: Evidence,
    /// How long ago it was first seen, by the store's clock.
    pub known_for: Age,
    /// How long ago it was last reinforced, by the store's clock.
    pub idle: Age,
    /// How long ago it was last added, reinforced or restored, by the store's clock.
    pub untouched: Age,
    /// What decides about it.
    pub standing: Standing,
    /// Its state, after caps.
    pub state: State,
    /// Whether it is shown for being new.
    pub fresh: bool,
    /// Its place in the report, or why it has none.
    pub place: Place,
    /// The entry that replaces it, if that one is there.
    pub superseded_by: Option<EntryId>,
    /// Whether its date has passed.
    pub expired: bool,
    /// Whether another text has its id, and with it its evidence.
    pub shared: bool,
}

impl ScoredEntry {
    /// Whether somebody has put it out of force: forgotten, replaced, or past its date.
    #[must_use]
    pub fn is_over(&self) -> bool {
        let pinned = self.standing == Standing::Pinned;
        let ended = self.superseded_by.is_some() || self.expired;
        self.standing == Standing::Forgotten || ended && !pinned
    }

    /// Whether this copy of an entry stands before that of an earlier store: what nobody has looked at
    /// gives way, and a decision against an entry in one store is none against that in another.
    fn precedes(&self, earlier: &Self) -> bool {
        let key = |row: &Self| (row.entry.reviewed, !row.is_over());
        key(self) > key(earlier)
    }

    /// Whether evidence may be added that nobody asked for, as hooks do: for what was reviewed, once
    /// a session, and at most once an hour. So no text lifts itself by being seen often.
    #[must_use]
    pub fn may_gain_unasked(&self, now: Now, in_this_session: bool) -> bool {
        self.entry.reviewed && !in_this_session && rested(now, &self.evidence)
    }
}

/// Whether the last reinforcement is long enough ago for one that nobody asked for.
#[must_use]
pub fn rested(now: Now, evidence: &Evidence) -> bool {
    now.since(evidence.last_reinforced).days() >= 1.0 / 24.0
}

/// All rows, best first.
#[derive(Debug, Clone, Default)]
pub struct Ranking {
    /// In the order of [`caps::order`].
    pub rows: Vec<ScoredEntry>,
}

/// How entries are scored.
#[derive(Debug, Clone, Copy)]
pub struct Rules<'a> {
    /// The categories in force.
    pub categories: &'a Categories,
    /// Whether new entries count as active.
    pub fresh: bool,
    /// Whether the newest of each category have places of their own.
    pub reserve: bool,
    /// The clock that they age by.
    pub clock: Clock,
}

impl Ranking {
    /// Scores and places all entries of `stores`, each with the ledger that knows about it.
    #[must_use]
    pub fn new(now: Now, rules: Rules<'_>, stores: Vec<(Vec<LocatedEntry>, &Ledger)>) -> Self {
        let mut copies = Copies::default();
        // What replaced an entry may have been reworded since; it stands for its former wordings.
        let mut present: IdMap<EntryId, EntryId> = IdMap::default();
        for (entries, ledger) in &stores {
            // What nobody has looked at replaces nothing.
            for entry in entries.iter().filter(|entry| entry.reviewed) {
                for former in ledger.sources(entry.id) {
                    present.entry(former).or_insert(entry.id);
                }
                present.insert(entry.id, entry.id);
            }
        }
        let mut rows: Vec<ScoredEntry> = Vec::with_capacity(present.len());
        for (entries, ledger) in stores {
            let days = if rules.clock == Clock::Calendar { Days::default() } else { ledger.days() };
            let hands = rules.clock.at(now, &days);
            for entry in entries {
                let mut made = row(now, rules, entry, (ledger, hands), &present);
                let known = |at: usize| rows.get(at).map(|row: &ScoredEntry| &row.entry);
                match copies.slot(rows.len(), &made.entry, known) {
                    Slot::First => rows.push(made),
                    Slot::Copy(at) => {
                        if let Some(copy) = rows.get_mut(at).filter(|copy| made.precedes(copy)) {
                            made.shared = copy.shared;
                            *copy = made;
                        }
                    }
                    Slot::Twin(at) => {
                        made.shared = true;
                        rows.push(made);
                        if let Some(twin) = rows.get_mut(at) {
                            twin.shared = true;
                        }
                    }
                }
            }
        }
        let candidates: Vec<Candidate> = rows.iter().map(candidate).collect();
        let (placements, ranking) = caps::place(&candidates, rules.categories, rules.reserve);
        let mut rows: Vec<Option<ScoredEntry>> = rows.into_iter().map(Some).collect();
        let ranked = ranking.into_iter().filter_map(|index| {
            let mut row = rows.get_mut(index)?.take()?;
            let placement = placements.get(index)?;
            row.state = placement.state;
            row.place = placement.place;
            Some(row)
        });
        Self { rows: ranked.collect() }
    }

    /// The row of an entry; of two texts with one id, the better one.
    #[must_use]
    pub fn get(&self, id: EntryId) -> Option<&ScoredEntry> {
        self.rows.iter().find(|row| row.entry.id == id)
    }

    /// The row of just this text.
    #[must_use]
    pub fn find(&self, wording: &Wording) -> Option<&ScoredEntry> {
        self.rows.iter().find(|row| row.entry.is(wording))
    }

    /// How many entries were neither written nor reviewed on this machine.
    #[must_use]
    pub fn unreviewed(&self) -> usize {
        self.rows.iter().filter(|row| !row.entry.reviewed).count()
    }

    /// How many rows are in each state.
    #[must_use]
    pub fn counts(&self) -> Vec<(State, usize)> {
        let count = |state| self.rows.iter().filter(|row| row.state == state).count();
        State::ALL.into_iter().map(|state| (state, count(state))).collect()
    }

    /// Rows by topic file, in the order of names.
    #[must_use]
    pub fn topics(&self, scope: Scope) -> BTreeMap<&str, Vec<&ScoredEntry>> {
        let mut topics: BTreeMap<&str, Vec<&ScoredEntry>> = BTreeMap::new();
        for row in self.rows.iter().filter(|row| row.entry.scope == scope) {
            topics.entry(&row.entry.topic).or_default().push(row);
        }
        topics
    }
}

/// Hotness of a topic: the sum of its scores, pinned entries counting 9999 for the order.
#[must_use]
pub fn hotness(rows: &[&ScoredEntry]) -> f64 {
    // An empty sum of floats is -0.
    rows.iter().fold(0.0, |sum, row| sum + row.standing.shown())
}

/// Whether a topic is cold: nothing pinned or enforced, and nothing touched for twice its decay
/// constant.
#[must_use]
pub fn cold(rows: &[&ScoredEntry], categories: &Categories) -> bool {
    !rows.is_empty()
        && rows.iter().all(|row| {
            let tau = categories.spec(row.entry.category).tau_days;
            let kept = row.standing == Standing::Pinned || row.entry.enforced;
            !kept && row.untouched.days() >= 2.0 * tau
        })
}

/// For each id, its shortest unique prefix, of at least 7 digits.
#[must_use]
pub fn short_ids(ids: impl Iterator<Item = EntryId>) -> IdMap<EntryId, String> {
    let mut sorted: Vec<EntryId> = ids.collect();
    sorted.sort_unstable();
    sorted.dedup();
    // Leading digits that two ids have in common.
    let common = |a: Option<&EntryId>, b: EntryId| a.map_or(0, |a| (a.0 ^ b.0).leading_zeros() / 4);
    let mut short = IdMap::default();
    for (at, id) in sorted.iter().enumerate() {
        let before = common(at.checked_sub(1).and_then(|at| sorted.get(at)), *id);
        let after = common(sorted.get(at + 1), *id);
        let mut prefix = id.to_string();
        prefix.truncate((before.max(after) + 1).clamp(7, 16) as usize);
        short.insert(*id, prefix);
    }
    short
}

/// Evidence whose times are not ahead.
pub(super) fn capped(now: Now, mut evidence: Evidence) -> Evidence {
    evidence.first_seen = now.cap(evidence.first_seen);
    evidence.last_reinforced = now.cap(evidence.last_reinforced);
    evidence.touched = now.cap(evidence.touched);
    evidence
}

fn row(
    now: Now,
    rules: Rules<'_>,
    entry: LocatedEntry,
    (ledger, hands): (&Ledger, Hands<'_>),
    present: &IdMap<EntryId, EntryId>,
) -> ScoredEntry {
    let spec = rules.categories.spec(entry.category);
    let known = ledger.evidence(now, entry.id);
    let evidence = capped(now, known.unwrap_or_else(|| unknown(now, entry.pinned)));
    let idle = hands.since(evidence.last_reinforced);
    let untouched = hands.since(evidence.touched.max(evidence.last_reinforced));
    let standing = stability::standing(idle, &evidence, spec, entry.pinned);
    let known_for = hands.since(evidence.first_seen);
    let fresh = rules.fresh && stability::fresh(known_for, spec, standing);
    let mut replacements = evidence.superseded_by.iter().filter_map(|id| present.get(id));
    let superseded_by = replacements.find(|id| **id != entry.id).copied();
    let expired = evidence.until.is_some_and(|until| until < now.0);
    let (state, place) = (standing.state(), Place::TooWeak);
    let shared = false;
    ScoredEntry {
        entry,
        evidence,
        known_for,
        idle,
        untouched,
        standing,
        state,
        fresh,
        place,
        superseded_by,
        expired,
        shared,
    }
}

/// An entry that no event knows and that adoption was not asked about: seen now, once.
fn unknown(now: Now, pinned: bool) -> Evidence {
    Evidence {
        cue: if pinned { Cue::Explicit } else { Cue::Behavioral },
        count: 1,
        first_seen: now.0,
        last_reinforced: now.0,
        touched: now.0,
        user: super::evidence::UserState::Auto,
        until: None,
        superseded_by: std::collections::BTreeSet::new(),
    }
}

/// What decides a row's place.
#[must_use]
pub fn candidate(row: &ScoredEntry) -> Candidate {
    let pinned = row.standing == Standing::Pinned;
    let over = row.superseded_by.is_some() || row.expired;
    let last_reinforced: Timestamp = row.evidence.last_reinforced;
    Candidate {
        id: row.entry.id,
        category: row.entry.category,
        standing: row.standing,
        fresh: row.fresh,
        first_seen: row.evidence.first_seen,
        last_reinforced,
        excluded: over && !pinned,
        reviewed: row.entry.reviewed,
    }
}

#[cfg(test)]
#[path = "ranking_tests.rs"]
mod tests;
