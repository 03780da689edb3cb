//! Settings that cannot be used. Each costs itself and nothing else: the rest goes on without it.

use std::fmt;

use super::layers::Origin;

/// A setting, or a whole file of them, that is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unusable {
    /// The file, or the variable.
    pub origin: Origin,
    /// The line in the file, from 1, where it is about one.
    pub line: Option<usize>,
    /// Whether all of the file is left out.
    pub whole: bool,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: String,
}

impl Unusable {
    /// A setting on a line of a file.
    pub(super) fn key(origin: &Origin, line: usize, message: String, hint: String) -> Self {
        Self { origin: origin.clone(), line: Some(line), whole: false, message, hint }
    }

    /// A file of which nothing can be used.
    pub fn file(
        origin: Origin,
        line: Option<usize>,
        message: String,
        hint: impl Into<String>,
    ) -> Self {
        Self { origin, line, whole: true, message, hint: hint.into() }
    }

    /// A variable, or an option of the command line.
    pub fn typed(name: &'static str, message: String, hint: impl Into<String>) -> Self {
        let origin = Origin::Env(name);
        Self { origin, line: None, whole: false, message, hint: hint.into() }
    }

    /// Whether it was typed for this very call, and stands in no file.
    pub fn is_typed(&self) -> bool {
        matches!(self.origin, Origin::Env(_))
    }
}

/// Place and message: `PATH:LINE: MESSAGE`.
impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.origin)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.message)
    }
}
