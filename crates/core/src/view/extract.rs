//! The document of `pimem extract`.

use serde::Serialize;

use super::{Document, prospect::NotShown};

/// The preferences extracted from a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Extracted {
    /// True if nothing was written.
    pub dry_run: bool,
    /// One per preference.
    pub results: Vec<ExtractedPreference>,
}

/// A preference found in a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExtractedPreference {
    pub action: ExtractAction,
    /// Id of the entry, 16 hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Text, with secrets removed.
    pub text: String,
    /// Why the preference waits, is doubtful or was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether the next report shows it, if it was learned or reinforced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eligible: Option<bool>,
    /// Why the next report leaves it out.
    #[serde(flatten)]
    pub absent: Option<NotShown>,
}

/// What extraction did with a preference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ExtractAction {
    /// A new entry.
    Learned,
    /// A known entry with one more piece of evidence.
    Reinforced,
    /// Stated less than an hour ago; not counted again.
    Recent,
    /// Would wait for review, but is already known; nothing changed.
    Known,
    /// A new entry that is hidden from agents until it is reviewed.
    Waiting,
    /// The user has forgotten the entry.
    Forgotten,
    /// Worded as an order to an agent.
    Doubtful,
    /// Not allowed in a store.
    Refused,
}

impl Document for Extracted {
    fn schema(&self) -> &'static str {
        "pimem.extract/1"
    }
}
