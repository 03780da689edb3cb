//! The document of `pimem forecast`.

use serde::{Serialize, Serializer};

use super::{Document, displayed, six_decimals};
use crate::{
    model::time::{Date, Timestamp},
    report::explain::Act,
};

/// Future states of the entries and future sizes of the report, if nothing happens.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Forecast {
    /// Token budget of the report.
    pub budget: Option<u32>,
    /// The reports of today and of each coming day.
    pub days: Vec<Day>,
    /// Changes of entries, soonest first.
    pub changes: Vec<Change>,
    /// Entries that leave the report, soonest first.
    pub leaving: Vec<Leaving>,
    /// Entries that were asked for and do not leave it.
    #[serde(skip)]
    pub others: Vec<Other>,
    /// Decay curves, if requested.
    #[serde(skip)]
    pub picture: Picture,
}

/// An entry that leaves the report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Leaving {
    /// A moment of the local day on which it leaves, at which the report does not show it, RFC 3339;
    /// the exact one if it leaves by its own age or date.
    #[serde(serialize_with = "displayed")]
    pub at: Timestamp,
    pub id: String,
    pub category: String,
    pub text: String,
    /// True if its time of validity ends then.
    pub expires: bool,
    /// A moment of the day on which the report shows it again, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "maybe_displayed")]
    pub returns: Option<Timestamp>,
    /// What keeps it if it is done now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep: Option<Keep>,
    /// Shortest unique prefix of the id.
    #[serde(skip)]
    pub short: String,
}

/// A command that keeps an entry in the report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Keep {
    pub command: String,
    /// A moment of the day on which it leaves the report all the same, RFC 3339; absent if that is
    /// years away.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "maybe_displayed")]
    pub until: Option<Timestamp>,
    #[serde(skip)]
    pub act: Act,
}

/// An entry that does not leave the report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Other {
    pub short: String,
    pub text: String,
    /// True if the report shows it now.
    pub shown: bool,
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

/// Curves of scores, and what is around them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Picture {
    pub curves: Vec<Curve>,
    /// Number of entries that were named or, if none were, that fade.
    pub all: usize,
    /// True if the entries were named.
    pub named: bool,
    /// Lowest score and name of each state but the last, highest first.
    pub levels: Vec<(f64, &'static str)>,
}

/// The future scores of an entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Short id.
    pub short: String,
    pub text: String,
    /// Pairs of days from now and score.
    pub points: Vec<(f64, f64)>,
    /// Local day of the first report without the entry, and days until then.
    pub leaves: Option<(Date, f64)>,
}

#[expect(clippy::ref_option, reason = "serde passes the field by reference")]
fn maybe_displayed<S: Serializer>(at: &Option<Timestamp>, to: S) -> Result<S::Ok, S::Error> {
    at.map(|at| at.to_string()).serialize(to)
}

impl Document for Forecast {
    fn schema(&self) -> &'static str {
        "pimem.forecast/1"
    }
}
