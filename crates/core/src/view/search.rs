//! `pimem search`, and hits in other documents.

use serde::{Serialize, Serializer};

use super::{Document, six_decimals};
use crate::search::rank::Mode;

/// What a search found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchView {
    /// The mode that was used.
    #[serde(serialize_with = "mode")]
    pub mode: Mode,
    /// The query as it was given.
    pub query: String,
    /// The words that were looked for.
    pub terms: Vec<String>,
    /// Best first.
    pub hits: Vec<HitView>,
    /// The model whose vectors were used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Why the chosen model was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degraded: Option<String>,
    /// The best of what did not make it, where explanations were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub near_misses: Option<Vec<HitView>>,
    /// Whether scores are similarity × 100 + stability.
    #[serde(skip)]
    pub by_seed: bool,
}

/// Something found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HitView {
    /// The id of an entry, 16 hexadecimal digits; passages have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What the order is by, 0 to 1.1.
    #[serde(serialize_with = "six_decimals")]
    pub score: f64,
    /// The kind of file.
    #[serde(rename = "in")]
    pub kind: &'static str,
    /// `project` or `user`.
    pub scope: &'static str,
    /// The file, relative to the store.
    pub source: String,
    /// Line in it, from 1.
    pub line: u32,
    /// The day of a passage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The text.
    pub text: String,
    /// `false` for what was neither written nor reviewed on this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewed: Option<bool>,
    /// `true` for what is in the archive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archived: Option<bool>,
    /// What the score is made of, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<ScoreParts>,
    /// The shortest prefix of the id that is unique among the hits of a search.
    #[serde(skip)]
    pub short: Option<String>,
}

/// What the score of a hit is made of.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ScoreParts {
    /// BM25.
    #[serde(serialize_with = "six_decimals")]
    pub bm25: f64,
    /// Cosine with the query, -1 to 1; 0 without vectors.
    #[serde(serialize_with = "six_decimals")]
    pub cosine: f64,
    /// The same on the scale of the built-in model.
    #[serde(serialize_with = "six_decimals")]
    pub likeness: f64,
    /// What near words add to BM25.
    #[serde(serialize_with = "six_decimals")]
    pub near: f64,
    /// The share of the query that the text covers, 0 to 1.
    #[serde(serialize_with = "six_decimals")]
    pub coverage: f64,
    /// What the neighbours add.
    #[serde(serialize_with = "six_decimals")]
    pub context: f64,
    /// What standing multiplies it by.
    #[serde(serialize_with = "six_decimals")]
    pub factor: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
fn mode<S: Serializer>(mode: &Mode, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(mode.name())
}

impl Document for SearchView {
    fn schema(&self) -> &'static str {
        "pimem.search/1"
    }
}
