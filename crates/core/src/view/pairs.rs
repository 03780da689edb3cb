//! The document of `pimem extract --pairs`.

use serde::Serialize;

use super::Document;

/// What would be learned of questions and answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pairs {
    /// One per question.
    pub pairs: Vec<Pair>,
}

/// A question with its answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Pair {
    /// Line of the input, from 1.
    pub line: usize,
    /// From 0.2 to 0.9.
    pub importance: f64,
    /// `fact`, `correction`, `preference` or `context`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Importance without any cue.
    pub base: f64,
    /// What was added for cues and length.
    pub shares: Vec<PairShare>,
    /// Number of words of the question.
    pub words: usize,
    /// Category of the entry; absent if nothing would be stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Text of the entry, without secrets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Why nothing would be stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A share of an importance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairShare {
    /// `naming`, `identity`, `correction`, `preference` or `length`.
    pub of: &'static str,
    /// The pattern of the cue, as the tables have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cue: Option<&'static str>,
    pub share: f64,
}

impl Document for Pairs {
    fn schema(&self) -> &'static str {
        "pimem.pairs/1"
    }
}
