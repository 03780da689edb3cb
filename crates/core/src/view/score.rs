//! The documents of `pimem score`, `stats` and `decay`.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{factors::PartsView, six_decimals};

/// All entries as a policy scores them, best first.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Scores {
    /// The policy of these scores.
    pub policy: &'static str,
    /// The policy by which reports are made.
    pub in_force: &'static str,
    pub entries: Vec<ScoreRow>,
}

/// An entry as two policies score it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ScoreRow {
    /// 16 hexadecimal digits.
    pub id: String,
    /// Shortest unique prefix of the id.
    pub short: String,
    pub category: String,
    pub text: String,
    /// 9999 if pinned, 0 if forgotten.
    #[serde(serialize_with = "six_decimals")]
    pub score: f64,
    pub state: &'static str,
    /// What the score is made of, whatever the user decided.
    pub parts: PartsView,
    /// The same by the policy in force.
    pub in_force: Standing,
    /// `project` or `user`.
    pub scope: &'static str,
    /// Author and project of a line of a mirror.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// Score and state of an entry.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Standing {
    #[serde(serialize_with = "six_decimals")]
    pub score: f64,
    pub state: &'static str,
}

/// Counts of a store's entries.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Stats {
    pub policy: &'static str,
    pub total: usize,
    pub by_category: BTreeMap<String, usize>,
    pub by_state: BTreeMap<&'static str, usize>,
    /// Entries that the model in use compares with a query.
    pub with_embeddings: usize,
    /// Average of the scores, without pinned and forgotten entries; `null` if there are no others.
    pub average_score: Option<f64>,
    /// The same of the importance, under the policy `ebbinghaus`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub average_importance: Option<f64>,
    /// Times that an entry was put into a session, and that its answer used it.
    pub injected: usize,
    pub used: usize,
    /// Times that a search or recall found an entry.
    pub accesses: u64,
}

/// The importance of each entry, as it has faded.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Decay {
    pub policy: &'static str,
    /// Importance below which an entry is archived.
    pub min_importance: f64,
    pub decay_factor: f64,
    /// True if what fell below was archived.
    pub applied: bool,
    /// Least important first.
    pub entries: Vec<Faded>,
}

/// An entry whose importance has changed since its last access.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Faded {
    /// 16 hexadecimal digits.
    pub id: String,
    /// Shortest unique prefix of the id.
    pub short: String,
    pub category: String,
    pub text: String,
    /// Kind of knowledge, which decides how fast it fades.
    pub kind: &'static str,
    /// Importance at the start.
    #[serde(serialize_with = "six_decimals")]
    pub importance: f64,
    /// Importance now.
    #[serde(serialize_with = "six_decimals")]
    pub now: f64,
    /// The least that it fades to.
    pub floor: f64,
    /// Days since the last access.
    #[serde(serialize_with = "six_decimals")]
    pub idle_days: f64,
    /// True if it is below the minimum.
    pub below: bool,
    /// True if it was moved to the archive.
    pub archived: bool,
}

documents! {
    Scores: "pimem.score/1",
    Stats: "pimem.stats/1",
    Decay: "pimem.decay/1",
}
