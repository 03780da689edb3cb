//! `pimem telemetry`.

use serde::Serialize;

use super::{EntryView, rounded};
use crate::{
    model::time::Timestamp,
    usage::{
        record::Record,
        replay::{self, Setting},
        sums::Count,
    },
};

/// What stands for the category of entries that are not there any more.
pub const GONE: &str = "(gone)";

/// Sums of a log.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Time of the first record, RFC 3339; null without any.
    pub from: Option<String>,
    /// Time of the last record.
    pub to: Option<String>,
    /// Sessions of any kind.
    pub sessions: usize,
    /// Of those, the ones of which an answer was seen.
    pub measured_sessions: usize,
    /// Prompts.
    pub prompts: usize,
    /// Times that entries were put into a context.
    pub injections: usize,
    /// Entries put into contexts, each time counted.
    pub entries: usize,
    /// Different ones among them.
    pub different_entries: usize,
    /// Times that summaries of past sessions were put into a context.
    pub session_injects: usize,
    /// Those summaries, each time counted.
    pub past_sessions: usize,
    /// Searches that found entries.
    pub searches: usize,
    /// Records in all.
    pub records: usize,
    /// Lines that are no records.
    pub damaged: usize,
    /// Bytes on the disk.
    pub bytes: usize,
    /// Entries that many sessions had and none used.
    pub never_used: usize,
    /// Use in all.
    pub usage: Use,
    /// Use by category, most used first.
    pub categories: Vec<NamedUse>,
    /// Use by agent, most used first.
    pub agents: Vec<NamedUse>,
    /// Entries put into contexts on each day from the first to the last.
    pub days: Vec<Day>,
}

/// A day of a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Day {
    /// As in 2026-12-31.
    pub date: String,
    /// Entries put into contexts.
    pub entries: usize,
}

/// What became of entries in sessions; an entry counts once a session.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Use {
    /// Times that one was put into a session.
    pub injected: usize,
    /// Of those, the ones in sessions of which an answer was seen.
    pub seen: usize,
    /// Of those, the ones in which it was used.
    pub used: usize,
    /// `used / seen`, 0 to 1; null where no answer was seen.
    pub rate: Option<f64>,
    /// When one was put into a context last, RFC 3339.
    pub last_injected: Option<String>,
    /// When an answer used one last, RFC 3339.
    pub last_used: Option<String>,
}

/// Use of entries that have something in common.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NamedUse {
    /// A category or an agent.
    pub name: String,
    /// How often.
    #[serde(flatten)]
    pub usage: Use,
}

/// Use of one entry.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EntryUse {
    /// The id, 16 hexadecimal digits.
    pub id: String,
    /// The shortest unique prefix of it.
    #[serde(skip)]
    pub short: String,
    /// Its category; null when it is gone.
    pub category: Option<String>,
    /// The text; of one that is gone, as much as is on record.
    pub text: String,
    /// Whether it is still there.
    pub present: bool,
    /// How often.
    #[serde(flatten)]
    pub usage: Use,
}

/// Use, most used first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Usage {
    /// `entry`, `category` or `agent`.
    pub by: &'static str,
    /// The sums.
    pub usage: Uses,
}

/// Sums by one key.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Uses {
    /// By entry.
    Entries(Vec<EntryUse>),
    /// By category or agent.
    Named(Vec<NamedUse>),
}

/// Entries that many sessions had and none used.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NeverUsed {
    /// In at least so many sessions of which an answer was seen.
    pub min: usize,
    /// Those of most sessions first.
    pub entries: Vec<Unused>,
}

/// An entry that was never used.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Unused {
    /// The entry.
    #[serde(flatten)]
    pub entry: EntryView,
    /// How often it was there.
    #[serde(flatten)]
    pub usage: Use,
    /// What takes it out of prompts.
    pub command: String,
    /// Its state, with what sets it apart.
    #[serde(skip)]
    pub state: String,
    /// Its score, as people see it.
    #[serde(skip)]
    pub score: String,
}

