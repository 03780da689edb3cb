//! Work in background processes of this program, which outlive their caller: refreshing stale indexes
//! after a search was answered, and embedding what the chosen model has not embedded yet.

use crate::memory::handles::Modeling;
use std::{
    collections::BTreeSet,
    fs::File,
    process::{Child, Command, Stdio},
    sync::Mutex,
    time::Duration,
};

use anyhow::Context as _;
use pimem_core::{
    embed::{
        self,
        catalog::{self, Embedder, TextRole, Unavailable},
        table,
        vector::Vector,
    },
    model::hash::IdSet,
    search::documents::category_name,
};

use super::{
    Memory,
    search::{
        embedding,
        segments::{DocRef, IndexedDocument, Texts},
    },
    shortlist,
};
use crate::{
    config::env::Env,
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
    store::{Store, StoreLock},
};

/// What was started, so that a caller that lives on does not keep the remains of what has ended.
static STARTED: Mutex<Vec<Child>> = Mutex::new(Vec::new());

/// Returns true if something that was started is running.
pub fn is_busy() -> bool {
    STARTED.lock().is_ok_and(|mut started| {
        started.retain_mut(|child| matches!(child.try_wait(), Ok(None)));
        !started.is_empty()
    })
}

/// Starts this program with arguments, for the same stores. Its output goes to `log`, if given. It
/// inherits no pipe, so that readers of the caller's pipes do not wait for it.
pub fn start(memory: &Memory, args: &[&str], log: Option<File>) -> Result<(), Failure> {
    let program = Env::program().context("cannot find this program itself")?;
    let mut command = Command::new(program);
    command.args(args).current_dir(&memory.places.cwd);
    if let Some(named) = memory.places.named.as_ref().filter(|_| !args.contains(&"--user")) {
        command.arg("--dir").arg(named);
    }
    if let Some(now) = memory.set_clock() {
        command.args(["--now", &now]);
    }
    command.env("PIMEM_UNASKED", "1");
    let errors = log.as_ref().map(File::try_clone).transpose().context("cannot share a log")?;
    let output = |file: Option<File>| file.map_or_else(Stdio::null, Stdio::from);
    command.stdin(Stdio::null()).stdout(output(log)).stderr(output(errors));
    process::unseen(&mut command);
    // A process group of its own, so that it survives the end of the caller's group or terminal.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let child = command.spawn().context("cannot start another process")?;
    if let Ok(mut started) = STARTED.lock() {
        started.push(child);
    }
    Ok(())
}

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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refresh {
    Nothing,
    Changed,
    /// All of it is made again.
    Whole,
}

/// Returns the indexes to refresh: those far behind, and those that lack vectors.
pub fn stale(
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
    if let Err(Unavailable(why)) = make_vectors(model, &texts, &mut |_, _| (), &mut keep) {
        memory.notices.detail(&why);
    }
}

/// Refreshes stale indexes. Errors only cost time in later searches. An agent waits for the end of its
/// hook, and kills it at the deadline: there, a process beside it
/// indexes what changed and embeds what waits.
pub fn refresh(memory: &Memory, stores: Vec<Stale>) {
    let mut model = None;
    let starts = memory.unasked && is_on(memory);
    let embeds_later = starts && matches!(when_to_fill(memory), When::Later);
    let mut later = false;
    for Stale { store, act, fresh, waiting } in stores {
        let Some(dir) = memory.cache_dir(&store) else { continue };
        if let Some(Err(error)) =
            fresh.map(|(space, made)| vector_files::append_recent(&dir, space, &made))
        {
            memory.notices.detail(&format!("vectors not kept: {error:#}"));
        }
        if embeds_later {
            later |= !waiting.is_empty();
        } else if !waiting.is_empty() {
            let limit = memory.config.settings.embedding.deadline;
            let model = model.get_or_insert_with(|| embedding::within(memory, Some(limit)));
            if let Some(Ok(model)) = model {
                make_up(memory, &dir, model.as_mut(), &waiting);
            }
        }
        match act {
            Refresh::Nothing => {}
            Refresh::Changed if starts => later = true,
            act => index(memory, &store, &dir, act == Refresh::Whole),
        }
    }
    if later {
        start_catching_up(memory);
    }
}

fn index(memory: &Memory, store: &Store, dir: &Cache, whole: bool) {
    let mut progress = memory.notices.progress("indexing");
    let (categories, when) = (&memory.config.categories, memory.real_now);
    let kept = embedding::kept(memory);
    let done = index::refresh(store, dir, categories, when, whole, kept, &mut progress);
    if let Err(error) = done.and_then(|_| shortlist::renew(memory, store, dir)) {
        memory.notices.detail(&format!("index not refreshed: {error:#}"));
    }
}

/// Flag by which `pimem rebuild` recognises the background process.
pub const FLAG: &str = "--catch-up";
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
pub fn when_to_fill(memory: &Memory) -> When {
    let name = embedding::name(memory);
    match (built_in::is_it(&name), is_on(memory), is_background(memory)) {
        // What hooks start opens no socket.
        (false, _, true) if catalog::of_ollama(&name).is_some() => When::Never,
        (false, ..) | (true, false, false) => When::Now(None),
        (true, true, false) => When::Later,
        (true, true, true) => When::Now(Some(LIMIT)),
        (true, false, true) => When::Never,
    }
}

fn is_on(memory: &Memory) -> bool {
    memory.config.settings.embedding.background && memory.env.text("CI").is_none()
}

fn is_background(memory: &Memory) -> bool {
    memory.env.text("PIMEM_UNASKED").is_some()
}

/// Starts a process that embeds what is missing in the stores.
pub fn start_filling(memory: &Memory) {
    if matches!(when_to_fill(memory), When::Later) {
        start_catching_up(memory);
    }
}

fn start_catching_up(memory: &Memory) {
    if let Err(failure) = start(memory, &["rebuild", FLAG, "--quiet"], None) {
        memory.notices.detail(&failure.message);
    }
}

impl Modeling<'_> {
    /// Indexes what changed, and embeds what the built-in model lacks, with little priority and for at
    /// most a minute. Does nothing in a store for which another process does it.
    ///
    /// # Errors
    /// Fails if the named store does not exist.
    pub fn catch_up(self) -> Result<(), Failure> {
        let memory = self.memory;
        if !is_on(memory) || !is_background(memory) {
            return Ok(());
        }
        process::yield_to_others();
        let embeds = matches!(when_to_fill(memory), When::Now(Some(_)));
        let mut model = embeds.then(|| embedding::within(memory, Some(LIMIT))).flatten();
        for store in memory.readers()?.into_iter().chain(memory.sharing().mirrors()) {
            if let Some(dir) = memory.cache_dir(&store) {
                index(memory, &store, &dir, false);
            }
            let Some(model) = &mut model else { continue };
            if let Some(why) = fill(memory, &store, Some(borrowed(model))).trouble {
                memory.notices.detail(&why.0);
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
    let categories = &memory.config.categories;
    let corpora = [Corpus::open(store, Some(dir), &BTreeSet::new(), categories)];
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
            let text = text.searched();
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
            let made = make_vectors(model, &texts, &mut progress, &mut |some| {
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
pub fn make_vectors(
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
