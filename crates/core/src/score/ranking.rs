//! The ranking of all entries of one or two stores by standing, with their places.
//!
//! A pure function of its inputs, and the only source for the scores that commands show.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    access::Accesses,
    adopt::{Copies, Slot},
    caps::{self, CapCandidate, CapPlace, Placement},
    clock::{ActiveDays, Clock, Hands},
    evidence::Evidence,
    ledger::Ledger,
    policy::{
        self, Judgement, Policy, Subject,
        limits::{self, Contender, LimitGroup},
    },
    stability::{self, Score, Standing, State},
};
pub use crate::model::entry::{LocatedEntry, Scope};
use crate::{
    gate::{Facts, Withheld},
    guard::glob::WorkArea,
    model::{
        category::Categories,
        entry::{EntryId, EventId, Wording},
        event::Cue,
        hash::IdMap,
        time::{Age, Now, Timestamp},
    },
};

#[derive(Debug, Clone)]
pub struct ScoredEntry {
    pub entry: LocatedEntry,
    pub evidence: Evidence,
    /// Time since the first add, by the store's clock.
    pub known_for: Age,
    /// Time since the last reinforcement, by the store's clock.
    pub idle: Age,
    /// Time since the last add, reinforcement or restoration, by the store's clock.
    pub untouched: Age,
    pub standing: Standing,
    /// How the score came about under another policy than stability.
    pub judged: Option<Box<Judgement>>,
    /// State after caps.
    pub state: State,
    /// True if the entry is shown for being new.
    pub fresh: bool,
    /// Place in the report, or the reason why it has none.
    pub place: CapPlace,
    /// The entry that replaces this one, if it is present.
    pub superseded_by: Option<EntryId>,
    /// Entries present that replaced this one before it was chosen again.
    pub outlived: Vec<EntryId>,
    pub expired: bool,
    /// True if another text has the same id, and with it the same evidence.
    pub shared: bool,
}

impl ScoredEntry {
    /// Returns true if the entry is out of force: forgotten, superseded or expired.
    #[must_use]
    pub fn is_over(&self) -> bool {
        let pinned = self.standing == Standing::Pinned;
        let ended = self.superseded_by.is_some() || self.expired;
        self.standing == Standing::Forgotten || ended && !pinned
    }

    /// Returns what decides about the entry on its way out.
    #[must_use]
    pub fn facts(&self) -> Facts {
        Facts {
            reviewed: self.entry.reviewed,
            secret: self.entry.secret,
            pinned: self.standing == Standing::Pinned,
            forgotten: self.standing == Standing::Forgotten,
            expired: self.expired,
            replaced_by: self.superseded_by,
            archived: None,
            unset: self.place == CapPlace::Unset,
            yields_to: None,
        }
    }

    /// Returns why the entry is withheld; `None` if an agent may be told it.
    #[must_use]
    pub fn withheld(&self) -> Option<Withheld> {
        self.facts().verdict().withheld()
    }

    /// Returns true if this copy wins over that of an earlier store. Reviewed copies win, then
    /// those in force, because a decision against an entry applies to one store only.
    fn precedes(&self, earlier: &Self) -> bool {
        let key = |row: &Self| (row.entry.reviewed, !row.is_over());
        key(self) > key(earlier)
    }

    /// Returns true if what speaks for this copy speaks for that of an earlier store too: both are of
    /// one project, reviewed, and in force.
    fn adds_to(&self, earlier: &Self) -> bool {
        let counts = |row: &Self| {
            row.entry.scope.is_of_project() && row.entry.may_be_told() && !row.is_over()
        };
        counts(self) && counts(earlier)
    }

    /// Returns true if a hook may add evidence without being asked: only to reviewed entries, and
    /// at most once an hour. This keeps an entry from gaining evidence just by
    /// being shown.
    #[must_use]
    pub fn may_gain_unasked(&self, now: Now) -> bool {
        self.entry.may_be_told() && rested(now, &self.evidence)
    }
}

