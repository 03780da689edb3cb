//! `pimem eval`: how well a search finds, on sets of questions with known answers.
//!
//! Reads no store: each set brings its documents along.

mod injection;

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use serde_json::{Map, Value, json};

use crate::{exit::Exit, shell::Shell, ui};
use pimem_core::{
    embed::{
        self,
        model::{Embedder, Role, Thresholds},
        table,
        vector::Vector,
    },
    eval::{
        metrics::{Outcome, Quality, Summary},
        run::Collection,
        set::{EvalFile, EvalQuery, EvalSet},
    },
    report::budget::Tokens,
    search::{
        bm25::Query,
        rank::{self, Mode},
    },
    view,
};
use pimem_engine::{
    error::{Failure, Kind},
    memory::{named_file, search::embedding},
};

/// The largest set that is read.
const MAX_SET: u64 = 256 << 20;

const SETS: &str = "pimem eval reads retrieval sets: see pimem-format(5)";

/// Measure what searches find, on questions with known answers
///
/// Runs every question of a retrieval set in every mode and prints the share of answers among the
/// first 5 and 10 hits, the mean reciprocal rank, nDCG@10, the share of questions without any
/// answer for which nothing is recalled, the tokens that recall puts into a prompt, and the median
/// time of a search. The format of sets is in pimem-format(5).
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pimem eval fixtures/eval/harbor.json\n  \
    pimem eval --by class --json set.json\n  pimem eval --injection fixtures/eval/harbor.json\n  \
    PIMEM_EMBEDDING_MODEL=bge-small-en-v1.5 pimem eval set.json")]
pub(crate) struct Args {
    /// Retrieval sets
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Leave out questions of this class (repeatable; '' leaves out none)
    #[arg(long, value_name = "CLASS", default_value = "adversarial")]
    without: Vec<String>,
    /// Break the figures down
    #[arg(long, value_enum, value_name = "WHAT")]
    by: Option<Division>,
    /// Compare what a model is shown with and without a search, by where the answer is
    #[arg(long, conflicts_with = "by")]
    injection: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Division {
    /// By class of question
    Class,
    /// By where the answer is
    Source,
}

/// A set, indexed and embedded.
pub(crate) struct Ready {
    pub(crate) set: EvalSet,
    collection: Collection,
    /// The queries' vectors, where the model is not the built-in one.
    vectors: Option<Vec<Vector>>,
    thresholds: Option<Thresholds>,
}

/// One question, answered in one mode.
struct Answer<'a> {
    query: &'a EvalQuery,
    outcome: Outcome,
    tokens: u32,
    time: Duration,
}

/// One line of the result.
struct Line {
    set: String,
    group: Option<String>,
    mode: Mode,
    summary: Summary,
    tokens: f64,
    time: Duration,
}

pub(crate) fn run(ctx: &Shell, args: &Args) -> Result<Exit, Failure> {
    let mut sets = Vec::new();
    for path in &args.files {
        sets.extend(load(path)?.sets);
    }
    let before: usize = sets.iter().map(|set| set.queries.len()).sum();
    for set in &mut sets {
        set.queries
            .retain(|query| query.class.as_ref().is_none_or(|class| !args.without.contains(class)));
    }
    let left_out = before - sets.iter().map(|set| set.queries.len()).sum::<usize>();
    if left_out > 0 {
        let classes = args.without.join(", ");
        ctx.ui.note(&format!("left out: {left_out} of class {classes}"));
    }
    if left_out == before {
        let hint = "--without '' leaves out none";
        return Err(Failure::new(Kind::Refused, "no question is left", hint));
    }
    let name = &embedding::name(ctx);
    let mut model = embedding::embedder(ctx, name)?;
    let ready: Vec<Ready> = sets
        .into_iter()
        .map(|set| prepare(ctx, set, model.as_deref_mut()))
        .collect::<Result<_, _>>()?;
    if args.injection {
        return injection::run(ctx, &ready, model.is_some());
    }
    let mut modes = vec![Mode::Keyword];
    if model.is_some() {
        modes.extend([Mode::Semantic, Mode::Hybrid]);
    }
    let mut lines = Vec::new();
    for mode in modes {
        let mut all = Vec::new();
        for ready in &ready {
            let answers = answers(ctx, ready, mode);
            divide(&mut lines, args.by, &ready.set.name, mode, &answers);
            all.extend(answers);
        }
        if ready.len() > 1 {
            divide(&mut lines, args.by, "all", mode, &all);
        }
    }
    show(ctx, name, left_out, &lines);
    Ok(Exit::Done)
}

