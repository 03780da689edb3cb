//! What a person tells for good: what was wrong, how things are done here, what was chosen, and
//! what went wrong before.

use super::{
    Draft, Kind, Sentence,
    words::{
        FINITE, HABITS, IRREGULAR, LOCAL, LOOSE, NOT_HOW, ORDERS, PROJECT, PROPOSALS, REASONS,
        SLIPS, UNKNOWN, WRONG,
    },
};
use crate::text::preference::{
    cue::{self, Said, Word},
    words::{HAPPENINGS, POINTERS, REPORTS, TASKS, TROUBLES},
};

/// Whether a sentence only says that something was wrong: what is right comes next.
pub(super) fn only_corrects(sentence: &Sentence) -> bool {
    let words = cue::words(&sentence.masked);
    let line = Line { sentence, said: Said { words: &words } };
    !sentence.asked && line.behind_correction().is_some_and(|at| at >= words.len())
}

/// What a sentence of a user states; `corrected` says that the one before it was a correction.
pub(super) fn read(sentence: &Sentence, corrected: bool) -> Option<Draft> {
    let words = cue::words(&sentence.masked);
    let line = Line { sentence, said: Said { words: &words } };
    if line.is_idle() {
        return None;
    }
    line.correction(corrected)
        .or_else(|| line.labelled())
        .or_else(|| line.clauses().find_map(|at| line.choice(at)))
        .or_else(|| line.clauses().find_map(|at| line.slip(at)))
        .or_else(|| line.convention())
}

/// What an item of a log notes, but for what is done.
pub(super) fn noted(sentence: &Sentence) -> Option<Draft> {
    let words = cue::words(&sentence.masked);
    let line = Line { sentence, said: Said { words: &words } };
    if line.is_idle() {
        return None;
    }
    line.labelled().or_else(|| line.choice(0)).or_else(|| line.convention())
}

/// A sentence and its words.
struct Line<'a> {
    sentence: &'a Sentence,
    said: Said<'a>,
}

