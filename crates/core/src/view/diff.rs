//! `pimem diff`.

use serde::Serialize;

use super::{
    Document, displayed,
    why::{Factors, JudgedEntry},
};
use crate::{model::time::Timestamp, report::diff::Kind};

/// What changed between two times.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Diff {
    /// The first time, RFC 3339.
    #[serde(serialize_with = "displayed")]
    pub from: Timestamp,
    /// The second time, RFC 3339.
    #[serde(serialize_with = "displayed")]
    pub to: Timestamp,
    /// Tokens of the report.
    pub tokens: Sizes,
    /// The most important first.
    pub changes: Vec<Change>,
}

/// Tokens of the report at both times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Sizes {
    /// At the first time.
    pub before: u32,
    /// At the second time.
    pub after: u32,
}

/// An entry that stands otherwise at the second time than at the first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// What happened to it.
    pub change: Kind,
    /// Its id at the second time.
    pub id: String,
    /// How it stood first, if it was there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Side>,
    /// How it stood then, if it was still there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Side>,
}

/// An entry at one of the two times.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Side {
    /// The entry, with what the report made of it.
    #[serde(flatten)]
    pub judged: JudgedEntry,
    /// The factors of its score.
    #[serde(skip)]
    pub factors: Factors,
}

impl Document for Diff {
    fn schema(&self) -> &'static str {
        "pimem.diff/1"
    }
}
