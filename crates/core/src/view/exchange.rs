//! The documents of `pimem import` and `pimem export`.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::gate::Counts;

/// The result of an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Imported {
    /// Name of the format.
    pub format: &'static str,
    /// True if nothing was written.
    pub dry_run: bool,
    /// Number of new entries.
    pub added: usize,
    /// Number of known entries with new evidence.
    pub updated: usize,
    /// Number of known entries without new evidence.
    pub known: usize,
    /// Number of memories that a known entry states in other words.
    pub repeated: usize,
    /// One per memory that can be an entry.
    pub results: Vec<Taken>,
    /// Parts of the source that were not imported.
    pub left_out: Vec<Left>,
    /// Number of new lines or items per file of notes, by file name.
    pub notes: BTreeMap<String, usize>,
}

/// An imported memory that can be an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Taken {
    pub action: Fate,
    /// Place in the source.
    pub place: String,
    pub id: String,
    /// `[category] text (short id)`.
    pub entry: String,
}

/// What an import did with a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Fate {
    /// A new entry.
    Added,
    /// A known entry with new evidence.
    Updated,
    /// A known entry without new evidence.
    Known,
    /// A known entry states the same in other words.
    Repeated,
}

/// Part of the source that was not imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Left {
    /// Place in the source.
    pub place: String,
    pub reason: String,
}

/// The result of an import of vectors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ImportedVectors {
    /// Model that made the vectors.
    pub model: String,
    /// Dimensions of each vector.
    pub dimension: usize,
    /// Vectors in the file.
    pub vectors: usize,
    /// Vectors of entries in the store.
    pub imported: usize,
    /// Vectors of other texts, which are skipped.
    pub unknown: usize,
}

/// The result of an export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Exported {
    /// Name of the format.
    pub format: &'static str,
    /// Number of entries.
    pub exported: usize,
    /// Number of files.
    pub files: usize,
    /// Path of the output.
    pub output: String,
    /// Number of entries left out because no agent is told them, by their state.
    #[serde(skip_serializing_if = "Counts::is_empty")]
    pub left_out: Counts,
}

/// The result of an export of vectors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExportedVectors {
    /// Model that made the vectors.
    pub model: String,
    /// Dimensions of each vector.
    pub dimension: usize,
    /// Number of vectors.
    pub exported: usize,
    /// Path of the file.
    pub file: String,
}

documents! {
    Imported: "pimem.import-memories/1",
    ImportedVectors: "pimem.import/1",
    Exported: "pimem.export-memories/1",
    ExportedVectors: "pimem.export/1",
}
