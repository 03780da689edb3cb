//! Indexes that a search found behind, and bringing them up to date after it has answered.

use super::{
    Memory,
    search::embedding::{self, QueryEmbedding},
};
use crate::{
    index::{
        build::{self, Embedding},
        corpus::Corpus,
        vectors::Known,
    },
    store::snapshot::Store,
};

/// A store whose index should be brought up to date.
pub struct Stale {
    /// The store.
    pub store: Store,
    /// The whole index, not only what changed.
    pub whole: bool,
    /// Vectors that were made for the answer.
    pub fresh: Known,
}

/// Which indexes should be brought up to date: those much behind, and those without vectors.
pub fn of(stores: &[Store], corpora: &[Corpus], space: Option<QueryEmbedding>) -> Vec<Stale> {
    let mut behind = space.map(|space| space.behind).unwrap_or_default().into_iter();
    stores
        .iter()
        .zip(corpora)
        .filter_map(|(store, corpus)| {
            let embedding::Behind { whole, fresh } = behind.next().unwrap_or_default();
            let wanted = corpus.wants_refresh || whole || !fresh.is_empty();
            wanted.then(|| Stale { store: store.clone(), whole, fresh })
        })
        .collect()
}

/// Brings stale indexes up to date, after the answer was given. What fails here costs time later
/// and nothing else.
pub fn refresh(memory: &Memory, stores: Vec<Stale>) {
    for Stale { store, whole, fresh } in stores {
        let Some(dir) = memory.cache_dir(&store) else { continue };
        let mut progress = memory.notices.progress("indexing");
        let (categories, when) = (&memory.config.categories, memory.real_now);
        let embedding = Embedding { fresh, ..embedding::kept(memory) };
        let done = build::refresh(&store, &dir, categories, when, whole, embedding, &mut progress);
        if let Err(error) = done {
            memory.notices.detail(&format!("index not refreshed: {error:#}"));
        }
    }
}
