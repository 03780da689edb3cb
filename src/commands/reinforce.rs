//! `pimem reinforce`: records that an entry was right again, or harmful.

use pimem_core::model::event::MOST_PROOFS;
use pimem_engine::{
    error::{Failure, FailureKind},
    memory::{
        curate::{Proof, Reinforced},
        next::ChangedEntry,
    },
};

use crate::{
    shell::{self, Exit, Shell},
    ui::{Human, Ui},
};

/// Strengthen entries that proved right
///
/// Restarts its decay and adds evidence. ENTRY is an id, a unique id prefix (at least 7 digits), the
/// exact text, or a part of the text that only one entry has.
#[derive(Debug, clap::Args)]
pub(crate) struct ReinforceArgs {
    /// Which entries (`-` reads them from standard input, one a line)
    #[arg(required = true, value_name = "ENTRY")]
    entries: Vec<String>,
    /// How much evidence to add
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_PROOFS)))]
    by: u32,
    /// Weaken them instead, because they proved wrong: each counts as four pieces of evidence less
    #[arg(long)]
    harmful: bool,
}

pub(crate) fn run(ctx: &Shell, args: &ReinforceArgs) -> Result<Exit, Failure> {
    let proof = if args.harmful { Proof::Wrong(args.by) } else { Proof::Right(args.by) };
    let selectors = shell::selectors(&args.entries)?;
    let done = ctx.memory.writing().reinforce(&selectors, proof);
    let done = done.or_else(|failure| match failure.kind {
        // What proved right is wanted.
        FailureKind::NotFound
            if !args.harmful && ctx.memory.writing().bring_back(&selectors)? =>
        {
            ctx.memory.writing().reinforce(&selectors, proof)
        }
        _ => Err(failure),
    });
    ctx.ui.show(&done?);
    Ok(Exit::Done)
}

impl Human for Reinforced {
    fn human(&self, ui: &Ui) {
        let verb = if self.harmful { "Marked harmful" } else { "Reinforced" };
        for ChangedEntry { entry, next } in &self.results {
            ui.line(&format!(
                "{verb}: {} evidence {}, score {}, {}",
                entry.line(),
                entry.evidence,
                entry.formatted_score(),
                entry.described_state()
            ));
            super::add::tell(ui, next);
        }
    }
}
