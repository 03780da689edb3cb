//! Objects that only the people of a project can read: what a client seals before it leaves, and
//! opens when it is pulled.
//!
//! A server orders and keeps them by their labels, which have HMACs in place of ids and hashes, as
//! those would confirm a guess of a short text. What is sealed is bound to its label, organisation,
//! project and the user who sent it, and whoever opens it looks whether the label is that of the
//! text: neither a server nor one who has a key makes one object pass for another.

use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD as BASE64};
use serde::{Deserialize, Serialize};

use super::{
    check::{self, Gate, Reason, Refused},
    wire::{self, LONGEST_SEALED, ObjectKind, SyncEntry, SyncObject},
};
use crate::{
    model::{
        entry::{EntryId, EventId},
        event::{ArchiveReason, Author, Cue, Event, EventKind},
        hash,
        time::Timestamp,
    },
    seal::{self, HashKey, KEY_BYTES, KeyId, Keyring, NONCE_BYTES, SealKey},
};

/// Begins what is sealed.
const TAG: &str = "v1:";
/// What the label of an event has, and an event has not.
pub(super) const MARK: &str = "\"sealed\":\"v1:";
/// Texts are padded to a multiple of so many bytes, as a length tells much of a short one.
const STEP: usize = 64;
/// Bytes of a key's id, a nonce and a tag.
const AROUND: usize = 4 + NONCE_BYTES + 16;

/// An event as a server sees it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SealedEvent {
    pub id: String,
    pub ts: String,
    pub op: String,
    /// HMAC of the entry's id, 16 digits.
    pub entry: String,
    /// HMAC of the event's bytes, 64 digits.
    pub hash: String,
    /// True if somebody asked for the wording, which brings a purged entry back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub typed: bool,
    /// True if the entry is archived because it has faded, which is nobody's opinion.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub faded: bool,
    /// HMACs of the entries that a merge takes the place of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<String>,
    pub sealed: String,
}

impl SealedEvent {
    /// Reads what a client sent; `None` if it is no label, or not in its one spelling.
    #[must_use]
    pub fn read(json: &str) -> Option<Self> {
        let read: Self = serde_json::from_str(json).ok()?;
        let is_op = (1..=32).contains(&read.op.len())
            && read.op.bytes().all(|byte| byte.is_ascii_lowercase());
        (is_op && is_hash(&read.hash) && is_sealed(&read.sealed)).then_some(read)
    }

    /// Returns an event with the rights and the place of this one, about HMACs of entries; `None` if
    /// an id or time is none.
    #[must_use]
    pub fn stand_in(&self) -> Option<Event> {
        let entry = |id: &String| EntryId::read(id.as_bytes());
        let (id, ts) = (EventId::read(&self.id), Timestamp::parse(&self.ts)?);
        let about = entry(&self.entry)?;
        let kind = match self.op.as_str() {
            _ if self.typed => EventKind::Add(Cue::Explicit, None),
            "purge" => EventKind::PURGE,
            "forget" => EventKind::Forget,
            "supersede" => EventKind::Supersede(about),
            "expire" => EventKind::Expire(ts),
            "retract" => EventKind::Retract(Vec::new()),
            "archive" if self.faded => EventKind::Archive(ArchiveReason::Age),
            "archive" => EventKind::Archive(ArchiveReason::Person),
            "merge" => EventKind::Merge(self.from.iter().map(entry).collect::<Option<_>>()?),
            _ => EventKind::Unknown,
        };
        let by = if self.typed { Author::Person } else { Author::Program };
        let is_plain = id.to_string() == self.id && ts.to_string() == self.ts;
        is_plain.then_some(Event { id, ts, entry: about, by, kind })
    }

    /// What the sealed event is bound to.
    fn label(&self) -> String {
        let label = Self { sealed: String::new(), ..self.clone() };
        serde_json::to_string(&label).unwrap_or_default()
    }
}

/// Checks a sealed entry, and returns the HMAC of its id.
///
/// # Errors
/// The reason for which it is refused.
pub fn check_entry(gate: &Gate<'_>, entry: &SyncEntry) -> Result<EntryId, Refused> {
    let refuse =
        |reason, detail: &str| Err(refused(ObjectKind::Entry, &entry.hash, reason, detail));
    if !is_hash(&entry.hash) {
        return refuse(Reason::BadHash, "the hash is not 64 hexadecimal digits");
    }
    let id = entry.id.as_ref().and_then(|id| EntryId::read(id.as_bytes()));
    let (Some(id), Some(sealed), None) = (id, &entry.sealed, &entry.line) else {
        return refuse(Reason::BadLine, "this organisation takes sealed lines only");
    };
    if sealed.len() > LONGEST_SEALED {
        return refuse(Reason::TooLong, &check::too_long(LONGEST_SEALED));
    }
    if !is_sealed(sealed) {
        return refuse(Reason::BadSeal, "this is not sealed");
    }
    if gate.purges.is_gone(id) {
        return refuse(Reason::Purged, "the entry was purged");
    }
    Ok(id)
}

