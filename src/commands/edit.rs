//! `pimem edit`: give an entry another wording. Its evidence stays with it.

use std::process::Command;

use serde_json::json;

use super::curate;
use crate::{exit::Exit, shell::Shell};
use pimem_core::{
    model::{
        entry::{EntryId, Wording},
        event::EventKind,
    },
    safety::entry_text::EntryText,
    score::{adopt, stability::Standing},
    view::Entries,
};
use pimem_engine::{
    error::{Failure, Kind},
    memory::{self, intake, selector},
    store::{
        atomic::{self, Sync},
        transaction::{Change, Target},
    },
};

/// Give an entry another wording
///
/// Evidence, pin and history stay with it. Without TEXT, the entry is opened in $VISUAL or $EDITOR.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Which entry
    #[arg(value_name = "ENTRY")]
    entry: String,
    /// The new text
    #[arg(value_name = "TEXT")]
    text: Vec<String>,
}

pub(crate) fn run(ctx: &Shell, args: &Args) -> Result<Exit, Failure> {
    let (board, held) = ctx.board(&ctx.readers()?);
    let old = selector::entry(ctx, &board, &memory::problems(&held), &args.entry)?;
    let raw = if args.text.is_empty() { ask(ctx, &old.entry.text)? } else { args.text.join(" ") };
    let text = EntryText::new(&raw)?;
    let spec = ctx.config.categories.spec(old.entry.category);
    let (from, category) = (old.entry.wording(), old.entry.category);
    let id = EntryId::of(&spec.name, text.as_str().as_bytes());
    let to = Wording { id, category, text: text.as_str().to_owned() };
    if to == from {
        ctx.ui.note("Nothing changed");
        return Ok(Exit::Done);
    }
    if let Some(twin) = board.get(id) {
        let entries = Entries::new(ctx.now, &ctx.config.categories, &board);
        if !twin.entry.is(&to) {
            let message = intake::is_twin(&to, &twin.entry.text);
            return Err(Failure::new(Kind::Refused, message, "word it otherwise"));
        }
        let message = format!("there is such an entry already: {}", entries.line(twin));
        return Err(Failure::new(Kind::Refused, message, "pimem remove takes one of the two out"));
    }
    let old = old.clone();
    let scope = old.entry.scope;
    let changed = curate::on_rows(ctx, board, vec![old], |txn, row| {
        let line = adopt::Line {
            id,
            category: &spec.name,
            topic: &row.entry.topic,
            text: text.as_str(),
            pinned: row.entry.pinned,
        };
        // The old entry has to be known before another can be made from it.
        txn.adopt(Some(from.id));
        txn.say(row.entry.category, text.as_str());
        txn.record(id, EventKind::Edit(from.id, Some(adopt::origin(&line))))?;
        // The new wording may have been put out of force in a past of its own.
        let ledger = &txn.snapshot().ledger;
        if !row.is_over() && (ledger.is_over(ctx.now, id) || ledger.archived(id)) {
            txn.record(id, EventKind::Restore)?;
            if row.standing == Standing::Pinned {
                txn.record(id, EventKind::Pin)?;
            }
        }
        let holders: Vec<String> =
            txn.snapshot().holders(&from).into_iter().map(str::to_owned).collect();
        if text.pinned() {
            txn.record(id, EventKind::Pin)?;
        }
        for stem in holders {
            let reword = Change::Reword(from.clone(), text.as_str().to_owned());
            txn.change(Target::Topic(stem.clone()), reword);
            if text.pinned() {
                txn.change(Target::Topic(stem), Change::SetPinned(from.clone(), true));
            }
        }
        Ok(())
    })?;
    let said = [(category, text.as_str())];
    for store in ctx.readers()?.iter().filter(|store| store.scope == scope) {
        intake::say_orders(ctx, store, said.into_iter());
    }
    let entries = Entries::new(ctx.now, &ctx.config.categories, &changed.after);
    if let Some(row) = changed.after.find(&to) {
        if ctx.ui.json {
            let document = json!({
                "schema": "pimem.edit/1", "from": from.id.to_string(), "entry": entries.json(row),
            });
            ctx.ui.document(&document);
        } else {
            ctx.ui.line(&format!("Edited: {}", entries.line(row)));
        }
    }
    Ok(Exit::Done)
}

/// Opens the text in an editor, in a file that only its owner can read.
fn ask(ctx: &Shell, text: &str) -> Result<String, Failure> {
    let editor = ctx.env.text("VISUAL").or_else(|| ctx.env.text("EDITOR"));
    let usage = |message: &str| {
        Failure::new(Kind::Usage, message, "give the new text: pimem edit ENTRY TEXT")
    };
    let editor = editor.ok_or_else(|| usage("there is no text, and no $VISUAL or $EDITOR"))?;
    let cache = ctx.env.cache.as_ref().ok_or_else(|| usage("there is no cache directory"))?;
    let dir = cache.join("pimem");
    atomic::create_dir(&dir, Sync::Private)?;
    let path = dir.join(format!("edit-{}.md", std::process::id()));
    atomic::replace_file(&path, format!("{text}\n").as_bytes(), Sync::Private, || Ok(true))?;
    // As git does: the variable may hold arguments, so a shell takes it apart; and it may be a
    // script, so no terminal is asked for.
    let script = format!("{editor} \"$@\"");
    let status = Command::new("sh").args(["-c", &script, "pimem"]).arg(&path).status();
    let edited = std::fs::read_to_string(&path);
    atomic::remove_derived(&path);
    match status {
        Ok(status) if status.success() => {}
        _ => return Err(usage(&format!("the editor {editor:?} failed"))),
    }
    edited.map_err(|error| Failure::from(anyhow::Error::new(error).context("the edited file")))
}
