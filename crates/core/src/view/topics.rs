//! `pimem topics`.

use serde::Serialize;

use super::Document;

/// The topic files of some stores, hottest first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Topics {
    /// One a file and store.
    pub topics: Vec<Topic>,
}

/// A topic file.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Topic {
    /// The file's name, without `.md`.
    pub name: String,
    /// `project` or `user`.
    pub scope: &'static str,
    /// Entries in the file.
    pub entries: usize,
    /// Sum of the scores of its entries.
    pub hotness: f64,
    /// Whether an entry is pinned.
    pub pinned: bool,
    /// Whether nothing was reinforced for twice the decay constant.
    pub cold: bool,
    /// Characters of the file.
    pub characters: usize,
    /// Tokens, by the estimate that reports use.
    pub tokens: u32,
    /// Characters in percent of what a topic may hold.
    pub percent_full: usize,
}

impl Document for Topics {
    fn schema(&self) -> &'static str {
        "pimem.topics/1"
    }
}
