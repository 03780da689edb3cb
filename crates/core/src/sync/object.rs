//! The objects that travel: entries and events, each with its hash.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use crate::{markdown::topic, model::hex};

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
    /// Returns the object of an entry.
    #[must_use]
    pub fn of(category: &str, text: &str) -> Self {
        let line = topic::canonical(category, text);
        Self { hash: content_hash(&line), line: Some(line), ..Self::default() }
    }
}

/// Returns the SHA-256 of a canonical line, in hexadecimal.
#[must_use]
pub fn content_hash(line: &str) -> String {
    hex::write(&Sha256::digest(line))
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
