//! `pimem undo`: reverts the last typed command.

use crate::{
    exit::Exit,
    shell::Shell,
    ui::{Human, Ui},
};
use pimem_core::{
    model::time::Timestamp,
    view::{self, undo::Undone},
};
use pimem_engine::{error::Failure, local_time};

/// Take back the last change that was typed on this machine
///
/// That of add, reinforce, edit, pin, unpin, forget, restore, remove, import, check --fix, dream, log,
/// todo or note; again for the one before it, 20 at most. Lines go back to where they were, and the log
/// notes that its events do not count. Refused when a line has changed since. Never takes back what
/// hooks, purge, trust or config did. Exit code 1 says that there is nothing left.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pimem undo\n  pimem undo --user")]
pub(crate) struct Args {}

pub(crate) fn run(ctx: &Shell, _: &Args) -> Result<Exit, Failure> {
    let view = ctx.undo()?;
    ctx.ui.show(&view);
    if view.command.is_none() {
        ctx.ui.note("nothing is left to take back");
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
