//! Cues that state a preference, and contexts that veto them.

use crate::language::lexicon::preference::{
    AUXILIARIES, COPULAS, CUES, DENIALS, DETERMINERS, DUTIES, ELSEWHERE, FAULTS, HAPPENINGS, HERE,
    JOINTS, MOSTLY, ONCE, ONE, PASSING, PLACES, POINTERS, PRONOUNS, QUESTIONS, QUOTED, REPORTS,
    SUBJECTS, SURE, SYSTEMS, TASKS, THINGS, TROUBLES, VAGUE, WANTS,
};
pub(crate) use crate::language::words::{Word, words};
use crate::language::{cues::Family, sentence::Sentence};

/// Byte offsets: start of the clause, start and end of its cue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Clause {
    pub(crate) start: usize,
    pub(crate) cue: usize,
    pub(crate) end: usize,
}

/// Returns true if a message may contain a preference, by a fast check of its letters.
pub(crate) fn may_hold(message: &str) -> bool {
    if is_for_others(message) {
        return false;
    }
    let lower = message.to_ascii_lowercase();
    let one_space = |cue: &&str| {
        let (first, rest) = cue.split_once(' ').unwrap_or((cue, ""));
        lower.contains(first) && lower.contains(rest)
    };
    CUES.iter().any(one_space)
}

/// Returns true if a sentence has one of the phrases, whatever surrounds it.
pub(crate) fn mentions(words: &[Word]) -> bool {
    let said = SaidWords { words };
    (0..words.len()).any(|at| CUES.iter().any(|cue| said.reads(at, cue)))
}

/// Returns true if a message specifies what a program or another agent should do.
pub(crate) fn is_for_others(message: &str) -> bool {
    let lower = message.to_ascii_lowercase();
    ELSEWHERE.iter().any(|words| lower.contains(words))
}

/// Returns the clause that states a preference, if any.
pub(crate) fn stated(sentence: &Sentence, words: &[Word]) -> Option<Clause> {
    let said = SaidWords { words };
    if sentence.asked || said.asks() || said.is_about_one_task() {
        return None;
    }
    (0..words.len()).find_map(|at| {
        let cue = CUES.iter().find(|cue| said.reads(at, cue))?;
        let length = cue.split(' ').count();
        let end = words.get(at + length - 1)?.end;
        let stated = said.states(cue, at, length) && !said.is_reported(cue, at);
        let start = |at| words.get(at).map_or(0, |word: &Word| word.start);
        (stated && !said.is_about_one_place(at)).then(|| Clause {
            start: start(said.clause(at)),
            cue: start(at),
            end,
        })
    })
}

/// Returns the clause that says what is so from now on, without asking for anything: nobody but the
/// person knows whether it is a rule.
pub(crate) fn declared(sentence: &Sentence, words: &[Word]) -> Option<Clause> {
    let said = SaidWords { words };
    if sentence.asked || said.asks() || said.is_about_one_task() {
        return None;
    }
    ONWARD.iter().find_map(|cue| {
        let at = (0..words.len()).find(|at| said.reads(*at, cue))?;
        let next = at + cue.split(' ').count();
        let leads = said.apart(at) || ["so", "and", "but"].contains(&said.before(at, 1));
        let ends = said.word(next).is_empty();
        let from = if leads { next } else { said.clause(at) };
        // "Going forward the button" is about a button.
        let apart = *cue != "going forward" || ends || said.apart(next);
        let is_declared =
            apart && (leads != ends) && said.declares(from, if ends { at } else { words.len() });
        let start = |at| words.get(at).map_or(0, |word: &Word| word.start);
        let end = words.get(next - 1)?.end;
        is_declared.then(|| Clause { start: start(said.clause(at)), cue: start(at), end })
    })
}

/// Returns what a clause found by [`stated`] is about.
pub(crate) fn family(words: &[Word], clause: &Clause) -> Family {
    let said = SaidWords { words };
    let at = words.iter().position(|word| word.start == clause.cue);
    let named = at.is_some_and(|at| said.reads(at, "my name is"));
    if named { Family::Identity } else { Family::Preference }
}

