//! Export of entries, notes and vectors in the formats of other programs.

use crate::memory::handles::Reading;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use pimem_core::{
    embed::{
        self,
        catalog::{self, Embedder, Model, Unavailable},
        table,
        vector::Vector,
    },
    exchange::{ExchangeFile, ExchangeItem, agents, claude, jsonl, pi},
    gate::{self, Withheld, WithheldCounts},
    markdown::topic,
    model::hash::pi32,
    safety::safe_text,
    score::ranking::{Ranking, ScoredEntry},
    search::documents::{SourceKind, category_name, documents},
    search::learned_questions::LearnedQuestions,
};
use serde::Serialize;

use super::{Answer, Memory, WriteTarget, problems, score, selector, telemetry};
use crate::{
    error::{Failure, FailureKind},
    index::{
        corpus, manifest,
        vectors::{self, KnownVectors},
    },
    local_time,
    memory::{
        background::{self, Refresh, Stale},
        model,
        search::embedding,
    },
    models::built_in,
    store::{
        Store,
        atomic::{self, Sync},
        discover,
        foreign_store::{self, ForeignReader, Holdings},
        notes, provenance,
        read::{self, ReadProblem},
    },
};

struct Held {
    store: Option<Store>,
    items: Vec<ExchangeItem>,
    ranking: Ranking,
    left_out: WithheldCounts,
    problems: Vec<read::ReadProblem>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExportExtent {
    /// Those that an agent may be told.
    #[default]
    Given,
    /// All, each with the reason why it is withheld, and with secrets masked.
    All,
}

#[derive(Debug, Clone)]
pub enum ExportFormat {
    /// Entries with their evidence, one JSON object per line; `None` returns the text.
    Jsonl(Option<PathBuf>),
    Pi(PathBuf),
    PiMemory(PathBuf),
    Claude(PathBuf),
    /// A Markdown block; `None` returns the text.
    Agents(Option<PathBuf>),
}

#[derive(Debug)]
pub enum Output<V> {
    Files(V),
    /// Not written; the exported text.
    Text(String),
}

impl Reading<'_> {
    /// Exports the entries or notes of one store. Those that are left out are counted in a note.
    ///
    /// # Errors
    /// Fails if the output exists and may not be replaced, or cannot be written.
    pub fn export(
        self,
        format: &ExportFormat,
        extent: ExportExtent,
    ) -> Result<Answer<Output<Exported>>, Failure> {
        match format {
            ExportFormat::Jsonl(output) => jsonl(self.memory, output.as_deref(), extent),
            ExportFormat::Pi(output) => pi(self.memory, output, extent),
            ExportFormat::PiMemory(output) => pi_memory(self.memory, output, extent),
            ExportFormat::Claude(output) => claude(self.memory, output, extent),
            ExportFormat::Agents(output) => agents(self.memory, output.as_deref(), extent),
        }
    }

    /// Exports the vectors of all entries as JSON, to a file if one is named. Missing vectors are
    /// computed. Also returns the indices that should store the new vectors.
    /// Fails if no model is chosen, the model cannot run, or the file cannot be written.
    pub fn export_vectors(
        self,
        output: Option<&Path>,
    ) -> Result<(Answer<Output<ExportedVectors>>, Vec<Stale>), Failure> {
        let model = chosen(self.memory)?;
        if let Some(path) = output {
            selector::writable_file(path, STDOUT)?;
        }
        let mut embedder: Option<Box<dyn Embedder>> = None;
        let mut all = BTreeMap::new();
        let (mut stale, mut problems) = (Vec::new(), Vec::new());
        for store in self.memory.readers()? {
            let (texts, unread) = entries(self.memory, &store);
            problems.extend(unread);
            let dir = self.memory.cache_dir(&store).filter(|_| model.id != table::NAME);
            let mut known = dir
                .map(|dir| corpus::known_vectors(&dir, (model.key(), model.dimension)))
                .unwrap_or_default();
            let made = missing(self.memory, &model, &texts, &mut known, &mut embedder)?;
            all.extend(texts.into_keys().filter_map(|key| Some((key, known.remove(&key)?))));
            if !made.is_empty() {
                let fresh = Some((model.space(), made));
                stale.push(Stale { fresh, ..Stale::of(&store, Refresh::Nothing) });
            }
        }
        let text = object(&all);
        let view = match output {
            None => Output::Text(text),
            Some(path) => {
                atomic::write_output(path, text.as_bytes(), Sync::None, self.memory.real_now)?;
                Output::Files(ExportedVectors {
                    model: model.id,
                    dimension: model.dimension,
                    exported: all.len(),
                    file: path.display().to_string(),
                })
            }
        };
        Ok((Answer { view, problems }, stale))
    }
}

