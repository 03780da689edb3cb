//! Telemetry: what was put into prompts, and what of it was used. One JSON line each.

use serde::{Deserialize, Serialize};

use super::{entry::EntryId, time::Timestamp};

/// Characters of a prompt that are kept.
pub const PROMPT: usize = 200;
/// Characters of an entry that are kept.
pub const ENTRY: usize = 100;

/// One line of telemetry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// When, in RFC 3339.
    pub ts: String,
    /// Which agent.
    pub agent: String,
    /// Which of its sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// What.
    #[serde(flatten)]
    pub what: What,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum What {
    /// Entries were put into a prompt.
    Injection {
        /// The hook: `session-start`, `prompt`, `post-tool`.
        event: String,
        /// The beginning of the prompt, without secrets; empty for other hooks.
        #[serde(default)]
        prompt: String,
        /// The entries.
        entries: Vec<Injected>,
    },
    /// An answer used some of what was put into the session's prompts.
    Usage {
        /// How many were there.
        injected_count: usize,
        /// How many were used.
        used_count: usize,
        /// `usedCount / injectedCount`, 0 to 1.
        usage_rate: f64,
        /// Ids of those that were there.
        injected: Vec<String>,
        /// Ids of those that were used.
        used: Vec<String>,
    },
    /// Summaries of past sessions were put into a prompt.
    SessionInject {
        /// The beginning of the prompt, without secrets.
        #[serde(default)]
        prompt: String,
        /// How many.
        count: usize,
    },
    /// Entries were found by a search.
    Access {
        /// Their ids.
        entries: Vec<String>,
    },
    /// Of a later version.
    #[serde(other)]
    Unknown,
}

/// An entry that was put into a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Injected {
    /// Its id.
    pub id: String,
    /// The beginning of its text.
    pub text: String,
    /// Its score in recall; none for those of the report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
}

impl Injected {
    /// An entry, with its score in recall.
    #[must_use]
    pub fn new(id: EntryId, text: &str, similarity: Option<f64>) -> Self {
        let similarity = similarity.map(|score| (score * 1000.0).round() / 1000.0);
        Self { id: id.to_string(), text: text.chars().take(ENTRY).collect(), similarity }
    }
}

impl Record {
    /// Reads one line. `None` when it is damaged.
    #[must_use]
    pub fn read(line: &str) -> Option<Self> {
        serde_json::from_str(line).ok()
    }

    /// The line, with its end.
    #[must_use]
    pub fn write(&self) -> String {
        let mut line = serde_json::to_string(self).unwrap_or_default();
        line.push('\n');
        line
    }

    /// When it was.
    #[must_use]
    pub fn when(&self) -> Option<Timestamp> {
        Timestamp::parse(&self.ts)
    }
}
