//! Vectors of the query and of documents, by the table and by the chosen model.
//!
//! The table has a vector of every document, and selects the candidates. The chosen model judges
//! these alone: those that it has embedded before are looked up, the others are embedded in the time
//! that a search has for it. What is left waits until the answer was given, and the answer says so.

use std::{
    borrow::Cow,
    cell::RefCell,
    collections::HashMap,
    num::NonZero,
    sync::mpsc::{self, Receiver},
    thread::{self, Builder},
    time::Duration,
};

use pimem_core::{
    embed::{
        self,
        catalog::{self, Embedder, Model, TextRole, Unavailable},
        table,
        vector::Vector,
    },
    search::{
        bm25::{Query, Segment},
        candidates::{self, Dense},
        near_words::QueryWords,
        rank::RankCandidate,
    },
};

use super::{
    request::Pace,
    segments::{DocRef, IndexedDocument, Texts},
};
use crate::{
    config::settings::DEFAULT_MODEL,
    error::{Failure, FailureKind},
    index::{
        self, IndexText,
        container::Cache,
        corpus::{self, Corpus},
        vector_files::{self, KeptVectors},
        vectors::{self, KnownVectors, Vectors},
    },
    llm::ollama::Remote,
    memory::Memory,
    models::built_in,
    store::Store,
};

/// Number of texts that are embedded at a time.
const AT_ONCE: usize = 8;

/// The vectors of a query and of all searched documents. Those of the documents serve one query
/// after the other.
pub struct QueryEmbedding {
    /// Name of the chosen model.
    name: String,
    /// The query by the table, where rare words weigh more.
    query: Vector,
    /// The query by the table, where all words weigh alike.
    plain: Vector,
    /// Vectors of each segment by the table.
    views: Vec<Vectors>,
    chosen: Option<Chosen>,
    /// True if the chosen model judges what is found for the query.
    judges: bool,
    /// For each store, true if its index lacks vectors of the table.
    lacking: Vec<bool>,
}

/// Vectors of queries by the built-in model. A thread makes them while documents are found.
#[derive(Default)]
pub struct QueriesAhead {
    /// Each query with its vector, in their order.
    incoming: Option<Receiver<(String, Vec<f32>)>>,
    arrived: RefCell<HashMap<String, Vec<f32>>>,
}

/// The vectors by the chosen model, which is not the table.
struct Chosen {
    embedder: Box<dyn Embedder>,
    query: Vector,
    stores: Vec<Embedded>,
    /// Number of bytes that may still be embedded before the answer.
    left: usize,
}

/// What the chosen model has embedded of a store.
#[derive(Default)]
struct Embedded {
    dir: Option<Cache>,
    /// Vectors of each segment of the index.
    views: Vec<Vectors>,
    /// Those made since the index was, once they are needed.
    recent: Option<KnownVectors>,
    /// All of the index, by the keys of their texts, once they are needed.
    known: Option<KnownVectors>,
    made: Made,
}

/// Vectors that an index lacks.
#[derive(Default)]
pub struct Made {
    /// Those that this search made.
    pub fresh: KnownVectors,
    /// Number of those that were made before, if any was made now.
    pub recent: usize,
    /// Texts of candidates for which there was no time, by their keys.
    pub waiting: Vec<(u64, String)>,
}

/// A candidate that the chosen model is to judge.
pub struct Unjudged<'a> {
    pub candidate: &'a mut RankCandidate,
    pub at: DocRef,
    pub category: Option<&'a str>,
    /// All of it that is searched.
    pub text: Cow<'a, str>,
}

impl Embedded {
    /// Returns the stored vector of a document as a cosine with the query.
    fn stored(&self, query: &Vector, at: DocRef) -> Option<f32> {
        let (numbers, scale) = self.views.get(at.segment)?.vector(at.number);
        (!numbers.is_empty()).then(|| query.cosine(numbers, scale))
    }

    /// Returns the vector of a text that was made since the index was. A text of a changed file may
    /// stand elsewhere in the index: a line that moved is not new.
    fn known(&mut self, space: (u64, usize), key: u64, is_scanned: bool) -> Option<&Vector> {
        let Self { dir, recent, known, made, .. } = self;
        if made.fresh.contains_key(&key) {
            return made.fresh.get(&key);
        }
        let recent = recent.get_or_insert_with(|| {
            dir.as_ref().map(|dir| vector_files::read_recent(dir, space)).unwrap_or_default()
        });
        if let Some(found) = recent.get(&key) {
            return Some(found);
        }
        if !is_scanned {
            return None;
        }
        let all = || dir.as_ref().map(|dir| corpus::known_vectors(dir, space)).unwrap_or_default();
        known.get_or_insert_with(all).get(&key)
    }
}

