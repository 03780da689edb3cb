//! A conversation to observations, by rules: what the user said counts as true and is told apart from
//! what the user asked; what the agent reports stands below it.
//!
//! Sentences are kept as they were said and never rewritten: a rule does not know which word matters.

pub mod answer;
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

/// Characters of an observation.
const LONGEST: usize = 400;
/// What is reported on one thing that the user said.
const REPORTS: usize = 8;
/// Files that are named for it.
const FILES: usize = 12;
/// Characters of a message that a model reads: of a longer one the beginning and the end.
const READ: (usize, usize) = (8_000, 4_000);

/// A message, without secrets and what is private, and when it was on the clock on the wall.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    /// Who said it.
    pub role: Role,
    /// What.
    pub text: String,
    /// On which day.
    pub date: Date,
    /// At which minute of it, if that is known.
    pub minute: Option<u16>,
}

impl Heard {
    /// As a model reads it, without what its user pasted. Only its first line begins at the margin, so that nothing said can pass for
    /// another message.
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

/// What a conversation comes to.
pub fn observe<'a>(heard: impl IntoIterator<Item = &'a Heard>) -> Document {
    let mut observer = Observer::default();
    for message in heard {
        match message.role {
            Role::User => observer.user(message),
            Role::Assistant => observer.agent(message),
        }
    }
    observer.finish_turn();
    observer.found
}

#[derive(Default)]
struct Observer {
    found: Document,
    /// What was said already, so that a repetition is not noted again.
    said: HashSet<String>,
    turn: Turn,
}

/// What the agent did about what the user said last.
#[derive(Default)]
struct Turn {
    /// Whether there is an item below which it goes.
    open: bool,
    reports: usize,
    files: Vec<String>,
    /// The beginning of its last answer, for when it reports nothing.
    answer: Option<(Date, Note)>,
    /// When it spoke last.
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
            // An agent wants nothing for good: it repeats what somebody else wrote.
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

    /// Notes what was reported, unless there is too much of it.
    fn report(&mut self, date: Date, note: Note) {
        if self.turn.reports < REPORTS && self.said.insert(note.text.clone()) {
            self.turn.reports += 1;
            self.below(date, note);
        }
    }

    /// Puts a note below what the user said on that day; where that is nothing, it stands alone.
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

/// A sentence as it is kept, if it says something and orders nobody about: what reads like an
/// instruction to an agent is not for its memory.
fn kept(sentence: &str) -> Option<String> {
    let text = secret::clean(sentence.trim_end_matches([';', ' ']));
    let words = text.split_whitespace().count();
    (words > 1 && text.chars().any(char::is_alphanumeric) && injection::find(&text).is_none())
        .then(|| reflect::cut(&text, LONGEST))
}

#[cfg(test)]
mod tests;
