//! Learning: extracts statements from sessions and logs, then draws conclusions from repeated ones.
//!
//! Private text, secrets, text worded as an instruction to an agent, and text that may have been
//! pasted are dropped here.

mod recurrence;
mod said_before;

#[cfg(test)]
mod tests;

pub use self::recurrence::{Conclusion, conclude};
pub use self::said_before::SaidBefore;

use crate::{
    language::{
        injection,
        preference::LOOKED_AT,
        statement::{self, FoundStatement, Statement, StatementKind, Who},
    },
    model::time::Timestamp,
    safety::private::without_private,
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

/// The kind of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StatementSourceKind {
    /// A session with an agent.
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
    /// The agent of a session.
    pub agent: Option<String>,
    /// The time of the source, if known.
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

    /// Adds the next message.
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

    /// Returns the statements of the session.
    pub fn finish(mut self) -> HeardStatement {
        self.heard.source.when = self.heard.source.when.or(self.last);
        self.heard
    }
}

/// Returns the start of a message, which is enough to recognise a trivial one.
fn head(text: &str) -> &str {
    text.get(..text.floor_char_boundary(64)).unwrap_or_default()
}

/// Collects statements from the items of a log.
pub fn of_log<'a>(source: StatementSource, items: impl Iterator<Item = &'a str>) -> HeardStatement {
    let mut heard = HeardStatement::of(source);
    // A private section may begin in one item and end in another.
    let open = without_private(&items.collect::<Vec<_>>().join("\n"));
    for item in open.lines() {
        heard.take(statement::find(Who::Log, item));
    }
    heard
}
