//! `pimem list`: all entries, with score and state.

use clap::ValueEnum;
use serde_json::{Value, json};

use crate::{exit::Exit, shell::Shell};
use pimem_core::{
    score::{
        ranking::{self, ScoredEntry},
        stability::State,
    },
    view::{Entries, Whose},
};
use pimem_engine::{
    error::{Failure, Kind},
    memory::{self, intake, telemetry::Accesses},
};

/// List entries with their score and state
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only entries of this category (repeatable)
    #[arg(long, short, value_name = "CATEGORY")]
    category: Vec<String>,
    /// Only entries of this topic, `topics/NAME.md` and the files that it goes on in
    #[arg(long, value_name = "NAME")]
    topic: Option<String>,
    /// Only entries in this state: active, provisional, candidate, dropped (repeatable)
    #[arg(long, value_name = "STATE")]
    state: Vec<String>,
    /// Order
    #[arg(long, value_enum, value_name = "ORDER", default_value = "score")]
    sort: Sort,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Sort {
    /// Strongest first
    Score,
    /// Most recently reinforced first
    Age,
    /// Hottest topic first, then strongest
    Hot,
}

pub(crate) fn run(ctx: &Shell, args: &Args) -> Result<Exit, Failure> {
    let mut categories = Vec::new();
    for name in &args.category {
        categories.push(intake::category(ctx, name)?);
    }
    let mut states = Vec::new();
    for name in &args.state {
        states.push(State::find(name).ok_or_else(|| {
            let hint = "one of active, provisional, candidate, dropped";
            Failure::new(Kind::Usage, format!("unknown state {name:?}"), hint)
        })?);
    }
    let topic = args.topic.as_deref();
    let stores = ctx.readers()?;
    let (board, snapshots) = ctx.own_board(&stores);
    let entries = Entries::new(ctx.now, &ctx.config.categories, &board);
    let mut rows: Vec<&ScoredEntry> = board
        .rows
        .iter()
        .filter(|row| categories.is_empty() || categories.contains(&row.entry.category))
        .filter(|row| topic.is_none_or(|topic| intake::is_of_topic(&row.entry.topic, topic)))
        .filter(|row| states.is_empty() || states.contains(&row.state))
        .collect();
    match args.sort {
        Sort::Score => {}
        Sort::Age => {
            rows.sort_by_key(|row| (std::cmp::Reverse(row.evidence.last_reinforced), row.entry.id));
        }
        Sort::Hot => {
            let heat = |row: &ScoredEntry| {
                let topics = board.topics(row.entry.scope);
                topics.get(row.entry.topic.as_str()).map_or(0.0, |rows| ranking::hotness(rows))
            };
            rows.sort_by(|a, b| heat(b).total_cmp(&heat(a)));
        }
    }
    if ctx.ui.json {
        let accesses = Accesses::of(ctx, &stores);
        let ledgers = || snapshots.iter().map(|held| &held.ledger);
        let json =
            |row: &&ScoredEntry| entries.accessed(row, accesses.get(row.entry.id, ledgers()));
        let list: Vec<Value> = rows.iter().map(json).collect();
        ctx.ui.document(&json!({"schema": "pimem.list/1", "entries": list}));
    } else {
        let whose = Whose::of(&rows.iter().map(|row| row.entry.scope));
        let cells = |row: &&ScoredEntry| {
            let text = whose.mark(row.entry.text.clone(), row.entry.scope);
            let category = entries.category(row).to_owned();
            let score = Entries::score(row);
            vec![
                entries.short(row.entry.id),
                category,
                Entries::state(row),
                score,
                entries.age(row),
                text,
            ]
        };
        let header = ["id", "category", "state", "score", "age", "text"];
        if !rows.is_empty() {
            ctx.ui.table(&header, rows.iter().map(cells).collect());
        }
    }
    Ok(ctx.complain(&memory::problems(&snapshots), Exit::Done))
}
