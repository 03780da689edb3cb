//! One change to a store: read after locking, evidence first, then each file by replacement.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use memchr::memmem;

use super::{
    atomic,
    full::TopicFull,
    journal,
    lock::StoreLock,
    read,
    snapshot::{Snapshot, Store},
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
        event::{Author, Event, EventKind, Provenance},
        time::Now,
        ulid::EventId,
    },
    score::{
        ledger::Ledger,
        ranking::{LocatedEntry, Scope},
    },
};

pub use super::change::{Change, Target};

/// The most characters that a topic file holds.
pub const TOPIC_CHARS: usize = 12_000;
/// Files that a topic may go on in.
const MOST_FILES: usize = 1000;
/// How often a file that an editor saved meanwhile is read again.
const RETRIES: usize = 3;

/// A change in the making. Without the lock it is a rehearsal, which checks and writes nothing.
pub struct Txn<'a> {
    store: &'a Store,
    /// `None` for a rehearsal, which writes nothing.
    lock: Option<&'a StoreLock>,
    categories: &'a Categories,
    now: Now,
    who: Provenance,
    snapshot: Snapshot,
    /// Whether the log was read.
    heard: bool,
    events: Vec<String>,
    /// Those of them that are taken back with the command.
    own: Vec<(EntryId, EventId)>,
    changes: Vec<(Target, Vec<Change>)>,
    /// What this machine says.
    said: Vec<Key>,
    /// Whether a topic without room goes on in another file.
    goes_on: bool,
}

impl Store {
    /// Starts a change: what is read now can no longer be changed by another pimem.
    pub fn begin<'a>(
        &'a self,
        lock: &'a StoreLock,
        categories: &'a Categories,
        now: Now,
        who: Provenance,
    ) -> Txn<'a> {
        let mut txn = self.begin_adding(lock, categories, now, who);
        txn.read_evidence();
        txn
    }

    /// The same for a change that only adds: the log, which grows without end, is not read.
    pub fn begin_adding<'a>(
        &'a self,
        lock: &'a StoreLock,
        categories: &'a Categories,
        now: Now,
        who: Provenance,
    ) -> Txn<'a> {
        Txn { lock: Some(lock), ..self.rehearse(categories, now, who) }
    }

    /// The same to see what would happen: nothing is locked, and a commit checks and does not write.
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
        }
    }
}

