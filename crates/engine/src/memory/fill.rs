//! Embeds what the chosen model has not embedded yet: when a store is rebuilt, or in the background
//! while a person or an agent goes on.

use std::time::Duration;

use super::{
    Memory, background,
    search::{
        embedding,
        segments::{DocRef, IndexedDocument},
        texts::Texts,
    },
};
use crate::{
    error::Failure,
    index::{
        self,
        container::Cache,
        corpus::{self, Corpus},
        vector_files,
        vectors::{self, KnownVectors},
    },
    models::built_in,
    process,
    store::{Store, lock::StoreLock},
};
use pimem_core::{
    embed::{
        self,
        catalog::{self, Embedder, TextRole, Unavailable},
        table,
        vector::Vector,
    },
    model::hash::IdSet,
    search::{bm25::Query, documents::category_name},
};

/// Flag by which `pimem rebuild` recognises the background process.
pub const FLAG: &str = "--vectors-only";
/// Time limit of the background process.
const LIMIT: Duration = Duration::from_mins(1);
/// Number of texts after which what was made is kept.
const BATCH: usize = 32;
/// Name of the file whose lock the process holds that fills an index.
const LOCK: &str = "embedding";

/// What the chosen model has embedded of a store.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filled {
    /// Number of texts with a vector.
    pub kept: usize,
    /// Number of texts without one.
    pub missing: usize,
    /// Why the model cannot serve.
    pub trouble: Option<Unavailable>,
}

/// When a rebuild has the chosen model embed what it lacks.
pub enum When {
    /// At once, within this time.
    Now(Option<Duration>),
    /// In a process beside it.
    Later,
    Never,
}

/// Returns when what is missing is embedded. Who has installed a model waits for it.
pub fn when(memory: &Memory) -> When {
    let is_on = memory.config.settings.embedding.background && memory.env.text("CI").is_none();
    let is_background = memory.env.text("PIMEM_UNASKED").is_some();
    let name = embedding::name(memory);
    match (built_in::is_it(&name), is_on, is_background) {
        // What hooks start opens no socket.
        (false, _, true) if catalog::of_ollama(&name).is_some() => When::Never,
        (false, ..) | (true, false, false) => When::Now(None),
        (true, true, false) => When::Later,
        (true, true, true) => When::Now(Some(LIMIT)),
        (true, false, true) => When::Never,
    }
}

/// Starts a process that embeds what is missing in the stores.
pub fn start(memory: &Memory) {
    if !matches!(when(memory), When::Later) {
        return;
    }
    if let Err(failure) = background::start(memory, &["rebuild", FLAG, "--quiet"], None) {
        memory.notices.detail(&failure.message);
    }
}

impl Memory {
    /// Embeds what the chosen model lacks, with little priority and for at most a minute. Does
    /// nothing in a store for which another process does it.
    ///
    /// # Errors
    /// Fails if the named store does not exist.
    pub fn embed_missing(&self) -> Result<(), Failure> {
        let When::Now(Some(_)) = when(self) else { return Ok(()) };
        process::yield_to_others();
        let Some(mut model) = embedding::within(self, Some(LIMIT)) else { return Ok(()) };
        for store in self.readers()?.into_iter().chain(self.mirrors()) {
            if let Some(why) = fill(self, &store, Some(borrowed(&mut model))).trouble {
                self.notices.detail(&why.0);
            }
        }
        Ok(())
    }
}

/// Borrows a model, or says why it cannot serve.
pub fn borrowed(
    model: &mut Result<Box<dyn Embedder>, Unavailable>,
) -> Result<&mut (dyn Embedder + 'static), Unavailable> {
    model.as_mut().map(AsMut::as_mut).map_err(|why| why.clone())
}

/// The different texts of a store that a model embeds.
struct Survey {
    count: usize,
    /// Those without a vector, by the key of their text.
    missing: Vec<(u64, String)>,
}

