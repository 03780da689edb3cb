//! `pimem reflect`: consolidates observations into fewer words.

use pimem_engine::{
    error::Failure,
    memory::reflect::{ReflectRequest, Reflected},
};

use crate::{
    shell::{Exit, Shell},
    ui::{Human, Ui},
};

/// Consolidate observations
///
/// What informs only goes after two days, what might matter after three; older items are put on one
/// line, what is said twice is said once, and a newer state takes the place of an older one. What is
/// important and of the last two days stays word for word. When less than a tenth would go, it is done
/// once more and more strictly. With `reflector.provider` set, a language model does that; rules check
/// its answer, and do it themselves where there is none.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pimem reflect --dry-run\n  pimem reflect --if-due\n  \
    pimem reflect 3c9d1e52-7a40-4f1b-9d1e-0f6a2b7c8d90 --aggressive")]
pub(crate) struct ReflectArgs {
    /// Sessions, by id or by file [default: all that have observations]
    #[arg(value_name = "SESSION")]
    sessions: Vec<String>,
    /// Cut everything that is older than two days down to a line
    #[arg(long)]
    aggressive: bool,
    /// Leave files alone that have no more tokens than `reflector.observationTokenThreshold`
    #[arg(long)]
    if_due: bool,
    /// Show what would happen, and write nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(ctx: &Shell, args: &ReflectArgs) -> Result<Exit, Failure> {
    let view = ctx.reflect(&ReflectRequest {
        sessions: &args.sessions,
        aggressive: args.aggressive,
        if_due: args.if_due,
        dry_run: args.dry_run,
    })?;
    ctx.ui.show(&view);
    Ok(Exit::Done.unless_empty(view.sessions == 0))
}

impl Human for Reflected {
    fn human(&self, ui: &Ui) {
        for file in &self.files {
            ui.line(&file.line());
        }
    }
}
