//! Unusable settings. Each is skipped on its own; all other settings apply.

use std::fmt;

use super::layers::Origin;

/// A setting, or a whole settings file, that is skipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unusable {
    pub origin: Origin,
    /// Line in the file, from 1, if it is about one.
    pub line: Option<usize>,
    /// True if the whole file is skipped.
    pub whole: bool,
    pub message: String,
    /// How to fix it.
    pub hint: String,
}

impl Unusable {
    /// Creates the problem of a setting on a line of a file.
    pub(super) fn key(origin: &Origin, line: usize, message: String, hint: String) -> Self {
        Self { origin: origin.clone(), line: Some(line), whole: false, message, hint }
    }

    /// Creates the problem of a whole file.
    pub fn file(
        origin: Origin,
        line: Option<usize>,
        message: String,
        hint: impl Into<String>,
    ) -> Self {
        Self { origin, line, whole: true, message, hint: hint.into() }
    }

    /// Creates the problem of a variable or command-line option.
    pub fn typed(name: &'static str, message: String, hint: impl Into<String>) -> Self {
        let origin = Origin::Env(name);
        Self { origin, line: None, whole: false, message, hint: hint.into() }
    }

    /// Returns true if it comes from a variable or option rather than a file.
    pub fn is_typed(&self) -> bool {
        matches!(self.origin, Origin::Env(_))
    }
}

/// Formats place and message: `PATH:LINE: MESSAGE`.
impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.origin)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.message)
    }
}
