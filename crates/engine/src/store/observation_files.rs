//! Observation files: their names, and how far each session was observed on this machine.

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::{
    Store,
    read::{self, Problem},
};
use pimem_core::model::{hash::short_sha256, time::Timestamp};

/// Directory of observations, both in a store and below `data/`.
pub const FOLDER: &str = "observations";
/// Maximum number of characters of a session id used as a file name.
const ID: usize = 64;
/// Maximum number of characters kept of an id that is not a valid file name; a hash follows them.
const START: usize = 32;

/// How far a session was observed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reached {
    /// Number of messages in the transcript; `None` if only the end of the transcript was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<u64>,
    /// Time of the last message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
}

impl Reached {
    /// Returns true if a message with this number and time was not observed yet. A transcript may
    /// branch, so a later time is sufficient; a clock may jump back, so a higher number is
    /// sufficient too.
    pub fn is_before(&self, number: u64, when: Option<Timestamp>) -> bool {
        let last = self.last.as_deref().and_then(Timestamp::parse);
        let later = when.zip(last).is_some_and(|(when, last)| when > last);
        let beyond = match self.messages {
            Some(messages) => number >= messages,
            None => last.is_none() || when.is_none(),
        };
        later || beyond
    }
}

/// Returns the file name without `.md` for a session. Ids are untrusted: characters not allowed in
/// a name are dropped, and a hash makes the name unique.
pub fn stem(session: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    if !session.is_empty() && session.len() <= ID && session.chars().all(plain) {
        return session.to_owned();
    }
    let name = session.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or_default();
    let start: String = name.chars().filter(|c| plain(*c)).take(START).collect();
    let joint = if start.is_empty() { "" } else { "-" };
    format!("{start}{joint}{}", short_sha256(session.as_bytes()))
}

/// Returns the path of a session's file, relative to the store.
pub fn file(stem: &str) -> String {
    format!("{FOLDER}/{stem}.md")
}

impl Store {
    /// Returns the names of all observation files, without `.md`.
    pub fn observed(&self) -> Result<Vec<String>, Problem> {
        let names = read::markdown_names(&self.dir, &self.dir.join(FOLDER))?;
        Ok(names.iter().filter_map(|name| name.strip_suffix(".md")).map(str::to_owned).collect())
    }

    /// Returns how far a session was observed. A record that cannot be read counts as nothing
    /// observed.
    pub fn reached(&self, stem: &str) -> Reached {
        let bytes = self.local(&format!("{FOLDER}/{stem}.json")).ok().flatten();
        bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }

    /// Records how far a session was observed.
    pub fn note_reached(&self, stem: &str, reached: &Reached) -> Result<()> {
        let text = serde_json::to_vec(reached)?;
        self.rewrite_local(&format!("{FOLDER}/{stem}.json"), |_| Some(text)).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files() {
        let plain = "3c9d1e52-7a40-4f1b-9d1e-0f6a2b7c8d90";
        assert_eq!(stem(plain), plain);
        for id in [
            "../../x",
            "a/b",
            "",
            ".",
            "..",
            "a.md",
            "é",
            "a b",
            &"x".repeat(65),
            "/home/ines/s.jsonl",
            "a\0b",
        ] {
            let stem = stem(id);
            assert!(stem.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'), "{id}: {stem}");
            assert!((16..=49).contains(&stem.len()) && !stem.contains("home"), "{id}: {stem}");
        }
        assert_ne!(stem("a/b"), stem("a.b"));
    }

    #[test]
    fn how_far() {
        let time = |text: &str| Timestamp::parse(text);
        let (early, late) = (time("2026-06-29T08:00:00Z"), time("2026-06-29T10:00:00Z"));
        let reached = Reached { messages: Some(3), last: Some("2026-06-29T09:00:00Z".to_owned()) };
        assert!(!reached.is_before(2, early) && !reached.is_before(2, None));
        assert!(
            reached.is_before(2, late) && reached.is_before(3, early) && reached.is_before(3, None)
        );
        let by_time = Reached { messages: None, ..reached };
        assert!(
            !by_time.is_before(9, early)
                && by_time.is_before(0, late)
                && by_time.is_before(0, None)
        );
        assert!(Reached::default().is_before(0, early) && Reached::default().is_before(0, None));
    }
}
