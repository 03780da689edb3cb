//! A transaction on a store: reads under the lock, and collects what is recorded and changed until
//! [`commit`](Txn::commit) writes it.
//!
//! The places of the events that it records: with a mark, their ids are made of what they are about, so
//! that recording them again changes nothing.

use std::{
    borrow::Cow,
    cell::OnceCell,
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use anyhow::{Result, bail};
use memchr::memmem;
use pimem_core::model::{
    questions::Questions,
    rules::{LineAsides, LineRules},
};
use pimem_core::{
    model::{
        category::{Categories, CategoryId},
        entry::{EntryId, EventId, Markers, Wording},
        event::{Author, Event, EventKind, Order, Provenance},
        time::{Now, Timestamp},
    },
    score::ranking::{LocatedEntry, Scope},
};

use super::{
    Store, StoreLock, atomic,
    rooms::{self, Layout},
    snapshot::Snapshot,
    trust::TextKey,
    trust_ledger::SaidPassages,
};

/// A transaction. Without a lock it is a dry run, which checks everything and writes nothing.
pub struct Txn<'a> {
    pub(super) store: &'a Store,
    /// `None` for a dry run.
    pub(super) lock: Option<&'a StoreLock>,
    pub(super) categories: &'a Categories,
    pub(super) now: Now,
    pub(super) who: Provenance,
    pub(super) snapshot: Snapshot,
    /// True if the log was folded.
    pub(super) heard: bool,
    pub(super) events: Vec<String>,
    /// The events that an undo of the command retracts.
    pub(super) own: Vec<(EntryId, EventId)>,
    pub(super) changes: Vec<(Target, Vec<Change>)>,
    /// What is noted of lines written on this machine.
    pub(super) said: SaidPassages,
    /// True if a topic without room continues in another file.
    pub(super) goes_on: bool,
    layout: OnceCell<Layout>,
    /// True if what is written comes from another store.
    pub(super) received: bool,
    pub(super) mark: Option<TransactionMark>,
    /// The random part of the last event's id.
    pub(super) last_random: Option<u128>,
}

impl Store {
    /// Starts a transaction. What it reads cannot be changed by another pimem until it ends.
    pub fn begin<'a>(
        &'a self,
        lock: &'a StoreLock,
        categories: &'a Categories,
        now: Now,
        who: Provenance,
    ) -> Txn<'a> {
        let mut txn = self.begin_adding(Some(lock), categories, now, who);
        txn.read_evidence();
        txn
    }

    /// Starts a transaction that only adds, or a dry run of one if there is no lock. It does not
    /// read the log, which grows without limit.
    pub fn begin_adding<'a>(
        &'a self,
        lock: Option<&'a StoreLock>,
        categories: &'a Categories,
        now: Now,
        who: Provenance,
    ) -> Txn<'a> {
        Txn { lock, ..self.rehearse(categories, now, who) }
    }

    /// Starts a dry run: it takes no lock, and its commit checks without writing.
    pub fn rehearse<'a>(
        &'a self,
        categories: &'a Categories,
        now: Now,
        who: Provenance,
    ) -> Txn<'a> {
        let snapshot = self.read_topics(categories);
        let (events, own, changes) = (Vec::new(), Vec::new(), Vec::new());
        let (lock, heard) = (None, false);
        Txn {
            store: self,
            lock,
            categories,
            now,
            who,
            snapshot,
            heard,
            events,
            own,
            changes,
            said: SaidPassages::default(),
            goes_on: true,
            layout: OnceCell::new(),
            received: false,
            mark: None,
            last_random: None,
        }
    }
}

