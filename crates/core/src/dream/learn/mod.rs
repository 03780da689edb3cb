//! What sessions and logs said, made into conclusions: what is new, and what was said before.
//!
//! Nothing that is private, a secret, worded as an order to an agent, or that may have been pasted gets
//! any further than here.

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
        statement::{self, Found, Kind, Statement, Who},
    },
    model::time::Timestamp,
    safety::private::without_private,
    search::social_gate,
    session::transcript::{Message, Role},
};

/// Sessions with fewer messages of their user that were answered are left out.
pub const LEAST_EXCHANGES: usize = 3;

/// Statements of one session or day that are kept, but for what is finished.
const STATEMENTS: usize = 60;
/// Reports of finished work that are kept: the last ones, for a session is summed up at its end.
const DONE: usize = 5;
/// Other sentences of one session.
const SENTENCES: usize = 200;
/// Statements that may have been pasted, of which a plan tells.
const PASTED: usize = 10;
/// Bytes of what a user typed in one session that are read; nobody types more.
const TYPED: usize = 256 << 10;

/// Where something is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SourceKind {
    /// A session with an agent.
    Session,
    /// The log of one day.
    Log,
}

/// A session, or the log of one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The session's id, or the date.
    pub id: String,
    /// Which of the two it is.
    pub kind: SourceKind,
    /// The agent of a session.
    pub agent: Option<String>,
    /// When it was.
    pub when: Option<Timestamp>,
}

/// What one session or one day said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    /// Which.
    pub source: Source,
    /// Messages of the user that were answered.
    pub exchanges: usize,
    /// What the rules know.
    pub statements: Vec<Statement>,
    /// Other sentences that may turn out to be worth something.
    pub sentences: Vec<String>,
    /// What the user may have pasted, and why that seems so.
    pub pasted: Vec<(Statement, &'static str)>,
}

impl Heard {
    fn of(source: Source) -> Self {
        let (statements, sentences, pasted) = (Vec::new(), Vec::new(), Vec::new());
        Self { source, exchanges: 0, statements, sentences, pasted }
    }

    fn take(&mut self, found: Found) {
        if let Some(why) = found.pasted {
            let room = PASTED.saturating_sub(self.pasted.len());
            let stated = found.statements.into_iter().take(room);
            self.pasted.extend(stated.map(|statement| (statement, why)));
            return;
        }
        for statement in found.statements {
            let allowed = || injection::find(&statement.text).is_none();
            // Of what is finished, the last ones stay.
            let done = |other: &Statement| other.kind == Kind::Done;
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

    /// Whether it is long enough to conclude anything from it.
    pub fn counts(&self) -> bool {
        self.source.kind == SourceKind::Log || self.exchanges >= LEAST_EXCHANGES
    }
}

/// Listens to a session message by message; what it keeps is bounded.
pub struct Listener {
    heard: Heard,
    last: Option<Timestamp>,
    unanswered: bool,
    typed: usize,
}

impl Listener {
    /// Hears nothing yet.
    pub fn new(source: Source) -> Self {
        Self { heard: Heard::of(source), last: None, unanswered: false, typed: 0 }
    }

    /// Takes the next message.
    pub fn push(&mut self, message: &Message) {
        self.last = self.last.max(message.when);
        match message.role {
            Role::User => {
                self.unanswered = true;
                if self.typed >= TYPED || social_gate::is_trivial(head(&message.text)) {
                    return;
                }
                self.typed += message.text.len().min(LOOKED_AT);
                self.heard.take(statement::find(Who::User, &message.text));
            }
            Role::Assistant => {
                self.heard.exchanges += usize::from(std::mem::take(&mut self.unanswered));
                self.heard.take(statement::find(Who::Agent, &message.text));
            }
        }
    }

    /// What was said in the session.
    pub fn finish(mut self) -> Heard {
        self.heard.source.when = self.heard.source.when.or(self.last);
        self.heard
    }
}

/// The beginning of a message, by which a short one is told.
fn head(text: &str) -> &str {
    text.get(..text.floor_char_boundary(64)).unwrap_or_default()
}

/// What the items of a log say.
pub fn of_log<'a>(source: Source, items: impl Iterator<Item = &'a str>) -> Heard {
    let mut heard = Heard::of(source);
    // What is private may begin in one item and end in another.
    let open = without_private(&items.collect::<Vec<_>>().join("\n"));
    for item in open.lines() {
        heard.take(statement::find(Who::Log, item));
    }
    heard
}
