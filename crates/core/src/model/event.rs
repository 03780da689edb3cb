//! Events about entries, one JSON line each in the evidence log.
//!
//! Parsing is tolerant: unknown operations and fields are ignored here, and preserved in the file.

use serde_json::{Map, Value, json};

use super::{
    entry::{EntryId, EventId, Share},
    operation::{Fields, OperationEffect},
    time::Timestamp,
};

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
    Archive(ArchiveReason),
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
    /// What it is asked for as from now on (see [`super::questions::Questions`]); may be empty.
    Ask(Box<str>),
    /// The rules that it carries from now on, a line each (see [`super::rules::LineRules`]); may be empty.
    Rule(Box<str>),
    /// Found `n` times on a device until now.
    Access {
        device: u64,
        n: u64,
    },
    /// A tool of an agent was kept from doing what the entry forbids.
    Held,
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

    /// Returns the entries that an event names besides the one that it is about.
    #[must_use]
    pub fn others(&self) -> &[EntryId] {
        match self.effect() {
            OperationEffect::Links(from) => from,
            OperationEffect::Replaces(by) => std::slice::from_ref(by),
            _ => &[],
        }
    }
}

crate::named! {
    #[derive(PartialOrd, Ord, Default)]
    pub enum ArchiveReason {
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

impl ArchiveReason {
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
    pub session: Option<String>,
    pub tags: Vec<String>,
    /// Where the text was said or written, in words for people.
    pub source: Option<String>,
}

impl Provenance {
    /// The default author.
    pub const USER: &str = "user";
    pub const ADOPT: &str = "adopt";

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
        put("op", json!(self.kind.op()));
        if let Value::Object(fields) = self.kind.fields() {
            object.extend(fields);
        }
        // A supersession names the entry there; in all other events it is the author.
        object.entry("by").or_insert_with(|| json!(who.by));
        let mut put = |key: &str, value: Value| drop(object.insert(key.to_owned(), value));
        if let Some(session) = &who.session {
            put("session", json!(session));
        }
        if let EventKind::Add(_, origin) | EventKind::Edit(_, origin) = &self.kind {
            if !who.tags.is_empty() {
                put("tags", json!(who.tags));
            }
            if let Some(source) = &who.source {
                put("source", json!(source));
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
        let op = self.kind.op().bytes().fold(0_u64, |sum, byte| sum << 7 ^ u64::from(byte));
        let when = self.ts.0.cast_unsigned().rotate_left(21);
        let what =
            self.kind.mark().wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (self.by as u64).rotate_left(33);
        self.entry.0 ^ when ^ op.rotate_left(42) ^ what
    }

    /// Parses one line. Returns `None` if it is damaged: not JSON, or without id, time, entry and
    /// op.
    #[must_use]
    pub fn read(line: &str) -> Option<Self> {
        read_plain(line.as_bytes()).or_else(|| read_json(line))
    }

    /// Like [`Event::read`], from bytes that may have white space around them.
    #[must_use]
    pub fn read_bytes(line: &[u8]) -> Option<Self> {
        let line = line.trim_ascii();
        // Most lines are ASCII, which is faster to check than UTF-8.
        if !line.is_ascii() {
            return Self::read(str::from_utf8(line).ok()?);
        }
        read_plain(line).or_else(|| read_json(str::from_utf8(line).ok()?))
    }

    /// Like [`Event::read`], with the origin of an `add`, which [`Event::read`] may leave out.
    #[must_use]
    pub fn read_whole(line: &str) -> Option<Self> {
        read_json(line)
    }
}

/// Fast path for `add` and `reinforce` lines exactly as [`Event::write`] formats them. They are
/// most of a log, and every command reads the log. It looks at fixed offsets and allocates nothing;
/// all other lines are parsed as JSON.
fn read_plain(bytes: &[u8]) -> Option<Event> {
    let (id, rest) = bytes.strip_prefix(b"{\"id\":\"")?.split_at_checked(26)?;
    let (ts, rest) = rest.strip_prefix(b"\",\"ts\":\"")?.split_at_checked(24)?;
    let (entry, rest) = rest.strip_prefix(b"\",\"entry\":\"")?.split_at_checked(16)?;
    let rest = rest.strip_prefix(b"\",\"op\":\"")?;
    let (kind, rest) = if let Some(rest) = rest.strip_prefix(b"reinforce\",\"n\":") {
        let (n, rest) = number(rest)?;
        (EventKind::Reinforce(n), rest)
    } else {
        let rest = rest.strip_prefix(b"add\",\"cue\":\"")?;
        let cue = Cue::ALL.into_iter().find(|cue| rest.starts_with(cue.name().as_bytes()))?;
        (EventKind::Add(cue, None), rest.get(cue.name().len()..)?.strip_prefix(b"\"")?)
    };
    let (by, rest) = plain_author(rest)?;
    if !plain_end(rest) {
        return None;
    }
    let ts = Timestamp::parse_bytes(ts)?;
    Some(Event { id: EventId::read_ulid(id)?, ts, entry: EntryId::read(entry)?, by, kind })
}

/// Parses a number from 1, and returns it with the rest.
fn number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let length = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = bytes.split_at_checked(length)?;
    let add = |sum: u32, digit: &u8| sum.checked_mul(10)?.checked_add(u32::from(*digit - b'0'));
    let number = digits.iter().try_fold(0, add)?;
    // An empty number and leading zeros are invalid.
    (digits.first().is_some_and(|first| *first != b'0')).then_some((number, rest))
}

/// Parses the author, if one is next, and returns it with the rest.
fn plain_author(rest: &[u8]) -> Option<(Author, &[u8])> {
    let Some(by) = rest.strip_prefix(b",\"by\":\"") else {
        return (rest == b"}").then_some((Author::Person, rest));
    };
    let end = by.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20))?;
    let (by, rest) = by.split_at_checked(end)?;
    Some((Author::of(by), rest.strip_prefix(b"\"")?))
}

