//! `pimem undo`: reverts the last typed command.

use pimem_core::model::time::Timestamp;
use pimem_engine::{error::Failure, local_time, memory::undo::Undone, store::undo::STEPS, view};

use crate::{
    shell::{Exit, Shell},
    ui::{Human, Ui},
};

/// Take back the last change that was typed on this machine
///
/// That of add, reinforce, edit, pin, unpin, forget, restore, import, check --fix, dream, log,
/// todo or note; again for the one before it, 20 at most. Lines go back to where they were, and the log
/// notes that its events do not count. Refused when a line has changed since. What a hook learned of a
/// prompt is taken back by the ID that it told, and by nothing else. Never takes back what hooks noted
/// otherwise, or what forget --destroy, trust or config did. Exit code 1 says that there is nothing left.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pimem undo\n  pimem undo 3f2a9c01\n  pimem undo --user")]
pub(crate) struct UndoArgs {
    /// The step to take back instead of the last one that was typed
    #[arg(value_name = "ID")]
    id: Option<String>,
}

pub(crate) fn run(ctx: &Shell, args: &UndoArgs) -> Result<Exit, Failure> {
    let view = ctx.memory.writing().undo(args.id.as_deref())?;
    ctx.ui.show(&view);
    match view.older {
        _ if view.command.is_some() => {}
        0 => ctx.ui.note("nothing is left to take back"),
        older => ctx.ui.note(&format!(
            "{STEPS} steps are kept, and they are taken back; before them were {}",
            view::count(older, "step")
        )),
    }
    if view.buried > 0 {
        let lines = view::count(view.buried, "line");
        ctx.ui.note(&format!("{lines} purged elsewhere can be restored: pimem status"));
    }
    Ok(Exit::Done.unless_empty(view.command.is_none()))
}

impl Human for Undone {
    fn human(&self, ui: &Ui) {
        let Some((command, change)) = self.command.as_ref().zip(self.change.as_ref()) else {
            return;
        };
        let when = Timestamp::parse(&change.at).map(local_time::local);
        let when = when.map(|when| format!("{} {}", when.date, when.clock()));
        let (when, events) = (when.as_ref().unwrap_or(&change.at), change.events);
        ui.line(&format!("Taken back: {command} of {when} ({})", view::count(events, "event")));
        for line in &change.lines {
            ui.line(&format!("{}: {}", line.file, line.line));
        }
    }
}
