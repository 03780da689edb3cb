//! Learning: extracts statements from sessions and logs, then draws conclusions from repeated ones, with
//! those of earlier sessions.
//!
//! Private text, secrets, text worded as an instruction to an agent, and text that may have been
//! pasted are dropped here. Statements are stored on this machine only, and rebuilt from sessions: a
//! damaged file counts as empty.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use crate::{
    language::{
        injection,
        paraphrase::NormalForm,
        preference::LOOKED_AT,
        statement::{self, FoundStatement, Statement, StatementKind, Who},
    },
    model::{
        event::Cue,
        time::{DAY_MS, Timestamp},
    },
    safety::safe_text::without_private,
    search::social_gate,
    session::transcript::{Message, Role},
};

/// Minimum number of answered user messages; shorter sessions are ignored.
pub const LEAST_EXCHANGES: usize = 3;

/// Maximum number of statements kept per session or day, besides finished work.
const STATEMENTS: usize = 60;
/// Maximum number of reports of finished work kept. The last ones stay, because sessions are
/// summarised at the end.
const DONE: usize = 5;
/// Maximum number of other sentences kept per session.
const SENTENCES: usize = 200;
/// Maximum number of possibly pasted statements kept per session or day; a plan lists them.
const PASTED: usize = 10;
/// Bytes of the user's text that are read per session; nobody types more.
const TYPED: usize = 256 << 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StatementSourceKind {
    Session,
    /// The log of one day.
    Log,
}

/// A session, or the log of one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementSource {
    /// The session's id, or the date.
    pub id: String,
    pub kind: StatementSourceKind,
    pub agent: Option<String>,
    pub when: Option<Timestamp>,
}

/// The statements of one session or day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeardStatement {
    pub source: StatementSource,
    /// Number of answered user messages.
    pub exchanges: usize,
    /// Statements that a rule recognises.
    pub statements: Vec<Statement>,
    /// Other sentences, which count if they recur.
    pub sentences: Vec<String>,
    /// Statements that the user may have pasted, each with the reason.
    pub pasted: Vec<(Statement, &'static str)>,
}

impl HeardStatement {
    fn of(source: StatementSource) -> Self {
        let (statements, sentences, pasted) = (Vec::new(), Vec::new(), Vec::new());
        Self { source, exchanges: 0, statements, sentences, pasted }
    }

    fn take(&mut self, found: FoundStatement) {
        if let Some(why) = found.pasted {
            let room = PASTED.saturating_sub(self.pasted.len());
            let stated = found.statements.into_iter().take(room);
            self.pasted.extend(stated.map(|statement| (statement, why)));
            return;
        }
        for statement in found.statements {
            let allowed = || injection::find(&statement.text).is_none();
            // Of reports of finished work, the last ones are kept.
            let done = |other: &Statement| other.kind == StatementKind::Done;
            let same =
                |other: &Statement| other.kind == statement.kind && other.text == statement.text;
            if let Some(known) = self.statements.iter_mut().find(|other| same(other)) {
                known.again |= statement.again;
            } else if done(&statement) && allowed() {
                if self.statements.iter().filter(|other| done(other)).count() == DONE {
                    self.statements.iter().position(done).map(|at| self.statements.remove(at));
                }
                self.statements.push(statement);
            } else if !done(&statement) && self.statements.len() < STATEMENTS && allowed() {
                self.statements.push(statement);
            }
        }
        for sentence in found.sentences {
            let room = self.sentences.len() < SENTENCES && !self.sentences.contains(&sentence);
            if room && injection::find(&sentence).is_none() {
                self.sentences.push(sentence);
            }
        }
    }

    /// Returns true if the source is long enough to draw conclusions from.
    pub fn counts(&self) -> bool {
        self.source.kind == StatementSourceKind::Log || self.exchanges >= LEAST_EXCHANGES
    }
}

/// Collects statements from a session, message by message, within fixed limits.
pub struct Listener {
    heard: HeardStatement,
    last: Option<Timestamp>,
    unanswered: bool,
    typed: usize,
    /// Reports since the last message of the user.
    reports: Vec<String>,
    /// True if that message rejected the work before it.
    rejected: bool,
}

