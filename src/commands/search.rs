//! `pimem search`: find memories by what they say.

use clap::ValueEnum;
use serde_json::{Map, Value, json};

use crate::{
    exit::{Exit, Outcome},
    input,
    shell::Shell,
};
use pimem_core::{
    score::ranking,
    search::{
        bm25::Query,
        documents::SourceKind,
        rank::{Candidate, Mode},
    },
    view::{self, Whose},
};
use pimem_engine::{
    error::{Failure, Kind},
    memory::{
        intake,
        period::Period,
        search::{
            Hit,
            request::{MinScore, Order, SearchRequest},
        },
    },
};

/// Find memories, notes, log items, observations and past sessions by words and meaning
///
/// What went to the archive for its age is found too, and marked; the rest of the archive only by
/// --in archive.
///
/// What is meant is found too, in other words: by the vectors of a model that is built in, or of
/// another one (see pimem model). Words are matched by their stem, and tags, links, paths, flags
/// and identifiers as written. Words that only make a question are ignored. Exit code 1 says that
/// nothing was found.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pimem search how do we lock berths\n  \
    pimem search '#database' --in topics -c decision\n  \
    pimem search release --in daily,sessions --since 30d\n  pimem search --json -n 3 -- --admin")]
pub(crate) struct Args {
    /// What to look for (`-` reads standard input)
    #[arg(required = true, value_name = "QUERY")]
    query: Vec<String>,
    /// How to search
    #[arg(long, value_enum, value_name = "MODE", default_value = "hybrid")]
    mode: By,
    /// How to order the hits
    #[arg(long, value_enum, value_name = "ORDER", default_value = "fused")]
    rank: Rank,
    /// At most so many hits
    #[arg(long = "limit", short = 'n', value_name = "N", default_value_t = 10)]
    limit: usize,
    /// Only entries of this category (repeatable)
    #[arg(long, short, value_name = "CATEGORY")]
    category: Vec<String>,
    /// Only entries of this topic, `topics/NAME.md` and the files that it goes on in
    #[arg(long, value_name = "NAME")]
    topic: Option<String>,
    /// Where to look (repeatable)
    #[arg(
        long = "in",
        value_enum,
        value_name = "WHERE",
        value_delimiter = ',',
        default_value = "all"
    )]
    within: Vec<Within>,
    /// Only what is from this time or later: a date, yesterday, a time (RFC 3339) or an age as in
    /// 7d, 12h
    ///
    /// The time of an entry is that of its last reinforcement, that of a log item, an observation
    /// or a session is its own. Notes and the scratchpad have none and are left out.
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Only what is from this time or earlier; a date counts with the whole day
    #[arg(long, value_name = "WHEN")]
    until: Option<String>,
    /// Only hits with at least this score (0 to 1.1)
    #[arg(long, value_name = "SCORE", default_value_t = 0.0, value_parser = score)]
    min_score: f64,
    /// Show how each score came about, and what nearly made it
    #[arg(long)]
    explain: bool,
    /// Do not count this as an access to the entries that are found
    #[arg(long)]
    no_touch: bool,
}

