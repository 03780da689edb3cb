//! The documents of the commands that curate entries: `pimem reinforce`, `edit`, `pin`, `unpin`,
//! `forget`, `remove` and `restore`.

use serde::Serialize;

use super::{
    Document, EntryView,
    prospect::{Changed, Prospect},
};

/// Entries that were reinforced.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reinforced {
    /// Entries after the change.
    pub results: Vec<Changed>,
    /// True if the entries were marked as harmful.
    #[serde(skip)]
    pub harmful: bool,
}

/// Entries that a person's decision changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Curated {
    pub action: Action,
    /// Entries after the change; archived and restored ones as they were before it.
    pub results: Vec<CuratedEntry>,
}

/// A person's decision about entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// The score no longer decays.
    Pinned,
    /// An agent asked for a pin, which a person has to confirm.
    #[serde(rename = "pinWaits")]
    PinWaits,
    /// The score decays again.
    Unpinned,
    /// Reports and searches leave the entry out, and its line is moved to the archive.
    Forgot,
    /// The line is moved to the archive, and the entry stays in force.
    Removed,
    /// The line is moved back from the archive.
    Restored,
}

impl Action {
    /// Returns the first word of an output line.
    pub fn verb(self) -> &'static str {
        match self {
            Self::Pinned => "Pinned",
            Self::PinWaits => "Asked to pin",
            Self::Unpinned => "Unpinned",
            Self::Forgot => "Forgot",
            Self::Removed => "Archived",
            Self::Restored => "Restored",
        }
    }

    /// Returns the first words of an output line about an entry that was so before.
    pub fn already(self) -> &'static str {
        if self == Self::Forgot { "Already forgotten" } else { "Already archived" }
    }
}

/// An entry that a person's decision changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CuratedEntry {
    #[serde(flatten)]
    pub entry: EntryView,
    /// What the next report does with it, if it was to bring it in or let it fade.
    #[serde(flatten)]
    pub next: Option<Prospect>,
    /// True if the other store has the same entry, so that reports still show it.
    #[serde(skip)]
    pub shown_elsewhere: bool,
    /// True if nothing was to be done, because the entry was so before.
    #[serde(skip)]
    pub already: bool,
}

/// An entry whose text was edited.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Edited {
    /// Previous id.
    pub from: String,
    /// The entry with the new text.
    pub entry: EntryView,
    #[serde(flatten)]
    pub next: Prospect,
}

impl Document for Reinforced {
    fn schema(&self) -> &'static str {
        "pimem.reinforce/1"
    }
}

impl Document for Curated {
    fn schema(&self) -> &'static str {
        match self.action {
            Action::Pinned | Action::PinWaits | Action::Unpinned | Action::Forgot => {
                "pimem.curate/1"
            }
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
