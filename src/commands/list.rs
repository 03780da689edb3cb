//! `pimem list`: lists the entries with score and state.

use clap::ValueEnum;

use crate::{
    exit::Exit,
    shell::Shell,
    ui::{Human, Ui},
};
use pimem_core::{
    score::stability::State,
    view::{
        self, Whose,
        list::{AccessedEntry, Listed},
    },
};
use pimem_engine::{
    error::{Failure, Kind},
    memory::list::{ListOrder, ListRequest},
};

/// List entries with their score and state
#[derive(Debug, clap::Args)]
#[command(visible_alias = "ls")]
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
    let state = |name: &String| {
        State::find(name).ok_or_else(|| {
            let hint = "one of active, provisional, candidate, dropped";
            Failure::new(Kind::Usage, format!("unknown state {name:?}"), hint)
        })
    };
    let request = ListRequest {
        categories: &args.category,
        topic: args.topic.as_deref(),
        states: &args.state.iter().map(state).collect::<Result<Vec<_>, _>>()?,
        order: match args.sort {
            Sort::Score => ListOrder::Score,
            Sort::Age => ListOrder::Age,
            Sort::Hot => ListOrder::Hot,
        },
    };
    Ok(ctx.show(&ctx.list(&request)?))
}

impl Human for Listed {
    fn human(&self, ui: &Ui) {
        let whose = Whose::of(self.entries.iter().map(|listed| listed.entry.scope));
        let cells = |AccessedEntry { entry, age, .. }: &AccessedEntry| {
            vec![
                entry.short.clone(),
                entry.category.clone(),
                entry.described_state(),
                entry.formatted_score(),
                age.clone(),
                view::labelled(whose.mark(entry.text.clone(), entry.scope), entry.label()),
            ]
        };
        let header = ["id", "category", "state", "score", "age", "text"];
        ui.table(&header, self.entries.iter().map(cells).collect());
    }
}
