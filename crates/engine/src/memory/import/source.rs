//! Reads the files of other programs for an import, and vectors that another program computed.

use crate::memory::handles::Writing;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Component, Path, PathBuf},
};

use pimem_core::{
    embed::{catalog::Model, table, vector::Vector},
    exchange::{ExchangeItem, LeftLine, Parsed, agents, claude, jsonl, pi::Piece},
    model::{entry::EntryId, event::EventKind, hash::IdSet},
    score::ranking::{self, LocatedEntry, Scope},
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{Fate, From, Lines, Taken, history, note};
use crate::{
    error::{Failure, FailureKind},
    index::{self, vector_files, vectors::KnownVectors},
    memory::{Answer, Memory, export, intake::NewText, review, search::embedding, selector},
    store::{
        Store, discover, evidence,
        foreign_store::{Holdings, Pages},
        git, notes,
        read::{self, ReadProblem},
        transaction::Txn,
    },
};

/// Maximum size in bytes of a file of entries.
const MAX: u64 = 256 << 20;
/// Paths of a store below the named directory.
const STORES: [&str; 3] = ["", ".pi/memory", ".pi/agent/memory"];
/// Hint with the expected files.
const AGENTS: &str = "give the AGENTS.md or CLAUDE.md of a project";
/// Hint with the location of Claude Code's memories.
const CLAUDE: &str = "Claude Code's memories are in ~/.claude/projects/PROJECT/memory";

#[derive(Debug, Default)]
pub(super) struct ImportSource {
    pub(super) format: &'static str,
    pub(super) found: Parsed,
    /// Long-term notes and logs, by their name in a store.
    pub(super) pages: Vec<(String, Vec<Piece>)>,
    pub(super) tasks: Vec<String>,
    pub(super) problems: Vec<ReadProblem>,
    /// True if others may have written it, so that agents see it only after a review.
    pub(super) waits: bool,
    /// The sources that are read whole: what was taken from them before and is there no longer, they
    /// state no longer.
    pub(super) stated: BTreeSet<String>,
}

pub(super) fn read(memory: &Memory, from: &From) -> Result<ImportSource, Failure> {
    match from {
        From::Jsonl(lines) => self::lines(lines),
        From::Pi(path) => pi(memory, path),
        From::PiMemory(dir) => pi_memory(memory, dir),
        From::Claude(dir) => {
            is_dir(dir, CLAUDE)?;
            let mut pages = Pages::default();
            pages.folder(dir, "");
            let found = claude::read(&pages.files, &memory.config.categories);
            Ok(with(ImportSource { format: "claude", found, ..ImportSource::default() }, pages))
        }
        From::Agents(files) => of_agents(memory, files),
        From::History(request) => history::of_project(memory, request),
    }
}

fn of_agents(memory: &Memory, files: &[PathBuf]) -> Result<ImportSource, Failure> {
    let mut pages = Pages::default();
    let mut waits = false;
    for path in files {
        let place = memory.places.cwd.join(path);
        let root = place.parent().and_then(|dir| memory.places.work_tree(dir));
        waits |= root.is_some_and(git::is_clone);
        let bytes = selector::named_file(path, read::MAX_FILE, AGENTS)?;
        pages.page(&path.display().to_string(), bytes);
    }
    let mut source = ImportSource { format: "agents", waits, ..ImportSource::default() };
    let mut at = 0;
    while let Some(page) = pages.files.get(at) {
        at += 1;
        let found = agents::read(&page.name, &page.text, &memory.config.categories);
        let stated = stated_in(memory, &page.name);
        source.found.items.extend(found.items.into_iter().map(|item| {
            // An import of the same file later knows by that what it had.
            ExchangeItem { source: Some(stated.clone()), ..item }
        }));
        source.stated.insert(stated);
        source.found.left.extend(found.left);
        let dir = Path::new(&page.name).parent().unwrap_or(Path::new("")).to_path_buf();
        for (place, name) in found.included {
            let reason = include(memory, &mut pages, &dir, &name).err();
            source.found.left.extend(reason.map(|reason| LeftLine { place, reason }));
        }
    }
    Ok(with(source, pages))
}

/// Returns the source of what a page states, the same from every directory of a project.
fn stated_in(memory: &Memory, name: &str) -> String {
    let place = memory.places.cwd.join(name);
    let root = memory.places.work_tree(&memory.places.cwd);
    let below = root.and_then(|root| discover::below(root, &place));
    format!("stated in {}", below.unwrap_or_else(|| name.to_owned()))
}

/// Most pages that are read, with those that they include.
const PAGES: usize = 100;

/// Adds a file that a page in `dir` includes, unless it is there. Fails with the reason why it is not
/// read.
fn include(memory: &Memory, pages: &mut Pages, dir: &Path, name: &str) -> Result<(), String> {
    let is_below = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    if !is_below {
        return Err(
            "it names a file outside of its directory, which can be imported by itself".into()
        );
    }
    let shown = dir.join(name).display().to_string();
    if pages.files.iter().any(|page| page.name == shown) {
        return Ok(());
    }
    if pages.files.len() >= PAGES {
        return Err(format!("more than {PAGES} files include one another"));
    }
    let root = memory.places.cwd.join(dir);
    match read::file(&root, &root.join(name), read::MAX_FILE) {
        Ok(Some(bytes)) => pages.page(&shown, bytes),
        Ok(None) => return Err(format!("there is no file {shown}")),
        Err(problem) => pages.problems.push(problem),
    }
    Ok(())
}

/// Adds the unused pages and problems to a source.
fn with(mut source: ImportSource, pages: Pages) -> ImportSource {
    source.found.left.extend(pages.left);
    source.problems.extend(pages.problems);
    source
}

fn lines(lines: &Lines) -> Result<ImportSource, Failure> {
    let (text, from) = match lines {
        Lines::Text(text) => (text.clone(), "standard input".to_owned()),
        Lines::File(path) => {
            let bytes = selector::named_file(path, MAX, "give what pimem export jsonl wrote")?;
            let text = String::from_utf8(bytes).map_err(|error| {
                let at = error.utf8_error().valid_up_to();
                let message = format!("{} is not UTF-8 (byte {at})", path.display());
                Failure::new(FailureKind::Refused, message, "convert it first, as with iconv")
            })?;
            (text, path.display().to_string())
        }
    };
    let items = jsonl::parse(&text).map_err(|(number, wrong)| {
        let message = format!("line {number} of {from}: {}", wrong.message);
        Failure::new(FailureKind::Refused, message, wrong.hint)
    })?;
    let found = Parsed { items, ..Parsed::default() };
    Ok(ImportSource { format: "jsonl", found, ..ImportSource::default() })
}

fn pi(memory: &Memory, path: &Path) -> Result<ImportSource, Failure> {
    let hint = "give the directory that holds topics/, as .pi/memory of a project";
    let store = |dir: &Path| memory.store(dir.to_path_buf(), Scope::Project);
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let (held, only) = if path.is_dir() {
        let dirs = STORES.map(|below| path.join(below));
        let dir = dirs.iter().find(|dir| dir.join("topics").is_dir()).ok_or_else(|| {
            let message = format!("there is no store in {}", path.display());
            Failure::new(FailureKind::Usage, message, hint)
        })?;
        memory.places.check_below(path, dir).map_err(|away| Failure::from(&away))?;
        (store(dir).holdings(export::reader(memory)), None)
    } else {
        let bytes = selector::named_file(path, read::MAX_FILE, hint)?;
        let stem = stem.unwrap_or_default();
        let dir = path.parent().filter(|dir| dir.file_name().is_some_and(|name| name == "topics"));
        if let Some(dir) = dir.and_then(Path::parent) {
            // The evidence is beside the topics, so the whole store is read.
            (store(dir).holdings(export::reader(memory)), Some(stem))
        } else {
            let mut held = store(path).topic_alone(&stem, bytes, export::reader(memory));
            // The file name was not chosen as a topic.
            held.items.iter_mut().for_each(|item| item.topic = None);
            (held, None)
        }
    };
    let Holdings { mut items, left, snapshot } = held;
    let only = only.map(|stem| format!("topics/{stem}.md:"));
    items.retain(|item| only.as_ref().is_none_or(|file| item.place.starts_with(file)));
    let found = Parsed { items, left, ..Parsed::default() };
    Ok(ImportSource { format: "pi", found, problems: snapshot.problems, ..ImportSource::default() })
}

fn pi_memory(memory: &Memory, dir: &Path) -> Result<ImportSource, Failure> {
    let hint = "pi-memory keeps MEMORY.md and daily/ in ~/.pi/agent/memory";
    is_dir(dir, hint)?;
    let dirs = STORES.map(|below| dir.join(below));
    let holds = |dir: &&PathBuf| {
        [notes::NOTES, notes::SCRATCHPAD, "daily"].iter().any(|name| dir.join(name).exists())
    };
    let found = dirs.iter().find(holds).map_or(dir, PathBuf::as_path);
    memory.places.check_below(dir, found).map_err(|away| Failure::from(&away))?;
    let dir = found;
    let mut pages = Pages::default();
    pages.file(dir, notes::NOTES);
    pages.file(dir, notes::SCRATCHPAD);
    pages.folder(dir, "daily");
    let mut source = ImportSource { format: "pi-memory", ..ImportSource::default() };
    for page in &pages.files {
        note(memory, &mut source, &page.name, &page.text);
    }
    Ok(with(source, pages))
}

/// Looks at what an earlier import took from the same files and they state no longer: it is replaced by
/// what they state instead, or forgotten. What stands in a file that has changed is confirmed. Returns the
/// ids of what is to be forgotten.
pub(super) fn follow(
    memory: &Memory,
    store: &Store,
    txn: &mut Txn<'_>,
    (news, taken): (&[NewText], &mut Vec<Taken>),
    sources: &BTreeSet<String>,
) -> Result<Vec<String>, Failure> {
    let log = if sources.is_empty() { Vec::new() } else { store.log().unwrap_or_default() };
    let log = evidence::by_entry(&log);
    let stated: IdSet<EntryId> = taken.iter().map(|taken| taken.id).collect();
    let placed = txn.placed();
    let is_gone = |entry: &&LocatedEntry| {
        let source = || review::source(log.get(&entry.id)?);
        !stated.contains(&entry.id)
            && !entry.pinned
            && !txn.snapshot().ledger.is_over(memory.now, entry.id)
            && source().is_some_and(|source| sources.contains(&source))
    };
    let gone: Vec<&LocatedEntry> = placed.iter().filter(is_gone).collect();
    let new: IdSet<EntryId> =
        taken.iter().filter(|taken| taken.fate == Fate::Added).map(|taken| taken.id).collect();
    let fresh = news.iter().filter(|one| new.contains(&one.id(memory)));
    let (by, after): (Vec<EntryId>, Vec<String>) =
        fresh.map(|one| (one.id(memory), one.text.as_str().to_owned())).unzip();
    let before: Vec<String> = gone.iter().map(|entry| entry.text.clone()).collect();
    let reworded = agents::rewordings(&before, &after);
    let short = ranking::short_ids(placed.iter().map(|entry| entry.id).chain(new));
    let short = |id: EntryId| short.get(&id).cloned().unwrap_or_default();
    let mut forgotten = Vec::new();
    for (old, at) in gone.iter().zip(reworded) {
        let by = at.and_then(|at| by.get(at).copied());
        let name = &memory.config.categories.spec(old.category).name;
        let mut line = format!("[{name}] {} ({})", old.text, short(old.id));
        if let Some(by) = by {
            line += &format!(" by {}", short(by));
            txn.record(old.id, EventKind::Supersede(by))?;
        } else {
            forgotten.push(old.id.to_string());
        }
        let fate = if by.is_some() { Fate::Replaced } else { Fate::Forgotten };
        let place = format!("topics/{}.md:{}", old.topic, old.line);
        taken.push(Taken { fate, id: old.id, place, line, waits: None, vouched: false });
    }
    if !gone.is_empty() {
        for known in taken.iter().filter(|taken| taken.fate == Fate::Known) {
            let evidence = txn.snapshot().ledger.evidence(memory.now, known.id);
            if evidence.is_some_and(|evidence| ranking::rested(memory.now, &evidence)) {
                txn.record(known.id, EventKind::Reinforce(1))?;
            }
        }
    }
    Ok(forgotten)
}

fn is_dir(dir: &Path, hint: &str) -> Result<(), Failure> {
    let what = match (dir.is_dir(), dir.exists()) {
        (true, _) => return Ok(()),
        (_, true) => format!("{} is not a directory", dir.display()),
        _ => format!("there is no directory {}", dir.display()),
    };
    Err(Failure::new(FailureKind::Usage, what, hint))
}

/// Maximum size of the file in bytes.
const MAX_VECTORS: u64 = 1 << 30;
/// Hint with the expected file.
const WHERE: &str = "pi keeps its vectors in .pi/memory/embeddings.json";
/// Fields in which other programs may nest the vectors.
const WRAPPERS: [&str; 3] = ["embeddings", "entries", "vectors"];

impl Writing<'_> {
    /// Imports the vectors of existing entries. They must be of the chosen model.
    ///
    /// # Errors
    /// Fails if the model accepts no vectors, the file cannot be read or has vectors of another
    /// model, or the index cannot be written.
    pub fn import_vectors(self, path: &Path) -> Result<Answer<ImportedVectors>, Failure> {
        let model = export::chosen(self.memory)?;
        if model.id == table::NAME {
            let message = "the model static makes its own vectors and takes no others";
            let hint = "pimem model use NAME chooses the model that they are of";
            return Err(Failure::new(FailureKind::Refused, message, hint));
        }
        let found = parse(&selector::named_file(path, MAX_VECTORS, WHERE)?, &model)
            .map_err(|why| refused(&format!("{}: {why}", path.display())))?;
        let vectors = found.len();
        let mut imported = KnownVectors::default();
        let mut problems = Vec::new();
        for store in self.memory.readers()? {
            let (entries, unread) = export::entries(self.memory, &store);
            problems.extend(unread);
            let fresh: KnownVectors =
                entries.keys().filter_map(|key| Some((*key, found.get(key)?.clone()))).collect();
            if !fresh.is_empty() {
                imported.extend(fresh.iter().map(|(key, vector)| (*key, vector.clone())));
                keep(self.memory, &store, &fresh)?;
            }
        }
        let imported = imported.len();
        let (dimension, unknown) = (model.dimension, vectors - imported);
        let view = ImportedVectors { model: model.id, dimension, vectors, imported, unknown };
        Ok(Answer { view, problems })
    }
}

