//! Rebuild: adopts and rescores entries, archives faded ones, and builds the index.

use crate::memory::handles::Tending;
use std::{collections::BTreeMap, time::Duration};

use pimem_core::{
    embed::{
        catalog::{Embedder, Unavailable},
        table,
    },
    model::{
        event::ArchiveReason,
        operation::UserState,
        time::{Age, Timestamp},
    },
    score::{
        forecast,
        ranking::{self, Ranking, ScoredEntry},
    },
};
use serde::Serialize;
use serde_json::Value;

use super::{
    Memory, archived,
    background::{self, Filled, When},
    score,
    search::embedding,
    shortlist, telemetry,
};
use crate::{
    error::Failure,
    index,
    memory::status::States,
    store::{Store, atomic::Sync, read},
};

/// Time limit for git to find typed lines; longer than elsewhere, because usually no user waits.
const PATIENCE: Duration = Duration::from_secs(2);

/// The chosen model, or why it cannot run.
type Chosen = Result<Box<dyn Embedder>, Unavailable>;

impl Tending<'_> {
    /// Adopts hand-written lines, rescores entries, archives faded ones, and builds the index. With
    /// `if_older`, only in stores whose last rebuild is older.
    ///
    /// # Errors
    /// Fails if the named store does not exist, or a store cannot be read or written.
    pub fn rebuild(self, if_older: Option<Age>) -> Result<Rebuilt, Failure> {
        let mut stores = Vec::new();
        let mut model = match background::when_to_fill(self.memory) {
            When::Now(limit) => embedding::within(self.memory, limit),
            When::Later => None,
            When::Never => {
                let why = "nothing is embedded in the background now";
                Some(Err(Unavailable(why.to_owned())))
            }
        };
        for store in self.memory.readers()? {
            let age = if_older.and_then(|_| last_rebuild(self.memory, &store));
            if age.zip(if_older).is_some_and(|(age, limit)| age < limit) {
                self.memory
                    .notices
                    .detail(&format!("{} was rebuilt recently", store.dir.display()));
                continue;
            }
            stores.push(rebuild(self.memory, &store, if_older.is_none(), &mut model)?);
        }
        background::start_filling(self.memory);
        Ok(Rebuilt { stores })
    }
}

fn rebuild(
    memory: &Memory,
    store: &Store,
    whole: bool,
    model: &mut Option<Chosen>,
) -> Result<RebuiltStore, Failure> {
    let categories = &memory.config.categories;
    // Hooks at the start of a session have too little time for this.
    let typed = store.read_topics(categories);
    memory.note_own(PATIENCE, std::slice::from_ref(store), std::slice::from_ref(&typed));
    let lock = super::lock(memory, store)?;
    let mut txn = store.begin(&lock, categories, memory.now, memory.who());
    if let Some(problem) = txn.snapshot().problems.first() {
        return Err(Failure::from(problem));
    }
    let adopted = txn.adopt(None);
    let placed = txn.placed();
    let before = Ranking::new(memory.now, memory.rules(), vec![(placed, &txn.snapshot().ledger)]);
    let days = store.used_days();
    let entries = memory.entries_of(&before);
    let mut archived = BTreeMap::<String, ArchivedEntry>::new();
    for (topic, rows) in before.topics(store.scope) {
        let cold = ranking::cold(&rows, categories);
        for row in rows {
            let faded = cold || forecast::is_dropped(row);
            let faded = faded && forecast::goes_unasked(memory.now, row, &days);
            // Earlier versions left the line of a forgotten entry where it stood.
            let forgotten = row.evidence.user == UserState::Forgotten && !row.entry.pinned;
            if faded || forgotten {
                let why = if forgotten {
                    ArchiveReason::Person
                } else {
                    forecast::why_archived(row, categories)
                };
                archived::archive(&mut txn, row, why)?;
                let here = archived.entry(topic.to_owned()).or_insert_with(|| ArchivedEntry {
                    topic: topic.to_owned(),
                    entries: 0,
                    ids: Vec::new(),
                    lines: Vec::new(),
                });
                here.entries += 1;
                here.ids.push(row.entry.id.to_string());
                here.lines.push(format!("{}, to archive/{topic}.md", entries.line(row)));
            }
        }
    }
    txn.commit()?;
    let (ranking, snapshots) = memory.ranking(std::slice::from_ref(store));
    let accesses = memory.accesses(&memory.readers()?);
    let accessed = |row: &ScoredEntry| {
        telemetry::of_entry(&accesses, row.entry.id, snapshots.iter().map(|held| &held.ledger))
    };
    let scores = score::snapshot(memory, &ranking, |row| row.entry.id.to_string(), accessed);
    let path = store.dir.join("memory-scores.json");
    store.seal.replace(&path, scores.as_bytes(), Sync::None, || Ok(true))?;
    drop(lock);
    let indexed = index(memory, store, whole, model);
    Ok(RebuiltStore {
        store: store.dir.display().to_string(),
        scope: store.scope.name(),
        states: States::of(ranking.rows.iter()),
        adopted,
        archived: archived.into_values().collect(),
        indexed,
    })
}

