//! `pin`, `unpin`, `forget`, `restore` and `remove`: a person's decisions about entries.

use crate::{
    exit::Exit,
    input,
    shell::Shell,
    ui::{Human, Ui},
};
use pimem_core::view::curate::{Action, Curated};
use pimem_engine::error::Failure;

/// Never let entries fade
///
/// A pinned entry is always in the report, in no cap and outside the budget.
#[derive(Debug, clap::Args)]
pub(crate) struct PinArgs {
    /// Which entries: id, the beginning of one, or a part of the text (`-` reads standard input)
    #[arg(required = true, value_name = "ENTRY")]
    entries: Vec<String>,
}

/// Let entries fade again
#[derive(Debug, clap::Args)]
pub(crate) struct UnpinArgs {
    /// Which entries: id, the beginning of one, or a part of the text (`-` reads standard input)
    #[arg(required = true, value_name = "ENTRY")]
    entries: Vec<String>,
}

/// Drop entries from reports and searches
///
/// The line stays in its topic file, and `pimem restore` takes it back. To make room in a topic, use
/// `pimem remove`, which moves the line to the archive; to destroy it for good, `pimem purge`.
#[derive(Debug, clap::Args)]
#[command(visible_alias = "rm")]
pub(crate) struct ForgetArgs {
    /// Which entries: id, the beginning of one, or a part of the text (`-` reads standard input)
    #[arg(required = true, value_name = "ENTRY")]
    entries: Vec<String>,
}

/// Bring entries back that were forgotten, removed or archived
///
/// Those that were replaced, and those past their last day, come back too. Lines have the markers that
/// they had. Only what was purged cannot come back.
#[derive(Debug, clap::Args)]
pub(crate) struct RestoreArgs {
    /// Which entries: id, the beginning of one, or a part of the text (`-` reads standard input)
    #[arg(required = true, value_name = "ENTRY")]
    entries: Vec<String>,
}

/// Move entries from their topic file to the archive
///
/// This makes room in the topic: the line leaves its file for archive/, and `pimem restore` brings it
/// back. `pimem forget` leaves the line where it is, and `pimem purge` destroys it for good.
#[derive(Debug, clap::Args)]
pub(crate) struct RemoveArgs {
    /// Which entries: id, the beginning of one, or a part of the text (`-` reads standard input)
    #[arg(required = true, value_name = "ENTRY")]
    entries: Vec<String>,
}

pub(crate) fn pin(ctx: &Shell, args: &PinArgs) -> Result<Exit, Failure> {
    decide(ctx, Action::Pinned, &args.entries)
}

pub(crate) fn unpin(ctx: &Shell, args: &UnpinArgs) -> Result<Exit, Failure> {
    decide(ctx, Action::Unpinned, &args.entries)
}

pub(crate) fn forget(ctx: &Shell, args: &ForgetArgs) -> Result<Exit, Failure> {
    decide(ctx, Action::Forgot, &args.entries)
}

pub(crate) fn remove(ctx: &Shell, args: &RemoveArgs) -> Result<Exit, Failure> {
    decide(ctx, Action::Removed, &args.entries)
}

pub(crate) fn restore(ctx: &Shell, args: &RestoreArgs) -> Result<Exit, Failure> {
    decide(ctx, Action::Restored, &args.entries)
}

fn decide(ctx: &Shell, action: Action, selectors: &[String]) -> Result<Exit, Failure> {
    ctx.ui.show(&ctx.curate(action, &input::selectors(selectors)?)?);
    Ok(Exit::Done)
}

impl Human for Curated {
    fn human(&self, ui: &Ui) {
        for result in &self.results {
            ui.line(&format!("{}: {}", self.action.verb(), result.entry.line()));
            if result.shown_elsewhere {
                ui.line(&format!(
                    "    Your own store holds it too, and reports go on showing that: \
                     pimem --user forget {:.7}",
                    result.entry.id
                ));
            }
        }
    }
}
