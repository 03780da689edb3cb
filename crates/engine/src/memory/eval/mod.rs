//! How well a search finds, on questions with known answers: those of sets, which bring their
//! documents along, or of one's own stores.

mod own;

use crate::memory::handles::Modeling;
use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
    time::Duration,
};

use pimem_core::{
    embed::{
        self,
        catalog::{Embedder, TextRole, Thresholds},
        table,
        vector::Vector,
    },
    eval::{
        metrics::{MetricsSummary, Quality, QuestionOutcome, RecallScore, ServedPrompts},
        run::{Collection, FoundPassage},
        set::{EvalFile, EvalQuery, EvalSet},
    },
    language::sketch::Sketch,
    report::budget::Tokens,
    search::{
        bm25::Query,
        rank::{Mode, RecallBar},
        social_gate,
    },
};
use serde::{Serialize, Serializer};

use super::{Memory, model::Stopwatch, search::embedding, selector};
use crate::{
    error::{Failure, FailureKind},
    view::rounded,
};

/// The largest set that is read.
const MAX_SET: u64 = 256 << 20;

/// Hits of a question.
const TEN: usize = 10;
/// A question is missed if none of so many hits answers it.
const MISSED: usize = 5;
/// Least similarity of texts of which a person would ask why there are two.
const ALIKE: f64 = 0.6;
/// Hits that are told of a miss.
const INSTEAD: usize = 3;

const SETS: &str = "pimem model eval reads retrieval sets: see pimem-format(5)";

/// Questions to ask.
#[derive(Debug, Clone, Default)]
pub struct EvalRequest {
    /// Files of retrieval sets; none for one's own stores.
    pub files: Vec<PathBuf>,
    /// Classes of questions to leave out.
    pub without: Vec<String>,
}

/// How figures are broken down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Division {
    Class,
    Source,
}

/// A set, indexed and embedded.
struct Ready {
    set: EvalSet,
    collection: Collection,
    /// The queries' vectors, where the model is not the built-in one.
    vectors: Option<Vec<Vector>>,
    thresholds: Option<Thresholds>,
}

/// The hits of one search and of recall, each in the order of their rank.
#[derive(Default)]
struct Hits {
    /// The first ten.
    found: Vec<MissedPassage>,
    /// The lines that recall would add to a prompt.
    recalled: Vec<MissedPassage>,
    time: Duration,
}

/// One question, answered in one mode.
struct Answer<'a> {
    query: &'a EvalQuery,
    outcome: QuestionOutcome,
    recalled: RecallScore,
    tokens: u32,
    time: Duration,
    found: Vec<MissedPassage>,
}

/// Sets with the model that they were embedded with.
struct Prepared {
    sets: Vec<Ready>,
    /// Name of the model in force.
    model: String,
    has_model: bool,
    left_out: usize,
}

impl Modeling<'_> {
    /// Measures what searches find, in every mode. `clock` times them.
    ///
    /// # Errors
    /// When a set cannot be read, no question is left, or the model cannot serve.
    pub fn evaluate(
        self,
        request: &EvalRequest,
        by: Option<Division>,
        clock: Stopwatch<'_>,
    ) -> Result<Evaluation, Failure> {
        if request.files.is_empty() {
            return self.evaluate_own(by, clock);
        }
        let Prepared { sets, model, has_model, left_out } = sets(self.memory, request)?;
        let mut view =
            Evaluation { model, left_out, is_own: false, results: Vec::new(), misses: Vec::new() };
        for mode in modes(has_model) {
            view.misses.clear();
            let mut all = Vec::new();
            for ready in &sets {
                let search =
                    |number, query: &EvalQuery| ready.hits(self.memory, number, query, mode, clock);
                let answers = answers(&ready.set, search);
                divide(&mut view.results, by, &ready.set.name, mode, &answers);
                view.misses.extend(misses(&ready.set, &answers));
                all.extend(answers);
            }
            if sets.len() > 1 {
                divide(&mut view.results, by, "all", mode, &all);
            }
        }
        Ok(view)
    }

    /// Compares what a model is shown with and without a search, by where the answer is.
    ///
    /// # Errors
    /// When a set cannot be read or does not say where its documents are from, no question is left, or
    /// the model cannot serve.
    pub fn compare_injection(self, request: &EvalRequest) -> Result<Injection, Failure> {
        if request.files.is_empty() {
            let message = "--injection compares sets, and none is named";
            return Err(Failure::new(FailureKind::Usage, message, SETS));
        }
        let Prepared { sets, has_model, .. } = sets(self.memory, request)?;
        let mode = if has_model { Mode::Hybrid } else { Mode::Keyword };
        own::compare(self.memory, &sets, mode)
    }
}

