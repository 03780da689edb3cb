//! What the next report does with an entry that a command has changed.

use serde::Serialize;

use super::EntryView;

/// The verdict of the next report at the same time, within the configured budget.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Prospect {
    /// True if the next report shows the entry.
    pub eligible: bool,
    /// Why it leaves the entry out; `None` if it shows it.
    #[serde(flatten)]
    pub absent: Option<NotShown>,
    /// Another entry that this one seems to replace, or that yields to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seems_to_replace: Option<Older>,
}

/// The reason why the next report leaves an entry out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotShown {
    /// A sentence without its beginning.
    pub reason: String,
    /// Command that brings the entry into the report.
    pub remedy: Option<String>,
}

/// An older choice that another one seems to replace.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Older {
    /// Set if the full entry was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<EntryView>,
    /// Command that records the replacement.
    pub remedy: String,
    /// Name of the category.
    #[serde(skip)]
    pub category: String,
    #[serde(skip)]
    pub text: String,
    /// Shortest unique prefix of the id.
    #[serde(skip)]
    pub short: String,
}

/// An entry after a change, with its prospect.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Changed {
    #[serde(flatten)]
    pub entry: EntryView,
    #[serde(flatten)]
    pub next: Prospect,
}
