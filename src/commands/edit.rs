//! `pimem edit`: changes the text of an entry. The entry keeps its evidence.

use std::process::Command;

use pimem_core::model::rules::{LineAsides, LineRule};
use pimem_engine::{
    error::{Failure, FailureKind},
    memory::{edit::Edited, intake},
    store::{
        atomic::{self, Sync},
        transaction::NewMarkers,
    },
};

use super::add::{RuleArgs, tell_guards};
use crate::{
    shell::{self, Exit, Shell},
    ui::{Human, Ui},
};

/// Change the text of an entry
///
/// Evidence, pin and history stay with it. Without TEXT and another change, the entry is opened in
/// $VISUAL or $EDITOR.
#[derive(Debug, clap::Args)]
pub(crate) struct EditArgs {
    /// Which entry
    #[arg(value_name = "ENTRY")]
    entry: String,
    /// What its score is under the policy weighted, from above 0 to 1; 0 takes it back
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    priority: Option<String>,
    /// How it is asked for in words that it does not say itself, in place of what stood there
    /// (repeatable, at most 4 of 12 words)
    #[arg(long, value_name = "QUESTION", conflicts_with = "no_asked")]
    asked: Vec<String>,
    /// It is asked for as nothing but its text
    #[arg(long)]
    no_asked: bool,
    #[command(flatten)]
    rules: RuleArgs,
    /// It counts everywhere
    #[arg(long, conflicts_with = "place")]
    no_place: bool,
    /// It forbids nothing
    #[arg(long, conflicts_with_all = ["forbid", "forbid_command", "protect"])]
    no_guard: bool,
    /// The new text
    #[arg(value_name = "TEXT")]
    text: Vec<String>,
}

pub(crate) fn run(ctx: &Shell, args: &EditArgs) -> Result<Exit, Failure> {
    let priority = args.priority.as_deref().map(|text| shell::share("--priority", text));
    let priority = priority.transpose()?;
    let asked = intake::asked(&args.asked)?;
    let asked = Some(asked).filter(|asked| args.no_asked || !asked.is_empty());
    let rules = args.rules.rules()?;
    let rules_change = args.no_place || args.no_guard || !rules.is_empty();
    let asks = asked.is_some() || rules_change;
    let mut edited = None;
    if !args.text.is_empty() || priority.is_none() && !asks {
        let edit = || {
            ctx.memory.writing().edit(&args.entry, |old| {
                if args.text.is_empty() { ask(ctx, old) } else { Ok(args.text.join(" ")) }
            })
        };
        let selectors = [args.entry.clone()];
        edited = edit().or_else(|failure| match failure.kind {
            // What is reworded is wanted.
            FailureKind::NotFound if ctx.memory.writing().bring_back(&selectors)? => edit(),
            _ => Err(failure),
        })?;
    }
    if asks {
        let new = |known: &LineAsides| {
            let keeps =
                |rule: &LineRule| !if rule.is_guard() { args.no_guard } else { args.no_place };
            let kept = known.rules.only(keeps).with(&rules);
            let rules = rules_change.then_some(kept);
            NewMarkers { pinned: None, asked: asked.clone(), rules }
        };
        edited = Some(then(edited, &args.entry, |id| ctx.memory.writing().set_aside(id, new))?);
    }
    if let Some(priority) = priority {
        let prioritize = |id: &str| ctx.memory.writing().prioritize(id, priority);
        edited = Some(then(edited, &args.entry, prioritize)?);
        ctx.memory.writing().say_unweighted();
    }
    match edited {
        Some(edited) => {
            ctx.ui.show(&edited);
            tell_guards(ctx, &rules);
        }
        None => ctx.ui.note("Nothing changed"),
    }
    Ok(Exit::Done)
}

/// Changes the entry that was named, or what it has become.
fn then(
    edited: Option<Edited>,
    named: &str,
    change: impl FnOnce(&str) -> Result<Edited, Failure>,
) -> Result<Edited, Failure> {
    let found = change(edited.as_ref().map_or(named, |edited| &edited.entry.id))?;
    let from = edited.map_or_else(|| found.from.clone(), |edited| edited.from);
    Ok(Edited { from, ..found })
}

impl Human for Edited {
    fn human(&self, ui: &Ui) {
        ui.line(&format!("Edited: {}{}", self.entry.line(), self.entry.asides_mark()));
        super::add::tell(ui, &self.next);
    }
}

/// Opens the text in an editor, in a file that only the owner can read.
fn ask(ctx: &Shell, text: &str) -> Result<String, Failure> {
    let editor = ctx.memory.env.text("VISUAL").or_else(|| ctx.memory.env.text("EDITOR"));
    let usage = |message: &str| {
        Failure::new(FailureKind::Usage, message, "give the new text: pimem edit ENTRY TEXT")
    };
    let editor = editor.ok_or_else(|| usage("there is no text, and no $VISUAL or $EDITOR"))?;
    let cache =
        ctx.memory.env.cache.as_ref().ok_or_else(|| usage("there is no cache directory"))?;
    let dir = cache.join("pimem");
    atomic::create_dir(&dir, Sync::Private)?;
    let path = dir.join(format!("edit-{}.md", std::process::id()));
    atomic::replace_file(&path, format!("{text}\n").as_bytes(), Sync::Private, || Ok(true))?;
    // As in git: a shell splits the variable, because it may contain arguments. No terminal is
    // required, because the editor may be a script.
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
