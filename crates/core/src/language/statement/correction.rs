//! Detects corrections of the agent, and repeated slips.

use super::{Draft, StatementKind, told::ToldLine};
use crate::language::lexicon::preference::{POINTERS, TASKS, TROUBLES};
use crate::language::lexicon::statement::{
    FINITE, IRREGULAR, NOT_HOW, ORDERS, SLIPS, UNKNOWN, WRONG,
};

impl ToldLine<'_> {
    /// Skips the words that say that something is wrong.
    pub(super) fn behind_correction(&self) -> Option<usize> {
        let start = usize::from(self.is_any(0, &["no", "nope", "sorry", "hmm"]));
        if let Some(behind) = self.behind(start, NOT_HOW) {
            return (behind..=self.words().len())
                .find(|at| *at >= self.words().len() || self.said.apart(*at));
        }
        let behind = self.behind(start, WRONG)?;
        let reason = self.is_any(behind, &["because", "since"]);
        let ends = behind >= self.words().len() || self.said.apart(behind);
        (ends || reason).then_some(behind + usize::from(reason))
    }

    pub(super) fn correction(&self, corrected: bool) -> Option<Draft> {
        let lesson = |at: usize| Draft::new(StatementKind::Lesson, self.from(at));
        let told = self.behind_correction().or(corrected.then_some(0));
        if let Some(at) = told.filter(|at| self.is_fact(*at) || self.is_swap(*at)) {
            return Some(lesson(at));
        }
        if let Some(end) = self.before_blame()
            && self.contrasts_until(0, end)
            && self.is_about_known(0, end)
            && !(0..end).any(|at| TROUBLES.contains(self.word(at)))
        {
            return Some(Draft::new(StatementKind::Lesson, self.between(0, end)?));
        }
        let actually = usize::from(self.word(0) == "actually");
        let opening = self.sentence.opening.as_str();
        let turned = ["no", "nope", "actually"]
            .iter()
            .any(|word| opening.split(|c: char| !c.is_alphabetic()).any(|said| said == *word));
        if (actually == 1 || turned) && self.contrasts(actually) && self.is_fact(actually) {
            return Some(lesson(actually));
        }
        if self.is_swap(0) {
            return Some(lesson(0));
        }
        let at = self.clauses().find(|at| self.is_reproach(*at))?;
        Some(Draft::new(StatementKind::Lesson, self.between(at, self.end_of_clause(at + 4))?))
    }

    /// Returns the end of the text before ", you got that wrong".
    fn before_blame(&self) -> Option<usize> {
        let blames = [
            "you got that wrong",
            "you got it wrong",
            "you had that wrong",
            "you have that wrong",
            "you mixed that up",
            "you keep getting that wrong",
        ];
        let blame = |at: &usize| self.said.apart(*at) && self.behind(*at, &blames).is_some();
        (1..self.words().len()).find(blame)
    }

    /// "…, not milliseconds".
    fn contrasts(&self, from: usize) -> bool {
        self.contrasts_until(from, self.words().len())
    }

    fn contrasts_until(&self, from: usize, end: usize) -> bool {
        (from + 2..end).any(|at| {
            let other = self.word(at) == "not" && self.said.apart(at) && at + 1 < end;
            other || self.said.reads(at, "instead of") || self.said.reads(at, "rather than")
        })
    }

    /// Detects a fact: something named, and what it always does.
    fn is_fact(&self, from: usize) -> bool {
        let verb = (from + 1..from + 9)
            .find(|at| FINITE.contains(self.word(*at)) && !self.said.apart(*at));
        let plain = !self.said.is_trouble(from);
        verb.is_some() && plain && self.is_about_known(from, self.words().len())
    }

    /// Returns true if the words up to `end` are about something named.
    fn is_about_known(&self, from: usize, end: usize) -> bool {
        let first = self.word(from);
        let duty = ["have to", "need to", "must", "can't", "cannot"];
        let known = match first {
            "you" => duty.iter().any(|words| self.said.reads(from + 1, words)),
            "that" | "" => false,
            _ => !UNKNOWN.contains(first) && !TASKS.contains(first) && !ORDERS.contains(first),
        };
        let should = (from..end)
            .any(|at| self.is_any(at, &["should", "shouldn't", "i", "i'm", "me", "was", "were"]));
        known && !should && self.stands_alone_until(from, end)
    }

    /// "Use x instead of y", "don't use x, use y", both with names.
    fn is_swap(&self, from: usize) -> bool {
        let denied = self.behind(from, &["don't", "do not", "dont", "never"]);
        let at = denied.unwrap_or(from);
        let verb =
            ["use", "run", "call", "import", "mock", "commit", "push", "log", "print", "install"];
        let verb = if denied.is_some() { &verb[..] } else { &verb[..2] };
        let object = self.word(at + 1);
        let named = !object.is_empty()
            && !POINTERS.contains(object)
            && !["a", "an", "your", "my", "more", "all", "any", "another"].contains(&object)
            && (object != "the" || denied.is_some())
            && !self.said.apart(at + 1);
        let instead = (at + 2..self.words().len()).any(|at| match self.word(at) {
            "use" | "run" | "call" | "go" | "import" | "install" => {
                denied.is_some() && self.said.apart(at)
            }
            "instead" => denied.is_some() || self.word(at + 1) == "of",
            "not" => denied.is_none() && self.said.apart(at),
            "rather" => self.word(at + 1) == "than",
            _ => false,
        });
        let article = |at: usize| {
            self.is_any(at, &["of", "than", "use", "not"]) && self.is_any(at + 1, &["a", "an"])
        };
        let loose = (from..self.words().len()).any(article);
        self.is_any(at, verb) && named && instead && !loose && self.stands_alone(from)
    }

    /// "You should have run the migrations first".
    fn is_reproach(&self, at: usize) -> bool {
        let wordings =
            ["you should have", "you should've", "you shouldn't have", "you should not have"];
        let Some(mut next) = self.behind(at, &wordings) else { return false };
        while self.is_any(next, &["not", "also", "first", "just"]) {
            next += 1;
        }
        let verb = self.word(next);
        let done = verb.len() > 4 && verb.ends_with("ed") || IRREGULAR.contains(verb);
        let end = self.end_of_clause(next + 1);
        done && end > next + 2 && self.stands_alone_until(next + 1, end)
    }

    /// "You forgot to …", "you keep …ing", "you … again".
    pub(super) fn slip(&self, at: usize) -> Option<Draft> {
        let next = self.behind(at, &["you", "you've", "you have"])?;
        let next = next + usize::from(self.is_any(next, &["again", "still", "just"]));
        let last = self.words().len().saturating_sub(1);
        let opened =
            self.sentence.opening.split(|c: char| !c.is_alphabetic()).any(|w| w == "again");
        let ends = self.word(last) == "again";
        let before = next.checked_sub(1).is_some_and(|at| self.word(at) == "again")
            || at.checked_sub(1).is_some_and(|at| self.word(at) == "again");
        let again = opened || ends || before;
        let verb = self.word(next);
        // A final "again" is not part of the mistake.
        let until = if ends { last } else { last + 1 };
        let rest = self.between(next + 1, until)?;
        let alone = until > next + 2 && !(next + 1..until).any(|at| self.is_loose(at));
        let (said, again) = match verb {
            "forgot" | "forgotten" => ("Forgot".to_owned(), again),
            "keep" | "kept" if self.word(next + 1).ends_with("ing") => ("Kept".to_owned(), true),
            _ if again && SLIPS.contains(verb) => {
                let word = self.words().get(next)?;
                (self.sentence.text.get(word.start..word.end)?.to_owned(), true)
            }
            _ => return None,
        };
        let mut said = said;
        said.get_mut(..1)?.make_ascii_uppercase();
        alone.then(|| Draft { kind: StatementKind::Mistake, text: format!("{said} {rest}"), again })
    }
}
