//! `pin`, `unpin`, `forget` and `restore`: a person's decisions about entries.

use pimem_core::score::ranking::Scope;
use pimem_engine::{
    error::{Failure, FailureKind},
    memory::{
        pins::{Curated, PinAction},
        purge::Purged,
    },
};

use crate::{
    shell::{self, Exit, Outcome, Shell},
    ui::{Human, Ui},
};

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
/// The line leaves its topic for archive/, which makes room, and no agent is told it any more;
/// `pimem restore` brings it back with its markers. With --archive it is put away and not forgotten:
/// search --in archive still finds it, and it may be learned again. With --destroy nothing brings it
/// back: text, evidence and index are destroyed wherever this machine has them, among entries,
/// forgotten ones, the archive and mirrors. Notes, logs, the history of git and other clones are not
/// touched, so a secret that was committed has to be revoked.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  pimem forget 262e38a\n  pimem forget --destroy --yes 'old password'"
)]
pub(crate) struct ForgetArgs {
    /// Which entries: id, the beginning of one, or a part of the text (`-` reads standard input)
    #[arg(required = true, value_name = "ENTRY")]
    entries: Vec<String>,
    /// Move the line to the archive, and leave the entry in force
    #[arg(long, conflicts_with = "destroy")]
    archive: bool,
    /// Destroy text, evidence and index for good
    #[arg(long)]
    destroy: bool,
    /// Do not ask before something is destroyed
    #[arg(long, short, requires = "destroy")]
    yes: bool,
}

impl ForgetArgs {
    /// Returns true if `undo` cannot take it back.
    pub(crate) fn destroys(&self) -> bool {
        self.destroy
    }
}

/// Bring entries back that were forgotten or archived
///
/// Those that were replaced, and those past their last day, come back too. Lines have the markers that
/// they had. What was destroyed elsewhere, and came by pimem sync, can be restored for 30 days; what was
/// destroyed here cannot come back.
#[derive(Debug, clap::Args)]
pub(crate) struct RestoreArgs {
    /// Which entries: id, the beginning of one, or a part of the text (`-` reads standard input)
    #[arg(required = true, value_name = "ENTRY")]
    entries: Vec<String>,
}

pub(crate) fn pin(ctx: &Shell, args: &PinArgs) -> Result<Exit, Failure> {
    decide(ctx, PinAction::Pinned, &args.entries)
}

pub(crate) fn unpin(ctx: &Shell, args: &UnpinArgs) -> Result<Exit, Failure> {
    decide(ctx, PinAction::Unpinned, &args.entries)
}

pub(crate) fn forget(ctx: &Shell, args: &ForgetArgs) -> Result<Outcome, Failure> {
    if args.destroy {
        return destroy(ctx, &args.entries, args.yes);
    }
    let action = if args.archive { PinAction::Removed } else { PinAction::Forgot };
    decide(ctx, action, &args.entries).map(|exit| (exit, Vec::new()))
}

/// Destroys entries, after a question if `yes` is false.
fn destroy(ctx: &Shell, entries: &[String], yes: bool) -> Result<Outcome, Failure> {
    let (view, stale) = ctx.memory.writing().purge(&shell::selectors(entries)?, |lines| {
        if yes || shell::confirm(ctx, lines, "Destroy for good?")? {
            return Ok(());
        }
        let message = "nothing was destroyed";
        Err(Failure::new(FailureKind::Refused, message, "--yes does it without asking"))
    })?;
    ctx.ui.show(&view);
    Ok((Exit::Done, stale))
}

pub(crate) fn restore(ctx: &Shell, args: &RestoreArgs) -> Result<Exit, Failure> {
    decide(ctx, PinAction::Restored, &args.entries)
}

fn decide(ctx: &Shell, action: PinAction, selectors: &[String]) -> Result<Exit, Failure> {
    ctx.ui.show(&ctx.memory.writing().curate(action, &shell::selectors(selectors)?)?);
    Ok(Exit::Done)
}

impl Human for Curated {
    fn human(&self, ui: &Ui) {
        for result in &self.results {
            let verb = if result.already { self.action.already() } else { self.action.verb() };
            ui.line(&format!("{verb}: {}", result.entry.line()));
            if let Some(next) = &result.next {
                super::add::tell(ui, next);
            }
            for back in &result.back {
                ui.line(&format!(
                    "    In force again, as this had replaced it: {}; if it is wrong: pimem forget {}",
                    back.line(),
                    back.short
                ));
            }
            if let Some(other) = result.shown_elsewhere {
                let way = other.name();
                let (whose, option) = match other {
                    Scope::Above(_) => {
                        (format!("The store of {way}"), format!("--dir {way}/.pi/memory"))
                    }
                    _ => ("Your own store".to_owned(), "--user".to_owned()),
                };
                ui.line(&format!(
                    "    {whose} holds it too, and reports go on showing that: \
                     pimem {option} forget {:.7}",
                    result.entry.id
                ));
            }
        }
    }
}

impl Human for Purged {
    fn human(&self, ui: &Ui) {
        for entry in &self.entries {
            ui.line(&format!("Destroyed: {entry}"));
        }
    }
}
