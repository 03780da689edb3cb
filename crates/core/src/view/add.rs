//! The document of `pimem add`.

use serde::Serialize;

use super::{Document, EntryView, prospect::Prospect};

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
    #[serde(flatten)]
    pub next: Prospect,
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

impl Document for AddView {
    fn schema(&self) -> &'static str {
        "pimem.add/1"
    }
}
