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
    /// Number of received events that wait because they are dated more than a day ahead of this
    /// machine's clock.
    #[serde(skip_serializing_if = "is_zero")]
    pub later: usize,
    /// The same of sent events and the server's clock.
    #[serde(skip_serializing_if = "is_zero")]
    pub early: usize,
    /// True if the exchange came to its limit: the next one goes on.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unfinished: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl Synced {
    /// Returns true if something was refused, or is left for the next exchange.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        !self.refused.is_empty() || self.later + self.early > 0 || self.unfinished
    }

    #[must_use]
    pub fn new(with: String, dry_run: bool) -> Self {
        let (sent, received) = (Part::default(), Part::default());
        let (mirrors, changed) = (Vec::new(), Vec::new());
        let (kept, refused) = (Vec::new(), Vec::new());
        let (later, early, unfinished) = (0, 0, false);
        Self {
            with,
            dry_run,
            sent,
            received,
            mirrors,
            changed,
            waiting: 0,
            kept,
            refused,
            later,
            early,
            unfinished,
        }
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
    /// `[category] text`, with the id if it went to the grave; the id of a purged entry.
    pub entry: String,
    /// File, relative to the store; empty for what was purged.
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
    /// Its purge came from elsewhere, and the line can be restored for a while.
    Buried,
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
            Self::Buried => "Buried",
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