impl Line<'_> {
    fn words(&self) -> &[Word] {
        self.said.words
    }

    fn word(&self, at: usize) -> &str {
        self.said.word(at)
    }

    fn is_any(&self, at: usize, words: &[&str]) -> bool {
        words.contains(&self.word(at))
    }

    /// The text from a word to the end.
    fn from(&self, at: usize) -> &str {
        let start = self.words().get(at).map_or(self.sentence.text.len(), |word| word.start);
        self.sentence.text.get(start..).unwrap_or_default()
    }

    /// Questions, and what is of today only.
    fn is_idle(&self) -> bool {
        self.sentence.asked || self.said.asks() || self.said.is_about_one_task()
    }

    /// Where clauses begin that nothing before them reports or supposes.
    fn clauses(&self) -> impl Iterator<Item = usize> + '_ {
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

    /// The first of several wordings that begins at a word, as the place behind it.
    fn behind(&self, at: usize, wordings: &[&str]) -> Option<usize> {
        let found = wordings.iter().find(|words| self.said.reads(at, words))?;
        Some(at + found.split(' ').count())
    }

    /// Whether what is said from a word on can be understood without what was said before.
    fn stands_alone(&self, from: usize) -> bool {
        self.stands_alone_until(from, self.words().len())
    }

    fn stands_alone_until(&self, from: usize, end: usize) -> bool {
        let local = |at: usize| {
            let near = |at: usize| LOCAL.contains(self.word(at));
            self.is_any(at, &["the", "that", "this"])
                && !self.said.apart(at + 1)
                && (near(at + 1) || near(at + 2))
        };
        let errand = |at: usize| {
            let word = self.word(at);
            let order = TASKS.contains(word)
                || ["revert", "please", "can", "could", "undo"].contains(&word);
            at > from && self.said.apart(at) && order
        };
        let reported = |at: usize| REPORTS.contains(self.word(at));
        !(from..end).any(|at| self.is_loose(at) || local(at) || errand(at) || reported(at))
    }

    /// Whether a word stands for something else.
    fn is_loose(&self, at: usize) -> bool {
        let before = at.checked_sub(1).map_or("", |at| self.word(at));
        match self.word(at) {
            "this" | "these" | "those" => !PROJECT.contains(self.word(at + 1)),
            "one" | "ones" => ["the", "old", "new", "other", "right", "correct", "wrong", "real"]
                .contains(&before),
            word => LOOSE.contains(word),
        }
    }

    /// Behind what says that something is wrong.
    fn behind_correction(&self) -> Option<usize> {
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

    fn correction(&self, corrected: bool) -> Option<Draft> {
        let lesson = |at: usize| Draft::new(Kind::Lesson, self.from(at));
        let told = self.behind_correction().or(corrected.then_some(0));
        if let Some(at) = told.filter(|at| self.is_fact(*at) || self.is_swap(*at)) {
            return Some(lesson(at));
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
        self.clauses().find(|at| self.is_reproach(*at)).map(lesson)
    }

    /// "…, not milliseconds".
    fn contrasts(&self, from: usize) -> bool {
        let end = self.words().len();
        (from + 2..end).any(|at| {
            let other = self.word(at) == "not" && self.said.apart(at) && at + 1 < end;
            other || self.said.reads(at, "instead of") || self.said.reads(at, "rather than")
        })
    }

    /// A fact: something known, and what it always does.
    fn is_fact(&self, from: usize) -> bool {
        let first = self.word(from);
        let duty = ["have to", "need to", "must", "can't", "cannot"];
        let known = match first {
            "you" => duty.iter().any(|words| self.said.reads(from + 1, words)),
            "that" | "" => false,
            _ => !UNKNOWN.contains(first) && !TASKS.contains(first) && !ORDERS.contains(first),
        };
        let verb = (from + 1..from + 9)
            .find(|at| FINITE.contains(self.word(*at)) && !self.said.apart(*at));
        let should = (from..self.words().len())
            .any(|at| self.is_any(at, &["should", "shouldn't", "i", "i'm", "me", "was", "were"]));
        known && verb.is_some() && !should && !self.said.is_trouble(from) && self.stands_alone(from)
    }

    /// "Use x instead of y", "don't use x, use y", both with names of their own.
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
        done && self.words().len() > next + 2 && self.stands_alone(next + 1)
    }

    /// "Decision: …", "lesson learned: …".
    fn labelled(&self) -> Option<Draft> {
        let labels: &[(Kind, &[&str])] = &[
            (Kind::Decision, &["decision", "decided"]),
            (
                Kind::Lesson,
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
            (Kind::Pattern, &["convention", "our convention", "house rule", "project convention"]),
        ];
        let (kind, at) = labels.iter().find_map(|(kind, wordings)| {
            let longest = wordings.iter().filter(|words| self.said.reads(0, words));
            let length = longest.map(|words| words.split(' ').count()).max()?;
            Some((*kind, length))
        })?;
        let colon = self.words().get(at - 1).is_some_and(|word| word.colon);
        let named = self.words().len() >= at + 2
            && !UNKNOWN.contains(self.word(at))
            && !(kind == Kind::Decision && PROPOSALS.contains(self.word(at)));
        (colon && named && self.stands_alone(at)).then(|| Draft::new(kind, self.from(at)))
    }

    /// "Let's go with …", "we decided to …", "I chose x over y".
    fn choice(&self, at: usize) -> Option<Draft> {
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
        let end = self.end_of_choice(next);
        let enough = end > next + usize::from(verb == "Decided" || verb == "Agreed");
        let text = self.between(next, end)?;
        (said && enough && self.stands_alone_until(next, end))
            .then(|| Draft::new(Kind::Decision, format!("{verb} {text}")))
    }

    /// Where a clause begins that says something else.
    fn end_of_choice(&self, from: usize) -> usize {
        let other = |at: &usize| {
            let word = self.word(*at);
            self.said.apart(*at) && (UNKNOWN.contains(word) || TASKS.contains(word))
        };
        (from + 1..self.words().len()).find(other).unwrap_or(self.words().len())
    }

    /// The text from a word up to another.
    fn between(&self, from: usize, until: usize) -> Option<&str> {
        let start = self.words().get(from)?.start;
        let end = if until < self.words().len() {
            self.words().get(until.checked_sub(1)?)?.end
        } else {
            self.sentence.text.len()
        };
        self.sentence.text.get(start..end)
    }

    /// Whether what was chosen has a name: not "the second one", nor "a loop".
    fn is_named(&self, at: usize) -> bool {
        let first = self.word(at);
        let proposed = (at..at + 5).any(|at| PROPOSALS.contains(self.word(at)));
        let article = ["a", "an", "the", "some", "two", "three"].contains(&first);
        let why = (at + 1..self.words().len()).any(|at| REASONS.contains(self.word(at)));
        let letter = first.chars().count() == 1 && !article;
        !first.is_empty() && !proposed && !letter && !POINTERS.contains(first) && (!article || why)
    }

    /// "You forgot to …", "you keep …ing", "you … again".
    fn slip(&self, at: usize) -> Option<Draft> {
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
        // "Again" at the end is not part of what went wrong.
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
        alone.then(|| Draft { kind: Kind::Mistake, text: format!("{said} {rest}"), again })
    }

    /// "In this project we …", "we never …", "our convention is …".
    fn convention(&self) -> Option<Draft> {
        let whole = |at: usize| Some(Draft::new(Kind::Pattern, self.from(at)));
        let good = |at: usize| !self.said.is_trouble(at) && self.stands_alone(at);
        if let Some(at) = self.behind_place() {
            return whole(0).filter(|_| self.is_custom(at) && good(at));
        }
        if self.is_any(0, &["always", "never"]) && self.is_rule(1) {
            return whole(0).filter(|_| good(1));
        }
        if self.word(0) == "this"
            && PROJECT.contains(self.word(1))
            && self.is_any(2, &["uses", "follows", "targets"])
        {
            return whole(0).filter(|_| !self.is_any(3, &["to", "a", "an"]) && good(3));
        }
        self.clauses().find_map(|at| {
            let customary = match self.word(at) {
                "we" => {
                    let duty = usize::from(self.is_any(at + 1, &["should", "must"]));
                    let always = self.is_any(at + 1 + duty, &["always", "never"]);
                    always && self.is_rule(at + 2 + duty)
                }
                "our" | "the" => self.is_named_custom(at + 1),
                "by" => self.word(at + 1) == "convention" && self.words().len() > at + 4,
                _ => false,
            };
            whole(at).filter(|_| customary && good(at))
        })
    }

    /// Behind "in this project", "here" and the like at the beginning.
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

    /// What is done there, by us or by everything of a kind.
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

    /// A verb of what people do, or leave alone, on purpose.
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

    fn points_at(&self, at: usize) -> bool {
        let word = self.word(at);
        POINTERS.contains(word) || TROUBLES.contains(word)
    }
}
