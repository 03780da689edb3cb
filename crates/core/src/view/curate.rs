//! `pimem reinforce`, `edit`, and what people decide: `pin`, `unpin`, `forget`, `remove`, `restore`.

use serde::Serialize;

use super::{Document, EntryView};

/// Entries that proved right, or wrong.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reinforced {
    /// The entries as they stand now.
    pub results: Vec<EntryView>,
    /// Whether they proved wrong.
    #[serde(skip)]
    pub harmful: bool,
}

/// Entries that somebody has decided about.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Curated {
    /// What was decided.
    pub action: Action,
    /// The entries as they stand now; those that were removed or restored, as they stood before.
    pub results: Vec<CuratedEntry>,
}

/// A decision about entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// They never fade.
    Pinned,
    /// They fade again.
    Unpinned,
    /// They leave reports and searches.
    Forgot,
    /// Their lines go to the archive.
    Removed,
    /// They are back.
    Restored,
}

impl Action {
    /// As the first word of a line.
    pub fn verb(self) -> &'static str {
        match self {
            Self::Pinned => "Pinned",
            Self::Unpinned => "Unpinned",
            Self::Forgot => "Forgot",
            Self::Removed => "Removed",
            Self::Restored => "Restored",
        }
    }
}

/// An entry that somebody has decided about.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CuratedEntry {
    /// The entry.
    #[serde(flatten)]
    pub entry: EntryView,
    /// Whether the other store holds it too, and reports go on showing that.
    #[serde(skip)]
    pub shown_elsewhere: bool,
}

/// An entry with another text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Edited {
    /// The id that it had.
    pub from: String,
    /// The entry as it is now.
    pub entry: EntryView,
}

impl Document for Reinforced {
    fn schema(&self) -> &'static str {
        "pimem.reinforce/1"
    }
}

impl Document for Curated {
    fn schema(&self) -> &'static str {
        match self.action {
            Action::Pinned | Action::Unpinned | Action::Forgot => "pimem.curate/1",
            Action::Removed => "pimem.remove/1",
            Action::Restored => "pimem.restore/1",
        }
    }
}

impl Document for Edited {
    fn schema(&self) -> &'static str {
        "pimem.edit/1"
    }
}