impl QueriesAhead {
    /// Begins to embed queries, where the chosen model is the one that is built in.
    pub fn begin<'a>(memory: &Memory, queries: impl IntoIterator<Item = &'a Query>) -> Self {
        let queries = queries.into_iter().filter(|query| !query.is_empty());
        let mut texts: Vec<String> = queries.map(|query| query.text.clone()).collect();
        texts.dedup();
        if texts.is_empty() || !built_in::is_it(&name(memory)) {
            return Self::default();
        }
        let deadline = memory.config.settings.embedding.deadline;
        let (outgoing, incoming) = mpsc::channel();
        let embed = move || {
            let Ok(mut model) = built_in::embedder(Some(deadline)) else { return };
            // Of the processors one searches for the first queries, while others are embedded.
            let processors = thread::available_parallelism().map_or(1, NonZero::get);
            for texts in texts.chunks(processors.saturating_sub(1).max(1)) {
                let of: Vec<&str> = texts.iter().map(String::as_str).collect();
                let Ok(vectors) = model.embed(TextRole::Query, &of, &mut |_| ()) else { return };
                for one in texts.iter().cloned().zip(vectors) {
                    if outgoing.send(one).is_err() {
                        return;
                    }
                }
            }
        };
        // Without a thread, and where the model fails, each query is embedded when it is asked.
        let is_begun = Builder::new().spawn(embed).is_ok();
        Self { incoming: is_begun.then_some(incoming), ..Self::default() }
    }

    /// Returns the vector of a query, which may be waited for.
    fn get(&self, text: &str) -> Option<Vec<f32>> {
        let mut arrived = self.arrived.borrow_mut();
        while !arrived.contains_key(text) {
            let (text, vector) = self.incoming.as_ref()?.recv().ok()?;
            arrived.insert(text, vector);
        }
        arrived.get(text).cloned()
    }
}

impl QueryEmbedding {
    /// Opens the vectors of all documents by the table; `None` if no model is chosen.
    pub fn open(searched: EmbeddedSearch<'_>) -> Option<Self> {
        let memory = searched.memory;
        let mut name = name(memory);
        if name == NONE {
            return None;
        }
        // A hook opens no socket.
        if memory.unasked && catalog::of_ollama(&name).is_some() {
            DEFAULT_MODEL.clone_into(&mut name);
        }
        let (views, lacking) = by_table(searched, |store| dir(memory, searched.stores, store));
        let (query, plain) = (Vector::default(), Vector::default());
        Some(Self { name, query, plain, views, chosen: None, judges: false, lacking })
    }

    /// Computes the vectors of the documents from their texts: a row of the index is damaged.
    pub fn remake(&mut self, searched: EmbeddedSearch<'_>) {
        (self.views, self.lacking) = by_table(searched, |_| None);
    }

    /// Embeds a query by the table.
    pub fn ask(&mut self, words: &QueryWords) {
        (self.query, self.plain) = (words.vector(), words.plain_vector());
        self.judges = false;
    }

