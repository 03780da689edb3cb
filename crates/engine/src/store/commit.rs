//! Writing of a transaction: the evidence first, then each file by replacement; and the journal of a
//! change of many files, from which the next writer completes the change of a killed process.
//!
//! The journal is written and synced before the first change and deleted after the last. Redoing it
//! is idempotent: events are known by their ids, a line that exists is not added, and a line that
//! is gone is not removed. The journal is stored outside the repository, so that a clone cannot
//! bring one.

use std::{
    collections::BTreeSet,
    io,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use pimem_core::model::{
    questions::Questions,
    rules::{LineAsides, LineRules},
};
use pimem_core::{
    markdown::{
        checklist,
        patch::{self, Edit, count_chars},
        topic::{self, TopicDoc, TopicEntry},
    },
    model::{
        category::{Categories, CategoryId},
        entry::{EntryId, Markers, Wording},
        event::{Event, Provenance},
        time::Now,
    },
    score::ledger::Ledger,
};
use serde::{Deserialize, Serialize};

use super::{
    Store, StoreLock,
    atomic::{self, Sync},
    kept_lines::KeptLines,
    read::{self, ProblemKind, ReadProblem},
    rooms::{LineTooLong, TOPIC_CHARS, TopicFull},
    snapshot::{Snapshot, TopicFile},
    transaction::{Change, NewMarkers, Target, Txn},
    undo::Touched,
};

/// Maximum number of rereads when an editor saves the file meanwhile.
const RETRIES: usize = 3;

impl Txn<'_> {
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
            let (before, changed, heard) = (self.snapshot, Vec::new(), self.heard);
            return Ok(Written { before, changed, heard, kept: KeptLines::default() });
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
            self.begin_journal(journal)?;
        }
        // Trust comes first, so that an interruption does not leave a line that reports hide.
        self.said.record(&self.store.trust)?;
        if !self.events.is_empty() {
            let mut lines = self.events.join("\n");
            lines.push('\n');
            self.store.append_events(&lines, self.layout().changes.is_empty())?;
        }
        // Before the files, so that what an interruption leaves in these is kept. It is in them all the
        // same if it cannot be.
        let after: Vec<&[u8]> = planned.iter().map(|file| &*file.after).collect();
        let kept = self.store.keep_lines(self.added_lines(&after)).unwrap_or_default();
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
            discard(journal)?;
        }
        self.store.make_whole_if_due(lock)?;
        Ok(Written { before: self.snapshot, changed: written, heard: self.heard, kept })
    }

    /// Writes the journal of a change that is about to start.
    fn begin_journal(&self, path: &Path) -> Result<()> {
        let changes = self.changes.iter().flat_map(|(target, changes)| {
            let (archive, stem) = match target {
                Target::Topic(stem) => (false, stem),
                Target::Archive(stem) => (true, stem),
            };
            let line = move |change| {
                let what = noted(change, self.categories);
                Noted { archive, stem: stem.clone(), what }
            };
            changes.iter().map(line)
        });
        let (events, changes) = (self.events.clone(), changes.collect());
        let journal = Journal { events, changes, received: self.received };
        if let Some(dir) = path.parent() {
            atomic::create_dir(dir, Sync::PrivateFull)?;
            atomic::sweep(dir);
        }
        let bytes = serde_json::to_vec(&journal).context("cannot write down what is to be done")?;
        self.store.seal.replace(path, &bytes, Sync::PrivateFull, || Ok(true)).map(drop)
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
                after = patch::apply(&after, vec![doc.append(&topic::heading(target.stem()), &[])]);
            }
            let edit = checklist::append_to(&after, title, &[line]);
            after = patch::apply(&after, vec![edit]);
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
                Some((title.as_str(), topic::render(name, text, markers)))
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
                    added.push(topic::render(name, text, markers));
                    continue;
                }
                Change::RemoveRepeats(of, keep) => {
                    edits.extend(doc.repeats(of, *keep).map(|entry| doc.remove(entry)));
                    continue;
                }
                Change::Remove(of) => (of, &|entry| doc.remove(entry)),
                Change::Mark(of, new) => {
                    (of, &|entry| TopicDoc::set_markers(entry, &new.on(&entry.markers)))
                }
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

