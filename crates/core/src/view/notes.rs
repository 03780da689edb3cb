//! `pimem note`, `log`, `read`, `todo` and `handoff`: files that are not made of entries.

use serde::Serialize;

use super::{Document, displayed};
use crate::model::calendar::Date;

/// Something that was added to the notes or to a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Noted {
    /// The file, relative to the store.
    pub file: String,
    /// The lines that were added.
    pub text: String,
    /// Which of the two it is.
    #[serde(skip)]
    pub into: NotedIn,
}

/// What something is added to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotedIn {
    /// The long-term notes.
    Notes,
    /// The log of the day.
    Log,
}

/// A file of each store that has it, the project's first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Files {
    /// The files.
    pub files: Vec<File>,
}

/// A file as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct File {
    /// `project` or `user`.
    pub scope: &'static str,
    /// Its name, relative to the store.
    pub file: String,
    /// Its text.
    pub text: String,
}

/// The days that have a log, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Days {
    /// One a log and store.
    pub days: Vec<Day>,
}

/// A day that has a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Day {
    /// The day.
    #[serde(serialize_with = "displayed")]
    pub date: Date,
    /// `project` or `user`.
    pub scope: &'static str,
}

/// Items of the scratchpad.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Todo {
    /// The items.
    pub items: Vec<TodoItem>,
}

/// An item of the scratchpad.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TodoItem {
    /// Its text.
    pub text: String,
    /// Whether it is done.
    pub done: bool,
    /// What became of it.
    #[serde(skip)]
    pub change: TodoChange,
}

/// What became of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TodoChange {
    /// Nothing: it is one of a list.
    Unchanged,
    /// It is new.
    Added,
    /// It was to be added, and is there.
    AlreadyOpen,
    /// It was ticked.
    Done,
    /// Its tick was taken away.
    Reopened,
}

/// Lines that went from scratchpads to archives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cleared {
    /// The lines.
    pub cleared: Vec<String>,
}

/// What the next session should start from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HandoffView {
    /// The log that holds it, relative to the store; absent when there is no handoff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The handoff; empty when there is none.
    pub text: String,
    /// Whether it was written just now.
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
