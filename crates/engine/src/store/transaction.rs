//! A transaction on a store: reads under the lock, then writes the evidence, then each file by
//! replacement.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use memchr::memmem;

use super::{
    Store, atomic, journal,
    lock::StoreLock,
    read,
    size_limit::{TOPIC_CHARS, TopicFull},
    snapshot::Snapshot,
    trust::Key,
    undo::Touched,
};
use pimem_core::{
    language::injection,
    markdown::{
        entry_line,
        lines::{self, Edit, count_chars, lines, newline},
        memo,
        topic::{self, TopicDoc, TopicEntry},
    },
    model::{
        category::{Categories, CategoryId},
        entry::{EntryId, Markers, Wording},
        event::{Author, Event, EventKind, Order, Provenance},
        time::Now,
        ulid::EventId,
    },
    score::{
        ledger::Ledger,
        ranking::{LocatedEntry, Scope},
    },
};

pub use super::change::{Change, Target};

/// Maximum number of files that a topic may span.
const MOST_FILES: usize = 1000;
/// Maximum number of rereads when an editor saves the file meanwhile.
const RETRIES: usize = 3;

/// A transaction. Without a lock it is a dry run, which checks everything and writes nothing.
pub struct Txn<'a> {
    store: &'a Store,
    /// `None` for a dry run.
    lock: Option<&'a StoreLock>,
    categories: &'a Categories,
    now: Now,
    who: Provenance,
    snapshot: Snapshot,
    /// True if the log was read.
    heard: bool,
    events: Vec<String>,
    /// The events that an undo of the command retracts.
    own: Vec<(EntryId, EventId)>,
    changes: Vec<(Target, Vec<Change>)>,
    /// Keys of lines written on this machine.
    said: Vec<Key>,
    /// True if a topic without room continues in another file.
    goes_on: bool,
    /// True if what is written comes from another store.
    received: bool,
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
        let (events, own, changes, said) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
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
            said,
            goes_on: true,
            received: false,
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
            self.store.read_evidence(self.now, self.categories, &mut self.snapshot);
        }
    }

    /// Returns true if the log was read.
    pub fn has_evidence(&self) -> bool {
        self.heard
    }

    /// Returns true if the log mentions an entry, or cannot be read.
    pub fn mentions(&self, entry: EntryId) -> bool {
        self.store
            .log()
            .map_or(true, |log| memmem::find(&log, entry.to_string().as_bytes()).is_some())
    }

    pub fn scope(&self) -> Scope {
        self.store.scope
    }

    /// Makes the commit fail if a topic has no room, instead of continuing in another file.
    pub fn keep_to_topics(&mut self) {
        self.goes_on = false;
    }

    /// Returns the file of a topic that has room for a line: `NAME`, `NAME-2`, `NAME-3` and so on.
    pub fn with_room(&self, stem: &str, line: &str) -> String {
        let stems =
            (1..=MOST_FILES).map(|n| if n == 1 { stem.to_owned() } else { format!("{stem}-{n}") });
        let mut stems = stems.take(if self.goes_on { MOST_FILES } else { 1 });
        let fits = |stem: &String| self.chars_with(stem, line) <= TOPIC_CHARS;
        stems.find(fits).unwrap_or_else(|| stem.to_owned())
    }

    /// Returns an upper bound for the characters of a topic with one more line.
    fn chars_with(&self, stem: &str, line: &str) -> usize {
        let topic = self.snapshot.topics.iter().find(|topic| topic.stem == stem);
        let held = match topic.map(|topic| &topic.doc) {
            None => topic::heading(stem).chars().count() + 4,
            Some(doc) if doc.bytes().is_empty() => topic::heading(stem).chars().count() + 4,
            // The last line may be unterminated.
            Some(doc) => doc.chars() + usize::from(!doc.bytes().ends_with(b"\n")) * 2,
        };
        let end = match topic.map(|topic| newline(topic.doc.bytes())) {
            Some("\r\n") => 2,
            _ => 1,
        };
        let target = Target::Topic(stem.to_owned());
        let waiting = self.changes.iter().filter(|(known, _)| *known == target);
        let added = waiting.flat_map(|(_, changes)| changes).map(|change| match change {
            Change::Append { category, text, markers, heading } => {
                let name = &self.categories.spec(*category).name;
                let title = heading.as_ref().map_or(0, |title| title.chars().count() + 3 + 3 * end);
                entry_line::render(name, text, *markers).chars().count() + end + title
            }
            _ => 0,
        });
        held + added.sum::<usize>() + line.chars().count() + end
    }

    /// Returns the line number of the next addition to a topic.
    pub fn next_line(&self, stem: &str) -> usize {
        let topic = self.snapshot.topics.iter().find(|topic| topic.stem == stem);
        let lines = match topic.map(|topic| topic.doc.bytes()) {
            // A new file starts with a heading and an empty line.
            None | Some([]) => 2,
            Some(bytes) => lines(bytes).count(),
        };
        let target = Target::Topic(stem.to_owned());
        let waiting = self.changes.iter().find(|(known, _)| *known == target);
        let is_append = |change: &&Change| matches!(change, Change::Append { .. });
        lines + waiting.map_or(0, |(_, changes)| changes.iter().filter(is_append).count()) + 1
    }

    /// Trusts a line written on this machine, so that reports may show it. A line worded as an
    /// instruction to the agent is not trusted; a person has to review it. Returns true if reports
    /// may show the line.
    pub fn say(&mut self, category: CategoryId, text: &str) -> bool {
        let trust = &self.store.trust;
        let orders = injection::find(text).is_some();
        if !orders && !trust.is_own() {
            self.said.push(trust.entry(&self.categories.spec(category).name, text));
        }
        trust.is_whole() || !(orders || trust.is_foreign())
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
        let place = self.snapshot.ledger.place(self.now, entry, &kind, atomic::random()?);
        let Some((ts, id)) = place else {
            bail!(
                "an event about entry {entry} is dated at the end of time, and nothing follows it"
            )
        };
        // The author of a supersede event is not stored.
        let unsaid = matches!(kind, EventKind::Supersede(_));
        let by = if unsaid { Author::Person } else { Author::of(&self.who.by) };
        let event = Event { id, ts, entry, by, kind };
        self.snapshot.ledger.fold(&event);
        self.own.push((entry, id));
        self.events.push(event.write(&Provenance { tags, ..self.who.clone() }));
        Ok(())
    }

    /// Makes what follows that of another store: topics may grow beyond their limit, because a line
    /// stands in the same topic everywhere, and an interruption does not make its lines trusted.
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
            self.said.push(key);
        }
    }

    /// Records that an entry is destroyed, which is not undone. Returns the position of the event.
    pub fn bury(&mut self, entry: EntryId, hash: Option<&str>) -> Result<Order> {
        let kind = EventKind::Purge(hash.map(Box::from));
        let place = self.snapshot.ledger.place(self.now, entry, &kind, atomic::random()?);
        let Some((ts, id)) = place else {
            bail!("an event about entry {entry} is dated at the end of time")
        };
        let event = Event { id, ts, entry, by: Author::of(&self.who.by), kind };
        self.snapshot.ledger.fold(&event);
        self.events.push(event.write(&self.who));
        Ok((ts, id))
    }

    /// Records an event from another log, with its line unchanged. Returns true if it was new.
    pub fn take_over(&mut self, event: &Event, line: &str) -> bool {
        let (event, line) = self.snapshot.ledger.again(event, line);
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
        let adopted = std::mem::take(&mut self.snapshot.adopted);
        let (due, later): (Vec<Event>, Vec<Event>) =
            adopted.into_iter().partition(|event| only.is_none_or(|id| id == event.entry));
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
        match self.changes.iter_mut().find(|(known, _)| *known == target) {
            Some((_, changes)) => changes.push(change),
            None => self.changes.push((target, vec![change])),
        }
    }

    /// Returns text and markers of a planned line, which may still be changed.
    pub fn added(&mut self, of: &Wording) -> Option<(&mut String, &mut Markers)> {
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
        self.write(None)
    }

    /// Commits like [`Txn::commit`], with a journal, from which the next writer completes the
    /// change if this process is killed.
    pub fn commit_as_one(self, journal: &Path) -> Result<Ledger> {
        self.write(Some(journal))
    }

    fn write(self, journal: Option<&Path>) -> Result<Ledger> {
        // The effect of a change on a file that could not be read is unknown.
        if let Some(problem) = self.snapshot.problems.first() {
            return Err(problem.clone().into());
        }
        let mut planned = Vec::new();
        for (target, changes) in &self.changes {
            planned.push(self.plan(target, changes)?);
        }
        let Some(lock) = self.lock else { return Ok(self.snapshot.ledger) };
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
        self.store.trust.note(|| self.said.clone());
        if !self.events.is_empty() {
            let mut lines = self.events.join("\n");
            lines.push('\n');
            self.store.append_events(&lines)?;
        }
        let mut touched = Vec::new();
        for ((target, changes), first) in self.changes.iter().zip(planned) {
            let Planned { before, after, .. } = self.replace(target, changes, first)?;
            if self.store.run.is_some() {
                touched.push(Touched::new(&target.name(), before.as_deref(), &after));
            }
        }
        self.store.note_step(&self.own, touched);
        if let Some(journal) = journal {
            journal::discard(journal)?;
        }
        self.store.make_whole_if_due(lock)?;
        Ok(self.snapshot.ledger)
    }

    /// Reads a file and computes its new content.
    fn plan(&self, target: &Target, changes: &[Change]) -> Result<Planned> {
        let path = target.path(&self.store.dir);
        let bytes = self.store.seal.read(&self.store.dir, &path, read::MAX_FILE)?;
        // A link inside the store is resolved here, so that the link itself stays.
        let (path, _) = read::place(&self.store.dir, &path)?;
        let doc = TopicDoc::parse(bytes.clone().unwrap_or_default(), self.categories);
        let edits = self.edits(&doc, target, changes);
        let mut after = doc.apply(edits);
        for (title, line) in self.below_headings(changes) {
            if after.is_empty() {
                after = lines::apply(&after, vec![doc.append(&topic::heading(target.stem()), &[])]);
            }
            let edit = memo::append_to(&after, title, &[line]);
            after = lines::apply(&after, vec![edit]);
        }
        let grows = changes.iter().any(Change::grows);
        let chars = count_chars(&after);
        let is_full = chars > TOPIC_CHARS && chars > doc.chars() && !self.received;
        if matches!(target, Target::Topic(_)) && grows && is_full {
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
