//! Export of entries and notes in the formats of other programs.

mod vectors;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use super::{Answer, Memory, Target, accesses, named_file, problems, scores_file};
use crate::{
    error::{Failure, Kind},
    local_time,
    store::{
        Store,
        atomic::{self, Sync},
        foreign_store::{self, Holdings, Reader},
        notes, provenance, read,
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

/// The entries to export, and their store.
struct Held {
    store: Option<Store>,
    items: Vec<Item>,
    ranking: Ranking,
    problems: Vec<read::Problem>,
}

/// An export format and its destination.
#[derive(Debug, Clone)]
pub enum Format {
    /// Entries with their evidence, one JSON object per line; `None` returns the text.
    Jsonl(Option<PathBuf>),
    /// A store of pi, in a new directory.
    Pi(PathBuf),
    /// A directory of pi-memory.
    PiMemory(PathBuf),
    /// A memory directory of Claude Code.
    Claude(PathBuf),
    /// A Markdown block; `None` returns the text.
    Agents(Option<PathBuf>),
}

/// The result of an export.
#[derive(Debug)]
pub enum Output<V> {
    /// Written to files.
    Files(V),
    /// Not written; the exported text.
    Text(String),
}

impl Memory {
    /// Exports the entries or notes of one store.
    ///
    /// # Errors
    /// Fails if the output exists and may not be replaced, or cannot be written.
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

/// Files with their paths relative to a directory.
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
    // pi supports forgotten entries, but neither expiry nor supersession.
    let held = hold(memory, |row| !row.expired && row.superseded_by.is_none())?;
    let mut files = tree_of(pi::render(&held.items));
    let accesses = memory.accesses(&memory.readers()?);
    let key = |row: &ScoredEntry| {
        let name = &memory.config.categories.spec(row.entry.category).name;
        format!("{:08x}", pi32(&entry_line::canonical(name, &row.entry.text)))
    };
    let scores = scores_file::snapshot(memory, &held.ranking, key, |row| {
        accesses::of_entry(&accesses, row.entry.id, None)
    });
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

/// Returns true if the entry is in force and an agent may read it.
fn in_force(row: &ScoredEntry) -> bool {
    let forgotten = row.evidence.user == UserState::Forgotten && !row.entry.pinned;
    row.entry.reviewed && !row.expired && row.superseded_by.is_none() && !forgotten
}

/// Removes characters that could mislead an agent, because agents read these texts unchanged.
fn harmless(held: &mut Held) {
    for item in &mut held.items {
        item.text = safe_text::model(&item.text).into_owned();
    }
}

/// Returns the context for reading entries to export.
pub fn reader(memory: &Memory) -> Reader<'_> {
    Reader { now: memory.now, categories: &memory.config.categories, day: local_time::ending }
}

/// Returns the entries of the store that `add` would write to, so that the user's entries do not
/// get into a project's files.
fn hold(memory: &Memory, wanted: impl Fn(&ScoredEntry) -> bool) -> Result<Held, Failure> {
    let Target { dir, .. } = memory.target()?;
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

/// Hint for using standard output instead of a file.
const STDOUT: &str = "without --output, it goes to standard output";

/// Writes one file, or returns the text if there is no output path.
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
    // A link is kept, such as one from CLAUDE.md to AGENTS.md.
    let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    atomic::replace_file(&target, bytes, Sync::None, || Ok(true))?;
    Ok(written(format, held, path, 1))
}

/// Writes files into an empty or new directory, so that nothing is overwritten.
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
