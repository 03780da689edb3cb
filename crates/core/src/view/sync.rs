//! The document of `pimem sync`.

use serde::Serialize;

use crate::sync::check::Refused;

/// The result of an exchange.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Synced {
    /// The other store, or the file.
    pub with: String,
    /// True if nothing was written.
    pub dry_run: bool,
    /// What the other lacked.
    pub sent: Part,
    /// What this store lacked.
    pub received: Part,
    /// What mirrors lacked, by project.
    pub mirrors: Vec<Mirrored>,
    /// What the exchange changed in this store's files.
    pub changed: Vec<Changed>,
    /// Number of new lines that agents are not shown before a review.
    pub waiting: usize,
    /// What stays in this store, as what is private.
    pub kept: Vec<Refused>,
    /// What was not taken, here or there.
    pub refused: Vec<Refused>,
}

impl Synced {
    #[must_use]
    pub fn new(with: String, dry_run: bool) -> Self {
        let (sent, received) = (Part::default(), Part::default());
        let (mirrors, changed) = (Vec::new(), Vec::new());
        let (kept, refused) = (Vec::new(), Vec::new());
        Self { with, dry_run, sent, received, mirrors, changed, waiting: 0, kept, refused }
    }
}

/// Objects that went in one direction.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Part {
    /// Lines of entries.
    pub entries: Vec<String>,
    /// Number of events.
    pub events: usize,
}

/// What a mirror received.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mirrored {
    /// Short name of the project.
    pub project: String,
    pub received: Part,
}

/// A change of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Changed {
    pub action: Action,
    /// `[category] text`; the id of a purged entry.
    pub entry: String,
    /// File, relative to the store; empty for a purged entry.
    pub file: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Action {
    Added,
    Archived,
    /// To another topic, or from the archive.
    Moved,
    /// It has another wording.
    Removed,
    Pinned,
    Unpinned,
    Purged,
}

impl Action {
    /// The word for people.
    #[must_use]
    pub fn verb(self) -> &'static str {
        match self {
            Self::Added => "Added",
            Self::Archived => "Archived",
            Self::Moved => "Moved",
            Self::Removed => "Reworded",
            Self::Pinned => "Pinned",
            Self::Unpinned => "Unpinned",
            Self::Purged => "Destroyed",
        }
    }
}

/// The keys by which this machine seals what it sends to a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SealKeyFile {
    /// The file, which only its owner can read.
    pub file: String,
    /// Number of keys; the last one seals, and all of them open.
    pub keys: usize,
}

documents! {
    Synced: "pimem.sync/1",
    SealKeyFile: "pimem.seal-key/1",
}