fn refused(message: &str) -> Failure {
    Failure::new(
        FailureKind::Refused,
        message,
        "pimem export embeddings writes the format that is read",
    )
}

fn keep(memory: &Memory, store: &Store, fresh: &KnownVectors) -> Result<(), Failure> {
    let Some(dir) = memory.cache_dir(store) else {
        return Err(Failure::new(FailureKind::Usage, "there is no cache directory", "set HOME"));
    };
    let kept = embedding::kept(memory);
    if let Some(space) = kept.model {
        vector_files::append_recent(&dir, space, fresh)?;
    }
    let mut progress = memory.notices.progress("indexing");
    let (categories, when) = (&memory.config.categories, memory.real_now);
    index::refresh(store, &dir, categories, when, true, kept, &mut progress)?.ok_or_else(|| {
        let message = format!("another process is at the index of {}", store.dir.display());
        Failure::new(FailureKind::Locked, message, "try again in a moment")
    })?;
    Ok(())
}

/// A vector in an object.
#[derive(Deserialize)]
struct Holder {
    #[serde(alias = "embedding")]
    vector: Vec<f64>,
}

/// Values are parsed one by one; a tree of all would take several times the size of the file.
type Values<'a> = BTreeMap<String, &'a RawValue>;

fn parse(bytes: &[u8], model: &Model) -> Result<BTreeMap<u64, Vector>, String> {
    let no_object = |error: serde_json::Error| match error.classify() {
        serde_json::error::Category::Data => "not a JSON object of vectors".to_owned(),
        _ => format!("not whole JSON: {error}"),
    };
    let mut values: Values<'_> = serde_json::from_slice(bytes).map_err(no_object)?;
    if !values.keys().any(|name| key(name).is_some())
        && let Some(inner) = WRAPPERS.iter().find_map(|name| values.get(*name))
    {
        values = serde_json::from_str(inner.get()).map_err(no_object)?;
    }
    let mut found = BTreeMap::new();
    for (name, value) in values {
        // Other keys are metadata of the file.
        let Some(key) = key(&name) else { continue };
        let numbers = numbers(value).map_err(|error| format!("the value of {name} {error}"))?;
        if numbers.len() != model.dimension {
            let (got, want) = (numbers.len(), model.dimension);
            return Err(format!(
                "the vector of {name} has {got} numbers, and those of {} have {want}",
                model.id
            ));
        }
        found.insert(key, Vector::quantize(&numbers));
    }
    if found.is_empty() {
        return Err("holds no vectors under keys of 16 hexadecimal digits".to_owned());
    }
    Ok(found)
}

