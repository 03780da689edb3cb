//! Archived entries that a search may find: those that went there for their age, and that nobody has
//! put out of force. What was taken out, replaced or merged is shown to whoever looks there.

use crate::context::Context;
use pimem_core::{
    model::{
        entry::EntryId,
        event::Why,
        hash::{IdMap, IdSet},
    },
    score::evidence::Strength,
    search::documents::{self, SourceKind},
};
use pimem_engine::{index::corpus::Corpus, store::snapshot::Store};

/// The share of its score that an archived entry is found with.
pub(crate) const SHARE: f64 = 0.8;

/// The archived entries of some stores that may be found unasked, each with its strength.
#[derive(Default)]
pub(crate) struct Archived(Vec<IdMap<EntryId, Strength>>);

impl Archived {
    /// Looks them up in the index, else in the logs. Stores without an archive cost nothing.
    pub(crate) fn of(ctx: &Context, stores: &[Store], corpora: &[Corpus]) -> Self {
        let aged = |(store, corpus): (&Store, &Corpus)| {
            if !corpus.sources.iter().any(|source| source.kind == SourceKind::Archive) {
                return IdMap::default();
            }
            let docs = corpus.docs_of(SourceKind::Archive);
            let ids: IdSet<EntryId> = docs.filter_map(|doc| documents::entry_id(&doc)).collect();
            let known = corpus.folded.as_ref();
            if let Some(known) = known.and_then(|folded| folded.aged(store, ctx.now, &ids)) {
                return known;
            }
            let ledger = store.ledger_of(&ids);
            let strength = |id: EntryId| {
                let aged = ledger.archived_for(id) == Some(Why::Age);
                let strength = ledger.evidence(ctx.now, id)?.strength();
                (aged && !ledger.is_over(ctx.now, id)).then_some((id, strength))
            };
            ids.into_iter().filter_map(strength).collect()
        };
        Self(stores.iter().zip(corpora).map(aged).collect())
    }

    /// The strength of an entry, if it may be found.
    pub(crate) fn strength(&self, store: usize, id: EntryId) -> Option<Strength> {
        self.0.get(store)?.get(&id).copied()
    }
}
