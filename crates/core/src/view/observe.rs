//! `pimem observe` and `pimem reflect`.

use serde::Serialize;

use super::Document;
use crate::report::budget::Tokens;

/// Observations of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ObserveView {
    /// What was read; absent when nobody said anything.
    #[serde(flatten)]
    pub session: Option<ObservedSession>,
    /// Observations that were written, or would be.
    pub observations: usize,
    /// The observations.
    pub text: String,
    /// What became of the file, when it was too long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reflected: Option<ReflectedFile>,
}

/// What was read of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ObservedSession {
    /// Its file, relative to the store.
    pub file: String,
    /// New messages.
    pub messages: u64,
    /// Tokens of new messages.
    pub tokens: u32,
    /// Whether there was enough.
    pub due: bool,
    /// Whether the rest is for another run.
    pub more: bool,
    /// The language model that observed all of it, or `rules`.
    pub by: String,
    /// Lines of a model's answers that were no observations.
    pub dropped: usize,
}

/// Observations that were consolidated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reflected {
    /// One a session.
    pub files: Vec<ReflectedFile>,
    /// Sessions that were asked for and have observations.
    #[serde(skip)]
    pub sessions: usize,
}

/// A file of observations that was consolidated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReflectedFile {
    /// The file, relative to the store.
    pub file: String,
    /// Tokens that it had.
    pub before: u32,
    /// Tokens that it has, or would have.
    pub after: u32,
    /// The language model that did it, or `rules`.
    pub by: String,
    /// Whether all that is older than two days was cut down to a line.
    pub aggressive: bool,
    /// Whether the file is another now.
    pub changed: bool,
}

impl ReflectedFile {
    /// What became of it, for people.
    pub fn line(&self) -> String {
        let Self { file, before, after, .. } = self;
        let (before, after) = (Tokens(*before), Tokens(*after));
        if before == after {
            return format!("{file}: nothing of {before} tokens can go");
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