fn sets(memory: &Memory, request: &EvalRequest) -> Result<Prepared, Failure> {
    let mut sets = Vec::new();
    for path in &request.files {
        sets.extend(load(path)?.sets);
    }
    let before: usize = sets.iter().map(|set| set.queries.len()).sum();
    let without = &request.without;
    for set in &mut sets {
        set.queries
            .retain(|query| query.class.as_ref().is_none_or(|class| !without.contains(class)));
    }
    let left_out = before - sets.iter().map(|set| set.queries.len()).sum::<usize>();
    if left_out > 0 {
        let classes = without.join(", ");
        memory.notices.note(&format!("left out: {left_out} of class {classes}"));
    }
    if left_out == before {
        let hint = "--without '' leaves out none";
        return Err(Failure::new(FailureKind::Refused, "no question is left", hint));
    }
    let name = embedding::name(memory);
    let mut model = embedding::embedder(memory, &name)?;
    let sets = sets.into_iter().map(|set| prepare(memory, set, model.as_deref_mut()));
    let sets = sets.collect::<Result<_, _>>()?;
    Ok(Prepared { sets, model: name, has_model: model.is_some(), left_out })
}

fn load(path: &Path) -> Result<EvalFile, Failure> {
    let bytes = selector::named_file(path, MAX_SET, SETS)?;
    EvalFile::parse(&bytes).map_err(|error| {
        let message = format!("{}: {error}", path.display());
        Failure::new(FailureKind::Refused, message, "the format is in pimem-format(5)")
    })
}

fn prepare(
    memory: &Memory,
    set: EvalSet,
    model: Option<&mut (dyn Embedder + 'static)>,
) -> Result<Ready, Failure> {
    let texts: Vec<String> = set.docs.iter().map(|doc| doc.text.clone()).collect();
    let headings = set.docs.iter().map(|doc| doc.headings.as_str());
    let mut collection = Collection::new(texts).below(headings);
    let (mut vectors, mut thresholds) = (None, None);
    let docs: Vec<_> = set.docs.iter().map(|doc| embed::passage(&doc.text)).collect();
    let docs: Vec<&str> = docs.iter().map(|doc| &**doc).collect();
    let mut own = table::Static::default();
    let by_table = docs.iter().map(|doc| Vector::quantize(&own.vector(doc))).collect();
    let mut by_model = None;
    // The table embeds a query by its words, as they weigh in the set.
    if let Some(model) = model.filter(|model| model.model().id != table::NAME) {
        thresholds = Some(model.model().thresholds);
        let mut progress = memory.notices.progress("embedding");
        let mut embed = |role, texts: &[&str]| -> Result<Vec<Vector>, Failure> {
            let made = model.embed(role, texts, &mut |done| progress(done, texts.len()));
            progress(texts.len(), texts.len());
            let made = made.map_err(embedding::failure)?;
            Ok(made.iter().map(|vector| Vector::quantize(vector)).collect())
        };
        by_model = Some(embed(TextRole::Passage, &docs)?);
        let queries: Vec<&str> = set.queries.iter().map(|query| query.text.as_str()).collect();
        vectors = Some(embed(TextRole::Query, &queries)?);
    }
    collection.embed(by_table, by_model);
    Ok(Ready { set, collection, vectors, thresholds })
}

impl Ready {
    /// The ranking of a query, as places in the set, with scores.
    fn search(&self, number: usize, mode: Mode, limit: usize) -> Vec<FoundPassage> {
        let Some(query) = self.set.queries.get(number) else { return Vec::new() };
        let vector = self.vectors.as_ref().and_then(|vectors| vectors.get(number));
        let vector = vector.zip(self.thresholds);
        self.collection.search(&Query::new(&query.text), mode, vector, limit)
    }

    fn hits(
        &self,
        memory: &Memory,
        number: usize,
        query: &EvalQuery,
        mode: Mode,
        clock: Stopwatch<'_>,
    ) -> Hits {
        let start = clock();
        let found = self.search(number, mode, TEN);
        let time = clock().saturating_sub(start);
        let recall = &memory.config.settings.recall;
        let best = found.first().map_or(0.0, |one| one.judged.rank);
        let limit = if is_recalled(&query.text) { recall.limit } else { 0 };
        let bar = RecallBar::new(recall.min_score, self.set.docs.len() as u64);
        let is_recalled = |one: &&FoundPassage| one.judged.is_recalled(bar, best);
        let passage = |one: &FoundPassage| {
            let doc = self.set.docs.get(one.at)?;
            Some(MissedPassage { id: doc.id.clone(), text: doc.text.clone() })
        };
        let recalled = found.iter().filter(is_recalled).filter_map(passage).take(limit).collect();
        Hits { found: found.iter().filter_map(passage).collect(), recalled, time }
    }
}

/// Returns true if a prompt of this text is searched for: it does more than steer, thank or ask.
fn is_recalled(text: &str) -> bool {
    !social_gate::is_trivial(text) && !Query::from_prompt(text).is_empty()
}

/// The modes to ask in, the best last.
fn modes(has_model: bool) -> Vec<Mode> {
    let by_meaning = [Mode::Semantic, Mode::Hybrid].into_iter().filter(|_| has_model);
    std::iter::once(Mode::Keyword).chain(by_meaning).collect()
}

fn answers<'a>(
    set: &'a EvalSet,
    mut search: impl FnMut(usize, &EvalQuery) -> Hits,
) -> Vec<Answer<'a>> {
    let one = |(number, query): (usize, &'a EvalQuery)| {
        let Hits { found, recalled, time } = search(number, query);
        let tokens = recalled.iter().map(|doc| Tokens::of(&doc.text).0).sum();
        // Without an answer, what matters is what would have been put into a prompt.
        let nothing = query.relevant.values().all(|grade| *grade == 0);
        let outcome = if nothing {
            QuestionOutcome::Nothing { abstained: recalled.is_empty() }
        } else {
            QuestionOutcome::of(&ids(&found), &query.relevant)
        };
        let recalled = RecallScore::of(&ids(&recalled), &query.relevant);
        Answer { query, outcome, recalled, tokens, time, found }
    };
    set.queries.iter().enumerate().map(one).collect()
}

