//! Requests and answers between `pimem sync` and a server.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{check::Refused, object::SyncEntry};

/// Maximum number of objects in a push.
pub const MOST_OBJECTS: usize = 1_000;
/// Maximum length of a push in bytes.
pub const MOST_BYTES: usize = 1 << 20;

/// The body of `POST /v1/sync/push`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct PushBody {
    /// Short name of the project.
    pub project: String,
    #[serde(default)]
    pub entries: Vec<SyncEntry>,
    /// Events with their bytes unchanged.
    #[serde(default)]
    pub events: Vec<Box<RawValue>>,
}

/// Numbers of objects that were new and known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PushCounts {
    pub new: u64,
    pub known: u64,
}

/// The answer to a push.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PushResult {
    pub entries: PushCounts,
    pub events: PushCounts,
    /// What was not taken; the rest was.
    pub refused: Vec<Refused>,
}

/// The kind of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ObjectKind {
    Entry,
    Event,
}

/// An object in a bundle or in the answer to a pull.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SyncObject {
    pub kind: ObjectKind,
    /// Name of the user whose key pushed it first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sealed: Option<String>,
    /// HMAC of the id of a sealed entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The event with its bytes unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<Box<RawValue>>,
}

impl SyncObject {
    /// Returns the object of an entry.
    #[must_use]
    pub fn of_entry(entry: SyncEntry) -> Self {
        let SyncEntry { hash, line, sealed, id } = entry;
        Self {
            kind: ObjectKind::Entry,
            author: None,
            hash: Some(hash),
            line,
            sealed,
            id,
            event: None,
        }
    }

    /// Returns the object of an event.
    #[must_use]
    pub fn of_event(event: Box<RawValue>) -> Self {
        let (hash, line, sealed, id) = (None, None, None, None);
        Self { kind: ObjectKind::Event, author: None, hash, line, sealed, id, event: Some(event) }
    }

    /// Returns the entry; `None` if it is an event or lacks its hash.
    #[must_use]
    pub fn entry(&self) -> Option<SyncEntry> {
        let hash = self.hash.clone().filter(|_| self.kind == ObjectKind::Entry)?;
        let (line, sealed, id) = (self.line.clone(), self.sealed.clone(), self.id.clone());
        Some(SyncEntry { hash, line, sealed, id })
    }
}

/// The answer to `GET /v1/sync/pull`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct PulledPage {
    pub objects: Vec<SyncObject>,
    /// Where the next pull goes on; only the server reads it.
    pub cursor: String,
    /// True if the next pull has objects.
    pub more: bool,
}

/// The answer to `GET /v1/me`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct KeyOwner {
    pub organisation: String,
    pub user: String,
    #[serde(default)]
    pub roles: Vec<String>,
    #[serde(default)]
    pub scopes: Vec<String>,
    /// Short names of the projects that the key may see.
    #[serde(default)]
    pub projects: Vec<String>,
    /// `plain`, `sealed` or `end-to-end`.
    #[serde(default)]
    pub mode: String,
}

/// A problem as in RFC 9457, with the fields of an error of the program.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ServerProblem {
    #[serde(rename = "type", default)]
    pub about: String,
    #[serde(default)]
    pub title: String,
    #[serde(default)]
    pub status: u16,
    #[serde(default)]
    pub detail: String,
    #[serde(default)]
    pub kind: String,
    #[serde(default)]
    pub hints: Vec<String>,
}
