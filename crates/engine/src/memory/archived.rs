//! Archived entries that a search returns by default: those archived for their age and not out of
//! force. Removed, superseded and merged entries are shown only on request.

use anyhow::Result;

use super::Memory;
use crate::{
    index::{corpus::Corpus, strengths::ArchivedEntries},
    store::{
        Store,
        snapshot::Snapshot,
        transaction::{Change, Target, Txn},
    },
};
use pimem_core::{
    model::{
        entry::EntryId,
        event::{ArchiveReason, EventKind},
        hash::IdSet,
    },
    score::{
        evidence::Strength,
        ranking::{LocatedEntry, Ranking, ScoredEntry},
    },
    search::documents::{self, SourceKind},
    sync::grave::Buried,
};

/// Factor on the score of an archived entry.
pub const SHARE: f64 = 0.8;

/// What is known of the archived entries of each store.
#[derive(Default)]
pub struct Archived(Vec<ArchivedEntries>);

impl Archived {
    /// Looks up the entries in the index, or else in the logs. Stores without an archive are
    /// skipped.
    pub fn of(memory: &Memory, stores: &[Store], corpora: &[Corpus]) -> Self {
        let aged = |(store, corpus): (&Store, &Corpus)| {
            if !corpus.sources.iter().any(|source| source.kind == SourceKind::Archive) {
                return ArchivedEntries::default();
            }
            let docs = corpus.docs_of(SourceKind::Archive);
            let ids: IdSet<EntryId> = docs.filter_map(|doc| documents::entry_id(&doc)).collect();
            let known = corpus.folded.as_ref();
            if let Some(known) = known.and_then(|folded| folded.aged(store, memory.now, &ids)) {
                return known;
            }
            let ledger = store.ledger_of(&ids);
            let mut found = ArchivedEntries::default();
            for id in ids {
                let Some(evidence) = ledger.evidence(memory.now, id) else { continue };
                if ledger.archived_for(id) == Some(ArchiveReason::Age)
                    && !ledger.is_over(memory.now, id)
                {
                    found.aged.insert(id, evidence.strength());
                }
                if ledger.archived(id) && !evidence.superseded_by.is_empty() {
                    found.replaced.insert(id);
                }
            }
            found
        };
        Self(stores.iter().zip(corpora).map(aged).collect())
    }

    /// Returns the strength of an entry, if a search returns it by default.
    pub fn strength(&self, store: usize, id: EntryId) -> Option<Strength> {
        self.0.get(store)?.aged.get(&id).copied()
    }

    pub fn is_replaced(&self, store: usize, id: EntryId) -> bool {
        self.0.get(store).is_some_and(|known| known.replaced.contains(&id))
    }
}

/// Returns the archived lines of stores that stand in no topic, each ranked by its evidence.
pub fn rankings(memory: &Memory, stores: &[Store], snapshots: &[Snapshot]) -> Vec<Ranking> {
    let categories = &memory.config.categories;
    let of = |(store, snapshot): (&Store, &Snapshot)| {
        let mut placed = store.read_archive(categories).placed(store, categories);
        placed.retain(|entry| snapshot.holders(&entry.wording()).is_empty());
        Ranking::new(memory.now, memory.rules(), vec![(placed, &snapshot.ledger)])
    };
    stores.iter().zip(snapshots).map(of).collect()
}

/// Returns the lines in the grave of a store, and their ranking.
pub fn graves(
    memory: &Memory,
    store: &Store,
    snapshot: &Snapshot,
    archive: &Snapshot,
) -> (Vec<(LocatedEntry, Buried)>, Ranking) {
    let buried = store.buried(snapshot, archive, &memory.config.categories);
    let placed = buried.iter().map(|(entry, _)| entry.clone()).collect();
    let ranking = Ranking::new(memory.now, memory.rules(), vec![(placed, &snapshot.ledger)]);
    (buried, ranking)
}

/// Moves an entry's line to the archive. The archive is written before the topic.
pub fn archive(txn: &mut Txn<'_>, row: &ScoredEntry, why: ArchiveReason) -> Result<()> {
    let of = row.entry.wording();
    let topic = row.entry.subject().to_owned();
    let markers = row.entry.markers();
    let LocatedEntry { id, category, text, .. } = row.entry.clone();
    let holders: Vec<String> = txn.snapshot().holders(&of).into_iter().map(str::to_owned).collect();
    txn.change(Target::Archive(topic), Change::Append { category, text, markers, heading: None });
    for stem in holders {
        txn.change(Target::Topic(stem), Change::Remove(of.clone()));
    }
    txn.record(id, EventKind::Archive(why))
}
