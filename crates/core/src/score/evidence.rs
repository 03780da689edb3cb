//! The evidence for one entry, as folded from its events and from those of the entries that it was
//! edited or merged from.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use super::ledger::{Ledger, Note};
use crate::model::{
    entry::{EntryId, EventId, Share},
    event::{Author, Cue, Event, EventKind, Order},
    operation::{NotedOperation, UserState},
    time::{Now, Timestamp},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// The strongest cue among the adds.
    pub cue: Cue,
    /// 1 + reinforcements − 4 × harm, at least 0.
    pub count: u64,
    /// Earliest add.
    pub first_seen: Timestamp,
    /// Latest add or reinforcement. May be in the future of a reader's clock.
    pub last_reinforced: Timestamp,
    /// Latest add, reinforcement or restoration. Keeps a topic from going cold.
    pub touched: Timestamp,
    /// Latest of pin, unpin, forget and restore.
    pub user: UserState,
    /// The last moment at which the entry is valid; `None` if it has no end.
    pub until: Option<Timestamp>,
    pub superseded_by: BTreeSet<EntryId>,
    /// Entries that replaced this one before it was chosen again.
    pub outlived: BTreeSet<EntryId>,
    /// The newest typed choice: the latest act that shows that somebody wants the entry, which is a
    /// person's add, reinforcement or edit, a restoration, or its choice as a replacement. `None`
    /// if there is none. Evidence of hooks and imports is no choice.
    pub chosen: Option<Order>,
    /// Replaces the score under the policy `weighted`.
    pub priority: Option<Share>,
    /// Importance at the start, under the policy `ebbinghaus`.
    pub importance: Option<Share>,
}

/// The part of the evidence that determines the score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Strength {
    /// The strongest cue among the adds.
    pub cue: Cue,
    pub count: u64,
    /// Latest add or reinforcement.
    pub last_reinforced: Timestamp,
    pub user: UserState,
}

impl Evidence {
    /// Returns when the entry was last chosen; one that nobody typed was chosen when it came.
    #[must_use]
    pub fn choice(&self) -> Order {
        let come = (self.first_seen, EventId(0));
        self.chosen.map_or(come, |chosen| chosen.max(come))
    }

    /// Returns the evidence of an entry that two stores hold, in force in both.
    #[must_use]
    pub fn joined(&self, other: &Self) -> Self {
        let later = if other.chosen > self.chosen { other } else { self };
        Self {
            cue: self.cue.max(other.cue),
            // Each counts 1 for being there.
            count: self.count.saturating_add(other.count.saturating_sub(1)),
            first_seen: self.first_seen.min(other.first_seen),
            last_reinforced: self.last_reinforced.max(other.last_reinforced),
            touched: self.touched.max(other.touched),
            user: if other.user == UserState::Pinned { other.user } else { self.user },
            until: self.until.max(other.until),
            superseded_by: &self.superseded_by | &other.superseded_by,
            outlived: &self.outlived | &other.outlived,
            chosen: later.chosen,
            priority: self.priority.or(other.priority),
            importance: self.importance.or(other.importance),
        }
    }

    #[must_use]
    pub fn strength(&self) -> Strength {
        let Self { cue, count, last_reinforced, user, .. } = *self;
        Strength { cue, count, last_reinforced, user }
    }
}

/// After every event.
pub const END: Order = (Timestamp(i64::MAX), EventId(u128::MAX));

/// The way in which an entry was made from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    Edit,
    /// A person typed the line and so wants it, whatever was decided about the old wording.
    HandEdit,
    Merge,
}

/// The source of an entry that was edited or merged from another.
#[derive(Debug, Clone)]
pub(super) struct Edge {
    pub(super) at: Order,
    pub(super) from: EntryId,
    how: How,
}

impl Edge {
    pub(super) fn new(event: &Event, from: EntryId) -> Self {
        let how = match (&event.kind, event.by) {
            (EventKind::Merge(_), _) => How::Merge,
            (_, Author::Adoption) => How::HandEdit,
            _ => How::Edit,
        };
        Self { at: event.order(), from, how }
    }

    /// Returns true if somebody asked for the wording; see [`Event::is_typed`].
    pub(super) fn is_typed(&self) -> bool {
        self.how == How::Edit
    }
}

