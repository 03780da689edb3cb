//! `pimem search`: finds memories by their text.

use pimem_core::search::{bm25::Query, documents::SourceKind, rank::Mode};
use pimem_engine::{
    error::Failure,
    memory::{
        diff::Period,
        search::{
            hits::{Detail, HitView, ScoreParts, SearchAnswer, SearchView},
            request::{HitOrder, MinScore, SearchRequest},
        },
    },
    view::{self, Whose},
};

use crate::{
    globals::choices,
    shell::{self, Outcome, Shell},
    ui::{Column, Human, Style, Styled, Ui},
};

/// Find memories, notes, log items, observations and past sessions by words and meaning
///
/// What went to the archive for its age is found too, and marked; the rest of the archive only by
/// --in archive.
///
/// What others have shared follows what your own stores have, with author and project.
///
/// What is meant is found too, in other words: by the vectors of a model that is built in, or of
/// another one (see pimem model). Words are matched by their stem, and tags, links, paths, flags
/// and identifiers as written. Words that only make a question are ignored. Exit code 1 says that
/// nothing was found.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pimem search how do we lock berths\n  \
    pimem search '#database' --in topics -c decision\n  \
    pimem search release --in daily,sessions --since 30d\n  pimem search --json -n 3 -- --admin")]
pub(crate) struct SearchArgs {
    /// What to look for (`-` reads standard input)
    #[arg(required = true, value_name = "QUERY")]
    query: Vec<String>,
    /// How to search
    #[arg(long, value_name = "MODE", default_value = "hybrid", value_parser = choices(MODES))]
    mode: Mode,
    /// How to order the hits
    #[arg(long, hide_short_help = true, value_name = "ORDER",
        default_value = "fused", value_parser = choices(ORDERS))]
    rank: HitOrder,
    /// Show at most this many hits
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
        value_parser = choices(PLACES),
        value_name = "WHERE",
        value_delimiter = ',',
        default_value = "all"
    )]
    within: Vec<Option<SourceKind>>,
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
    /// Leave out hits with a lower score (0 to 1.1)
    #[arg(long, value_name = "SCORE", default_value_t = 0.0, value_parser = score)]
    min_score: f64,
    /// Show how each score is made up, and what was nearly found
    #[arg(long)]
    explain: bool,
    /// Do not count this as an access to the entries that are found
    #[arg(long, hide_short_help = true)]
    no_touch: bool,
}

const MODES: &[(&str, &str, Mode)] = &[
    ("hybrid", "Words and meaning together", Mode::Hybrid),
    ("keyword", "Words alone (BM25)", Mode::Keyword),
    ("semantic", "Meaning alone (cosine of vectors)", Mode::Semantic),
];

const ORDERS: &[(&str, &str, HitOrder)] = &[
    ("fused", "Relevance, moderated by standing", HitOrder::Fused),
    ("seed", "Similarity × 100 + stability, as pi did", HitOrder::Seed),
];

const PLACES: &[(&str, &str, Option<SourceKind>)] = &[
    ("topics", "Entries", Some(SourceKind::Topic)),
    ("notes", "MEMORY.md", Some(SourceKind::Notes)),
    ("scratchpad", "SCRATCHPAD.md", Some(SourceKind::Scratchpad)),
    ("daily", "Daily logs", Some(SourceKind::Daily)),
    ("observations", "Observations of sessions", Some(SourceKind::Observation)),
    ("sessions", "Summaries of past sessions", Some(SourceKind::Session)),
    (
        "archive",
        "Entries that were taken out of service, for whatever reason",
        Some(SourceKind::Archive),
    ),
    ("all", "Everything", None),
];

pub(crate) fn run(ctx: &Shell, args: &SearchArgs) -> Result<Outcome, Failure> {
    let text = shell::text(&args.query)?;
    let query = Query::new(&text);
    let kinds: Vec<SourceKind> = args
        .within
        .iter()
        .flat_map(|place| place.map_or_else(|| SourceKind::ALL.to_vec(), |kind| vec![kind]))
        .collect();
    let all = SourceKind::ALL.iter().all(|kind| kinds.contains(kind));
    let request = SearchRequest {
        mode: args.mode,
        order: args.rank,
        limit: args.limit,
        min_score: MinScore::Score(args.min_score),
        kinds: if all { &[] } else { &kinds },
        categories: &args.category,
        topic: args.topic.as_deref(),
        period: Period::new(ctx.memory.now, args.since.as_deref(), args.until.as_deref())?,
        whole_archive: args.within.contains(&Some(SourceKind::Archive)),
        touch: !args.no_touch,
        ..SearchRequest::new(&query)
    };
    let detail = if args.explain { Detail::Explained } else { Detail::Plain };
    let SearchAnswer { answer, stale } =
        ctx.memory.reading().search_for(&text, &request, detail)?;
    Ok((ctx.show(&answer).unless_empty(answer.view.hits.is_empty()), stale))
}