fn load(path: &std::path::Path) -> Result<EvalFile, Failure> {
    let bytes = named_file::named(path, MAX_SET, SETS)?;
    EvalFile::parse(&bytes).map_err(|error| {
        let message = format!("{}: {error}", path.display());
        Failure::new(Kind::Refused, message, "the format is in pimem-format(5)")
    })
}

fn prepare(
    ctx: &Shell,
    set: EvalSet,
    model: Option<&mut (dyn Embedder + 'static)>,
) -> Result<Ready, Failure> {
    let texts: Vec<String> = set.docs.iter().map(|doc| doc.text.clone()).collect();
    let mut collection = Collection::new(texts);
    let (mut vectors, mut thresholds) = (None, None);
    if let Some(model) = model {
        let docs: Vec<_> = set.docs.iter().map(|doc| embed::passage(&doc.text)).collect();
        let docs: Vec<&str> = docs.iter().map(|doc| &**doc).collect();
        let is_built_in = model.model().id == table::NAME;
        thresholds = Some(model.model().thresholds);
        let mut progress = ctx.ui.progress("embedding");
        let mut embed = |role, texts: &[&str]| -> Result<Vec<Vector>, Failure> {
            let made = model.embed(role, texts, &mut |done| progress(done, texts.len()));
            progress(texts.len(), texts.len());
            let made = made.map_err(embedding::failure)?;
            Ok(made.iter().map(|vector| Vector::quantize(vector)).collect())
        };
        collection.embed(embed(Role::Passage, &docs)?);
        let queries: Vec<&str> = set.queries.iter().map(|query| query.text.as_str()).collect();
        // The built-in model's are made from the words of a query, as they weigh in the set.
        if !is_built_in {
            vectors = Some(embed(Role::Query, &queries)?);
        }
    }
    Ok(Ready { set, collection, vectors, thresholds })
}

impl Ready {
    /// The ranking of a query, as places in the set, with scores.
    pub(crate) fn search(&self, number: usize, mode: Mode, limit: usize) -> Vec<(usize, f64)> {
        let Some(query) = self.set.queries.get(number) else { return Vec::new() };
        let vector = self.vectors.as_ref().and_then(|vectors| vectors.get(number));
        let vector = vector.zip(self.thresholds);
        self.collection.search(&Query::new(&query.text), mode, vector, limit)
    }
}

fn answers<'a>(ctx: &Shell, ready: &'a Ready, mode: Mode) -> Vec<Answer<'a>> {
    let docs = ready.set.docs.len() as u64;
    let threshold = rank::threshold(mode, ctx.config.settings.recall.min_score, docs);
    let limit = ctx.config.settings.recall.limit;
    let one = |(number, query): (usize, &'a EvalQuery)| {
        let time = ui::stopwatch();
        let found = ready.search(number, mode, 10);
        let time = time();
        let docs =
            || found.iter().filter_map(|(at, score)| Some((ready.set.docs.get(*at)?, *score)));
        let ranking: Vec<&str> = docs().map(|(doc, _)| doc.id.as_str()).collect();
        let recalled: Vec<_> =
            docs().filter(|(_, score)| *score >= threshold).take(limit).collect();
        let tokens = recalled.iter().map(|(doc, _)| Tokens::of(&doc.text).0).sum();
        // Without an answer, what matters is what would have been put into a prompt.
        let nothing = query.relevant.values().all(|grade| *grade == 0);
        let outcome = if nothing {
            Outcome::Nothing { abstained: recalled.is_empty() }
        } else {
            Outcome::of(&ranking, &query.relevant)
        };
        Answer { query, outcome, tokens, time }
    };
    ready.set.queries.iter().enumerate().map(one).collect()
}

