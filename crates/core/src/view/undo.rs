//! The documents of `pimem undo`, `purge` and `init`.

use serde::Serialize;

use super::Document;

/// The result of an undo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Undone {
    /// Undone command; `null` if there is nothing to undo.
    pub command: Option<String>,
    #[serde(flatten)]
    pub change: Option<UndoneChange>,
    /// Number of commands that are no longer kept, if there is nothing to undo.
    #[serde(skip)]
    pub older: usize,
    /// Number of lines that can be restored from the grave, if there is nothing to undo.
    #[serde(skip)]
    pub buried: usize,
}

/// The changes of a command that were undone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UndoneChange {
    /// Time of the command, RFC 3339.
    pub at: String,
    /// Number of retracted events.
    pub events: usize,
    /// Lines that were removed or came back.
    pub lines: Vec<UndoneLine>,
}

/// A line that was removed or came back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UndoneLine {
    /// File, relative to the store.
    pub file: String,
    /// Line, prefixed by `+ ` or `- `.
    pub line: String,
}

/// Entries that were destroyed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Purged {
    /// Ids, 16 hexadecimal digits each.
    pub ids: Vec<String>,
    /// Changed files, relative to their store, sorted.
    pub files: Vec<String>,
    /// One line per entry.
    #[serde(skip)]
    pub entries: Vec<String>,
}

/// The result of creating a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Initialized {
    /// Directory of the store.
    pub store: String,
    /// `project` or `user`.
    pub scope: &'static str,
    /// False if the store already existed.
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
