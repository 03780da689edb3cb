//! The documents of `pimem observe` and `pimem reflect`.

use serde::Serialize;

use super::Document;
use crate::report::budget::Tokens;

/// The observations of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ObserveView {
    /// The session read; absent if it has no messages.
    #[serde(flatten)]
    pub session: Option<ObservedSession>,
    /// Number of observations written, or that would be.
    pub observations: usize,
    /// Text of the observations.
    pub text: String,
    /// Consolidation of the file, if it was too long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reflected: Option<ReflectedFile>,
}

/// What was read from a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ObservedSession {
    /// File of observations, relative to the store.
    pub file: String,
    /// Number of new messages.
    pub messages: u64,
    /// Tokens of the new messages.
    pub tokens: u32,
    /// True if there were enough tokens.
    pub due: bool,
    /// True if messages are left for another run.
    pub more: bool,
    /// Language model that observed all of it, or `rules`.
    pub by: String,
    /// Lines of the model's answers that are not observations.
    pub dropped: usize,
}

/// The result of consolidating observations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reflected {
    /// One per session.
    pub files: Vec<ReflectedFile>,
    /// Requested sessions that have observations.
    #[serde(skip)]
    pub sessions: usize,
}

/// A consolidated file of observations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReflectedFile {
    /// File, relative to the store.
    pub file: String,
    /// Tokens before.
    pub before: u32,
    /// Tokens after, or that it would have.
    pub after: u32,
    /// Language model that consolidated it, or `rules`.
    pub by: String,
    /// True if everything older than two days was cut down to one line.
    pub aggressive: bool,
    /// True if the file's content changed.
    pub changed: bool,
}

impl ReflectedFile {
    /// Formats the result for people.
    pub fn line(&self) -> String {
        let Self { file, before, after, .. } = self;
        let (before, after) = (Tokens(*before), Tokens(*after));
        match (before == after, self.changed) {
            (true, false) => return format!("{file}: nothing of {before} tokens can go"),
            (true, true) => return format!("{file}: tidied, still {before} tokens"),
            (false, _) => {}
        }
        let verb = if self.changed { "became" } else { "would become" };
        format!("{file}: {before} tokens {verb} {after}")
    }
}

impl Document for ObserveView {
    fn schema(&self) -> &'static str {
        "pimem.observe/1"
    }
}

impl Document for Reflected {
    fn schema(&self) -> &'static str {
        "pimem.reflect/1"
    }
}
