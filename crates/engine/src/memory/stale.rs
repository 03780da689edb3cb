//! Refreshing of stale indexes after a search was answered.

use super::{Memory, fill, search::embedding};
use crate::{
    index::{self, container::Cache, corpus::Corpus, vector_files, vectors::KnownVectors},
    store::Store,
};
use pimem_core::embed::catalog::{Embedder, Unavailable};

/// A store whose index should be refreshed.
pub struct Stale {
    pub store: Store,
    /// What is done to the index.
    pub act: Refresh,
    /// Vectors that the search made, with key and dimension of their model.
    pub fresh: Option<((u64, usize), KnownVectors)>,
    /// Texts for whose vectors the search had no time, by their keys.
    pub waiting: Vec<(u64, String)>,
}

impl Stale {
    /// Returns a store whose index should be refreshed, apart from any search.
    pub fn of(store: &Store, act: Refresh) -> Self {
        Self { store: store.clone(), act, fresh: None, waiting: Vec::new() }
    }
}

/// What is done to an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refresh {
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
    let lacking = embedding.as_ref().map(embedding::QueryEmbedding::lacking);
    let mut lacking = lacking.unwrap_or_default().into_iter();
    let (space, mut made) = embedding.and_then(embedding::QueryEmbedding::made).unzip();
    let mut made = made.iter_mut().flatten();
    stores
        .iter()
        .zip(corpora)
        .filter_map(|(store, corpus)| {
            let made = made.next().map(std::mem::take).unwrap_or_default();
            let many = made.recent + made.fresh.len() > vector_files::MANY_RECENT;
            let act = if lacking.next().unwrap_or_default() {
                Refresh::Whole
            } else if corpus.wants_refresh || many {
                Refresh::Changed
            } else {
                Refresh::Nothing
            };
            let waiting = made.waiting;
            let fresh = space.filter(|_| !made.fresh.is_empty()).map(|space| (space, made.fresh));
            let store = store.clone();
            let is_stale = act != Refresh::Nothing || fresh.is_some() || !waiting.is_empty();
            is_stale.then_some(Stale { store, act, fresh, waiting })
        })
        .collect()
}

/// Returns why answers are worse than they could be: some lines wait for their vectors.
pub fn waiting(stale: &[Stale]) -> Option<String> {
    match stale.iter().map(|stale| stale.waiting.len()).sum::<usize>() {
        0 => None,
        1 => Some("1 line waits for its vector".to_owned()),
        lines => Some(format!("{lines} lines wait for their vectors")),
    }
}

/// Embeds what a search had no time for, so that the next one has all vectors. What was made is kept
/// if the process is killed.
fn make_up(memory: &Memory, dir: &Cache, model: &mut dyn Embedder, waiting: &[(u64, String)]) {
    let space = model.model().space();
    let texts: Vec<(u64, &str)> = waiting.iter().map(|(key, text)| (*key, &**text)).collect();
    let mut keep = |some| {
        if let Err(error) = vector_files::append_recent(dir, space, &some) {
            memory.notices.detail(&format!("vectors not kept: {error:#}"));
        }
    };
    if let Err(Unavailable(why)) = fill::make(model, &texts, &mut |_, _| (), &mut keep) {
        memory.notices.detail(&why);
    }
}

/// Refreshes stale indexes. Errors only cost time in later searches.
pub fn refresh(memory: &Memory, stores: Vec<Stale>) {
    let mut model = None;
    for Stale { store, act, fresh, waiting } in stores {
        let Some(dir) = memory.cache_dir(&store) else { continue };
        if let Some(Err(error)) =
            fresh.map(|(space, made)| vector_files::append_recent(&dir, space, &made))
        {
            memory.notices.detail(&format!("vectors not kept: {error:#}"));
        }
        if !waiting.is_empty() {
            let limit = memory.config.settings.embedding.deadline;
            let model = model.get_or_insert_with(|| embedding::within(memory, Some(limit)));
            if let Some(Ok(model)) = model {
                make_up(memory, &dir, model.as_mut(), &waiting);
            }
        }
        if act == Refresh::Nothing {
            continue;
        }
        let mut progress = memory.notices.progress("indexing");
        let (categories, when) = (&memory.config.categories, memory.real_now);
        let (whole, kept) = (act == Refresh::Whole, embedding::kept(memory));
        let done = index::refresh(&store, &dir, categories, when, whole, kept, &mut progress);
        if let Err(error) = done {
            memory.notices.detail(&format!("index not refreshed: {error:#}"));
        }
    }
}