type Written = Answer<Output<Exported>>;

/// Files with their paths relative to a directory.
type Tree = Vec<(String, Vec<u8>)>;

fn jsonl(memory: &Memory, output: Option<&Path>, extent: ExportExtent) -> Result<Written, Failure> {
    output.map_or(Ok(()), |path| selector::writable_file(path, STDOUT))?;
    let held = hold(memory, extent, |_| true)?;
    let text: String =
        held.items.iter().flat_map(|item| [jsonl::render(item), "\n".into()]).collect();
    one(memory, "jsonl", held, output, text.as_bytes())
}

fn agents(
    memory: &Memory,
    output: Option<&Path>,
    extent: ExportExtent,
) -> Result<Written, Failure> {
    output.map_or(Ok(()), |path| selector::writable_file(path, STDOUT))?;
    let mut held = hold(memory, extent, |_| true)?;
    harmless(&mut held);
    let block = agents::render(&held.items, &memory.config.categories);
    let Some(path) = output else { return one(memory, "agents", held, None, block.as_bytes()) };
    let hint = "--output names a file of markdown, as AGENTS.md";
    let page =
        if path.exists() { selector::named_file(path, read::MAX_FILE, hint)? } else { Vec::new() };
    let page = agents::insert(&page, &block).map_err(|why| {
        let message = format!("{}: {why}", path.display());
        Failure::new(FailureKind::Refused, message, "repair the block, or take it out")
    })?;
    one(memory, "agents", held, output, &page)
}

fn claude(memory: &Memory, output: &Path, extent: ExportExtent) -> Result<Written, Failure> {
    let mut held = hold(memory, extent, |_| true)?;
    say_beside(&mut held);
    let files = tree_of(claude::render(&held.items));
    tree("claude", held, output, &files)
}

fn pi(memory: &Memory, output: &Path, extent: ExportExtent) -> Result<Written, Failure> {
    // pi supports forgotten entries, but neither expiry nor supersession.
    let held = hold(memory, extent, |row| !row.expired && row.superseded_by.is_none())?;
    let mut files = tree_of(pi::render(&held.items));
    let accesses = memory.accesses(&memory.readers()?);
    let key = |row: &ScoredEntry| {
        let name = &memory.config.categories.spec(row.entry.category).name;
        format!("{:08x}", pi32(&topic::canonical(name, &row.entry.text)))
    };
    let scores = score::snapshot(memory, &held.ranking, key, |row| {
        telemetry::of_entry(&accesses, row.entry.id, None)
    });
    files.push(("memory-scores.json".to_owned(), scores.into_bytes()));
    tree("pi", held, output, &files)
}

fn pi_memory(memory: &Memory, output: &Path, extent: ExportExtent) -> Result<Written, Failure> {
    let mut held = hold(memory, extent, |_| true)?;
    say_beside(&mut held);
    let mut files = Tree::new();
    let page = |held: &mut Held, name: &str| match held.store.as_ref().map(|s| s.file(name)) {
        Some(Ok(Some(bytes))) if extent == ExportExtent::All => Some(bytes),
        Some(Ok(Some(bytes))) => {
            let store = held.store.clone()?.strict();
            let told = store.trust.told(&String::from_utf8_lossy(&bytes)).into_owned();
            memory.shows_notes(&store, name).then(|| told.into_bytes())
        }
        Some(Err(problem)) => {
            held.problems.push(problem);
            None
        }
        _ => None,
    };
    let notes = page(&mut held, notes::NOTES).unwrap_or_default();
    let rendered = pi::render_notes(&notes, &held.items);
    if !rendered.is_empty() {
        files.push((notes::NOTES.to_owned(), rendered));
    }
    let dir = held.store.as_ref().map(|store| store.dir.clone()).unwrap_or_default();
    let logs = read::markdown_names(&dir, &dir.join("daily")).unwrap_or_else(|problem| {
        held.problems.push(problem);
        Vec::new()
    });
    let logs = logs.iter().map(|name| format!("daily/{name}"));
    for name in std::iter::once(notes::SCRATCHPAD.to_owned()).chain(logs) {
        if let Some(bytes) = page(&mut held, &name) {
            files.push((name, bytes));
        }
    }
    tree("pi-memory", held, output, &files)
}

fn tree_of(files: Vec<ExchangeFile>) -> Tree {
    files.into_iter().map(|file| (file.name, file.text.into_bytes())).collect()
}

/// Says where each text counts, and removes characters that could mislead an agent, because agents
/// read these texts unchanged.
fn harmless(held: &mut Held) {
    say_beside(held);
    for item in &mut held.items {
        item.text = safe_text::model(&item.text).into_owned();
    }
}

