//! `pimem list`: lists the entries with score and state, the topics with hotness and size, and past
//! sessions.

use pimem_core::report::budget::Tokens;
use pimem_engine::{
    error::{Failure, FailureKind},
    memory::{
        list::{EntryList, ListOrder, ListRequest, StateWord, TopicView, Topics},
        sessions::{SessionView, Sessions},
    },
    view::{self, AccessedEntry, Whose},
};

use crate::{
    globals::choices,
    shell::{Exit, Shell},
    ui::{Column, Human, Style, Styled, Ui},
};

/// Characters shown of a session's id, and of its summary.
const SESSION: (usize, usize) = (8, 100);
/// Past sessions that are listed.
const SESSIONS: usize = 20;

/// List entries with their score and state, topics, or past sessions
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
    /// The scores of all entries, as by pimem why --all
    #[arg(long, hide_short_help = true, group = "other",
        conflicts_with_all = ["text", "category", "topic", "state", "tag", "limit"])]
    score: bool,
    /// List topics with their size and hotness, the sum of the scores of their entries
    ///
    /// A topic that goes on in other files is listed once. It is cold when nothing in it was
    /// reinforced for twice its decay constant, and nothing is pinned or enforced.
    #[arg(long, group = "other", conflicts_with_all = ["text", "category", "topic", "state", "tag", "limit"])]
    topics: bool,
    /// List past sessions, the newest 20 first
    #[arg(long, group = "other", conflicts_with_all = ["text", "category", "topic", "state", "tag"])]
    sessions: bool,
}

const ORDERS: &[(&str, &str, ListOrder)] = &[
    ("score", "Strongest first", ListOrder::Score),
    ("age", "Most recently reinforced first", ListOrder::Age),
    ("hot", "Hottest topic first, then strongest", ListOrder::Hot),
];

pub(crate) fn run(ctx: &Shell, args: &ListArgs) -> Result<Exit, Failure> {
    if args.score {
        return Ok(ctx.show(&ctx.memory.reading().score(None)?));
    }
    if args.topics {
        return Ok(ctx.show(&ctx.memory.reading().topics()?));
    }
    if args.sessions {
        return Ok(ctx.show(&ctx.memory.reading().sessions(args.limit.unwrap_or(SESSIONS))?));
    }
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
    let answer = ctx.memory.reading().list(&request)?;
    let EntryList { entries, of, no_topic } = &answer.view;
    // An empty store is not a failed search.
    let is_missed = entries.is_empty() && *of > 0 && args.limit != Some(0);
    let exit = ctx.show(&answer).unless_empty(is_missed);
    if is_missed && !ctx.ui.json {
        let looked = view::counted(*of, "entry", "entries");
        ctx.ui.note(&match &args.topic {
            Some(topic) if *no_topic => {
                format!("There is no topic {topic:?}: pimem list --topics shows them")
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
            let text = text + &entry.replaced_mark() + &entry.branch_mark() + &entry.asides_mark();
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

impl Human for Topics {
    fn human(&self, ui: &Ui) {
        let header = ["topic", "store", "entries", "hotness", "tokens", "files", "full"];
        ui.table(&header, self.topics.iter().map(topic_cells).collect());
    }

    fn when_empty(&self) -> Option<&'static str> {
        self.topics.is_empty().then_some("No topics yet; pimem add TEXT makes the first")
    }
}

fn topic_cells(topic: &TopicView) -> Vec<String> {
    let heat = match topic {
        TopicView { pinned: true, .. } => "pinned".to_owned(),
        TopicView { cold: true, .. } => format!("{:.1} (cold)", topic.hotness),
        _ => format!("{:.1}", topic.hotness),
    };
    vec![
        topic.name.clone(),
        topic.scope.to_owned(),
        topic.entries.to_string(),
        heat,
        Tokens(topic.tokens).to_string(),
        topic.files.to_string(),
        format!("{}%", topic.percent_full),
    ]
}

impl Human for Sessions {
    fn human(&self, ui: &Ui) {
        let whose = Whose::of(self.sessions.iter().filter_map(|session| session.scope));
        let row = |session: &SessionView| {
            let [date, agent, id, about] = session_cells(session);
            vec![date, agent, id, whose.mark(about, session.scope.unwrap_or_default())]
        };
        let rows = self.sessions.iter().map(row).collect();
        ui.table(&["date", "agent", "session", "about"], rows);
    }

    fn when_empty(&self) -> Option<&'static str> {
        self.sessions
            .is_empty()
            .then_some("No past sessions; agents leave them once pimem hooks install was run")
    }
}

/// Returns the table cells: date, agent, beginning of the id, beginning of the summary.
pub(super) fn session_cells(session: &SessionView) -> [String; 4] {
    let dash = || "-".to_owned();
    let date = session.ts.as_ref().map(|ts| ts.chars().take_while(|c| *c != 'T').collect());
    let id = session.id.as_ref().map(|id| id.chars().take(SESSION.0).collect());
    let text = session.summary.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut about: String = text.chars().take(SESSION.1).collect();
    if about.len() < text.len() {
        about.push('…');
    }
    let agent = session.agent.clone();
    [date.unwrap_or_else(dash), agent.unwrap_or_else(dash), id.unwrap_or_else(dash), about]
}
