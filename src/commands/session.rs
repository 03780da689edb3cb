//! `pimem session`: indexes and finds past sessions.

use std::path::PathBuf;

use pimem_core::{
    observe::summary::{LEAST_CHARS, LEAST_MESSAGES},
    search::{bm25::Query, documents::SourceKind},
};
use pimem_engine::{
    error::Failure,
    memory::{
        search::{
            hits::{Detail, SearchAnswer},
            request::SearchRequest,
        },
        sessions::{Named, SessionIndexed, SessionView, Sessions},
    },
    view::Whose,
};

use crate::{
    shell::{self, Exit, Outcome, Shell},
    ui::{Human, Ui},
};

/// Number of characters shown of a session id.
const ID: usize = 8;
/// Number of characters shown of a summary.
const ABOUT: usize = 100;

/// Remember what past sessions were about
///
/// A summary is made of the first sentences of what the user typed, without what was pasted, secrets,
/// orders to the agent, and what stands in <private>…</private>. The newest 500 are kept, on this
/// machine only.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  pimem session index ~/.claude/projects/-src-harbor/3c9d1e52.jsonl\n  \
    pimem session search berth overlap\n  pimem session list -n 5"
)]
pub(crate) struct SessionArgs {
    #[command(subcommand)]
    act: Act,
}

#[derive(Debug, clap::Subcommand)]
enum Act {
    /// Summarize a session, in place of its earlier summary
    ///
    /// The transcript of Claude Code, Codex, Gemini or pi is told by its content. Plain text is
    /// taken from standard input: a message for each block of lines between empty ones or, where
    /// there are none, for each line. A session in which the user said less than three things of 15
    /// characters is left out, with exit code 1.
    Index {
        /// The transcript (`-` reads standard input)
        #[arg(value_name = "FILE", default_value = "-")]
        file: PathBuf,
        /// The session's id [default: the transcript's, or `PIMEM_SESSION`]
        #[arg(long, value_name = "ID")]
        session: Option<String>,
        /// The session's agent [default: the one that wrote the transcript, or `PIMEM_AGENT`]
        #[arg(long, value_name = "NAME")]
        agent: Option<String>,
    },
    /// Find past sessions, as pimem search --in sessions does
    Search {
        /// What to look for (`-` reads standard input)
        #[arg(required = true, value_name = "QUERY")]
        query: Vec<String>,
        /// Show at most this many hits
        #[arg(long = "limit", short = 'n', value_name = "N", default_value_t = 10)]
        limit: usize,
    },
    /// List past sessions, the newest first
    List {
        /// Show at most this many
        #[arg(long = "limit", short = 'n', value_name = "N", default_value_t = 20)]
        limit: usize,
    },
}

pub(crate) fn run(ctx: &Shell, args: &SessionArgs) -> Result<Outcome, Failure> {
    match &args.act {
        Act::Index { file, session, agent } => {
            let named = Named { agent: agent.as_deref(), session: session.as_deref() };
            let view = ctx.index_session(shell::transcript(file)?, named)?;
            ctx.ui.show(&view);
            if !view.indexed {
                ctx.ui.note(&format!(
                    "Nothing to sum up: fewer than {LEAST_MESSAGES} messages of {LEAST_CHARS} \
                     characters"
                ));
            }
            Ok((Exit::Done.unless_empty(!view.indexed), Vec::new()))
        }
        Act::Search { query, limit } => {
            let text = shell::text(query)?;
            let query = Query::new(&text);
            let kinds = &[SourceKind::Session];
            // Accesses are counted only for entries.
            let request =
                SearchRequest { limit: *limit, kinds, touch: false, ..SearchRequest::new(&query) };
            let SearchAnswer { answer, stale } = ctx.search_for(&text, &request, Detail::Plain)?;
            Ok((ctx.show(&answer).unless_empty(answer.view.hits.is_empty()), stale))
        }
        Act::List { limit } => Ok((ctx.show(&ctx.sessions(*limit)?), Vec::new())),
    }
}

impl Human for SessionIndexed {
    fn human(&self, ui: &Ui) {
        if let Some(session) = &self.session {
            ui.line(&format!("Indexed: {}", cells(session).join(" ")));
        }
    }
}

impl Human for Sessions {
    fn human(&self, ui: &Ui) {
        let whose = Whose::of(self.sessions.iter().filter_map(|session| session.scope));
        let row = |session: &SessionView| {
            let [date, agent, id, about] = cells(session);
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
fn cells(session: &SessionView) -> [String; 4] {
    let dash = || "-".to_owned();
    let date = session.ts.as_ref().map(|ts| ts.chars().take_while(|c| *c != 'T').collect());
    let id = session.id.as_ref().map(|id| id.chars().take(ID).collect());
    let text = session.summary.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut about: String = text.chars().take(ABOUT).collect();
    if about.len() < text.len() {
        about.push('…');
    }
    let agent = session.agent.clone();
    [date.unwrap_or_else(dash), agent.unwrap_or_else(dash), id.unwrap_or_else(dash), about]
}
