//! The journal of a change of many files, from which the next writer completes the change of a
//! killed process.
//!
//! The journal is written and synced before the first change and deleted after the last. Redoing it
//! is idempotent: events are known by their ids, a line that exists is not added, and a line that
//! is gone is not removed. The journal is stored outside the repository, so that a clone cannot
//! bring one.

use std::{collections::BTreeSet, io, path::Path};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::{
    Store,
    atomic::{self, Sync},
    lock::StoreLock,
    read::{self, Problem, ProblemKind},
    seal::Seal,
    transaction::{Change, Target},
};
use pimem_core::model::{
    category::{Categories, CategoryId},
    entry::{EntryId, Markers, Wording},
    event::{Event, Provenance},
    time::Now,
};

/// File name in the directory for the state of dreams.
const NAME: &str = "journal.json";

/// The content of the journal file.
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
    /// True if the file is in the archive.
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
    SetPinned {
        of: Of,
        pinned: bool,
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

/// Writes the journal of a change that is about to start.
pub(super) fn begin(
    seal: &Seal,
    path: &Path,
    events: &[String],
    (changes, received): (&[(Target, Vec<Change>)], bool),
    categories: &Categories,
) -> Result<()> {
    let changes = changes.iter().flat_map(|(target, changes)| {
        let (archive, stem) = match target {
            Target::Topic(stem) => (false, stem),
            Target::Archive(stem) => (true, stem),
        };
        let noted =
            move |change| Noted { archive, stem: stem.clone(), what: what(change, categories) };
        changes.iter().map(noted)
    });
    let journal = Journal { events: events.to_vec(), changes: changes.collect(), received };
    if let Some(dir) = path.parent() {
        atomic::create_dir(dir, Sync::PrivateFull)?;
        atomic::sweep(dir);
    }
    let bytes = serde_json::to_vec(&journal).context("cannot write down what is to be done")?;
    seal.replace(path, &bytes, Sync::PrivateFull, || Ok(true)).map(drop)
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

fn what(change: &Change, categories: &Categories) -> What {
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
        },
        Change::Remove(wording) => What::Remove { of: of(wording) },
        Change::RemoveRepeats(wording, keep) => {
            What::RemoveRepeats { of: of(wording), keep: *keep }
        }
        Change::SetPinned(wording, pinned) => What::SetPinned { of: of(wording), pinned: *pinned },
        Change::Reword(wording, text) => What::Reword { of: of(wording), text: text.clone() },
    }
}

impl Store {
    /// Returns the path of the journal; `None` if there is no state directory.
    pub fn journal(&self) -> Option<std::path::PathBuf> {
        Some(self.dream_dir()?.join(NAME))
    }

    /// Completes the change of a killed process. Returns true if there was one.
    pub fn resume(&self, lock: &StoreLock, categories: &Categories, now: Now) -> Result<bool> {
        let Some(path) = self.journal() else { return Ok(false) };
        let root = path.parent().unwrap_or(&path);
        let bytes = match self.seal.read(root, &path, read::MAX_LOG) {
            Ok(Some(bytes)) => bytes,
            // If the state directory cannot be used, no journal was written.
            Ok(None) | Err(Problem { kind: ProblemKind::Closed(_), .. }) => return Ok(false),
            Err(problem) => return Err(problem.into()),
        };
        // The journal is written atomically, so a file that does not parse is not ours.
        let Ok(journal) = serde_json::from_slice::<Journal>(&bytes) else {
            return discard(&path).map(|()| false);
        };
        let changes: Vec<(Target, Change)> =
            journal.changes.into_iter().filter_map(|noted| noted.read(categories)).collect();
        self.redo(lock, categories, now, (&journal.events, journal.received), &changes)?;
        discard(&path).map(|()| true)
    }

    fn redo(
        &self,
        lock: &StoreLock,
        categories: &Categories,
        now: Now,
        (events, received): (&[String], bool),
        changes: &[(Target, Change)],
    ) -> Result<()> {
        let mut txn = self.begin(lock, categories, now, Provenance::default());
        if received {
            txn.as_received();
        }
        for line in events {
            if let Some(event) = Event::read_whole(line) {
                txn.take_over(&event, line, &BTreeSet::new());
            }
        }
        let archive = self.read_archive(categories);
        if let Some(problem) = archive.problems.first() {
            return Err(problem.clone().into());
        }
        for (target, change) in changes {
            if let Change::Append { category, text, .. } = change {
                let id = EntryId::of(&categories.spec(*category).name, text.as_bytes());
                let wording = Wording { id, category: *category, text: text.clone() };
                let held = match target {
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
            txn.change(target.clone(), change.clone());
        }
        txn.commit().map(drop)
    }
}

impl Noted {
    /// Returns `None` if the category no longer exists.
    fn read(self, categories: &Categories) -> Option<(Target, Change)> {
        let target =
            if self.archive { Target::Archive(self.stem) } else { Target::Topic(self.stem) };
        Some((target, change(self.what, categories)?))
    }
}

fn change(what: What, categories: &Categories) -> Option<Change> {
    let wording = |Of { entry, category, text }: Of| {
        Some(Wording { id: entry.parse().ok()?, category: categories.find(&category)?, text })
    };
    Some(match what {
        What::Append { category, text, pinned, enforced, heading } => {
            let markers = Markers { pinned, enforced };
            Change::Append { category: categories.find(&category)?, text, markers, heading }
        }
        What::Remove { of } => Change::Remove(wording(of)?),
        What::RemoveRepeats { of, keep } => Change::RemoveRepeats(wording(of)?, keep),
        What::SetPinned { of, pinned } => Change::SetPinned(wording(of)?, pinned),
        What::Reword { of, text } => Change::Reword(wording(of)?, text),
    })
}
