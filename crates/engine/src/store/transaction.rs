//! A transaction on a store: reads under the lock, then writes the evidence, then each file by
//! replacement.

use std::{
    borrow::Cow,
    cell::OnceCell,
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use anyhow::{Result, bail};
use memchr::memmem;

pub use super::change::{Change, Target};
use super::{
    Store, atomic, journal,
    lock::StoreLock,
    mark::Mark,
    read::{self, Problem},
    rooms::{self, Layout},
    said::Said,
    size_limit::{LineTooLong, TOPIC_CHARS, TopicFull},
    snapshot::{self, Snapshot, TopicFile},
    trust::Key,
    undo::Touched,
};
use pimem_core::{
    markdown::{
        entry_line,
        lines::{self, Edit, count_chars},
        memo,
        topic::{self, TopicDoc, TopicEntry},
    },
    model::{
        category::{Categories, CategoryId},
        entry::{EntryId, Markers, Wording},
        event::{Author, Event, EventKind, Order, Provenance},
        hash::IdSet,
        time::Now,
        ulid::EventId,
    },
    score::{
        ledger::Ledger,
        ranking::{LocatedEntry, Scope},
    },
};

/// Maximum number of rereads when an editor saves the file meanwhile.
const RETRIES: usize = 3;

/// A transaction. Without a lock it is a dry run, which checks everything and writes nothing.
pub struct Txn<'a> {
    pub(super) store: &'a Store,
    /// `None` for a dry run.
    lock: Option<&'a StoreLock>,
    categories: &'a Categories,
    pub(super) now: Now,
    who: Provenance,
    snapshot: Snapshot,
    /// The log as it was before, if it was read.
    log: OnceCell<Result<Vec<u8>, Problem>>,
    /// True if the log was folded.
    heard: bool,
    events: Vec<String>,
    /// The events that an undo of the command retracts.
    own: Vec<(EntryId, EventId)>,
    changes: Vec<(Target, Vec<Change>)>,
    /// What is noted of lines written on this machine.
    said: Said,
    /// True if a topic without room continues in another file.
    goes_on: bool,
    layout: OnceCell<Layout>,
    /// True if what is written comes from another store.
    received: bool,
    pub(super) mark: Option<Mark>,
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
        let (lock, log, heard) = (None, OnceCell::new(), false);
        Txn {
            store: self,
            lock,
            categories,
            now,
            who,
            snapshot,
            log,
            heard,
            events,
            own,
            changes,
            said: Said::default(),
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

    /// Returns the entries with their locations.
    pub fn placed(&self) -> Vec<LocatedEntry> {
        self.snapshot.placed(self.store, self.categories)
    }

    /// Returns true if an agent may see the entry. Callers ignore other entries when they resolve a
    /// reference.
    pub fn reviewed(&self, category: CategoryId, text: &str) -> bool {
        self.store.trust.holds_entry(&self.categories.spec(category).name, text)
    }

    /// Returns the entry's key in the ledger of trust.
    pub fn key(&self, category: CategoryId, text: &str) -> Key {
        self.store.trust.entry(&self.categories.spec(category).name, text)
    }

    /// Reads the log if it was not read yet. Must precede any recorded event.
    pub fn read_evidence(&mut self) {
        if !std::mem::replace(&mut self.heard, true) {
            let log = self.log.take().unwrap_or_else(|| self.store.log());
            self.store.fold_evidence(self.now, self.categories, &mut self.snapshot, log);
        }
    }

    /// Returns true if the log was folded.
    pub fn has_evidence(&self) -> bool {
        self.heard
    }

    /// Returns true if the log mentions an entry, or cannot be read.
    pub fn mentions(&self, entry: EntryId) -> bool {
        let log = self.log.get_or_init(|| self.store.log());
        log.as_ref().map_or(true, |log| memmem::find(log, entry.to_string().as_bytes()).is_some())
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

    /// Returns the changes by file.
    fn layout(&self) -> &Layout {
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
        self.record_tagged(entry, kind, Vec::new())
    }

    /// Records an event like [`Txn::record`], with tags.
    pub fn record_tagged(
        &mut self,
        entry: EntryId,
        kind: EventKind,
        tags: Vec<String>,
    ) -> Result<()> {
        self.adopt(Some(entry));
        let Some((ts, id)) = self.next_order(entry, &kind)? else { return Ok(()) };
        // The author of a supersede event is not stored.
        let unsaid = matches!(kind, EventKind::Supersede(_));
        let by = if unsaid { Author::Person } else { Author::of(&self.who.by) };
        let event = Event { id, ts, entry, by, kind };
        self.snapshot.ledger.fold(&event);
        self.own.push((entry, id));
        self.events.push(event.write(&Provenance { tags, ..self.who.clone() }));
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
    pub fn vouch(&mut self, key: Key) {
        if !self.store.trust.is_own() {
            self.said.vouch(key);
        }
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
        match self.changes.iter_mut().find(|(known, _)| *known == target) {
            Some((_, changes)) => changes.push(change),
            None => self.changes.push((target, vec![change])),
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

    /// Writes everything, or nothing if a file has no room. Returns the ledger.
    pub fn commit(self) -> Result<Ledger> {
        self.write(None).map(|written| written.before.ledger)
    }

    /// Commits like [`Txn::commit`]. Returns what the store holds then.
    pub fn commit_seen(self) -> Result<Written> {
        self.write(None)
    }

    /// Commits like [`Txn::commit`], with a journal, from which the next writer completes the
    /// change if this process is killed.
    pub fn commit_as_one(self, journal: &Path) -> Result<Ledger> {
        self.write(Some(journal)).map(|written| written.before.ledger)
    }

    fn write(self, journal: Option<&Path>) -> Result<Written> {
        // A line that is lost between two files would be lost for good.
        let own = self.layout().moves.then(|| self.store.journal()).flatten();
        let journal = journal.or(own.as_deref());
        // The effect of a change on a file that could not be read is unknown.
        if let Some(problem) = self.snapshot.problems.first() {
            return Err(problem.clone().into());
        }
        let mut planned = Vec::new();
        for (target, changes) in &self.layout().changes {
            planned.push(self.plan(target, changes)?);
        }
        let Some(lock) = self.lock else {
            let (changed, events) = (Vec::new(), Vec::new());
            let log = self.log.into_inner().filter(|_| !self.heard);
            return Ok(Written { before: self.snapshot, changed, log, heard: self.heard, events });
        };
        let dir = &self.store.dir;
        for folder in [dir.join("topics"), dir.join("archive")] {
            read::guard(dir, &folder)?;
        }
        read::place(dir, &self.store.evidence())?;
        for folder in [dir.join("topics"), dir.join("archive")] {
            atomic::sweep(&folder);
        }
        if let Some(journal) = journal {
            journal::begin(
                &self.store.seal,
                journal,
                &self.events,
                (&self.changes, self.received),
                self.categories,
            )?;
        }
        // Trust comes first, so that an interruption does not leave a line that reports hide.
        self.said.record(&self.store.trust)?;
        if !self.events.is_empty() {
            let mut lines = self.events.join("\n");
            lines.push('\n');
            self.store.append_events(&lines)?;
        }
        let (mut touched, mut written) = (Vec::new(), Vec::new());
        for ((target, changes), first) in self.layout().changes.iter().zip(planned) {
            let Planned { before, after, .. } = self.replace(target, changes, first)?;
            if self.store.run.is_some() {
                touched.push(Touched::new(&target.name(), before.as_deref(), &after));
            }
            if let Target::Topic(stem) = target {
                written.push((stem.clone(), after));
            }
        }
        self.store.note_step(&self.own, touched);
        if let Some(journal) = journal {
            journal::discard(journal)?;
        }
        self.store.make_whole_if_due(lock)?;
        let Self { snapshot: before, heard, events, log, .. } = self;
        Ok(Written { before, changed: written, log: log.into_inner(), heard, events })
    }

    /// Reads a file and computes its new content.
    fn plan(&self, target: &Target, changes: &[Change]) -> Result<Planned> {
        let path = target.path(&self.store.dir);
        let bytes = self.store.seal.read(&self.store.dir, &path, read::MAX_FILE)?;
        // A link inside the store is resolved here, so that the link itself stays.
        let (path, _) = read::place(&self.store.dir, &path)?;
        let held = bytes.clone().filter(|bytes| !bytes.is_empty());
        let held = held.unwrap_or_else(|| self.layout().head(target).into_bytes());
        let doc = TopicDoc::parse(held, self.categories);
        let edits = self.edits(&doc, target, changes);
        let mut after = doc.apply(edits);
        for (title, line) in self.below_headings(changes) {
            if after.is_empty() {
                after = lines::apply(&after, vec![doc.append(&topic::heading(target.stem()), &[])]);
            }
            let edit = memo::append_to(&after, title, &[line]);
            after = lines::apply(&after, vec![edit]);
        }
        let grows = !self.goes_on && changes.iter().any(Change::grows);
        let is_full = |chars| chars > TOPIC_CHARS && chars > doc.chars();
        let chars = if grows { count_chars(&after) } else { 0 };
        if matches!(target, Target::Topic(_)) && is_full(chars) {
            let longest = changes.iter().map(Change::chars).max().unwrap_or_default();
            if longest > TOPIC_CHARS {
                bail!(LineTooLong(longest));
            }
            let category = changes.first().map(Change::category);
            let category =
                category.map_or("lesson".into(), |id| self.categories.spec(id).name.clone());
            let stem = target.stem().to_owned();
            bail!(TopicFull { stem, category: category.into_owned(), chars });
        }
        Ok(Planned { path, before: bytes, after })
    }

    /// Returns the new lines that go below a heading, with their headings.
    fn below_headings<'a>(
        &'a self,
        changes: &'a [Change],
    ) -> impl Iterator<Item = (&'a str, String)> {
        changes.iter().filter_map(|change| match change {
            Change::Append { category, text, markers, heading: Some(title) } => {
                let name = &self.categories.spec(*category).name;
                Some((title.as_str(), entry_line::render(name, text, *markers)))
            }
            _ => None,
        })
    }

    fn edits(&self, doc: &TopicDoc, target: &Target, changes: &[Change]) -> Vec<Edit> {
        let mut edits = Vec::new();
        let mut added = Vec::new();
        for change in changes {
            let (of, edit): (&Wording, &dyn Fn(&TopicEntry) -> Edit) = match change {
                Change::Append { heading: Some(_), .. } => continue,
                Change::Append { category, text, markers, .. } => {
                    let name = &self.categories.spec(*category).name;
                    added.push(entry_line::render(name, text, *markers));
                    continue;
                }
                Change::RemoveRepeats(of, keep) => {
                    edits.extend(doc.repeats(of, *keep).map(|entry| doc.remove(entry)));
                    continue;
                }
                Change::Remove(of) => (of, &|entry| doc.remove(entry)),
                Change::SetPinned(of, pinned) => (of, &|entry| doc.set_pinned(entry, *pinned)),
                Change::Reword(of, text) => (of, &|entry| doc.replace_text(entry, text)),
            };
            edits.extend(doc.entries.iter().filter(|entry| entry.is(of)).map(edit));
        }
        if !added.is_empty() {
            edits.push(doc.append(&topic::heading(target.stem()), &added));
        }
        edits
    }

    /// Writes a file, and plans again if it changed meanwhile. Returns what was written.
    fn replace(
        &self,
        target: &Target,
        changes: &[Change],
        mut planned: Planned,
    ) -> Result<Planned> {
        for _ in 0..RETRIES {
            if planned.before.as_deref() == Some(planned.after.as_slice()) {
                return Ok(planned);
            }
            if let Some(dir) = planned.path.parent() {
                atomic::create_dir(dir, self.store.sync)?;
            }
            let seal = &self.store.seal;
            let unchanged = || match seal.read(&self.store.dir, &planned.path, read::MAX_FILE) {
                Ok(bytes) => Ok(bytes == planned.before),
                Err(problem) => Err(anyhow::Error::new(problem)),
            };
            if seal.replace(&planned.path, &planned.after, self.store.sync, unchanged)? {
                return Ok(planned);
            }
            planned = self.plan(target, changes)?;
        }
        bail!("{} keeps changing while it is written", planned.path.display())
    }
}

/// A file's content before and after.
struct Planned {
    path: PathBuf,
    before: Option<Vec<u8>>,
    after: Vec<u8>,
}

/// What a transaction read and wrote.
pub struct Written {
    /// What the store held before, with the events that were written if the log was folded.
    before: Snapshot,
    /// Topic files that were written, by stem.
    changed: Vec<(String, Vec<u8>)>,
    /// The log as it was before, if it was read and not folded.
    log: Option<Result<Vec<u8>, Problem>>,
    heard: bool,
    events: Vec<String>,
}

impl Written {
    /// Returns what the topics held before.
    pub fn before(&self) -> &Snapshot {
        &self.before
    }

    /// Returns the evidence for some entries, with the events that were written. `None` if one of
    /// them has none.
    pub fn evidence_of(
        &mut self,
        store: &Store,
        now: Now,
        wanted: &IdSet<EntryId>,
    ) -> Option<Ledger> {
        snapshot::evidence_in(self.whole_log(store).as_ref().ok()?, now, wanted)
    }

    /// Returns what the store holds now, unless somebody else has written since.
    pub fn after(mut self, store: &Store, categories: &Categories, now: Now) -> Snapshot {
        let log = if self.heard { None } else { Some(self.whole_log(store).clone()) };
        let mut snapshot = self.before;
        snapshot.places.take();
        for (stem, bytes) in self.changed {
            let file = TopicFile::new(stem, TopicDoc::parse(bytes, categories));
            let name = |file: &TopicFile| format!("{}.md", file.stem);
            match snapshot.topics.binary_search_by_key(&name(&file), name) {
                Ok(at) => {
                    if let Some(known) = snapshot.topics.get_mut(at) {
                        *known = file;
                    }
                }
                Err(at) => snapshot.topics.insert(at, file),
            }
        }
        if let Some(log) = log {
            store.fold_evidence(now, categories, &mut snapshot, log);
        }
        snapshot
    }

    /// Returns the log with the events that were written.
    fn whole_log(&mut self, store: &Store) -> &Result<Vec<u8>, Problem> {
        let events = std::mem::take(&mut self.events);
        let log = self.log.get_or_insert_with(|| store.log());
        if let Ok(log) = log {
            for event in events {
                if log.last().is_some_and(|last| *last != b'\n') {
                    log.push(b'\n');
                }
                log.extend_from_slice(event.as_bytes());
            }
        }
        log
    }
}
