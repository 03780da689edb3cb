//! The operations of the log: one row each says how it is written and read, what distinguishes two
//! events of it, and what the fold makes of it.

use serde_json::{Value, json};

use super::{
    entry::{EntryId, EventId, Share},
    event::{ArchiveReason, Cue, EventKind, Origin},
    hash::fnv1a64,
    time::Timestamp,
};

/// Why an entry was purged, if its text held a secret.
const SECRET: &str = "secret";

/// What the fold makes of an event. Undo retracts events: what they noted, linked or counted is
/// skipped then, here and at the other entry; purges and retractions stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperationEffect<'a> {
    Notes(NotedOperation),
    /// The entry is replaced by another, which is noted about both.
    Replaces(&'a EntryId),
    /// The entry is made from these.
    Links(&'a [EntryId]),
    /// These events about the entry no longer count.
    Retracts(&'a [EventId]),
    /// Nothing older about the entry counts.
    Purges,
    /// A device found the entry so often until now.
    Counts {
        device: u64,
        n: u64,
    },
    /// A guard of the entry held.
    Holds,
    Nothing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NotedOperation {
    Add(Cue),
    Reinforce(u32),
    Harmful(u32),
    Decide(UserState),
    Restore,
    Archive(ArchiveReason),
    Expire(Timestamp),
    Priority(Share),
    Importance(Share),
    Purge,
    Move,
    Ask,
    Rule,
    Supersede(EntryId),
    /// The noted entry replaced this one.
    Chosen(EntryId),
    /// This entry was made from the noted one.
    Source(EntryId),
}

crate::named! {
    /// A user's decision about an entry.
    #[derive(PartialOrd, Ord, Default)]
    pub enum UserState {
        #[default]
        Auto = "auto",
        Pinned = "pinned",
        Forgotten = "forgotten",
    }
}

/// Defines the operations by one row each: its name and kind, the fields that it `writes`, the
/// number that `marks` its content in a fingerprint, what the fold makes of it, and how its fields
/// are `read`. An operation without a row does not compile.
macro_rules! operations {
    ($line:ident: $($op:literal $kind:pat,
        writes $fields:expr, marks $mark:expr, folds $effect:expr, reads $read:expr;)+
    ) => {
        #[expect(unused_variables, reason = "a column needs some of what the kind has")]
        impl EventKind {
            /// All names in the log.
            pub const OPERATIONS: &[&str] = &[$($op),+];

            #[must_use]
            pub fn op(&self) -> &'static str {
                match self { $($kind => $op,)+ }
            }

            /// Returns what an event of this kind has besides id, time, entry, author and origin.
            pub(super) fn fields(&self) -> Value {
                match self { $($kind => $fields,)+ }
            }

            /// Returns the part of the fingerprint that distinguishes events of one operation.
            pub(super) fn mark(&self) -> u64 {
                match self { $($kind => $mark,)+ }
            }

            #[must_use]
            pub fn effect(&self) -> OperationEffect<'_> {
                match self { $($kind => $effect,)+ }
            }

            pub(super) fn read(op: &str, $line: Fields<'_>) -> Option<Self> {
                Some(match op { $($op => $read,)+ _ => Self::Unknown })
            }
        }
    };
}

operations! { line:
    "add" Self::Add(cue, _), writes json!({"cue": cue.name()}), marks cue.weight().to_bits(),
        folds OperationEffect::Notes(NotedOperation::Add(*cue)), reads Self::Add(line.cue(), line.origin());
    "reinforce" Self::Reinforce(n), writes json!({"n": n}), marks u64::from(*n),
        folds OperationEffect::Notes(NotedOperation::Reinforce(*n)), reads Self::Reinforce(line.count()?);
    "harmful" Self::Harmful(n), writes json!({"n": n}), marks u64::from(*n),
        folds OperationEffect::Notes(NotedOperation::Harmful(*n)), reads Self::Harmful(line.count()?);
    "pin" Self::Pin, writes json!({}), marks 0,
        folds OperationEffect::Notes(NotedOperation::Decide(UserState::Pinned)), reads Self::Pin;
    "unpin" Self::Unpin, writes json!({}), marks 0,
        folds OperationEffect::Notes(NotedOperation::Decide(UserState::Auto)), reads Self::Unpin;
    "forget" Self::Forget, writes json!({}), marks 0,
        folds OperationEffect::Notes(NotedOperation::Decide(UserState::Forgotten)), reads Self::Forget;
    "restore" Self::Restore, writes json!({}), marks 0,
        folds OperationEffect::Notes(NotedOperation::Restore), reads Self::Restore;
    "edit" Self::Edit(from, _), writes json!({"from": from.to_string()}), marks from.0,
        folds OperationEffect::Links(std::slice::from_ref(from)),
        reads Self::Edit(line.entry("from")?, line.origin());
    "supersede" Self::Supersede(by), writes json!({"by": by.to_string()}), marks by.0,
        folds OperationEffect::Replaces(by), reads Self::Supersede(line.entry("by")?);
    "merge" Self::Merge(from), writes json!({"from": texts(from)}),
        marks from.iter().fold(0, |sum: u64, id| sum.rotate_left(7) ^ id.0),
        folds OperationEffect::Links(from), reads Self::Merge(line.list("from", |id| id.parse().ok())?);
    "expire" Self::Expire(until), writes json!({"until": until.to_string()}),
        marks until.0.cast_unsigned(), folds OperationEffect::Notes(NotedOperation::Expire(*until)), reads {
            let until = line.text("until")?;
            Self::Expire(Timestamp::parse(until).or_else(|| Timestamp::end_of_day(until))?)
        };
    "archive" Self::Archive(why), writes json!({"why": why.name()}), marks *why as u64,
        folds OperationEffect::Notes(NotedOperation::Archive(*why)),
        reads Self::Archive(line.text("why").map_or(ArchiveReason::Person, ArchiveReason::of));
    "priority" Self::Priority(value), writes json!({"value": value.get()}),
        marks u64::from(value.millionths()), folds OperationEffect::Notes(NotedOperation::Priority(*value)),
        reads line.share(Self::Priority);
    "importance" Self::Importance(value), writes json!({"value": value.get()}),
        marks u64::from(value.millionths()), folds OperationEffect::Notes(NotedOperation::Importance(*value)),
        reads line.share(Self::Importance);
    "retract" Self::Retract(ids), writes json!({"ids": texts(ids)}), marks {
            let parts: Vec<[u8; 16]> = ids.iter().map(|id| id.0.to_be_bytes()).collect();
            fnv1a64(&[parts.as_flattened()])
        },
        folds OperationEffect::Retracts(ids),
        reads Self::Retract(line.list("ids", |id| Some(EventId::read(id)))?);
    "purge" Self::Purge { hash, secret }, writes purge_fields(hash.as_deref(), *secret), marks {
            let hash = hash.as_ref().map_or(0, |hash| fnv1a64(&[hash.as_bytes()]));
            hash ^ u64::from(*secret).rotate_left(63)
        },
        folds OperationEffect::Purges, reads Self::Purge {
            hash: line.text("hash").map(Box::from),
            secret: line.text("why") == Some(SECRET),
        };
    "move" Self::Move(topic), writes json!({"topic": topic}), marks fnv1a64(&[topic.as_bytes()]),
        folds OperationEffect::Notes(NotedOperation::Move), reads Self::Move(line.text("topic")?.into());
    "ask" Self::Ask(asked), writes json!({"asked": asked}), marks fnv1a64(&[asked.as_bytes()]),
        folds OperationEffect::Notes(NotedOperation::Ask), reads Self::Ask(line.text("asked")?.into());
    "rule" Self::Rule(rules), writes json!({"rules": rules}), marks fnv1a64(&[rules.as_bytes()]),
        folds OperationEffect::Notes(NotedOperation::Rule), reads Self::Rule(line.text("rules")?.into());
    "access" Self::Access { device, n },
        writes json!({"device": format!("{device:016x}"), "n": n}),
        marks device ^ n.rotate_left(32),
        folds OperationEffect::Counts { device: *device, n: *n }, reads Self::Access {
            device: u64::from_str_radix(line.text("device")?, 16).ok()?,
            n: line.number("n")?,
        };
    "held" Self::Held, writes json!({}), marks 0,
        folds OperationEffect::Holds, reads Self::Held;
    "unknown" Self::Unknown, writes json!({}), marks 0,
        folds OperationEffect::Nothing, reads Self::Unknown;
}

fn texts(ids: &[impl ToString]) -> Vec<String> {
    ids.iter().map(ToString::to_string).collect()
}

fn purge_fields(hash: Option<&str>, secret: bool) -> Value {
    let hash = hash.map(|hash| ("hash", hash));
    hash.into_iter().chain(secret.then_some(("why", SECRET))).collect()
}

/// The fields of a line.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a>(pub(super) &'a Value);

impl<'a> Fields<'a> {
    pub(super) fn text(self, key: &str) -> Option<&'a str> {
        self.0.get(key).and_then(Value::as_str)
    }

    fn number(self, key: &str) -> Option<u64> {
        self.0.get(key).and_then(Value::as_u64)
    }

    pub(super) fn entry(self, key: &str) -> Option<EntryId> {
        self.text(key)?.parse().ok()
    }

    /// Returns the texts of a list, as far as they can be read.
    fn list<T>(self, key: &str, read: impl Fn(&str) -> Option<T>) -> Option<Vec<T>> {
        let list = self.0.get(key)?.as_array()?;
        Some(list.iter().filter_map(|text| read(text.as_str()?)).collect())
    }

    /// Returns how often; a count of 0 is read as 1.
    fn count(self) -> Option<u32> {
        let n = self.0.get("n").map_or(Some(1), Value::as_u64)?;
        u32::try_from(n.max(1)).ok()
    }

    /// Returns a number from 0 to 1: one out of range is clamped, anything else is of a later
    /// version.
    fn share(self, kind: impl Fn(Share) -> EventKind) -> EventKind {
        let share = self.0.get("value").and_then(Value::as_f64).map(Share::clamped);
        share.map_or(EventKind::Unknown, kind)
    }

    fn cue(self) -> Cue {
        self.text("cue").map_or(Some(Cue::Explicit), Cue::find).unwrap_or(Cue::Behavioral)
    }

    fn origin(self) -> Option<Box<Origin>> {
        let part = |key| self.text(key).map(str::to_owned);
        let (topic, category, sketch) = (part("topic")?, part("cat")?, part("sketch")?);
        Some(Box::new(Origin { topic, category, sketch }))
    }
}
