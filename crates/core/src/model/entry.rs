//! Entries: single remembered lines, and their ids.

use std::{fmt, str::FromStr};

use super::{category::CategoryId, hash::fnv1a64, hex};

/// 64-bit FNV-1a of the canonical line `- [category] text`; 16 lower-case hex digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct EntryId(pub u64);

impl EntryId {
    /// Computes the id of an entry. `text` is bytes, so that a line that is not UTF-8 has an id
    /// too.
    #[must_use]
    pub fn of(category: &str, text: &[u8]) -> Self {
        Self(fnv1a64(&[b"- [", category.as_bytes(), b"] ", text]))
    }

    /// Parses 16 lower-case hex digits.
    #[must_use]
    pub fn read(text: &[u8]) -> Option<Self> {
        hex::read_half(text).map(Self)
    }
}

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl FromStr for EntryId {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::read(text.as_bytes()).ok_or(())
    }
}

/// The exact identity of an entry. Ids are used for lookup, but two texts can be made to share one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Wording {
    pub id: EntryId,
    pub category: CategoryId,
    /// Text without markers.
    pub text: String,
}

/// Markers after the text of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Markers {
    /// `*(pinned)*`: never fades.
    pub pinned: bool,
    /// `*(enforced)*`: written by other tools, preserved, never written here.
    pub enforced: bool,
}

impl Markers {
    /// True if any marker is set.
    #[must_use]
    pub fn any(self) -> bool {
        self.pinned || self.enforced
    }
}
