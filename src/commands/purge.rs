//! `pimem purge`: destroys entries. All other changes can be undone.

use crate::{
    exit::{Exit, Outcome},
    input,
    shell::Shell,
    ui::{Human, Ui},
};
use pimem_core::view::undo::Purged;
use pimem_engine::error::{Failure, Kind};

/// Destroy entries: text, evidence and index
///
/// For what must not stay anywhere in the store: unlike `pimem forget`, which only hides an entry, and
/// `pimem remove`, which moves it to the archive, nothing brings it back. Looks among entries, forgotten
/// ones and the archive. Notes, logs, the history of git and other clones are not touched, so a secret
/// that was committed has to be revoked.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pimem purge 262e38a\n  pimem purge --yes 'old password'")]
pub(crate) struct Args {
    /// Which entries: id, the beginning of one, or a part of the text (`-` reads standard input)
    #[arg(required = true, value_name = "ENTRY")]
    entries: Vec<String>,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
}

pub(crate) fn run(ctx: &Shell, args: &Args) -> Result<Outcome, Failure> {
    let (view, stale) = ctx.purge(&input::selectors(&args.entries)?, |lines| {
        if args.yes || input::confirm(ctx, lines, "Destroy for good?")? {
            return Ok(());
        }
        let message = "nothing was destroyed";
        Err(Failure::new(Kind::Refused, message, "--yes does it without asking"))
    })?;
    ctx.ui.show(&view);
    Ok((Exit::Done, stale))
}

impl Human for Purged {
    fn human(&self, ui: &Ui) {
        for entry in &self.entries {
            ui.line(&format!("Destroyed: {entry}"));
        }
    }
}