/// Appends to the texts why they are withheld otherwise, and where they count, for formats without
/// fields for that.
fn say_beside(held: &mut Held) {
    for ExchangeItem { text, withheld, rules, .. } in &mut held.items {
        text.extend(withheld.iter().map(|state| format!(" ({state})")));
        text.extend(rules.told_places().map(|place| format!(" *(place: {place})*")));
    }
}

pub fn reader(memory: &Memory) -> ForeignReader<'_> {
    ForeignReader {
        now: memory.now,
        categories: &memory.config.categories,
        day: local_time::ending,
    }
}

/// Returns the entries of the store that `add` would write to, so that the user's entries do not
/// get into a project's files. `fits` says what the format can express.
fn hold(
    memory: &Memory,
    extent: ExportExtent,
    fits: impl Fn(&ScoredEntry) -> bool,
) -> Result<Held, Failure> {
    let WriteTarget { dir, .. } = memory.target()?;
    let store = memory.readers()?.into_iter().find(|store| store.dir == dir);
    let held = store.as_ref().map(|store| store.holdings(reader(memory)));
    let Holdings { mut items, left, snapshot } = held.unwrap_or_default();
    memory.note_own(provenance::LIMIT, store.as_slice(), std::slice::from_ref(&snapshot));
    for left in left {
        memory.notices.note(&format!("Left out: {}: {}", left.place, left.reason));
    }
    let placed = |store| (snapshot.placed(store, &memory.config.categories), &snapshot.ledger);
    let placed = store.iter().map(placed).collect();
    let mut ranking = Ranking::new(memory.now, memory.rules(), placed);
    let wanted =
        |row: &ScoredEntry| fits(row) && (extent == ExportExtent::All || row.withheld().is_none());
    let out = || ranking.rows.iter().filter(|row| !wanted(row));
    let unreviewed = memory.unreviewed(store.as_slice(), out().map(|row| &row.entry));
    memory.say_left_out(&unreviewed);
    let (mut left_out, mut said) = (WithheldCounts::default(), WithheldCounts::default());
    for why in out().filter_map(ScoredEntry::withheld) {
        left_out.add(why);
        if why != Withheld::Unreviewed {
            said.add(why);
        }
    }
    if !said.is_empty() {
        let all = if extent == ExportExtent::All { "" } else { "; --all exports them too" };
        memory.notices.note(&format!("Left out: {}{all}", said.in_words()));
    }
    ranking.rows.retain(|row| wanted(row));
    let kept: BTreeMap<(&str, usize), Option<Withheld>> = ranking
        .rows
        .iter()
        .map(|row| ((row.entry.topic.as_str(), row.entry.line), row.withheld()))
        .collect();
    items.retain_mut(|item| {
        let place = item.place.strip_prefix("topics/").and_then(|place| place.split_once(".md:"));
        let place = place.and_then(|(topic, line)| Some((topic, line.parse().ok()?)));
        let Some(why) = place.and_then(|place| kept.get(&place)) else { return false };
        item.withheld = why.map(Withheld::state);
        if matches!(why, Some(Withheld::Secret(_) | Withheld::Unreviewed)) {
            item.text = gate::masked(&item.text).into_owned();
        }
        true
    });
    let problems = problems(std::slice::from_ref(&snapshot));
    Ok(Held { store, items, ranking, left_out, problems })
}

/// Hint for using standard output instead of a file.
const STDOUT: &str = "without --output, it goes to standard output";

/// Writes one file, or returns the text if there is no output path.
fn one(
    memory: &Memory,
    format: &'static str,
    held: Held,
    output: Option<&Path>,
    bytes: &[u8],
) -> Result<Written, Failure> {
    let Some(path) = output else {
        let view = Output::Text(String::from_utf8_lossy(bytes).into_owned());
        return Ok(Answer { view, problems: held.problems });
    };
    // A link is kept, such as one from CLAUDE.md to AGENTS.md.
    let target = discover::real(path);
    atomic::write_output(&target, bytes, Sync::None, memory.real_now)?;
    Ok(written(format, held, path, 1))
}

/// Writes files into an empty or new directory, so that nothing is overwritten.
fn tree(format: &'static str, held: Held, dir: &Path, files: &Tree) -> Result<Written, Failure> {
    let taken =
        dir.exists() && std::fs::read_dir(dir).map_or(true, |mut found| found.next().is_some());
    if taken {
        let message = format!("{} is not an empty directory", dir.display());
        return Err(Failure::new(
            FailureKind::Usage,
            message,
            "name one that is empty or not there yet",
        ));
    }
    foreign_store::write_tree(dir, files)?;
    Ok(written(format, held, dir, files.len()))
}

