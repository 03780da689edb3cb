//! `pimem reinforce`: say that a memory was right again, or in the way.
//!
//! Never adds an entry and never edits a topic file.

use serde_json::{Value, json};

use super::curate;
use crate::{exit::Exit, input, shell::Shell};
use pimem_core::{model::event::EventKind, view::Entries};
use pimem_engine::error::Failure;

/// Record that a memory proved right
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
    /// Record that it proved wrong instead: takes four pieces of evidence away for each
    #[arg(long)]
    harmful: bool,
}

pub(crate) fn run(ctx: &Shell, args: &Args) -> Result<Exit, Failure> {
    let kind =
        if args.harmful { EventKind::Harmful(args.by) } else { EventKind::Reinforce(args.by) };
    let selectors = input::selectors(&args.entries)?;
    let curate::Changed { after: board, rows, .. } =
        curate::on_each(ctx, &selectors, |txn, row| txn.record(row.entry.id, kind.clone()))?;
    let entries = Entries::new(ctx.now, &ctx.config.categories, &board);
    if ctx.ui.json {
        let results: Vec<Value> = rows.iter().map(|row| entries.json(row)).collect();
        ctx.ui.document(&json!({"schema": "pimem.reinforce/1", "results": results}));
        return Ok(Exit::Done);
    }
    for row in &rows {
        let verb = if args.harmful { "Marked harmful" } else { "Reinforced" };
        let (count, score, state) = (row.evidence.count, Entries::score(row), Entries::state(row));
        ctx.ui.line(&format!(
            "{verb}: {} evidence {count}, score {score}, {state}",
            entries.line(row)
        ));
    }
    Ok(Exit::Done)
}
