//! Changes that a transaction makes to the entry files of a store.

use std::path::{Path, PathBuf};

use pimem_core::model::{
    category::CategoryId,
    entry::{Markers, Wording},
};

/// A file of entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    Topic(String),
    Archive(String),
}

impl Target {
    /// Returns the name without `.md`.
    pub(super) fn stem(&self) -> &str {
        match self {
            Self::Topic(stem) | Self::Archive(stem) => stem,
        }
    }

    /// Returns the path relative to the store.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Topic(stem) => format!("topics/{stem}.md"),
            Self::Archive(stem) => format!("archive/{stem}.md"),
        }
    }

    /// Returns the path, given the directory of the store.
    pub(super) fn path(&self, dir: &Path) -> PathBuf {
        dir.join(self.name())
    }
}

/// A change to one file. If the file changes before it is written, the change is planned again.
#[derive(Debug, Clone)]
pub enum Change {
    /// Adds a line at the end of the file, or at the end of the section `heading`, which is created
    /// if it is missing.
    Append { category: CategoryId, text: String, markers: Markers, heading: Option<String> },
    /// Removes all lines of an entry.
    Remove(Wording),
    /// Removes repeated lines of an entry; if the flag is set, one line stays. Lines with markers
    /// always stay.
    RemoveRepeats(Wording, bool),
    /// Sets or clears the pinned marker.
    SetPinned(Wording, bool),
    /// Replaces the text of an entry.
    Reword(Wording, String),
}

impl Change {
    /// Returns true if the change makes the file longer.
    pub(super) fn grows(&self) -> bool {
        matches!(self, Self::Append { .. } | Self::Reword(..))
    }

    /// Returns the characters of the text that it writes.
    pub(super) fn chars(&self) -> usize {
        match self {
            Self::Append { text, .. } | Self::Reword(_, text) => text.chars().count(),
            Self::Remove(_) | Self::RemoveRepeats(..) | Self::SetPinned(..) => 0,
        }
    }

    /// Returns the category of the entry that the change is about.
    pub(super) fn category(&self) -> CategoryId {
        match self {
            Self::Append { category, .. } => *category,
            Self::Remove(of)
            | Self::RemoveRepeats(of, _)
            | Self::SetPinned(of, _)
            | Self::Reword(of, _) => of.category,
        }
    }
}
