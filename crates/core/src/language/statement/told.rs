//! Combines the rules for a person's statements, and checks that a statement can be understood a
//! week later.

use super::{Draft, Sentence};
use crate::language::lexicon::preference::{POINTERS, REPORTS, TASKS, TROUBLES};
use crate::language::lexicon::statement::{LOCAL, LOOSE, POSITIONS, PROJECT, UNKNOWN};
use crate::language::{said::SaidWords, words::Word};

/// Returns true if a sentence only says that something was wrong; the correct version follows.
pub(super) fn only_corrects(sentence: &Sentence, words: &[Word]) -> bool {
    let line = ToldLine { sentence, said: SaidWords { words } };
    !sentence.asked && line.behind_correction().is_some_and(|at| at >= words.len())
}

/// Returns the statement in a sentence of a user. `corrected` is true if the sentence before was a
/// correction.
pub(super) fn read(sentence: &Sentence, words: &[Word], corrected: bool) -> Option<Draft> {
    let line = ToldLine { sentence, said: SaidWords { words } };
    if line.is_idle() {
        return None;
    }
    line.correction(corrected)
        .or_else(|| line.labelled())
        .or_else(|| line.clauses().find_map(|at| line.choice(at)))
        .or_else(|| line.clauses().find_map(|at| line.slip(at)))
        .or_else(|| line.convention())
}

/// Returns true if a sentence can be understood without the conversation, from a word on.
pub(super) fn stands_alone(sentence: &Sentence, words: &[Word], from: usize) -> bool {
    ToldLine { sentence, said: SaidWords { words } }.stands_alone(from)
}

/// Returns the statement in a log item, except finished work.
pub(super) fn noted(sentence: &Sentence, words: &[Word]) -> Option<Draft> {
    let line = ToldLine { sentence, said: SaidWords { words } };
    if line.is_idle() {
        return None;
    }
    line.labelled().or_else(|| line.choice(0)).or_else(|| line.convention())
}

/// A sentence with its words.
pub(super) struct ToldLine<'a> {
    pub(super) sentence: &'a Sentence,
    pub(super) said: SaidWords<'a>,
}

impl ToldLine<'_> {
    pub(super) fn words(&self) -> &[Word] {
        self.said.words
    }

    pub(super) fn word(&self, at: usize) -> &str {
        self.said.word(at)
    }

    pub(super) fn is_any(&self, at: usize, words: &[&str]) -> bool {
        words.contains(&self.word(at))
    }

    /// Returns the text from a word to the end.
    pub(super) fn from(&self, at: usize) -> &str {
        let start = self.words().get(at).map_or(self.sentence.text.len(), |word| word.start);
        self.sentence.text.get(start..).unwrap_or_default()
    }

    /// Returns true for questions, and for sentences about a single occasion.
    fn is_idle(&self) -> bool {
        self.sentence.asked || self.said.asks() || self.said.is_about_one_task()
    }

    /// Returns the starts of clauses that are not reported or hypothetical.
    pub(super) fn clauses(&self) -> impl Iterator<Item = usize> + '_ {
        let doubt =
            ["if", "when", "maybe", "perhaps", "might", "could", "should", "would", "until"];
        (0..self.words().len())
            .take_while(move |at| {
                let before = at.checked_sub(1).map_or("", |at| self.word(at));
                !(REPORTS.contains(before) || doubt.contains(&before) || before == "not")
            })
            .filter(|at| {
                let joint = ["so", "and", "because", "since", "but", "then", "again"];
                self.said.apart(*at) || at.checked_sub(1).is_some_and(|at| self.is_any(at, &joint))
            })
    }

    /// Returns the position after the first of several wordings that begins at `at`.
    pub(super) fn behind(&self, at: usize, wordings: &[&str]) -> Option<usize> {
        let found = wordings.iter().find(|words| self.said.reads(at, words))?;
        Some(at + found.split(' ').count())
    }

    /// Returns true if the text from a word on can be understood without context.
    pub(super) fn stands_alone(&self, from: usize) -> bool {
        self.stands_alone_until(from, self.words().len())
    }

    pub(super) fn stands_alone_until(&self, from: usize, end: usize) -> bool {
        let local = |at: usize| {
            let near = |at: usize| LOCAL.contains(self.word(at));
            self.is_any(at, &["the", "that", "this"])
                && !self.said.apart(at + 1)
                // "The second table"; a "tide table" has a name.
                && (near(at + 1) || POSITIONS.contains(self.word(at + 1)) && near(at + 2))
        };
        let errand = |at: usize| {
            let word = self.word(at);
            let order = TASKS.contains(word)
                || ["revert", "please", "can", "could", "undo"].contains(&word);
            let joined = at.checked_sub(1).is_some_and(|at| self.is_any(at, &["and", "then"]));
            at > from && (self.said.apart(at) || joined) && order
        };
        let reported = |at: usize| REPORTS.contains(self.word(at));
        !(from..end).any(|at| self.is_loose(at) || local(at) || errand(at) || reported(at))
    }

    /// Returns true if a word refers to something else.
    pub(super) fn is_loose(&self, at: usize) -> bool {
        let before = at.checked_sub(1).map_or("", |at| self.word(at));
        match self.word(at) {
            "this" | "these" | "those" => !PROJECT.contains(self.word(at + 1)),
            "one" | "ones" => ["the", "old", "new", "other", "right", "correct", "wrong", "real"]
                .contains(&before),
            "that" => ["at", "to", "of", "with", "for", "on", "in", "about", "like", "do"]
                .contains(&before),
            // "Line 12".
            word if LOCAL.contains(word) => {
                self.word(at + 1).starts_with(|c: char| c.is_ascii_digit())
            }
            word => LOOSE.contains(word),
        }
    }

    /// Returns the start of the next clause about another subject.
    pub(super) fn end_of_clause(&self, from: usize) -> usize {
        let other = |at: &usize| {
            let word = self.word(*at);
            self.said.apart(*at) && (UNKNOWN.contains(word) || TASKS.contains(word))
        };
        (from + 1..self.words().len()).find(other).unwrap_or(self.words().len())
    }

    /// Returns the text between two words.
    pub(super) fn between(&self, from: usize, until: usize) -> Option<&str> {
        let start = self.words().get(from)?.start;
        let end = if until < self.words().len() {
            self.words().get(until.checked_sub(1)?)?.end
        } else {
            self.sentence.text.len()
        };
        self.sentence.text.get(start..end)
    }

    pub(super) fn points_at(&self, at: usize) -> bool {
        let word = self.word(at);
        POINTERS.contains(word) || TROUBLES.contains(word)
    }
}
