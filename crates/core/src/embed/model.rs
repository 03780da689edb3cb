//! The description of a model, and the trait that models implement.

use serde::{Deserialize, Serialize};

use crate::model::hash::fnv1a64;

crate::named! {
    /// How the vectors of a text's tokens are combined into one.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Pooling {
        /// Their mean.
        Mean = "mean",
        /// The first token's vector.
        Cls = "cls",
        /// Their sum, weighted by token (the built-in table).
        Sum = "sum",
    }
}

/// Minimum cosines for two texts to count as related, for three purposes. They are specific to a
/// model, because cosines of different models are not comparable.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Thresholds {
    /// To recall a memory for a prompt.
    pub recall: f64,
    /// To show a memory because a file changed.
    pub reminder: f64,
    /// To consider two entries duplicates.
    pub duplicate: f64,
}

/// Thresholds of the built-in model, for which the weights of the hybrid score were chosen.
pub const STATIC: Thresholds = Thresholds { recall: 0.45, reminder: 0.60, duplicate: 0.90 };

impl Thresholds {
    /// Converts a cosine to the built-in model's scale, -1 to 1, where about as many pairs of
    /// unrelated texts reach it. The map is linear through the two thresholds that about 1 % and
    /// 0.1 % of such pairs reach. Unrelated texts have cosines near 0 in one model and near 0.6 in
    /// another.
    #[must_use]
    pub fn calibrate(&self, cosine: f64) -> f64 {
        let span = self.reminder - self.recall;
        let slope = if span > 0.0 { (STATIC.reminder - STATIC.recall) / span } else { 1.0 };
        (STATIC.recall + slope * (cosine - self.recall)).clamp(-1.0, 1.0)
    }
}

/// The properties of a model that determine the vector of a text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// Its name, as in `embedding.model`.
    pub id: String,
    /// Distinguishes versions of one name: a hash of its files, or a version.
    pub revision: String,
    /// Number of dimensions.
    pub dimension: usize,
    pub pooling: Pooling,
    /// Prefix for queries.
    #[serde(default)]
    pub query_prefix: String,
    /// Prefix for passages.
    #[serde(default)]
    pub passage_prefix: String,
    pub thresholds: Thresholds,
}

impl Model {
    /// Returns a hash that differs between models whose vectors must not be mixed.
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

    /// Returns key and dimension, which determine which vectors are comparable.
    #[must_use]
    pub fn space(&self) -> (u64, usize) {
        (self.key(), self.dimension)
    }
}

/// The role of a text in a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Query,
    Passage,
}

/// The reason why a model is unavailable, as a sentence without a full stop.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unavailable(pub String);

/// A model that converts texts to vectors.
pub trait Embedder {
    fn model(&self) -> &Model;

    /// Returns a vector of length 1 and of the model's dimension for each text, in order; all zeros
    /// for a text without tokens. `progress` receives the number of texts done.
    ///
    /// # Errors
    /// If the model is unavailable or too slow. Further calls will fail too.
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
