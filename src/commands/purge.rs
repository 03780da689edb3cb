//! `pimem forget --destroy`, and `pimem purge`: destroy entries. All other changes can be undone.

use pimem_engine::{
    error::{Failure, FailureKind},
    memory::purge::Purged,
};

use crate::{
    shell::{self, Exit, Outcome, Shell},
    ui::{Human, Ui},
};

/// Destroy entries: the same as `pimem forget --destroy`
#[derive(Debug, clap::Args)]
#[command(hide = true)]
pub(crate) struct PurgeArgs {
    /// Which entries: id, the beginning of one, or a part of the text (`-` reads standard input)
    #[arg(required = true, value_name = "ENTRY")]
    entries: Vec<String>,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
}

pub(crate) fn run(ctx: &Shell, args: &PurgeArgs) -> Result<Outcome, Failure> {
    destroy(ctx, &args.entries, args.yes)
}

/// Destroys entries, after a question if `yes` is false.
pub(super) fn destroy(ctx: &Shell, entries: &[String], yes: bool) -> Result<Outcome, Failure> {
    let (view, stale) = ctx.purge(&shell::selectors(entries)?, |lines| {
        if yes || shell::confirm(ctx, lines, "Destroy for good?")? {
            return Ok(());
        }
        let message = "nothing was destroyed";
        Err(Failure::new(FailureKind::Refused, message, "--yes does it without asking"))
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