/// For each entry, the end of the events about it that count.
type Reach = BTreeMap<EntryId, Order>;

#[derive(Default)]
struct Sum {
    added: bool,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    touched: Option<Timestamp>,
    cue: Option<Cue>,
    reinforced: u64,
    harmful: u64,
    user: Option<(Order, UserState)>,
    until: Option<(Order, Timestamp)>,
    /// Latest act that shows that somebody wants the entry, other than rewording it.
    wanted: Option<Order>,
    /// The same with rewording.
    typed: Option<Order>,
    /// The same without what is dated beyond the horizon.
    chosen: Option<Order>,
    superseded: Vec<(Order, EntryId)>,
    priority: Option<(Order, Share)>,
    importance: Option<(Order, Share)>,
}

impl Sum {
    /// Adds an act that shows that somebody wants the entry.
    fn choose(&mut self, at: Order, horizon: Timestamp) {
        self.typed = self.typed.max(Some(at));
        self.chosen = self.chosen.max(Some(at).filter(|at| at.0 <= horizon));
    }

    /// Adds a note. `holds` is true if decisions against the entry count too.
    fn add(&mut self, note: &Note, horizon: Timestamp, holds: bool) {
        let at = note.at;
        let time = Some(at.0).filter(|time| *time <= horizon);
        if note.wants && holds {
            self.wanted = self.wanted.max(Some(at));
            self.choose(at, horizon);
        }
        match note.what {
            NotedOperation::Add(cue) => {
                self.added = true;
                self.first = [self.first, time].into_iter().flatten().min();
                self.cue = self.cue.max(Some(cue));
                self.last = self.last.max(time);
            }
            NotedOperation::Reinforce(n) => {
                self.reinforced = self.reinforced.saturating_add(u64::from(n));
                self.last = self.last.max(time);
            }
            NotedOperation::Harmful(n) => self.harmful = self.harmful.saturating_add(u64::from(n)),
            NotedOperation::Decide(UserState::Forgotten) if !holds => {
                self.user = self.user.max(Some((at, UserState::Auto)));
            }
            NotedOperation::Decide(user) => self.user = self.user.max(Some((at, user))),
            NotedOperation::Restore => {
                self.user = self.user.max(Some((at, UserState::Auto)));
                self.touched = self.touched.max(time);
            }
            NotedOperation::Expire(until) if holds => {
                self.until = self.until.max(Some((at, until)));
            }
            NotedOperation::Supersede(by) if holds => self.superseded.push((at, by)),
            NotedOperation::Priority(value) => self.priority = self.priority.max(Some((at, value))),
            NotedOperation::Importance(value) => {
                self.importance = self.importance.max(Some((at, value)));
            }
            _ => {}
        }
    }
}

impl Ledger {
    /// Returns the evidence for an entry that has events besides adds and reinforcements.
    pub(super) fn gathered(&self, now: Now, entry: EntryId) -> Option<Evidence> {
        let (sum, roots) = self.sum(now, entry);
        if !sum.added {
            return None;
        }
        // If all times are beyond the horizon, the time of the latest event is taken.
        let first = sum.first.or_else(|| self.latest(now.horizon())).unwrap_or(now.0);
        let last = sum.last.unwrap_or(first);
        let wanted = sum.wanted;
        let ended = |(at, until): &(Order, Timestamp)| {
            wanted.is_some_and(|wanted| wanted > *at && wanted.0 > *until)
        };
        let (standing, outlived): (Vec<_>, Vec<_>) =
            sum.superseded.iter().partition(|(at, _)| Some(*at) > sum.typed);
        let ids = |found: Vec<&(Order, EntryId)>| found.into_iter().map(|(_, by)| *by).collect();
        Some(Evidence {
            cue: sum.cue.unwrap_or(Cue::Behavioral),
            count: roots
                .saturating_add(sum.reinforced)
                .saturating_sub(sum.harmful.saturating_mul(4)),
            first_seen: first,
            last_reinforced: last,
            touched: sum.touched.map_or(last, |touched| touched.max(last)),
            user: sum.user.map(|(_, user)| user).unwrap_or_default(),
            until: sum.until.filter(|until| !ended(until)).map(|(_, until)| until),
            superseded_by: ids(standing),
            outlived: ids(outlived),
            chosen: sum.chosen,
            priority: sum
                .priority
                .map(|(_, value)| value)
                .filter(|value| *value > Share::default()),
            importance: sum.importance.map(|(_, value)| value),
        })
    }