    /// Embeds the query by the chosen model, or waits for its vector, which may take as long as all
    /// else. If the model cannot run, the reason is in `degraded`, and it is not tried again.
    pub fn ask_model(
        &mut self,
        searched: EmbeddedSearch<'_>,
        query: &Query,
        ahead: &QueriesAhead,
        pace: Pace,
        degraded: &mut Option<String>,
    ) {
        if self.judges || pace == Pace::Change || self.name == table::NAME || degraded.is_some() {
            return;
        }
        match self.by_model(searched, query, ahead, pace) {
            Ok(()) => self.judges = true,
            Err(Unavailable(why)) => {
                let (memory, name) = (searched.memory, &self.name);
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

    /// Embeds a query by the chosen model, which is started for the first one.
    fn by_model(
        &mut self,
        searched: EmbeddedSearch<'_>,
        query: &Query,
        ahead: &QueriesAhead,
        pace: Pace,
    ) -> Result<(), Unavailable> {
        let chosen = match &mut self.chosen {
            Some(chosen) => chosen,
            none => none.insert(Chosen::open(searched, &self.name, pace)?),
        };
        let made = match ahead.get(&query.text) {
            Some(made) => vec![made],
            None => chosen.embedder.embed(TextRole::Query, &[&query.text], &mut |_| {})?,
        };
        chosen.query = made.first().map(|query| Vector::quantize(query)).unwrap_or_default();
        Ok(())
    }

    /// Returns the vectors of each segment by the table.
    pub fn views(&self) -> Vec<&dyn Dense> {
        self.views.iter().map(|view| view as &dyn Dense).collect()
    }

    /// Returns the vectors by which candidates are selected.
    pub fn vectors<'a>(
        &'a self,
        segments: &'a [&'a dyn Dense],
    ) -> candidates::CandidateVectors<'a> {
        candidates::CandidateVectors { query: &self.query, plain: &self.plain, segments }
    }

    /// Returns true if a row of the table was found to be damaged.
    pub fn damaged(&self) -> bool {
        self.views.iter().any(Vectors::damaged)
    }

    /// Returns for each store whether its index lacks vectors of the table, or has damaged ones.
    pub fn lacking(&self) -> Vec<bool> {
        let chosen = self.chosen.as_ref().map(|chosen| chosen.stores.as_slice());
        let mut chosen = chosen.unwrap_or_default().iter();
        let mut torn = || chosen.next().is_some_and(|one| one.views.iter().any(Vectors::damaged));
        self.lacking.iter().map(|lacks| torn() || *lacks).collect()
    }

    pub fn model(&self) -> &str {
        let chosen = self.chosen.as_ref().filter(|_| self.judges);
        chosen.map_or(table::NAME, |chosen| &chosen.embedder.model().id)
    }

    /// Has the chosen model judge candidates. Those that it has not embedded are embedded in their
    /// order, as far as the pace of the search allows; the others wait.
    pub fn judge(&mut self, candidates: Vec<Unjudged<'_>>) {
        let Some(Chosen { embedder, query, stores, left }) = &mut self.chosen else { return };
        let (space, thresholds) = (embedder.model().space(), embedder.model().thresholds);
        let mut missing = Vec::new();
        for one in candidates {
            let Some(store) = stores.get_mut(one.at.store) else { continue };
            if let Some(cosine) = store.stored(query, one.at) {
                one.candidate.set_model(f64::from(cosine), thresholds);
                continue;
            }
            let key = vectors::key(one.category, &one.text);
            let is_scanned = one.at.segment + 1 >= store.views.len();
            match store.known(space, key, is_scanned) {
                Some(vector) => {
                    let cosine = query.cosine(&vector.numbers, vector.scale);
                    one.candidate.set_model(f64::from(cosine), thresholds);
                }
                None => missing.push((key, one)),
            }
        }
        let fits = |(_, one): &&(u64, Unjudged<'_>)| {
            let rest = left.checked_sub(one.text.len());
            *left = rest.unwrap_or_default();
            rest.is_some()
        };
        let count = missing.iter().take_while(fits).count();
        let mut waiting = missing.split_off(count);
        let mut rest = missing.into_iter();
        loop {
            let some: Vec<_> = rest.by_ref().take(AT_ONCE).collect();
            let passages: Vec<_> = some.iter().map(|(_, one)| embed::passage(&one.text)).collect();
            let passages: Vec<&str> = passages.iter().map(|passage| &**passage).collect();
            if some.is_empty() {
                break;
            }
            let Ok(vectors) = embedder.embed(TextRole::Passage, &passages, &mut |_| ()) else {
                waiting.extend(some.into_iter().chain(rest));
                break;
            };
            for ((key, one), vector) in some.into_iter().zip(vectors) {
                let vector = Vector::quantize(&vector);
                let cosine = query.cosine(&vector.numbers, vector.scale);
                one.candidate.set_model(f64::from(cosine), thresholds);
                if let Some(store) = stores.get_mut(one.at.store) {
                    store.made.fresh.insert(key, vector);
                }
            }
        }
        for (key, one) in waiting {
            if let Some(store) = stores.get_mut(one.at.store) {
                let waiting = &mut store.made.waiting;
                if waiting.iter().all(|(known, _)| *known != key) {
                    waiting.push((key, embed::passage(&one.text).into_owned()));
                }
            }
        }
    }

