//! `pimem forecast`.

use serde::Serialize;

use super::{Document, displayed, six_decimals};
use crate::model::{calendar::Date, time::Timestamp};

/// What will fade, and how large the report will be, if nothing happens.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Forecast {
    /// Tokens that the report may take.
    pub budget: u32,
    /// The report of today and of each day to come.
    pub days: Vec<Day>,
    /// What happens to entries, the next first.
    pub changes: Vec<Change>,
    /// The decay of entries, where it was asked for.
    #[serde(skip)]
    pub curves: Vec<Curve>,
}

/// The report of one day.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Day {
    /// The day, as clocks show it here.
    #[serde(serialize_with = "displayed")]
    pub date: Date,
    /// Its size in tokens.
    pub tokens: u32,
    /// Entries in it.
    pub entries: usize,
}

/// Something that happens to an entry.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// When, RFC 3339.
    #[serde(serialize_with = "displayed")]
    pub at: Timestamp,
    /// `becomes candidate`, `leaves the report` and so on.
    pub what: String,
    /// The entry's id, 16 hexadecimal digits.
    pub id: String,
    /// Name of its category.
    pub category: String,
    /// Its text.
    pub text: String,
    /// Its score now.
    #[serde(serialize_with = "six_decimals")]
    pub score: f64,
    /// The shortest unique prefix of the id.
    #[serde(skip)]
    pub short: String,
}

/// The scores of an entry in days to come.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Its short id, and the beginning of its text.
    pub name: String,
    /// Days from now, and the score.
    pub points: Vec<(f64, f64)>,
}

impl Document for Forecast {
    fn schema(&self) -> &'static str {
        "pimem.forecast/1"
    }
}
