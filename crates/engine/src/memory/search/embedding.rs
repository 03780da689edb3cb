//! The space in which a query and the texts are near or far: which model, and its vectors.
//!
//! One search uses one model for all texts. Where the chosen one cannot serve, the built-in one does.

use std::time::Duration;

use super::texts::Texts;
use crate::{
    error::{Failure, Kind},
    index::{
        build::{self, Embedding},
        corpus::{self, Corpus},
        vectors::{self, Known, Vectors},
    },
    memory::Memory,
    store::snapshot::Store,
};
use pimem_core::{
    embed::{
        self, catalog,
        model::{Embedder, Model, Role, Thresholds, Unavailable},
        table,
        vector::Vector,
    },
    search::{
        bm25::Query,
        candidates::{self, Dense},
        documents::category_name,
        near_words::Meaning,
    },
};

/// A model's vectors of everything that is searched.
pub struct QueryEmbedding {
    /// The model's name.
    pub model: String,
    query: Vector,
    thresholds: Thresholds,
    /// What each store's index lacks.
    pub behind: Vec<Behind>,
    views: Vec<Vectors>,
}

/// What a store's index lacks.
#[derive(Default)]
pub struct Behind {
    /// Vectors of documents that it has otherwise.
    pub whole: bool,
    /// Vectors that were made now.
    pub fresh: Known,
}

impl QueryEmbedding {
    /// The vectors of every part.
    pub fn views(&self) -> Vec<&dyn Dense> {
        self.views.iter().map(|view| view as &dyn Dense).collect()
    }

    /// The vectors, for ranking.
    pub fn vectors<'a>(&'a self, parts: &'a [&'a dyn Dense]) -> candidates::Vectors<'a> {
        candidates::Vectors { query: &self.query, parts, thresholds: self.thresholds }
    }

    /// Whether a row turned out to be damaged when it was used.
    pub fn damaged(&self) -> bool {
        self.views.iter().any(Vectors::damaged)
    }
}

/// Opens the space of the chosen model; of the built-in one when that cannot serve, and then says
/// why. `None` when no model is wanted. Rows are taken from what is `stored`, or only where they
/// have been checked.
pub fn open(
    memory: &Memory,
    stores: &[Store],
    corpora: &[Corpus],
    (query, meaning): (&Query, &Meaning),
    stored: bool,
    degraded: &mut Option<String>,
) -> Option<QueryEmbedding> {
    let name = &name(memory);
    if name == NONE {
        return None;
    }
    // A model that could not serve will not now either.
    if name != table::NAME && degraded.is_none() {
        let deadline = Duration::from_millis(memory.config.whole("embedding.deadlineMs"));
        match ready(memory, name, Some(deadline)).and_then(|mut embedder| {
            let query = embedder.embed(Role::Query, &[&query.text], &mut |_| {})?;
            let query = query.first().map(|query| Vector::quantize(query)).unwrap_or_default();
            fill(memory, stores, corpora, query, embedder.as_mut(), stored)
        }) {
            Ok(space) => return Some(space),
            Err(Unavailable(why)) => {
                let line = format!("{name}: {why}; the built-in model serves instead");
                // A model that is late or broken may serve again; one that is not there is a mistake in
                // the settings. A document says so itself.
                if memory.notices.for_programs() || installed(memory, name).is_some() {
                    memory.notices.detail(&line);
                } else {
                    memory.notices.note(&format!("warning: embedding.model is {line}"));
                }
                *degraded = Some(format!("{name}: {why}"));
            }
        }
    }
    built_in(memory, stores, corpora, meaning, stored)
}

/// The chosen model's name, in its one spelling.
pub fn name(memory: &Memory) -> String {
    catalog::canonical(memory.config.text("embedding.model"))
}

/// The setting that leaves vectors out.
pub const NONE: &str = "none";

/// The space of the built-in model, from what is `stored` or without it.
fn built_in(
    memory: &Memory,
    stores: &[Store],
    corpora: &[Corpus],
    meaning: &Meaning,
    stored: bool,
) -> Option<QueryEmbedding> {
    let mut embedder = table::Static::default();
    fill(memory, stores, corpora, meaning.vector(), &mut embedder, stored).ok()
}

