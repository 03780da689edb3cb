//! Ranking metrics: recall, reciprocal rank, nDCG, and abstention where nothing is relevant; and what
//! recall puts into prompts: whether it helps those with an answer, and leaves the others alone.
//!
//! A ranking is a list of ids, best first; repeated ids are skipped, so that later ids move up.
//! Relevant documents have a grade of at least 1. A grade of 0 means judged irrelevant, and counts
//! like no grade.

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;

/// Relevant documents of a query, with their grades.
pub type Grades = BTreeMap<String, u32>;

/// Returns the share of relevant documents among the first `k`; 0 if nothing is relevant.
#[must_use]
pub fn recall<S: AsRef<str>>(ranking: &[S], relevant: &Grades, k: usize) -> f64 {
    let found = gains(ranking, relevant).take(k).filter(|gain| *gain > 0).count();
    let all = relevant.values().filter(|grade| **grade > 0).count();
    if all == 0 { 0.0 } else { found as f64 / all as f64 }
}

/// Returns 1 / rank of the first relevant document, at any depth; 0 if there is none. Its mean over
/// queries is the mean reciprocal rank.
#[must_use]
pub fn reciprocal_rank<S: AsRef<str>>(ranking: &[S], relevant: &Grades) -> f64 {
    let first = gains(ranking, relevant).position(|gain| gain > 0);
    first.map_or(0.0, |before| 1.0 / (before + 1) as f64)
}

/// Normalised discounted cumulative gain at `k`; 0 if nothing is relevant.
///
/// DCG@k = Σ over ranks r = 1 … k of grade(r) / log₂(r + 1), and nDCG@k is that divided by the
/// DCG@k of the ideal ranking, which is all relevant documents by falling grade, found or not. The
/// gain is the grade itself, as in Järvelin and Kekäläinen, *Cumulated gain-based evaluation of IR
/// techniques*, ACM TOIS 20(4), 2002; the discount is the usual one that already counts at rank 2,
/// where theirs with base 2 begins at rank 3.
#[must_use]
pub fn ndcg<S: AsRef<str>>(ranking: &[S], relevant: &Grades, k: usize) -> f64 {
    let mut grades: Vec<u32> = relevant.values().copied().filter(|grade| *grade > 0).collect();
    grades.sort_unstable_by(|a, b| b.cmp(a));
    let ideal = dcg(grades.into_iter().take(k));
    if ideal == 0.0 { 0.0 } else { dcg(gains(ranking, relevant).take(k)) / ideal }
}

fn dcg(gains: impl Iterator<Item = u32>) -> f64 {
    let gain = |(rank, gain): (u32, u32)| f64::from(gain) / f64::from(rank + 1).log2();
    // `sum` of no floats would be -0.
    (1..).zip(gains).map(gain).fold(0.0, |sum, gain| sum + gain)
}

/// Returns the grade of each distinct id of a ranking.
fn gains<S: AsRef<str>>(ranking: &[S], relevant: &Grades) -> impl Iterator<Item = u32> {
    let mut seen = HashSet::new();
    let distinct = ranking.iter().map(AsRef::as_ref).filter(move |id| seen.insert(*id));
    distinct.map(|id| relevant.get(id).copied().unwrap_or(0))
}

/// The metrics of one query, or their means over several.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Quality {
    /// Share of relevant documents among the first 5.
    pub recall_at_5: f64,
    /// Share of relevant documents among the first 10.
    pub recall_at_10: f64,
    /// Reciprocal rank of the first relevant document, among the 10 hits of a search.
    pub mrr: f64,
    /// nDCG at 10.
    pub ndcg_at_10: f64,
}

/// The result of one query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum QuestionOutcome {
    /// There were relevant documents.
    Ranked(Quality),
    /// There were no relevant documents.
    Nothing { abstained: bool },
}

impl QuestionOutcome {
    /// Evaluates the documents returned, or injected, for a query.
    #[must_use]
    pub fn of<S: AsRef<str>>(ranking: &[S], relevant: &Grades) -> Self {
        if relevant.values().all(|grade| *grade == 0) {
            return Self::Nothing { abstained: ranking.is_empty() };
        }
        Self::Ranked(Quality {
            recall_at_5: recall(ranking, relevant, 5),
            recall_at_10: recall(ranking, relevant, 10),
            mrr: reciprocal_rank(ranking, relevant),
            ndcg_at_10: ndcg(ranking, relevant, 10),
        })
    }
}

/// Results of many queries. Those without relevant documents are counted separately, because all
/// their rankings are equally good.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct MetricsSummary {
    /// Number of queries with relevant documents.
    pub count: usize,
    /// Unweighted means over those queries. In JSON the fields are siblings of `count`, and absent
    /// if `count` is 0.
    #[serde(flatten)]
    pub means: Option<Quality>,
    /// Number of queries without relevant documents.
    pub nothing: usize,
    /// Share of those queries with no results; `None` if there are none.
    pub abstained: Option<f64>,
}