/// Checks a sealed event, and returns it with the event that it stands for.
///
/// # Errors
/// The reason for which it is refused.
pub fn check_event(gate: &Gate<'_>, json: &str) -> Result<(SealedEvent, Event), Refused> {
    let refuse =
        |id: &str, reason, detail: &str| Err(refused(ObjectKind::Event, id, reason, detail));
    if json.len() > LONGEST_SEALED {
        return refuse("", Reason::TooLong, &check::too_long(LONGEST_SEALED));
    }
    let sealed = SealedEvent::read(json);
    let Some((event, sealed)) = sealed.and_then(|read| Some((read.stand_in()?, read))) else {
        return refuse("", Reason::BadEvent, "this organisation takes sealed events only");
    };
    if event.ts > gate.now.horizon() {
        return refuse(&sealed.id, Reason::Future, "the event is dated more than a day ahead");
    }
    if gate.purges.covers(&event) {
        return refuse(&sealed.id, Reason::Purged, "the entry was purged after the event");
    }
    Ok((sealed, event))
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Closed {
    /// It is sealed under a key that is not here.
    Key(KeyId),
    /// It was changed, moved, or never sealed.
    Damaged(Refused),
}

/// The keys of the people of a project.
#[derive(Debug)]
pub struct Seals {
    ring: Keyring,
    names: String,
    line: HashKey,
    entry: HashKey,
    event: HashKey,
}

impl Seals {
    /// Derives the keys of a project from those of its people, the oldest first: that one makes the
    /// HMACs and never changes, the latest seals, and all of them open. `None` without any.
    #[must_use]
    pub fn new(secrets: &[&[u8; KEY_BYTES]], organisation: &str, project: &str) -> Option<Self> {
        let (first, last) = (secrets.first()?, secrets.last()?);
        let store = format!("pimem sync v1\0{organisation}\0{project}");
        let keys: Vec<SealKey> =
            secrets.iter().map(|secret| SealKey::derive(secret, &store)).collect();
        let names: Vec<String> = keys.iter().map(|key| key.id().to_string()).collect();
        let hash = |purpose| HashKey::derive(first, purpose, &store);
        let (line, entry, event) = (hash("line"), hash("entry"), hash("event"));
        let ring = Keyring::new(store.clone(), Vec::new(), SealKey::derive(last, &store), keys);
        Some(Self { ring, names: names.join(" "), line, entry, event })
    }

    /// The ids of the keys, by which a change of them is noticed.
    #[must_use]
    pub fn names(&self) -> &str {
        &self.names
    }

    /// Seals an entry that `user` sends; `None` if it has no line.
    #[must_use]
    pub fn entry(
        &self,
        user: &str,
        entry: &SyncEntry,
        nonce: [u8; NONCE_BYTES],
    ) -> Option<SyncEntry> {
        let line = entry.line.as_ref()?;
        let mut sealed = self.labelled(line)?;
        sealed.sealed = Some(self.sealed(&entry_data(&sealed, user)?, line, nonce));
        Some(sealed)
    }

    /// Seals an event that `user` sends; `None` if it is none.
    #[must_use]
    pub fn event(&self, user: &str, event: &str, nonce: [u8; NONCE_BYTES]) -> Option<String> {
        let mut sealed = self.label(event)?;
        sealed.sealed = self.sealed(&event_data(&sealed, user), event, nonce);
        serde_json::to_string(&sealed).ok()
    }

    /// Opens an object.
    ///
    /// # Errors
    /// [`Closed`].
    pub fn open(&self, object: &SyncObject) -> Result<SyncObject, Closed> {
        let user = object.author.clone().unwrap_or_default();
        let damaged = |id: &str| {
            let detail = "it was changed or moved on its way, and is not opened";
            Closed::Damaged(refused(object.kind, id, Reason::BadSeal, detail))
        };
        let opened = if let Some(entry) = object.entry() {
            let damaged = || damaged(&entry.hash);
            let data = entry_data(&entry, &user).filter(|_| entry.line.is_none());
            let (data, sealed) = data.zip(entry.sealed.as_ref()).ok_or_else(damaged)?;
            let line = self.opened(&data, sealed)?.ok_or_else(damaged)?;
            let label = SyncEntry {
                sealed: Some(sealed.clone()),
                ..self.labelled(&line).ok_or_else(damaged)?
            };
            if label != entry {
                return Err(damaged());
            }
            SyncObject::of_entry(SyncEntry {
                hash: wire::content_hash(&line),
                line: Some(line),
                ..SyncEntry::default()
            })
        } else {
            let json = object.event.as_ref().map_or("", |event| event.get());
            let sealed = SealedEvent::read(json).ok_or_else(|| damaged(""))?;
            let damaged = || damaged(&sealed.id);
            let event =
                self.opened(&event_data(&sealed, &user), &sealed.sealed)?.ok_or_else(damaged)?;
            let label = self.label(&event).ok_or_else(damaged)?;
            if label.label() != sealed.label() {
                return Err(damaged());
            }
            SyncObject::of_event(wire::raw(&event).ok_or_else(damaged)?)
        };
        Ok(SyncObject { author: object.author.clone(), ..opened })
    }

    fn labelled(&self, line: &str) -> Option<SyncEntry> {
        let (category, text) = check::split(line)?;
        let id = self.id(EntryId::of(category, text.as_bytes()));
        let hash = hash::write_hex(&self.line.hash(line.as_bytes()));
        Some(SyncEntry { hash, id: Some(id), ..SyncEntry::default() })
    }

    fn label(&self, event: &str) -> Option<SealedEvent> {
        let read = Event::read_whole(event)?;
        let from = match &read.kind {
            EventKind::Merge(from) => from.iter().map(|id| self.id(*id)).collect(),
            _ => Vec::new(),
        };
        Some(SealedEvent {
            id: read.id.to_string(),
            ts: read.ts.to_string(),
            op: read.kind.op().to_owned(),
            entry: self.id(read.entry),
            hash: hash::write_hex(&self.event.hash(event.as_bytes())),
            typed: read.is_typed(),
            faded: read.kind == EventKind::Archive(ArchiveReason::Age),
            from,
            sealed: String::new(),
        })
    }

    fn id(&self, id: EntryId) -> String {
        let hash = self.entry.hash(&id.0.to_be_bytes());
        hash.first_chunk().map_or_else(String::new, |id: &[u8; 8]| hash::write_hex(id))
    }

    fn sealed(&self, data: &str, text: &str, nonce: [u8; NONCE_BYTES]) -> String {
        let mut padded = text.as_bytes().to_vec();
        seal::pad(&mut padded, 0, STEP);
        TAG.to_owned() + &BASE64.encode(self.ring.seal_blob(data, &padded, nonce))
    }

    /// Opens a sealed text; `None` if it was changed or is bound to something else.
    fn opened(&self, data: &str, sealed: &str) -> Result<Option<String>, Closed> {
        let Some(blob) = blob(sealed) else { return Ok(None) };
        if let Some(key) = self.ring.lacks(&blob) {
            return Err(Closed::Key(key));
        }
        let text = self.ring.open_blob(data, blob);
        let text = text.and_then(|text| Some(seal::unpadded(&text, STEP)?.to_vec()));
        Ok(text.and_then(|text| String::from_utf8(text).ok()))
    }
}

/// Maximum size of an object of `length` bytes when it is sealed.
#[must_use]
pub fn size(length: usize) -> usize {
    // The ids of a merge are a part of its label.
    let label = 512 + length;
    label + ((length + 1).next_multiple_of(STEP) + AROUND) * 4 / 3
}

fn entry_data(entry: &SyncEntry, user: &str) -> Option<String> {
    Some(format!("entry {} {}\0{user}", entry.hash, entry.id.as_ref()?))
}

fn event_data(event: &SealedEvent, user: &str) -> String {
    format!("event {}\0{user}", event.label())
}

fn blob(sealed: &str) -> Option<Vec<u8>> {
    BASE64.decode(sealed.strip_prefix(TAG)?).ok()
}

fn is_sealed(sealed: &str) -> bool {
    let text = blob(sealed).and_then(|blob| blob.len().checked_sub(AROUND));
    text.is_some_and(|text| text > 0 && text.is_multiple_of(STEP))
}

fn is_hash(hash: &str) -> bool {
    hash.len() == 64 && hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn refused(kind: ObjectKind, id: &str, reason: Reason, detail: &str) -> Refused {
    let kind = if kind == ObjectKind::Entry { "entry" } else { "event" };
    let (id, detail) = (check::short(id), detail.to_owned());
    Refused { kind: kind.to_owned(), id, reason, detail }
}
