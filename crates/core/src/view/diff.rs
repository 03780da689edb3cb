//! The document of `pimem diff`.

use serde::Serialize;

use super::{Document, displayed, factors::Factors, why::JudgedEntry};
use crate::{model::time::Timestamp, report::render::Kind, safety::safe_text::SafeText};

/// Changes between two times.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Diff {
    /// First time, RFC 3339.
    #[serde(serialize_with = "displayed")]
    pub from: Timestamp,
    /// Second time, RFC 3339.
    #[serde(serialize_with = "displayed")]
    pub to: Timestamp,
    pub tokens: Sizes,
    /// Most important first.
    pub changes: Vec<Change>,
    /// The reports at both times.
    #[serde(skip)]
    pub reports: [SafeText; 2],
}

/// Tokens of the report at both times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Sizes {
    pub before: u32,
    pub after: u32,
}

/// An entry that differs between the two times.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    pub change: Kind,
    /// Id of the entry at the second time.
    pub id: String,
    /// `None` if the entry did not exist at the first time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Side>,
    /// `None` if the entry did not exist at the second time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Side>,
}

/// An entry at one of the two times.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Side {
    /// The entry with its verdict in the report.
    #[serde(flatten)]
    pub judged: JudgedEntry,
    #[serde(skip)]
    pub factors: Factors,
}

impl Document for Diff {
    fn schema(&self) -> &'static str {
        "pimem.diff/1"
    }
}
