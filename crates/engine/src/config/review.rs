//! Settings in a project's file that decide which programs run, and what is sent to whom. They take
//! effect only after a review.

use std::fmt;

use serde_json::Value;

use super::{layers::Origin, schema::Key};

/// A setting in the project's file that awaits review.
#[derive(Debug, Clone)]
pub struct Awaiting {
    pub key: &'static Key,
    pub value: Value,
    /// Its place: file and line.
    pub place: String,
    pub(super) origin: Origin,
}

impl Awaiting {
    /// Returns the settings as one sorted text, so that a review covers all of them together.
    pub fn text(settings: &[Self]) -> String {
        let mut lines: Vec<String> = settings.iter().map(ToString::to_string).collect();
        lines.sort();
        lines.join("\n")
    }
}

impl fmt::Display for Awaiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.key.name, self.value)
    }
}