impl Listener {
    pub fn new(source: StatementSource) -> Self {
        Self {
            heard: HeardStatement::of(source),
            last: None,
            unanswered: false,
            typed: 0,
            reports: Vec::new(),
            rejected: false,
        }
    }

    pub fn push(&mut self, message: &Message) {
        self.last = self.last.max(message.when);
        match message.role {
            Role::User => {
                self.unanswered = true;
                self.judge(&message.text);
                if self.typed >= TYPED || social_gate::is_trivial(head(&message.text)) {
                    return;
                }
                self.typed += message.text.len().min(LOOKED_AT);
                self.heard.take(statement::find(Who::User, &message.text));
            }
            Role::Assistant => {
                self.heard.exchanges += usize::from(std::mem::take(&mut self.unanswered));
                let mut found = statement::find(Who::Agent, &message.text);
                // What undoes rejected work is no work either.
                found.statements.retain(|one| !(self.rejected && statement::undoes(&one.text)));
                self.reports.extend(found.statements.iter().map(|one| one.text.clone()));
                self.heard.take(found);
            }
        }
    }

    /// Forgets the reports of the last answer if the user rejects what was done.
    fn judge(&mut self, message: &str) {
        let reports = std::mem::take(&mut self.reports);
        self.rejected = statement::rejects(message);
        if self.rejected && !reports.is_empty() {
            let of_work =
                |one: &Statement| matches!(one.kind, StatementKind::Done | StatementKind::Mistake);
            self.heard.statements.retain(|one| !(of_work(one) && reports.contains(&one.text)));
        }
    }

    pub fn finish(mut self) -> HeardStatement {
        self.heard.source.when = self.heard.source.when.or(self.last);
        self.heard
    }
}

/// Returns the start of a message, which is enough to recognise a trivial one.
fn head(text: &str) -> &str {
    text.get(..text.floor_char_boundary(64)).unwrap_or_default()
}

pub fn of_log<'a>(source: StatementSource, items: impl Iterator<Item = &'a str>) -> HeardStatement {
    let mut heard = HeardStatement::of(source);
    // A private section may begin in one item and end in another.
    let open = without_private(&items.collect::<Vec<_>>().join("\n"));
    for item in open.lines() {
        heard.take(statement::find(Who::Log, item));
    }
    heard
}

/// Number of sessions from which on any repeated sentence is a pattern.
const SESSIONS: usize = 3;
/// Number of fixes from which on a statement is a recurring mistake.
const FIXES: usize = 2;
/// Maximum number of places named in a reason.
const NAMED: usize = 4;

/// A statement that becomes an entry, or evidence for one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conclusion {
    pub category: &'static str,
    pub cue: Cue,
    pub text: String,
    /// Names the sessions and days that support the statement, for a plan; one line.
    pub reason: String,
    /// Ids of the sessions and days that support it and no earlier conclusion.
    pub sources: Vec<String>,
    /// The last time it was said, if known.
    pub said: Option<Timestamp>,
    /// The reason why the text may have been pasted. Such a conclusion is only listed in a plan.
    pub pasted: Option<&'static str>,
    /// True if it was concluded before. It is then evidence for the existing entry; if the entry is
    /// gone, it is not added again.
    pub again: bool,
}

