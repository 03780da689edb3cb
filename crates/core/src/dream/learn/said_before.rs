//! Statements of earlier sessions, kept between dreams.
//!
//! Stored on this machine only, and rebuilt from sessions: a damaged file counts as empty.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::{StatementSource, StatementSourceKind};
use crate::{
    language::{paraphrase::NormalForm, statement::StatementKind},
    model::time::{DAY_MS, Timestamp},
};

/// Maximum number of statements; the newest stay.
const MOST: usize = 5_000;
/// Maximum number of places per statement; those noted last stay.
const PLACES: usize = 64;
/// Version of the file format and of the rules by which two wordings are one statement.
const VERSION: u64 = 1;

/// Statements with the sessions and logs that made them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SaidBefore {
    pub(super) known: Vec<KnownStatement>,
}

/// A statement and the places where it was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KnownStatement {
    /// Hash of the normal form, by which other wordings are found.
    key: u64,
    pub(super) text: String,
    /// Category; `None` if no rule recognises the statement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    category: Option<String>,
    /// True if the statement itself says that it is a repetition.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(super) again: bool,
    /// True if it was concluded before.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(super) drawn: bool,
    pub(super) places: Vec<StatementPlace>,
}

/// A session, or the log of a day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StatementPlace {
    pub(super) id: String,
    #[serde(default, skip_serializing_if = "is_false")]
    pub(super) log: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) agent: Option<String>,
    /// Milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at: Option<i64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

#[derive(Serialize, Deserialize)]
struct File<T> {
    version: u64,
    statements: T,
}

impl StatementPlace {
    pub(super) fn of(source: &StatementSource) -> Self {
        let StatementSource { id, kind, agent, when } = source;
        let log = *kind == StatementSourceKind::Log;
        Self { id: id.clone(), log, agent: agent.clone(), at: when.map(|when| when.0) }
    }

    pub(super) fn when(&self) -> Option<Timestamp> {
        self.at.map(Timestamp)
    }

    fn is(&self, other: &Self) -> bool {
        self.id == other.id && self.log == other.log
    }

    fn day(&self) -> Option<i64> {
        self.at.map(|at| at.div_euclid(DAY_MS))
    }
}

impl KnownStatement {
    pub(super) fn kind(&self) -> Option<StatementKind> {
        StatementKind::ALL
            .into_iter()
            .find(|kind| self.category.as_deref() == Some(kind.category()))
    }

    /// Number of sessions that made the statement.
    pub(super) fn sessions(&self) -> usize {
        self.places.iter().filter(|place| !place.log).count()
    }

    /// Least number of separate occasions. A log within a day of a session may describe the same
    /// occasion.
    pub(super) fn occasions(&self) -> usize {
        let told = |log: &StatementPlace| {
            self.places.iter().filter(|place| !place.log).any(|session| {
                match (session.day(), log.day()) {
                    (Some(one), Some(other)) => one.abs_diff(other) <= 1,
                    _ => true,
                }
            })
        };
        self.places.iter().filter(|place| !place.log || !told(place)).count()
    }

    fn newest(&self) -> Option<i64> {
        self.places.iter().filter_map(|place| place.at).max()
    }
}

/// Indexes of statements by the hash of their normal form.
pub(super) type StatementIndex = HashMap<u64, Vec<usize>>;

impl SaidBefore {
    /// Parses the file.
    pub fn read(bytes: &[u8]) -> Self {
        let file = serde_json::from_slice::<File<Vec<KnownStatement>>>(bytes).ok();
        let mut memory = Self {
            known: file
                .filter(|file| file.version == VERSION)
                .map_or_else(Vec::new, |file| file.statements),
        };
        memory.shrink();
        memory
    }

    /// Returns the new content of the file.
    pub fn write(&self) -> String {
        let file = File { version: VERSION, statements: &self.known };
        serde_json::to_string(&file).unwrap_or_default()
    }

    /// Removes statements by category and text. Returns true if there were any.
    pub fn forget(&mut self, is: impl Fn(&str, &str) -> bool) -> bool {
        let before = self.known.len();
        let category =
            |known: &KnownStatement| known.kind().unwrap_or(StatementKind::Pattern).category();
        self.known.retain(|known| !is(category(known), &known.text));
        self.known.len() < before
    }

    pub(super) fn index(&self) -> StatementIndex {
        let mut index = StatementIndex::new();
        for (at, known) in self.known.iter().enumerate() {
            index.entry(known.key).or_default().push(at);
        }
        index
    }

    /// Records where a statement was made. If the place is new, or the statement now says that it
    /// is a repetition, returns its index and whether the place is new.
    pub(super) fn note(
        &mut self,
        index: &mut StatementIndex,
        place: &StatementPlace,
        text: &str,
        kind: Option<StatementKind>,
        again: bool,
    ) -> Option<(usize, bool)> {
        let outline = NormalForm::of(text);
        let key = outline.key();
        let numbers = index.entry(key).or_default();
        let same = |at: &&usize| {
            let known = self.known.get(**at).map(|known| known.text.as_str());
            known
                .is_some_and(|known| known == text || NormalForm::of(known).says_the_same(&outline))
        };
        let at = numbers.iter().find(same).copied().unwrap_or_else(|| {
            let (at, text) = (self.known.len(), text.to_owned());
            numbers.push(at);
            let (category, places) = (None, Vec::new());
            self.known.push(KnownStatement {
                key,
                text,
                category,
                again: false,
                drawn: false,
                places,
            });
            at
        });
        let known = self.known.get_mut(at)?;
        known.category =
            known.category.take().or_else(|| kind.map(|kind| kind.category().to_owned()));
        let more = again && !known.again;
        known.again |= again;
        let new = !known.places.iter().any(|other| other.is(place));
        if new {
            known.places.push(place.clone());
            let surplus = known.places.len().saturating_sub(PLACES);
            known.places.drain(..surplus);
        }
        (new || more).then_some((at, new))
    }

    /// Drops the oldest statements.
    pub(super) fn shrink(&mut self) {
        self.known
            .sort_by_cached_key(|known| (std::cmp::Reverse(known.newest()), known.text.clone()));
        self.known.truncate(MOST);
    }
}