impl MetricsSummary {
    /// Averages results.
    #[must_use]
    pub fn of<'a>(outcomes: impl IntoIterator<Item = &'a QuestionOutcome>) -> Self {
        let mut ranked: Vec<Quality> = Vec::new();
        let (mut nothing, mut silent) = (0_usize, 0_usize);
        for outcome in outcomes {
            match outcome {
                QuestionOutcome::Ranked(quality) => ranked.push(*quality),
                QuestionOutcome::Nothing { abstained } => {
                    nothing += 1;
                    silent += usize::from(*abstained);
                }
            }
        }
        let count = ranked.len();
        let mean = |part: fn(&Quality) -> f64| ranked.iter().map(part).sum::<f64>() / count as f64;
        let means = (count > 0).then(|| Quality {
            recall_at_5: mean(|quality| quality.recall_at_5),
            recall_at_10: mean(|quality| quality.recall_at_10),
            mrr: mean(|quality| quality.mrr),
            ndcg_at_10: mean(|quality| quality.ndcg_at_10),
        });
        let abstained = (nothing > 0).then(|| silent as f64 / nothing as f64);
        Self { count, means, nothing, abstained }
    }
}

/// The lines that recall puts into one prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RecallScore {
    pub has_answer: bool,
    pub lines: usize,
    /// Number of lines that answer it.
    pub relevant: usize,
}

impl RecallScore {
    /// Compares the documents recalled with the relevant ones.
    #[must_use]
    pub fn of(recalled: &[&str], relevant: &Grades) -> Self {
        let answers = |id: &&&str| relevant.get(**id).is_some_and(|grade| *grade > 0);
        Self {
            has_answer: relevant.values().any(|grade| *grade > 0),
            lines: recalled.len(),
            relevant: recalled.iter().filter(answers).count(),
        }
    }
}

/// Measures of recall over many prompts.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ServedPrompts {
    /// Share of the prompts with an answer for which a relevant line is recalled; `None` if there
    /// are none.
    pub served: Option<f64>,
    /// Share of the recalled lines that are relevant; `None` if nothing is recalled.
    pub precision: Option<f64>,
    /// Number of prompts without an answer for which something is recalled.
    pub needless: usize,
}