impl Txn<'_> {
    /// Returns the store's content under the lock.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    pub fn placed(&self) -> Vec<LocatedEntry> {
        self.snapshot.placed(self.store, self.categories)
    }

    /// Returns true if an agent may see the entry. Callers ignore other entries when they resolve a
    /// reference.
    pub fn reviewed(&self, category: CategoryId, text: &str) -> bool {
        self.store.trust.holds_entry(&self.categories.spec(category).name, text)
    }

    /// Returns the entry's key in the ledger of trust.
    pub fn key(&self, category: CategoryId, text: &str) -> TextKey {
        self.store.trust.entry(&self.categories.spec(category).name, text)
    }

    /// Reads the log if it was not read yet. Must precede any recorded event.
    pub fn read_evidence(&mut self) {
        if !std::mem::replace(&mut self.heard, true) {
            self.store.read_evidence(self.now, self.categories, &mut self.snapshot);
        }
    }

    /// Returns true if the log was folded.
    pub fn has_evidence(&self) -> bool {
        self.heard
    }

    pub fn scope(&self) -> Scope {
        self.store.scope
    }

    /// Makes the commit fail if a topic has no room, instead of continuing in another file.
    pub fn keep_to_topics(&mut self) {
        self.goes_on = false;
    }

    /// Returns the topics that go on in a second file from this change on, each with that file.
    pub fn outgrown(&self) -> Vec<(&str, &str)> {
        let Layout { outgrown, begun, .. } = self.layout();
        let first = |topic: &String| {
            let (stem, of) = begun.iter().find(|(_, of)| of == topic)?;
            Some((of.as_str(), stem.as_str()))
        };
        outgrown.iter().filter_map(first).collect()
    }

    pub(super) fn layout(&self) -> &Layout {
        self.layout.get_or_init(|| {
            if self.goes_on {
                rooms::layout(&self.snapshot, self.categories, &self.changes)
            } else {
                Layout { changes: self.changes.clone(), ..Layout::default() }
            }
        })
    }

    /// Trusts a line written on this machine, so that reports may show it, unless a person has to
    /// review it first. What an agent writes is noted for the next review. Returns true if reports
    /// may show the line.
    pub fn say(&mut self, category: CategoryId, text: &str) -> bool {
        let name = &self.categories.spec(category).name;
        self.said.take(&self.store.trust, name, text)
    }

    /// Records an event at the current time. An adopted entry's adoption is recorded first, because
    /// otherwise its evidence would start anew at every read.
    pub fn record(&mut self, entry: EntryId, kind: EventKind) -> Result<()> {
        self.record_of(entry, kind, (Vec::new(), None))
    }

    /// Records an event like [`Txn::record`], with tags, and where its text was said.
    pub fn record_of(
        &mut self,
        entry: EntryId,
        kind: EventKind,
        (tags, source): (Vec<String>, Option<String>),
    ) -> Result<()> {
        self.adopt(Some(entry));
        let Some((ts, id)) = self.next_order(entry, &kind)? else { return Ok(()) };
        // The author of a supersede event is not stored.
        let unsaid = matches!(kind, EventKind::Supersede(_));
        let by = if unsaid { Author::Person } else { Author::of(&self.who.by) };
        let event = Event { id, ts, entry, by, kind };
        self.snapshot.ledger.fold(&event);
        self.own.push((entry, id));
        self.events.push(event.write(&Provenance { tags, source, ..self.who.clone() }));
        Ok(())
    }

    /// Makes what follows that of another store: an interruption does not make its lines trusted.
    pub fn as_received(&mut self) {
        self.received = true;
    }

    /// Returns the lines of the events recorded until now.
    pub fn recorded(&self) -> &[String] {
        &self.events
    }

    /// Records an event of another store, with its bytes unchanged.
    pub fn receive(&mut self, line: &str) {
        if let Some(event) = Event::read(line) {
            self.snapshot.ledger.fold(&event);
            self.events.push(line.to_owned());
        }
    }

    /// Lets agents see a text, because they may in a store that it comes from.
    pub fn vouch(&mut self, key: TextKey) {
        if !self.store.trust.is_own() {
            self.said.vouch(key);
        }
    }

    pub fn store(&self) -> &Store {
        self.store
    }

    /// Records that an entry is destroyed, which is not undone. Returns the position of the event.
    pub fn bury(&mut self, entry: EntryId, hash: Option<&str>, secret: bool) -> Result<Order> {
        let kind = EventKind::Purge { hash: hash.map(Box::from), secret };
        let place = self.snapshot.ledger.place(self.now, entry, &kind, atomic::random()?);
        let Some((ts, id)) = place else {
            bail!("an event about entry {entry} is dated at the end of time")
        };
        let event = Event { id, ts, entry, by: Author::of(&self.who.by), kind };
        self.snapshot.ledger.fold(&event);
        self.events.push(event.write(&self.who));
        Ok((ts, id))
    }

    /// Records an event from another log, with its line unchanged. Returns true if it was new. One
    /// that was retracted here counts again, unless the other log has `retracted` it too.
    pub fn take_over(
        &mut self,
        event: &Event,
        line: &str,
        retracted: &BTreeSet<(EntryId, EventId)>,
    ) -> bool {
        let (event, line) = if retracted.contains(&(event.entry, event.id)) {
            (Cow::Borrowed(event), Cow::Borrowed(line))
        } else {
            self.snapshot.ledger.again(event, line)
        };
        if self.snapshot.ledger.holds(&event) {
            return false;
        }
        self.adopt(Some(event.entry));
        self.snapshot.ledger.fold(&event);
        self.own.push((event.entry, event.id));
        self.events.push(line.into_owned());
        true
    }

    /// Records the adoption of one entry, or of all adopted entries. Returns their number.
    pub fn adopt(&mut self, only: Option<EntryId>) -> usize {
        let is_due = |event: &Event| only.is_none_or(|id| id == event.entry);
        if !self.snapshot.adopted.iter().any(is_due) {
            return 0;
        }
        let adopted = std::mem::take(&mut self.snapshot.adopted);
        let (due, later): (Vec<Event>, Vec<Event>) = adopted.into_iter().partition(is_due);
        self.snapshot.adopted = later;
        let who = Provenance::adoption();
        self.events.extend(due.iter().map(|event| event.write(&who)));
        let mut entries: Vec<EntryId> = due.iter().map(|event| event.entry).collect();
        entries.dedup();
        entries.len()
    }

    /// Plans a change to a file. Files are written in the order of their first change, so the file
    /// that gains a line must come before the file that loses it.
    pub fn change(&mut self, target: Target, change: Change) {
        self.layout.take();
        let Some((_, changes)) = self.changes.iter_mut().find(|(known, _)| *known == target) else {
            self.changes.push((target, vec![change]));
            return;
        };
        // Two edits of a file must not overlap.
        if let Change::Mark(of, new) = &change {
            let known = changes.iter_mut().find_map(|known| match known {
                Change::Mark(other, known) if other == of => Some(known),
                _ => None,
            });
            if let Some(known) = known {
                known.then(new);
                return;
            }
        }
        changes.push(change);
    }

    /// Plans new markers for the lines of an entry, whatever topics have them.
    pub fn mark_lines(&mut self, of: &Wording, new: &NewMarkers) {
        let stems = self.snapshot().holders(of).into_iter().map(str::to_owned);
        for stem in stems.collect::<Vec<_>>() {
            self.change(Target::Topic(stem), Change::Mark(of.clone(), new.clone()));
        }
    }

    /// Returns text and markers of a planned line, which may still be changed.
    pub fn added(&mut self, of: &Wording) -> Option<(&mut String, &mut Markers)> {
        self.layout.take();
        let mut changes = self.changes.iter_mut().flat_map(|(_, changes)| changes);
        changes.find_map(|change| match change {
            Change::Append { category, text, markers, .. }
                if (*category, &*text) == (of.category, &of.text) =>
            {
                Some((text, markers))
            }
            _ => None,
        })
    }
}

