//! Events about entries, one JSON line each in the evidence log.

use serde_json::{Map, Value, json};

use super::{entry::EntryId, hash::fnv1a64, share::Share, time::Timestamp, ulid::EventId};

/// Why an entry was purged, if its text held a secret.
pub(super) const SECRET: &str = "secret";
/// Maximum number of proofs in one event.
pub const MOST_PROOFS: u32 = 1_000;

/// How a memory was produced; determines its weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cue {
    /// A pattern seen in several sessions.
    Recurrence,
    /// Observed behaviour, and lines found in the markdown.
    Behavioral,
    /// Derived from the project's structure.
    Structural,
    /// A person asked for it to be remembered.
    Explicit,
}

impl Cue {
    /// All cues, strongest first.
    pub const ALL: [Self; 4] =
        [Self::Explicit, Self::Structural, Self::Behavioral, Self::Recurrence];

    /// The name in the log and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Explicit => "explicit",
            Self::Structural => "structural",
            Self::Behavioral => "behavioral",
            Self::Recurrence => "recurrence",
        }
    }

    /// Returns the cue with this name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|cue| cue.name() == name)
    }

    /// Factor in the stability formula.
    #[must_use]
    pub fn weight(self) -> f64 {
        match self {
            Self::Explicit => 1.0,
            Self::Structural => 0.9,
            Self::Behavioral => 0.7,
            Self::Recurrence => 0.6,
        }
    }
}

/// The content of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventKind {
    /// The entry was remembered. The origin lets the line be recognised after an edit by hand.
    Add(Cue, Option<Box<Origin>>),
    /// Proved right `n` times.
    Reinforce(u32),
    /// Proved wrong or in the way `n` times.
    Harmful(u32),
    /// The entry never fades.
    Pin,
    /// The entry fades again.
    Unpin,
    /// Dropped at once, but kept in the file.
    Forget,
    /// No longer forgotten or archived.
    Restore,
    /// This entry is a new wording of another.
    Edit(EntryId, Option<Box<Origin>>),
    /// Another entry replaces this one.
    Supersede(EntryId),
    /// This entry takes over the evidence of others.
    Merge(Vec<EntryId>),
    /// Not valid after this moment.
    Expire(Timestamp),
    /// Moved to the archive.
    Archive(Why),
    /// Replaces the score under the policy `weighted`; 0 takes an earlier priority back.
    Priority(Share),
    /// Importance at the start, under the policy `ebbinghaus`.
    Importance(Share),
    /// These events about the same entry have no effect.
    Retract(Vec<EventId>),
    /// Destroyed: the tombstone, which keeps other copies of the line from coming back.
    Purge {
        /// SHA-256 of the line, if the text was known.
        hash: Option<Box<str>>,
        /// True if the text held a secret. Then nobody keeps a copy for a while.
        secret: bool,
    },
    /// Stands in the topic file with this stem.
    Move(Box<str>),
    /// Found `n` times on a device until now.
    Access { device: u64, n: u64 },
    /// An operation of a later version.
    Unknown,
}

impl EventKind {
    /// A purge that says nothing of the text.
    pub const PURGE: Self = Self::Purge { hash: None, secret: false };

    /// Returns true if the event says when the entry was of use. Other events do not affect the
    /// entry's times, so they can be dated as their order requires.
    #[must_use]
    pub fn is_use(&self) -> bool {
        matches!(self, Self::Add(..) | Self::Reinforce(_) | Self::Harmful(_))
    }
}

crate::named! {
    /// Why an entry was archived.
    #[derive(PartialOrd, Ord, Default)]
    pub enum Why {
        /// On request; or the log gives no reason, or one of a later version.
        #[default]
        Person = "person",
        /// It had faded. It may still be true.
        Age = "age",
        /// Another entry replaced it, or its date had passed.
        Replaced = "replaced",
        /// Another entry says the same, and took over its evidence.
        Merged = "merged",
    }
}