fn ids(passages: &[MissedPassage]) -> Vec<&str> {
    passages.iter().map(|passage| passage.id.as_str()).collect()
}

/// Returns the questions whose answers are not among the first hits.
fn misses(set: &EvalSet, answers: &[Answer<'_>]) -> Vec<Miss> {
    let texts: HashMap<&str, &str> =
        set.docs.iter().map(|doc| (doc.id.as_str(), doc.text.as_str())).collect();
    let miss = |answer: &Answer<'_>| {
        let grade = |id: &str| answer.query.relevant.get(id).copied().unwrap_or(0);
        let first = answer.found.iter().position(|found| grade(&found.id) > 0);
        if matches!(answer.outcome, QuestionOutcome::Nothing { .. })
            || first.is_some_and(|at| at < MISSED)
        {
            return None;
        }
        let mut wanted: Vec<&String> =
            answer.query.relevant.keys().filter(|id| grade(id) > 0).collect();
        wanted.sort_by_key(|id| Reverse(grade(id)));
        let text = |id: &str| texts.get(id).copied().unwrap_or_default().to_owned();
        let wanted: Vec<MissedPassage> =
            wanted.into_iter().map(|id| MissedPassage { id: id.clone(), text: text(id) }).collect();
        let alike = answer.found.first().is_some_and(|best| {
            let best = Sketch::of(&best.text);
            wanted.iter().any(|wanted| Sketch::of(&wanted.text).similarity(&best) >= ALIKE)
        });
        Some(Miss {
            set: set.name.clone(),
            class: answer.query.class.clone(),
            question: answer.query.text.clone(),
            wanted,
            rank: first.map(|at| at + 1),
            instead: answer.found.iter().take(INSTEAD).cloned().collect(),
            alike,
        })
    };
    answers.iter().filter_map(miss).collect()
}