/// Returns true if the last reinforcement is at least an hour ago.
#[must_use]
pub fn rested(now: Now, evidence: &Evidence) -> bool {
    now.since(evidence.last_reinforced).days() >= 1.0 / 24.0
}

/// All entries, best first.
#[derive(Debug, Clone, Default)]
pub struct Ranking {
    pub rows: Vec<ScoredEntry>,
    pub policy: Policy,
    /// Earlier wordings that are no entries any more, each with the entry that it became.
    pub former: IdMap<EntryId, EntryId>,
    /// Entries that have no row, by category: see [`shortlist`](crate::report::shortlist).
    pub rest: Vec<RestOfCategory>,
}

/// Entries of a category that a report could show, and has no room for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RestOfCategory {
    pub count: usize,
    /// Characters of the shortest line, as it would stand in a report.
    pub shortest: usize,
    /// The one that was reinforced last, of these the best: how long ago, with which score, and its id.
    pub first: (Age, Score, EntryId),
}

impl Default for RestOfCategory {
    /// Of no entry.
    fn default() -> Self {
        let first = (Age(u64::MAX), Score::default(), EntryId(u64::MAX));
        Self { count: 0, shortest: usize::MAX, first }
    }
}

/// How entries are scored.
#[derive(Debug, Clone, Copy)]
pub struct RankingRules<'a> {
    pub categories: &'a Categories,
    /// Whether new entries count as active.
    pub fresh: bool,
    /// Whether places are reserved for the newest entries of each category.
    pub reserve: bool,
    pub clock: Clock,
    pub policy: Policy,
    /// Accesses of entries, for policies that count them.
    pub accesses: Option<&'a Accesses>,
    /// Where the work is; entries of other places have none in a report. `None` for everywhere.
    pub area: Option<&'a WorkArea>,
    /// Entries that are counted and not ranked, by category.
    pub rest: &'a [RestOfCategory],
}

impl RankingRules<'_> {
    fn is_elsewhere(&self, row: &ScoredEntry) -> bool {
        self.area.is_some_and(|area| !area.has(&row.entry.asides.rules))
    }
}

impl<'a> RankingRules<'a> {
    #[must_use]
    pub fn new(categories: &'a Categories) -> Self {
        Self {
            categories,
            fresh: true,
            reserve: true,
            clock: Clock::Calendar,
            policy: Policy::Stability,
            accesses: None,
            area: None,
            rest: &[],
        }
    }
}