/// Parses a key: a SHA-256 in hexadecimal, possibly truncated to 16 digits or more.
fn key(name: &str) -> Option<u64> {
    let is_hex = name.len() <= 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    u64::from_str_radix(name.get(..16).filter(|_| is_hex)?, 16).ok()
}

fn numbers(value: &RawValue) -> Result<Vec<f32>, String> {
    let text = value.get();
    let numbers: Vec<f64> = if text.starts_with('{') {
        let holder: Holder = serde_json::from_str(text)
            .map_err(|_| "has no array of numbers \"vector\" or \"embedding\"")?;
        holder.vector
    } else {
        serde_json::from_str(text).map_err(|_| "is not an array of numbers")?
    };
    #[expect(clippy::cast_possible_truncation, reason = "what becomes infinite is refused")]
    let numbers: Vec<f32> = numbers.into_iter().map(|number| number as f32).collect();
    if numbers.iter().all(|number| number.is_finite()) {
        return Ok(numbers);
    }
    Err("holds a number that is too large".to_owned())
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ImportedVectors {
    pub model: String,
    pub dimension: usize,
    pub vectors: usize,
    /// Vectors of entries in the store.
    pub imported: usize,
    /// Vectors of other texts, which are skipped.
    pub unknown: usize,
}

documents! {
    ImportedVectors: "pimem.import/1",
}

#[cfg(test)]
mod tests {
    use pimem_core::embed::catalog::{self, Pooling};

    use super::*;

    const A: &str = "0123456789abcdef";

    fn read(text: &str) -> Result<Vec<u64>, String> {
        let model = catalog::model("two", 2, Pooling::Mean);
        parse(text.as_bytes(), &model).map(|found| found.into_keys().collect())
    }

    #[test]
    fn forms() {
        let (all, upper) = (format!("{A}{A}"), A.to_uppercase());
        for text in [
            format!(r#"{{"{A}": [1, -2.5e-3]}}"#),
            format!(r#" {{ "{upper}" : [0,0] }} "#),
            format!(r#"{{"{all}": [1, 2], "model": "x", "version": 1}}"#),
            format!(r#"{{"model": "x", "entries": {{"{A}": [1, 2]}}}}"#),
            format!(r#"{{"embeddings": {{"{A}": {{"text": "t", "vector": [1, 2]}}}}}}"#),
            format!(r#"{{"vectors": {{"{A}": {{"embedding": [1, 2], "model": "x"}}}}}}"#),
        ] {
            assert_eq!(read(&text), Ok(vec![0x0123_4567_89ab_cdef]), "{text}");
        }
    }

    #[test]
    fn what_is_no_file_of_vectors() {
        let of_a = |value: &str| format!(r#"{{"{A}": {value}}}"#);
        let whole = of_a("[1, 2]");
        for at in 0..whole.len() {
            assert!(read(&whole[..at]).unwrap_err().contains("not whole JSON"), "{at}");
        }
        for (text, want) in [
            ("[1, 2]".to_owned(), "not a JSON object of vectors"),
            ("null".to_owned(), "not a JSON object of vectors"),
            (format!("{whole} {whole}"), "not whole JSON"),
            ("{}".to_owned(), "holds no vectors"),
            (r#"{"some text": [1, 2]}"#.to_owned(), "holds no vectors"),
            (r#"{"entries": []}"#.to_owned(), "not a JSON object of vectors"),
            (r#"{"entries": {}}"#.to_owned(), "holds no vectors"),
            (of_a("[1]"), "has 1 numbers, and those of two have 2"),
            (of_a("[]"), "has 0 numbers"),
            (of_a("[1, 2, 3]"), "has 3 numbers"),
            (of_a("[1, null]"), "is not an array of numbers"),
            (of_a("[1, \"2\"]"), "is not an array of numbers"),
            (of_a("[1, [2]]"), "is not an array of numbers"),
            (of_a("[1, 1e999]"), "is not an array of numbers"),
            (of_a("[1, 1e39]"), "holds a number that is too large"),
            (of_a("[1, NaN]"), "not whole JSON"),
            (of_a("7"), "is not an array of numbers"),
            (of_a("{}"), "has no array of numbers"),
            (of_a("{\"vector\": 1}"), "has no array of numbers"),
            (of_a(&format!("{}{}", "[".repeat(100_000), "]".repeat(100_000))), "is not "),
        ] {
            let error = read(&text).unwrap_err();
            assert!(error.contains(want), "{error} does not say {want}");
        }
    }
}
