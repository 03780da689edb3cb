//! `pimem todo`: the scratchpad, a checklist of what must not be forgotten for now.

use serde_json::{Value, json};

use crate::{exit::Exit, input, shell::Shell};
use pimem_core::{
    markdown::{
        checklist::{self, Item},
        lines,
    },
    safety::entry_text::EntryText,
};
use pimem_engine::{
    error::{Failure, Kind},
    memory,
    store::{notes, read::Problem, snapshot::Store},
};

/// Keep a checklist in SCRATCHPAD.md
///
/// Open items are in the working report and in handoffs.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  pimem todo add Ask for the API quota\n  pimem todo done quota\n  \
    pimem todo list --json"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    act: Act,
}

#[derive(Debug, clap::Subcommand)]
enum Act {
    /// Add an open item
    Add {
        /// What is to be done (`-` reads standard input, one item a line)
        #[arg(required = true, value_name = "TEXT")]
        text: Vec<String>,
    },
    /// Tick the first open item that contains the text, in any case
    Done {
        /// A part of its text
        #[arg(required = true, value_name = "TEXT")]
        text: Vec<String>,
    },
    /// Open the first done item that contains the text again
    Undo {
        /// A part of its text
        #[arg(required = true, value_name = "TEXT")]
        text: Vec<String>,
    },
    /// List open items
    List {
        /// Done items too
        #[arg(long)]
        all: bool,
    },
    /// Move done items to archive/SCRATCHPAD.md
    Clear,
}

pub(crate) fn run(ctx: &Shell, args: &Args) -> Result<Exit, Failure> {
    match &args.act {
        Act::Add { text } => add(ctx, text),
        Act::Done { text } => tick(ctx, &text.join(" "), true),
        Act::Undo { text } => tick(ctx, &text.join(" "), false),
        Act::List { all } => list(ctx, *all),
        Act::Clear => clear(ctx),
    }
}

fn add(ctx: &Shell, args: &[String]) -> Result<Exit, Failure> {
    let one = |line: &str| EntryText::new(line).map(|text| text.as_str().to_owned());
    let texts: Vec<String> = if args == ["-"] {
        let input = input::read_stdin()?;
        let lines = input.lines().filter(|line| !line.trim().is_empty());
        lines.map(one).collect::<Result<_, _>>()?
    } else {
        vec![one(&args.join(" "))?]
    };
    if texts.is_empty() {
        let message = "standard input is empty";
        return Err(Failure::new(Kind::Refused, message, "give one item a line"));
    }
    let store = ctx.writer()?;
    let lock = memory::lock(ctx, &store)?;
    let mut new = Vec::new();
    store.rewrite(&lock, notes::SCRATCHPAD, |bytes| {
        let open: Vec<String> = open(bytes).map(|item| item.text).collect();
        new = Vec::new();
        for text in &texts {
            if !open.contains(text) && !new.contains(text) {
                new.push(text.clone());
            }
        }
        let edit = checklist::append(bytes, &new);
        (!new.is_empty()).then(|| lines::apply(bytes, vec![edit]))
    })?;
    let said = |text: &String| {
        let what = if new.contains(text) { "Added" } else { "Already open" };
        format!("{what}: {text}")
    };
    report(ctx, texts.iter().map(|text| (text.as_str(), false)), texts.iter().map(said));
    Ok(Exit::Done)
}

fn tick(ctx: &Shell, needle: &str, done: bool) -> Result<Exit, Failure> {
    if needle.trim().is_empty() {
        let message = "the text is empty";
        return Err(Failure::new(Kind::Usage, message, "give a part of the item's text"));
    }
    let needle = needle.trim();
    for store in ctx.readers()? {
        let bytes = scratchpad(&store)?;
        let items = checklist::items(&bytes);
        if checklist::find(&items, needle, !done).is_none() {
            continue;
        }
        let lock = memory::lock(ctx, &store)?;
        let mut ticked = None;
        store.rewrite(&lock, notes::SCRATCHPAD, |bytes| {
            let items = checklist::items(bytes);
            let item = checklist::find(&items, needle, !done)?;
            ticked = Some(item.text.clone());
            Some(lines::apply(bytes, vec![checklist::tick(item, done)]))
        })?;
        if let Some(text) = ticked {
            let verb = if done { "Done" } else { "Open again" };
            report(ctx, [(text.as_str(), done)].into_iter(), [format!("{verb}: {text}")]);
            return Ok(Exit::Done);
        }
    }
    let state = if done { "open" } else { "done" };
    ctx.ui.note(&format!("no {state} item contains {needle:?} (pimem todo list --all)"));
    if ctx.ui.json {
        report(ctx, std::iter::empty(), std::iter::empty());
    }
    Ok(Exit::Nothing)
}

fn list(ctx: &Shell, all: bool) -> Result<Exit, Failure> {
    let mut items = Vec::new();
    for store in ctx.readers()? {
        items.extend(checklist::items(&scratchpad(&store)?));
    }
    items.retain(|item| all || !item.done);
    let lines = items.iter().map(|item| {
        let mark = if item.done { 'x' } else { ' ' };
        format!("- [{mark}] {}", item.text)
    });
    report(ctx, items.iter().map(|item| (item.text.as_str(), item.done)), lines);
    Ok(if items.is_empty() { Exit::Nothing } else { Exit::Done })
}

fn clear(ctx: &Shell) -> Result<Exit, Failure> {
    let mut all = Vec::new();
    for store in ctx.readers()? {
        if checklist::clear(&scratchpad(&store)?).1.is_empty() {
            continue;
        }
        let lock = memory::lock(ctx, &store)?;
        let mut cleared = Vec::new();
        let mut over = false;
        while !over {
            cleared = checklist::clear(&scratchpad(&store)?).1;
            // The archive gains first: a crash between the two leaves an item twice, never nowhere.
            store.append(&lock, notes::DONE, "Scratchpad", &cleared)?;
            // What an editor ticked meanwhile is not in the archive yet.
            store.rewrite(&lock, notes::SCRATCHPAD, |bytes| {
                let (after, lines) = checklist::clear(bytes);
                over = lines == cleared;
                over.then_some(after)
            })?;
        }
        all.extend(cleared);
    }
    let said = match all.len() {
        0 => "Nothing is done".to_owned(),
        1 => format!("Moved 1 line to {}", notes::DONE),
        n => format!("Moved {n} lines to {}", notes::DONE),
    };
    if ctx.ui.json {
        ctx.ui.document(&json!({"schema": "pimem.todo/1", "cleared": all}));
    } else {
        ctx.ui.line(&said);
    }
    Ok(Exit::Done)
}

/// The scratchpad of a store.
pub(crate) fn scratchpad(store: &Store) -> Result<Vec<u8>, Failure> {
    let bytes =
        store.file(notes::SCRATCHPAD).map_err(|problem: Problem| Failure::from(&problem))?;
    Ok(bytes.unwrap_or_default())
}

/// The open items of a scratchpad.
pub(crate) fn open(bytes: &[u8]) -> impl Iterator<Item = Item> {
    checklist::items(bytes).into_iter().filter(|item| !item.done)
}

fn report<'a>(
    ctx: &Shell,
    items: impl Iterator<Item = (&'a str, bool)>,
    lines: impl IntoIterator<Item = String>,
) {
    if ctx.ui.json {
        let items: Vec<Value> =
            items.map(|(text, done)| json!({"text": text, "done": done})).collect();
        ctx.ui.document(&json!({"schema": "pimem.todo/1", "items": items}));
        return;
    }
    lines.into_iter().for_each(|line| ctx.ui.line(&line));
}
