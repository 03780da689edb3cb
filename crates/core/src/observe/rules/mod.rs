//! Extracts observations from a conversation by rules. Statements of the user are recorded apart
//! from questions; the agent's reports are placed below them.
//!
//! Sentences are never rewritten, because a rule does not know which word matters.

mod condense;
mod cue;

use std::{borrow::Cow, collections::HashSet};

use self::cue::Sort;
use super::{reflect, summary};
use crate::{
    language::{injection, pasted, preference},
    model::time::Date,
    observe::document::{
        Below, ImportanceMark, Observations, ObservedItem, ObservedLine, ObservedNote,
    },
    safety::secret,
    search::social_gate,
    session::transcript::Role,
};

/// Maximum number of characters of an observation.
const LONGEST: usize = 400;
/// Maximum number of sentences of one message of the user.
const SENTENCES: usize = 5;
/// Characters of a message shown to a model: of a longer one, this many from the start and the end.
const READ: (usize, usize) = (8_000, 4_000);

/// A message without secrets and private text, with its local time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeardTurn {
    pub role: Role,
    pub text: String,
    pub date: Date,
    /// Minute of the day, if known.
    pub minute: Option<u16>,
}

impl HeardTurn {
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
pub fn observe<'a>(heard: impl IntoIterator<Item = &'a HeardTurn>) -> Observations {
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
    found: Observations,
    /// Texts recorded so far, to skip repetitions.
    said: HashSet<String>,
    /// True if there is an item to add notes below.
    open: bool,
    turn: Turn,
}

impl Observer {
    fn user(&mut self, message: &HeardTurn) {
        if social_gate::is_trivial(&message.text) {
            return;
        }
        self.finish_turn();
        let said = cue::without_opening(&message.text);
        let lead = summary::harmless_lead_of_clean(said).unwrap_or_default();
        let first = preference::sentences(&lead).next();
        // The lead may be cut.
        let start = first.as_ref().map(|(text, ..)| text.clone());
        let is_lead = |text: &str| start.as_ref().is_some_and(|start| text.starts_with(start));
        let others = pasted::own_sentences(said).into_iter().filter(|(text, ..)| !is_lead(text));
        let mut left = SENTENCES;
        let first = first.into_iter().map(|one| (one, true));
        for ((text, masked, asked), leads) in first.chain(others.map(|one| (one, false))) {
            let (mark, lead) = cue::of_user(&masked, asked);
            if left == 0 || !(leads || mark == ImportanceMark::Important) {
                continue;
            }
            let Some(text) = kept(&text) else { continue };
            let text = cue::without_lead(&text, lead).trim_end_matches('.');
            let note =
                ObservedNote { mark, minute: message.minute, text: format!("{lead} {text}") };
            if self.said.insert(note.text.clone()) {
                self.found.push(Some(message.date), ObservedItem { note, below: Vec::new() });
                self.open = true;
                left -= 1;
            }
        }
    }

    fn agent(&mut self, message: &HeardTurn) {
        self.turn.spoke = Some((message.date, message.minute));
        let mut answered = false;
        for (text, masked, asked) in preference::sentences(&message.text) {
            let Some(sort) = cue::of_agent(&masked, asked) else { continue };
            // Preferences in an agent's message are dropped: it repeats text of others.
            let Some(text) = kept(&text).filter(|text| preference::find(text).is_empty()) else {
                continue;
            };
            let lead = if sort == Sort::Question { "Agent asked:" } else { "Agent:" };
            let text = format!("{lead} {text}");
            let note = ObservedNote { mark: sort.mark(), minute: message.minute, text };
            // The first sentence of no sort is the answer.
            if sort != Sort::Other || !std::mem::replace(&mut answered, true) {
                self.turn.add(sort, message.date, note);
            }
        }
        for path in cue::paths(&message.text) {
            if secret::find(path).is_none() {
                self.turn.name(path);
            }
        }
    }

    /// Adds a note below the user's message of that day, or as an item of its own if there is none.
    fn below(&mut self, date: Date, note: ObservedNote) {
        let last = self.found.days.last_mut().filter(|day| day.date == Some(date) && self.open);
        if let Some(ObservedLine::Item(item)) = last.and_then(|day| day.lines.last_mut()) {
            item.below.push(Below::Note(1, note));
        } else {
            self.found.push(Some(date), ObservedItem { note, below: Vec::new() });
            self.open = true;
        }
    }

    fn finish_turn(&mut self) {
        for (date, note) in std::mem::take(&mut self.turn).finish() {
            if note.text.starts_with("Files: ") || self.said.insert(note.text.clone()) {
                self.below(date, note);
            }
        }
        self.open = false;
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

/// Maximum number of files listed below one message.
const FILES: usize = 12;

/// The agent's reaction to the last message of the user.
#[derive(Default)]
struct Turn {
    said: Vec<(Sort, Date, ObservedNote)>,
    files: Vec<String>,
    spoke: Option<(Date, Option<u16>)>,
}

impl Turn {
    fn add(&mut self, sort: Sort, date: Date, note: ObservedNote) {
        if !self.said.iter().any(|(.., known)| known.text == note.text) {
            self.said.push((sort, date, note));
        }
    }

    fn name(&mut self, path: &str) {
        let known = self.files.iter().any(|file| file == path) || self.files.len() >= FILES;
        if !known {
            self.files.push(path.to_owned());
        }
    }

    /// Returns what stays, in the order in which it was said: of each sort the last ones, because
    /// they conclude the turn. A sentence of no sort stays if nothing is reported.
    fn finish(self) -> Vec<(Date, ObservedNote)> {
        let Self { mut said, files, spoke } = self;
        if said.iter().any(|(sort, ..)| *sort == Sort::Report) {
            said.retain(|(sort, ..)| *sort != Sort::Other);
        }
        for (sorts, most) in LIMITS {
            let among = |(sort, ..): &(Sort, Date, ObservedNote)| sorts.contains(sort);
            let mut dropped = said.iter().filter(|one| among(one)).count().saturating_sub(*most);
            said.retain(|one| {
                let drop = dropped > 0 && among(one);
                dropped -= usize::from(drop);
                !drop
            });
        }
        let mut notes: Vec<_> = said.into_iter().map(|(_, date, note)| (date, note)).collect();
        if let Some((date, minute)) = spoke.filter(|_| !files.is_empty()) {
            let text = format!("Files: {}", files.join(", "));
            notes.push((date, ObservedNote { mark: ImportanceMark::Info, minute, text }));
        }
        notes
    }
}

/// How many sentences of these sorts stay.
const LIMITS: &[(&[Sort], usize)] = &[
    (&[Sort::Report, Sort::Question], 8),
    (&[Sort::Finding], 3),
    (&[Sort::State], 3),
    (&[Sort::Other], 1),
];

#[cfg(test)]
mod tests;
