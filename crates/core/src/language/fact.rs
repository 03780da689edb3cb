//! What a person tells of a project without any cue: facts (`our local Postgres listens on 5433`), and
//! decisions as news (`the team moved to pnpm last week`).
//!
//! A sentence counts if it gives a value to a subject, in the present, about no moment, no person and no
//! fault. Whether it stays true only the person knows, unless it speaks for the project.

use std::ops::Range;

use super::{
    lexicon::{
        Words,
        fact::{
            ADRIFT, ALWAYS, ANY, ASKING, BEHIND_ORDERS, COMING, DECIDED, DECIDING, DEGREES,
            DOUBTFUL, DUTY, FAULTY, FINITE, GROUNDS, HABITUAL, HISTORY, HOLDING, JOINING, JUDGING,
            LEADING, MOMENTARY, MOVED, NAMELESS, NOTHING, OF_SEVERAL, OURS, PARTS, PASSING, PAST,
            PERSONS, PLACED, PLURAL, POINTING, SAYING, STANDING, TEAM, TIMES, TURNS, UNNEEDED,
            WANTING, WHITHER, WHOLES,
        },
        pasted::ORDERS,
    },
    paraphrase::words::{self as paraphrased, List},
    sentence::Sentence,
    slot::Slots,
    words::Word,
};

/// Words of a sentence.
const SHORTEST: usize = 3;
const LONGEST: usize = 22;

/// What a sentence tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToldFact {
    /// It speaks for the project.
    Sure,
    /// It may be of the moment.
    Likely,
}

/// Returns a word in lower case; empty where there is none.
fn text(words: &[Word], at: usize) -> &str {
    words.get(at).map_or("", |word| &word.text)
}

/// Returns what a sentence tells of a project, if it tells anything.
pub(super) fn told(sentence: &Sentence, words: &[Word]) -> Option<ToldFact> {
    let words = before_consequence(words);
    let has = |list: &Words| words.iter().any(|word| list.contains(&word.text));
    if sentence.asked || !(SHORTEST..=LONGEST).contains(&words.len()) {
        return None;
    }
    if has(&FAULTY) && !is_lesson(words) || has(&PASSING) || is_of_the_moment(words) {
        return None;
    }
    if is_lesson(words) || is_news(words) {
        return Some(ToldFact::Sure);
    }
    if has(&PERSONS)
        || has(&POINTING)
        || has(&PAST)
        || text(words, 0) == "we" && WANTING.contains(text(words, 1))
        || sentence.text.contains('/') && !is_ours(words)
    {
        return None;
    }
    let is_short = words.len() <= 7 && words.iter().skip(1).all(|word| !word.apart);
    let holds = || is_short && has(&ALWAYS) || Slots::of(&sentence.text).gives_a_value();
    (is_told(words) && holds())
        .then(|| if is_ours(words) { ToldFact::Sure } else { ToldFact::Likely })
}

/// Returns the words before what happens otherwise: `the worker needs 4 GB | or it gets killed`.
fn before_consequence(words: &[Word]) -> &[Word] {
    let needs = |at: usize| ["need", "needs", "must", "requires"].contains(&text(words, at));
    let otherwise = |at: &usize| {
        let who = ["it", "they", "else", "the", "you"];
        let is_or = text(words, *at) == "or" && who.contains(&text(words, at + 1));
        ["otherwise", "sonst", "sinon"].contains(&text(words, *at)) || is_or && (1..*at).any(needs)
    };
    let end = (2..words.len()).find(otherwise).unwrap_or(words.len());
    words.get(..end).unwrap_or(words)
}

