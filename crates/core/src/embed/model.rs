//! What a model is, and the seam behind which it hides.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::model::hash::fnv1a64;

/// How the vectors of a text's tokens become one vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pooling {
    /// Their mean.
    Mean,
    /// The first token's.
    Cls,
    /// Their sum, weighted by token (the built-in table).
    Sum,
}

impl Pooling {
    /// The word in files and output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Cls => "cls",
            Self::Sum => "sum",
        }
    }
}

/// Cosines from which two texts count as related, for three purposes. They are a model's own:
/// another model's cosines mean something else.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Thresholds {
    /// A memory is recalled for a prompt.
    pub recall: f64,
    /// A memory is shown because a file changed.
    pub reminder: f64,
    /// Two entries may be the same.
    pub duplicate: f64,
}

/// The built-in model's, by which the weights of a fused score were chosen.
pub const STATIC: Thresholds = Thresholds { recall: 0.45, reminder: 0.60, duplicate: 0.90 };

impl Thresholds {
    /// What a cosine would be in the built-in model, -1 to 1: about as many pairs of unrelated
    /// texts reach it there. A line through the two thresholds that stand for about 1 % and 0.1 %
    /// of such pairs; unrelated texts have cosines near 0 in one model and near 0.6 in another.
    #[must_use]
    pub fn calibrate(&self, cosine: f64) -> f64 {
        let span = self.reminder - self.recall;
        let slope = if span > 0.0 { (STATIC.reminder - STATIC.recall) / span } else { 1.0 };
        (STATIC.recall + slope * (cosine - self.recall)).clamp(-1.0, 1.0)
    }
}

/// A model: all that decides which vector a text gets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// Its name, as in `embedding.model`.
    pub id: String,
    /// Tells versions of the same name apart: a hash of its files, or a version.
    pub revision: String,
    /// Numbers in a vector.
    pub dimension: usize,
    /// How tokens are pooled.
    pub pooling: Pooling,
    /// What the model wants in front of a query.
    #[serde(default)]
    pub query_prefix: String,
    /// What it wants in front of a passage.
    #[serde(default)]
    pub passage_prefix: String,
    /// Its thresholds.
    pub thresholds: Thresholds,
}

impl Model {
    /// A number that differs between models whose vectors must not be mixed.
    #[must_use]
    pub fn key(&self) -> u64 {
        let dimension = self.dimension.to_string();
        let parts = [
            self.id.as_str(),
            &self.revision,
            &dimension,
            self.pooling.name(),
            &self.query_prefix,
            &self.passage_prefix,
        ];
        let lengths: Vec<[u8; 8]> =
            parts.iter().map(|part| (part.len() as u64).to_le_bytes()).collect();
        let framed: Vec<&[u8]> = parts
            .iter()
            .zip(&lengths)
            .flat_map(|(part, length)| [length.as_slice(), part.as_bytes()])
            .collect();
        fnv1a64(&framed)
    }

    /// What says which vectors may be compared: the key, and how many numbers they have.
    #[must_use]
    pub fn space(&self) -> (u64, usize) {
        (self.key(), self.dimension)
    }
}

/// Which side of a search a text is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// What is looked for.
    Query,
    /// What is found.
    Passage,
}

/// A model that cannot serve now, and why, as a sentence without a full stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unavailable(pub String);

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Something that turns texts into vectors.
pub trait Embedder {
    /// What it is.
    fn model(&self) -> &Model;

    /// A vector of length 1 and of the model's dimension for each text, in their order; all zeros
    /// for a text that says nothing. `progress` is told how many are done.
    ///
    /// # Errors
    /// When the model cannot serve, or not in time. It will not later either.
    fn embed(
        &mut self,
        role: Role,
        texts: &[&str],
        progress: &mut dyn FnMut(usize),
    ) -> Result<Vec<Vec<f32>>, Unavailable>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cosines_of_another_model() {
        let bge = Thresholds { recall: 0.65, reminder: 0.70, duplicate: 0.85 };
        for (cosine, want) in [(0.65, 0.45), (0.70, 0.60), (0.5, 0.0), (0.95, 1.0), (-1.0, -1.0)] {
            assert!((bge.calibrate(cosine) - want).abs() < 1e-9, "{cosine}");
            assert!((STATIC.calibrate(cosine) - cosine).abs() < 1e-9, "{cosine}");
        }
        let odd = Thresholds { recall: 0.5, reminder: 0.5, duplicate: 0.5 };
        assert!(odd.calibrate(0.7).is_finite());
    }
}
