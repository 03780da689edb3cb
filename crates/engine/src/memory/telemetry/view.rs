//! The documents of `pimem telemetry`.

use serde::Serialize;

use crate::view::{EntryView, rounded};
use pimem_core::{
    model::time::Timestamp,
    usage::{record::Record, sums::UseCount},
};

/// What stands for the category of entries that are not there any more.
pub const GONE: &str = "(gone)";

/// Totals of a log.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TelemetrySummary {
    /// Time of the first record, RFC 3339; null if there are no records.
    pub from: Option<String>,
    /// Time of the last record, RFC 3339; null if there are no records.
    pub to: Option<String>,
    /// Number of sessions of any kind.
    pub sessions: usize,
    /// Number of sessions with at least one recorded answer.
    pub measured_sessions: usize,
    /// Number of prompts.
    pub prompts: usize,
    /// Number of times that entries were put into a context.
    pub injections: usize,
    /// Entries put into contexts, counted each time.
    pub entries: usize,
    /// Size of all these, in tokens; of those that are gone, of what is on record.
    pub tokens: usize,
    /// Distinct entries put into contexts.
    pub different_entries: usize,
    /// Number of times that summaries of past sessions were put into a context.
    pub session_injects: usize,
    /// Summaries put into contexts, counted each time.
    pub past_sessions: usize,
    /// Searches that found entries.
    pub searches: usize,
    /// Number of records.
    pub records: usize,
    /// Lines that are not records.
    pub damaged: usize,
    /// Size on disk in bytes.
    pub bytes: usize,
    /// Entries that were in many sessions and never used.
    pub never_used: usize,
    /// Total use.
    pub usage: Use,
    /// Use by category, most used first.
    pub categories: Vec<NamedUse>,
    /// Use by agent, most used first.
    pub agents: Vec<NamedUse>,
    /// The entries that most sessions used, at most five.
    pub most_used: Vec<EntryUse>,
    /// The entries that most sessions had and none used, at most five.
    pub least_used: Vec<EntryUse>,
    /// Entries put into contexts on each day from the first to the last.
    pub days: Vec<UsageDay>,
}

impl TelemetrySummary {
    /// Takes out every word that somebody wrote.
    #[must_use]
    pub fn redacted(mut self) -> Self {
        for entry in self.most_used.iter_mut().chain(&mut self.least_used) {
            entry.text = "entry".into();
        }
        for (number, category) in (1..).zip(&mut self.categories) {
            category.name = format!("category {number}");
        }
        self
    }
}

/// The total of one day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UsageDay {
    /// Formatted as `2026-12-31`.
    pub date: String,
    /// Entries put into contexts.
    pub entries: usize,
}

/// The use of entries in sessions; an entry counts once per session.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Use {
    /// Number of entries put into sessions.
    pub injected: usize,
    /// Those in sessions with a recorded answer.
    pub seen: usize,
    /// Those that an answer used.
    pub used: usize,
    /// `used / seen`, 0 to 1; null if no answer was recorded.
    pub rate: Option<f64>,
    /// Time of the last injection, RFC 3339.
    pub last_injected: Option<String>,
    /// Time of the last use in an answer, RFC 3339.
    pub last_used: Option<String>,
}

/// The use of the entries of one category or agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NamedUse {
    /// Name of the category or agent.
    pub name: String,
    #[serde(flatten)]
    pub usage: Use,
}

/// The use of one entry.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EntryUse {
    /// The id, 16 hexadecimal digits.
    pub id: String,
    /// Shortest unique prefix of the id.
    #[serde(skip)]
    pub short: String,
    /// Category; null if the entry no longer exists.
    pub category: Option<String>,
    /// Text; for an entry that no longer exists, the part that is on record.
    pub text: String,
    /// True if the entry still exists.
    pub present: bool,
    #[serde(flatten)]
    pub usage: Use,
}

/// The use per key, most used first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Usage {
    /// `entry`, `category` or `agent`.
    pub by: &'static str,
    pub usage: Uses,
}

/// Totals per key.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Uses {
    Entries(Vec<EntryUse>),
    /// By category or agent.
    Named(Vec<NamedUse>),
}

/// Entries that were in many sessions and never used.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NeverUsed {
    /// Minimum number of sessions with a recorded answer.
    pub min: usize,
    /// Sorted by number of sessions, largest first.
    pub entries: Vec<Unused>,
}

/// An entry that was never used.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Unused {
    #[serde(flatten)]
    pub entry: EntryView,
    #[serde(flatten)]
    pub usage: Use,
    /// Command that keeps the entry out of prompts.
    pub command: String,
    /// State with its annotation.
    #[serde(skip)]
    pub state: String,
    /// Score, formatted for people.
    #[serde(skip)]
    pub score: String,
}

/// Records of a log, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LogView {
    pub records: Vec<LogRecord>,
    /// Lines that are not records.
    pub damaged: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LogRecord {
    /// Time of the record; times in the future are capped to now.
    #[serde(skip)]
    pub at: Timestamp,
    #[serde(flatten)]
    pub record: Record,
}

/// Deleted logs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClearedLogs {
    /// One per store.
    pub files: Vec<LogFile>,
}

/// A log on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LogFile {
    /// Path of the log.
    pub file: String,
    /// Number of lines.
    pub records: usize,
}

impl Usage {
    /// Returns true if no entry was put into a context.
    pub fn is_empty(&self) -> bool {
        match &self.usage {
            Uses::Entries(rows) => rows.is_empty(),
            Uses::Named(rows) => rows.is_empty(),
        }
    }
}

impl From<&UseCount> for Use {
    fn from(count: &UseCount) -> Self {
        let time = |time: Option<Timestamp>| time.map(|time| time.to_string());
        Self {
            injected: count.injected,
            seen: count.measured,
            used: count.used,
            rate: count.rate().map(rounded),
            last_injected: time(count.last_injected),
            last_used: time(count.last_used),
        }
    }
}

/// Formats a share as `37 %`, or as `-` if there is none.
pub fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.0} %", 100.0 * share))
}

documents! {
    TelemetrySummary: "pimem.telemetry-summary/1",
    Usage: "pimem.telemetry-usage/1",
    NeverUsed: "pimem.telemetry-never-used/1",
    LogView: "pimem.telemetry-log/1",
    ClearedLogs: "pimem.telemetry-clear/1",
}
