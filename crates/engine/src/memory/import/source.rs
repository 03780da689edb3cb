//! Reads the files of other programs for an import.

use std::path::{Path, PathBuf};

use pimem_core::{
    exchange::{Parsed, agents, claude, jsonl, pi::Piece},
    score::ranking::Scope,
};

use super::{From, Lines, note};
use crate::{
    error::{Failure, FailureKind},
    memory::{Memory, export, named_file},
    store::{
        foreign_store::{Holdings, Pages},
        git, notes,
        read::{self, ReadProblem},
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

/// What an import found.
#[derive(Debug, Default)]
pub(super) struct ImportSource {
    /// Name of the format.
    pub(super) format: &'static str,
    pub(super) found: Parsed,
    /// Long-term notes and logs, by their name in a store.
    pub(super) pages: Vec<(String, Vec<Piece>)>,
    /// Open tasks.
    pub(super) tasks: Vec<String>,
    /// Files that could not be read.
    pub(super) problems: Vec<ReadProblem>,
    /// True if others may have written it, so that agents see it only after a review.
    pub(super) waits: bool,
}

/// Reads the source of an import.
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
    }
}

fn of_agents(memory: &Memory, files: &[PathBuf]) -> Result<ImportSource, Failure> {
    let mut pages = Pages::default();
    let mut waits = false;
    for path in files {
        let place = memory.places.cwd.join(path);
        let root = place.parent().and_then(|dir| memory.places.work_tree(dir));
        waits |= root.is_some_and(git::is_clone);
        let bytes = named_file::named(path, read::MAX_FILE, AGENTS)?;
        pages.page(&path.display().to_string(), bytes);
    }
    let mut source = ImportSource { format: "agents", waits, ..ImportSource::default() };
    for page in &pages.files {
        let found = agents::read(&page.name, &page.text, &memory.config.categories);
        source.found.items.extend(found.items);
        source.found.left.extend(found.left);
    }
    Ok(with(source, pages))
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
            let bytes = named_file::named(path, MAX, "give what pimem export jsonl wrote")?;
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
        let bytes = named_file::named(path, read::MAX_FILE, hint)?;
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
    let found = Parsed { items, left };
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

fn is_dir(dir: &Path, hint: &str) -> Result<(), Failure> {
    let what = match (dir.is_dir(), dir.exists()) {
        (true, _) => return Ok(()),
        (_, true) => format!("{} is not a directory", dir.display()),
        _ => format!("there is no directory {}", dir.display()),
    };
    Err(Failure::new(FailureKind::Usage, what, hint))
}
