//! Vectors of the query and of all documents.
//!
//! One search uses one model for everything: the chosen one, or the built-in one if that cannot
//! run.

use std::time::Duration;

use super::{
    segments::{DocRef, Document},
    texts::Texts,
};
use crate::{
    error::{Failure, Kind},
    index::{
        build::{self, Embedding},
        corpus::{self, Corpus},
        vectors::{self, Known, Vectors},
    },
    memory::Memory,
    models::built_in,
    store::Store,
};
use pimem_core::{
    embed::{
        self,
        model::{Embedder, Model, Role, Thresholds, Unavailable},
        table,
        vector::Vector,
    },
    search::{
        bm25::Query,
        candidates::{self, Dense},
        documents::category_name,
        near_words::QueryWords,
    },
};

/// The vectors of a query and of all searched documents by one model.
pub struct QueryEmbedding {
    /// Name of the model.
    pub model: String,
    query: Vector,
    thresholds: Thresholds,
    /// What each store's index lacks.
    pub behind: Vec<Behind>,
    views: Vec<Vectors>,
}

/// Source of the documents' vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rows {
    /// The index, as far as it has them.
    Stored,
    /// Computed from the texts: a row of the index is damaged.
    Remade,
}

/// What a store's index lacks.
#[derive(Default)]
pub struct Behind {
    /// True if it lacks vectors of indexed documents.
    pub whole: bool,
    /// Vectors computed by this search.
    pub fresh: Known,
}

impl QueryEmbedding {
    /// Returns the vectors of each segment.
    pub fn views(&self) -> Vec<&dyn Dense> {
        self.views.iter().map(|view| view as &dyn Dense).collect()
    }

    /// Returns the vectors for ranking.
    pub fn vectors<'a>(&'a self, segments: &'a [&'a dyn Dense]) -> candidates::Vectors<'a> {
        candidates::Vectors { query: &self.query, segments, thresholds: self.thresholds }
    }

    /// Returns true if a row was found to be damaged.
    pub fn damaged(&self) -> bool {
        self.views.iter().any(Vectors::damaged)
    }
}

/// Embeds the query and opens the vectors of all documents, by the chosen model, or by the built-in
/// one if that cannot run; the reason is then in `degraded`. `None` if no model is chosen.
pub fn open(
    memory: &Memory,
    stores: &[Store],
    corpora: &[Corpus],
    query: &Query,
    words: &QueryWords,
    rows: Rows,
    degraded: &mut Option<String>,
) -> Option<QueryEmbedding> {
    let name = &name(memory);
    if name == NONE {
        return None;
    }
    // If the model already failed in this search, it is not tried again.
    if name != table::NAME && degraded.is_none() {
        let deadline = memory.config.settings.embedding.deadline;
        match ready(memory, name, Some(deadline)).and_then(|mut embedder| {
            let query = embedder.embed(Role::Query, &[&query.text], &mut |_| {})?;
            let query = query.first().map(|query| Vector::quantize(query)).unwrap_or_default();
            fill(memory, stores, corpora, query, embedder.as_mut(), rows)
        }) {
            Ok(embedding) => return Some(embedding),
            Err(Unavailable(why)) => {
                let line = format!("{name}: {why}; the built-in model serves instead");
                // A model that is slow or broken may recover; one that is not installed is a
                // mistake in the settings. Documents for programs include the reason.
                if memory.notices.for_programs() || described(memory, name).is_some() {
                    memory.notices.detail(&line);
                } else {
                    memory.notices.note(&format!("warning: embedding.model is {line}"));
                }
                *degraded = Some(format!("{name}: {why}"));
            }
        }
    }
    by_table(memory, stores, corpora, words, rows)
}

/// Returns the canonical name of the chosen model.
pub fn name(memory: &Memory) -> String {
    built_in::resolve(&memory.config.settings.embedding.model)
}

/// Value of the setting that disables vectors.
pub const NONE: &str = "none";

/// Embeds by the table.
fn by_table(
    memory: &Memory,
    stores: &[Store],
    corpora: &[Corpus],
    words: &QueryWords,
    rows: Rows,
) -> Option<QueryEmbedding> {
    let mut embedder = table::Static::default();
    fill(memory, stores, corpora, words.vector(), &mut embedder, rows).ok()
}

/// A text without a vector.
struct Missing {
    segment: usize,
    number: u32,
    key: u64,
    text: String,
}