/// Records, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Log {
    /// The records.
    pub records: Vec<LogRecord>,
    /// Lines that are no records.
    pub damaged: usize,
}

/// A record of a log.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LogRecord {
    /// When; what is in the future counts as now.
    #[serde(skip)]
    pub at: Timestamp,
    /// What.
    #[serde(flatten)]
    pub record: Record,
}

/// Recorded prompts against today's store.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Replay {
    /// Prompts on record.
    pub prompts: usize,
    /// Entries that were used and are still there.
    pub used: usize,
    /// Entries that were used and are gone.
    pub gone: usize,
    /// The setting in force.
    pub in_force: Setting,
    /// What each setting would have given.
    pub outcomes: Vec<Outcome>,
}

/// What a setting would have given.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// The setting.
    #[serde(flatten)]
    pub setting: Setting,
    /// Entries put into prompts.
    pub entries: usize,
    /// Their tokens.
    pub tokens: usize,
    /// Used entries that would still have been there.
    pub kept: usize,
    /// Used entries.
    pub used: usize,
    /// `kept / used`.
    pub kept_share: f64,
    /// Where that share lies, by how many entries it is known from.
    pub kept_range: [f64; 2],
    /// Share of used entries in all that are put into prompts.
    pub used_share: f64,
}

/// A proposed setting, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Tuning {
    /// The setting that is proposed; null when there is a reason against one.
    pub proposed: Option<Setting>,
    /// Why nothing is proposed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Prompts on record.
    pub prompts: usize,
    /// Entries that were used and are still there.
    pub used: usize,
    /// Entries that were used and are gone.
    pub gone: usize,
    /// What the setting in force gives; null when there are too few records.
    pub in_force: Option<Outcome>,
    /// What the proposed setting gives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Outcome>,
    /// Files that were changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applied: Option<Vec<String>>,
}

/// Deleted logs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cleared {
    /// One a store.
    pub files: Vec<LogFile>,
}

/// A log on the disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LogFile {
    /// Its path.
    pub file: String,
    /// Lines of it.
    pub records: usize,
}

documents! {
    Summary: "pimem.telemetry-summary/1",
    Usage: "pimem.telemetry-usage/1",
    NeverUsed: "pimem.telemetry-never-used/1",
    Log: "pimem.telemetry-log/1",
    Replay: "pimem.telemetry-replay/1",
    Tuning: "pimem.telemetry-tune/1",
    Cleared: "pimem.telemetry-clear/1",
}

impl Usage {
    /// Whether nothing was put into a context.
    pub fn is_empty(&self) -> bool {
        match &self.usage {
            Uses::Entries(rows) => rows.is_empty(),
            Uses::Named(rows) => rows.is_empty(),
        }
    }
}

impl Tuning {
    /// The settings that the proposal changes: name, value now, proposed value.
    pub fn changes(&self) -> Vec<(&'static str, String, String)> {
        let now = self.in_force.as_ref().map(|outcome| outcome.setting);
        let Some((now, new)) = now.zip(self.proposed) else { return Vec::new() };
        let mut changes = Vec::new();
        if (new.min_score - now.min_score).abs() > 1e-9 {
            changes.push(("recall.minScore", now.min_score.to_string(), new.min_score.to_string()));
        }
        if new.limit != now.limit {
            changes.push(("recall.limit", now.limit.to_string(), new.limit.to_string()));
        }
        changes
    }
}

impl From<&Count> for Use {
    fn from(count: &Count) -> Self {
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

impl From<&replay::Outcome> for Outcome {
    fn from(outcome: &replay::Outcome) -> Self {
        let (from, to) = outcome.kept_range();
        Self {
            setting: outcome.setting,
            entries: outcome.injected,
            tokens: outcome.tokens,
            kept: outcome.kept,
            used: outcome.used,
            kept_share: rounded(outcome.kept_share()),
            kept_range: [rounded(from), rounded(to)],
            used_share: rounded(outcome.used_share()),
        }
    }
}

/// A share, as `37 %`.
pub fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.0} %", 100.0 * share))
}
