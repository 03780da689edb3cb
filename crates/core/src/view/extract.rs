//! `pimem extract`.

use serde::Serialize;

use super::Document;

/// What became of the preferences that a text states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Extracted {
    /// Whether it is only what would be.
    pub dry_run: bool,
    /// One a preference.
    pub results: Vec<ExtractedPreference>,
}

/// A preference that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExtractedPreference {
    /// What became of it.
    pub action: ExtractAction,
    /// The id of its entry, 16 hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its text, without secrets.
    pub text: String,
    /// Why it waits, is doubtful or was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What became of a preference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ExtractAction {
    /// It is a new entry.
    Learned,
    /// It was known, and has one more piece of evidence.
    Reinforced,
    /// It was said less than an hour ago.
    Recent,
    /// It would have to wait, and is known: nothing became of it.
    Known,
    /// It is a new entry that no agent is shown before a review.
    Waiting,
    /// Its user has forgotten it.
    Forgotten,
    /// It is worded as an order to an agent.
    Doubtful,
    /// It may not be stored.
    Refused,
}

impl Document for Extracted {
    fn schema(&self) -> &'static str {
        "pimem.extract/1"
    }
}