impl Why {
    /// Returns the reason with this name; [`Self::Person`] if the name is unknown.
    #[must_use]
    pub fn of(name: &str) -> Self {
        Self::find(name).unwrap_or_default()
    }
}

/// The location of a line and a sketch of its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// Stem of the topic file.
    pub topic: String,
    /// Category name.
    pub category: String,
    /// Smallest token hashes of the text (see [`crate::language::sketch::Sketch`]), as hex.
    pub sketch: String,
}

/// The kind of author of an event; some events count only if a person caused them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Author {
    /// A person, or a log that does not name an author.
    #[default]
    Person,
    /// Adoption, which records edits made by hand.
    Adoption,
    /// A hook, a dream or an import.
    Program,
}

impl Author {
    /// Returns the kind of author for a name in the log.
    #[must_use]
    pub fn of(by: impl AsRef<[u8]>) -> Self {
        let by = by.as_ref();
        if by.is_empty() || by == Provenance::USER.as_bytes() {
            Self::Person
        } else if by == Provenance::ADOPT.as_bytes() {
            Self::Adoption
        } else {
            Self::Program
        }
    }
}

/// The position of an event among others: by time, then by id.
pub type Order = (Timestamp, EventId);

/// One line of the evidence log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Identity; an event read twice counts once.
    pub id: EventId,
    pub ts: Timestamp,
    pub entry: EntryId,
    pub by: Author,
    pub kind: EventKind,
}

/// Who caused an event. Logged, but not part of any score.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Provenance {
    /// `user`, or the agent's name.
    pub by: String,
    /// Id of the agent's session.
    pub session: Option<String>,
    /// Tags given with an added entry.
    pub tags: Vec<String>,
}

impl Provenance {
    /// The default author.
    pub const USER: &str = "user";
    /// The author of adoption.
    pub const ADOPT: &str = "adopt";

    /// The provenance of adoption.
    #[must_use]
    pub fn adoption() -> Self {
        Self { by: Self::ADOPT.to_owned(), ..Self::default() }
    }
}

impl Event {
    /// Returns the line to append, without line end.
    #[must_use]
    pub fn write(&self, who: &Provenance) -> String {
        let mut object = Map::new();
        let mut put = |key: &str, value: Value| drop(object.insert(key.to_owned(), value));
        put("id", json!(self.id.to_string()));
        put("ts", json!(self.ts.to_string()));
        put("entry", json!(self.entry.to_string()));
        put("op", json!(self.op()));
        match &self.kind {
            EventKind::Add(cue, _) => put("cue", json!(cue.name())),
            EventKind::Reinforce(n) | EventKind::Harmful(n) => put("n", json!(n)),
            EventKind::Edit(from, _) => put("from", json!(from.to_string())),
            EventKind::Merge(from) => {
                put("from", from.iter().map(ToString::to_string).collect::<Vec<_>>().into());
            }
            EventKind::Retract(ids) => {
                put("ids", ids.iter().map(ToString::to_string).collect::<Vec<_>>().into());
            }
            // `by` names the entry here; in all other events it names the author.
            EventKind::Supersede(by) => put("by", json!(by.to_string())),
            EventKind::Expire(until) => put("until", json!(until.to_string())),
            EventKind::Archive(why) => put("why", json!(why.name())),
            EventKind::Priority(value) | EventKind::Importance(value) => {
                put("value", json!(value.get()));
            }
            EventKind::Purge { hash, secret } => {
                if let Some(hash) = hash {
                    put("hash", json!(hash));
                }
                if *secret {
                    put("why", json!(SECRET));
                }
            }
            EventKind::Move(topic) => put("topic", json!(topic)),
            EventKind::Access { device, n } => {
                put("device", json!(format!("{device:016x}")));
                put("n", json!(n));
            }
            _ => {}
        }
        if !matches!(self.kind, EventKind::Supersede(_)) {
            put("by", json!(who.by));
        }
        if let Some(session) = &who.session {
            put("session", json!(session));
        }
        if let EventKind::Add(_, origin) | EventKind::Edit(_, origin) = &self.kind {
            if !who.tags.is_empty() {
                put("tags", json!(who.tags));
            }
            if let Some(origin) = origin {
                put("topic", json!(origin.topic));
                put("cat", json!(origin.category));
                put("sketch", json!(origin.sketch));
            }
        }
        Value::Object(object).to_string()
    }