    /// Returns true if an entry is out of force: forgotten, superseded or expired.
    #[must_use]
    pub fn is_over(&self, now: Now, entry: EntryId) -> bool {
        self.evidence(now, entry).is_some_and(|evidence| {
            let expired = evidence.until.is_some_and(|until| until < now.0);
            let forgotten = evidence.user == UserState::Forgotten;
            // A wording that was given up may be said again.
            let is_other = |by: &EntryId| !self.is_made_from(*by, entry);
            forgotten || expired || evidence.superseded_by.iter().any(is_other)
        })
    }

    /// Returns true if the entry is out of force, or in the archive.
    #[must_use]
    pub fn is_out(&self, now: Now, entry: EntryId) -> bool {
        self.archived(entry) || self.is_over(now, entry)
    }

    /// Returns true if the entry is out, or was given up for another wording: what others still say of it is
    /// not told here.
    #[must_use]
    pub fn is_done_with(&self, now: Now, entry: EntryId) -> bool {
        self.is_out(now, entry) || self.is_used(entry)
    }

    /// Returns true if the times of an entry come from events about it, and not from a fallback.
    #[must_use]
    pub fn times(&self, now: Now, entry: EntryId) -> bool {
        self.is_plain(now, entry) || self.sum(now, entry).0.first.is_some()
    }

    /// Returns the sum of the events that count for an entry, and the count for its existence.
    fn sum(&self, now: Now, entry: EntryId) -> (Sum, u64) {
        let reach = self.reach(entry, |_| true);
        let by_hand = |id: &EntryId| self.edges(*id).any(|edge| edge.how == How::HandEdit);
        let through =
            reach.keys().any(by_hand).then(|| self.reach(entry, |edge| edge.how != How::HandEdit));
        let decided = through.as_ref().unwrap_or(&reach);
        let (mut sum, mut heard) = (Sum::default(), BTreeSet::new());
        for (id, end) in &reach {
            let holds = |at: Order| decided.get(id).is_some_and(|end| at < *end);
            // Whoever rewords an entry wants it in these words.
            let made = self.edges(*id).filter(|edge| edge.at < *end && edge.how != How::Merge);
            for edge in made.filter(|edge| holds(edge.at)) {
                sum.choose(edge.at, now.horizon());
            }
            for note in self.notes(*id).filter(|note| note.at < *end) {
                sum.add(note, now.horizon(), holds(note.at));
                if !matches!(note.what, NotedOperation::Source(_) | NotedOperation::Chosen(_)) {
                    heard.insert(*id);
                }
            }
        }
        // Git may bring the line back that was reworded on one branch only.
        let made = self.made_into(entry).filter(|(at, _)| Some(*at) > sum.typed);
        if let Some((at, by)) = made {
            sum.superseded.push((at, by));
            sum.user = sum.user.filter(|(then, user)| *then > at || *user != UserState::Pinned);
        }
        // An entry counts 1, and so does each entry that it was merged from.
        let merged = reach.iter().flat_map(|(id, end)| {
            let edges = self.edges(*id);
            edges.filter(|edge| edge.how == How::Merge && edge.at < *end).map(|edge| edge.from)
        });
        let merged: BTreeSet<EntryId> = merged.filter(|id| *id != entry).collect();
        let known = |id: &&EntryId| heard.contains(id) || self.edges(**id).next().is_some();
        (sum, 1 + merged.iter().filter(known).count() as u64)
    }

    /// Returns the entries that this one inherits from through the edges that pass `through`, each
    /// with the end of its events that count. A heap yields the latest end first, so that each
    /// entry is visited once.
    fn reach(&self, entry: EntryId, through: impl Fn(&Edge) -> bool) -> Reach {
        let mut reached = Reach::new();
        let mut open = BinaryHeap::from([(END, entry)]);
        while let Some((end, id)) = open.pop() {
            if reached.contains_key(&id) {
                continue;
            }
            reached.insert(id, end);
            for edge in self.edges(id).filter(|edge| edge.at < end && through(edge)) {
                // If the clock was behind, a source may have later times than the entry made from
                // it.
                let first = self.first_add(edge.from);
                let mut older = self.edges(edge.from).map(|edge| edge.at).chain(first);
                let known = older.any(|first| first < edge.at);
                open.push((if known { edge.at } else { end }, edge.from));
            }
        }
        reached
    }

