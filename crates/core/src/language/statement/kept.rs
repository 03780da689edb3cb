//! Selects other sentences of a user that would be informative about the project if they recurred
//! in several sessions: how things are run, what to leave alone, where things are. Phrases that
//! everybody types in every session are excluded.

use super::Sentence;
use crate::language::lexicon::preference::{POINTERS, REPORTS, TASKS, TROUBLES};
use crate::language::lexicon::statement::{
    AS, ERRANDS, FACTS, LOCAL, LOOSE, MANNERS, ORDERS, RULE, STAGES, UNKNOWN, WAYS, WITH,
};
use crate::language::{said::SaidWords, words::Word};

/// Length in characters; longer sentences are hardly typed twice.
const CHARS: std::ops::RangeInclusive<usize> = 15..=100;
/// Length in words.
const WORDS: std::ops::RangeInclusive<usize> = 3..=20;

/// Returns the sentence, if it is informative.
pub(super) fn worth<'a>(sentence: &'a Sentence, words: &[Word]) -> Option<&'a str> {
    let text = sentence.text.as_str();
    if sentence.asked || text.len() > 400 || !CHARS.contains(&text.chars().count()) {
        return None;
    }
    let line = Line { sentence, said: SaidWords { words } };
    let asks = line.said.asks() || line.said.is_about_one_task();
    if !WORDS.contains(&words.len()) || asks || line.is_of_today() {
        return None;
    }
    // Politeness is dropped.
    let start = words.get(usize::from(line.word(0) == "please"))?.start;
    (line.is_order() || line.is_fact()).then(|| text.get(start..))?
}

struct Line<'a> {
    sentence: &'a Sentence,
    said: SaidWords<'a>,
}

impl Line<'_> {
    fn word(&self, at: usize) -> &str {
        self.said.word(at)
    }

    fn any(&self, from: usize, wanted: impl Fn(usize) -> bool) -> bool {
        (from..self.said.words.len()).any(wanted)
    }

    /// Returns true if the sentence concerns current work or a failure.
    fn is_of_today(&self) -> bool {
        let local = |at: usize| {
            ["the", "this", "that"].contains(&self.word(at))
                && (LOCAL.contains(self.word(at + 1)) || LOCAL.contains(self.word(at + 2)))
        };
        self.any(0, |at| {
            let word = self.word(at);
            let errand = ["and", "then"].contains(&word) && ERRANDS.contains(self.word(at + 1));
            let apart =
                at > 0 && self.said.apart(at) && (ERRANDS.contains(word) || TASKS.contains(word));
            let given = at.checked_sub(1).is_some_and(|at| self.word(at) == "the");
            LOOSE.contains(word)
                || given && ["new", "old", "same"].contains(&word)
                || STAGES.contains(word)
                || REPORTS.contains(word)
                || TROUBLES.contains(word)
                || ["this", "these", "those", "i", "i'm", "me", "you're"].contains(&word)
                || errand
                || apart
                || local(at)
        })
    }

    /// Detects an order that says how to do something, or what to avoid.
    fn is_order(&self) -> bool {
        let opened = [
            "please",
            "always",
            "never",
            "just",
            "only",
            "make sure to",
            "be sure to",
            "remember to",
            "don't forget to",
            "make sure you",
            "you have to",
            "you need to",
            "you must",
            "you can",
            "you should",
        ];
        let opened = opened.iter().find(|words| self.said.reads(0, words));
        let start = opened.map_or(0, |words| words.split(' ').count());
        let firm = opened.is_some_and(|words| ["always", "never"].contains(words));
        let denied = match self.word(start) {
            "don't" | "dont" | "never" => start + 1,
            "do" if self.word(start + 1) == "not" => start + 2,
            _ => start,
        };
        let verb = self.word(denied);
        let object = self.word(denied + 1);
        if !ORDERS.contains(verb) || object.is_empty() || POINTERS.contains(object) {
            return false;
        }
        if denied > start || firm {
            return self.said.words.len() >= denied + 3 && !["a", "an"].contains(&object);
        }
        let how = self.any(denied + 2, |at| {
            let word = self.word(at);
            let behind = !self.word(at + 1).is_empty() && !POINTERS.contains(self.word(at + 1));
            behind && (WITH.contains(word) || AS.contains(word) && self.exact_from(at + 1))
        });
        let rule = self.any(denied + 1, |at| RULE.contains(self.word(at)));
        MANNERS.contains(verb)
            || verb == "stop" && object.ends_with("ing")
            || (WAYS.contains(verb)
                && (how || rule || verb == "use" && self.exact_from(denied + 1)))
    }

    /// Detects a lasting fact about the project.
    fn is_fact(&self) -> bool {
        let first = self.word(0);
        let subject = ["the", "our", "all", "every", "each"].contains(&first)
            || self.said.words.first().is_some_and(|word| self.is_exact(word));
        if !subject || UNKNOWN.contains(first) {
            return false;
        }
        let Some(at) = (1..6).find(|at| FACTS.contains(self.word(*at))) else { return false };
        let next = self.word(at + 1);
        let holds = match self.word(at) {
            "is" | "are" => {
                ["in", "at", "under", "only", "generated", "never", "always", "on"].contains(&next)
            }
            "needs" | "need" => {
                !["to", "more", "some", "be", "work", "a"].contains(&next)
                    || next == "a" && self.exact_from(at + 2)
            }
            _ => !next.is_empty() && !next.ends_with("ly") && !["be", "to", "work"].contains(&next),
        };
        let rule = self.any(at, |at| RULE.contains(self.word(at)));
        holds && (rule || self.exact_from(at + 1))
    }

    fn exact_from(&self, from: usize) -> bool {
        self.said.words.iter().skip(from).any(|word| self.is_exact(word))
    }

    /// Returns true for code, a path, a flag, a number, an identifier or a name.
    fn is_exact(&self, word: &Word) -> bool {
        let Some(text) = self.sentence.text.get(word.start..word.end) else { return false };
        let masked = self.sentence.masked.get(word.start..word.end) != Some(text);
        let flag = word.start > 1
            && self
                .sentence
                .text
                .get(..word.start)
                .is_some_and(|text| text.ends_with(" -") || text.ends_with(" --"));
        let inner = text.contains(['_', '/', '.', ':', '@', '='])
            || text.bytes().any(|c| c.is_ascii_digit());
        let name = word.start > 0 && text.starts_with(|c: char| c.is_uppercase()) && text.len() > 1;
        masked || flag || inner || name
    }
}