/// Draws conclusions from new statements. A conclusion is new once; in later sessions it is
/// evidence. Sessions with few exchanges are ignored.
pub fn conclude(memory: &mut SaidBefore, heard: &[HeardStatement]) -> Vec<Conclusion> {
    let mut heard: Vec<&HeardStatement> = heard.iter().filter(|heard| heard.counts()).collect();
    heard.sort_by(|a, b| {
        let key = |heard: &'_ HeardStatement| (heard.source.when, heard.source.kind);
        key(a).cmp(&key(b)).then_with(|| a.source.id.cmp(&b.source.id))
    });
    let mut index = memory.index();
    let mut touched: BTreeMap<usize, Vec<StatementPlace>> = BTreeMap::new();
    for HeardStatement { source, statements, sentences, .. } in &heard {
        let place = StatementPlace::of(source);
        let statements =
            statements.iter().map(|found| (&found.text, Some(found.kind), found.again));
        for (text, kind, again) in
            statements.chain(sentences.iter().map(|text| (text, None, false)))
        {
            let news = memory.note(&mut index, &place, text, kind, again);
            let Some((at, new)) = news else { continue };
            let places = touched.entry(at).or_default();
            places.extend(new.then(|| place.clone()));
        }
    }
    let mut drawn = Vec::new();
    for (at, places) in touched {
        drawn.extend(memory.known.get_mut(at).and_then(|known| draw(known, &places)));
    }
    memory.shrink();
    drawn.sort_by(|(a, one), (b, other)| a.cmp(b).then_with(|| one.text.cmp(&other.text)));
    let mut drawn: Vec<Conclusion> = drawn.into_iter().map(|(_, conclusion)| conclusion).collect();
    for HeardStatement { source, pasted, .. } in heard {
        for (statement, why) in pasted {
            let known = drawn.iter().any(|one| one.text == statement.text);
            drawn.extend((!known).then(|| left_out(source, statement, why)));
        }
    }
    drawn
}

/// Returns the conclusion that a plan lists for a possibly pasted statement.
fn left_out(source: &StatementSource, statement: &Statement, why: &'static str) -> Conclusion {
    let place = StatementPlace::of(source);
    Conclusion {
        category: statement.kind.category(),
        cue: Cue::Behavioral,
        text: statement.text.clone(),
        reason: format!("{} in {}", statement.kind.category(), named(std::slice::from_ref(&place))),
        sources: vec![place.id],
        said: source.when,
        pasted: Some(why),
        again: false,
    }
}

/// Returns the conclusion from a statement that was made in the places `new`.
fn draw(known: &mut KnownStatement, new: &[StatementPlace]) -> Option<(StatementKind, Conclusion)> {
    let kind = known.kind();
    let enough = match kind {
        None => known.sessions() >= SESSIONS,
        Some(StatementKind::Mistake) => known.again || known.occasions() >= FIXES,
        Some(_) => true,
    };
    let again = known.drawn;
    known.drawn |= enough;
    let rests_on = if again { new } else { known.places.as_slice() };
    if !enough || rests_on.is_empty() {
        return None;
    }
    let what = match kind {
        None => "repeated request",
        Some(StatementKind::Preference) => "preference",
        Some(StatementKind::Lesson) => "correction",
        Some(StatementKind::Mistake) => "repeated mistake",
        Some(StatementKind::Pattern) => "convention",
        Some(StatementKind::Decision) => "choice",
        Some(StatementKind::Done) => "finished work",
    };
    let recurs = known.sessions() >= SESSIONS;
    let kind = kind.unwrap_or(StatementKind::Pattern);
    let conclusion = Conclusion {
        category: kind.category(),
        cue: if recurs { Cue::Recurrence } else { Cue::Behavioral },
        text: known.text.clone(),
        reason: format!("{what} {}in {}", if again { "again " } else { "" }, named(rests_on)),
        sources: rests_on.iter().map(|place| place.id.clone()).collect(),
        said: rests_on.iter().filter_map(StatementPlace::when).max(),
        pasted: None,
        again,
    };
    Some((kind, conclusion))
}

/// Returns the places in words for a reason.
fn named(places: &[StatementPlace]) -> String {
    let name = |place: &StatementPlace| {
        let plain = |text: &str, most: usize| -> String {
            text.chars()
                .filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c))
                .take(most)
                .collect()
        };
        match &place.agent {
            _ if place.log => format!("the log of {}", plain(&place.id, 10)),
            Some(agent) => format!("{} session {}", plain(agent, 20), plain(&place.id, 8)),
            None => format!("session {}", plain(&place.id, 8)),
        }
    };
    let names: Vec<String> = places.iter().take(NAMED).map(name).collect();
    match places.len().saturating_sub(NAMED) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

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

    pub(super) fn shrink(&mut self) {
        self.known
            .sort_by_cached_key(|known| (std::cmp::Reverse(known.newest()), known.text.clone()));
        self.known.truncate(MOST);
    }
}

#[cfg(test)]
#[path = "learn_tests.rs"]
mod tests;
