//! Models: how one is described, and a catalog of known ones with their sources and settings. Pure
//! data.

use serde::{Deserialize, Serialize};

use crate::model::hash::fnv1a64;

/// Prefix of queries for bge and related models.
const BGE_QUERY: &str = "Represent this sentence for searching relevant passages: ";
/// Thresholds of bge in English, until a model is tried and measured.
const BGE: Thresholds = Thresholds { recall: 0.65, reminder: 0.70, duplicate: 0.85 };
/// E5 is trained at a low temperature: unrelated texts have cosines of 0.7 and more.
const E5: Thresholds = Thresholds { recall: 0.85, reminder: 0.88, duplicate: 0.95 };
/// Thresholds of other models until then. They are high: a match that is missing does less harm than a
/// wrong one.
const CAUTIOUS: Thresholds = Thresholds { recall: 0.65, reminder: 0.70, duplicate: 0.90 };

/// Required size and SHA-256 of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pin {
    /// Size in bytes.
    pub size: u64,
    /// SHA-256 in hexadecimal.
    pub sha256: &'static str,
}

/// A model that can be downloaded by name.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    /// The model, without the revision that installation assigns.
    pub model: Model,
    /// Repository at Hugging Face.
    pub repository: String,
    /// Path of the ONNX file in the repository.
    pub file: String,
    /// Paths of further files with weights.
    pub external: Vec<String>,
    /// Name of the output to use, if not the usual one.
    pub output: Option<String>,
    /// Pin of the ONNX file, if known; otherwise its first download is trusted.
    pub pin: Option<Pin>,
    /// Its original weights, if they are known. They go before the ONNX file.
    pub weights: Option<Weights>,
}

/// Original weights as `model.safetensors`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weights {
    /// Repository at Hugging Face.
    pub repository: &'static str,
    pub pin: Pin,
}