impl ServedPrompts {
    /// Sums up what was recalled.
    #[must_use]
    pub fn of(all: impl IntoIterator<Item = RecallScore>) -> Self {
        let (mut asked, mut served, mut lines, mut relevant, mut needless) = (0, 0, 0, 0, 0);
        for one in all {
            asked += usize::from(one.has_answer);
            served += usize::from(one.relevant > 0);
            needless += usize::from(!one.has_answer && one.lines > 0);
            lines += one.lines;
            relevant += one.relevant;
        }
        let share = |part: usize, all: usize| (all > 0).then(|| part as f64 / all as f64);
        Self { served: share(served, asked), precision: share(relevant, lines), needless }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grades(pairs: &[(&str, u32)]) -> Grades {
        pairs.iter().map(|(id, grade)| ((*id).to_owned(), *grade)).collect()
    }

    fn ids(text: &str) -> Vec<&str> {
        text.split_whitespace().collect()
    }

    #[track_caller]
    fn near(got: f64, want: f64) {
        assert!((got - want).abs() < 1e-9, "{got} is not {want}");
    }

    /// Computed by hand. With grades a 2, b 1, c 1 the ideal is 2/log₂2 + 1/log₂3 + 1/log₂4 = 2 +
    /// 0.6309297536 + 0.5 = 3.1309297536.
    #[test]
    fn by_hand() {
        let relevant = grades(&[("a", 2), ("b", 1), ("c", 1)]);
        // b at 2, a at 4: 1/log₂3 + 2/log₂5 = 0.6309297536 + 0.8613531162.
        let ranking = ids("x b y a z");
        near(recall(&ranking, &relevant, 1), 0.0);
        near(recall(&ranking, &relevant, 2), 1.0 / 3.0);
        near(recall(&ranking, &relevant, 5), 2.0 / 3.0);
        near(reciprocal_rank(&ranking, &relevant), 0.5);
        near(ndcg(&ranking, &relevant, 10), 1.492_282_869_7 / 3.130_929_753_6);
        // Cut at 2, the ideal is 2 + 0.6309297536.
        near(ndcg(&ranking, &relevant, 2), 0.630_929_753_6 / 2.630_929_753_6);
        near(ndcg(&ids("a b c"), &relevant, 10), 1.0);
        near(ndcg(&ids("a c b"), &relevant, 10), 1.0);
        // The lower grade first: 1 + 2/log₂3 + 1/2 = 2.7618595071.
        near(ndcg(&ids("b a c"), &relevant, 10), 2.761_859_507_1 / 3.130_929_753_6);
    }

    #[test]
    fn edges() {
        let relevant = grades(&[("a", 1), ("b", 1)]);
        let empty: [&str; 0] = [];
        near(recall(&empty, &relevant, 10), 0.0);
        near(reciprocal_rank(&empty, &relevant), 0.0);
        near(ndcg(&empty, &relevant, 10), 0.0);
        let ranking = ids("a b");
        near(recall(&ranking, &relevant, 0), 0.0);
        near(ndcg(&ranking, &relevant, 0), 0.0);
        near(recall(&ranking, &relevant, 1000), 1.0);
        near(ndcg(&ranking, &relevant, 1000), 1.0);
        for nothing in [grades(&[]), grades(&[("a", 0)])] {
            near(recall(&ranking, &nothing, 5), 0.0);
            near(reciprocal_rank(&ranking, &nothing), 0.0);
            near(ndcg(&ranking, &nothing, 5), 0.0);
        }
        // A grade of 0 does not count in any denominator.
        near(recall(&ids("a"), &grades(&[("a", 1), ("b", 0)]), 1), 1.0);
        near(ndcg(&ids("b a"), &grades(&[("a", 1), ("b", 0)]), 5), 0.630_929_753_571);
    }

    #[test]
    fn what_appears_again_is_passed_over() {
        let relevant = grades(&[("a", 1), ("b", 2)]);
        for k in 0..6 {
            for (again, once) in [("a a a b", "a b"), ("x x b x a", "x b a")] {
                let (again, once) = (ids(again), ids(once));
                near(recall(&again, &relevant, k), recall(&once, &relevant, k));
                near(ndcg(&again, &relevant, k), ndcg(&once, &relevant, k));
                near(reciprocal_rank(&again, &relevant), reciprocal_rank(&once, &relevant));
            }
        }
    }

    #[test]
    fn nothing_to_find_is_counted_apart() {
        let one = grades(&[("a", 1)]);
        let none = grades(&[]);
        let empty: [&str; 0] = [];
        let outcomes = [
            QuestionOutcome::of(&ids("a"), &one),
            QuestionOutcome::of(&ids("1 2 3 4 5 a"), &one),
            QuestionOutcome::of(&empty, &one),
            QuestionOutcome::of(&empty, &none),
            QuestionOutcome::of(&ids("a"), &none),
            QuestionOutcome::of(&empty, &grades(&[("a", 0)])),
        ];
        let summary = MetricsSummary::of(&outcomes);
        assert_eq!((summary.count, summary.nothing), (3, 3));
        let means = summary.means.unwrap();
        near(means.recall_at_5, 1.0 / 3.0);
        near(means.recall_at_10, 2.0 / 3.0);
        near(means.mrr, (1.0 + 1.0 / 6.0) / 3.0);
        // 1/log₂7 = 0.3562071871.
        near(means.ndcg_at_10, 1.356_207_187_1 / 3.0);
        near(summary.abstained.unwrap(), 2.0 / 3.0);
    }

    #[test]
    fn a_summary_of_nothing_has_no_numbers() {
        assert_eq!(MetricsSummary::of(&[]), MetricsSummary::default());
        let empty = serde_json::to_string(&MetricsSummary::default()).unwrap();
        assert_eq!(empty, r#"{"count":0,"nothing":0,"abstained":null}"#);
        let full = MetricsSummary::of(&[QuestionOutcome::of(&["a"], &grades(&[("a", 1)]))]);
        assert_eq!(
            serde_json::to_string(&full).unwrap(),
            r#"{"count":1,"recall_at_5":1.0,"recall_at_10":1.0,"mrr":1.0,"ndcg_at_10":1.0,"nothing":0,"abstained":null}"#
        );
    }

    proptest::proptest! {
        #[test]
        fn measures_stay_between_0_and_1(
            ranking in proptest::collection::vec("[a-h]", 0..12),
            relevant in proptest::collection::btree_map("[a-h]", 0_u32..4, 0..6),
            k in 0_usize..14,
        ) {
            let all = [
                recall(&ranking, &relevant, k),
                reciprocal_rank(&ranking, &relevant),
                ndcg(&ranking, &relevant, k),
            ];
            proptest::prop_assert!(all.iter().all(|m| (0.0..=1.0 + 1e-12).contains(m)), "{all:?}");
        }
    }

    fn recalled(ids: &str, relevant: &[(&str, u32)]) -> RecallScore {
        let ids: Vec<&str> = ids.split_whitespace().collect();
        let pairs = relevant.iter().map(|(id, grade)| ((*id).to_owned(), *grade));
        RecallScore::of(&ids, &pairs.collect())
    }

    #[test]
    fn recall_by_hand() {
        let one = [("a", 2), ("b", 1), ("c", 0)];
        for (all, served, precision, needless) in [
            (&[][..], None, None, 0),
            (&[recalled("", &one)], Some(0.0), None, 0),
            (&[recalled("x a b", &one)], Some(1.0), Some(2.0 / 3.0), 0),
            (&[recalled("c", &one)], Some(0.0), Some(0.0), 0),
            (&[recalled("", &[])], None, None, 0),
            (&[recalled("x y", &[("c", 0)])], None, Some(0.0), 1),
            (
                &[recalled("a x", &one), recalled("", &one), recalled("y", &[]), recalled("", &[])],
                Some(0.5),
                Some(1.0 / 3.0),
                1,
            ),
        ] {
            let got = ServedPrompts::of(all.iter().copied());
            assert_eq!(got, ServedPrompts { served, precision, needless }, "{all:?}");
        }
    }
}