/// A file of entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    Topic(String),
    Archive(String),
}

impl Target {
    /// Returns the name without `.md`.
    pub(super) fn stem(&self) -> &str {
        match self {
            Self::Topic(stem) | Self::Archive(stem) => stem,
        }
    }

    /// Returns the path relative to the store.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Topic(stem) => format!("topics/{stem}.md"),
            Self::Archive(stem) => format!("archive/{stem}.md"),
        }
    }

    /// Returns the path, given the directory of the store.
    pub(super) fn path(&self, dir: &Path) -> PathBuf {
        dir.join(self.name())
    }
}

/// A change to one file. If the file changes before it is written, the change is planned again.
#[derive(Debug, Clone)]
pub enum Change {
    /// Adds a line at the end of the file, or at the end of the section `heading`, which is created
    /// if it is missing.
    Append {
        category: CategoryId,
        text: String,
        markers: Markers,
        heading: Option<String>,
    },
    Remove(Wording),
    /// Removes repeated lines of an entry; if the flag is set, one line stays. Lines with markers
    /// always stay.
    RemoveRepeats(Wording, bool),
    /// Changes the markers of an entry's lines.
    Mark(Wording, NewMarkers),
    Reword(Wording, String),
}

/// The markers that change; the others stay.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewMarkers {
    pub pinned: Option<bool>,
    pub asked: Option<Questions>,
    pub rules: Option<LineRules>,
}

