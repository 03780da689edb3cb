//! `pimem undo`, `purge` and `init`.

use serde::Serialize;

use super::Document;

/// What was taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Undone {
    /// The command; `null` when nothing is left.
    pub command: Option<String>,
    /// What it had done.
    #[serde(flatten)]
    pub change: Option<UndoneChange>,
}

/// What a command had done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UndoneChange {
    /// When, RFC 3339.
    pub at: String,
    /// Events that do not count any more.
    pub events: usize,
    /// Lines that went or came back.
    pub lines: Vec<UndoneLine>,
}

/// A line that went or came back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UndoneLine {
    /// Its file, relative to the store.
    pub file: String,
    /// The line, after `+ ` or `- `.
    pub line: String,
}

/// Entries that were destroyed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Purged {
    /// Their ids, 16 hexadecimal digits.
    pub ids: Vec<String>,
    /// Files that were changed, relative to their store, in order.
    pub files: Vec<String>,
    /// The entries, a line each.
    #[serde(skip)]
    pub entries: Vec<String>,
}

/// A store that is there now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Initialized {
    /// Its directory.
    pub store: String,
    /// `project` or `user`.
    pub scope: &'static str,
    /// Whether it was made just now.
    pub created: bool,
}

impl Document for Undone {
    fn schema(&self) -> &'static str {
        "pimem.undo/1"
    }
}

impl Document for Purged {
    fn schema(&self) -> &'static str {
        "pimem.purge/1"
    }
}

impl Document for Initialized {
    fn schema(&self) -> &'static str {
        "pimem.init/1"
    }
}