struct Planned {
    path: PathBuf,
    before: Option<Vec<u8>>,
    after: Vec<u8>,
}

/// What a transaction read and wrote.
#[derive(Default)]
pub struct Written {
    /// What the store held before, with the events that were written if the log was folded.
    before: Snapshot,
    /// Topic files that were written, by stem.
    changed: Vec<(String, Vec<u8>)>,
    /// True if the log was folded.
    heard: bool,
    kept: KeptLines,
}

impl Written {
    /// Returns what became of the lines that were to be kept for other work trees.
    pub fn kept(&self) -> &KeptLines {
        &self.kept
    }

    /// Returns what the topics held before.
    pub fn before(&self) -> &Snapshot {
        &self.before
    }

    /// Returns what the store holds now, unless somebody else has written since.
    pub fn after(self, store: &Store, categories: &Categories, now: Now) -> Snapshot {
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
        if !self.heard {
            store.read_evidence(now, categories, &mut snapshot);
        }
        snapshot
    }
}

/// File name in the directory for the state of dreams.
const JOURNAL: &str = "journal.json";

#[derive(Debug, Serialize, Deserialize)]
struct Journal {
    /// Lines for the evidence log.
    events: Vec<String>,
    /// Changes to files, in order.
    changes: Vec<Noted>,
    /// True if the lines come from another store.
    #[serde(default)]
    received: bool,
}

/// A change to one file.
#[derive(Debug, Serialize, Deserialize)]
struct Noted {
    archive: bool,
    /// Name of the file without `.md`.
    stem: String,
    #[serde(flatten)]
    what: What,
}

/// A [`Change`] with names for ids, for serialisation.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
enum What {
    Append {
        category: String,
        text: String,
        pinned: bool,
        enforced: bool,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        asked: String,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        rules: String,
        #[serde(default)]
        heading: Option<String>,
    },
    Remove {
        of: Of,
    },
    RemoveRepeats {
        of: Of,
        keep: bool,
    },
    #[serde(alias = "set-pinned")]
    Mark {
        of: Of,
        pinned: Option<bool>,
        #[serde(default)]
        asked: Option<String>,
        #[serde(default)]
        rules: Option<String>,
    },
    Reword {
        of: Of,
        text: String,
    },
}

/// A [`Wording`] with names for ids, for serialisation.
#[derive(Debug, Serialize, Deserialize)]
struct Of {
    entry: String,
    category: String,
    text: String,
}

/// Writes a file in the directory for the state of dreams.
pub fn keep(store: &Store, path: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(dir) = path.parent() {
        atomic::create_dir(dir, Sync::Private)?;
    }
    let _lock = store.trust.hold()?;
    let replace = || store.seal.replace(path, bytes, Sync::Private, || Ok(true));
    // Plans are written without a lock, so a dream that starts may sweep the temporary file.
    replace().or_else(|_| replace()).map(drop)
}

/// Deletes a file, such as a journal whose changes are complete. The deletion is synced: a journal
/// that reappeared after a power cut would undo later decisions.
pub fn discard(path: &Path) -> Result<()> {
    match atomic::remove_file(path, Sync::Full) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot delete {}", path.display()))
        }
        _ => Ok(()),
    }
}

fn noted(change: &Change, categories: &Categories) -> What {
    let name = |category: CategoryId| categories.spec(category).name.clone().into_owned();
    let of = |Wording { id, category, text }: &Wording| Of {
        entry: id.to_string(),
        category: name(*category),
        text: text.clone(),
    };
    match change {
        Change::Append { category, text, markers, heading } => What::Append {
            heading: heading.clone(),
            category: name(*category),
            text: text.clone(),
            pinned: markers.pinned,
            enforced: markers.enforced,
            asked: markers.asides.asked.to_string(),
            rules: markers.asides.rules.to_string(),
        },
        Change::Remove(wording) => What::Remove { of: of(wording) },
        Change::RemoveRepeats(wording, keep) => {
            What::RemoveRepeats { of: of(wording), keep: *keep }
        }
        Change::Mark(wording, NewMarkers { pinned, asked, rules }) => What::Mark {
            of: of(wording),
            pinned: *pinned,
            asked: asked.as_ref().map(Questions::to_string),
            rules: rules.as_ref().map(LineRules::to_string),
        },
        Change::Reword(wording, text) => What::Reword { of: of(wording), text: text.clone() },
    }
}