impl NewMarkers {
    #[must_use]
    pub fn pinned(pinned: bool) -> Self {
        Self { pinned: Some(pinned), ..Self::default() }
    }

    /// Returns what replaces everything behind a text but pins.
    #[must_use]
    pub fn asides(asides: LineAsides) -> Self {
        Self { asked: Some(asides.asked), rules: Some(asides.rules), ..Self::default() }
    }

    /// Returns those that add something; what is empty stays as it is.
    #[must_use]
    pub fn adding(Markers { pinned, asides, .. }: Markers) -> Self {
        let asked = Some(asides.asked).filter(|asked| !asked.is_empty());
        let rules = Some(asides.rules).filter(|rules| !rules.is_empty());
        Self { pinned: pinned.then_some(true), asked, rules }
    }

    /// Returns the events that say so, but for pins.
    #[must_use]
    pub fn events(&self) -> Vec<EventKind> {
        let asked = self.asked.iter().map(|asked| EventKind::Ask(asked.to_string().into()));
        let rules = self.rules.iter().map(|rules| EventKind::Rule(rules.to_string().into()));
        asked.chain(rules).collect()
    }

    fn then(&mut self, later: &Self) {
        self.pinned = later.pinned.or(self.pinned);
        if later.asked.is_some() {
            self.asked.clone_from(&later.asked);
        }
        if later.rules.is_some() {
            self.rules.clone_from(&later.rules);
        }
    }

    /// Returns the markers of a line afterwards.
    pub fn on(&self, markers: &Markers) -> Markers {
        Markers {
            pinned: self.pinned.unwrap_or(markers.pinned),
            enforced: markers.enforced,
            asides: LineAsides {
                asked: self.asked.as_ref().unwrap_or(&markers.asides.asked).clone(),
                rules: self.rules.as_ref().unwrap_or(&markers.asides.rules).clone(),
            },
        }
    }
}

impl Change {
    /// Returns true if the change makes the file longer.
    pub(super) fn grows(&self) -> bool {
        matches!(self, Self::Append { .. } | Self::Reword(..))
    }

    /// Returns the characters of the text that it writes.
    pub(super) fn chars(&self) -> usize {
        match self {
            Self::Append { text, .. } | Self::Reword(_, text) => text.chars().count(),
            Self::Remove(_) | Self::RemoveRepeats(..) | Self::Mark(..) => 0,
        }
    }