/// Builds the index, and has the chosen model embed what it lacks.
fn index(
    memory: &Memory,
    store: &Store,
    whole: bool,
    model: &mut Option<Chosen>,
) -> Option<IndexedCounts> {
    let dir = memory.cache_dir(store)?;
    let mut progress = memory.notices.progress("indexing");
    let (categories, when) = (&memory.config.categories, memory.real_now);
    let kept = embedding::kept(memory);
    let built = index::refresh(store, &dir, categories, when, whole, kept, &mut progress);
    let built = built.and_then(|built| shortlist::renew(memory, store, &dir).map(|()| built));
    let index::Built { files, docs } = match built {
        Ok(built) => built?,
        Err(error) => {
            memory.notices.note(&format!("The index could not be written: {error:#}"));
            return None;
        }
    };
    let Filled { kept, missing, trouble } =
        background::fill(memory, store, model.as_mut().map(background::borrowed));
    let trouble = trouble.map(|Unavailable(why)| why);
    let model = embedding::name(memory);
    // The table has a vector for every line.
    let vectors = if model == table::NAME { docs } else { kept as u64 };
    Some(IndexedCounts { files, lines: docs, model, vectors, kept, missing, trouble })
}

/// Returns the time since the last rebuild of a store, by the time in its scores file. If that time
/// is in the future, as after the clock was set back, returns the time until then.
fn last_rebuild(memory: &Memory, store: &Store) -> Option<Age> {
    let path = store.dir.join("memory-scores.json");
    let bytes = store.seal.read(&store.dir, &path, read::MAX_FILE).ok()??;
    let snapshot: Value = serde_json::from_slice(&bytes).ok()?;
    // pi's own file has shorter keys and does not count.
    let mut keys = snapshot.get("entries")?.as_object()?.keys();
    let when = Timestamp::parse(snapshot.get("lastRebuild")?.as_str()?)?;
    keys.all(|key| key.len() == 16).then(|| Age(memory.now.0.0.abs_diff(when.0)))
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rebuilt {
    /// Stores that were not rebuilt recently.
    pub stores: Vec<RebuiltStore>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RebuiltStore {
    /// Directory of the store.
    pub store: String,
    /// `project` or `user`.
    pub scope: &'static str,
    pub states: States,
    /// Hand-written entries that got evidence.
    pub adopted: usize,
    pub archived: Vec<ArchivedEntry>,
    /// Result of indexing; null if the index was not touched.
    pub indexed: Option<IndexedCounts>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ArchivedEntry {
    /// Stem of the topic file.
    pub topic: String,
    pub entries: usize,
    pub ids: Vec<String>,
    /// Lines for people, one per entry.
    #[serde(skip)]
    pub lines: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IndexedCounts {
    pub files: usize,
    pub lines: u64,
    /// Model in force.
    pub model: String,
    pub vectors: u64,
    /// Vectors in the index; 0 with the built-in model, which stores none.
    #[serde(skip)]
    pub kept: usize,
    /// Number of lines without a vector.
    pub missing: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

documents! {
    Rebuilt: "pimem.rebuild/1",
}
