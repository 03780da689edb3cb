//! The document of `pimem topics`.

use serde::Serialize;

use super::Document;

/// The topics of one or more stores, hottest first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Topics {
    /// One per topic and store.
    pub topics: Vec<Topic>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Topic {
    /// Name of its first file, without `.md`.
    pub name: String,
    /// `project` or `user`.
    pub scope: &'static str,
    /// Number of entries.
    pub entries: usize,
    /// Sum of the scores of the entries.
    pub hotness: f64,
    /// True if an entry is pinned.
    pub pinned: bool,
    /// True if nothing was reinforced for twice the decay constant.
    pub cold: bool,
    /// Size in characters.
    pub characters: usize,
    /// Tokens, by the estimate of the report.
    pub tokens: u32,
    /// Number of files that it spans.
    pub files: usize,
    /// Size in characters as a percentage of what its files may hold.
    pub percent_full: usize,
}

impl Document for Topics {
    fn schema(&self) -> &'static str {
        "pimem.topics/1"
    }
}
