//! `pimem list`: lists the entries with score and state.

use pimem_engine::{
    error::{Failure, FailureKind},
    memory::list::{EntryList, ListOrder, ListRequest, StateWord},
    view::{self, AccessedEntry, Whose},
};

use crate::{
    globals::choices,
    shell::{Exit, Shell},
    ui::{Column, Human, Style, Styled, Ui},
};

/// List entries with their score and state
#[derive(Debug, clap::Args)]
#[command(visible_alias = "ls")]
#[command(
    after_help = "Examples:\n  pimem list -n 10\n  pimem list -c decision --state active\n  \
    pimem list --tag database lock timeout"
)]
pub(crate) struct ListArgs {
    /// Only entries whose text contains this, in any case
    #[arg(value_name = "TEXT")]
    text: Vec<String>,
    /// Only entries of this category (repeatable)
    #[arg(long, short, value_name = "CATEGORY")]
    category: Vec<String>,
    /// Only entries of this topic, `topics/NAME.md` and the files that it goes on in
    #[arg(long, value_name = "NAME")]
    topic: Option<String>,
    /// Only entries in this state: active, provisional, candidate or dropped, or fresh, pinned,
    /// forgotten, expired, replaced, merged, archived, unreviewed, secret, unset or "seems replaced" (repeatable)
    #[arg(long, value_name = "STATE")]
    state: Vec<String>,
    /// Only entries with this tag (repeatable: with all of them)
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    /// Show at most this many
    #[arg(long = "limit", short = 'n', value_name = "N")]
    limit: Option<usize>,
    /// Order
    #[arg(long, value_name = "ORDER", default_value = "score", value_parser = choices(ORDERS))]
    sort: ListOrder,
}

const ORDERS: &[(&str, &str, ListOrder)] = &[
    ("score", "Strongest first", ListOrder::Score),
    ("age", "Most recently reinforced first", ListOrder::Age),
    ("hot", "Hottest topic first, then strongest", ListOrder::Hot),
];

pub(crate) fn run(ctx: &Shell, args: &ListArgs) -> Result<Exit, Failure> {
    let state = |name: &String| {
        StateWord::find(name).ok_or_else(|| {
            let hint = format!("one of {}", StateWord::all().collect::<Vec<_>>().join(", "));
            Failure::new(FailureKind::Usage, format!("unknown state {name:?}"), hint)
        })
    };
    let request = ListRequest {
        categories: &args.category,
        topic: args.topic.as_deref(),
        states: &args.state.iter().map(state).collect::<Result<Vec<_>, _>>()?,
        tags: &args.tag,
        text: &args.text.join(" "),
        limit: args.limit,
        order: args.sort,
    };
    let answer = ctx.list(&request)?;
    let EntryList { entries, of, no_topic } = &answer.view;
    // An empty store is not a failed search.
    let is_missed = entries.is_empty() && *of > 0 && args.limit != Some(0);
    let exit = ctx.show(&answer).unless_empty(is_missed);
    if is_missed && !ctx.ui.json {
        let looked = view::counted(*of, "entry", "entries");
        ctx.ui.note(&match &args.topic {
            Some(topic) if *no_topic => {
                format!("There is no topic {topic:?}: pimem topics lists them")
            }
            _ => format!("No entry matches, of {looked}: pimem list shows them"),
        });
    }
    Ok(exit)
}

impl Human for EntryList {
    fn human(&self, ui: &Ui) {
        let whose = Whose::of(self.entries.iter().map(|listed| listed.entry.scope));
        let cells = |AccessedEntry { entry, age, .. }: &AccessedEntry| {
            let text = view::labelled(whose.mark(entry.text.clone(), entry.scope), entry.label());
            let text = text + &entry.replaced_mark();
            vec![
                Styled::new(Style::Id, &entry.short),
                entry.category.as_str().into(),
                ui.state(&entry.described_state()),
                entry.formatted_score().into(),
                age.as_str().into(),
                text.into(),
            ]
        };
        let header = ["id", "category", "state"].map(Column::from).into_iter();
        let spare = [Column::spare(1, "score"), Column::spare(2, "age"), "text".into()];
        let header: Vec<Column<'_>> = header.chain(spare).collect();
        ui.table(&header, self.entries.iter().map(cells).collect());
    }

    fn when_empty(&self) -> Option<&'static str> {
        (self.of == 0).then_some("No entries to list; pimem add TEXT remembers something")
    }
}
