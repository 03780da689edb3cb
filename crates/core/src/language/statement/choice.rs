//! Detects decisions and labelled statements: "decision: …", "lesson learned: …".

use super::{Draft, StatementKind, told::ToldLine};
use crate::language::lexicon::preference::POINTERS;
use crate::language::lexicon::statement::{PROPOSALS, REASONS, UNKNOWN};

impl ToldLine<'_> {
    /// "Decision: …", "lesson learned: …".
    pub(super) fn labelled(&self) -> Option<Draft> {
        let labels: &[(StatementKind, &[&str])] = &[
            (StatementKind::Decision, &["decision", "decided"]),
            (
                StatementKind::Lesson,
                &[
                    "lesson",
                    "lesson learned",
                    "lessons learned",
                    "takeaway",
                    "gotcha",
                    "learned",
                    "til",
                ],
            ),
            (
                StatementKind::Pattern,
                &["convention", "our convention", "house rule", "project convention"],
            ),
        ];
        let (kind, at) = labels.iter().find_map(|(kind, wordings)| {
            let longest = wordings.iter().filter(|words| self.said.reads(0, words));
            let length = longest.map(|words| words.split(' ').count()).max()?;
            Some((*kind, length))
        })?;
        let colon = self.words().get(at - 1).is_some_and(|word| word.colon);
        let named = self.words().len() >= at + 2
            && !UNKNOWN.contains(self.word(at))
            && !(kind == StatementKind::Decision && PROPOSALS.contains(self.word(at)));
        (colon && named && self.stands_alone(at)).then(|| Draft::new(kind, self.from(at)))
    }

    /// "Let's go with …", "we decided to …", "I chose x over y".
    pub(super) fn choice(&self, at: usize) -> Option<Draft> {
        let going = [
            "let's go with",
            "lets go with",
            "let us go with",
            "we'll go with",
            "we will go with",
            "we're going with",
            "we are going with",
            "i'm going with",
            "going with",
            "went with",
            "we went with",
        ];
        let deciding = [
            "we decided",
            "we've decided",
            "we have decided",
            "i decided",
            "i've decided",
            "i have decided",
            "it was decided",
            "the team decided",
            "the team has decided",
            "decided",
        ];
        let settling = ["we settled on", "we've settled on", "i settled on", "settled on"];
        let agreeing = ["we agreed", "we've agreed", "we have agreed", "agreed"];
        let choosing = [
            "we chose",
            "i chose",
            "we picked",
            "i picked",
            "we selected",
            "we opted for",
            "i opted for",
            "chose",
            "picked",
        ];
        let (verb, next) = if let Some(next) = self.behind(at, &going) {
            (("Go with", self.is_named(next)), next)
        } else if let Some(next) = self.behind(at, &deciding) {
            let next = self.behind_occasion(next);
            let to = self.is_any(next, &["to", "on", "that", "against", "not"]);
            (("Decided", to && !self.is_any(next + 1, &["skip", "take", "try", "wait"])), next)
        } else if let Some(next) = self.behind(at, &settling) {
            (("Settled on", self.is_named(next)), next)
        } else if let Some(next) = self.behind(at, &agreeing) {
            (("Agreed", self.is_any(next, &["to", "on", "that"])), next)
        } else {
            let next = self.behind(at, &choosing)?;
            let reason = (next + 1..next + 8)
                .any(|at| self.is_any(at, &["over", "because", "instead", "rather", "since"]));
            (("Chose", reason && self.is_named(next)), next)
        };
        let (verb, said) = verb;
        let end = self.end_of_clause(next);
        let enough = end > next + usize::from(verb == "Decided" || verb == "Agreed");
        let text = self.between(next, end)?;
        (said && enough && self.stands_alone_until(next, end))
            .then(|| Draft::new(StatementKind::Decision, format!("{verb} {text}")))
    }

    /// Skips an occasion before a decision, such as "in standup" or "yesterday".
    fn behind_occasion(&self, at: usize) -> usize {
        let occasions = ["in", "at", "during", "with", "yesterday", "today", "last", "earlier"];
        let to = (at + 1..at + 5).find(|at| self.word(*at) == "to" && !self.said.apart(*at));
        to.filter(|_| self.is_any(at, &occasions)).unwrap_or(at)
    }

    /// Returns true if the choice has a name: not "the second one" or "a loop".
    fn is_named(&self, at: usize) -> bool {
        let first = self.word(at);
        let proposed = (at..at + 5).any(|at| PROPOSALS.contains(self.word(at)));
        let article = ["a", "an", "the", "some", "two", "three"].contains(&first);
        let why = (at + 1..self.words().len()).any(|at| REASONS.contains(self.word(at)));
        let letter = first.chars().count() == 1 && !article;
        !first.is_empty() && !proposed && !letter && !POINTERS.contains(first) && (!article || why)
    }
}
