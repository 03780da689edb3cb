//! `pimem search`: find memories by words.

use clap::ValueEnum;
use serde_json::{Map, Value, json};

use super::{
    Outcome, add,
    context::Context,
    error::{Exit, Failure, Kind},
    find::{self, Hit, Wanted},
    period::Period,
    view,
};
use crate::{
    recall::{bm25::Query, corpus::SourceKind},
    score::board,
};

/// Find memories, notes, log items, observations and past sessions by words
///
/// Words are matched by their stem, and tags, links, paths, flags and identifiers as written too.
/// Words that only make a question are ignored. Exit code 1 says that nothing was found.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pimem search how do we lock berths\n  \
    pimem search '#database' --in topics -c decision\n  \
    pimem search release --in daily,sessions --since 30d\n  pimem search --json -n 3 -- --admin")]
pub(crate) struct Args {
    /// What to look for
    #[arg(required = true, value_name = "QUERY")]
    query: Vec<String>,
    /// How to search
    #[arg(long, value_enum, value_name = "MODE", default_value = "keyword")]
    mode: Mode,
    /// At most so many hits
    #[arg(long = "limit", short = 'n', value_name = "N", default_value_t = 10)]
    limit: usize,
    /// Only entries of this category (repeatable)
    #[arg(long, short, value_name = "CATEGORY")]
    category: Vec<String>,
    /// Where to look (repeatable)
    #[arg(
        long = "in",
        value_enum,
        value_name = "WHERE",
        value_delimiter = ',',
        default_value = "all"
    )]
    within: Vec<Within>,
    /// Only what is from this time or later: a date, a time (RFC 3339) or an age as in 7d, 12h
    ///
    /// The time of an entry is that of its last reinforcement, that of a log item, an observation
    /// or a session is its own. Notes and the scratchpad have none and are left out.
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Only what is from this time or earlier; a date counts with the whole day
    #[arg(long, value_name = "WHEN")]
    until: Option<String>,
    /// Only hits with at least this score (0 to 1)
    #[arg(long, value_name = "SCORE", default_value_t = 0.0)]
    min_score: f64,
    /// Show how each score came about
    #[arg(long)]
    explain: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Mode {
    /// BM25
    Keyword,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Within {
    /// Entries
    Topics,
    /// MEMORY.md
    Notes,
    /// SCRATCHPAD.md
    Scratchpad,
    /// Daily logs
    Daily,
    /// Observations of sessions
    Observations,
    /// Summaries of past sessions
    Sessions,
    /// Everything
    All,
}

pub(crate) fn run(ctx: &Context, args: &Args) -> Result<Outcome, Failure> {
    for name in &args.category {
        add::category(ctx, name)?;
    }
    let text = args.query.join(" ");
    if text.trim().is_empty() {
        return Err(Failure::new(Kind::Usage, "the query is empty", "give some words to look for"));
    }
    let query = Query::new(&text);
    let period = Period::new(ctx.now, args.since.as_deref(), args.until.as_deref())?;
    let kinds: Vec<SourceKind> = args
        .within
        .iter()
        .flat_map(|within| match within {
            Within::Topics => vec![SourceKind::Topic],
            Within::Notes => vec![SourceKind::Notes],
            Within::Scratchpad => vec![SourceKind::Scratchpad],
            Within::Daily => vec![SourceKind::Daily],
            Within::Observations => vec![SourceKind::Observation],
            Within::Sessions => vec![SourceKind::Session],
            Within::All => SourceKind::ALL.to_vec(),
        })
        .collect();
    let all = SourceKind::ALL.iter().all(|kind| kinds.contains(kind));
    let wanted = Wanted {
        query: &query,
        limit: args.limit,
        min_score: args.min_score,
        kinds: if all { &[] } else { &kinds },
        categories: &args.category,
        period,
        terms: 1,
    };
    let found = find::find(ctx, &ctx.readers()?, &wanted);
    let short = board::short_ids(found.hits.iter().filter_map(|hit| hit.entry));
    let id = |hit: &Hit| hit.entry.and_then(|id| short.get(&id)).cloned();
    if ctx.ui.json {
        let hits: Vec<Value> = found.hits.iter().map(|hit| json_of(hit, args.explain)).collect();
        let terms = &query.terms;
        ctx.ui.document(&json!({
            "schema": "pimem.search/1", "mode": "keyword", "query": text, "terms": terms, "hits": hits,
        }));
    } else if !found.hits.is_empty() {
        let cells = |hit: &Hit| {
            let place = format!("{}:{}", hit.source, hit.line);
            let name = id(hit).unwrap_or_else(|| "-".to_owned());
            vec![format!("{:.3}", hit.score), name, place, find::snippet(&hit.text, &query)]
        };
        ctx.ui.table(&["score", "id", "where", "text"], found.hits.iter().map(cells).collect());
    }
    if args.explain && !ctx.ui.json {
        ctx.ui.explain(&format!("terms: {}", query.terms.join(" ")));
        for hit in &found.hits {
            ctx.ui.explain(&format!(
                "{:.3} = 0.7 × {:.3} / ({:.3} + 8) × {:.3} (standing)  {}:{}",
                hit.score, hit.bm25, hit.bm25, hit.factor, hit.source, hit.line
            ));
        }
    }
    let exit = if found.hits.is_empty() { Exit::Nothing } else { Exit::Done };
    Ok((ctx.complain(&found.problems, exit), found.stale))
}

pub(crate) fn json_of(hit: &Hit, explain: bool) -> Value {
    let mut out = Map::new();
    let mut put = |key: &str, value: Value| drop(out.insert(key.to_owned(), value));
    if let Some(id) = hit.entry {
        put("id", json!(id.to_string()));
    }
    put("score", json!(view::rounded(hit.score)));
    put("in", json!(hit.kind.name()));
    put("scope", json!(hit.scope.name()));
    put("source", json!(hit.source));
    put("line", json!(hit.line));
    if let Some(when) = hit.when {
        put("date", json!(when.date()));
    }
    put("text", json!(hit.text));
    if explain {
        let (bm25, factor) = (view::rounded(hit.bm25), view::rounded(hit.factor));
        put("explain", json!({"bm25": bm25, "factor": factor}));
    }
    Value::Object(out)
}
