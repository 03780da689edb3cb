//! `pimem add`.

use serde::Serialize;

use super::{Document, EntryView};

/// What became of texts that were added.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AddView {
    /// One a text, in their order.
    pub results: Vec<Added>,
}

/// What became of a text.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Added {
    /// `added`, or `reinforced` where it was known.
    pub action: &'static str,
    /// Everything about its entry, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<EntryView>,
    /// Whether the next report may show it.
    pub eligible: bool,
    /// Why not, and what would change that.
    #[serde(flatten)]
    pub absent: Option<NotShown>,
    /// An older entry that it seems to replace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seems_to_replace: Option<Older>,
    /// Name of its category.
    #[serde(skip)]
    pub category: String,
    /// Its text.
    #[serde(skip)]
    pub text: String,
    /// The shortest unique prefix of its id.
    #[serde(skip)]
    pub short: String,
    /// What it replaces, where that was in the archive already.
    #[serde(skip)]
    pub replaces: Option<String>,
}

/// Why the next report leaves an entry out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NotShown {
    /// A sentence without its beginning.
    pub reason: String,
    /// The command that brings it in.
    pub remedy: Option<String>,
}

/// An older entry that a new one seems to replace.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Older {
    /// Everything about it, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<EntryView>,
    /// The command that says so.
    pub remedy: String,
    /// Its text.
    #[serde(skip)]
    pub text: String,
    /// The shortest unique prefix of its id.
    #[serde(skip)]
    pub short: String,
}

impl Document for AddView {
    fn schema(&self) -> &'static str {
        "pimem.add/1"
    }
}