impl Txn<'_> {
    /// The store as it is under the lock.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Its entries, each with its place.
    pub fn placed(&self) -> Vec<LocatedEntry> {
        self.snapshot.placed(self.store, self.categories)
    }

    /// Whether an agent may see an entry. What it may not see, nobody is taken to have meant.
    pub fn reviewed(&self, category: CategoryId, text: &str) -> bool {
        self.store.trust.holds_entry(&self.categories.spec(category).name, text)
    }

    /// What the ledger of trust would hold of an entry.
    pub fn key(&self, category: CategoryId, text: &str) -> Key {
        self.store.trust.entry(&self.categories.spec(category).name, text)
    }

    /// Reads the log after all, before anything is recorded.
    pub fn read_evidence(&mut self) {
        if !std::mem::replace(&mut self.heard, true) {
            self.store.read_evidence(self.now, self.categories, &mut self.snapshot);
        }
    }

    /// Whether the log was read.
    pub fn has_evidence(&self) -> bool {
        self.heard
    }

    /// Whether the log has a word about an entry; one that cannot be read may have.
    pub fn mentions(&self, entry: EntryId) -> bool {
        self.store
            .log()
            .map_or(true, |log| memmem::find(&log, entry.to_string().as_bytes()).is_some())
    }

    /// Whose store it is.
    pub fn scope(&self) -> Scope {
        self.store.scope
    }

    /// Refuses what does not fit into a topic, rather than going on in another file.
    pub fn keep_to_topics(&mut self) {
        self.goes_on = false;
    }

    /// The file of a topic that has room for a line: its own, or `NAME-2`, `NAME-3` and so on.
    pub fn with_room(&self, stem: &str, line: &str) -> String {
        let stems =
            (1..=MOST_FILES).map(|n| if n == 1 { stem.to_owned() } else { format!("{stem}-{n}") });
        let mut stems = stems.take(if self.goes_on { MOST_FILES } else { 1 });
        let fits = |stem: &String| self.chars_with(stem, line) <= TOPIC_CHARS;
        stems.find(fits).unwrap_or_else(|| stem.to_owned())
    }

    /// The characters that a topic would have with one more line, at most.
    fn chars_with(&self, stem: &str, line: &str) -> usize {
        let topic = self.snapshot.topics.iter().find(|topic| topic.stem == stem);
        let held = match topic.map(|topic| &topic.doc) {
            None => topic::heading(stem).chars().count() + 4,
            Some(doc) if doc.bytes().is_empty() => topic::heading(stem).chars().count() + 4,
            // The last line may lack an end.
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

    /// The number of the line that the next addition to a topic gets.
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

    /// Notes that a line is said here, by a person or for one, so that reports may show it. What is
    /// worded as an order to the agent is not: that, somebody has to look at. Gives whether reports
    /// may.
    pub fn say(&mut self, category: CategoryId, text: &str) -> bool {
        let trust = &self.store.trust;
        let orders = injection::find(text).is_some();
        if !orders && !trust.is_own() {
            self.said.push(trust.entry(&self.categories.spec(category).name, text));
        }
        trust.is_whole() || !(orders || trust.is_foreign())
    }

    /// Notes an event of now. An entry that is only adopted for the moment is adopted for good
    /// first, so that its evidence does not start anew at every reading.
    pub fn record(&mut self, entry: EntryId, kind: EventKind) -> Result<()> {
        self.record_tagged(entry, kind, Vec::new())
    }

    /// The same, with tags.
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
        // Who replaces an entry is not written down.
        let unsaid = matches!(kind, EventKind::Supersede(_));
        let by = if unsaid { Author::Person } else { Author::of(&self.who.by) };
        let event = Event { id, ts, entry, by, kind };
        self.snapshot.ledger.fold(&event);
        self.own.push((entry, id));
        self.events.push(event.write(&Provenance { tags, ..self.who.clone() }));
        Ok(())
    }

    /// Notes an event of another log with its line as it is. Gives whether it was unknown.
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

    /// Adopts one entry, or all that await it. Gives their number.
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

    /// Notes a change to a file. Files are written in the order in which they are first named, so
    /// name the one that gains before the one that loses.
    pub fn change(&mut self, target: Target, change: Change) {
        match self.changes.iter_mut().find(|(known, _)| *known == target) {
            Some((_, changes)) => changes.push(change),
            None => self.changes.push((target, vec![change])),
        }
    }

    /// A line that is to be added: its text and its markers, which may still be changed.
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

    /// Writes everything, or nothing when a file has no room. Gives back the evidence.
    pub fn commit(self) -> Result<Ledger> {
        self.write(None)
    }

    /// The same for a change of many files: should this process be killed in the middle, the next
    /// writer ends it, by what is noted in a journal before.
    pub fn commit_as_one(self, journal: &Path) -> Result<Ledger> {
        self.write(Some(journal))
    }

    fn write(self, journal: Option<&Path>) -> Result<Ledger> {
        // Of what was not seen, nobody knows what a change does to it.
        if let Some(problem) = self.snapshot.problems.first() {
            return Err(problem.clone().into());
        }
        let mut planned = Vec::new();
        for (target, changes) in &self.changes {
            planned.push(self.plan(target, changes)?);
        }
        if self.lock.is_none() {
            return Ok(self.snapshot.ledger);
        }
        let dir = &self.store.dir;
        for folder in [dir.join("topics"), dir.join("archive")] {
            read::guard(dir, &folder)?;
        }
        read::place(dir, &self.store.evidence())?;
        for folder in [dir.join("topics"), dir.join("archive")] {
            atomic::sweep(&folder);
        }
        if let Some(journal) = journal {
            journal::begin(journal, &self.events, &self.changes, self.categories)?;
        }
        // First, so that no line is there which only an interruption keeps out of reports.
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
        Ok(self.snapshot.ledger)
    }

    /// Reads a file and works out what it becomes.
    fn plan(&self, target: &Target, changes: &[Change]) -> Result<Planned> {
        let path = target.path(&self.store.dir);
        let bytes = read::file(&self.store.dir, &path, read::MAX_FILE)?;
        // A link inside the store is followed here, so that the link itself stays.
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
        if matches!(target, Target::Topic(_)) && grows && chars > TOPIC_CHARS && chars > doc.chars()
        {
            let category = changes.first().map(Change::category);
            let category =
                category.map_or("lesson".into(), |id| self.categories.spec(id).name.clone());
            let stem = target.stem().to_owned();
            bail!(TopicFull { stem, category: category.into_owned(), chars });
        }
        Ok(Planned { path, before: bytes, after })
    }

    /// The new lines that go below a heading, each with it.
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

    /// Gives what was written.
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
            let unchanged = || match read::file(&self.store.dir, &planned.path, read::MAX_FILE) {
                Ok(bytes) => Ok(bytes == planned.before),
                Err(problem) => Err(anyhow::Error::new(problem)),
            };
            if atomic::replace_file(&planned.path, &planned.after, self.store.sync, unchanged)? {
                return Ok(planned);
            }
            planned = self.plan(target, changes)?;
        }
        bail!("{} keeps changing while it is written", planned.path.display())
    }
}

/// A file before and after.
struct Planned {
    path: PathBuf,
    before: Option<Vec<u8>>,
    after: Vec<u8>,
}
