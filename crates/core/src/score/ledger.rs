//! The ledger: a set of events folded into evidence per entry.
//!
//! The fold is commutative and idempotent: any order, any repetition and any union of two logs give
//! the same evidence. The ledger never reads the clock; callers pass the time.

use std::{
    borrow::Cow,
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
};

use super::{
    access::Access,
    clock::ActiveDays,
    evidence::{Edge, Evidence, Strength},
};
use crate::model::{
    entry::{EntryId, EventId},
    event::{ArchiveReason, Author, Cue, Event, Order},
    hash::{IdMap, IdSet},
    operation::{NotedOperation, OperationEffect, UserState},
    time::{Now, Timestamp},
};

/// An event about an entry, with its position in the order of events.
#[derive(Debug, Clone, Copy)]
pub(super) struct Note {
    pub(super) at: Order,
    pub(super) what: NotedOperation,
    /// True if a person's action shows that the entry is wanted.
    pub(super) wants: bool,
    /// True if nobody said it: a line that the log did not know stood in a file.
    is_found: bool,
    /// Index of the previous note about the same entry, from 1; 0 if there is none.
    before: u32,
}

impl Note {
    /// Returns the entry that the event is about, for a note about `entry`.
    fn about(&self, entry: EntryId) -> EntryId {
        match self.what {
            NotedOperation::Chosen(other) | NotedOperation::Source(other) => other,
            _ => entry,
        }
    }
}

/// Accesses of an entry on one device until a moment.
#[derive(Debug, Clone, Copy)]
struct Count {
    at: Order,
    device: u64,
    n: u64,
}

/// The sums of the events about one entry, before edits and merges are followed.
#[derive(Debug, Clone, Default)]
pub(super) struct Account {
    pub(super) first_add: Option<Order>,
    last: Option<Timestamp>,
    /// Latest event by which a person wants the entry.
    wanted: Option<Order>,
    cue: Option<Cue>,
    /// True if there is any event besides adds and reinforcements.
    special: bool,
    /// Index of the last note, from 1; 0 if there is none.
    tail: u32,
    reinforced: u64,
    /// Entries that this one was edited or merged from.
    pub(super) edges: Vec<Edge>,
}

#[derive(Debug, Clone, Default)]
pub struct Ledger {
    pub(super) accounts: IdMap<EntryId, Account>,
    notes: Vec<Note>,
    /// Ids of the folded events, each with the fingerprint of its event.
    seen: IdSet<(EventId, u64)>,
    /// Retracted events, each with the entry that it is about and the last retraction. Readers of
    /// notes and edges skip them, so that the order of event and retraction does not matter.
    retracted: IdMap<(EntryId, EventId), Order>,
    /// The last purge of each purged entry. Readers skip what is older, whether or not it is in the
    /// log still.
    purged: IdMap<EntryId, Order>,
    /// How often devices found entries.
    accessed: IdMap<EntryId, Vec<Count>>,
    /// When guards of entries held.
    held: IdMap<EntryId, Vec<Order>>,
    /// Cache of [`Ledger::latest`]: a horizon, and the latest time up to it.
    latest: Cell<Option<(Timestamp, Option<Timestamp>)>>,
}

impl Ledger {
    /// Returns an empty ledger with room for `events` events.
    #[must_use]
    pub fn with_capacity(events: usize) -> Self {
        let mut ledger = Self::default();
        ledger.seen.reserve(events);
        ledger.notes.reserve(events);
        ledger.accounts.reserve(events / 2);
        ledger
    }

