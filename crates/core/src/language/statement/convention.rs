//! Detects conventions of a project, as stated by the people who work on it.

use super::{Draft, StatementKind, told::ToldLine};
use crate::language::lexicon::preference::HAPPENINGS;
use crate::language::lexicon::statement::{FINITE, HABITS, ORDERS, PROJECT};

impl ToldLine<'_> {
    /// "In this project we …", "we never …", "our convention is …".
    pub(super) fn convention(&self) -> Option<Draft> {
        let whole = |at: usize| Some(Draft::new(StatementKind::Pattern, self.from(at)));
        let good = |at: usize| !self.said.is_trouble(at + 1) && self.stands_alone(at);
        if let Some(at) = self.behind_place() {
            return whole(0).filter(|_| self.is_custom(at) && good(at));
        }
        if self.is_any(0, &["always", "never"]) && self.is_rule(1) {
            let condition =
                (2..self.words().len()).find(|at| self.is_any(*at, &["unless", "except"]));
            let end = condition.unwrap_or(self.words().len());
            let good = !self.said.is_trouble(2) && self.stands_alone_until(1, end);
            return whole(0).filter(|_| good);
        }
        if self.word(0) == "this"
            && self
                .is_any(1, &["project", "repo", "repository", "codebase", "monorepo", "workspace"])
            && self.is_any(2, &["uses", "follows", "targets"])
        {
            return whole(0).filter(|_| !self.is_any(3, &["to", "a", "an"]) && good(3));
        }
        self.clauses().find_map(|at| {
            let customary = match self.word(at) {
                "we" => {
                    let duty = usize::from(self.is_any(at + 1, &["should", "must"]));
                    let always = self.is_any(at + 1 + duty, &["always", "never"]);
                    let always = always && self.is_rule(at + 2 + duty);
                    // A final "here" means the project, and is dropped.
                    let last = self.words().len().saturating_sub(1);
                    if always && self.word(last) == "here" && !self.said.apart(last) {
                        let text = self.between(at, last)?;
                        let good =
                            !self.said.is_trouble(at + 1) && self.stands_alone_until(at, last);
                        return good.then(|| Draft::new(StatementKind::Pattern, text));
                    }
                    always || self.ends_in_project() && self.is_custom(at)
                }
                "our" | "the" => self.is_named_custom(at + 1),
                "by" => self.word(at + 1) == "convention" && self.words().len() > at + 4,
                _ => false,
            };
            whole(at).filter(|_| customary && good(at))
        })
    }

    /// Skips "in this project", "here" and the like at the start.
    fn behind_place(&self) -> Option<usize> {
        if self.behind(0, &["here we", "around here we"]).is_some() {
            let at = if self.word(0) == "here" { 1 } else { 2 };
            let firm = self.is_any(at + 1, &["always", "never", "don't", "only"]);
            return (firm || at == 2).then_some(at);
        }
        let place = self.is_any(0, &["in", "for", "within", "across", "throughout", "on"])
            && self.is_any(1, &["this", "our", "the"]);
        let length = if PROJECT.contains(self.word(2)) {
            3
        } else if PROJECT.contains(self.word(3)) && self.word(1) != "the" {
            4
        } else {
            return None;
        };
        place.then_some(length)
    }

    /// Detects what a team always does, or what holds for everything of a kind.
    fn is_custom(&self, at: usize) -> bool {
        match self.word(at) {
            "we" => match self.word(at + 1) {
                "always" | "never" | "only" | "usually" | "don't" => self.is_rule(at + 2),
                "do" => self.word(at + 2) == "not" && self.is_rule(at + 3),
                verb => HABITS.contains(verb) && !self.points_at(at + 2),
            },
            "all" | "every" | "each" => (at + 2..at + 8).any(|at| FINITE.contains(self.word(at))),
            "never" | "always" => self.is_rule(at + 1),
            "use" | "prefer" | "avoid" | "follow" => {
                !self.points_at(at + 1) && !self.is_any(at + 1, &["a", "an", "the"])
            }
            "there" | "i" | "you" | "the" | "" => false,
            _ => (at + 1..at + 4).any(|at| {
                self.is_any(at, &["must", "live", "lives", "go", "goes", "belong", "belongs"])
                    && !self.is_any(at + 1, &["be", "wrong"])
            }),
        }
    }

    /// "… in this repo".
    fn ends_in_project(&self) -> bool {
        let end = self.words().len();
        let place = |at: usize| {
            self.word(at) == "in"
                && self.is_any(at + 1, &["this", "our"])
                && PROJECT.contains(self.word(at + 2))
        };
        end.checked_sub(3).is_some_and(place)
    }

    /// Returns true for a verb of something that people do, or avoid, on purpose.
    fn is_rule(&self, at: usize) -> bool {
        let verb = self.word(at);
        let past = verb.len() > 4 && verb.ends_with("ed") && !verb.ends_with("eed");
        let known = HABITS.contains(verb) || ORDERS.contains(verb);
        known && !past && !HAPPENINGS.contains(verb) && !self.points_at(at + 1)
    }

    /// "Our convention is", "the rule here is".
    fn is_named_custom(&self, at: usize) -> bool {
        let ours = self.word(at - 1) == "our";
        let custom = match self.word(at) {
            "convention" => true,
            "policy" | "rule" | "practice" | "standard" | "style" => ours,
            "naming" | "coding" | "commit" => self.is_any(at + 1, &["convention", "style"]),
            _ => return false,
        };
        let at = at + usize::from(self.is_any(at + 1, &["convention", "style"]));
        let at = at + usize::from(self.word(at + 1) == "here");
        let is =
            self.is_any(at + 1, &["is", "says"]) || self.words().get(at).is_some_and(|w| w.colon);
        let said = self.words().len() > at + 3;
        custom && is && said && !self.is_any(at + 2, &["that's", "not", "wrong", "too", "unclear"])
    }
}
