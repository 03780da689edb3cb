//! Telemetry records: entries put into prompts and their use by answers, one JSON line each.

use serde::{Deserialize, Serialize};

use crate::model::{entry::EntryId, time::Timestamp};

/// Maximum number of characters kept of a prompt.
pub const PROMPT: usize = 200;
/// Maximum number of characters kept of an entry.
pub const ENTRY: usize = 100;

/// One line of telemetry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Time in RFC 3339.
    pub ts: String,
    /// Name of the agent.
    pub agent: String,
    /// Id of the agent's session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(flatten)]
    pub what: RecordKindOf,
}

/// The content of a record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum RecordKindOf {
    /// Entries were put into a prompt.
    Injection {
        /// The hook: `session-start`, `prompt`, `post-tool`.
        event: String,
        /// The start of the prompt, without secrets; empty for other hooks.
        #[serde(default)]
        prompt: String,
        entries: Vec<Injected>,
    },
    /// An answer used some of the entries in the session's prompts.
    Usage {
        /// Number of entries in the session's prompts.
        injected_count: usize,
        /// Number of entries used.
        used_count: usize,
        /// `usedCount / injectedCount`, 0 to 1.
        usage_rate: f64,
        /// Ids of the entries in the session's prompts.
        injected: Vec<String>,
        /// Ids of the entries used.
        used: Vec<String>,
    },
    /// Summaries of past sessions were put into a prompt.
    SessionInject {
        /// The start of the prompt, without secrets.
        #[serde(default)]
        prompt: String,
        /// Number of summaries.
        count: usize,
    },
    /// A search found entries.
    Access {
        /// Ids of the entries.
        entries: Vec<String>,
    },
    /// A record of a later version.
    #[serde(other)]
    Unknown,
}

/// An entry that was put into a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Injected {
    pub id: String,
    /// The start of its text.
    pub text: String,
    /// Score in recall; `None` for entries of the report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
}

impl Injected {
    /// Returns an entry with its score in recall, rounded to three decimals.
    #[must_use]
    pub fn new(id: EntryId, text: &str, similarity: Option<f64>) -> Self {
        let similarity = similarity.map(|score| (score * 1000.0).round() / 1000.0);
        Self { id: id.to_string(), text: text.chars().take(ENTRY).collect(), similarity }
    }
}

impl RecordKindOf {
    /// Returns a usage record.
    #[must_use]
    pub fn usage(injected: Vec<String>, used: Vec<String>) -> Self {
        let (injected_count, used_count) = (injected.len(), used.len());
        let usage_rate = rate(used_count, injected_count);
        Self::Usage { injected_count, used_count, usage_rate, injected, used }
    }

    /// The name of the type in the file.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Injection { .. } => "injection",
            Self::Usage { .. } => "usage",
            Self::SessionInject { .. } => "session-inject",
            Self::Access { .. } => "access",
            Self::Unknown => "unknown",
        }
    }
}

fn rate(used: usize, injected: usize) -> f64 {
    (used as f64 / injected.max(1) as f64 * 1000.0).round() / 1000.0
}

impl Record {
    /// Parses one line. Returns `None` if it is damaged.
    #[must_use]
    pub fn read(line: &str) -> Option<Self> {
        serde_json::from_str(line).ok()
    }

    /// Returns the line, with line end.
    #[must_use]
    pub fn write(&self) -> String {
        let mut line = serde_json::to_string(self).unwrap_or_default();
        line.push('\n');
        line
    }

    /// Returns the line without the entries of `ids`; `None` if no others remain, or if the record
    /// is of a later version.
    #[must_use]
    pub fn without(mut self, ids: &[String]) -> Option<String> {
        let keep = |list: &mut Vec<String>| list.retain(|id| !ids.contains(id));
        match &mut self.what {
            RecordKindOf::Injection { entries, .. } => {
                entries.retain(|entry| !ids.contains(&entry.id));
            }
            RecordKindOf::Usage { injected_count, used_count, usage_rate, injected, used } => {
                keep(injected);
                keep(used);
                (*injected_count, *used_count) = (injected.len(), used.len());
                *usage_rate = rate(*used_count, *injected_count);
            }
            RecordKindOf::Access { entries } => keep(entries),
            RecordKindOf::SessionInject { .. } => {}
            RecordKindOf::Unknown => return None,
        }
        let is_empty = match &self.what {
            RecordKindOf::Access { entries } => entries.is_empty(),
            RecordKindOf::Usage { injected, .. } => injected.is_empty(),
            _ => false,
        };
        (!is_empty).then(|| self.write())
    }

    #[must_use]
    pub fn when(&self) -> Option<Timestamp> {
        Timestamp::parse(&self.ts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(what: RecordKindOf) -> Record {
        let ts = "2026-06-30T18:00:00.000Z".to_owned();
        Record { ts, agent: "pi".to_owned(), session: None, what }
    }

    fn ids(all: &[&str]) -> Vec<String> {
        all.iter().map(|id| (*id).to_owned()).collect()
    }

    #[test]
    fn what_is_written_is_read() {
        let injected = Injected::new(EntryId(0xab), &"é".repeat(500), Some(0.123_456));
        assert_eq!((injected.text.chars().count(), injected.similarity), (ENTRY, Some(0.123)));
        let event = "prompt".to_owned();
        for what in [
            RecordKindOf::Injection { event, prompt: "a\nb".to_owned(), entries: vec![injected] },
            RecordKindOf::usage(ids(&["a", "b", "c"]), ids(&["b"])),
            RecordKindOf::SessionInject { prompt: String::new(), count: 3 },
            RecordKindOf::Access { entries: ids(&["a"]) },
        ] {
            let record = record(what);
            let line = record.write();
            assert_eq!((line.matches('\n').count(), line.ends_with('\n')), (1, true), "{line}");
            assert!(line.contains(&format!(r#""type":"{}""#, record.what.name())), "{line}");
            assert_eq!(Record::read(&line), Some(record));
        }
        let usage = record(RecordKindOf::usage(ids(&["a", "b", "c"]), ids(&["b"]))).write();
        assert!(usage.contains(r#""injectedCount":3,"usedCount":1,"usageRate":0.333"#), "{usage}");
    }

    #[test]
    fn entries_are_taken_out() {
        let gone = ids(&["a"]);
        let without = |what| record(what).without(&gone).as_deref().and_then(Record::read);
        let usage = without(RecordKindOf::usage(ids(&["a", "b"]), ids(&["a"])));
        assert_eq!(usage.map(|left| left.what), Some(RecordKindOf::usage(ids(&["b"]), Vec::new())));
        assert_eq!(without(RecordKindOf::Access { entries: gone.clone() }), None);
        assert_eq!(without(RecordKindOf::Unknown), None);
        let event = "prompt".to_owned();
        let entries = vec![Injected { id: "a".to_owned(), text: "t".to_owned(), similarity: None }];
        let left = without(RecordKindOf::Injection { event, prompt: "p".to_owned(), entries });
        assert!(
            matches!(left.unwrap().what, RecordKindOf::Injection { entries, .. } if entries.is_empty())
        );
    }
}