    /// Returns true if somebody asked for this wording. It brings a purged entry back.
    #[must_use]
    pub fn is_typed(&self) -> bool {
        match self.kind {
            EventKind::Add(..) => self.by == Author::Person,
            EventKind::Edit(..) => self.by != Author::Adoption,
            _ => false,
        }
    }

    /// Returns the position of the event. An id from another time is ignored, or a large one would
    /// come last for ever.
    #[must_use]
    pub fn order(&self) -> Order {
        (self.ts, if self.id.is_of(self.ts) { self.id } else { EventId(0) })
    }

    /// Returns a hash of the event's content. Events with equal ids and different fingerprints are
    /// different events, so that a damaged or forged log gives the same result in any order.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let detail = match &self.kind {
            EventKind::Add(cue, _) => cue.weight().to_bits(),
            EventKind::Reinforce(n) | EventKind::Harmful(n) => u64::from(*n),
            EventKind::Edit(id, _) | EventKind::Supersede(id) => id.0,
            EventKind::Merge(from) => from.iter().fold(0_u64, |sum, id| sum.rotate_left(7) ^ id.0),
            EventKind::Expire(until) => until.0.cast_unsigned(),
            EventKind::Retract(ids) => {
                let parts: Vec<[u8; 16]> = ids.iter().map(|id| id.0.to_be_bytes()).collect();
                fnv1a64(&[parts.as_flattened()])
            }
            EventKind::Archive(why) => *why as u64,
            EventKind::Priority(value) | EventKind::Importance(value) => {
                u64::from(value.millionths())
            }
            EventKind::Purge { hash, secret } => {
                let hash = hash.as_ref().map_or(0, |hash| fnv1a64(&[hash.as_bytes()]));
                hash ^ u64::from(*secret).rotate_left(63)
            }
            EventKind::Move(text) => fnv1a64(&[text.as_bytes()]),
            EventKind::Access { device, n } => device ^ n.rotate_left(32),
            _ => 0,
        };
        let op = self.op().bytes().fold(0_u64, |sum, byte| sum << 7 ^ u64::from(byte));
        let when = self.ts.0.cast_unsigned().rotate_left(21);
        let what = detail.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (self.by as u64).rotate_left(33);
        self.entry.0 ^ when ^ op.rotate_left(42) ^ what
    }

    /// The name of the operation in the log.
    #[must_use]
    pub fn op(&self) -> &'static str {
        match self.kind {
            EventKind::Add(..) => "add",
            EventKind::Reinforce(_) => "reinforce",
            EventKind::Harmful(_) => "harmful",
            EventKind::Pin => "pin",
            EventKind::Unpin => "unpin",
            EventKind::Forget => "forget",
            EventKind::Restore => "restore",
            EventKind::Edit(..) => "edit",
            EventKind::Supersede(_) => "supersede",
            EventKind::Merge(_) => "merge",
            EventKind::Expire(_) => "expire",
            EventKind::Archive(_) => "archive",
            EventKind::Priority(_) => "priority",
            EventKind::Importance(_) => "importance",
            EventKind::Retract(_) => "retract",
            EventKind::Purge { .. } => "purge",
            EventKind::Move(_) => "move",
            EventKind::Access { .. } => "access",
            EventKind::Unknown => "unknown",
        }
    }
}

#[cfg(test)]
#[path = "event_tests.rs"]
mod tests;
