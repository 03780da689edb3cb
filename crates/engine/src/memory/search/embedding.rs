//! Vectors of the query and of all documents, by the table and by the chosen model.
//!
//! The table has a vector of every document. The chosen model may lack some: a few of those that
//! matter are made in the time that a search has for it, and the others are judged by the table.

use std::time::Duration;

use super::{
    request::Pace,
    segments::{DocRef, Document},
    texts::Texts,
};
use crate::{
    config::settings::DEFAULT_MODEL,
    error::{Failure, Kind},
    index::{
        cache::Cache,
        corpus::{self, Corpus},
        recent,
        vector_files::Kept,
        vectors::{self, Known, Vectors},
    },
    llm::ollama::Remote,
    memory::Memory,
    models::built_in,
    store::Store,
};
use pimem_core::{
    embed::{
        self, catalog,
        model::{Embedder, Model, Role, STATIC, Thresholds, Unavailable},
        table,
        vector::Vector,
    },
    search::{
        bm25::{Query, Segment},
        candidates::{self, Dense, Space},
        documents::category_name,
        near_words::QueryWords,
        rank::Candidate,
    },
};

/// Number of texts that are embedded at a time.
const AT_ONCE: usize = 8;

/// The vectors of a query and of all searched documents.
pub struct QueryEmbedding {
    table: Side,
    /// The query by the table, where all words weigh alike.
    plain: Vector,
    chosen: Option<Chosen>,
    /// For each store, true if its index lacks vectors of the table.
    pub lacking: Vec<bool>,
}

/// The vectors by one model.
struct Side {
    query: Vector,
    thresholds: Thresholds,
    /// Of each segment.
    views: Vec<Vectors>,
}

/// The vectors by the chosen model, which is not the table.
struct Chosen {
    side: Side,
    embedder: Box<dyn Embedder>,
    /// For each store, what this search made, and how many vectors wait to be taken over.
    made: Vec<Made>,
}

/// Vectors that an index lacks.
#[derive(Default)]
pub struct Made {
    pub fresh: Known,
    /// Number of those that were made before.
    pub recent: usize,
}

/// Source of the documents' vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rows {
    /// The index, as far as it has them.
    Stored,
    /// Computed from the texts: a row of the index is damaged.
    Remade,
}

/// The vectors of each segment.
pub struct Views<'a> {
    table: Vec<&'a dyn Dense>,
    chosen: Vec<&'a dyn Dense>,
}

/// A candidate that the chosen model has not embedded.
pub struct Missing<'a> {
    pub candidate: &'a mut Candidate,
    /// Number of its store.
    pub store: usize,
    pub category: Option<&'a str>,
    pub text: &'a str,
}

impl Side {
    fn dense(&self) -> Vec<&dyn Dense> {
        self.views.iter().map(|view| view as &dyn Dense).collect()
    }

    fn space<'a>(&'a self, segments: &'a [&'a dyn Dense]) -> Space<'a> {
        Space { query: &self.query, segments, thresholds: self.thresholds }
    }
}

impl QueryEmbedding {
    /// Returns the vectors of each segment.
    pub fn views(&self) -> Views<'_> {
        let chosen = self.chosen.as_ref().map(|chosen| chosen.side.dense());
        Views { table: self.table.dense(), chosen: chosen.unwrap_or_default() }
    }

    /// Returns the vectors for ranking.
    pub fn vectors<'a>(&'a self, views: &'a Views<'a>) -> candidates::Vectors<'a> {
        candidates::Vectors {
            table: self.table.space(&views.table),
            plain: &self.plain,
            model: self.chosen.as_ref().map(|chosen| chosen.side.space(&views.chosen)),
        }
    }

    /// Returns true if a row was found to be damaged.
    pub fn damaged(&self) -> bool {
        let chosen = self.chosen.iter().flat_map(|chosen| &chosen.side.views);
        self.table.views.iter().chain(chosen).any(Vectors::damaged)
    }

    /// Returns the name of the chosen model.
    pub fn model(&self) -> &str {
        self.chosen.as_ref().map_or(table::NAME, |chosen| &chosen.embedder.model().id)
    }

    /// Has the chosen model embed candidates, in their order, as far as `pace` and its deadline
    /// allow.
    pub fn complete(&mut self, missing: &mut [Missing<'_>], pace: Pace) {
        let Some(Chosen { side, embedder, made }) = &mut self.chosen else { return };
        let mut left = pace.bytes();
        let fits = |one: &&mut Missing<'_>| {
            let rest = left.checked_sub(one.text.len());
            left = rest.unwrap_or_default();
            rest.is_some()
        };
        let count = missing.iter_mut().take_while(fits).count();
        for some in missing.get_mut(..count).unwrap_or_default().chunks_mut(AT_ONCE) {
            let passages: Vec<_> = some.iter().map(|one| embed::passage(one.text)).collect();
            let passages: Vec<&str> = passages.iter().map(|passage| &**passage).collect();
            let Ok(vectors) = embedder.embed(Role::Passage, &passages, &mut |_| ()) else { return };
            for (Missing { candidate, store, category, text }, vector) in
                some.iter_mut().zip(vectors)
            {
                let vector = Vector::quantize(&vector);
                let cosine = f64::from(side.query.cosine(&vector.numbers, vector.scale));
                candidate.cosine = cosine;
                candidate.model = Some(side.thresholds.calibrate(cosine));
                let at = (candidate.segment, candidate.doc);
                if let Some(view) = side.views.get_mut(at.0) {
                    view.supply(at.1, vector.clone());
                }
                if let Some(made) = made.get_mut(*store) {
                    made.fresh.insert(vectors::key(*category, text), vector);
                }
            }
        }
    }

    /// Returns the space of the chosen model, and for each store what its index lacks of it.
    pub fn made(self) -> Option<((u64, usize), Vec<Made>)> {
        self.chosen.map(|chosen| (chosen.embedder.model().space(), chosen.made))
    }
}