impl Store {
    /// Returns the path of the journal; `None` if there is no state directory.
    pub fn journal(&self) -> Option<std::path::PathBuf> {
        Some(self.dream_dir()?.join(JOURNAL))
    }

    /// Completes the change of a killed process. Returns true if there was one.
    pub fn resume(&self, lock: &StoreLock, categories: &Categories, now: Now) -> Result<bool> {
        let Some(path) = self.journal() else { return Ok(false) };
        let root = path.parent().unwrap_or(&path);
        let bytes = match self.seal.read(root, &path, read::MAX_LOG) {
            Ok(Some(bytes)) => bytes,
            // If the state directory cannot be used, no journal was written.
            Ok(None) | Err(ReadProblem { kind: ProblemKind::Closed(_), .. }) => return Ok(false),
            Err(problem) => return Err(problem.into()),
        };
        // The journal is written atomically, so a file that does not parse is not ours.
        let Ok(journal) = serde_json::from_slice::<Journal>(&bytes) else {
            return discard(&path).map(|()| false);
        };
        self.redo(lock, categories, now, journal)?;
        discard(&path).map(|()| true)
    }

    fn redo(
        &self,
        lock: &StoreLock,
        categories: &Categories,
        now: Now,
        journal: Journal,
    ) -> Result<()> {
        let Journal { events, changes, received } = journal;
        let mut txn = self.begin(lock, categories, now, Provenance::default());
        if received {
            txn.as_received();
        }
        for line in &events {
            if let Some(event) = Event::read_whole(line) {
                txn.take_over(&event, line, &BTreeSet::new());
            }
        }
        let archive = self.read_archive(categories);
        if let Some(problem) = archive.problems.first() {
            return Err(problem.clone().into());
        }
        for (target, change) in changes.into_iter().filter_map(|noted| noted.read(categories)) {
            if let Change::Append { category, text, .. } = &change {
                let id = EntryId::of(&categories.spec(*category).name, text.as_bytes());
                let wording = Wording { id, category: *category, text: text.clone() };
                let held = match &target {
                    Target::Topic(_) => {
                        if !received {
                            txn.say(*category, text);
                        }
                        txn.snapshot()
                    }
                    Target::Archive(_) => &archive,
                };
                let subject = held.subject(target.stem());
                if held.holders(&wording).into_iter().any(|stem| held.subject(stem) == subject) {
                    continue;
                }
            }
            txn.change(target, change);
        }
        txn.commit().map(drop)
    }
}

impl Noted {
    /// Returns `None` if the category no longer exists.
    fn read(self, categories: &Categories) -> Option<(Target, Change)> {
        let target =
            if self.archive { Target::Archive(self.stem) } else { Target::Topic(self.stem) };
        Some((target, change_of(self.what, categories)?))
    }
}

fn change_of(what: What, categories: &Categories) -> Option<Change> {
    let wording = |Of { entry, category, text }: Of| {
        Some(Wording { id: entry.parse().ok()?, category: categories.find(&category)?, text })
    };
    Some(match what {
        What::Append { category, text, pinned, enforced, asked, rules, heading } => {
            let asides =
                LineAsides { asked: Questions::read(&asked), rules: LineRules::read(&rules) };
            let markers = Markers { pinned, enforced, asides };
            Change::Append { category: categories.find(&category)?, text, markers, heading }
        }
        What::Remove { of } => Change::Remove(wording(of)?),
        What::RemoveRepeats { of, keep } => Change::RemoveRepeats(wording(of)?, keep),
        What::Mark { of, pinned, asked, rules } => {
            let asked = asked.as_deref().map(Questions::read);
            let rules = rules.as_deref().map(LineRules::read);
            Change::Mark(wording(of)?, NewMarkers { pinned, asked, rules })
        }
        What::Reword { of, text } => Change::Reword(wording(of)?, text),
    })
}