impl Human for SearchView {
    fn human(&self, ui: &Ui) {
        let whose = Whose::of(self.hits.iter().map(|hit| hit.scope));
        let cells = |hit: &HitView| {
            let place = hit.location();
            let text = whose.mark(snippet(&hit.text, &self.terms), hit.scope);
            let text = view::labelled(text, hit.label());
            let text = view::mark_unreviewed(text, hit.reviewed.is_none());
            let text = text + &hit.mark();
            let id = hit.short.clone().unwrap_or_else(|| "-".to_owned());
            let mut text = Styled::from(text);
            if ui.is_colored() {
                text = text.mark_words(Style::Match, |word| is_match(word, &self.terms));
            }
            let id = Styled::new(hit.short.as_ref().map(|_| Style::Id), &id);
            vec![format!("{:.3}", hit.score).into(), id, place.into(), text]
        };
        let header = [Column::spare(1, "score"), "id".into(), "where".into(), "text".into()];
        ui.table(&header, self.hits.iter().map(cells).collect());
        let Some(near_misses) = &self.near_misses else { return };
        ui.explain(&format!("terms: {}", self.terms.join(" ")));
        let explain =
            |hit: &HitView| arithmetic(self, hit).iter().for_each(|line| ui.explain(line));
        self.hits.iter().for_each(explain);
        if !near_misses.is_empty() {
            ui.explain("near misses:");
            near_misses.iter().for_each(explain);
        }
    }

    fn when_empty(&self) -> Option<&'static str> {
        self.hits.is_empty().then_some("Nothing found; pimem list shows what there is")
    }
}

fn score(text: &str) -> Result<f64, String> {
    let score = text.parse().ok().filter(|score: &f64| !score.is_nan());
    score.ok_or_else(|| "it takes a number".to_owned())
}

/// Formats the parts of a score in one line.
fn arithmetic(found: &SearchView, hit: &HitView) -> Option<String> {
    let parts = hit.explain?;
    let place = hit.location();
    if found.by_seed {
        let (similarity, score) = (parts.cosine.max(0.0), hit.score);
        let stability = score - similarity * 100.0;
        return Some(format!(
            "{score:.3} = cosine {similarity:.3} × 100 + stability {stability:.3}  {place}"
        ));
    }
    let ScoreParts { bm25, likeness, near, coverage, share, context, factor, rank, .. } = parts;
    let beside = if context > 0.0 { format!(", neighbour {context:.3}") } else { String::new() };
    let (score, order) = match found.mode {
        Mode::Keyword => (format!("share {share:.3}"), format!("BM25 {bm25:.3}")),
        Mode::Semantic => (format!("likeness {likeness:.3}"), format!("likeness {likeness:.3}")),
        Mode::Hybrid => {
            let model = parts.model.map(|model| format!(", model {model:.3}")).unwrap_or_default();
            let score = format!(
                "0.5 × share {share:.3} + 0.5 × cosine {:.3} [table {:.3}{model}]",
                parts.meaning, parts.plain
            );
            let order = format!(
                "likeness {likeness:.3}, BM25 {bm25:.3} + near words {near:.3}, coverage \
                 {coverage:.3}"
            );
            (score, order)
        }
    };
    let why = if hit.kind == SourceKind::Session.name() { "repeated" } else { "standing" };
    let raised = if hit.score > parts.score + 1e-9 { " of a hit below" } else { "" };
    Some(format!(
        "{:.3}{raised}: {:.3} = ({score}) × {factor:.3} ({why}); rank {rank:.3} by \
         {order}{beside}  {place}",
        hit.score, parts.score
    ))
}

/// Returns true if a word is one of the terms of the query.
fn is_match(word: &str, terms: &[String]) -> bool {
    Query::from_prompt(word).terms.iter().any(|term| terms.contains(term))
}

/// Returns the snippet of a passage: its first line, and the line with the most query terms.
fn snippet(text: &str, terms: &[String]) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let Some((first, rest)) = lines.split_first() else { return String::new() };
    let matches = |line: &&&str| {
        let found = Query::from_prompt(line).terms;
        terms.iter().filter(|term| found.contains(term)).count()
    };
    // `max_by_key` returns the last maximum; `rev` makes it the first.
    let best = rest.iter().rev().max_by_key(matches).filter(|line| matches(line) > 0);
    best.map_or_else(|| (*first).to_owned(), |best| format!("{first} … {best}"))
}
