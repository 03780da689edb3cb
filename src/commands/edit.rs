//! `pimem edit`: changes the text of an entry. The entry keeps its evidence.

use std::process::Command;

use pimem_engine::{
    error::{Failure, FailureKind},
    memory::edit::Edited,
    store::atomic::{self, Sync},
};

use crate::{
    shell::{self, Exit, Shell},
    ui::{Human, Ui},
};

/// Change the text of an entry
///
/// Evidence, pin and history stay with it. Without TEXT and --priority, the entry is opened in $VISUAL
/// or $EDITOR.
#[derive(Debug, clap::Args)]
pub(crate) struct EditArgs {
    /// Which entry
    #[arg(value_name = "ENTRY")]
    entry: String,
    /// What its score is under the policy weighted, from above 0 to 1; 0 takes it back
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    priority: Option<String>,
    /// The new text
    #[arg(value_name = "TEXT")]
    text: Vec<String>,
}

pub(crate) fn run(ctx: &Shell, args: &EditArgs) -> Result<Exit, Failure> {
    let priority = args.priority.as_deref().map(|text| shell::share("--priority", text));
    let priority = priority.transpose()?;
    let mut edited = None;
    if !args.text.is_empty() || priority.is_none() {
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
    if let Some(priority) = priority {
        let entry = edited.as_ref().map_or(&args.entry, |edited| &edited.entry.id);
        let found = ctx.memory.writing().prioritize(entry, priority)?;
        ctx.memory.writing().say_unweighted();
        let from = edited.map_or_else(|| found.from.clone(), |edited| edited.from);
        edited = Some(Edited { from, ..found });
    }
    match edited {
        Some(edited) => ctx.ui.show(&edited),
        None => ctx.ui.note("Nothing changed"),
    }
    Ok(Exit::Done)
}

impl Human for Edited {
    fn human(&self, ui: &Ui) {
        ui.line(&format!("Edited: {}", self.entry.line()));
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
