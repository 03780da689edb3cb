//! What `pimem export` does with entries, whatever the format.

use std::{collections::BTreeSet, path::Path};

use serde_json::json;

use super::telemetry::Accesses;
use crate::{
    calendar,
    cli::Outcome,
    commands::rebuild,
    context::{Context, problems},
    error::{Exit, Failure, Kind},
    input,
};
use pimem_core::{
    exchange::{File, Item, agents, claude, jsonl, pi, pi_memory},
    markdown::entry_line,
    model::hash::pi32,
    safety::safe_text,
    score::{
        board::{Board, Row},
        evidence::UserState,
    },
};
use pimem_engine::store::{
    atomic::{self, Sync},
    foreign_store::{self, Holdings, Reader},
    notes, provenance, read,
    snapshot::Store,
};

/// The entries to write, and the store that they are in.
struct Held {
    store: Option<Store>,
    items: Vec<Item>,
    board: Board,
    problems: Vec<read::Problem>,
}

/// Files below a directory.
type Tree = Vec<(String, Vec<u8>)>;

pub(crate) fn jsonl(ctx: &Context, output: Option<&Path>) -> Result<Outcome, Failure> {
    output.map_or(Ok(()), |path| input::writable(path, STDOUT))?;
    let held = hold(ctx, |_| true)?;
    let text: String =
        held.items.iter().flat_map(|item| [jsonl::render(item), "\n".into()]).collect();
    one(ctx, "jsonl", &held, output, text.as_bytes())
}

pub(crate) fn agents(ctx: &Context, output: Option<&Path>) -> Result<Outcome, Failure> {
    output.map_or(Ok(()), |path| input::writable(path, STDOUT))?;
    let mut held = hold(ctx, in_force)?;
    harmless(&mut held);
    let block = agents::render(&held.items, &ctx.config.categories);
    let Some(path) = output else { return one(ctx, "agents", &held, None, block.as_bytes()) };
    let hint = "--output names a file of markdown, as AGENTS.md";
    let page = if path.exists() { input::named(path, read::MAX_FILE, hint)? } else { Vec::new() };
    let page = agents::insert(&page, &block).map_err(|why| {
        let message = format!("{}: {why}", path.display());
        Failure::new(Kind::Refused, message, "repair the block, or take it out")
    })?;
    one(ctx, "agents", &held, output, &page)
}

pub(crate) fn claude(ctx: &Context, output: &Path) -> Result<Outcome, Failure> {
    let mut held = hold(ctx, in_force)?;
    harmless(&mut held);
    let files = tree_of(claude::render(&held.items));
    tree(ctx, "claude", &held, output, &files)
}

pub(crate) fn pi(ctx: &Context, output: &Path) -> Result<Outcome, Failure> {
    // pi knows what is forgotten, and neither dates nor replacements.
    let held = hold(ctx, |row| !row.expired && row.superseded_by.is_none())?;
    let mut files = tree_of(pi::render(&held.items));
    let accesses = Accesses::of(ctx, &ctx.readers()?);
    let key = |row: &Row| {
        let name = &ctx.config.categories.spec(row.entry.category).name;
        format!("{:08x}", pi32(&entry_line::canonical(name, &row.entry.text)))
    };
    let scores = rebuild::snapshot(ctx, &held.board, key, |row| accesses.get(row.entry.id, None));
    files.push(("memory-scores.json".to_owned(), scores.into_bytes()));
    tree(ctx, "pi", &held, output, &files)
}

pub(crate) fn pi_memory(ctx: &Context, output: &Path) -> Result<Outcome, Failure> {
    let mut held = hold(ctx, in_force)?;
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
    tree(ctx, "pi-memory", &held, output, &files)
}

fn tree_of(files: Vec<File>) -> Tree {
    files.into_iter().map(|file| (file.name, file.text.into_bytes())).collect()
}