/// Returns true for a report of how things go or look now: `the tests are passing`, `Looks like …`, `the
/// output is good`.
fn is_of_the_moment(words: &[Word]) -> bool {
    let ends = |at: usize| words.get(at).is_none_or(|word| word.apart);
    let goes = |at: usize| {
        let is_going =
            text(words, at).ends_with("ing") && (ends(at + 1) || text(words, at + 1) == "and");
        ["is", "are"].contains(&text(words, at - 1))
            && (is_going || JUDGING.contains(text(words, at)))
    };
    let comes = |at: usize| {
        text(words, at) == "in"
            && COMING.contains(text(words, at - 1))
            && (1..3).any(|next| TIMES.contains(text(words, at + next)))
    };
    // `The text is very small`, `context does not work`, `FOO is not set`.
    let is_judged = |at: usize| {
        let (before, next) = (text(words, at - 1), text(words, at + 1));
        DEGREES.contains(text(words, at)) && FINITE.contains(before)
            || text(words, at) == "not"
                && (["does", "do"].contains(&before) && next == "work"
                    || before == "is" && ["set", "found"].contains(&next))
    };
    LEADING.contains(text(words, 0))
        || (1..words.len()).any(|at| goes(at) || comes(at) || is_judged(at))
}

/// Returns true for `no, not npm test`.
pub(super) fn denies(words: &[Word]) -> bool {
    let says_no = |at: usize| {
        ["not", "nicht", "pas"].contains(&text(words, at))
            && !DOUBTFUL.contains(text(words, at + 1))
    };
    says_no(0) || ["no", "nope", "nein", "nee", "non"].contains(&text(words, 0)) && says_no(1)
}

/// Returns true for what is named in place of something that was denied just before.
pub(super) fn is_instead(sentence: &Sentence, words: &[Word]) -> bool {
    let first = text(words, 0);
    ["it's", "its", "that's", "es", "c'est"].contains(&first) && sentence.text.contains('`')
}

/// Returns true for a sentence about what is over.
pub(super) fn is_over(words: &[Word]) -> bool {
    words.iter().any(|word| HISTORY.contains(&word.text))
}

/// Returns true for a sentence that tells something and neither orders nor heads it.
fn is_told(words: &[Word]) -> bool {
    let is_headed = words.iter().take(2).any(|word| word.colon);
    let is_finite = |at: usize| {
        let before = text(words, at - 1);
        let plural = before.ends_with('s') && !before.contains('\'')
            || ["we", "nous", "wir"].contains(&before);
        FINITE.contains(text(words, at)) || plural && PLURAL.contains(text(words, at))
    };
    !begins_as_order(words)
        && !is_headed
        && !is_followed(words)
        && !ASKING.contains(text(words, 0))
        && (1..words.len()).any(is_finite)
}

fn begins_as_order(words: &[Word]) -> bool {
    let (first, verb) = (text(words, 0), text(words, 2));
    // `Release branches are cut`, `clean builds take`.
    let holds = OF_SEVERAL.contains(verb) || HOLDING.contains(verb);
    let is_subject = text(words, 1).ends_with('s') && holds;
    !(is_subject || first == "do" && text(words, 1) == "not")
        && (PLURAL.contains(first)
            || ORDERS.contains(first)
            || paraphrased::is(List::Imperative, first)
            || paraphrased::is(List::Command, first))
}

/// Returns true if a sentence without others may be told for a task: it orders something, also behind
/// what is so, or reports what does not work.
pub(super) fn is_of_a_task(words: &[Word]) -> bool {
    let orders = |at: usize| {
        let verb = text(words, at);
        let is_apart = words.get(at).is_some_and(|word| word.apart);
        let is_verb = !JOINING.contains(verb) && !BEHIND_ORDERS.contains(verb);
        is_apart && is_verb && BEHIND_ORDERS.contains(text(words, at + 1))
    };
    let is_missing = |at: usize| {
        let before = text(words, at - 1);
        let next = text(words, at + 1);
        match text(words, at) {
            "not" => ["is", "are"].contains(&before) && next.ends_with("ed"),
            "pas" => ["est", "sont"].contains(&before),
            "no" => ["está", "están"].contains(&next),
            _ => false,
        }
    };
    let is_status = |word: &Word| word.text.parse().is_ok_and(|code| (400..600).contains(&code));
    begins_as_order(words)
        || is_followed(words)
        || words.iter().any(is_status)
        || (1..words.len()).any(|at| orders(at) || is_missing(at))
}

