//! The documents of `pimem list` and `pimem show`.

use serde::Serialize;

use super::{Document, EntryView};

/// Entries in the requested order.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Listed {
    pub entries: Vec<AccessedEntry>,
    /// Number of entries among which they were looked for.
    #[serde(skip)]
    pub of: usize,
    /// True if the topic that was asked for is not there.
    #[serde(skip)]
    pub no_topic: bool,
}

/// An entry in full.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Shown {
    pub entry: AccessedEntry,
    /// Age since it was first seen: `now`, `3d`.
    #[serde(skip)]
    pub known_for: String,
    /// Line of the entry that replaced it.
    #[serde(skip)]
    pub superseded_by: Option<String>,
}

/// An entry with its access count.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AccessedEntry {
    #[serde(flatten)]
    pub entry: EntryView,
    pub access_count: u64,
    /// Time of the last access, RFC 3339; `null` if never accessed.
    pub last_accessed: Option<String>,
    /// Age since the last reinforcement: `now`, `3d`.
    #[serde(skip)]
    pub age: String,
}

impl Document for Listed {
    fn schema(&self) -> &'static str {
        "pimem.list/1"
    }
}

impl Document for Shown {
    fn schema(&self) -> &'static str {
        "pimem.show/1"
    }
}
