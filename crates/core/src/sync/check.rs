//! What is refused, and why: one set of rules for everything that receives objects.

use serde::{Deserialize, Serialize};

use super::{
    sealed,
    wire::{self, LONGEST, LONGEST_SEALED, SyncEntry},
};
use crate::{
    markdown::topic,
    model::{
        category::Categories,
        entry::EntryId,
        event::{Event, EventKind, MOST_PROOFS, Order},
        hash::IdMap,
        time::Now,
    },
    safety::{safe_text, secret},
    seal,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The hash is not that of the line.
    BadHash,
    /// It is not a line that a store would read back as one entry.
    BadLine,
    TooLong,
    BadEvent,
    /// Its time is more than a day ahead.
    Future,
    ForeignProject,
    Secret,
    /// It is marked as private.
    Private,
    /// The entry was purged since.
    Purged,
    /// The line of the entry is missing.
    Incomplete,
    /// Somebody else brought the entry, and the sender has not the role for this.
    NotAllowed,
    /// Nobody has reviewed the line where it is.
    Unreviewed,
    /// It was sealed, and does not open: it was changed or moved.
    BadSeal,
    /// A reason of a later version.
    #[serde(other)]
    Other,
}

impl Reason {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::BadHash => "bad-hash",
            Self::BadLine => "bad-line",
            Self::TooLong => "too-long",
            Self::BadEvent => "bad-event",
            Self::Future => "future",
            Self::ForeignProject => "foreign-project",
            Self::Secret => "secret",
            Self::Private => "private",
            Self::Purged => "purged",
            Self::Incomplete => "incomplete",
            Self::NotAllowed => "not-allowed",
            Self::Unreviewed => "unreviewed",
            Self::BadSeal => "bad-seal",
            Self::Other => "other",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Refused {
    /// `entry` or `event`; `line` for what is neither.
    pub kind: String,
    /// Hash of the entry, ULID of the event, or number of the line. Never a text.
    pub id: String,
    pub reason: Reason,
    /// A sentence for people, without the text.
    pub detail: String,
}

/// What a receiver knows when it checks.
#[derive(Debug, Clone, Copy)]
pub struct Gate<'a> {
    pub now: Now,
    /// The categories that can be read; `None` accepts any name.
    pub categories: Option<&'a Categories>,
    pub purges: &'a Purges,
}

/// An entry that passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckedLine<'a> {
    pub id: EntryId,
    pub category: &'a str,
    pub text: &'a str,
}

impl Gate<'_> {
    /// Checks an entry. Returns `None` for a sealed one, of which only hash and size can be checked.
    ///
    /// # Errors
    /// The reason for which it is refused.
    pub fn entry<'a>(&self, entry: &'a SyncEntry) -> Result<Option<CheckedLine<'a>>, Refused> {
        let refuse = |reason, detail: &str| {
            let id = short(&entry.hash);
            Err(Refused { kind: "entry".to_owned(), id, reason, detail: detail.to_owned() })
        };
        let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if entry.hash.len() != 64 || !entry.hash.bytes().all(is_hex) {
            return refuse(Reason::BadHash, "the hash is not 64 hexadecimal digits");
        }
        let line = match (&entry.line, &entry.sealed) {
            (Some(line), None) => line,
            (None, Some(sealed)) if sealed.len() > LONGEST_SEALED => {
                return refuse(Reason::TooLong, &too_long(LONGEST_SEALED));
            }
            (None, Some(sealed)) if !sealed.is_empty() && sealed.is_ascii() => return Ok(None),
            _ => return refuse(Reason::BadLine, "there is not one line"),
        };
        if line.len() > LONGEST {
            return refuse(Reason::TooLong, &too_long(LONGEST));
        }
        if wire::content_hash(line) != entry.hash {
            return refuse(Reason::BadHash, "the hash is not that of the line");
        }
        let Some((category, text)) = split(line) else {
            return refuse(Reason::BadLine, "the line is not one entry, without markers");
        };
        if self.categories.is_some_and(|known| known.find(category).is_none()) {
            return refuse(Reason::BadLine, "no category here has this name");
        }
        if is_private(text) {
            return refuse(Reason::Private, "the entry is marked as private");
        }
        if let Some(kind) = secret::find(text) {
            return refuse(Reason::Secret, &format!("the entry has what looks like {kind}"));
        }
        let id = EntryId::of(category, text.as_bytes());
        if self.purges.is_gone(id) {
            return refuse(Reason::Purged, "the entry was purged");
        }
        Ok(Some(CheckedLine { id, category, text }))
    }

    /// Checks an event, given its bytes, and returns it with its origin.
    ///
    /// # Errors
    /// The reason for which it is refused.
    pub fn event(&self, line: &str) -> Result<Event, Refused> {
        let refuse = |id: String, reason, detail: &str| {
            Err(Refused { kind: "event".to_owned(), id, reason, detail: detail.to_owned() })
        };
        if line.len() > LONGEST {
            return refuse(String::new(), Reason::TooLong, &too_long(LONGEST));
        }
        let whole = (!line.contains(char::is_control)).then(|| Event::read_whole(line)).flatten();
        let Some(event) = whole else {
            return refuse(String::new(), Reason::BadEvent, "this is not an event on one line");
        };
        let id = event.id.to_string();
        if let EventKind::Reinforce(n) | EventKind::Harmful(n) = event.kind
            && n > MOST_PROOFS
        {
            let detail = format!("the event counts more than {MOST_PROOFS} proofs");
            return refuse(id, Reason::BadEvent, &detail);
        }
        if line.contains(sealed::MARK) {
            return refuse(id, Reason::BadEvent, "the event is sealed");
        }
        if event.ts > self.now.horizon() {
            return refuse(id, Reason::Future, "the event is dated more than a day ahead");
        }
        if line.contains("<private>") {
            return refuse(id, Reason::Private, "the event is marked as private");
        }
        if let Some(kind) = secret::find(line) {
            return refuse(id, Reason::Secret, &format!("the event has what looks like {kind}"));
        }
        if self.purges.covers(&event) {
            return refuse(id, Reason::Purged, "the entry was purged after the event");
        }
        Ok(event)
    }
}