    /// Returns the space of the chosen model, and for each store what its index lacks of it.
    pub fn made(self) -> Option<((u64, usize), Vec<Made>)> {
        let Chosen { embedder, stores, .. } = self.chosen?;
        let made = |store: Embedded| {
            let recent = store.recent.map_or(0, |recent| recent.len());
            Made { recent, ..store.made }
        };
        Some((embedder.model().space(), stores.into_iter().map(made).collect()))
    }
}

impl Chosen {
    /// Starts a model, and opens the vectors that the indexes have of it.
    fn open(searched: EmbeddedSearch<'_>, name: &str, pace: Pace) -> Result<Self, Unavailable> {
        let EmbeddedSearch { memory, stores, corpora } = searched;
        let embedder = ready(memory, name, Some(memory.config.settings.embedding.deadline))?;
        let space = embedder.model().space();
        let embedded = |(store, corpus): (usize, &Corpus)| {
            let dir = dir(memory, stores, store);
            let views = corpus.vectors(dir.as_ref(), space);
            Embedded { dir, views, ..Embedded::default() }
        };
        let stores = corpora.iter().enumerate().map(embedded).collect();
        // To read a document anew takes about as long as to embed a byte.
        let unindexed: u64 = corpora.iter().map(Corpus::unindexed).sum();
        let left = pace.bytes().saturating_sub(usize::try_from(unindexed).unwrap_or(usize::MAX));
        Ok(Self { embedder, query: Vector::default(), stores, left })
    }
}

/// What is searched.
#[derive(Clone, Copy)]
pub struct EmbeddedSearch<'a> {
    pub memory: &'a Memory,
    pub stores: &'a [Store],
    pub corpora: &'a [Corpus],
}

/// Returns the vectors of all segments by the table, stored in the directories of the stores' indexes
/// or made now, and for each store whether its index lacks some.
fn by_table(
    EmbeddedSearch { stores, corpora, .. }: EmbeddedSearch<'_>,
    dir: impl Fn(usize) -> Option<Cache>,
) -> (Vec<Vectors>, Vec<bool>) {
    let mut texts = Texts::new(stores, corpora);
    let (mut all, mut lacking) = (Vec::new(), Vec::new());
    for (store, corpus) in corpora.iter().enumerate() {
        let dir = dir(store);
        let mut views = corpus.vectors(dir.as_ref(), table::model().space());
        let scanned = views.len().saturating_sub(1);
        let mut lacks = false;
        for (segment, (view, documents)) in views.iter_mut().zip(corpus.segments()).enumerate() {
            let text = |number| {
                let at = DocRef { store, segment, number };
                let document = IndexedDocument::find(corpora, at)?;
                let text = texts.of(&document);
                Some((u64::from(number), embed::passage(&text.searched()).into_owned()))
            };
            let missing = missing(view, documents);
            let missing: Vec<IndexText> = missing.into_iter().filter_map(text).collect();
            lacks |= segment < scanned && !missing.is_empty();
            for ((number, _), vector) in missing.iter().zip(index::embed_all(&missing)) {
                view.supply(u32::try_from(*number).unwrap_or(u32::MAX), vector);
            }
        }
        all.extend(views);
        lacking.push(lacks);
    }
    (all, lacking)
}

/// Returns the documents of a segment that have no vector.
fn missing(view: &Vectors, documents: &dyn Segment) -> Vec<u32> {
    let alive = documents.alive().iter().cloned().flatten();
    alive.filter(|number| view.lacks(*number)).collect()
}

fn dir(memory: &Memory, stores: &[Store], store: usize) -> Option<Cache> {
    memory.cache_dir(stores.get(store)?)
}

pub fn name(memory: &Memory) -> String {
    built_in::resolve(&memory.config.settings.embedding.model)
}

/// Value of the setting that disables vectors.
pub const NONE: &str = "none";

/// Returns which vectors an index keeps, by the settings.
pub fn kept(memory: &Memory) -> KeptVectors {
    let name = &name(memory);
    let model = (name != NONE && name != table::NAME).then(|| described(memory, name)).flatten();
    KeptVectors { table: name != NONE, model: model.map(|model| model.space()) }
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
    Failure::new(FailureKind::Io, why.0, "pimem model status says more")
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