    /// Folds an event into the ledger. An event that is already folded changes nothing.
    pub fn fold(&mut self, event: &Event) {
        if !self.seen.insert((event.id, event.fingerprint())) {
            return;
        }
        self.latest.set(None);
        match event.kind.effect() {
            OperationEffect::Notes(what) => self.note(event.entry, event, what),
            OperationEffect::Replaces(by) => {
                self.note(*by, event, NotedOperation::Chosen(event.entry));
                self.note(event.entry, event, NotedOperation::Supersede(*by));
            }
            OperationEffect::Links(from) => self.link(event, from),
            OperationEffect::Retracts(ids) => {
                self.accounts.entry(event.entry).or_default().special = true;
                for id in ids {
                    let last = self.retracted.entry((event.entry, *id)).or_insert(event.order());
                    *last = event.order().max(*last);
                }
            }
            OperationEffect::Purges => {
                let last = self.purged.entry(event.entry).or_insert(event.order());
                *last = event.order().max(*last);
                self.note(event.entry, event, NotedOperation::Purge);
            }
            OperationEffect::Counts { device, n } => {
                let count = Count { at: event.order(), device, n };
                self.accessed.entry(event.entry).or_default().push(count);
            }
            OperationEffect::Holds => {
                self.held.entry(event.entry).or_default().push(event.order());
            }
            OperationEffect::Nothing => {}
        }
    }

    fn note(&mut self, entry: EntryId, event: &Event, what: NotedOperation) {
        let person = event.by == Author::Person;
        let account = self.accounts.entry(entry).or_default();
        let at = event.order();
        let wants = match what {
            NotedOperation::Add(cue) => {
                account.first_add = Some(account.first_add.map_or(at, |first| first.min(at)));
                account.last = account.last.max(Some(event.ts));
                account.cue = account.cue.max(Some(cue));
                person
            }
            NotedOperation::Reinforce(n) => {
                account.last = account.last.max(Some(event.ts));
                account.reinforced = account.reinforced.saturating_add(u64::from(n));
                person
            }
            // Only a person's command restores or replaces an entry.
            _ => {
                account.special = true;
                matches!(what, NotedOperation::Restore | NotedOperation::Chosen(_))
            }
        };
        if wants {
            account.wanted = account.wanted.max(Some(at));
        }
        let is_found = event.by == Author::Adoption;
        self.notes.push(Note { at, what, wants, is_found, before: account.tail });
        account.tail = u32::try_from(self.notes.len()).unwrap_or(0);
    }

    fn link(&mut self, event: &Event, from: &[EntryId]) {
        let account = self.accounts.entry(event.entry).or_default();
        account.special = true;
        account.edges.extend(from.iter().map(|from| Edge::new(event, *from)));
        for source in from {
            self.note(*source, event, NotedOperation::Source(event.entry));
        }
    }

    #[must_use]
    pub fn holds(&self, event: &Event) -> bool {
        self.seen.contains(&(event.id, event.fingerprint()))
    }

    /// Returns the evidence for `entry`, including what it inherits from the entries that it was
    /// edited or merged from. `None` if no add is known, directly or inherited: the line was
    /// written by hand.
    #[must_use]
    pub fn evidence(&self, now: Now, entry: EntryId) -> Option<Evidence> {
        let own = self.accounts.get(&entry)?;
        if let (false, Some((first_seen, _)), Some(last)) = (own.special, own.first_add, own.last)
            && last <= now.horizon()
        {
            return Some(Evidence {
                cue: own.cue.unwrap_or(Cue::Behavioral),
                count: own.reinforced.saturating_add(1),
                first_seen,
                last_reinforced: last,
                touched: last,
                user: UserState::Auto,
                until: None,
                superseded_by: BTreeSet::new(),
                outlived: BTreeSet::new(),
                chosen: own.wanted,
                priority: None,
                importance: None,
            });
        }
        self.gathered(now, entry)
    }

    /// Returns true if an entry has only adds and reinforcements, none of them in the future.
    pub(super) fn is_plain(&self, now: Now, entry: EntryId) -> bool {
        self.accounts.get(&entry).is_some_and(|own| {
            let is_past = own.last.is_some_and(|last| last <= now.horizon());
            !own.special && own.first_add.is_some() && is_past
        })
    }

    /// Returns true if there is evidence for `entry`.
    #[must_use]
    pub fn knows(&self, entry: EntryId) -> bool {
        let added = |id| self.first_add(id).is_some();
        added(entry) || self.sources(entry).into_iter().any(added)
    }

    /// Returns true if there is an event that brought the entry into a store.
    #[must_use]
    pub fn is_begun(&self, entry: EntryId) -> bool {
        self.first_add(entry).is_some() || self.edges(entry).next().is_some()
    }

