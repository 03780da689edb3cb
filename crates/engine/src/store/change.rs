//! What a change to a store does to its files of entries.

use std::path::{Path, PathBuf};

use pimem_core::model::{
    category::CategoryId,
    entry::{Markers, Wording},
};

/// A file of entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// `topics/<stem>.md`.
    Topic(String),
    /// `archive/<stem>.md`.
    Archive(String),
}

impl Target {
    /// Its name without `.md`.
    pub(super) fn stem(&self) -> &str {
        match self {
            Self::Topic(stem) | Self::Archive(stem) => stem,
        }
    }

    /// Its name in a store.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Topic(stem) => format!("topics/{stem}.md"),
            Self::Archive(stem) => format!("archive/{stem}.md"),
        }
    }

    /// Where it is in a store.
    pub(super) fn path(&self, dir: &Path) -> PathBuf {
        dir.join(self.name())
    }
}

/// What is to become of a file; planned again when the file changed meanwhile.
#[derive(Debug, Clone)]
pub enum Change {
    /// A new line: the last one, or the last one below a heading, which is made when there is none.
    Append { category: CategoryId, text: String, markers: Markers, heading: Option<String> },
    /// Without an entry, on whatever lines it stands.
    Remove(Wording),
    /// Without the other lines of an entry, where one of them is to stay or not; marked ones do.
    RemoveRepeats(Wording, bool),
    /// With or without the pinned marker.
    SetPinned(Wording, bool),
    /// With another wording of an entry.
    Reword(Wording, String),
}

impl Change {
    /// Whether a file needs room for it.
    pub(super) fn grows(&self) -> bool {
        matches!(self, Self::Append { .. } | Self::Reword(..))
    }

    /// The category of what it is about.
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
