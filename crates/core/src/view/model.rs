//! `pimem model`.

use serde::Serialize;

use crate::embed::catalog::Model;

/// The models there are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Models {
    /// Built in, installed, and those that can be downloaded.
    pub models: Vec<Listed>,
}

/// A model of the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// `built in`, `off`, `served` (by Ollama), `installed` or `available`.
    pub state: &'static str,
    /// Whether the settings choose it.
    pub in_use: bool,
    /// Numbers in a vector; null where there are none, or that is not known.
    pub dimension: Option<usize>,
    /// Where it is from.
    pub source: String,
}

/// A model that was deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Removed {
    /// Its name.
    pub model: String,
}

/// What was installed.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Pulled {
    /// Version of the ONNX Runtime library.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runtime: Option<String>,
    /// A model.
    #[serde(flatten)]
    pub model: Option<PulledModel>,
}

/// A model that was installed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PulledModel {
    /// The model.
    pub model: Model,
    /// Whether it was tried.
    pub tried: bool,
}

/// A model, and whether it can serve.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// Its name.
    pub name: String,
    /// The setting that chooses it; absent when none does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen_by: Option<String>,
    /// Where it is from; absent unless it is installed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// What it is, as far as that is known.
    #[serde(flatten)]
    pub properties: Option<Properties>,
    /// Tokens of a text that it looks at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<usize>,
    /// Its files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Files>,
    /// The library that computes it.
    #[serde(flatten)]
    pub library: Option<Library>,
    /// Version of that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runtime_version: Option<String>,
    /// How long a query takes.
    #[serde(flatten)]
    pub trial: Option<Trial>,
    /// Whether it can serve.
    pub serves: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

/// What a model is.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Properties {
    /// Tells versions of the same name apart.
    pub revision: String,
    /// Numbers in a vector.
    pub dimension: usize,
    /// How tokens become one vector.
    pub pooling: &'static str,
    /// What it wants in front of a query.
    pub query_prefix: String,
    /// What it wants in front of a passage.
    pub passage_prefix: String,
    /// Score from which a memory is recalled, which is `recall.minScore` for every model.
    pub recall: f64,
    /// Cosine from which an agent is reminded of one.
    pub reminder: f64,
    /// Cosine from which two may be the same.
    pub duplicate: f64,
}

/// Files of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Files {
    /// How many.
    pub count: usize,
    /// Bytes in all.
    pub bytes: u64,
    /// Whether all are as they were installed.
    pub whole: bool,
}

/// An ONNX Runtime library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Library {
    /// Its path.
    pub runtime: String,
    /// What names it.
    pub runtime_from: &'static str,
}

/// A query as it was tried, from the start of a process on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Trial {
    /// Milliseconds that it took.
    pub took_ms: u64,
    /// Milliseconds for which a search waits.
    pub deadline_ms: u64,
}

documents! {
    Models: "pimem.models/1",
    Removed: "pimem.uninstall/1",
    Pulled: "pimem.pull/1",
    Status: "pimem.model/1",
}

impl From<&Model> for Properties {
    fn from(model: &Model) -> Self {
        Self {
            revision: model.revision.clone(),
            dimension: model.dimension,
            pooling: model.pooling.name(),
            query_prefix: model.query_prefix.clone(),
            passage_prefix: model.passage_prefix.clone(),
            recall: model.thresholds.recall,
            reminder: model.thresholds.reminder,
            duplicate: model.thresholds.duplicate,
        }
    }
}