    /// Returns true if any event is about the entry.
    #[must_use]
    pub fn has(&self, entry: EntryId) -> bool {
        self.accounts.contains_key(&entry)
    }

    /// Returns the last event that made the entry from another.
    #[must_use]
    pub fn made(&self, entry: EntryId) -> Option<Order> {
        self.edges(entry).map(|edge| edge.at).max()
    }

    /// Returns the entries that events are about, in no particular order.
    pub fn entries(&self) -> impl Iterator<Item = EntryId> {
        self.accounts.keys().copied()
    }

    /// Returns true if the entry was archived and not added or restored since.
    #[must_use]
    pub fn archived(&self, entry: EntryId) -> bool {
        self.archived_for(entry).is_some()
    }

    /// Returns the reason for which the entry was archived; `None` if it is not archived.
    #[must_use]
    pub fn archived_for(&self, entry: EntryId) -> Option<ArchiveReason> {
        let word = |note: &Note| match note.what {
            NotedOperation::Restore => Some((note.at, 0, None)),
            NotedOperation::Archive(why) => Some((note.at, 1, Some(why))),
            NotedOperation::Add(_) => Some((note.at, 2, None)),
            _ => None,
        };
        self.notes(entry).filter_map(word).max().and_then(|(.., why)| why)
    }

    /// Returns the entries that are not in `present`, not archived, and not the source of another
    /// entry made since they were added. Such lines were removed or edited by hand.
    #[must_use]
    pub fn vanished(&self, present: &IdSet<EntryId>) -> BTreeSet<EntryId> {
        let there = |id: &EntryId| (!present.contains(id) && self.is_begun(*id)).then_some(*id);
        let gone = self.accounts.keys().filter_map(there);
        gone.filter(|id| !self.is_used(*id) && !self.archived(*id)).collect()
    }

    /// Returns the strength of every entry with evidence, sorted by id, and whether it depends on
    /// other entries. Times in the future are not capped.
    #[must_use]
    pub fn strengths(&self) -> Vec<(EntryId, Strength, bool)> {
        let ever = Now(Timestamp(i64::MAX));
        let strength = |id: &EntryId| {
            let strength = self.evidence(ever, *id)?.strength();
            Some((*id, strength, self.edges(*id).next().is_some()))
        };
        let mut all: Vec<_> = self.accounts.keys().filter_map(strength).collect();
        all.sort_unstable_by_key(|(id, ..)| *id);
        all
    }

    /// Returns the latest time of any event up to `horizon`.
    pub fn latest(&self, horizon: Timestamp) -> Option<Timestamp> {
        if let Some((_, latest)) = self.latest.get().filter(|(known, _)| *known == horizon) {
            return latest;
        }
        let latest = if self.counts_all() {
            let times = self.notes.iter().map(|note| note.at.0);
            times.filter(|time| *time <= horizon).max()
        } else {
            let notes = self.accounts.keys().flat_map(|id| self.notes(*id));
            notes.map(|note| note.at.0).filter(|time| *time <= horizon).max()
        };
        self.latest.set(Some((horizon, latest)));
        latest
    }

    /// Returns the days that have an event.
    #[must_use]
    pub fn days(&self) -> ActiveDays {
        if self.purged.is_empty() {
            return self.notes.iter().map(|note| note.at.0).collect();
        }
        let kept = |id: &EntryId| {
            let id = *id;
            self.noted(id).filter(move |note| !self.is_purged(note.about(id), note.at))
        };
        self.accounts.keys().flat_map(kept).map(|note| note.at.0).collect()
    }

    /// Returns the notes about an entry, in no particular order.
    pub(super) fn notes(&self, entry: EntryId) -> impl Iterator<Item = &Note> {
        self.noted(entry).filter(move |note| !self.is_void(note.about(entry), note.at))
    }

    /// Returns the notes about an entry, with those that do not count.
    fn noted(&self, entry: EntryId) -> impl Iterator<Item = &Note> {
        let number = |tail: u32| usize::try_from(tail).ok()?.checked_sub(1);
        let last = self.accounts.get(&entry).and_then(|account| number(account.tail));
        std::iter::successors(last.and_then(|at| self.notes.get(at)), move |note| {
            self.notes.get(number(note.before)?)
        })
    }

