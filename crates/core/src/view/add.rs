//! The document of `pimem add`.

use serde::Serialize;

use super::{Document, EntryView};

/// The result of adding texts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AddView {
    /// One per text, in the order given.
    pub results: Vec<Added>,
}

/// The result of adding one text.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Added {
    /// `added`, or `reinforced` if the text was already known.
    pub action: &'static str,
    /// Set if the full entry was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<EntryView>,
    /// True if the next report may show the entry.
    pub eligible: bool,
    /// Why the next report leaves the entry out; `None` if it may show it.
    #[serde(flatten)]
    pub absent: Option<NotShown>,
    /// An older entry that this one seems to replace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seems_to_replace: Option<Older>,
    /// Name of the category.
    #[serde(skip)]
    pub category: String,
    #[serde(skip)]
    pub text: String,
    /// Shortest unique prefix of the id.
    #[serde(skip)]
    pub short: String,
    /// The replaced entry, if it was already in the archive.
    #[serde(skip)]
    pub replaces: Option<String>,
}

/// The reason why the next report leaves an entry out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NotShown {
    /// A sentence without its beginning.
    pub reason: String,
    /// Command that brings the entry into the report.
    pub remedy: Option<String>,
}

/// An older entry that a new one seems to replace.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Older {
    /// Set if the full entry was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<EntryView>,
    /// Command that records the replacement.
    pub remedy: String,
    #[serde(skip)]
    pub text: String,
    /// Shortest unique prefix of the id.
    #[serde(skip)]
    pub short: String,
}

impl Document for AddView {
    fn schema(&self) -> &'static str {
        "pimem.add/1"
    }
}
