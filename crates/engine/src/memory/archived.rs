//! Archived entries that a search returns by default: those archived for their age and not out of
//! force. Removed, superseded and merged entries are shown only on request.

use anyhow::Result;

use super::Memory;
use crate::{
    index::corpus::Corpus,
    store::{
        Store,
        transaction::{Change, Target, Txn},
    },
};
use pimem_core::{
    model::{
        entry::{EntryId, Markers},
        event::{EventKind, Why},
        hash::{IdMap, IdSet},
    },
    score::{
        evidence::{Strength, UserState},
        ranking::{LocatedEntry, ScoredEntry},
    },
    search::documents::{self, SourceKind},
};

/// Factor on the score of an archived entry.
pub const SHARE: f64 = 0.8;

/// Per store, the archived entries that a search returns by default, with their strength.
#[derive(Default)]
pub struct Archived(Vec<IdMap<EntryId, Strength>>);

impl Archived {
    /// Looks up the entries in the index, or else in the logs. Stores without an archive are
    /// skipped.
    pub fn of(memory: &Memory, stores: &[Store], corpora: &[Corpus]) -> Self {
        let aged = |(store, corpus): (&Store, &Corpus)| {
            if !corpus.sources.iter().any(|source| source.kind == SourceKind::Archive) {
                return IdMap::default();
            }
            let docs = corpus.docs_of(SourceKind::Archive);
            let ids: IdSet<EntryId> = docs.filter_map(|doc| documents::entry_id(&doc)).collect();
            let known = corpus.folded.as_ref();
            if let Some(known) = known.and_then(|folded| folded.aged(store, memory.now, &ids)) {
                return known;
            }
            let ledger = store.ledger_of(&ids);
            let strength = |id: EntryId| {
                let aged = ledger.archived_for(id) == Some(Why::Age);
                let strength = ledger.evidence(memory.now, id)?.strength();
                (aged && !ledger.is_over(memory.now, id)).then_some((id, strength))
            };
            ids.into_iter().filter_map(strength).collect()
        };
        Self(stores.iter().zip(corpora).map(aged).collect())
    }

    /// Returns the strength of an entry, if a search returns it by default.
    pub fn strength(&self, store: usize, id: EntryId) -> Option<Strength> {
        self.0.get(store)?.get(&id).copied()
    }
}

/// Moves an entry's line to the archive. The archive is written before the topic.
pub fn archive(txn: &mut Txn<'_>, row: &ScoredEntry, why: Why) -> Result<()> {
    let of = row.entry.wording();
    let LocatedEntry { id, category, text, pinned, enforced, topic, .. } = row.entry.clone();
    let holders: Vec<String> = txn.snapshot().holders(&of).into_iter().map(str::to_owned).collect();
    let markers = Markers { pinned, enforced };
    txn.change(Target::Archive(topic), Change::Append { category, text, markers, heading: None });
    for stem in holders {
        txn.change(Target::Topic(stem), Change::Remove(of.clone()));
    }
    if row.evidence.user == UserState::Forgotten {
        // If the text is added again later, it should be in force.
        txn.record(id, EventKind::Unpin)?;
    }
    txn.record(id, EventKind::Archive(why))
}
