//! Events: what happened to an entry, one JSON line each in the evidence log.

use serde_json::{Map, Value, json};

use super::{entry::EntryId, hash::fnv1a64, time::Timestamp, ulid::EventId};

/// How a memory was produced; decides its weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cue {
    /// A pattern seen in several sessions.
    Recurrence,
    /// Observed behaviour, and lines found in the markdown.
    Behavioral,
    /// Derived from the project's structure.
    Structural,
    /// Somebody asked for it to be remembered.
    Explicit,
}

impl Cue {
    /// All of them, strongest first.
    pub const ALL: [Self; 4] =
        [Self::Explicit, Self::Structural, Self::Behavioral, Self::Recurrence];

    /// The word in the log and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Explicit => "explicit",
            Self::Structural => "structural",
            Self::Behavioral => "behavioral",
            Self::Recurrence => "recurrence",
        }
    }

    /// The cue of that name.
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

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventKind {
    /// Remembered; the details serve to recognise the line after a hand edit.
    Add(Cue, Option<Box<Origin>>),
    /// Proved right `n` times.
    Reinforce(u32),
    /// Proved wrong or in the way `n` times.
    Harmful(u32),
    /// Never fades.
    Pin,
    /// Fades again.
    Unpin,
    /// Dropped at once, kept in the file.
    Forget,
    /// Neither forgotten nor archived any more.
    Restore,
    /// This entry is a new wording of another.
    Edit(EntryId, Option<Box<Origin>>),
    /// Another entry replaces this one.
    Supersede(EntryId),
    /// This entry carries the evidence of others.
    Merge(Vec<EntryId>),
    /// Not valid after a moment.
    Expire(Timestamp),
    /// Moved to the archive.
    Archive(Why),
    /// These events about the same entry never happened.
    Retract(Vec<EventId>),
    /// An operation of a later version.
    Unknown,
}

impl EventKind {
    /// Whether it says when the entry was of use. Nothing else moves the entry's times, so anything
    /// else may be dated as its order wants.
    #[must_use]
    pub fn is_use(&self) -> bool {
        matches!(self, Self::Add(..) | Self::Reinforce(_) | Self::Harmful(_))
    }
}

/// What an entry went to the archive for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Why {
    /// Somebody wanted it; or the log does not say, or says what a later version means by it.
    #[default]
    Person,
    /// It had faded. It is still true, as far as anybody knows.
    Age,
    /// Another entry says better what it said, or its date had passed.
    Replaced,
    /// Another entry says the same, and has its evidence.
    Merged,
}

impl Why {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Person, Self::Age, Self::Replaced, Self::Merged];

    /// The word in the log.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Age => "age",
            Self::Replaced => "replaced",
            Self::Merged => "merged",
        }
    }

    /// What a word in the log stands for.
    #[must_use]
    pub fn of(name: &str) -> Self {
        Self::ALL.into_iter().find(|why| why.name() == name).unwrap_or_default()
    }
}

/// Where a line stood and what it was about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// Stem of the topic file.
    pub topic: String,
    /// Category name.
    pub category: String,
    /// Smallest token hashes of the text (see [`crate::language::sketch::Sketch`]), as hex.
    pub sketch: String,
}

/// Who caused an event, as far as it decides what the event may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Author {
    /// A person, or a log that does not say who.
    #[default]
    Person,
    /// Adoption, which writes down what was done by hand.
    Adoption,
    /// A hook, a dream, an import.
    Program,
}

impl Author {
    /// The author that the word in the log stands for.
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

/// The place of an event among others: by time, then by id.
pub type Order = (Timestamp, EventId);

/// One line of the evidence log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Identity; an event read twice counts once.
    pub id: EventId,
    /// When.
    pub ts: Timestamp,
    /// To which entry.
    pub entry: EntryId,
    /// By whom.
    pub by: Author,
    /// What.
    pub kind: EventKind,
}

/// Who caused an event; written, and no part of any score.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Provenance {
    /// `user`, or the agent's name.
    pub by: String,
    /// The agent's session.
    pub session: Option<String>,
    /// Tags given with an added entry.
    pub tags: Vec<String>,
}

impl Provenance {
    /// Who it is when nobody says otherwise.
    pub const USER: &str = "user";
    /// Who takes over what was written by hand.
    pub const ADOPT: &str = "adopt";

    /// Adoption as the cause.
    #[must_use]
    pub fn adoption() -> Self {
        Self { by: Self::ADOPT.to_owned(), ..Self::default() }
    }
}

impl Event {
    /// The line to append, without line end.
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
            // `by` names the entry here; everywhere else it names who did it.
            EventKind::Supersede(by) => put("by", json!(by.to_string())),
            EventKind::Expire(until) => put("until", json!(until.to_string())),
            EventKind::Archive(why) => put("why", json!(why.name())),
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

    /// Its place among others. An id that was made at another time than the event says nothing about
    /// that, or one with a great number would come last for ever.
    #[must_use]
    pub fn order(&self) -> Order {
        (self.ts, if self.id.is_of(self.ts) { self.id } else { EventId(0) })
    }

    /// A number for what the event says. Two events that share an id and differ in this are two: a
    /// damaged or made-up log must not count differently in another order.
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
            _ => 0,
        };
        let op = self.op().bytes().fold(0_u64, |sum, byte| sum << 7 ^ u64::from(byte));
        let when = self.ts.0.cast_unsigned().rotate_left(21);
        let what = detail.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (self.by as u64).rotate_left(33);
        self.entry.0 ^ when ^ op.rotate_left(42) ^ what
    }

    /// The operation's word.
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
            EventKind::Retract(_) => "retract",
            EventKind::Unknown => "unknown",
        }
    }
}

#[cfg(test)]
#[path = "event_tests.rs"]
mod tests;