    /// Returns the decision about an entry before it was forgotten.
    #[must_use]
    pub fn before_forgetting(&self, entry: EntryId) -> UserState {
        let decisions = self.decisions(entry);
        let mut before = decisions.iter().rev().filter_map(|(_, user)| *user);
        before.find(|user| *user != UserState::Forgotten).unwrap_or_default()
    }

    /// Returns the last decision about an entry; `None` if there is none.
    #[must_use]
    pub fn decided(&self, entry: EntryId) -> Option<UserState> {
        let decisions = self.decisions(entry);
        let last = decisions.iter().rev().find_map(|(_, user)| *user);
        (!decisions.is_empty()).then(|| last.unwrap_or_default())
    }

    /// Returns the decisions in order; `None` stands for archiving.
    fn decisions(&self, entry: EntryId) -> Vec<(Order, Option<UserState>)> {
        let reach = self.reach(entry, |_| true);
        let decision = |note: &Note| match note.what {
            NotedOperation::Decide(user) => Some((note.at, Some(user))),
            NotedOperation::Restore => Some((note.at, Some(UserState::Auto))),
            NotedOperation::Archive(_) => Some((note.at, None)),
            _ => None,
        };
        let of = |(id, end): (&EntryId, &Order)| -> Vec<_> {
            let notes = self.notes(*id).filter(|note| note.at < *end);
            notes.filter_map(decision).collect()
        };
        let mut decisions: Vec<_> = reach.iter().flat_map(of).collect();
        decisions.sort_unstable();
        decisions
    }

    /// Returns the position of the last event that counts for an entry.
    #[must_use]
    pub fn newest(&self, entry: EntryId) -> Option<Order> {
        self.newest_of(entry, |_, _| true)
    }

    fn newest_of(&self, entry: EntryId, counts: impl Fn(Order, bool) -> bool) -> Option<Order> {
        let reach = self.reach(entry, |_| true);
        let order = |(id, end): (&EntryId, &Order)| {
            let notes = self
                .notes(*id)
                .map(|note| (note.at, matches!(note.what, NotedOperation::Source(_))));
            let edges = self.edges(*id).map(|edge| (edge.at, false));
            let all = notes.chain(edges).filter(|(at, used)| at < end && counts(*at, *used));
            all.map(|(at, _)| at).max()
        };
        reach.iter().filter_map(order).max()
    }

    /// Returns the position of a new event about an entry, with an id made from `random`. It comes
    /// after all known events about the entries involved, whatever their clocks say. A use (add,
    /// reinforcement, harm) ignores events dated in the future: otherwise the entry could not fade
    /// before that time is reached. `None` at the end of time.
    #[must_use]
    pub fn place(&self, now: Now, entry: EntryId, kind: &EventKind, random: u128) -> Option<Order> {
        let is_use = kind.is_use();
        let fresh = (now.0, EventId::new(now.0, random));
        // A use must come after the edits made from the entry, or they would inherit it too.
        let counts =
            |(ts, _): Order, used: bool| !is_use || ts <= now.0 || used && ts <= now.horizon();
        let entries = kind.others().iter().chain([&entry]);
        let newest = entries.filter_map(|id| self.newest_of(*id, counts)).max();
        let Some((then, last)) = newest.filter(|last| *last >= fresh) else { return Some(fresh) };
        // The step is random because another machine may append at the same position.
        let next = last.0.checked_add(1 + (random & 0xffff_ffff)).map(EventId);
        let ids = next.into_iter().chain([EventId::new(then, random)]);
        let next = ids.filter(|id| *id > last && id.is_of(then)).max();
        next.map(|id| (then, id)).or_else(|| {
            let later = Timestamp(then.0.saturating_add(1));
            (later <= Timestamp::LAST).then(|| (later, EventId::new(later, random)))
        })
    }
}