/// Opens the vectors of all segments and computes missing ones.
fn fill(
    memory: &Memory,
    stores: &[Store],
    corpora: &[Corpus],
    query: Vector,
    embedder: &mut dyn Embedder,
    rows: Rows,
) -> Result<QueryEmbedding, Unavailable> {
    let model = embedder.model().clone();
    let key = model.space();
    let mut texts = Texts::new(stores, corpora);
    let thresholds = model.thresholds;
    let (behind, views) = (Vec::new(), Vec::new());
    let mut embedding = QueryEmbedding { model: model.id, query, thresholds, behind, views };
    for (store_number, (store, corpus)) in stores.iter().zip(corpora).enumerate() {
        let dir = memory.cache_dir(store).filter(|_| rows == Rows::Stored);
        let mut views = corpus.vectors(dir.as_deref(), key);
        let mut missing = Vec::new();
        for (segment, (view, documents)) in views.iter().zip(corpus.segments()).enumerate() {
            let alive = documents.alive().iter().cloned().flatten();
            for number in alive.filter(|number| view.lacks(*number)) {
                let at = DocRef { store: store_number, segment, number };
                let Some(document) = Document::find(corpora, at) else { continue };
                let text = texts.of(&document);
                let category = category_name(&memory.config.categories, document.doc.category);
                let key = vectors::key(category, &text);
                let text = embed::passage(&text).into_owned();
                missing.push(Missing { segment, number, key, text });
            }
        }
        let scanned = views.len().saturating_sub(1);
        let mut behind = Behind {
            whole: missing.iter().any(|missing| missing.segment < scanned),
            fresh: Known::default(),
        };
        // A scanned text may have a stored vector: a line that moved is not new.
        let is_slow = key != table::model().space();
        let known = memory.cache_dir(store).filter(|_| is_slow && !missing.is_empty());
        let known = known.map(|dir| corpus::known_vectors(&dir, key)).unwrap_or_default();
        let unknown: Vec<(u64, &str)> = missing
            .iter()
            .filter(|missing| !known.contains_key(&missing.key))
            .map(|missing| (missing.key, missing.text.as_str()))
            .collect();
        let mut made = Known::default();
        let mut progress = memory.notices.progress("embedding");
        build::make(embedder, &unknown, &mut made, &mut progress).map_err(|Unavailable(why)| {
            let all = unknown.len();
            Unavailable(format!("{why}, with {all} texts to embed (pimem rebuild does it)"))
        })?;
        for missing in &missing {
            let vector = known.get(&missing.key).or_else(|| made.get(&missing.key));
            if let (Some(view), Some(vector)) = (views.get_mut(missing.segment), vector) {
                view.supply(missing.number, vector.clone());
            }
        }
        if is_slow {
            behind.fresh = made;
        }
        embedding.views.extend(views);
        embedding.behind.push(behind);
    }
    Ok(embedding)
}

/// Returns which vectors an index keeps, by the settings.
pub fn kept<'a>(memory: &Memory) -> Embedding<'a> {
    let name = &name(memory);
    let model = (name != NONE && name != table::NAME).then(|| described(memory, name)).flatten();
    Embedding {
        built_in: name != NONE,
        model: model.map(|model| model.space()),
        ..Embedding::default()
    }
}

/// Opens the named model without a deadline; `None` for `none`.
pub fn embedder(memory: &Memory, name: &str) -> Result<Option<Box<dyn Embedder>>, Failure> {
    match name {
        NONE => Ok(None),
        table::NAME => Ok(Some(Box::new(table::Static::default()))),
        name if built_in::is_it(name) => built_in::embedder(None).map(Some).map_err(failure),
        name => memory.models()?.open(name, None).map(Some).map_err(failure),
    }
}

/// Opens the chosen model without a deadline, or returns why it cannot run; `None` if it is the
/// table or none.
pub fn patient(memory: &Memory) -> Option<Result<Box<dyn Embedder>, Unavailable>> {
    let name = &name(memory);
    (name != NONE && name != table::NAME).then(|| ready(memory, name, None))
}

/// Returns the failure for an unavailable model, where there is no fallback.
pub fn failure(why: Unavailable) -> Failure {
    Failure::new(Kind::Io, why.0, "pimem model status says more")
}

/// Opens a model other than the table.
fn ready(
    memory: &Memory,
    name: &str,
    deadline: Option<Duration>,
) -> Result<Box<dyn Embedder>, Unavailable> {
    if built_in::is_it(name) {
        return built_in::embedder(deadline);
    }
    let models = memory.models().map_err(|failure| Unavailable(failure.message))?;
    models.open(name, deadline)
}

/// Returns the description of a model other than the table; `None` if it is not installed.
fn described(memory: &Memory, name: &str) -> Option<Model> {
    if built_in::is_it(name) {
        return built_in::describe().ok().map(|(model, _)| model);
    }
    Some(memory.models().ok()?.manifest(name).ok()?.model)
}
