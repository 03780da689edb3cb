//! Extracts observations from a conversation by rules. Statements of the user are recorded apart
//! from questions; the agent's reports are placed below them.
//!
//! Sentences are never rewritten, because a rule does not know which word matters.

pub mod answer;
mod condense;
mod cue;
mod words;

use std::{borrow::Cow, collections::HashSet};

use super::{excerpt, reflect};
use crate::{
    language::{injection, pasted, preference},
    model::calendar::Date,
    observe::document::{Below, Document, Item, Line, Mark, Note},
    safety::secret,
    search::social_gate,
    session::transcript::Role,
};

/// Maximum number of characters of an observation.
const LONGEST: usize = 400;
/// Maximum number of reports below one message of the user.
const REPORTS: usize = 8;
/// Maximum number of files listed below one message.
const FILES: usize = 12;
/// Characters of a message shown to a model: of a longer one, this many from the start and the end.
const READ: (usize, usize) = (8_000, 4_000);

/// A message without secrets and private text, with its local time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    pub role: Role,
    pub text: String,
    pub date: Date,
    /// Minute of the day, if known.
    pub minute: Option<u16>,
}

impl Heard {
    /// Formats the message for a model, without pasted text. Only the first line begins at the
    /// margin, so that no text can pass for another message.
    pub fn read_out(&self) -> String {
        let who = if self.role == Role::User { "User" } else { "Agent" };
        let clock = self.minute.map(|minute| format!(" {:02}:{:02}", minute / 60, minute % 60));
        let own = if self.role == Role::User {
            pasted::own_words(&self.text)
        } else {
            Cow::Borrowed(self.text.as_str())
        };
        let (text, (start, end)) = (own.trim(), READ);
        let length = text.chars().count();
        let text = if length > start + end {
            let head: String = text.chars().take(start).collect();
            let tail: String = text.chars().skip(length - end).collect();
            format!("{head} […] {tail}")
        } else {
            text.to_owned()
        };
        let text = text.lines().collect::<Vec<_>>().join("\n  ");
        format!("[{}{}] {who}: {text}\n", self.date, clock.unwrap_or_default())
    }
}

/// Returns the observations from a conversation; those of a long one take at most a quarter of its
/// length.
pub fn observe<'a>(heard: impl IntoIterator<Item = &'a Heard>) -> Document {
    let mut observer = Observer::default();
    let mut chars = 0;
    for message in heard {
        chars += message.text.chars().count();
        match message.role {
            Role::User => observer.user(message),
            Role::Assistant => observer.agent(message),
        }
    }
    observer.finish_turn();
    condense::condense(observer.found, chars)
}

#[derive(Default)]
struct Observer {
    found: Document,
    /// Texts recorded so far, to skip repetitions.
    said: HashSet<String>,
    turn: Turn,
}

/// The agent's reaction to the last message of the user.
#[derive(Default)]
struct Turn {
    /// True if there is an item to add notes below.
    open: bool,
    reports: usize,
    files: Vec<String>,
    /// The first sentence of the last answer, used if the agent reports nothing.
    answer: Option<(Date, Note)>,
    /// When the agent spoke last.
    spoke: Option<(Date, Option<u16>)>,
}

impl Observer {
    fn user(&mut self, message: &Heard) {
        if social_gate::is_trivial(&message.text) {
            return;
        }
        self.finish_turn();
        let lead = excerpt::lead_of_clean(&message.text).unwrap_or_default();
        for (text, masked, asked) in preference::sentences(&lead).take(1) {
            let Some(text) = kept(&text) else { continue };
            let (mark, lead) = cue::of_user(&masked, asked);
            let text = cue::without_lead(&text, lead);
            let note = Note { mark, minute: message.minute, text: format!("{lead} {text}") };
            if self.said.insert(note.text.clone()) {
                self.found.push(Some(message.date), Item { note, below: Vec::new() });
                self.turn.open = true;
            }
        }
    }

    fn agent(&mut self, message: &Heard) {
        let mut answer = None;
        for (text, masked, asked) in preference::sentences(&message.text) {
            // Preferences in an agent's message are dropped: it repeats text of others.
            let Some(text) = kept(&text).filter(|text| preference::find(text).is_empty()) else {
                continue;
            };
            let note = |mark, lead: &str| Note {
                mark,
                minute: message.minute,
                text: format!("{lead} {text}"),
            };
            if asked {
                self.report(message.date, note(Mark::Maybe, "Agent asked:"));
            } else if cue::is_report(&masked) {
                self.report(message.date, note(Mark::Important, "Agent:"));
            } else if answer.is_none() && !cue::is_plan(&masked) {
                answer = Some((message.date, note(Mark::Info, "Agent:")));
            }
        }
        self.turn.answer = answer.or_else(|| self.turn.answer.take());
        self.turn.spoke = Some((message.date, message.minute));
        for path in cue::paths(&message.text) {
            let files = &mut self.turn.files;
            let known = files.iter().any(|file| file == path) || files.len() >= FILES;
            if !known && secret::find(path).is_none() {
                files.push(path.to_owned());
            }
        }
    }

    /// Records a report, up to the limit.
    fn report(&mut self, date: Date, note: Note) {
        if self.turn.reports < REPORTS && self.said.insert(note.text.clone()) {
            self.turn.reports += 1;
            self.below(date, note);
        }
    }

    /// Adds a note below the user's message of that day, or as an item of its own if there is none.
    fn below(&mut self, date: Date, note: Note) {
        let last =
            self.found.days.last_mut().filter(|day| day.date == Some(date) && self.turn.open);
        if let Some(Line::Item(item)) = last.and_then(|day| day.lines.last_mut()) {
            item.below.push(Below::Note(1, note));
        } else {
            self.found.push(Some(date), Item { note, below: Vec::new() });
            self.turn.open = true;
        }
    }

    fn finish_turn(&mut self) {
        let quiet = self.turn.reports == 0;
        if let Some((date, note)) = self.turn.answer.take().filter(|_| quiet) {
            self.below(date, note);
        }
        let files = std::mem::take(&mut self.turn.files);
        if let Some((date, minute)) = self.turn.spoke.filter(|_| !files.is_empty()) {
            let text = format!("Files: {}", files.join(", "));
            self.below(date, Note { mark: Mark::Info, minute, text });
        }
        self.turn = Turn::default();
    }
}

/// Returns a sentence as it is stored, or `None` if it says nothing or reads like an instruction to
/// an agent.
fn kept(sentence: &str) -> Option<String> {
    let text = secret::clean(sentence.trim_end_matches([';', ' ']));
    let words = text.split_whitespace().count();
    (words > 1 && text.chars().any(char::is_alphanumeric) && injection::find(&text).is_none())
        .then(|| reflect::cut(&text, LONGEST))
}

#[cfg(test)]
mod tests;
