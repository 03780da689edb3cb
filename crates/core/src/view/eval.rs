//! `pimem eval`.

use serde::{Serialize, Serializer};

use super::rounded;

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
    pub wanted: Vec<Passage>,
    /// Rank of the first of these; `None` if it is not among the first ten.
    pub rank: Option<usize>,
    /// The first hits.
    pub instead: Vec<Passage>,
    /// True if the first hit says nearly the same as an answer.
    pub alike: bool,
}

/// A document of a set, or what was found in a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Passage {
    /// Id in the set; of an entry the short one, of another passage of a store its file and line.
    pub id: String,
    pub text: String,
}

impl Evaluation {
    /// Takes out every word that somebody wrote.
    #[must_use]
    pub fn redacted(mut self) -> Self {
        for (number, miss) in (1..).zip(&mut self.misses) {
            miss.question = format!("question {number}");
            for passage in miss.wanted.iter_mut().chain(&mut miss.instead) {
                let kind = if passage.id.contains(':') { "a passage" } else { "entry" };
                passage.text = kind.into();
            }
        }
        self
    }
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
    pub results: Vec<Shown>,
}

/// Answers from one source.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Shown {
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

documents! {
    Evaluation: "pimem.eval/1",
    Injection: "pimem.injection/1",
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
fn six_decimals<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(rounded(*number))
}

#[expect(clippy::ref_option, reason = "the signature that serde calls")]
fn six_decimals_of<S: Serializer>(number: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    number.map(rounded).serialize(serializer)
}
