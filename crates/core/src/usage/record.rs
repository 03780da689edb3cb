//! Telemetry records: entries put into prompts and their use by answers, one JSON line each.
//!
//! An answer counts as using an entry if it shares enough words with it. So entries that were followed
//! without a word are missed, and an entry that was not considered counts if the answer is about the
//! same subject.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::{
    model::{entry::EntryId, time::Timestamp},
    search::tokens::{Tokenizer, content_words},
};

/// Maximum number of characters kept of a prompt.
pub const PROMPT: usize = 200;
/// Maximum number of characters kept of an entry.
pub const ENTRY: usize = 100;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Time in RFC 3339.
    pub ts: String,
    pub agent: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(flatten)]
    pub what: RecordKindOf,
}

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
        used_count: usize,
        /// `usedCount / injectedCount`, 0 to 1.
        usage_rate: f64,
        /// Ids of the entries in the session's prompts.
        injected: Vec<String>,
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
    Access {
        entries: Vec<String>,
    },
    /// A person has lifted guards of entries for a session.
    Lifted {
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
            Self::Lifted { .. } => "lifted",
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
            RecordKindOf::Access { entries } | RecordKindOf::Lifted { entries } => keep(entries),
            RecordKindOf::SessionInject { .. } => {}
            RecordKindOf::Unknown => return None,
        }
        let is_empty = match &self.what {
            RecordKindOf::Access { entries } | RecordKindOf::Lifted { entries } => {
                entries.is_empty()
            }
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

/// Answers up to this many characters are too short for detection.
const SHORT: usize = 50;
/// Number of characters of an entry that must match for a quotation.
const QUOTED: usize = 40;
/// Maximum number of bytes examined: as much as a model says at once, and a matter of milliseconds.
const MOST: usize = 1 << 18;
/// Minimum number of distinct content words for comparing shares.
const WORDS: usize = 3;
/// Minimum share of an entry's content words in the answer, in percent.
const SHARE: usize = 60;

/// An answer, prepared for comparison with many entries.
pub struct Response {
    /// Lower case with folded white space; empty if the answer is too short.
    text: String,
    stems: HashSet<String>,
    tokenizer: Tokenizer,
}

impl Response {
    #[must_use]
    pub fn new(text: &str) -> Self {
        let text = text.get(..text.floor_char_boundary(MOST)).unwrap_or_default();
        let is_short = text.trim().chars().nth(SHORT).is_none();
        let text = if is_short { String::new() } else { folded(text) };
        let mut tokenizer = Tokenizer::default();
        Self { stems: content_words(&mut tokenizer, &text), text, tokenizer }
    }

    /// Returns true if the answer is too short to show what it used.
    #[must_use]
    pub fn is_short(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns true if the answer contains the first 40 characters of an entry, or 60 % of its
    /// content words. An entry with fewer than three content words must be quoted.
    pub fn uses(&mut self, entry: &str) -> bool {
        let entry = folded(entry);
        if self.is_short() || entry.is_empty() {
            return false;
        }
        if self.quotes(&entry) {
            return true;
        }
        let words = content_words(&mut self.tokenizer, &entry);
        let found = words.intersection(&self.stems).count();
        words.len() >= WORDS && found * 100 >= words.len() * SHARE
    }

    fn quotes(&self, entry: &str) -> bool {
        let cut = entry.char_indices().nth(QUOTED).and_then(|(at, _)| entry.get(..at));
        let quoted = cut.unwrap_or(entry);
        self.text.match_indices(quoted).any(|(at, _)| {
            let before = self.text.get(..at).and_then(|text| text.chars().next_back());
            let after = self.text.get(at + quoted.len()..).and_then(|text| text.chars().next());
            // `use tab` is not in `reuse tables`; a cut quotation may end within a word.
            let inside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            !inside(before) && (cut.is_some() || !inside(after))
        })
    }
}

/// Returns a text in lower case with single spaces.
fn folded(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
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

    const RETRY: &str = "I wrapped the whole booking transaction in `retry_serializable`, since \
        Postgres aborts a SERIALIZABLE\ntransaction with SQLSTATE 40001 and retrying only the \
        statement that failed runs in a dead one.";
    const FORMATTED: &str = "Done. The berth code now lives in `src/berths/mod.rs`, and `just fmt` \
        and `just lint` are clean. Nothing else had to change for this.";
    const GERMAN: &str = "Erledigt: die Liegeplätze werden jetzt in Ortszeit angezeigt, die \
        Umrechnung geschieht in der Anzeige und nicht in der Datenbank.";

    #[test]
    fn answers() {
        for (response, entry, used) in [
            // Content words in other forms and another order.
            (
                RETRY,
                "SQLSTATE 40001 from a SERIALIZABLE transaction must be retried as a whole, not only the failing statement",
                true,
            ),
            (RETRY, "Transactions that fail with SQLSTATE 40001 are retried", true),
            (
                RETRY,
                "SQLSTATE 23P01 is the exclusion violation; map it to HTTP 409 with code berth_taken",
                false,
            ),
            (RETRY, "The job queue is a table with SKIP LOCKED instead of RabbitMQ", false),
            (RETRY, "Users sign in through the port's OIDC provider", false),
            // Quoted, with other white space and case.
            (FORMATTED, "NOTHING else  had to change for this", true),
            (
                FORMATTED,
                "The berth code now lives in `src/berths/mod.rs`, moved there from api/ after v0.12 because of review",
                true,
            ),
            (FORMATTED, "Run just fmt, just lint and just test before every commit", false),
            // Too few words for comparing shares.
            (FORMATTED, "Use berths", false),
            (FORMATTED, "just fmt", true),
            (FORMATTED, "lint", true),
            (FORMATTED, "lin", false),
            (FORMATTED, "", false),
            (FORMATTED, "is it not what you are", false),
            (GERMAN, "Die Umrechnung geschieht in der Anzeige und nicht anderswo", true),
            (GERMAN, "Liegeplätze werden in UTC gespeichert", false),
            // A short answer is never counted, not even for a quotation.
            (
                "Users sign in through the port's OIDC provider.",
                "Users sign in through the port's OIDC provider.",
                false,
            ),
            ("", "anything", false),
        ] {
            assert_eq!(Response::new(response).uses(entry), used, "{entry}");
        }
    }

    #[test]
    fn the_limits_are_those_of_the_format() {
        let text = |chars: usize| format!("use tabs{}", "x".repeat(chars - 8)).replace("sx", "s x");
        let mut short = Response::new(&"é".repeat(50));
        assert!(!short.uses(&"é".repeat(40)), "50 characters are too few");
        assert!(Response::new(&"é".repeat(51)).uses(&"é".repeat(51)), "by its first 40");
        assert!(!Response::new(&"é".repeat(51)).uses(&"é".repeat(39)), "within a word");
        assert!(Response::new(&text(60)).uses("use tabs"));
        let five = "alpha beta gamma delta epsilon";
        let filler = "and then a good many other things that matter little here";
        let with = |words: &str| Response::new(&format!("{words} {filler}")).uses(five);
        assert!(with("gamma beta alpha"), "three of five");
        assert!(!with("gamma beta"), "two of five");
    }

    proptest::proptest! {
        #[test]
        fn never_fails_and_a_long_entry_uses_itself(text in "\\PC{0,200}", other in "\\PC{0,80}") {
            let mut response = Response::new(&text);
            let _ = response.uses(&other);
            let long = text.trim().chars().count() > SHORT;
            proptest::prop_assert_eq!(response.uses(&text), long);
        }
    }
}
