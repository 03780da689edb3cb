//! The words of a sentence, by their places.

use super::{
    lexicon::preference::{AUXILIARIES, ONCE, ONE, PRONOUNS, QUESTIONS, TROUBLES},
    words::Word,
};

/// The words of a sentence.
pub(crate) struct SaidWords<'a> {
    pub(crate) words: &'a [Word],
}

impl SaidWords<'_> {
    pub(crate) fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", |word| &word.text)
    }

    pub(crate) fn apart(&self, at: usize) -> bool {
        at == 0 || self.words.get(at).is_some_and(|word| word.apart)
    }

    /// Returns the start of a word's clause.
    pub(crate) fn clause(&self, at: usize) -> usize {
        (0..=at).rev().find(|at| self.apart(*at)).unwrap_or(0)
    }

    pub(crate) fn reads(&self, at: usize, words: &str) -> bool {
        // Nearly always the first letter decides.
        self.word(at).as_bytes().first() == words.as_bytes().first()
            && words.split(' ').enumerate().all(|(n, word)| self.word(at + n) == word)
            && !(1..words.split(' ').count()).any(|n| self.apart(at + n))
    }

    pub(crate) fn has(&self, words: &str) -> bool {
        (0..self.words.len()).any(|at| self.reads(at, words))
    }

    /// Detects a question, with or without a question mark.
    pub(crate) fn asks(&self) -> bool {
        let first = self.word(0);
        let second = self.word(1);
        let inverted = AUXILIARIES.contains(first) && PRONOUNS.contains(second);
        QUESTIONS.contains(first) || inverted || (first == "when" && AUXILIARIES.contains(second))
    }

    /// Detects a sentence about a single occasion.
    pub(crate) fn is_about_one_task(&self) -> bool {
        let one = |at: usize| {
            self.word(at) == "this" && ONE.contains(self.word(at + 1)) && !self.apart(at + 1)
        };
        (0..self.words.len()).any(one) || ONCE.iter().any(|words| self.has(words))
    }

    /// Detects a complaint instead of a habit or a fact.
    pub(crate) fn is_trouble(&self, at: usize) -> bool {
        let turns = |at: usize| match self.word(at) {
            "but" => ["the", "it", "i", "my", "this"].contains(&self.word(at + 1)),
            "and" => self.word(at + 1) == "nothing",
            // "The failing test" is a thing.
            "failing" | "failed" | "broken" => {
                let given = at.checked_sub(1).map_or("", |at| self.word(at));
                !["the", "a", "every"].contains(&given)
            }
            word => TROUBLES.contains(word),
        };
        (at..self.words.len()).any(turns)
    }
}