/// Phrases by which a statement lasts.
const ONWARD: [&str; 2] = ["from now on", "going forward"];

/// The words of a sentence.
pub(crate) struct SaidWords<'a> {
    pub(crate) words: &'a [Word],
}

impl SaidWords<'_> {
    pub(crate) fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", |word| &word.text)
    }

    /// Returns the word `back` positions before, if it is in the same clause.
    pub(crate) fn before(&self, at: usize, back: usize) -> &str {
        let same = (at.saturating_sub(back) + 1..=at).all(|at| !self.apart(at));
        if same && back <= at { self.word(at - back) } else { "" }
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

    /// Detects a clause about one place in the code, or about the task that the sentence begins
    /// with.
    fn is_about_one_place(&self, at: usize) -> bool {
        let end = (at + 1..self.words.len()).find(|at| self.apart(*at)).unwrap_or(self.words.len());
        let clause = self.clause(at);
        let introduced = self.words.iter().take(at).any(|word| word.colon);
        let told = introduced || self.word(at + 1) == "use";
        PLACES.contains(self.word(end - 1)) || (clause > 0 && TASKS.contains(self.word(0)) && told)
    }

    /// Detects reported speech and denials.
    fn is_reported(&self, cue: &str, at: usize) -> bool {
        let quoted = |at: usize| {
            self.words.get(at).is_some_and(|word| word.colon) && QUOTED.contains(self.word(at))
        };
        let reported = (0..at).any(|at| REPORTS.contains(self.word(at)) || quoted(at));
        let clause = self.clause(at);
        let denied = (clause..at).any(|at| {
            let word = self.word(at);
            // "Stop adding comments from now on" is an order too.
            let order = at <= clause + 1 && ONWARD.contains(&cue);
            let reminder = word == "don't" && self.word(at + 1) == "forget";
            DENIALS.contains(word) && !order && !reminder
        });
        reported || denied
    }

    /// Returns true if the words around the cue at `at` confirm it.
    fn states(&self, cue: &str, at: usize, length: usize) -> bool {
        // "Remember that I prefer …"
        let told = self.before(at, 1) == "that" && self.before(at, 2) == "remember";
        let begins = self.apart(at) || told || JOINTS.contains(self.before(at, 1));
        let next = at + length;
        match cue {
            "always use" | "never use" => self.orders(at) && self.names_something(next),
            "please always" | "please never" => {
                self.before(at, 1) != "you" && !["", "mind"].contains(&self.word(next))
            }
            "i prefer" => begins && !self.word(next).is_empty() && !self.points(next),
            "i always" => begins && self.is_habit(next) && !self.is_trouble(next),
            "my name is" => {
                let name = self.word(next);
                begins && !name.is_empty() && !FAULTS.contains(name) && !self.is_trouble(next)
            }
            "i work" => begins && self.is_work(next) && !self.is_trouble(next),
            "from now on" | "going forward" => self.is_directive(cue, at, next),
            _ => self.is_fact(begins, at, next) && !self.is_trouble(next),
        }
    }

    /// Returns true if "always use" addresses the agent or a team, and does not describe a program.
    fn orders(&self, at: usize) -> bool {
        let (first, second) = (self.word(0), self.word(1));
        if self.apart(at) {
            // "When the flag is set, always use …" describes a program.
            let program = ["when", "if", "unless", "while"].contains(&first)
                && (DETERMINERS.contains(second) || ["no", "there", "this"].contains(&second));
            let duty = (0..at).any(|at| ["should", "must", "will"].contains(&self.word(at)));
            let other = SUBJECTS.contains(first) && duty;
            return at == 0 || !(program || other || ["it", "they", "he", "she"].contains(&first));
        }
        let back = |n| self.before(at, n);
        let ours = |word: &str| word == "you" || word == "we";
        match back(1) {
            "please" | "let's" | "lets" | "just" | "simply" => true,
            "we" | "i" => self.apart(at - 1) || JOINTS.contains(back(2)),
            "do" => self.apart(at - 1),
            "you" => SURE.contains(back(2)),
            "should" | "must" | "shall" => ours(back(2)),
            "to" => match back(2) {
                "have" | "need" | "ought" => ours(back(3)),
                "you" | "us" => WANTS.contains(back(3)),
                word => SURE.contains(word) || ["try", "like"].contains(&word),
            },
            // "In this repository always use", but not "in production the workers always use".
            _ => {
                let clause = self.clause(at);
                let place = ["in", "for", "with", "on", "within", "inside", "during"];
                let determined = (clause + 2..at).any(|at| DETERMINERS.contains(self.word(at)));
                let doing = self.word(clause) == "when" && self.word(clause + 1).ends_with("ing");
                (doing || place.contains(&self.word(clause)))
                    && at - clause <= 5
                    && !determined
                    && self.word(clause + 1) != "some"
                    && self.word(clause + 2) != "reason"
            }
        }
    }

    /// Returns true if the object has a name of its own.
    fn names_something(&self, at: usize) -> bool {
        let next = self.word(at);
        // "The use of" is a noun.
        !next.is_empty() && next != "of" && !POINTERS.contains(next)
    }

    /// Detects a reference to the conversation: "I prefer the second option".
    pub(crate) fn points(&self, at: usize) -> bool {
        let next = self.word(at);
        let short = next.chars().count() == 1 && next != "a";
        let which = [
            "first", "second", "third", "latter", "former", "other", "last", "previous",
            "original", "current", "new", "old", "one", "way", "version", "approach", "option",
        ];
        let the = next == "the" && which.contains(&self.word(at + 1));
        // "I prefer not to say", "I prefer x as the name".
        let silent = next == "not" && ["say", "answer", "share"].contains(&self.word(at + 2))
            || next == "to" && self.word(at + 1) == "first";
        let thing = |at: usize| self.word(at) == "the" && THINGS.contains(self.word(at + 1));
        let other = |at: usize| ["different", "another"].contains(&self.word(at));
        let named = next == "we" || (at..self.words.len()).any(|at| thing(at) || other(at));
        POINTERS.contains(next)
            || silent
            || named
            || short
            || the
            || ["your", "option", "approach", "version", "plan"].contains(&next)
    }

    /// "I always run the tests", but not "I always get an error".
    fn is_habit(&self, at: usize) -> bool {
        let verb = self.word(at);
        let past = verb.len() > 4 && verb.ends_with("ed") && !verb.ends_with("eed");
        let slip = verb == "make" && (at..at + 4).any(|at| self.word(at).starts_with("mistake"));
        let into = verb == "run" && ["into", "out"].contains(&self.word(at + 1));
        !verb.is_empty()
            && !past
            && !slip
            && !into
            && !HAPPENINGS.contains(verb)
            && !self.points(at + 1)
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

    /// "I work at", but not "I work on this now".
    fn is_work(&self, at: usize) -> bool {
        let next = self.word(at + 1);
        let vague = next == "the" && VAGUE.contains(self.word(at + 2));
        let named = !next.is_empty() && !POINTERS.contains(next) && !HERE.contains(next) && !vague;
        match self.word(at) {
            "for" | "at" | "in" | "from" | "as" => named,
            "with" => named && (at..self.words.len()).any(|at| MOSTLY.contains(self.word(at))),
            "on" => {
                let system = |at| SYSTEMS.contains(self.word(at));
                system(at + 1)
                    || (["a", "an", "my"].contains(&next) && (system(at + 2) || system(at + 3)))
            }
            word if MOSTLY.contains(word) => self.is_work(at + 1),
            "remotely" | "alone" | "solo" | "nights" | "part-time" | "full-time" | "weekends" => {
                true
            }
            _ => false,
        }
    }

    /// Detects "from now on", before or after an order.
    fn is_directive(&self, cue: &str, at: usize, next: usize) -> bool {
        let ends = self.word(next).is_empty()
            || (self.word(next) == "please" && self.word(next + 1).is_empty());
        let leads = self.apart(at) || ["so", "and", "but", "please"].contains(&self.before(at, 1));
        if leads && !ends {
            let subject = self.word(next);
            let duty = (next..next + 8).any(|at| DUTIES.contains(self.word(at)));
            let onward = cue == "going forward" && !self.apart(next);
            // A button, or a direction.
            let thing = onward && ["is", "was", "does", "works"].contains(&self.word(next + 1));
            return match subject {
                "with" | "to" | "in" => !onward,
                "back" | "backward" | "backwards" | "sideways" => false,
                _ if thing => false,
                "it" | "it'll" | "there" | "they" | "he" | "she" | "that" | "is" | "means"
                | "will" | "until" | "till" => false,
                "i" | "i'm" | "i'll" => WANTS.contains(self.word(next + 1)),
                "the" | "this" | "these" | "those" | "all" | "every" | "each" | "our" | "my" => {
                    duty
                }
                // A role for the agent.
                "you" => !["are", "will", "have"].contains(&self.word(next + 1)),
                "we" => {
                    let verb = self.word(next + 1);
                    !["are", "have", "were"].contains(&verb) || self.word(next + 2).ends_with("ing")
                }
                _ => true,
            };
        }
        // At the end, it must follow an order.
        let clause = self.clause(at.saturating_sub(usize::from(self.apart(at))));
        let (first, second) = (self.word(clause), self.word(clause + 1));
        let told = match first {
            "i" => WANTS.contains(second),
            "you" => DUTIES.contains(second),
            word if JOINTS.contains(word) => !AUXILIARIES.contains(second),
            word => !SUBJECTS.contains(word),
        };
        let other = ["before", "for", "of", "keep", "is", "are", "by"];
        ends && told && at > clause + 1 && !other.contains(&self.before(at, 1))
    }

    /// Returns true if the words say what a thing of the project is or where: "the staging database is
    /// read-only", but not "the tests are failing".
    fn declares(&self, from: usize, end: usize) -> bool {
        let determined = ["the", "this", "these", "those", "all", "every", "each", "our", "my"];
        let verb = (from + 2..end.min(from + 7)).find(|at| COPULAS.contains(self.word(*at)));
        let Some(verb) = verb.filter(|_| determined.contains(&self.word(from))) else {
            return false;
        };
        let first = self.word(from + 1);
        // "These are …" names nothing.
        let named = !COPULAS.contains(first) && !AUXILIARIES.contains(first);
        let thing = self.word(from) == "the" && THINGS.contains(first);
        let said = |word: &str| REPORTS.contains(word) || DENIALS.contains(word);
        let other = (0..verb).any(|at| said(self.word(at)));
        let whole = !(from + 1..=verb + 1).any(|at| self.apart(at));
        let value = self.word(verb + 1);
        let placed = ["in", "at", "on", "under", "below", "above"].contains(&value);
        let known = !value.is_empty()
            && (placed && verb + 2 < end || !FAULTS.contains(value) && !DENIALS.contains(value))
            && !POINTERS.contains(value)
            && !value.ends_with("ing");
        let passes = (from..end).any(|at| PASSING.contains(self.word(at)));
        named
            && !thing
            && !other
            && whole
            && known
            && verb + 1 < end
            && !passes
            && !self.is_trouble(from)
            && !PLACES.contains(self.word(end - 1))
    }

    /// "My timezone is UTC", "timezone: UTC", "UTC is my timezone".
    fn is_fact(&self, begins: bool, at: usize, next: usize) -> bool {
        let colon = self.words.get(next - 1).is_some_and(|word| word.colon);
        let is = ["is", "are", "remains", "includes", "consists"].contains(&self.word(next));
        let value = self.word(if is { next + 1 } else { next });
        let said =
            (is && !self.apart(next) || colon) && !value.is_empty() && !FAULTS.contains(value);
        let turned = next >= self.words.len()
            && self.before(at, 1) == "is"
            && (2..5).contains(&at)
            && !["it", "this", "that"].contains(&self.word(0));
        (begins && said) || turned
    }
}
