//! Entries and notes for other programs, whatever the format.

mod vectors;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use super::{Answer, Memory, named_file, problems, scores_file, telemetry::Accesses};
use crate::{
    error::{Failure, Kind},
    local_time,
    store::{
        atomic::{self, Sync},
        foreign_store::{self, Holdings, Reader},
        notes, provenance, read,
        snapshot::Store,
    },
};
use pimem_core::{
    exchange::{File, Item, agents, claude, jsonl, pi, pi_memory},
    markdown::entry_line,
    model::hash::pi32,
    safety::safe_text,
    score::{
        evidence::UserState,
        ranking::{Ranking, ScoredEntry},
    },
    view::exchange::Exported,
};

pub(super) use self::vectors::{chosen, entries};

/// The entries to write, and the store that they are in.
struct Held {
    store: Option<Store>,
    items: Vec<Item>,
    ranking: Ranking,
    problems: Vec<read::Problem>,
}

/// A format, and where to write it.
#[derive(Debug, Clone)]
pub enum Format {
    /// Entries with their evidence, a JSON object a line: to a file, if one is named.
    Jsonl(Option<PathBuf>),
    /// A store as pi keeps it, in a new directory.
    Pi(PathBuf),
    /// A directory of pi-memory.
    PiMemory(PathBuf),
    /// A memory directory of Claude Code.
    Claude(PathBuf),
    /// A block of markdown: into a file, if one is named.
    Agents(Option<PathBuf>),
}

/// Where it was written to.
#[derive(Debug)]
pub enum Output<V> {
    /// To files.
    Files(V),
    /// To nowhere yet: this is it.
    Text(String),
}

impl Memory {
    /// Writes the entries or notes of one store for other programs.
    ///
    /// # Errors
    /// When the output is there and may not be replaced, or cannot be written.
    pub fn export(&self, format: &Format) -> Result<Answer<Output<Exported>>, Failure> {
        match format {
            Format::Jsonl(output) => jsonl(self, output.as_deref()),
            Format::Pi(output) => pi(self, output),
            Format::PiMemory(output) => pi_memory(self, output),
            Format::Claude(output) => claude(self, output),
            Format::Agents(output) => agents(self, output.as_deref()),
        }
    }
}

type Written = Answer<Output<Exported>>;

/// Files below a directory.
type Tree = Vec<(String, Vec<u8>)>;

fn jsonl(memory: &Memory, output: Option<&Path>) -> Result<Written, Failure> {
    output.map_or(Ok(()), |path| named_file::writable(path, STDOUT))?;
    let held = hold(memory, |_| true)?;
    let text: String =
        held.items.iter().flat_map(|item| [jsonl::render(item), "\n".into()]).collect();
    one("jsonl", held, output, text.as_bytes())
}

fn agents(memory: &Memory, output: Option<&Path>) -> Result<Written, Failure> {
    output.map_or(Ok(()), |path| named_file::writable(path, STDOUT))?;
    let mut held = hold(memory, in_force)?;
    harmless(&mut held);
    let block = agents::render(&held.items, &memory.config.categories);
    let Some(path) = output else { return one("agents", held, None, block.as_bytes()) };
    let hint = "--output names a file of markdown, as AGENTS.md";
    let page =
        if path.exists() { named_file::named(path, read::MAX_FILE, hint)? } else { Vec::new() };
    let page = agents::insert(&page, &block).map_err(|why| {
        let message = format!("{}: {why}", path.display());
        Failure::new(Kind::Refused, message, "repair the block, or take it out")
    })?;
    one("agents", held, output, &page)
}

fn claude(memory: &Memory, output: &Path) -> Result<Written, Failure> {
    let mut held = hold(memory, in_force)?;
    harmless(&mut held);
    let files = tree_of(claude::render(&held.items));
    tree("claude", held, output, &files)
}

fn pi(memory: &Memory, output: &Path) -> Result<Written, Failure> {
    // pi knows what is forgotten, and neither dates nor replacements.
    let held = hold(memory, |row| !row.expired && row.superseded_by.is_none())?;
    let mut files = tree_of(pi::render(&held.items));
    let accesses = Accesses::of(memory, &memory.readers()?);
    let key = |row: &ScoredEntry| {
        let name = &memory.config.categories.spec(row.entry.category).name;
        format!("{:08x}", pi32(&entry_line::canonical(name, &row.entry.text)))
    };
    let scores =
        scores_file::snapshot(memory, &held.ranking, key, |row| accesses.get(row.entry.id, None));
    files.push(("memory-scores.json".to_owned(), scores.into_bytes()));
    tree("pi", held, output, &files)
}

