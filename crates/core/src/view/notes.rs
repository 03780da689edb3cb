//! The documents of commands on files without entries: `pimem note`, `log`, `read`, `todo` and
//! `handoff`.

use serde::Serialize;

use super::{Document, displayed};
use crate::model::time::Date;

/// Text appended to the notes or to a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Noted {
    /// File, relative to the store.
    pub file: String,
    /// Appended lines.
    pub text: String,
    #[serde(skip)]
    pub into: NotedIn,
}

/// The target of an append.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotedIn {
    Notes,
    /// Log of the day.
    Log,
}

/// One file from each store that has it, the project's first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Files {
    pub files: Vec<File>,
}

/// A file with its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct File {
    /// `project` or `user`.
    pub scope: &'static str,
    /// File name, relative to the store.
    pub file: String,
    pub text: String,
}

/// Days with a log, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Days {
    /// One per log and store.
    pub days: Vec<Day>,
}

/// A day with a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Day {
    #[serde(serialize_with = "displayed")]
    pub date: Date,
    /// `project` or `user`.
    pub scope: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Todo {
    pub items: Vec<TodoItem>,
}

/// An item of the scratchpad.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TodoItem {
    pub text: String,
    /// True if the item is ticked.
    pub done: bool,
    #[serde(skip)]
    pub change: TodoChange,
}

/// What a command did with an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TodoChange {
    /// Only listed.
    Unchanged,
    Added,
    /// Not added, because an equal item is open.
    AlreadyOpen,
    Done,
    /// The tick was removed.
    Reopened,
}

/// Lines moved from scratchpads to archives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cleared {
    pub cleared: Vec<String>,
}

/// The handoff that the next session starts from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HandoffView {
    /// Log with the handoff, relative to the store; absent if there is no handoff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Text of the handoff; empty if there is none.
    pub text: String,
    /// True if this call wrote it.
    #[serde(skip)]
    pub written: bool,
}

impl Document for Noted {
    fn schema(&self) -> &'static str {
        match self.into {
            NotedIn::Notes => "pimem.note/1",
            NotedIn::Log => "pimem.log/1",
        }
    }
}

impl Document for Files {
    fn schema(&self) -> &'static str {
        "pimem.read/1"
    }
}

impl Document for Days {
    fn schema(&self) -> &'static str {
        "pimem.days/1"
    }
}

impl Document for Todo {
    fn schema(&self) -> &'static str {
        "pimem.todo/1"
    }
}

impl Document for Cleared {
    fn schema(&self) -> &'static str {
        "pimem.todo/1"
    }
}

impl Document for HandoffView {
    fn schema(&self) -> &'static str {
        "pimem.handoff/1"
    }
}
