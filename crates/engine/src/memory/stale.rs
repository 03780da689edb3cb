//! Refreshing of stale indexes after a search was answered.

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
    store::Store,
};

/// A store whose index should be refreshed.
pub struct Stale {
    pub store: Store,
    /// True to rebuild the whole index, not only what changed.
    pub whole: bool,
    /// Vectors that the search computed.
    pub fresh: Known,
}

/// Returns the indexes to refresh: those far behind, and those that lack vectors.
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

/// Refreshes stale indexes. Errors only cost time in later searches.
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