/// What is searched.
#[derive(Clone, Copy)]
pub struct Searched<'a> {
    pub memory: &'a Memory,
    pub stores: &'a [Store],
    pub corpora: &'a [Corpus],
}

/// Embeds the query and opens the vectors of all documents, by the table and by the chosen model.
/// If that cannot run, the reason is in `degraded`. `None` if no model is chosen.
pub fn open(
    searched: Searched<'_>,
    query: &Query,
    words: &QueryWords,
    pace: Pace,
    rows: Rows,
    degraded: &mut Option<String>,
) -> Option<QueryEmbedding> {
    let memory = searched.memory;
    let mut name = &*name(memory);
    if name == NONE {
        return None;
    }
    // A hook opens no socket.
    if memory.unasked && catalog::of_ollama(name).is_some() {
        name = DEFAULT_MODEL;
    }
    if pace == Pace::Change {
        name = table::NAME;
    }
    let (table, lacking) = by_table(searched, words, rows);
    let mut chosen = None;
    // If the model already failed in this search, it is not tried again.
    if name != table::NAME && degraded.is_none() {
        let opened = ready(memory, name, Some(memory.config.settings.embedding.deadline));
        match opened.and_then(|embedder| by_model(searched, query, embedder, &table, rows)) {
            Ok(by_model) => chosen = Some(by_model),
            Err(Unavailable(why)) => {
                let line = format!("{name}: {why}; the table serves instead");
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
    Some(QueryEmbedding { table, plain: words.plain_vector(), chosen, lacking })
}

/// Embeds by the table. Returns also for each store whether its index lacks vectors.
fn by_table(searched: Searched<'_>, words: &QueryWords, rows: Rows) -> (Side, Vec<bool>) {
    let Searched { memory, stores, corpora } = searched;
    let mut embedder = table::Static::default();
    let mut texts = Texts::new(stores, corpora);
    let (mut all, mut lacking) = (Vec::new(), Vec::new());
    for (store, corpus) in corpora.iter().enumerate() {
        let dir = dir(memory, stores, store).filter(|_| rows == Rows::Stored);
        let mut views = corpus.vectors(dir.as_ref(), table::model().space());
        let scanned = views.len().saturating_sub(1);
        let mut lacks = false;
        for (segment, (view, documents)) in views.iter_mut().zip(corpus.segments()).enumerate() {
            for number in missing(view, documents) {
                let Some(document) = Document::find(corpora, DocRef { store, segment, number })
                else {
                    continue;
                };
                let text = texts.of(&document);
                view.supply(number, Vector::quantize(&embedder.vector(&embed::passage(&text))));
                lacks |= segment < scanned;
            }
        }
        all.extend(views);
        lacking.push(lacks);
    }
    (Side { query: words.vector(), thresholds: STATIC, views: all }, lacking)
}

/// Returns the documents of a segment that have no vector.
fn missing(view: &Vectors, documents: &dyn Segment) -> Vec<u32> {
    let alive = documents.alive().iter().cloned().flatten();
    alive.filter(|number| view.lacks(*number)).collect()
}

fn dir(memory: &Memory, stores: &[Store], store: usize) -> Option<Cache> {
    memory.cache_dir(stores.get(store)?)
}

/// Embeds the query by a model, and opens the vectors that are known.
fn by_model(
    searched: Searched<'_>,
    query: &Query,
    mut embedder: Box<dyn Embedder>,
    table: &Side,
    rows: Rows,
) -> Result<Chosen, Unavailable> {
    let Searched { memory, stores, corpora } = searched;
    let made = embedder.embed(Role::Query, &[&query.text], &mut |_| {})?;
    let query = made.first().map(|query| Vector::quantize(query)).unwrap_or_default();
    let (space, thresholds) = (embedder.model().space(), embedder.model().thresholds);
    let mut texts = Texts::new(stores, corpora);
    let (mut all, mut made) = (Vec::new(), Vec::new());
    for (store, corpus) in corpora.iter().enumerate() {
        let dir = dir(memory, stores, store);
        let stored = dir.as_ref().filter(|_| rows == Rows::Stored);
        let mut views = corpus.vectors(stored, space);
        let recent = dir.as_ref().map(|dir| recent::read(dir, space)).unwrap_or_default();
        let mut known: Option<Known> = None;
        let scanned = views.len().saturating_sub(1);
        for (segment, (view, documents)) in views.iter_mut().zip(corpus.segments()).enumerate() {
            if segment < scanned && rows == Rows::Stored {
                if recent.is_empty() {
                    continue;
                }
                // The table has a vector of every document, and with it every key.
                let keys = table.views.get(all.len() + segment).map(Vectors::keys);
                let keys = keys.unwrap_or_default();
                for number in missing(view, documents) {
                    let key = usize::try_from(number).ok().and_then(|at| keys.get(at));
                    if let Some(vector) = key.and_then(|key| recent.get(key)) {
                        view.supply(number, vector.clone());
                    }
                }
                continue;
            }
            // A line that moved is not new.
            for number in missing(view, documents) {
                let at = DocRef { store, segment, number };
                let Some(document) = Document::find(corpora, at) else { continue };
                let known = known.get_or_insert_with(|| {
                    dir.as_ref().map(|dir| corpus::known_vectors(dir, space)).unwrap_or_default()
                });
                let category = category_name(&memory.config.categories, document.doc.category);
                let key = vectors::key(category, &texts.of(&document));
                if let Some(vector) = known.get(&key) {
                    view.supply(number, vector.clone());
                }
            }
        }
        all.extend(views);
        made.push(Made { fresh: Known::default(), recent: recent.len() });
    }
    Ok(Chosen { side: Side { query, thresholds, views: all }, embedder, made })
}

/// Returns the canonical name of the chosen model.
pub fn name(memory: &Memory) -> String {
    built_in::resolve(&memory.config.settings.embedding.model)
}

/// Value of the setting that disables vectors.
pub const NONE: &str = "none";

/// Returns which vectors an index keeps, by the settings.
pub fn kept(memory: &Memory) -> Kept {
    let name = &name(memory);
    let model = (name != NONE && name != table::NAME).then(|| described(memory, name)).flatten();
    Kept { table: name != NONE, model: model.map(|model| model.space()) }
}

/// Opens the named model without a deadline; `None` for `none`.
pub fn embedder(memory: &Memory, name: &str) -> Result<Option<Box<dyn Embedder>>, Failure> {
    match name {
        NONE => Ok(None),
        table::NAME => Ok(Some(Box::new(table::Static::default()))),
        name if built_in::is_it(name) => built_in::embedder(None).map(Some).map_err(failure),
        name => ready(memory, name, None).map(Some).map_err(failure),
    }
}

/// Returns the model of Ollama's with this name; `None` for names of other models.
pub fn remote(memory: &Memory, name: &str) -> Option<Remote> {
    let endpoint = &memory.config.settings.embedding.endpoint;
    catalog::of_ollama(name)?;
    Remote::named(name, endpoint, &memory.env, &memory.models().ok()?.ollama_dir())
}

/// Opens the chosen model, or returns why it cannot run; `None` if it is the table or none.
pub fn within(
    memory: &Memory,
    deadline: Option<Duration>,
) -> Option<Result<Box<dyn Embedder>, Unavailable>> {
    let name = &name(memory);
    (name != NONE && name != table::NAME).then(|| ready(memory, name, deadline))
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
    if let Some(remote) = remote(memory, name) {
        if memory.unasked {
            return Err(Unavailable("Ollama is not asked without a command".to_owned()));
        }
        return remote.open(deadline);
    }
    let models = memory.models().map_err(|failure| Unavailable(failure.message))?;
    models.open(name, deadline)
}

/// Returns the description of a model other than the table; `None` if it is not installed, or was
/// never measured.
fn described(memory: &Memory, name: &str) -> Option<Model> {
    if built_in::is_it(name) {
        return built_in::describe().ok().map(|(model, _)| model);
    }
    if let Some(remote) = remote(memory, name) {
        return remote.known();
    }
    Some(memory.models().ok()?.manifest(name).ok()?.model)
}
