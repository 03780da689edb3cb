//! The formats of an exchange.
//!
//! An object is an entry or an event, with its hash. A bundle is a file of objects as JSON lines; its
//! first line names the format and the project. Requests and answers between `pimem sync` and a server
//! hold objects too.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use super::check::{Reason, Refused};
use crate::{
    markdown::topic,
    model::{event::Event, hash},
};

/// Maximum length, in bytes, of an entry line and of an event.
pub const LONGEST: usize = 16 * 1024;
/// Maximum length, in bytes, of an entry that only its users can read.
pub const LONGEST_SEALED: usize = 2 * LONGEST;

/// An entry as it travels.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct SyncEntry {
    /// SHA-256 of the line in hexadecimal; an HMAC of it if the line is sealed.
    pub hash: String,
    /// The canonical line, `- [category] text`, without markers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    /// Stands in place of the line if only the users of a project can read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sealed: Option<String>,
    /// HMAC of the entry's id, by which a server knows the events of a sealed line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

impl SyncEntry {
    #[must_use]
    pub fn of(category: &str, text: &str) -> Self {
        let line = topic::canonical(category, text);
        Self { hash: content_hash(&line), line: Some(line), ..Self::default() }
    }
}

/// Returns the SHA-256 of a canonical line, in hexadecimal.
#[must_use]
pub fn content_hash(line: &str) -> String {
    hash::write_hex(&Sha256::digest(line))
}

/// Returns the identity of an event's bytes. Events with equal ids and other bytes are others.
#[must_use]
pub fn digest(event: &str) -> [u8; 32] {
    Sha256::digest(event).into()
}

/// Returns an event as JSON, with its bytes unchanged. `None` if it is not JSON.
#[must_use]
pub fn raw(event: &str) -> Option<Box<RawValue>> {
    RawValue::from_string(event.to_owned()).ok()
}

pub const SCHEMA: &str = "pimem.bundle/1";
/// Maximum length of a line in bytes. An object of allowed length fits, whatever is escaped.
pub const LONGEST_LINE: usize = 128 * 1024;

/// The first line of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    pub schema: String,
    /// Short name of the project, if it has one.
    #[serde(default)]
    pub project: Option<String>,
}

impl Header {
    #[must_use]
    pub fn new(project: Option<String>) -> Self {
        Self { schema: SCHEMA.to_owned(), project }
    }

    /// Parses the first line. `None` if it does not begin a bundle of this version.
    #[must_use]
    pub fn read(line: &[u8]) -> Option<Self> {
        let header: Self = serde_json::from_slice(line).ok()?;
        (header.schema == SCHEMA).then_some(header)
    }
}

/// Parses any later line.
///
/// # Errors
/// If the line is too long or is not an object of a bundle. `number` names it.
pub fn read(line: &[u8], number: usize) -> Result<SyncObject, Refused> {
    let refuse = |reason, detail| {
        Err(Refused { kind: "line".to_owned(), id: number.to_string(), reason, detail })
    };
    if line.len() > LONGEST_LINE {
        return refuse(Reason::TooLong, format!("the line is longer than {LONGEST_LINE} bytes"));
    }
    match serde_json::from_slice(line) {
        Ok(object) => Ok(object),
        Err(error) => refuse(Reason::BadLine, format!("the line is not an object: {error}")),
    }
}

/// Returns a header or object as a line with its end.
pub fn write(part: &impl Serialize) -> String {
    let mut line = serde_json::to_string(part).unwrap_or_default();
    line.push('\n');
    line
}

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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PushCounts {
    pub new: u64,
    pub known: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PushResult {
    pub entries: PushCounts,
    pub events: PushCounts,
    /// What was not taken; the rest was.
    pub refused: Vec<Refused>,
}

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

    #[must_use]
    pub fn of_event(event: Box<RawValue>) -> Self {
        let (hash, line, sealed, id) = (None, None, None, None);
        Self { kind: ObjectKind::Event, author: None, hash, line, sealed, id, event: Some(event) }
    }

    /// Returns the id of a plain event.
    #[must_use]
    pub fn event_id(&self) -> Option<String> {
        Event::read(self.event.as_ref()?.get()).map(|event| event.id.to_string())
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
