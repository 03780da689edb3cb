//! Archived entries that a search may find: those that went there for their age, and that nobody has
//! put out of force. What was taken out, replaced or merged is shown to whoever looks there.

use super::context::Context;
use crate::{
    index::corpus::Corpus,
    model::{
        entry::EntryId,
        event::Why,
        hash::{IdMap, IdSet},
    },
    recall::corpus::{self, SourceKind},
    score::evidence::Strength,
    store::vault::Store,
};

/// The share of its score that an archived entry is found with.
pub(super) const SHARE: f64 = 0.8;

/// The archived entries of some stores that may be found unasked, each with its strength.
#[derive(Default)]
pub(super) struct Archived(Vec<IdMap<EntryId, Strength>>);

impl Archived {
    /// Looks them up in the logs. Stores without an archive cost nothing.
    pub(super) fn of(ctx: &Context, stores: &[Store], corpora: &[Corpus]) -> Self {
        let aged = |(store, corpus): (&Store, &Corpus)| {
            let is_archive = |kind: SourceKind| kind == SourceKind::Archive;
            if !corpus.sources.iter().any(|source| is_archive(source.kind)) {
                return IdMap::default();
            }
            let mut ids = IdSet::default();
            for (part, view) in corpus.parts().into_iter().enumerate() {
                let docs = view.alive().iter().cloned().flatten();
                let docs = docs.filter_map(|doc| corpus.doc(part, doc));
                let entry = |(doc, _, kind)| corpus::entry_id(&doc).filter(|_| is_archive(kind));
                ids.extend(docs.filter_map(entry));
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
    pub(super) fn strength(&self, store: usize, id: EntryId) -> Option<Strength> {
        self.0.get(store)?.get(&id).copied()
    }
}