/// Returns true if behind a fact comes what may be the work that it is told for.
fn is_followed(words: &[Word]) -> bool {
    words.iter().skip(1).any(|word| {
        word.apart && (PLURAL.contains(&word.text) || paraphrased::is(List::Imperative, &word.text))
    })
}

fn is_ours(words: &[Word]) -> bool {
    let first = text(words, 0);
    OURS.contains(first) && first != "the"
}

/// Returns true for `lesson learned today: …`.
fn is_lesson(words: &[Word]) -> bool {
    ["lesson", "lessons"].contains(&text(words, 0))
        && ["learned", "learnt"].contains(&text(words, 1))
}

/// Returns true if a sentence tells what those have decided who decide.
fn is_news(words: &[Word]) -> bool {
    (0..words.len()).any(|at| {
        let by = at.saturating_sub(4)..at;
        MOVED.contains(text(words, at))
            && WHITHER.contains(text(words, at + 1))
            && !POINTING.contains(text(words, at + 2))
            && !MOMENTARY.contains(text(words, at + 2))
            && by.start == 0
            && by.clone().any(|before| TEAM.contains(text(words, before)))
            && !by.clone().any(|before| PERSONS.contains(text(words, before)))
    })
}

/// Words of a sentence that lasts.
const LENGTH: Range<usize> = 4..27;
/// Words within which its verb stands.
const NEAR: usize = 9;
/// Signs that make a sentence last.
const ENOUGH: i32 = 2;

/// Returns true for a sentence of the past that lasts by its build: a reason and what follows from it, a
/// condition on anything of a kind, what a team does or gave up, or enough signs of what holds beyond today.
pub(super) fn is_lasting(sentence: &Sentence, words: &[Word]) -> bool {
    let all = words.len();
    let words = before_consequence(words);
    let built = SentenceBuild { sentence, words };
    let is_headed = words.iter().take(4).any(|word| word.colon);
    // Programs begin so: `✨ Installed and ready`, and who names a file: `@notes`.
    let is_printed = sentence.text.starts_with(|c: char| {
        c == '@' || !c.is_ascii() && !c.is_alphanumeric() && !"“„«".contains(c)
    });
    let is_reported = words.iter().take(4).any(|word| SAYING.contains(&word.text));
    let is_out =
        sentence.asked || is_headed || is_printed || is_reported || !LENGTH.contains(&words.len());
    if is_out || built.has(&PASSING) || is_of_the_moment(words) {
        return false;
    }
    match built.text(0) {
        "if" | "when" | "whenever" | "wenn" => built.is_conditional(),
        // A question, with or without its mark.
        "where" | "what" | "why" | "how" | "who" | "which" | "wo" | "warum" | "wie" => false,
        _ if (3..words.len()).any(|at| built.follows(at)) => true,
        _ if built.forbids_for_a_reason(words.len() < all) => true,
        "we" if built.gave_up() => true,
        "the" | "we" if built.decides() => true,
        "it's" | "that's" => built.text(1) == "not" && built.is_of_two_names(),
        _ if !built.is_clear(usize::from(built.is_german())..words.len()) => false,
        "we" => built.is_custom(),
        "do" | "check" | "open" | "edit" | "ask" => false,
        "no" if built.has(&NOTHING) => false,
        first if STANDING.contains(first) || first == "write" => built.is_order(),
        _ => !begins_as_order(words) && built.signs() >= ENOUGH,
    }
}

struct SentenceBuild<'a> {
    sentence: &'a Sentence,
    words: &'a [Word],
}