impl Ranking {
    /// Scores and places all entries of `stores`, each paired with its ledger.
    #[must_use]
    pub fn new(
        now: Now,
        rules: RankingRules<'_>,
        stores: Vec<(Vec<LocatedEntry>, &Ledger)>,
    ) -> Self {
        let mut copies = Copies::default();
        // Maps former wordings to the entry edited from them, which may be the one that supersedes
        // another entry.
        let mut present: IdMap<EntryId, EntryId> = IdMap::default();
        for (entries, ledger) in &stores {
            // Unreviewed entries replace nothing.
            for entry in entries.iter().filter(|entry| entry.may_be_told()) {
                for former in ledger.sources(entry.id) {
                    present.entry(former).or_insert(entry.id);
                }
                present.insert(entry.id, entry.id);
            }
        }
        let mut rows: Vec<ScoredEntry> = Vec::with_capacity(present.len());
        for (entries, ledger) in stores {
            let days =
                if rules.clock == Clock::Calendar { ActiveDays::default() } else { ledger.days() };
            let hands = rules.clock.at(now, &days);
            for entry in entries {
                let mut made = row(now, rules, entry, (ledger, hands), &present, None);
                let known = |at: usize| rows.get(at).map(|row: &ScoredEntry| &row.entry);
                match copies.slot(rows.len(), &made.entry, known) {
                    Slot::First => rows.push(made),
                    Slot::Copy(at) => {
                        let Some(copy) = rows.get_mut(at) else { continue };
                        if made.adds_to(copy) {
                            let mut entry = copy.entry.clone();
                            entry.take_markers(&made.entry);
                            let both = copy.evidence.joined(&made.evidence);
                            let shared = copy.shared;
                            *copy = row(now, rules, entry, (ledger, hands), &present, Some(both));
                            copy.shared = shared;
                        } else if made.precedes(copy) {
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
        let (mut placements, ranking) = places(rules, &rows);
        let read_only = rows.iter().zip(&mut placements);
        for (row, placement) in read_only.filter(|_| rules.categories.reads_more()) {
            let is_out = placement.place == CapPlace::Excluded && !row.is_over();
            if is_out && !rules.categories.is_set(row.entry.category) {
                placement.place = CapPlace::Unset;
            }
        }
        let elsewhere = rows.iter().zip(&mut placements);
        for (row, placement) in elsewhere.filter(|(row, _)| rules.is_elsewhere(row)) {
            if row.entry.may_be_told() && !row.is_over() {
                placement.place = CapPlace::Elsewhere;
            }
        }
        let secrets =
            rows.iter().zip(&mut placements).filter(|(row, _)| row.entry.secret.is_some());
        for (_, placement) in secrets.filter(|(row, _)| row.entry.reviewed) {
            placement.place = CapPlace::Secret;
        }
        for (row, placement) in rows.iter_mut().zip(&placements) {
            row.state = placement.state;
            row.place = placement.place;
        }
        arrange(&mut rows, &ranking);
        let former = present.into_iter().filter(|(from, to)| from != to).collect();
        Self { rows, policy: rules.policy, former, rest: rules.rest.to_vec() }
    }

    /// Returns the row of an entry; the better one if two texts share the id.
    #[must_use]
    pub fn get(&self, id: EntryId) -> Option<&ScoredEntry> {
        self.rows.iter().find(|row| row.entry.id == id)
    }

    #[must_use]
    pub fn find(&self, wording: &Wording) -> Option<&ScoredEntry> {
        self.rows.iter().find(|row| row.entry.is(wording))
    }

    /// Returns the number of entries that were neither written nor reviewed on this machine.
    #[must_use]
    pub fn unreviewed(&self) -> usize {
        self.rows.iter().filter(|row| !row.entry.reviewed).count()
    }

    #[must_use]
    pub fn counts(&self) -> Vec<(State, usize)> {
        let count = |state| self.rows.iter().filter(|row| row.state == state).count();
        State::ALL.into_iter().map(|state| (state, count(state))).collect()
    }

    /// Returns the rows by topic file, sorted by topic.
    #[must_use]
    pub fn topics(&self, scope: Scope) -> BTreeMap<&str, Vec<&ScoredEntry>> {
        let mut topics: BTreeMap<&str, Vec<&ScoredEntry>> = BTreeMap::new();
        for row in self.rows.iter().filter(|row| row.entry.scope == scope) {
            topics.entry(row.entry.subject()).or_default().push(row);
        }
        topics
    }
}

/// Returns the hotness of a topic: the sum of its scores, where a pinned entry counts 9999.
#[must_use]
pub fn hotness(rows: &[&ScoredEntry]) -> f64 {
    // `sum` of no floats would be -0.
    rows.iter().fold(0.0, |sum, row| sum + row.standing.shown())
}

/// Returns true if a topic is cold: nothing in it is pinned or enforced, and nothing was touched
/// for twice its decay constant.
#[must_use]
pub fn cold(rows: &[&ScoredEntry], categories: &Categories) -> bool {
    !rows.is_empty()
        && rows.iter().all(|row| {
            let tau = categories.spec(row.entry.category).tau_days;
            let kept = row.standing == Standing::Pinned || row.entry.enforced;
            !kept && row.untouched.days() >= 2.0 * tau
        })
}

/// Returns rows in the order of their files and lines.
pub fn by_line<'a>(rows: impl IntoIterator<Item = &'a ScoredEntry>) -> Vec<&'a ScoredEntry> {
    // Many rows of few files: names are compared once a row.
    let mut files: BTreeMap<&str, Vec<&ScoredEntry>> = BTreeMap::new();
    for row in rows {
        files.entry(&row.entry.topic).or_default().push(row);
    }
    for rows in files.values_mut() {
        rows.sort_by_key(|row| row.entry.line);
    }
    files.into_values().flatten().collect()
}

/// Returns the shortest unique prefix of each id, of at least 7 digits.
#[must_use]
pub fn short_ids(ids: impl Iterator<Item = EntryId>) -> IdMap<EntryId, String> {
    let mut sorted: Vec<EntryId> = ids.collect();
    sorted.sort_unstable();
    sorted.dedup();
    // The number of leading digits that two ids have in common.
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

/// Returns the shortest prefix of an id, of at least 7 digits, that no other of `ids` has.
#[must_use]
pub fn short_id(id: EntryId, ids: impl Iterator<Item = EntryId>) -> String {
    let others = ids.filter(|other| *other != id);
    let common = others.map(|other| (id.0 ^ other.0).leading_zeros() / 4).max().unwrap_or(0);
    let mut prefix = id.to_string();
    prefix.truncate((common + 1).clamp(7, 16) as usize);
    prefix
}

/// Returns the evidence with all times capped at `now`.
pub(crate) fn capped(now: Now, mut evidence: Evidence) -> Evidence {
    evidence.first_seen = now.cap(evidence.first_seen);
    evidence.last_reinforced = now.cap(evidence.last_reinforced);
    evidence.touched = now.cap(evidence.touched);
    evidence.chosen = evidence.chosen.map(|(at, id)| (now.cap(at), id));
    evidence
}

fn row(
    now: Now,
    rules: RankingRules<'_>,
    entry: LocatedEntry,
    (ledger, hands): (&Ledger, Hands<'_>),
    present: &IdMap<EntryId, EntryId>,
    joined: Option<Evidence>,
) -> ScoredEntry {
    let spec = rules.categories.spec(entry.category);
    let known = joined.or_else(|| ledger.evidence(now, entry.id));
    let evidence = capped(now, known.unwrap_or_else(|| unknown(now, entry.pinned)));
    let idle = hands.since(evidence.last_reinforced);
    let untouched = hands.since(evidence.touched.max(evidence.last_reinforced));
    let known_for = hands.since(evidence.first_seen);
    let (standing, judged) = if rules.policy.is_stability() {
        (stability::standing(idle, &evidence, spec, entry.pinned), None)
    } else {
        judge(now, rules, &entry, &evidence, (ledger, hands))
    };
    let fresh = rules.fresh && judged.is_none() && stability::fresh(known_for, spec, standing);
    let others = |ids: &BTreeSet<EntryId>| -> Vec<EntryId> {
        let there = ids.iter().filter_map(|id| present.get(id)).copied();
        there.filter(|id| *id != entry.id).collect()
    };
    let by = &evidence.superseded_by;
    let put_away = |by: &&EntryId| **by != entry.id && ledger.replaces_from_away(**by, entry.id);
    let superseded_by = others(by).first().copied().or_else(|| by.iter().find(put_away).copied());
    let outlived = others(&evidence.outlived);
    let expired = evidence.until.is_some_and(|until| until < now.0);
    let (state, place) = (rules.policy.state(standing), CapPlace::TooWeak);
    let shared = false;
    ScoredEntry {
        entry,
        evidence,
        known_for,
        idle,
        untouched,
        standing,
        judged,
        state,
        fresh,
        place,
        superseded_by,
        outlived,
        expired,
        shared,
    }
}

/// Scores an entry by another policy than stability.
fn judge(
    now: Now,
    rules: RankingRules<'_>,
    entry: &LocatedEntry,
    evidence: &Evidence,
    (ledger, hands): (&Ledger, Hands<'_>),
) -> (Standing, Option<Box<Judgement>>) {
    let access = rules.accesses.map(|known| known.known(entry.id, ledger));
    let access = access.unwrap_or_default();
    let subject = Subject {
        traits: rules.categories.spec(entry.category).traits,
        text: &entry.text,
        of_user: entry.scope == Scope::User,
        marked: entry.pinned,
        evidence,
        known_for: hands.since(evidence.first_seen),
        untouched: hands.since(policy::last_touched(now, evidence, access)),
        access,
        first: ledger.first_add(entry.id),
    };
    let Some(judged) = rules.policy.judge(&subject) else { return (Standing::Forgotten, None) };
    (Policy::standing(&subject, &judged.parts), Some(Box::new(judged)))
}

/// Puts rows into the order of `ranking`, which has the index of each once. In place, as a copy of many
/// rows costs more than their scores.
fn arrange(rows: &mut [ScoredEntry], ranking: &[usize]) {
    let mut targets = vec![0; rows.len()];
    for (rank, index) in ranking.iter().enumerate() {
        if let Some(target) = targets.get_mut(*index) {
            *target = rank;
        }
    }
    for at in 0..rows.len() {
        while let Some(target) = targets.get(at).copied().filter(|target| *target != at) {
            rows.swap(at, target);
            targets.swap(at, target);
        }
    }
}

/// Places the entries. Returns the placements in their order, and the ranking as indexes.
fn places(rules: RankingRules<'_>, rows: &[ScoredEntry]) -> (Vec<Placement>, Vec<usize>) {
    if rules.policy.is_stability() {
        let candidates: Vec<CapCandidate> = rows.iter().map(|row| placed(rules, row)).collect();
        return caps::place(&candidates, rules.categories, rules.reserve);
    }
    let contenders: Vec<Contender<'_>> = rows.iter().map(|row| contender(rules, row)).collect();
    limits::place(rules.policy, &contenders)
}

/// Returns the candidate for a place; entries that are only read get none.
fn placed(rules: RankingRules<'_>, row: &ScoredEntry) -> CapCandidate {
    let pinned = row.standing == Standing::Pinned;
    let mut candidate = candidate(row);
    candidate.excluded |= !pinned && !rules.categories.is_set(row.entry.category);
    candidate.excluded |= rules.is_elsewhere(row);
    candidate
}

fn contender<'a>(rules: RankingRules<'_>, row: &'a ScoredEntry) -> Contender<'a> {
    let CapCandidate { id, standing, last_reinforced, excluded, reviewed, .. } = placed(rules, row);
    let (seen, of_user) = (row.evidence.first_seen, row.entry.scope == Scope::User);
    let first = row.judged.as_ref().map(|judged| judged.first);
    let listed = rules.categories.spec(row.entry.category).traits.listed;
    Contender {
        id,
        standing,
        first: first.unwrap_or((seen, EventId(0))),
        last_reinforced,
        excluded,
        reviewed,
        spent: row.evidence.count == 0,
        group: LimitGroup::of(listed, &row.entry.text, of_user, seen),
    }
}

/// Returns the evidence of an entry without events that was not adopted: seen once, now.
fn unknown(now: Now, pinned: bool) -> Evidence {
    Evidence {
        cue: if pinned { Cue::Explicit } else { Cue::Behavioral },
        count: 1,
        first_seen: now.0,
        last_reinforced: now.0,
        touched: now.0,
        user: crate::model::operation::UserState::Auto,
        until: None,
        superseded_by: BTreeSet::new(),
        outlived: BTreeSet::new(),
        chosen: None,
        priority: None,
        importance: None,
    }
}

#[must_use]
pub fn candidate(row: &ScoredEntry) -> CapCandidate {
    let pinned = row.standing == Standing::Pinned;
    let over = row.superseded_by.is_some() || row.expired;
    let last_reinforced: Timestamp = row.evidence.last_reinforced;
    CapCandidate {
        id: row.entry.id,
        category: row.entry.category,
        standing: row.standing,
        fresh: row.fresh,
        first_seen: row.evidence.first_seen,
        last_reinforced,
        excluded: over && !pinned,
        reviewed: row.entry.may_be_told(),
    }
}

#[cfg(test)]
#[path = "ranking_tests.rs"]
mod tests;