/// A text without a vector: its part and number, and the text.
struct Missing {
    part: usize,
    doc: u32,
    key: u64,
    text: String,
}

/// Opens the vectors of all parts, and has those made that are missing.
fn fill(
    memory: &Memory,
    stores: &[Store],
    corpora: &[Corpus],
    query: Vector,
    embedder: &mut dyn Embedder,
    stored: bool,
) -> Result<QueryEmbedding, Unavailable> {
    let model = embedder.model().clone();
    let key = model.space();
    let mut texts = Texts::new(stores, corpora);
    let thresholds = model.thresholds;
    let (behind, views) = (Vec::new(), Vec::new());
    let mut space = QueryEmbedding { model: model.id, query, thresholds, behind, views };
    for (number, (store, corpus)) in stores.iter().zip(corpora).enumerate() {
        let dir = memory.cache_dir(store).filter(|_| stored);
        let mut views = corpus.vectors(dir.as_deref(), key);
        let mut missing = Vec::new();
        for (part, (view, documents)) in views.iter().zip(corpus.parts()).enumerate() {
            for doc in documents.alive().iter().cloned().flatten().filter(|doc| view.lacks(*doc)) {
                let Some((found, source, kind)) = corpus.doc(part, doc) else { continue };
                let text = texts.of((number, part), doc, (source, kind, &found));
                let category = category_name(&memory.config.categories, found.category);
                let key = vectors::key(category, &text);
                let text = embed::passage(&text).into_owned();
                missing.push(Missing { part, doc, key, text });
            }
        }
        let scanned = views.len().saturating_sub(1);
        let mut behind = Behind {
            whole: missing.iter().any(|missing| missing.part < scanned),
            fresh: Known::default(),
        };
        // What was scanned may be known from before: a line that moved is not a new one.
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
            if let (Some(view), Some(vector)) = (views.get_mut(missing.part), vector) {
                view.supply(missing.doc, vector.clone());
            }
        }
        if is_slow {
            behind.fresh = made;
        }
        space.views.extend(views);
        space.behind.push(behind);
    }
    Ok(space)
}

/// Which vectors an index keeps, by the settings.
pub fn kept<'a>(memory: &Memory) -> Embedding<'a> {
    let name = &name(memory);
    let model = (name != NONE && name != table::NAME).then(|| installed(memory, name)).flatten();
    Embedding {
        built_in: name != NONE,
        model: model.map(|model| model.space()),
        ..Embedding::default()
    }
}

/// The model of that name, however long it takes; none for `none`.
pub fn embedder(memory: &Memory, name: &str) -> Result<Option<Box<dyn Embedder>>, Failure> {
    match name {
        NONE => Ok(None),
        table::NAME => Ok(Some(Box::new(table::Static::default()))),
        name => memory.models()?.open(name, None).map(Some).map_err(failure),
    }
}

/// The chosen model, however long it takes, or why it cannot serve; `None` when that is the
/// built-in one or none.
pub fn patient(memory: &Memory) -> Option<Result<Box<dyn Embedder>, Unavailable>> {
    let name = &name(memory);
    (name != NONE && name != table::NAME).then(|| ready(memory, name, None))
}

/// A model that cannot serve, where nothing else will do.
pub fn failure(why: Unavailable) -> Failure {
    Failure::new(Kind::Io, why.0, "pimem model status says more")
}

/// An installed model, ready to serve by the deadline.
fn ready(
    memory: &Memory,
    name: &str,
    deadline: Option<Duration>,
) -> Result<Box<dyn Embedder>, Unavailable> {
    let models = memory.models().map_err(|failure| Unavailable(failure.message))?;
    models.open(name, deadline)
}

/// What is known about an installed model.
fn installed(memory: &Memory, name: &str) -> Option<Model> {
    Some(memory.models().ok()?.manifest(name).ok()?.model)
}