/// Adds a line for all answers, or one for each group of them.
fn divide(
    lines: &mut Vec<Line>,
    by: Option<Division>,
    set: &str,
    mode: Mode,
    answers: &[Answer<'_>],
) {
    let mut groups: BTreeMap<Option<String>, Vec<&Answer<'_>>> = BTreeMap::new();
    for answer in answers {
        let group = by.map(|by| {
            let name = match by {
                Division::Class => &answer.query.class,
                Division::Source => &answer.query.source,
            };
            name.clone().unwrap_or_else(|| "-".to_owned())
        });
        groups.entry(group).or_default().push(answer);
    }
    for (group, answers) in groups {
        let mut times: Vec<Duration> = answers.iter().map(|answer| answer.time).collect();
        times.sort_unstable();
        let tokens: u32 = answers.iter().map(|answer| answer.tokens).sum();
        lines.push(Line {
            set: set.to_owned(),
            group,
            mode,
            summary: Summary::of(answers.iter().map(|answer| &answer.outcome)),
            tokens: f64::from(tokens) / answers.len().max(1) as f64,
            time: times.get(times.len() / 2).copied().unwrap_or_default(),
        });
    }
}

fn show(ctx: &Shell, model: &str, left_out: usize, lines: &[Line]) {
    if ctx.ui.json {
        let results: Vec<Value> = lines.iter().map(json_of).collect();
        ctx.ui.document(&json!({
            "schema": "pimem.eval/1", "model": model, "leftOut": left_out, "results": results,
        }));
        return;
    }
    let row = |line: &Line| {
        let Quality { recall_at_5, recall_at_10, mrr, ndcg_at_10 } =
            line.summary.means.unwrap_or_default();
        let figure = |value: f64| match line.summary.count {
            0 => "-".to_owned(),
            _ => format!("{value:.3}"),
        };
        let abstained =
            line.summary.abstained.map_or("-".to_owned(), |share| format!("{share:.3}"));
        let mut cells = vec![line.set.clone()];
        cells.extend(line.group.clone());
        cells.extend([line.mode.name().to_owned(), line.summary.count.to_string()]);
        cells.extend([recall_at_5, recall_at_10, mrr, ndcg_at_10].map(figure));
        cells.extend([abstained, format!("{:.1}", line.tokens)]);
        cells.push(format!("{:.2}", line.time.as_secs_f64() * 1e3));
        cells
    };
    let mut header = vec!["set"];
    if lines.iter().any(|line| line.group.is_some()) {
        header.push("group");
    }
    header.extend(["mode", "asked", "R@5", "R@10", "MRR", "nDCG@10", "abstained", "tokens", "ms"]);
    ctx.ui.table(&header, lines.iter().map(row).collect());
}

fn json_of(line: &Line) -> Value {
    let mut out = Map::new();
    let mut put = |key: &str, value: Value| drop(out.insert(key.to_owned(), value));
    put("set", json!(line.set));
    if let Some(group) = &line.group {
        put("group", json!(group));
    }
    put("mode", json!(line.mode.name()));
    put("questions", json!(line.summary.count));
    if let Some(Quality { recall_at_5, recall_at_10, mrr, ndcg_at_10 }) = line.summary.means {
        put("recallAt5", json!(view::rounded(recall_at_5)));
        put("recallAt10", json!(view::rounded(recall_at_10)));
        put("mrr", json!(view::rounded(mrr)));
        put("ndcgAt10", json!(view::rounded(ndcg_at_10)));
    }
    put("nothingToFind", json!(line.summary.nothing));
    if let Some(abstained) = line.summary.abstained {
        put("abstained", json!(view::rounded(abstained)));
    }
    put("injectedTokens", json!(view::rounded(line.tokens)));
    put("milliseconds", json!(view::rounded(line.time.as_secs_f64() * 1e3)));
    Value::Object(out)
}
