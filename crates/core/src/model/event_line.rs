//! Parses events from lines of the log.
//!
//! Parsing is tolerant: unknown operations and fields are ignored here, and preserved in the file.

use serde_json::Value;

use super::{
    entry::EntryId,
    event::{Author, Cue, Event, EventKind, Origin, SECRET, Why},
    share::Share,
    time::Timestamp,
    ulid::EventId,
};

impl Event {
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
        if !quoted {
            let Some(next) = is.next(inner.get(start..end).unwrap_or_default()) else {
                return false;
            };
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
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let id_of = |key: &str| text(key).and_then(|id| id.parse::<EntryId>().ok());
    let count = || {
        let n = value.get("n").map_or(Some(1), Value::as_u64)?;
        u32::try_from(n.max(1)).ok()
    };
    let share = || value.get("value").and_then(Value::as_f64).map(Share::clamped);
    let origin = || {
        let part = |key| text(key).map(str::to_owned);
        Some(Box::new(Origin {
            topic: part("topic")?,
            category: part("cat")?,
            sketch: part("sketch")?,
        }))
    };
    let kind = match text("op")? {
        "add" => {
            let cue = text("cue").map_or(Some(Cue::Explicit), Cue::find).unwrap_or(Cue::Behavioral);
            EventKind::Add(cue, origin())
        }
        "reinforce" => EventKind::Reinforce(count()?),
        "harmful" => EventKind::Harmful(count()?),
        "pin" => EventKind::Pin,
        "unpin" => EventKind::Unpin,
        "forget" => EventKind::Forget,
        "restore" => EventKind::Restore,
        "edit" => EventKind::Edit(id_of("from")?, origin()),
        "supersede" => EventKind::Supersede(id_of("by")?),
        "merge" => {
            let from = value.get("from")?.as_array()?;
            EventKind::Merge(from.iter().filter_map(|id| id.as_str()?.parse().ok()).collect())
        }
        "expire" => {
            let until = text("until")?;
            EventKind::Expire(Timestamp::parse(until).or_else(|| Timestamp::end_of_day(until))?)
        }
        "archive" => EventKind::Archive(text("why").map_or(Why::Person, Why::of)),
        // A number out of range is clamped; anything else is an operation of a later version.
        "priority" => share().map_or(EventKind::Unknown, EventKind::Priority),
        "importance" => share().map_or(EventKind::Unknown, EventKind::Importance),
        "retract" => {
            let ids = value.get("ids")?.as_array()?;
            EventKind::Retract(ids.iter().filter_map(|id| id.as_str().map(EventId::read)).collect())
        }
        "purge" => EventKind::Purge {
            hash: text("hash").map(Box::from),
            secret: text("why") == Some(SECRET),
        },
        "move" => EventKind::Move(text("topic")?.into()),
        "access" => {
            let device = u64::from_str_radix(text("device")?, 16).ok()?;
            EventKind::Access { device, n: value.get("n")?.as_u64()? }
        }
        _ => EventKind::Unknown,
    };
    // In a supersession, `by` is another entry.
    let supersedes = matches!(kind, EventKind::Supersede(_));
    let by = text("by").filter(|_| !supersedes).map_or(Author::Person, Author::of);
    let ts = Timestamp::parse(text("ts")?)?;
    Some(Event { id: EventId::read(text("id")?), ts, entry: id_of("entry")?, by, kind })
}