/// Name, repository, file, pooling and pin. All four models have 384 dimensions.
type Row = (&'static str, &'static str, &'static str, Pooling, Pin);

/// Models with known original weights, all in the vocabulary of the built-in table.
const ORIGINALS: &[(&str, Weights)] = &[
    (
        "bge-small-en-v1.5",
        Weights {
            repository: "BAAI/bge-small-en-v1.5",
            pin: Pin {
                size: 133_466_304,
                sha256: "3c9f31665447c8911517620762200d2245a2518d6e7208acc78cd9db317e21ad",
            },
        },
    ),
    (
        "all-minilm-l6-v2",
        Weights {
            repository: "sentence-transformers/all-MiniLM-L6-v2",
            pin: Pin {
                size: 90_868_376,
                sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            },
        },
    ),
];

/// The models named in the documentation.
///
/// Pins are the git-lfs object ids of the files at Hugging Face, as stated by several public
/// projects that download the same files.
const ROWS: &[Row] = &[
    (
        "bge-small-en-v1.5",
        "Xenova/bge-small-en-v1.5",
        "onnx/model.onnx",
        Pooling::Cls,
        Pin {
            size: 133_093_490,
            sha256: "828e1496d7fabb79cfa4dcd84fa38625c0d3d21da474a00f08db0f559940cf35",
        },
    ),
    (
        "bge-small-en-v1.5-q",
        "Qdrant/bge-small-en-v1.5-onnx-Q",
        "model_optimized.onnx",
        Pooling::Cls,
        Pin {
            size: 66_465_124,
            sha256: "51f1bd0addd6e859e42c2c8021a5e5461385bb676a649f4b269aa445449f2431",
        },
    ),
    (
        "all-minilm-l6-v2",
        "Qdrant/all-MiniLM-L6-v2-onnx",
        "model.onnx",
        Pooling::Mean,
        Pin {
            size: 90_387_630,
            sha256: "bbd7b466f6d58e646fdc2bd5fd67b2f5e93c0b687011bd4548c420f7bd46f0c5",
        },
    ),
    (
        "all-minilm-l6-v2-q",
        "Xenova/all-MiniLM-L6-v2",
        "onnx/model_quantized.onnx",
        Pooling::Mean,
        Pin {
            size: 22_972_370,
            sha256: "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1",
        },
    ),
];

/// Settings of model families: start of the name, prefix of queries, prefix of passages,
/// thresholds. The first match counts.
const FAMILIES: &[(&str, &str, &str, Thresholds)] = &[
    ("bge-small-zh", "为这个句子生成表示以用于检索相关文章：", "", CAUTIOUS),
    ("bge-large-zh", "为这个句子生成表示以用于检索相关文章：", "", CAUTIOUS),
    ("bge-m3", "", "", CAUTIOUS),
    ("bge-", BGE_QUERY, "", BGE),
    ("all-minilm-", "", "", STATIC),
    ("minilm", "", "", STATIC),
    ("mxbai-embed-", BGE_QUERY, "", CAUTIOUS),
    ("snowflake-arctic-embed2", "query: ", "", CAUTIOUS),
    ("snowflake-arctic-embed", BGE_QUERY, "", CAUTIOUS),
    ("nomic-embed-", "search_query: ", "search_document: ", CAUTIOUS),
    ("modernbert-embed-", "search_query: ", "search_document: ", CAUTIOUS),
    ("multilingual-e5-", "query: ", "passage: ", E5),
    ("embeddinggemma", "task: search result | query: ", "title: none | text: ", CAUTIOUS),
];

/// Returns the models named in the documentation, in its order.
#[must_use]
pub fn all() -> Vec<Known> {
    let known = |(name, repository, file, pooling, pin): &Row| Known {
        model: model(name, 384, *pooling),
        repository: (*repository).to_owned(),
        file: (*file).to_owned(),
        external: Vec::new(),
        output: None,
        pin: Some(*pin),
        weights: ORIGINALS.iter().find(|(of, _)| of == name).map(|(_, weights)| *weights),
    };
    ROWS.iter().map(known).collect()
}

/// Returns a model of this name without a revision, with the prefixes and thresholds of its family.
#[must_use]
pub fn model(name: &str, dimension: usize, pooling: Pooling) -> Model {
    let family = FAMILIES.iter().find(|(start, ..)| name.starts_with(start));
    let (query, passage, thresholds) =
        family.map_or(("", "", CAUTIOUS), |(_, query, passage, at)| (query, passage, *at));
    Model {
        id: name.to_owned(),
        revision: String::new(),
        dimension,
        pooling,
        query_prefix: query.to_owned(),
        passage_prefix: passage.to_owned(),
        thresholds,
    }
}

/// Returns true if the thresholds of a model are those by which others are measured.
#[must_use]
pub fn is_reference(model: &Model) -> bool {
    model.thresholds == STATIC
}

/// Start of the names of models that Ollama serves.
pub const OLLAMA: &str = "ollama/";

/// Returns the name that Ollama has for a model; `None` if it does not serve it.
#[must_use]
pub fn of_ollama(name: &str) -> Option<&str> {
    name.strip_prefix(OLLAMA).filter(|name| !name.is_empty())
}

/// Returns the canonical spelling of a model's name: lower case, without owner, `-q` for quantised.
#[must_use]
pub fn canonical(name: &str) -> String {
    let name = name.trim().rsplit('/').next().unwrap_or_default().to_lowercase();
    if let Some(stem) = name.strip_suffix("-onnx-q") {
        return format!("{stem}-q");
    }
    name.strip_suffix("-onnx").unwrap_or(&name).to_owned()
}

/// Returns true for the canonical name of a model in few bits.
#[must_use]
pub fn is_quantised(name: &str) -> bool {
    name.ends_with("-q") || name.ends_with("-q4")
}

/// Returns true if a canonical name may be used for an installed model and its directory.
#[must_use]
pub fn is_usable(name: &str) -> bool {
    let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"._-".contains(&b);
    (1..=64).contains(&name.len())
        && name.bytes().all(fits)
        && !name.starts_with(['.', '-'])
        && !["static", "static-384", "minilm", "none"].contains(&name)
}

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

/// Thresholds of MiniLM and of the built-in table, for which the weights of the hybrid score were
/// chosen: about 1 % and 0.1 % of random pairs reach the first two.
pub const STATIC: Thresholds = Thresholds { recall: 0.45, reminder: 0.60, duplicate: 0.90 };

impl Thresholds {
    /// Converts a cosine to the built-in model's scale, -1 to 1. The map is linear, and takes the
    /// first two thresholds to the built-in model's. Unrelated texts have cosines near 0 in one model
    /// and near 0.5 in another.
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
    pub dimension: usize,
    pub pooling: Pooling,
    #[serde(default)]
    pub query_prefix: String,
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

    /// Returns what the model wants in front of a text.
    #[must_use]
    pub fn prefix(&self, role: TextRole) -> &str {
        match role {
            TextRole::Query => &self.query_prefix,
            TextRole::Passage => &self.passage_prefix,
        }
    }

    /// Returns key and dimension, which determine which vectors are comparable.
    #[must_use]
    pub fn space(&self) -> (u64, usize) {
        (self.key(), self.dimension)
    }
}

/// The role of a text in a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextRole {
    Query,
    Passage,
}