fn written(format: &'static str, held: Held, output: &Path, files: usize) -> Written {
    let (exported, output) = (held.items.len(), output.display().to_string());
    let left_out = held.left_out;
    let view = Output::Files(Exported { format, exported, files, output, left_out });
    Answer { view, problems: held.problems }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Exported {
    pub format: &'static str,
    pub exported: usize,
    pub files: usize,
    /// Path of the output.
    pub output: String,
    /// Number of entries left out because no agent is told them, by their state.
    #[serde(skip_serializing_if = "WithheldCounts::is_empty")]
    pub left_out: WithheldCounts,
}

documents! {
    Exported: "pimem.export-memories/1",
}

/// Returns the chosen model, which need not be able to run.
pub(in crate::memory) fn chosen(memory: &Memory) -> Result<Model, Failure> {
    match model::in_force(memory).as_str() {
        embedding::NONE => {
            let hint = "pimem model use static chooses the built-in model";
            Err(Failure::new(
                FailureKind::Refused,
                "embedding.model is none: there are no vectors",
                hint,
            ))
        }
        table::NAME => Ok(table::model()),
        name if built_in::is_it(name) => {
            built_in::describe().map(|(model, _)| model).map_err(embedding::failure)
        }
        name if catalog::of_ollama(name).is_some() => {
            let known = embedding::remote(memory, name).and_then(|remote| remote.known());
            let why = format!("the model {name} was never asked (pimem rebuild does it)");
            known.ok_or_else(|| embedding::failure(Unavailable(why)))
        }
        name => {
            let manifest = memory.models()?.manifest(name);
            manifest.map(|manifest| manifest.model).map_err(|why| {
                let mut failure = model::unknown(name, why.0);
                failure.hints.push("vectors belong to an installed model's very files".to_owned());
                failure
            })
        }
    }
}

/// Returns the embedded texts of a store's entries, by key.
pub(in crate::memory) fn entries(
    memory: &Memory,
    store: &Store,
) -> (BTreeMap<u64, String>, Vec<ReadProblem>) {
    let categories = &memory.config.categories;
    // What was learned of questions leaves this machine in no form.
    let known = (categories, &LearnedQuestions::default());
    let (sources, mut problems) = manifest::sources(store);
    problems.retain(|problem| problem.path.starts_with(store.topics_dir()));
    let mut found = BTreeMap::new();
    for source in sources.iter().filter(|source| source.kind == SourceKind::Topic) {
        match store.file(&source.name) {
            Ok(Some(bytes)) => {
                documents(source.kind, &source.name, bytes, known, |doc, text, _| {
                    let text = text.searched();
                    let key = vectors::key(category_name(categories, doc.category), &text);
                    found.insert(key, embed::passage(&text).into_owned());
                });
            }
            Ok(None) => {}
            Err(problem) => problems.push(problem),
        }
    }
    (found, problems)
}

/// Computes missing vectors, and returns those worth storing.
fn missing(
    memory: &Memory,
    model: &Model,
    texts: &BTreeMap<u64, String>,
    known: &mut KnownVectors,
    embedder: &mut Option<Box<dyn Embedder>>,
) -> Result<KnownVectors, Failure> {
    let missing: Vec<(u64, &str)> = texts
        .iter()
        .filter(|(key, _)| !known.contains_key(key))
        .map(|(key, text)| (*key, text.as_str()))
        .collect();
    if missing.is_empty() {
        return Ok(KnownVectors::default());
    }
    let cannot = || embedding::failure(Unavailable(format!("the model {} cannot serve", model.id)));
    let embedder = match embedder {
        Some(embedder) => embedder,
        none => none.insert(embedding::embedder(memory, &model.id)?.ok_or_else(cannot)?),
    };
    let mut made = KnownVectors::default();
    let mut progress = memory.notices.progress("embedding");
    background::make_vectors(embedder.as_mut(), &missing, &mut progress, &mut |some| {
        made.extend(some);
    })
    .map_err(embedding::failure)?;
    known.extend(made.iter().map(|(key, vector)| (*key, vector.clone())));
    // Vectors of the built-in model are fast to compute, so they are not stored.
    Ok(if model.id == table::NAME { KnownVectors::default() } else { made })
}

/// Returns the JSON document, with one vector per line.
fn object(vectors: &BTreeMap<u64, Vector>) -> String {
    let line = |(key, vector): (&u64, &Vector)| {
        let numbers = serde_json::to_string(&vector.unit()).unwrap_or_default();
        format!("\n\"{key:016x}\":{numbers}")
    };
    let lines: Vec<String> = vectors.iter().map(line).collect();
    format!("{{{}\n}}\n", lines.join(","))
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExportedVectors {
    pub model: String,
    pub dimension: usize,
    pub exported: usize,
    pub file: String,
}

documents! {
    ExportedVectors: "pimem.export/1",
}
