//! `pimem import` and `pimem export`.

use std::collections::BTreeMap;

use serde::Serialize;

/// Memories that were taken over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Imported {
    /// Name of the format.
    pub format: &'static str,
    /// Whether nothing was written.
    pub dry_run: bool,
    /// New entries.
    pub added: usize,
    /// Entries that were there, and have new evidence.
    pub updated: usize,
    /// Entries that were there.
    pub known: usize,
    /// Entries that were there in other words.
    pub repeated: usize,
    /// What became of each memory that may be an entry.
    pub results: Vec<Taken>,
    /// What was not taken over.
    pub left_out: Vec<Left>,
    /// How much was new in each file of notes, by its name.
    pub notes: BTreeMap<String, usize>,
}

/// A memory that may be an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Taken {
    /// What became of it.
    pub action: Fate,
    /// Where it stood.
    pub place: String,
    /// Id of the entry.
    pub id: String,
    /// `[category] text (short id)`.
    pub entry: String,
}

/// What became of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Fate {
    /// It is a new entry.
    Added,
    /// It was there, and has new evidence.
    Updated,
    /// It was there.
    Known,
    /// An entry says the same in other words.
    Repeated,
}

/// Something that was not taken over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Left {
    /// Where it stands.
    pub place: String,
    /// Why.
    pub reason: String,
}

/// Vectors that were taken over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ImportedVectors {
    /// The model that they are of.
    pub model: String,
    /// Numbers in each.
    pub dimension: usize,
    /// Vectors in the file.
    pub vectors: usize,
    /// Those of present entries.
    pub imported: usize,
    /// The others.
    pub unknown: usize,
}

/// Memories that were written for other programs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Exported {
    /// Name of the format.
    pub format: &'static str,
    /// Entries.
    pub exported: usize,
    /// Files.
    pub files: usize,
    /// Where they are.
    pub output: String,
}

/// Vectors that were written for other programs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExportedVectors {
    /// The model that they are of.
    pub model: String,
    /// Numbers in each.
    pub dimension: usize,
    /// Vectors.
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