    /// Returns the entries that this one was edited or merged from directly.
    pub(super) fn edges(&self, entry: EntryId) -> impl Iterator<Item = &Edge> {
        let edges = self.accounts.get(&entry).map_or(&[][..], |account| &account.edges);
        edges.iter().filter(move |edge| !self.is_void(entry, edge.at))
    }

    pub(super) fn first_add(&self, entry: EntryId) -> Option<Order> {
        let first = self.accounts.get(&entry)?.first_add?;
        if self.counts_all() {
            return Some(first);
        }
        let added = |note: &Note| matches!(note.what, NotedOperation::Add(_)).then_some(note.at);
        self.notes(entry).filter_map(added).min()
    }

    /// Returns an event and its line for being appended again. If the event was retracted, it gets
    /// a new id derived from its own, so that repeated appends of it are recognised.
    #[must_use]
    pub fn again<'a>(&self, event: &'a Event, line: &'a str) -> (Cow<'a, Event>, Cow<'a, str>) {
        if !self.is_retracted(event.entry, event.order()) {
            return (Cow::Borrowed(event), Cow::Borrowed(line));
        }
        let mut next = event.clone();
        while self.is_retracted(next.entry, next.order()) {
            let id = EventId::derived(next.ts, &[&next.id.0.to_be_bytes()]);
            next = Event { id, ..next };
        }
        let line = line.replacen(&event.id.to_string(), &next.id.to_string(), 1);
        (Cow::Owned(next), Cow::Owned(line))
    }

    /// Returns true if the event of that id about an entry was retracted.
    #[must_use]
    pub fn retracts(&self, about: EntryId, id: EventId) -> bool {
        let last = self.retracted.get(&(about, id));
        last.is_some_and(|last| !self.is_purged(about, *last))
    }

    fn is_retracted(&self, about: EntryId, at: Order) -> bool {
        !self.retracted.is_empty() && self.retracts(about, at.1)
    }

    /// Returns true if an event about an entry is older than a purge of it.
    fn is_purged(&self, about: EntryId, at: Order) -> bool {
        !self.purged.is_empty() && self.purged.get(&about).is_some_and(|last| at < *last)
    }

    /// Returns true if an event about an entry does not count: it was retracted or purged.
    #[must_use]
    pub fn is_void(&self, about: EntryId, at: Order) -> bool {
        self.is_retracted(about, at) || self.is_purged(about, at)
    }

    /// Returns true if there are no retractions and purges.
    fn counts_all(&self) -> bool {
        self.retracted.is_empty() && self.purged.is_empty()
    }

    /// Returns the last purge of each purged entry.
    #[must_use]
    pub fn purges(&self) -> &IdMap<EntryId, Order> {
        &self.purged
    }

    /// Returns true if the entry was purged, and nobody has asked for this wording since.
    #[must_use]
    pub fn is_gone(&self, entry: EntryId) -> bool {
        let typed = |note: &Note| note.wants && matches!(note.what, NotedOperation::Add(_));
        self.purged.contains_key(&entry)
            && !self.notes(entry).any(typed)
            && !self.edges(entry).any(Edge::is_typed)
    }

    /// Returns true if the entry was [made into another](Self::made_into).
    #[must_use]
    pub fn is_used(&self, entry: EntryId) -> bool {
        self.made_into(entry).is_some()
    }

    #[must_use]
    pub fn is_made_from(&self, entry: EntryId, source: EntryId) -> bool {
        self.edges(entry).any(|edge| edge.from == source)
    }

    /// Returns what the entry was made into if nobody has added, restored or made it since, and when.
    /// Git brings the old line to those who have not heard of that, and they find it in a file.
    #[must_use]
    pub fn made_into(&self, entry: EntryId) -> Option<(Order, EntryId)> {
        let word = |note: &Note| match note.what {
            NotedOperation::Source(other) => Some((note.at, Some(other))),
            NotedOperation::Add(_) if note.is_found => None,
            NotedOperation::Add(_) | NotedOperation::Restore => Some((note.at, None)),
            _ => None,
        };
        let made = self.edges(entry).map(|edge| (edge.at, None));
        let last = self.notes(entry).filter_map(word).chain(made).max();
        last.and_then(|(at, other)| Some((at, other?)))
    }

    /// Returns true if what the entry was made into `stands`, or was put away.
    pub fn is_reworded(&self, entry: EntryId, stands: impl Fn(EntryId) -> bool) -> bool {
        let mut seen = BTreeSet::from([entry]);
        let next = |of: &EntryId| self.made_into(*of).map(|(_, other)| other);
        let wordings = std::iter::successors(next(&entry), next);
        let mut wordings = wordings.take_while(|of| seen.insert(*of));
        wordings.any(|of| stands(of) || self.archived(of))
    }

    /// Returns true if an entry that stands in no topic still replaces `old`. A new wording that was put
    /// away takes the old one along. Other entries come back when a person drops what replaced them, but
    /// not when that has faded, or was replaced or merged itself.
    #[must_use]
    pub fn replaces_from_away(&self, by: EntryId, old: EntryId) -> bool {
        let why = self.archived_for(by);
        let is_away = || why.is_some() || self.is_reworded(by, |_| false);
        let is_settled = why.is_some_and(|why| why != ArchiveReason::Person);
        is_settled || self.is_made_from(by, old) && is_away()
    }

    /// Returns true if any device has told how often it found entries.
    #[must_use]
    pub fn has_accesses(&self) -> bool {
        !self.accessed.is_empty()
    }

    /// Returns the entries that any device has told to have found, in no particular order.
    pub fn accessed(&self) -> impl Iterator<Item = EntryId> {
        self.accessed.keys().copied()
    }

    /// Returns how often a device has told to have found an entry.
    #[must_use]
    pub fn accessed_on(&self, entry: EntryId, device: u64) -> u64 {
        let all = self.told(entry).into_iter().find(|(known, _)| *known == device);
        all.map_or(0, |(_, access)| access.count)
    }

    /// Returns how often each device found an entry.
    #[must_use]
    pub fn told(&self, entry: EntryId) -> BTreeMap<u64, Access> {
        let mut told = BTreeMap::<u64, Access>::new();
        for count in self.accessed.get(&entry).into_iter().flatten() {
            if !self.is_void(entry, count.at) {
                let known = told.entry(count.device).or_default();
                known.count = known.count.max(count.n);
                known.last = known.last.max(Some(count.at.0));
            }
        }
        told
    }

    /// Returns when guards of an entry or of its earlier wordings held, the earliest first.
    #[must_use]
    pub fn held(&self, entry: EntryId) -> Vec<Timestamp> {
        if self.held.is_empty() {
            return Vec::new();
        }
        let of = |id: EntryId| {
            let all = self.held.get(&id).into_iter().flatten();
            all.filter(move |at| !self.is_void(id, **at)).map(|at| at.0)
        };
        let mut held: Vec<Timestamp> = self.family(entry).into_iter().flat_map(of).collect();
        held.sort_unstable();
        held
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.seen.is_empty()
    }

    /// Number of distinct events.
    #[must_use]
    pub fn len(&self) -> usize {
        self.seen.len()
    }

    /// Returns the entry and all entries that it was edited or merged from.
    #[must_use]
    pub fn family(&self, entry: EntryId) -> BTreeSet<EntryId> {
        let mut family = BTreeSet::from([entry]);
        let mut open = vec![entry];
        while let Some(id) = open.pop() {
            let sources = self.edges(id).map(|edge| edge.from);
            open.extend(sources.filter(|id| family.insert(*id)));
        }
        family
    }

    /// Returns all entries that this one was edited or merged from, without itself.
    #[must_use]
    pub fn sources(&self, entry: EntryId) -> BTreeSet<EntryId> {
        if self.edges(entry).next().is_none() {
            return BTreeSet::new();
        }
        let mut family = self.family(entry);
        family.remove(&entry);
        family
    }
}

#[cfg(test)]
#[path = "ledger_properties.rs"]
mod properties;
#[cfg(test)]
#[path = "ledger_tests.rs"]
mod tests;
