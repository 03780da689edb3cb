//! `pimem show`: everything about one entry.

use serde_json::json;

use crate::{exit::Exit, shell::Shell};
use pimem_core::view::{self, Entries};
use pimem_engine::{
    error::Failure,
    memory::{self, selector, telemetry::Accesses},
};

/// Show all that is known about an entry
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Id, unique id prefix, exact text, or a part of it that only one entry has
    #[arg(value_name = "ENTRY")]
    entry: String,
}

pub(crate) fn run(ctx: &Shell, args: &Args) -> Result<Exit, Failure> {
    let stores = ctx.readers()?;
    let (board, snapshots) = ctx.own_board(&stores);
    let row = selector::entry(ctx, &board, &memory::problems(&snapshots), &args.entry)?;
    let entries = Entries::new(ctx.now, &ctx.config.categories, &board);
    if ctx.ui.json {
        let accesses = Accesses::of(ctx, &stores);
        let accessed = accesses.get(row.entry.id, snapshots.iter().map(|held| &held.ledger));
        let entry = entries.accessed(row, accessed);
        ctx.ui.document(&json!({"schema": "pimem.show/1", "entry": entry}));
    } else {
        let evidence = &row.evidence;
        let age = |time| {
            let age = ctx.now.since(time).to_string();
            if age == "now" { format!("{time} (now)") } else { format!("{time} ({age} ago)") }
        };
        let mut lines = vec![
            ("text", row.entry.text.clone()),
            ("id", row.entry.id.to_string()),
            ("category", entries.category(row).to_owned()),
            ("state", Entries::state(row)),
            ("score", Entries::score(row)),
            ("cue", format!("{} (weight {})", evidence.cue.name(), evidence.cue.weight())),
            ("evidence", evidence.count.to_string()),
            ("first seen", age(evidence.first_seen)),
            ("last reinforced", age(evidence.last_reinforced)),
            ("user state", view::user_state(row).name().to_owned()),
        ];
        if let Some(until) = evidence.until {
            lines.push(("valid until", until.to_string()));
        }
        if let Some(by) = row.superseded_by.and_then(|by| board.get(by)) {
            lines.push(("superseded by", entries.line(by)));
        }
        let file = format!(
            "{} store, topics/{}.md:{}",
            row.entry.scope.name(),
            row.entry.topic,
            row.entry.line
        );
        lines.push(("where", file));
        for (name, value) in lines {
            ctx.ui.line(&format!("{name:<16} {value}"));
        }
    }
    Ok(ctx.complain(&memory::problems(&snapshots), Exit::Done))
}
