//! The document of `pimem forecast`.

use serde::Serialize;

use super::{Document, displayed, six_decimals};
use crate::model::{calendar::Date, time::Timestamp};

/// Future states of the entries and future sizes of the report, if nothing happens.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Forecast {
    /// Token budget of the report.
    pub budget: Option<u32>,
    /// The reports of today and of each coming day.
    pub days: Vec<Day>,
    /// Changes of entries, soonest first.
    pub changes: Vec<Change>,
    /// Decay curves, if requested.
    #[serde(skip)]
    pub curves: Vec<Curve>,
}

/// The report of one day.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Day {
    /// Day in local time.
    #[serde(serialize_with = "displayed")]
    pub date: Date,
    /// Size in tokens.
    pub tokens: u32,
    /// Number of entries.
    pub entries: usize,
}

/// A change of an entry.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// Time of the change, RFC 3339.
    #[serde(serialize_with = "displayed")]
    pub at: Timestamp,
    /// `becomes candidate`, `leaves the report` and so on.
    pub what: String,
    pub id: String,
    pub category: String,
    pub text: String,
    /// Current score.
    #[serde(serialize_with = "six_decimals")]
    pub score: f64,
    /// Shortest unique prefix of the id.
    #[serde(skip)]
    pub short: String,
}

/// The future scores of an entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Short id and beginning of the text.
    pub name: String,
    /// Pairs of days from now and score.
    pub points: Vec<(f64, f64)>,
}

impl Document for Forecast {
    fn schema(&self) -> &'static str {
        "pimem.forecast/1"
    }
}
