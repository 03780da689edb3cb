//! `pimem session`: what past sessions were about.

use std::{
    io::{self, IsTerminal},
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::{
    exit::{Exit, Outcome},
    input,
    shell::Shell,
};
use pimem_core::{
    model::time::Timestamp,
    observe::summary::{LEAST_CHARS, LEAST_MESSAGES},
    score::ranking::Scope,
    search::{bm25::Query, documents::SourceKind},
    session::summaries::{self as file, Summary},
    view::Whose,
};
use pimem_engine::{
    error::{Failure, Kind},
    memory::{
        hits::{Detail, Searched},
        search::request::SearchRequest,
        sessions::{self, Named},
    },
    store::machine_local,
};

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
pub(crate) struct Args {
    #[command(subcommand)]
    act: Act,
}

#[derive(Debug, clap::Subcommand)]
enum Act {
    /// Sum up a session, in place of its earlier summary
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
        /// At most so many hits
        #[arg(long = "limit", short = 'n', value_name = "N", default_value_t = 10)]
        limit: usize,
    },
    /// List past sessions, the newest first
    List {
        /// At most so many
        #[arg(long = "limit", short = 'n', value_name = "N", default_value_t = 20)]
        limit: usize,
    },
}

pub(crate) fn run(ctx: &Shell, args: &Args) -> Result<Outcome, Failure> {
    match &args.act {
        Act::Index { file, session, agent } => {
            let named = Named { agent: agent.as_deref(), session: session.as_deref() };
            Ok((index(ctx, file, named)?, Vec::new()))
        }
        Act::Search { query, limit } => find(ctx, query, *limit),
        Act::List { limit } => Ok((list(ctx, *limit)?, Vec::new())),
    }
}

fn index(ctx: &Shell, path: &Path, named: Named<'_>) -> Result<Exit, Failure> {
    let summary = if path == Path::new("-") {
        let stdin = io::stdin();
        if stdin.is_terminal() {
            let message = "- reads standard input, and that is a terminal";
            return Err(Failure::new(Kind::Usage, message, "name a transcript, or pipe one in"));
        }
        sessions::from_stdin(ctx, named, stdin.lock())?
    } else {
        sessions::from_transcript(ctx, named, path)?
    };
    let Some(summary) = summary else {
        ctx.ui.note(&format!(
            "Nothing to sum up: fewer than {LEAST_MESSAGES} messages of {LEAST_CHARS} characters"
        ));
        if ctx.ui.json {
            ctx.ui.document(&json!({"schema": "pimem.session-index/1", "indexed": false}));
        }
        return Ok(Exit::Nothing);
    };
    if let Some(aside) = sessions::index(&sessions::store(ctx)?, &summary)? {
        let name = machine_local::SESSIONS;
        ctx.ui.note(&format!("warning: {name} was damaged and is started anew; it is now {aside}"));
    }
    if ctx.ui.json {
        let session = json_of(&summary);
        let document =
            json!({"schema": "pimem.session-index/1", "indexed": true, "session": session});
        ctx.ui.document(&document);
    } else {
        let [date, agent, id, text] = cells(&summary);
        ctx.ui.line(&format!("Indexed: {date} {agent} {id} {text}"));
    }
    Ok(Exit::Done)
}

/// Searches past sessions alone.
fn find(ctx: &Shell, query: &[String], limit: usize) -> Result<Outcome, Failure> {
    let text = input::text(query)?;
    let query = Query::new(&text);
    let kinds = &[SourceKind::Session];
    let request = SearchRequest { limit, kinds, touch: false, ..SearchRequest::new(&query) };
    let Searched { answer, stale } = ctx.search_for(&text, &request, Detail::Plain)?;
    Ok((ctx.show(&answer).unless_empty(answer.view.hits.is_empty()), stale))
}

fn list(ctx: &Shell, limit: usize) -> Result<Exit, Failure> {
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    for store in ctx.readers()? {
        match store.local(machine_local::SESSIONS) {
            Ok(bytes) => {
                let all = file::all(&bytes.unwrap_or_default());
                found.extend(all.into_iter().map(|summary| (summary, store.scope)));
            }
            Err(problem) => problems.push(problem),
        }
    }
    // Of one time, the later in the file is the newer.
    found.reverse();
    found.sort_by_key(|(summary, _)| std::cmp::Reverse(summary.when));
    found.truncate(limit);
    let exit = if found.is_empty() { Exit::Nothing } else { Exit::Done };
    show(ctx, &found);
    Ok(ctx.complain(&problems, exit))
}

fn show(ctx: &Shell, found: &[(Summary, Scope)]) {
    if ctx.ui.json {
        let one = |(summary, scope): &(Summary, Scope)| {
            let mut session = json_of(summary);
            if let Some(fields) = session.as_object_mut() {
                fields.insert("scope".to_owned(), json!(scope.name()));
            }
            session
        };
        let sessions: Vec<Value> = found.iter().map(one).collect();
        ctx.ui.document(&json!({"schema": "pimem.sessions/1", "sessions": sessions}));
        return;
    }
    let whose = Whose::of(found.iter().map(|(_, scope)| scope.name()));
    let row = |(summary, scope): &(Summary, Scope)| {
        let [date, agent, id, text] = cells(summary);
        vec![date, agent, id, whose.mark(text, scope.name())]
    };
    if !found.is_empty() {
        let rows = found.iter().map(row).collect();
        ctx.ui.table(&["date", "agent", "session", "about"], rows);
    }
}

/// Characters of a session's id and of its summary that are shown.
const SHOWN: (usize, usize) = (8, 100);

/// Date, agent, the beginning of the id, and that of the text.
fn cells(summary: &Summary) -> [String; 4] {
    let dash = || "-".to_owned();
    let date = summary.when.map_or_else(dash, Timestamp::date);
    let agent = summary.agent.clone().unwrap_or_else(dash);
    let id = summary.id.as_ref().map_or_else(dash, |id| id.chars().take(SHOWN.0).collect());
    let text = summary.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut short: String = text.chars().take(SHOWN.1).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    [date, agent, id, short]
}

fn json_of(summary: &Summary) -> Value {
    let Summary { id, agent, when, messages, text } = summary;
    let fields = [
        ("id", id.as_ref().map(|id| json!(id))),
        ("agent", agent.as_ref().map(|agent| json!(agent))),
        ("ts", when.map(|when| json!(when.to_string()))),
        ("messages", messages.map(|number| json!(number))),
        ("summary", Some(json!(text))),
    ];
    let known = fields.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    Value::Object(known.collect())
}
