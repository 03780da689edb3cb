//! Standing of documents, looked up for candidates only.

use super::segments::Document;
use crate::{
    index::corpus::Corpus,
    memory::{Memory, archived::Archived},
    store::{Store, read::Problem},
};
use pimem_core::{
    model::{
        entry::EntryId,
        hash::{IdMap, IdSet},
        time::Timestamp,
    },
    score::{
        clock::{Clock, Days},
        evidence::{Strength, UserState},
        stability::{self, Standing},
    },
    search::documents::{self, SourceKind},
};

/// The standing of a document, and its time.
#[derive(Debug, Clone, Copy)]
pub struct Standings {
    /// Standing of an entry; `None` for a passage.
    pub standing: Option<Standing>,
    /// Time of an entry's last reinforcement, or the time stated in a passage.
    pub last: Option<Timestamp>,
}

/// Returns the standing of each document. Adds read problems to `unread`.
pub fn standings<'a>(
    memory: &Memory,
    stores: &[Store],
    corpora: &[Corpus],
    archived: &Archived,
    documents: impl Iterator<Item = &'a Document<'a>> + Clone,
    unread: &mut Vec<Problem>,
) -> Vec<Standings> {
    let strengths: Vec<IdMap<EntryId, Strength>> = stores
        .iter()
        .zip(corpora)
        .enumerate()
        .map(|(number, (store, corpus))| {
            // The standing of archived entries comes from the log alone.
            let is_live = |document: &&Document<'_>| {
                document.at.store == number && document.kind != SourceKind::Archive
            };
            let live = documents.clone().filter(is_live);
            let ids = live.filter_map(|live| documents::entry_id(&live.doc)).collect();
            strengths(memory, store, corpus, &ids, unread)
        })
        .collect();
    let taus: Vec<(u32, f64)> = memory
        .config
        .categories
        .known()
        .map(|(_, spec)| (documents::category_hash(&spec.name), spec.tau_days))
        .collect();
    let clock = memory.rules().clock;
    let days: Vec<Days> = match clock {
        Clock::Calendar => stores.iter().map(|_| Days::default()).collect(),
        Clock::Active(_) => stores.iter().map(Store::used_days).collect(),
    };
    documents
        .map(|Document { at, doc, kind, .. }| {
            let id = documents::entry_id(doc);
            let strength = id.and_then(|id| match kind {
                SourceKind::Archive => archived.strength(at.store, id),
                _ => strengths.get(at.store)?.get(&id).copied(),
            });
            let Some(mut strength) = strength else {
                return Standings { standing: None, last: Timestamp::from_seconds(doc.when) };
            };
            strength.last_reinforced = memory.now.cap(strength.last_reinforced);
            let tau = taus.iter().find(|(hash, _)| *hash == doc.category).map(|(_, tau)| *tau);
            let last = strength.last_reinforced;
            let idle = days.get(at.store).map(|days| clock.at(memory.now, days).since(last));
            let idle = idle.unwrap_or_else(|| memory.now.since(last));
            let mut is_pinned = doc.pinned;
            // Pins of mirrors count for those who set them.
            if stores.get(at.store).is_some_and(|store| store.mirror.is_some()) {
                is_pinned = false;
                if strength.user == UserState::Pinned {
                    strength.user = UserState::Auto;
                }
            }
            let standing = stability::standing_of(idle, strength, tau.unwrap_or(1.0), is_pinned);
            Standings { standing: Some(standing), last: Some(last) }
        })
        .collect()
}

/// Returns the strength of entries: from the index, or else the log, or else the whole store,
/// because an entry without evidence must be adopted, which needs all Markdown files.
fn strengths(
    memory: &Memory,
    store: &Store,
    corpus: &Corpus,
    ids: &IdSet<EntryId>,
    unread: &mut Vec<Problem>,
) -> IdMap<EntryId, Strength> {
    if ids.is_empty() {
        return IdMap::default();
    }
    let folded = corpus.folded.as_ref().and_then(|folded| folded.lookup(store, memory.now, ids));
    folded.unwrap_or_else(|| {
        let ledger = store.evidence_of(memory.now, ids).unwrap_or_else(|| {
            let snapshot = store.read(memory.now, &memory.config.categories);
            unread.extend(snapshot.problems);
            snapshot.ledger
        });
        let strength = |id: &EntryId| Some((*id, ledger.evidence(memory.now, *id)?.strength()));
        ids.iter().filter_map(strength).collect()
    })
}
