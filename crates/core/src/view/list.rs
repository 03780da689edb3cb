//! `pimem list` and `pimem show`.

use serde::Serialize;

use super::{Document, EntryView};

/// Entries, in the order that was asked for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Listed {
    /// The entries.
    pub entries: Vec<AccessedEntry>,
}

/// All that is known about an entry.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Shown {
    /// The entry.
    pub entry: AccessedEntry,
    /// How long ago it was first seen: `now`, `3d`.
    #[serde(skip)]
    pub known_for: String,
    /// The entry that took its place, in one line.
    #[serde(skip)]
    pub superseded_by: Option<String>,
}

/// An entry with how often it was found or shown, as far as telemetry goes back.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AccessedEntry {
    /// The entry.
    #[serde(flatten)]
    pub entry: EntryView,
    /// How often.
    pub access_count: u64,
    /// When last, RFC 3339; `null` for never.
    pub last_accessed: Option<String>,
    /// How long ago it was last reinforced: `now`, `3d`.
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
