//! Refreshing of stale indexes after a search was answered.

use super::{Memory, search::embedding};
use crate::{
    index::{build, corpus::Corpus, recent, vectors::Known},
    store::Store,
};

/// A store whose index should be refreshed.
pub struct Stale {
    pub store: Store,
    /// What is done to the index.
    pub act: Act,
    /// Vectors that the search made, with key and dimension of their model.
    pub fresh: Option<((u64, usize), Known)>,
}

/// What is done to an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    Nothing,
    /// What changed is indexed.
    Changed,
    /// All of it is made again.
    Whole,
}

/// Returns the indexes to refresh: those far behind, and those that lack vectors.
pub fn of(
    stores: &[Store],
    corpora: &[Corpus],
    embedding: Option<embedding::QueryEmbedding>,
) -> Vec<Stale> {
    let lacking = embedding.as_ref().map(|embedding| embedding.lacking.clone());
    let mut lacking = lacking.unwrap_or_default().into_iter();
    let (space, mut made) = embedding.and_then(embedding::QueryEmbedding::made).unzip();
    let mut made = made.iter_mut().flatten();
    stores
        .iter()
        .zip(corpora)
        .filter_map(|(store, corpus)| {
            let made = made.next().map(std::mem::take).unwrap_or_default();
            let waiting = made.recent + made.fresh.len();
            let act = if lacking.next().unwrap_or_default() {
                Act::Whole
            } else if corpus.wants_refresh || waiting > recent::MANY {
                Act::Changed
            } else {
                Act::Nothing
            };
            let fresh = space.filter(|_| !made.fresh.is_empty()).map(|space| (space, made.fresh));
            let store = store.clone();
            (act != Act::Nothing || fresh.is_some()).then_some(Stale { store, act, fresh })
        })
        .collect()
}

/// Refreshes stale indexes. Errors only cost time in later searches.
pub fn refresh(memory: &Memory, stores: Vec<Stale>) {
    for Stale { store, act, fresh } in stores {
        let Some(dir) = memory.cache_dir(&store) else { continue };
        if let Some(Err(error)) = fresh.map(|(space, made)| recent::append(&dir, space, &made)) {
            memory.notices.detail(&format!("vectors not kept: {error:#}"));
        }
        if act == Act::Nothing {
            continue;
        }
        let mut progress = memory.notices.progress("indexing");
        let (categories, when) = (&memory.config.categories, memory.real_now);
        let (whole, kept) = (act == Act::Whole, embedding::kept(memory));
        let done = build::refresh(&store, &dir, categories, when, whole, kept, &mut progress);
        if let Err(error) = done {
            memory.notices.detail(&format!("index not refreshed: {error:#}"));
        }
    }
}