/// Adds a line for all answers, or one for each group of them.
fn divide(
    results: &mut Vec<Figures>,
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
        let summary = MetricsSummary::of(answers.iter().map(|answer| &answer.outcome));
        let service = ServedPrompts::of(answers.iter().map(|answer| answer.recalled));
        let time = times.get(times.len() / 2).copied().unwrap_or_default();
        results.push(Figures {
            set: set.to_owned(),
            group,
            mode: mode.name(),
            questions: summary.count,
            means: summary.means.map(means),
            nothing_to_find: summary.nothing,
            abstained: summary.abstained,
            needless: service.needless,
            served: service.served,
            precision: service.precision,
            injected_tokens: f64::from(tokens) / answers.len().max(1) as f64,
            milliseconds: time.as_secs_f64() * 1e3,
        });
    }
}

fn means(Quality { recall_at_5, recall_at_10, mrr, ndcg_at_10 }: Quality) -> Means {
    Means { recall_at_5, recall_at_10, mrr, ndcg_at_10 }
}

/// How well searches find.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Evaluation {
    /// The model in force.
    pub model: String,
    /// Questions that were left out.
    pub left_out: usize,
    /// True if the questions are about one's own stores.
    #[serde(skip)]
    pub is_own: bool,
    /// One a set, mode and group.
    pub results: Vec<Figures>,
    /// Questions whose answer is not among the first five hits, by words and meaning if there is a
    /// model.
    pub misses: Vec<Miss>,
}

/// A question whose answer is not among the first five hits.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Miss {
    /// Name of the set.
    pub set: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    pub question: String,
    /// The relevant passages, by falling grade.
    pub wanted: Vec<MissedPassage>,
    /// Rank of the first of these; `None` if it is not among the first ten.
    pub rank: Option<usize>,
    /// The first hits.
    pub instead: Vec<MissedPassage>,
    /// True if the first hit says nearly the same as an answer.
    pub alike: bool,
}

/// A document of a set, or what was found in a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MissedPassage {
    /// Id in the set; of an entry the short one, of another passage of a store its file and line.
    pub id: String,
    pub text: String,
}

/// Figures of some questions.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Figures {
    /// Name of the set; `all` for several.
    pub set: String,
    /// What the questions have in common.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// `keyword`, `semantic` or `hybrid`.
    pub mode: &'static str,
    /// Questions that have an answer.
    pub questions: usize,
    /// Means over those.
    #[serde(flatten)]
    pub means: Option<Means>,
    /// Questions without an answer.
    pub nothing_to_find: usize,
    /// Share of those for which nothing was recalled.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "six_decimals_of")]
    pub abstained: Option<f64>,
    /// Number of those for which something was recalled.
    pub needless: usize,
    /// Share of the questions with an answer for which a relevant document was recalled.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "six_decimals_of")]
    pub served: Option<f64>,
    /// Share of the recalled documents that are relevant.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "six_decimals_of")]
    pub precision: Option<f64>,
    /// Tokens that recall puts into a prompt, on average.
    #[serde(serialize_with = "six_decimals")]
    pub injected_tokens: f64,
    /// Median time of a search.
    #[serde(serialize_with = "six_decimals")]
    pub milliseconds: f64,
}

/// Means over questions, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Means {
    /// Share of answers among the first 5 hits.
    #[serde(serialize_with = "six_decimals")]
    pub recall_at_5: f64,
    /// Share of answers among the first 10 hits.
    #[serde(serialize_with = "six_decimals")]
    pub recall_at_10: f64,
    /// Reciprocal rank of the first answer.
    #[serde(serialize_with = "six_decimals")]
    pub mrr: f64,
    /// nDCG at 10.
    #[serde(serialize_with = "six_decimals")]
    pub ndcg_at_10: f64,
}

/// Answers that a model is shown with and without a search.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Injection {
    /// One a set and source.
    pub results: Vec<ShownPassage>,
}

/// Answers from one source.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShownPassage {
    /// Name of the set.
    pub set: String,
    /// Where the answers are.
    pub source: String,
    /// Questions.
    pub questions: usize,
    /// Answered without a search.
    pub without: usize,
    /// Answered with one.
    pub with: usize,
    /// Share of questions that a search adds.
    #[serde(serialize_with = "six_decimals")]
    pub gain: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
fn six_decimals<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(rounded(*number))
}

#[expect(clippy::ref_option, reason = "the signature that serde calls")]
fn six_decimals_of<S: Serializer>(number: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    number.map(rounded).serialize(serializer)
}

documents! {
    Evaluation: "pimem.eval/1",
    Injection: "pimem.injection/1",
}