pub(super) fn too_long(most: usize) -> String {
    format!("it is longer than {most} bytes")
}

pub(super) fn short(id: &str) -> String {
    id.chars().take(64).filter(char::is_ascii_graphic).collect()
}

/// Splits a canonical line into category and text. `None` if a store would read it differently.
#[must_use]
pub fn split(line: &str) -> Option<(&str, &str)> {
    let (category, text) = line.strip_prefix("- [")?.split_once("] ")?;
    let is_name = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    let is_named = (1..=64).contains(&category.len()) && category.bytes().all(is_name);
    let is_bare = !text.is_empty() && text.trim() == text && !topic::split_markers(text).1.any();
    let is_safe = !text.contains(char::is_control) && safe_text::first_hazard(text).is_none();
    (is_named && is_bare && is_safe && !seal::is_closed(text, true)).then_some((category, text))
}

/// Returns true if a text is never sent: it has a private part, or the tag `#private` or `#local`.
#[must_use]
pub fn is_private(text: &str) -> bool {
    let is_tag = |word: &str| {
        let word = word.trim_end_matches(|c: char| !c.is_alphanumeric());
        ["#private", "#local"].iter().any(|tag| word.eq_ignore_ascii_case(tag))
    };
    text.contains("<private>") || text.split_whitespace().any(is_tag)
}

/// The purges that are known, and whether entries were brought back since.
#[derive(Debug, Clone, Default)]
pub struct Purges(IdMap<EntryId, Tombstone>);

/// Positions of the latest events of each kind.
#[derive(Debug, Clone, Copy, Default)]
struct Tombstone {
    purged: Option<Order>,
    wanted: Option<Order>,
}

impl Purges {
    /// Notes an event: a purge, or one that brings an entry back. Others change nothing.
    pub fn note(&mut self, event: &Event) {
        let at = Some(event.order());
        if matches!(event.kind, EventKind::Purge { .. }) {
            let known = self.0.entry(event.entry).or_default();
            known.purged = known.purged.max(at);
        } else if event.is_typed() {
            let known = self.0.entry(event.entry).or_default();
            known.wanted = known.wanted.max(at);
        }
    }

    /// Returns true if the entry was purged and not typed since.
    #[must_use]
    pub fn is_gone(&self, entry: EntryId) -> bool {
        self.0.get(&entry).is_some_and(|known| known.purged > known.wanted)
    }

    /// Returns true if the entry of the event was purged after it.
    #[must_use]
    pub fn covers(&self, event: &Event) -> bool {
        self.0.get(&event.entry).is_some_and(|known| Some(event.order()) < known.purged)
    }
}
