//! The standing of what a search found: looked up for candidates only.

use crate::{
    index::corpus::Corpus,
    memory::{Memory, archived::Archived},
    store::{read::Problem, snapshot::Store},
};
use pimem_core::{
    model::{
        entry::EntryId,
        hash::{IdMap, IdSet},
        time::Timestamp,
    },
    score::{
        clock::{Clock, Days},
        evidence::Strength,
        stability::{self, Standing},
    },
    search::documents::{self, Doc, SourceKind},
};

/// Standing and time of last reinforcement for each document; for passages none, and their time. What
/// they could not be looked up in is added to `unread`.
pub fn standings<'a>(
    memory: &Memory,
    stores: &[Store],
    corpora: &[Corpus],
    archived: &Archived,
    docs: impl Iterator<Item = (usize, &'a Doc, SourceKind)>,
    unread: &mut Vec<Problem>,
) -> Vec<(Option<Standing>, Option<Timestamp>)> {
    let docs: Vec<(usize, &Doc, SourceKind)> = docs.collect();
    let strengths: Vec<IdMap<EntryId, Strength>> = stores
        .iter()
        .zip(corpora)
        .enumerate()
        .map(|(number, (store, corpus))| {
            // The log alone tells of what has no line.
            let here = docs
                .iter()
                .filter(|(store, _, kind)| *store == number && *kind != SourceKind::Archive);
            let wanted = here.filter_map(|(_, doc, _)| documents::entry_id(doc)).collect();
            strengths(memory, store, corpus, &wanted, unread)
        })
        .collect();
    let taus: Vec<(u32, f64)> = memory
        .config
        .categories
        .iter()
        .map(|(_, spec)| (documents::category_hash(&spec.name), spec.tau_days))
        .collect();
    let clock = memory.rules().clock;
    let days: Vec<Days> = match clock {
        Clock::Calendar => stores.iter().map(|_| Days::default()).collect(),
        Clock::Active(_) => stores.iter().map(Store::used_days).collect(),
    };
    docs.iter()
        .map(|(store, doc, kind)| {
            let id = documents::entry_id(doc);
            let strength = id.and_then(|id| match kind {
                SourceKind::Archive => archived.strength(*store, id),
                _ => strengths.get(*store)?.get(&id).copied(),
            });
            let Some(mut strength) = strength else {
                return (None, Timestamp::from_seconds(doc.when));
            };
            strength.last_reinforced = memory.now.cap(strength.last_reinforced);
            let tau = taus.iter().find(|(hash, _)| *hash == doc.category).map(|(_, tau)| *tau);
            let last = strength.last_reinforced;
            let idle = days.get(*store).map(|days| clock.at(memory.now, days).since(last));
            let idle = idle.unwrap_or_else(|| memory.now.since(last));
            let standing = stability::standing_of(idle, strength, tau.unwrap_or(1.0), doc.pinned);
            (Some(standing), Some(last))
        })
        .collect()
}

/// The strength of some entries: from the index, else from the log, else from the whole store,
/// because an entry without evidence is adopted, and that takes all of the markdown.
fn strengths(
    memory: &Memory,
    store: &Store,
    corpus: &Corpus,
    wanted: &IdSet<EntryId>,
    unread: &mut Vec<Problem>,
) -> IdMap<EntryId, Strength> {
    if wanted.is_empty() {
        return IdMap::default();
    }
    let folded = corpus.folded.as_ref().and_then(|folded| folded.lookup(store, memory.now, wanted));
    folded.unwrap_or_else(|| {
        let ledger = store.evidence_of(memory.now, wanted).unwrap_or_else(|| {
            let snapshot = store.read(memory.now, &memory.config.categories);
            unread.extend(snapshot.problems);
            snapshot.ledger
        });
        let strength = |id: &EntryId| Some((*id, ledger.evidence(memory.now, *id)?.strength()));
        wanted.iter().filter_map(strength).collect()
    })
}
