//! Settings of a project's file that decide what is sent, to whom, or run: they count once somebody
//! has looked at them.

use std::fmt;

use serde_json::Value;

use super::{layers::Origin, schema::Key};

/// A setting of the project's file that counts once somebody has looked at it.
#[derive(Debug, Clone)]
pub struct Awaiting {
    /// Which.
    pub key: &'static Key,
    /// Its value there.
    pub value: Value,
    /// Where it stands: file and line.
    pub place: String,
    /// The file.
    pub(super) origin: Origin,
}

impl Awaiting {
    /// Such settings as one text, in one order: whoever looks at it has looked at them all.
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