/// The reason why a model is unavailable, as a sentence without a full stop.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unavailable(pub String);

pub trait Embedder {
    fn model(&self) -> &Model;

    /// Returns a vector of length 1 and of the model's dimension for each text, in order; all zeros
    /// for a text without tokens. `progress` receives the number of texts done.
    ///
    /// # Errors
    /// If the model is unavailable or too slow. Further calls will fail too.
    fn embed(
        &mut self,
        role: TextRole,
        texts: &[&str],
        progress: &mut dyn FnMut(usize),
    ) -> Result<Vec<Vec<f32>>, Unavailable>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (name, want) in [
            ("BAAI/bge-small-en-v1.5", "bge-small-en-v1.5"),
            ("Qdrant/bge-small-en-v1.5-onnx-Q", "bge-small-en-v1.5-q"),
            (" sentence-transformers/all-MiniLM-L6-v2 ", "all-minilm-l6-v2"),
            ("static", "static"),
        ] {
            assert_eq!(canonical(name), want);
        }
        assert!(is_usable("bge-small-en-v1.5"));
        let long = "x".repeat(65);
        for name in
            ["", ".", "..", "a/b", "-x", "none", "static", "minilm", "A", "ä", long.as_str()]
        {
            assert!(!is_usable(name), "{name}");
        }
    }

    #[test]
    fn known_models() {
        for known in all() {
            assert_eq!(canonical(&known.model.id), known.model.id);
            assert!(is_usable(&known.model.id));
            assert_eq!(known.pin.map(|pin| pin.sha256.len()), Some(64));
        }
        let bge = model("bge-small-en-v1.5-q", 384, Pooling::Cls);
        assert_eq!((bge.query_prefix.as_str(), bge.thresholds), (BGE_QUERY, BGE));
        let minilm = model("all-minilm-l6-v2", 384, Pooling::Mean);
        assert_eq!((minilm.query_prefix.as_str(), minilm.thresholds), ("", STATIC));
        assert_eq!(model("bge-m3", 1024, Pooling::Cls).query_prefix, "");
        for (name, want) in [
            ("ollama/nomic-embed-text", "search_query: "),
            ("ollama/hf.co/nomic-ai/nomic-embed-text-v1.5-GGUF:F16", "search_query: "),
            ("ollama/mxbai-embed-large:335m", BGE_QUERY),
            ("ollama/bge-m3:latest", ""),
            ("ollama/snowflake-arctic-embed2", "query: "),
            ("ollama/embeddinggemma", "task: search result | query: "),
        ] {
            let served = model(&canonical(of_ollama(name).unwrap()), 8, Pooling::Mean);
            assert_eq!(served.query_prefix, want, "{name}");
        }
        assert_eq!((of_ollama("ollama/"), of_ollama("minilm")), (None, None));
        assert_eq!(model("something", 8, Pooling::Mean).thresholds, CAUTIOUS);
    }
}

#[cfg(test)]
mod model_tests {
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