impl Args {
    /// For past sessions alone.
    pub(crate) fn sessions(query: &[String], limit: usize) -> Self {
        Self {
            query: query.to_vec(),
            mode: By::Hybrid,
            rank: Rank::Fused,
            limit,
            category: Vec::new(),
            topic: None,
            within: vec![Within::Sessions],
            since: None,
            until: None,
            min_score: 0.0,
            explain: false,
            // Only entries are counted.
            no_touch: true,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum By {
    /// Words and meaning together
    Hybrid,
    /// Words alone (BM25)
    Keyword,
    /// Meaning alone (cosine of vectors)
    Semantic,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Rank {
    /// Relevance, moderated by standing
    Fused,
    /// Similarity × 100 + stability, as pi did
    Seed,
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
    /// Entries that were taken out of service, for whatever reason
    Archive,
    /// Everything
    All,
}

pub(crate) fn run(ctx: &Shell, args: &Args) -> Result<Outcome, Failure> {
    for name in &args.category {
        intake::category(ctx, name)?;
    }
    let text = if args.query == ["-"] { input::read_stdin()? } else { args.query.join(" ") };
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
            Within::Archive => vec![SourceKind::Archive],
            Within::All => SourceKind::ALL.to_vec(),
        })
        .collect();
    let all = SourceKind::ALL.iter().all(|kind| kinds.contains(kind));
    let wanted = SearchRequest {
        mode: match args.mode {
            By::Hybrid => Mode::Hybrid,
            By::Keyword => Mode::Keyword,
            By::Semantic => Mode::Semantic,
        },
        order: match args.rank {
            Rank::Fused => Order::Fused,
            Rank::Seed => Order::Seed,
        },
        limit: args.limit,
        min_score: MinScore::Score(args.min_score),
        kinds: if all { &[] } else { &kinds },
        categories: &args.category,
        topic: args.topic.as_deref(),
        period,
        whole_archive: args.within.contains(&Within::Archive),
        touch: !args.no_touch,
        ..SearchRequest::new(&query)
    };
    let found = ctx.search(&wanted)?;
    let short = ranking::short_ids(found.hits.iter().filter_map(|hit| hit.entry));
    let id = |hit: &Hit| hit.entry.and_then(|id| short.get(&id)).cloned();
    if ctx.ui.json {
        let list = |hits: &[Hit]| hits.iter().map(|hit| json_of(hit, args.explain)).collect();
        let hits: Vec<Value> = list(&found.hits);
        let mode = found.mode.unwrap_or(wanted.mode).name();
        let mut document = json!({
            "schema": "pimem.search/1", "mode": mode, "query": text, "terms": query.terms, "hits": hits,
        });
        if let Some(fields) = document.as_object_mut() {
            let mut put = |key: &str, value: Value| drop(fields.insert(key.to_owned(), value));
            found.model.iter().for_each(|model| put("model", json!(model)));
            found.degraded.iter().for_each(|why| put("degraded", json!(why)));
            if args.explain {
                put("nearMisses", Value::Array(list(&found.near)));
            }
        }
        ctx.ui.document(&document);
    } else if !found.hits.is_empty() {
        let whose = Whose::of(&found.hits.iter().map(|hit| hit.scope));
        let cells = |hit: &Hit| {
            let place = format!("{}:{}", hit.source, hit.line);
            let name = id(hit).unwrap_or_else(|| "-".to_owned());
            let text = whose.mark(snippet(&hit.text, &query), hit.scope);
            let text = view::mark_unreviewed(text, hit.reviewed);
            let text = if hit.is_archived() { format!("{text} (archived)") } else { text };
            vec![format!("{:.3}", hit.score), name, place, text]
        };
        ctx.ui.table(&["score", "id", "where", "text"], found.hits.iter().map(cells).collect());
    }
    if found.model.is_none()
        && let Some(why) = &found.degraded
    {
        ctx.ui.detail(&format!("{why}; searched by words alone"));
    }
    if args.explain && !ctx.ui.json {
        ctx.ui.explain(&format!("terms: {}", query.terms.join(" ")));
        let mode = found.mode.unwrap_or(wanted.mode);
        found.hits.iter().for_each(|hit| ctx.ui.explain(&arithmetic(hit, mode, args.rank)));
        if !found.near.is_empty() {
            ctx.ui.explain("near misses:");
            found.near.iter().for_each(|hit| ctx.ui.explain(&arithmetic(hit, mode, args.rank)));
        }
    }
    let exit = if found.hits.is_empty() { Exit::Nothing } else { Exit::Done };
    Ok((ctx.complain(&found.problems, exit), found.stale))
}

fn score(text: &str) -> Result<f64, String> {
    let score: f64 = text.parse().map_err(|error| format!("{error}"))?;
    if score.is_nan() { Err("not a number".to_owned()) } else { Ok(score) }
}

/// How a score came about, in one line.
fn arithmetic(hit: &Hit, mode: Mode, order: Rank) -> String {
    let Candidate { bm25, cosine, likeness, reading, context, .. } = hit.candidate;
    let place = format!("{}:{}", hit.source, hit.line);
    if order == Rank::Seed {
        let (similarity, score) = (cosine.max(0.0), hit.score);
        let stability = score - similarity * 100.0;
        return format!(
            "{score:.3} = cosine {similarity:.3} × 100 + stability {stability:.3}  {place}"
        );
    }
    // Another model's cosine is brought to the scale of the built-in one.
    let cosine = if (cosine - likeness).abs() < 1e-9 {
        format!("cosine {cosine:.3}")
    } else {
        format!("likeness {likeness:.3} [cosine {cosine:.3}]")
    };
    let own = match mode {
        Mode::Keyword => format!("0.7 × {bm25:.3} / ({bm25:.3} + 8)"),
        Mode::Semantic => cosine,
        Mode::Hybrid => {
            let near = reading.near;
            let words = bm25 + near;
            format!(
                "0.3 × {cosine} + 0.5 × {words:.3} / ({words:.3} + 8) [BM25 {bm25:.3} + near \
                 words {near:.3}] + 0.2 × coverage {:.3}",
                reading.coverage
            )
        }
    };
    let beside = if context > 0.0 { format!(", neighbour {context:.3}") } else { String::new() };
    let (score, factor) = (hit.score, hit.factor);
    format!("{score:.3} = ({own}{beside}) × {factor:.3} (standing)  {place}")
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
    if !hit.reviewed {
        put("reviewed", json!(false));
    }
    if hit.is_archived() {
        put("archived", json!(true));
    }
    if explain {
        let Candidate { bm25, cosine, likeness, reading, context, .. } = hit.candidate;
        let parts = [
            ("bm25", bm25),
            ("cosine", cosine),
            ("likeness", likeness),
            ("near", reading.near),
            ("coverage", reading.coverage),
            ("context", context),
            ("factor", hit.factor),
        ];
        let parts = parts.map(|(name, value)| (name.to_owned(), json!(view::rounded(value))));
        put("explain", Value::Object(parts.into_iter().collect()));
    }
    Value::Object(out)
}

/// The line of a passage that says most about the query: its first line, then the one with the most
/// query words.
fn snippet(text: &str, query: &Query) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let Some((first, rest)) = lines.split_first() else { return String::new() };
    let matches = |line: &&&str| {
        let found = Query::from_prompt(line).terms;
        query.terms.iter().filter(|term| found.contains(term)).count()
    };
    // `max_by_key` gives the last of equals; the first is wanted.
    let best = rest.iter().rev().max_by_key(matches).filter(|line| matches(line) > 0);
    best.map_or_else(|| (*first).to_owned(), |best| format!("{first} … {best}"))
}