/// Keys that stand before the rest of a line. Of what is said twice, the last counts.
const READ: [&[u8]; 7] = [b"id", b"ts", b"entry", b"op", b"n", b"cue", b"by"];

/// Returns true if the rest of a line consists of strings and lists of strings without escapes, up
/// to the closing brace, as in `,"session":"a1","tags":["db"]}`.
fn plain_end(rest: &[u8]) -> bool {
    let Some((b'}', inner)) = rest.split_last() else { return false };
    if inner.is_empty() {
        return true;
    }
    let odd = |byte: &u8| *byte == b'\\' || *byte < 0x20;
    if !inner.starts_with(b",\"") || inner.iter().any(odd) {
        return false;
    }
    // The bytes between two strings determine what the second one is.
    let (mut quoted, mut start, mut is) = (false, 0, Is::Value);
    for end in memchr::memchr_iter(b'"', inner) {
        let text = inner.get(start..end).unwrap_or_default();
        if quoted && matches!(is, Is::Key) && READ.contains(&text) {
            return false;
        }
        if !quoted {
            let Some(next) = is.next(text) else { return false };
            is = next;
        }
        (quoted, start) = (!quoted, end + 1);
    }
    let last = inner.get(start..).unwrap_or_default();
    let ends = match is {
        Is::Key => last == b":[]",
        Is::Value => last.is_empty(),
        Is::Item => last == b"]",
    };
    !quoted && ends
}

/// The role of a string.
#[derive(Clone, Copy)]
enum Is {
    Key,
    Value,
    Item,
}

impl Is {
    /// Returns the role of the next string from the bytes before it.
    fn next(self, between: &[u8]) -> Option<Self> {
        match (self, between) {
            (Self::Key, b":[],") | (Self::Value, b",") | (Self::Item, b"],") => Some(Self::Key),
            (Self::Key, b":") => Some(Self::Value),
            (Self::Key, b":[") | (Self::Item, b",") => Some(Self::Item),
            _ => None,
        }
    }
}

fn read_json(line: &str) -> Option<Event> {
    let value: Value = serde_json::from_str(line).ok()?;
    let line = Fields(&value);
    let kind = EventKind::read(line.text("op")?, line)?;
    let supersedes = matches!(kind, EventKind::Supersede(_));
    let by = line.text("by").filter(|_| !supersedes).map_or(Author::Person, Author::of);
    let ts = Timestamp::parse(line.text("ts")?)?;
    let (id, entry) = (EventId::read(line.text("id")?), line.entry("entry")?);
    Some(Event { id, ts, entry, by, kind })
}

#[cfg(test)]
#[path = "event_tests.rs"]
mod tests;