fn pi_memory(memory: &Memory, output: &Path) -> Result<Written, Failure> {
    let mut held = hold(memory, in_force)?;
    let mut files = Tree::new();
    let page = |held: &mut Held, name: &str| match held.store.as_ref().map(|s| s.file(name)) {
        Some(Ok(Some(bytes))) => Some(bytes),
        Some(Err(problem)) => {
            held.problems.push(problem);
            None
        }
        _ => None,
    };
    let notes = page(&mut held, notes::NOTES).unwrap_or_default();
    let rendered = pi_memory::render(&notes, &held.items);
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

fn tree_of(files: Vec<File>) -> Tree {
    files.into_iter().map(|file| (file.name, file.text.into_bytes())).collect()
}

/// Entries that still hold, and that an agent may read.
fn in_force(row: &ScoredEntry) -> bool {
    let forgotten = row.evidence.user == UserState::Forgotten && !row.entry.pinned;
    row.entry.reviewed && !row.expired && row.superseded_by.is_none() && !forgotten
}

/// An agent reads the texts as they are: what could pass for something else is taken out.
fn harmless(held: &mut Held) {
    for item in &mut held.items {
        item.text = safe_text::model(&item.text).into_owned();
    }
}

/// What the entries of a store are read by, to be written for others.
pub fn reader(memory: &Memory) -> Reader<'_> {
    Reader { now: memory.now, categories: &memory.config.categories, day: local_time::ending }
}

/// The entries of the store that `add` would write to: what is yours goes into no project's file.
fn hold(memory: &Memory, wanted: impl Fn(&ScoredEntry) -> bool) -> Result<Held, Failure> {
    let (dir, ..) = memory.target()?;
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
    let left_out = ranking.rows.iter().filter(|row| !wanted(row)).map(|row| &row.entry);
    memory.say_left_out(store.as_slice(), memory.unreviewed(store.as_slice(), left_out));
    ranking.rows.retain(|row| wanted(row));
    let kept: BTreeSet<(&str, usize)> =
        ranking.rows.iter().map(|row| (row.entry.topic.as_str(), row.entry.line)).collect();
    items.retain(|item| {
        let place = item.place.strip_prefix("topics/").and_then(|place| place.split_once(".md:"));
        place.is_some_and(|(topic, line)| {
            line.parse().is_ok_and(|line| kept.contains(&(topic, line)))
        })
    });
    Ok(Held { problems: problems(std::slice::from_ref(&snapshot)), store, items, ranking })
}

/// What may be done instead of naming a file.
const STDOUT: &str = "without --output, it goes to standard output";

/// Writes one file, or leaves that to whoever asked.
fn one(
    format: &'static str,
    held: Held,
    output: Option<&Path>,
    bytes: &[u8],
) -> Result<Written, Failure> {
    let Some(path) = output else {
        let view = Output::Text(String::from_utf8_lossy(bytes).into_owned());
        return Ok(Answer { view, problems: held.problems });
    };
    // A link stays one, as from CLAUDE.md to AGENTS.md.
    let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    atomic::replace_file(&target, bytes, Sync::None, || Ok(true))?;
    Ok(written(format, held, path, 1))
}

/// Writes files into a directory that holds nothing yet, so that nothing of anybody's is lost.
fn tree(format: &'static str, held: Held, dir: &Path, files: &Tree) -> Result<Written, Failure> {
    let taken =
        dir.exists() && std::fs::read_dir(dir).map_or(true, |mut found| found.next().is_some());
    if taken {
        let message = format!("{} is not an empty directory", dir.display());
        return Err(Failure::new(Kind::Usage, message, "name one that is empty or not there yet"));
    }
    foreign_store::write_tree(dir, files)?;
    Ok(written(format, held, dir, files.len()))
}

fn written(format: &'static str, held: Held, output: &Path, files: usize) -> Written {
    let (exported, output) = (held.items.len(), output.display().to_string());
    let view = Output::Files(Exported { format, exported, files, output });
    Answer { view, problems: held.problems }
}
