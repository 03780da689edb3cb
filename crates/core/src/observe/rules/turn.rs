//! What an agent says between two messages of the user, of which a limited number of notes stays.

use super::cue::Sort;
use crate::{
    model::time::Date,
    observe::document::{ImportanceMark, ObservedNote},
};

/// Maximum number of files listed below one message.
const FILES: usize = 12;

/// The agent's reaction to the last message of the user.
#[derive(Default)]
pub(super) struct Turn {
    said: Vec<(Sort, Date, ObservedNote)>,
    files: Vec<String>,
    /// When the agent spoke last.
    spoke: Option<(Date, Option<u16>)>,
}

impl Turn {
    /// Begins a message of the agent.
    pub(super) fn hear(&mut self, date: Date, minute: Option<u16>) {
        self.spoke = Some((date, minute));
    }

    /// Adds a sentence of the message.
    pub(super) fn add(&mut self, sort: Sort, date: Date, note: ObservedNote) {
        if !self.said.iter().any(|(.., known)| known.text == note.text) {
            self.said.push((sort, date, note));
        }
    }

    /// Adds a file.
    pub(super) fn name(&mut self, path: &str) {
        let known = self.files.iter().any(|file| file == path) || self.files.len() >= FILES;
        if !known {
            self.files.push(path.to_owned());
        }
    }

    /// Returns what stays, in the order in which it was said: of each sort the last ones, because
    /// they conclude the turn. A sentence of no sort stays if nothing is reported.
    pub(super) fn finish(self) -> Vec<(Date, ObservedNote)> {
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