    /// Returns the category of the entry that the change is about.
    pub(super) fn category(&self) -> CategoryId {
        match self {
            Self::Append { category, .. } => *category,
            Self::Remove(of)
            | Self::RemoveRepeats(of, _)
            | Self::Mark(of, _)
            | Self::Reword(of, _) => of.category,
        }
    }
}

/// Distance of the marks of one statement, each of which may have some events.
const ANOTHER: u128 = 1 << 32;
/// Characters of an id that tell its time.
const ULID_TIME: usize = 10;

/// The mark of the events that a transaction records.
pub(super) struct TransactionMark {
    next: u128,
    /// The log, in which events of this mark may be.
    log: Vec<u8>,
}

impl TransactionMark {
    /// Returns the place of the event with this random part, if the log has it.
    fn find(log: &[u8], random: u128) -> Option<usize> {
        let id = EventId::new(Timestamp(0), random).to_string();
        memmem::find(log, id.get(ULID_TIME..)?.as_bytes())
    }

    /// Returns the random part of the next event; `None` if the log has that event.
    pub(super) fn next_unless_recorded(&mut self) -> Option<u128> {
        let random = self.next;
        self.next = random.wrapping_add(1);
        Self::find(&self.log, random).is_none().then_some(random)
    }
}

impl Txn<'_> {
    /// Gives what is recorded from now on a mark: the log has each event of a mark once, however
    /// often it is recorded. Events of a mark that were taken back do not count; then the mark is
    /// another. Must precede any recorded event.
    ///
    /// # Errors
    /// Fails if the log cannot be read.
    pub fn mark(&mut self, mut mark: u128) -> Result<()> {
        let log = self.store.log()?;
        while let Some(at) = TransactionMark::find(&log, mark) {
            self.read_evidence();
            let start = memchr::memrchr(b'\n', log.get(..at).unwrap_or_default());
            let line = log.get(start.map_or(0, |start| start + 1)..).unwrap_or_default();
            let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
            let event = str::from_utf8(line).ok().and_then(Event::read);
            let ledger = &self.snapshot().ledger;
            if event.is_none_or(|event| !ledger.retracts(event.entry, event.id)) {
                break;
            }
            mark = mark.wrapping_add(ANOTHER);
        }
        self.mark = Some(TransactionMark { next: mark, log });
        Ok(())
    }

    /// Returns true if the log has the next event of the mark.
    pub fn is_recorded(&self) -> bool {
        self.mark.as_ref().is_some_and(|mark| TransactionMark::find(&mark.log, mark.next).is_some())
    }

    /// Returns the place of a new event about an entry; `None` if the log has the event already.
    pub(super) fn next_order(&mut self, entry: EntryId, kind: &EventKind) -> Result<Option<Order>> {
        let (random, marked) = match &mut self.mark {
            None => (self.random()?, false),
            Some(mark) => match mark.next_unless_recorded() {
                Some(random) => (random, true),
                None => return Ok(None),
            },
        };
        let place = self.snapshot().ledger.place(self.now, entry, kind, random);
        let Some((ts, id)) = place else {
            bail!(
                "an event about entry {entry} is dated at the end of time, and nothing follows it"
            )
        };
        // Behind another event of this moment, a mark takes the next moment.
        let own = |ts| (ts, EventId::new(ts, random));
        let is_moved = marked && id != own(ts).1;
        Ok(Some(if is_moved { own(Timestamp(ts.0.saturating_add(1))) } else { (ts, id) }))
    }

    /// Returns the random part of an event's id, greater than that of the one before: ids of one
    /// millisecond are in the order of their events, as the specification of ULIDs has it.
    pub(super) fn random(&mut self) -> Result<u128> {
        const BITS: u32 = 80;
        let random = atomic::random()?;
        // One bit is left for what is added.
        let first = random & ((1 << (BITS - 1)) - 1);
        let next = self.last_random.map_or(first, |last| last + 1 + (random & 0xffff_ffff));
        self.last_random = Some(next);
        Ok(next)
    }
}
