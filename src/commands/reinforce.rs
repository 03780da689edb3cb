//! `pimem reinforce`: records that an entry was right again, or harmful.

use crate::{
    exit::Exit,
    input,
    shell::Shell,
    ui::{Human, Ui},
};
use pimem_core::view::curate::Reinforced;
use pimem_engine::{error::Failure, memory::curate::Proof};

/// Strengthen entries that proved right
///
/// Restarts its decay and adds evidence. ENTRY is an id, a unique id prefix (at least 7 digits), the
/// exact text, or a part of the text that only one entry has.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Which entries (`-` reads them from standard input, one a line)
    #[arg(required = true, value_name = "ENTRY")]
    entries: Vec<String>,
    /// How much evidence to add
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    by: u32,
    /// Weaken them instead, because they proved wrong: each counts as four pieces of evidence less
    #[arg(long)]
    harmful: bool,
}

pub(crate) fn run(ctx: &Shell, args: &Args) -> Result<Exit, Failure> {
    let proof = if args.harmful { Proof::Wrong(args.by) } else { Proof::Right(args.by) };
    ctx.ui.show(&ctx.reinforce(&input::selectors(&args.entries)?, proof)?);
    Ok(Exit::Done)
}

impl Human for Reinforced {
    fn human(&self, ui: &Ui) {
        let verb = if self.harmful { "Marked harmful" } else { "Reinforced" };
        for entry in &self.results {
            ui.line(&format!(
                "{verb}: {} evidence {}, score {}, {}",
                entry.line(),
                entry.evidence,
                entry.formatted_score(),
                entry.described_state()
            ));
        }
    }
}