/// Entries that still hold, and that an agent may read.
fn in_force(row: &Row) -> bool {
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
pub(crate) fn reader(ctx: &Context) -> Reader<'_> {
    Reader { now: ctx.now, categories: &ctx.config.categories, day: calendar::ending }
}

/// The entries of the store that `add` would write to: what is yours goes into no project's file.
fn hold(ctx: &Context, wanted: impl Fn(&Row) -> bool) -> Result<Held, Failure> {
    let (dir, ..) = ctx.target()?;
    let store = ctx.readers()?.into_iter().find(|store| store.dir == dir);
    let held = store.as_ref().map(|store| store.holdings(reader(ctx)));
    let Holdings { mut items, left, snapshot } = held.unwrap_or_default();
    ctx.note_own(provenance::LIMIT, store.as_slice(), std::slice::from_ref(&snapshot));
    for left in left {
        ctx.ui.note(&format!("Left out: {}: {}", left.place, left.reason));
    }
    let placed = |store| (snapshot.placed(store, &ctx.config.categories), &snapshot.ledger);
    let placed = store.iter().map(placed).collect();
    let mut board = Board::new(ctx.now, ctx.rules(), placed);
    let left_out = board.rows.iter().filter(|row| !wanted(row)).map(|row| &row.entry);
    ctx.say_left_out(store.as_slice(), ctx.unreviewed(store.as_slice(), left_out));
    board.rows.retain(|row| wanted(row));
    let kept: BTreeSet<(&str, usize)> =
        board.rows.iter().map(|row| (row.entry.topic.as_str(), row.entry.line)).collect();
    items.retain(|item| {
        let place = item.place.strip_prefix("topics/").and_then(|place| place.split_once(".md:"));
        place.is_some_and(|(topic, line)| {
            line.parse().is_ok_and(|line| kept.contains(&(topic, line)))
        })
    });
    Ok(Held { problems: problems(std::slice::from_ref(&snapshot)), store, items, board })
}

/// What may be done instead of naming a file.
pub(crate) const STDOUT: &str = "without --output, it goes to standard output";

/// Writes one file, or to standard output.
fn one(
    ctx: &Context,
    format: &str,
    held: &Held,
    output: Option<&Path>,
    bytes: &[u8],
) -> Result<Outcome, Failure> {
    match output {
        None => ctx.ui.text(&String::from_utf8_lossy(bytes)),
        Some(path) => {
            // A link stays one, as from CLAUDE.md to AGENTS.md.
            let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
            atomic::replace_file(&target, bytes, Sync::None, || Ok(true))?;
            told(ctx, format, held, path, 1);
        }
    }
    Ok((ctx.complain(&held.problems, Exit::Done), Vec::new()))
}

/// Writes files into a directory that holds nothing yet, so that nothing of anybody's is lost.
fn tree(
    ctx: &Context,
    format: &str,
    held: &Held,
    dir: &Path,
    files: &Tree,
) -> Result<Outcome, Failure> {
    let taken =
        dir.exists() && std::fs::read_dir(dir).map_or(true, |mut found| found.next().is_some());
    if taken {
        let message = format!("{} is not an empty directory", dir.display());
        return Err(Failure::new(Kind::Usage, message, "name one that is empty or not there yet"));
    }
    foreign_store::write_tree(dir, files)?;
    told(ctx, format, held, dir, files.len());
    Ok((ctx.complain(&held.problems, Exit::Done), Vec::new()))
}

fn told(ctx: &Context, format: &str, held: &Held, output: &Path, files: usize) {
    let count = held.items.len();
    if ctx.ui.json {
        ctx.ui.document(&json!({
            "schema": "pimem.export-memories/1", "format": format, "exported": count,
            "files": files, "output": output.display().to_string(),
        }));
        return;
    }
    let entries = if count == 1 { "entry" } else { "entries" };
    ctx.ui.line(&format!("Exported {count} {entries} to {}", output.display()));
}