fn survey(memory: &Memory, store: &Store, dir: &Cache, space: Option<(u64, usize)>) -> Survey {
    let query = Query::new("");
    let categories = &memory.config.categories;
    let corpora = [Corpus::open(store, Some(dir), &query, categories)];
    let known = space.map(|space| corpus::known_vectors(dir, space)).unwrap_or_default();
    let mut texts = Texts::new(std::slice::from_ref(store), &corpora);
    let mut found = Survey { count: 0, missing: Vec::new() };
    let mut seen = IdSet::default();
    for (segment, documents) in corpora.iter().flat_map(Corpus::segments).enumerate() {
        for number in documents.alive().iter().cloned().flatten() {
            let at = DocRef { store: 0, segment, number };
            let document = IndexedDocument::find(&corpora, at);
            let Some(document) = document.filter(|document| document.kind.is_embedded()) else {
                continue;
            };
            let text = texts.of(&document);
            let category = category_name(categories, document.doc.category);
            let key = vectors::key(category, &text);
            if !seen.insert(key) {
                continue;
            }
            found.count += 1;
            if !known.contains_key(&key) {
                found.missing.push((key, embed::passage(&text).into_owned()));
            }
        }
    }
    found
}

/// Embeds the texts of a store that the chosen model has not embedded, if it can serve, and takes
/// the vectors over into the index. What was made is kept if the model fails or the process is
/// killed.
pub fn fill(
    memory: &Memory,
    store: &Store,
    model: Option<Result<&mut (dyn Embedder + 'static), Unavailable>>,
) -> Filled {
    let Some(dir) = memory.cache_dir(store) else { return Filled::default() };
    if [embedding::NONE, table::NAME].contains(&embedding::name(memory).as_str()) {
        return Filled::default();
    }
    let space = embedding::kept(memory).model;
    let Survey { count, missing } = survey(memory, store, &dir, space);
    let lock = StoreLock::try_acquire(&dir.join(LOCK));
    let (mut done, mut trouble) = (0, None);
    match model.filter(|_| lock.is_some() && !missing.is_empty()) {
        Some(Ok(model)) => {
            let space = model.model().space();
            let mut progress = memory.notices.progress("embedding");
            let mut full = None;
            let texts: Vec<(u64, &str)> =
                missing.iter().map(|(key, text)| (*key, &**text)).collect();
            let made = make(model, &texts, &mut progress, &mut |some| {
                done += some.len();
                full = full.take().or(vector_files::append_recent(&dir, space, &some).err());
            });
            let full = full.map(|error| Unavailable(format!("cannot keep vectors: {error:#}")));
            trouble = made.err().or(full);
        }
        Some(Err(why)) => trouble = Some(why),
        None => {}
    }
    if done > 0 {
        let (when, kept) = (memory.real_now, embedding::kept(memory));
        let categories = &memory.config.categories;
        let taken = index::refresh(store, &dir, categories, when, false, kept, &mut |_, _| ());
        if let Err(error) = taken {
            memory.notices.detail(&format!("index not refreshed: {error:#}"));
        }
    }
    let missing = missing.len().saturating_sub(done);
    Filled { kept: count - missing, missing, trouble }
}

/// Embeds texts, each given with its key. Calls `keep` with the vectors of some at a time; what was
/// made before the model failed is kept too.
pub fn make(
    model: &mut dyn Embedder,
    texts: &[(u64, &str)],
    progress: &mut dyn FnMut(usize, usize),
    keep: &mut dyn FnMut(KnownVectors),
) -> Result<(), Unavailable> {
    let all = texts.len();
    for (number, batch) in texts.chunks(BATCH).enumerate() {
        let before = number * BATCH;
        let passages: Vec<&str> = batch.iter().map(|(_, text)| *text).collect();
        let made =
            model.embed(TextRole::Passage, &passages, &mut |done| progress(before + done, all))?;
        let made = made.iter().map(|made| Vector::quantize(made));
        keep(batch.iter().map(|(key, _)| *key).zip(made).collect());
    }
    progress(all, all);
    Ok(())
}
