//! `pimem rebuild`.

use serde::Serialize;

use super::status::States;

/// What a rebuild did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rebuilt {
    /// The stores that were not rebuilt recently.
    pub stores: Vec<Store>,
}

/// What a rebuild did to a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Store {
    /// Its directory.
    pub store: String,
    /// `project` or `user`.
    pub scope: &'static str,
    /// Its entries by state.
    pub states: States,
    /// Hand-written entries that got evidence.
    pub adopted: usize,
    /// What went to the archive, by topic.
    pub archived: Vec<Archived>,
    /// What was indexed; null where the index was left as it is.
    pub indexed: Option<Indexed>,
}

/// Entries of a topic that went to the archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Archived {
    /// Stem of the topic file.
    pub topic: String,
    /// How many.
    pub entries: usize,
    /// Which.
    pub ids: Vec<String>,
    /// The same as lines for people.
    #[serde(skip)]
    pub lines: Vec<String>,
}

/// What was indexed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Indexed {
    /// Files.
    pub files: usize,
    /// Lines.
    pub lines: u64,
    /// The model in force.
    pub model: String,
    /// Lines that have a vector.
    pub vectors: u64,
    /// Vectors that the index holds; none of the built-in model, which needs none.
    #[serde(skip)]
    pub kept: usize,
    /// Lines that have none.
    pub missing: usize,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

documents! {
    Rebuilt: "pimem.rebuild/1",
}
