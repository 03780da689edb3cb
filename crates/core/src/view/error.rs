//! What went wrong, for any command.

use serde::Serialize;

/// Why something was not done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Error {
    /// `usage`, `not-found`, `ambiguous`, `refused`, `config`, `io`, `locked` or `model`.
    pub kind: &'static str,
    /// One sentence.
    pub message: String,
    /// What to do.
    pub hints: Vec<String>,
}

documents! {
    Error: "pimem.error/1",
}
