//! The document of `pimem rebuild`.

use serde::Serialize;

use super::status::States;

/// The result of a rebuild.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rebuilt {
    /// Stores that were not rebuilt recently.
    pub stores: Vec<Store>,
}

/// The result of a rebuild of one store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Store {
    /// Directory of the store.
    pub store: String,
    /// `project` or `user`.
    pub scope: &'static str,
    /// Number of entries by state.
    pub states: States,
    /// Hand-written entries that got evidence.
    pub adopted: usize,
    /// Archived entries, by topic.
    pub archived: Vec<Archived>,
    /// Result of indexing; null if the index was not touched.
    pub indexed: Option<Indexed>,
}

/// Archived entries of a topic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Archived {
    /// Stem of the topic file.
    pub topic: String,
    /// Number of entries.
    pub entries: usize,
    pub ids: Vec<String>,
    /// Lines for people, one per entry.
    #[serde(skip)]
    pub lines: Vec<String>,
}

/// The result of indexing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Indexed {
    /// Number of files.
    pub files: usize,
    /// Number of lines.
    pub lines: u64,
    /// Model in force.
    pub model: String,
    /// Number of lines with a vector.
    pub vectors: u64,
    /// Vectors in the index; 0 with the built-in model, which stores none.
    #[serde(skip)]
    pub kept: usize,
    /// Number of lines without a vector.
    pub missing: usize,
    /// Why vectors are missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

documents! {
    Rebuilt: "pimem.rebuild/1",
}