impl SentenceBuild<'_> {
    fn text(&self, at: usize) -> &str {
        text(self.words, at)
    }

    fn is_apart(&self, at: usize) -> bool {
        self.words.get(at).is_some_and(|word| word.apart)
    }

    fn any(&self, mut range: Range<usize>, list: &Words) -> bool {
        range.any(|at| list.contains(self.text(at)))
    }

    fn has(&self, list: &Words) -> bool {
        self.any(0..self.words.len(), list)
    }

    fn is_plural(&self, at: usize) -> bool {
        let word = self.text(at);
        word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") && !word.contains('\'')
    }

    /// Returns true for a verb that tells how things are.
    fn holds(&self, at: usize) -> bool {
        at > 0 && (HOLDING.contains(self.text(at)) || FINITE.contains(self.text(at)))
    }

    /// Returns true for a word that tells of something wrong. `Error messages`, and `warnings` as a kind,
    /// do not.
    fn is_faulty(&self, at: usize) -> bool {
        let next = self.text(at + 1);
        let is_kind = self.text(at) == "instead" && next == "of"
            || self.is_plural(at + 1) && !self.holds(at + 1) && next != "does"
            || at < 2 && self.is_plural(at);
        FAULTY.contains(self.text(at)) && !is_kind
    }

    /// Returns true if a part is of no person, no moment and nothing wrong.
    fn is_clear(&self, range: Range<usize>) -> bool {
        let led = (3..self.words.len()).find(|at| self.is_apart(*at));
        // Behind a comma `it` is what the sentence is about, and `that` behind a plural.
        let is_own = |at: usize| match self.text(at) {
            "it" => led.is_some_and(|led| at > led),
            "that" => at > 0 && self.is_plural(at - 1),
            "this" => self.is_of_project(at),
            _ => false,
        };
        let points = |at: usize| POINTING.contains(self.text(at)) && !is_own(at);
        !range.clone().any(|at| points(at) || self.is_faulty(at)) && !self.any(range, &PERSONS)
    }

    /// ``It's not `make test`, it's `just test` ``.
    fn is_of_two_names(&self) -> bool {
        let text = self.sentence.text.trim_end_matches('.');
        text.ends_with('`') && text.matches('`').count() == 4
    }

    /// `In this repository`.
    fn is_of_project(&self, at: usize) -> bool {
        let led = at > 0 && ["in", "of", "across"].contains(&self.text(at - 1));
        led && self.text(at) == "this" && WHOLES.contains(self.text(at + 1))
    }

    /// Returns true for a word that begins an order about how things are done.
    fn lasts(&self, at: usize) -> bool {
        STANDING.contains(self.text(at)) && !NAMELESS.contains(self.text(at + 1))
    }

    /// Returns true if an order begins at a word that follows from what was told before it.
    fn follows(&self, at: usize) -> bool {
        let is_so = self.text(at) == "so";
        let order = at + usize::from(is_so || self.text(at) == "please");
        let of_it = || {
            let next = self.text(order + 1);
            STANDING.contains(self.text(order)) && ["it", "them", "not"].contains(&next)
        };
        let orders = || self.lasts(order) || of_it() || is_so && ANY.contains(self.text(order));
        (self.is_apart(at) || is_so)
            && at + 1 < self.words.len()
            && orders()
            && self.is_clear(0..at)
            && (1..at).any(|at| self.holds(at))
    }

    fn is_conditional(&self) -> bool {
        let is_bare = |at: usize| {
            let word = self.text(at);
            let is_verb = !NAMELESS.contains(word) && !word.ends_with('s') && !word.ends_with("ed");
            is_verb && word.bytes().all(|byte| byte.is_ascii_alphabetic())
        };
        (3..self.words.len() - 1).filter(|at| self.is_apart(*at)).any(|at| {
            let is_of_any = self.any(1..at, &ANY) || self.is_plural(1);
            let is_mine = (0..at).any(|at| ["i", "my", "ich"].contains(&self.text(at)));
            !is_mine && !self.any(0..at, &POINTING) && (self.lasts(at) || is_of_any && is_bare(at))
        })
    }

    /// `We moved the queue from RabbitMQ to SQS`, `we abandoned it, the grammar changes too often`.
    fn gave_up(&self) -> bool {
        let verb = self.text(1);
        let gave_up = verb.ends_with("ed") || verb == "had" || DECIDED.contains(verb);
        let because = |at: usize| {
            self.is_apart(at) || ["because", "since", "so", "from"].contains(&self.text(at))
        };
        let points = |at: usize| POINTING.contains(self.text(at)) && self.text(at) != "it";
        gave_up
            && !self.has(&PERSONS)
            && !(0..self.words.len()).any(points)
            && (3..self.words.len()).any(because)
    }

    /// `The team agreed on trunk based development`.
    fn decides(&self) -> bool {
        let verb = if self.text(0) == "we" { 1 } else { 2 };
        let faulty = (0..self.words.len()).any(|at| self.is_faulty(at));
        DECIDING.contains(self.text(verb)) && !faulty && !self.has(&PERSONS)
    }

    /// `We render mails with MJML`.
    fn is_custom(&self) -> bool {
        let verb = 1 + usize::from(["don't", "never", "always", "also"].contains(&self.text(1)));
        let is_named =
            |at: usize| !WANTING.contains(self.text(at)) && !NAMELESS.contains(self.text(at));
        let contrasts = (4..self.words.len()).any(|at| self.is_apart(at) && self.text(at) == "not");
        is_named(verb)
            && (is_named(verb + 1) || contrasts || self.is_bounded())
            && !self.has(&PAST)
            && !self.text(verb).ends_with("ly")
    }

    /// `Use British spelling in texts for users`, `don't write to stdout from library code`.
    fn is_order(&self) -> bool {
        let forbids = ["no", "don't", "never"].contains(&self.text(0));
        let is_about = |at: usize| {
            let word = self.text(at);
            let is_named =
                forbids || self.is_of_project(at + 1) || !NAMELESS.contains(self.text(at + 1));
            is_named
                && ["for", "in", "with", "instead", "without", "by", "under", "from", "outside"]
                    .contains(&word)
        };
        let is_any = |at: usize| self.is_plural(at) && self.text(at - 1) != "the";
        (2..self.words.len()).any(|at| is_about(at) || forbids && is_any(at))
    }

    /// `Don't push to main, it's protected`. The reason may well be a fault, also one that `follows`
    /// behind the words.
    fn forbids_for_a_reason(&self, follows: bool) -> bool {
        let verb = match (self.text(0), self.text(1)) {
            ("don't" | "dont" | "nicht" | "ne", _) => 1,
            ("do", "not") | ("bitte", "nicht") => 2,
            _ => return false,
        };
        let reason = (verb + 2..self.words.len()).find(|at| {
            self.is_apart(*at) && GROUNDS.contains(self.text(*at)) || self.text(*at) == "because"
        });
        reason.or(follows.then_some(self.words.len())).is_some_and(|at| {
            !["a", "an"].contains(&self.text(verb + 1))
                && self.is_clear(verb + 1..at)
                && !self.any(at..self.words.len(), &UNNEEDED)
        })
    }

    /// Returns true for what several do: `hold`, but not `held` or `holds`.
    fn is_act(&self, at: usize) -> bool {
        let verb = self.text(at);
        let of_one = format!("{verb}s");
        (HOLDING.contains(verb) || PLURAL.contains(verb))
            && (HOLDING.contains(&of_one) || FINITE.contains(&of_one))
    }

    fn second(&self) -> &str {
        self.sentence.text.split(' ').nth(1).unwrap_or_default()
    }

    /// Returns true for `Das Backend`, but not for `das ist`.
    fn is_german(&self) -> bool {
        ["der", "die", "das"].contains(&self.text(0))
            && self.second().starts_with(char::is_uppercase)
    }

    /// Returns true if something has a number, or happens again and again.
    fn is_bounded(&self) -> bool {
        let counts = |word: &Word| word.text.starts_with(|c: char| c.is_ascii_digit());
        self.has(&HABITUAL) || self.words.iter().skip(2).any(counts)
    }

    /// Counts what speaks for a sentence.
    fn signs(&self) -> i32 {
        let near = |is: &dyn Fn(usize) -> bool| i32::from((1..NEAR).any(is));
        let is_verb =
            |at: usize| ["is", "are", "sind", "ist", "wird", "werden"].contains(&self.text(at));
        let duty = near(&|at| match self.text(at) {
            verb if DUTY.contains(verb) => true,
            "needs" | "need" => !["another", "more", "some"].contains(&self.text(at + 1)),
            "may" => self.text(at + 1) == "not" || self.text(0) == "only",
            "has" | "have" => self.text(at + 1) == "to",
            "can" => self.is_plural(0),
            _ => false,
        });
        let done = near(&|at| {
            let word = self.text(at);
            let is_done = word.ends_with("ed") || word.ends_with("en");
            (is_done || ["read", "kept", "built", "shut", "run", "sent", "set"].contains(&word))
                && (is_verb(at - 1) || at > 1 && self.text(at - 1) == "only" && is_verb(at - 2))
        });
        let first = self.text(0);
        // What is so of a kind has an article there.
        let of_others = ["les", "los", "las"].contains(&first)
            && !["deux", "trois", "dos", "tres"].contains(&self.text(1))
            && !self.any(1..3, &PARTS);
        let is_of_kind = of_others
            || self.is_plural(0) && !NAMELESS.contains(first) && !self.holds(0)
            || self.is_plural(1) && !NAMELESS.contains(first) && !self.holds(1);
        let holds =
            near(&|at| self.holds(at) || is_of_kind && at > 1 && PLURAL.contains(self.text(at)));
        let acts = near(&|at| HOLDING.contains(self.text(at)) && self.text(at).ends_with('s'));
        if duty + done + holds == 0 || duty == 0 && self.has(&PAST) {
            return 0;
        }
        let subject = match first {
            "only" | "nobody" => 2,
            "the" => 2 * i32::from((1..3).any(|at| self.is_plural(at) && self.is_act(at + 1))),
            _ if is_of_kind || OURS.contains(first) => 2,
            _ if ADRIFT.contains(first) || ASKING.contains(first) => return 0,
            _ if first.ends_with("ly") || first.starts_with(|c: char| c.is_ascii_digit()) => {
                return 0;
            }
            _ => i32::from(["a", "le", "la", "el"].contains(&first) || self.is_german()),
        };
        let is_name = |text: &str| text.chars().filter(|c| c.is_uppercase()).count() > 1;
        let named = self.second().starts_with(char::is_uppercase)
            || self
                .sentence
                .text
                .split(' ')
                .take(4)
                .any(|word| is_name(word) || word.starts_with('`'));
        let team = near(&|at| TEAM.contains(self.text(at)));
        let placed = near(&|at| {
            let word = self.text(at);
            PLACED.contains(word) && !NAMELESS.contains(self.text(at + 1))
        });
        let turns = self.any(2..self.words.len(), &TURNS);
        let is_thing = ["the", "le", "la", "el", "der", "die", "das"].contains(&first)
            && self.any(1..4, &PARTS);
        let signs = [i32::from(named), i32::from(self.is_bounded()), i32::from(turns)];
        subject + duty + done + acts + team + placed + signs.iter().sum::<i32>()
            - 2 * i32::from(is_thing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{sentence::sentences, words};

    #[test]
    fn what_is_told_and_what_lasts() {
        let table = include_str!("../../../../fixtures/facts.tsv");
        let rows = table.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        let rows: Vec<(&str, &str)> = rows.filter_map(|row| row.split_once('\t')).collect();
        assert!(rows.len() > 80);
        for (kind, text) in rows {
            let sentence = sentences(text).remove(0);
            let words = words::words(&sentence.masked);
            let lasts = || if is_lasting(&sentence, &words) { "lasts" } else { "passes" };
            let found = match told(&sentence, &words) {
                _ if ["lasts", "passes"].contains(&kind) => lasts(),
                Some(ToldFact::Sure) => "sure",
                Some(ToldFact::Likely) => "likely",
                None => "work",
            };
            assert_eq!(found, kind, "{text}");
        }
    }
}
