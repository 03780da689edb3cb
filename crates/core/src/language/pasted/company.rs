//! Decides from the sentences of a message who speaks: the user to the agent, or another person.

use crate::language::lexicon::preference::{AUXILIARIES, QUESTIONS, REPORTS};
use crate::language::lexicon::{
    WordFilter,
    pasted::{
        ACTS, AGENTS, BEING, CODE, COMPLAINTS, CONDITIONS, DEEDS, FEEDBACK, FILLERS, GIVEN, HOWS,
        LABELS, LETTERS, LOOKS, NOUNS, OBJECTS, ORDERS, OTHERS_DO, POINTERS, READINGS, RELATIONS,
        SAYINGS, SENT, STATES, TEXTS, TITLES, WORK,
    },
};
use std::ops::Range;

use super::{
    Voice,
    marks::{LABEL, is_level},
    reach,
    relayed::relayed,
};

use crate::language::{cues::SentenceReading, said::SaidWords, sentence::Sentence, words::Word};

const POINTS: &str = "it speaks of a text beside it";
const LETTER: &str = "it has words of a letter, a page or a report";
const SOMEBODY: &str = "somebody else may speak in it";
const RULES: &str = "it is a list of rules";
const DATA: &str = "it has the marks of a log, a ticket or a setting";
const FORWARDED: &str = "it asks for work on a text";
pub(in crate::language) const RELAYED: &str = "it passes on the words of somebody else";
const VERDICT: &str = "it begins as a review does";
const ADDRESS: &str = "it has an address";

/// Words that people use for themselves.
const ME: [&str; 8] = ["i", "i'm", "i'd", "i've", "my", "me", "mine", "let's"];
/// Number of rules from which on a message without a personal word is a pasted list.
const ROW: usize = 3;
/// Maximum number of words of a sentence that only judges.
const SHORT: usize = 7;
/// Maximum number of words of a sentence about its effect on the user.
const LONG: usize = 10;
/// First words of such a sentence.
const IT: [&str; 7] = ["that's", "thats", "that", "it's", "its", "it", "this"];

/// Filter for the words of letters.
static OF_LETTERS: WordFilter<8> = WordFilter::of(LETTERS);

/// Returns the first sign of another speaker in the sentences of a message.
pub(super) fn find(voices: &[Voice]) -> Option<&'static str> {
    let last = voices.iter().rposition(|voice| voice.learned.is_some())?;
    let learned = || voices.iter().filter(|voice| voice.learned.is_some());
    let personal = learned().any(|voice| is_personal(&voice.words));
    let sign = voices.iter().enumerate().find_map(|(at, voice)| {
        let line = Line { sentence: &voice.sentence, said: SaidWords { words: &voice.words } };
        match &voice.learned {
            Some(clause) => line.learned(clause.clone()),
            None => line.beside(at < last, personal),
        }
    });
    let sign = sign.or_else(|| {
        let letter =
            |voice: &Voice| SentenceReading::new(&voice.sentence, &voice.words).is_of_letter();
        voices.iter().any(letter).then_some(LETTER)
    });
    let alone = |voice: &Voice| voice.words.iter().any(|word| ME.contains(&word.text.as_str()));
    sign.or_else(|| (learned().count() >= ROW && !learned().any(alone)).then_some(RULES))
}

/// Returns true if a sentence alone is a question or an order.
pub(super) fn is_request(sentence: &Sentence, words: &[Word]) -> bool {
    let line = Line { sentence, said: SaidWords { words } };
    line.letter().is_none() && line.label(0, true, 0..0).is_none() && (line.asks() || line.orders())
}

/// Returns true if a sentence is only praise or a greeting.
pub(super) fn is_idle(sentence: &Sentence, words: &[Word]) -> bool {
    let line = Line { sentence, said: SaidWords { words } };
    let known = |at| FEEDBACK.contains(line.word(at)) || FILLERS.contains(line.word(at));
    words.is_empty() || (words.len() < 3 && line.all(known))
}

/// Returns true if a sentence begins a letter, or names its speaker.
pub(super) fn is_of_others(sentence: &Sentence, words: &[Word]) -> bool {
    let line = Line { sentence, said: SaidWords { words } };
    line.letter().is_some()
        || (line.label(0, true, 0..0).is_some() && !TITLES.contains(line.word(0)))
}

/// Returns true if a sentence belongs to a letter or a page.
pub(super) fn is_letter(sentence: &Sentence, words: &[Word]) -> bool {
    Line { sentence, said: SaidWords { words } }.letter().is_some()
}

fn is_personal(words: &[Word]) -> bool {
    words.iter().any(|word| {
        ME.contains(&word.text.as_str()) || ["please", "we", "our"].contains(&word.text.as_str())
    })
}

struct Line<'a> {
    sentence: &'a Sentence,
    said: SaidWords<'a>,
}

impl Line<'_> {
    fn word(&self, at: usize) -> &str {
        self.said.word(at)
    }

    fn count(&self) -> usize {
        self.said.words.len()
    }

    fn is_any(&self, at: usize, words: &[&str]) -> bool {
        words.contains(&self.word(at))
    }

    fn any(&self, wanted: impl Fn(usize) -> bool) -> bool {
        (0..self.count()).any(wanted)
    }

    fn all(&self, wanted: impl Fn(usize) -> bool) -> bool {
        (0..self.count()).all(wanted)
    }

    /// Checks a sentence to be learned.
    fn learned(&self, clause: Range<usize>) -> Option<&'static str> {
        let at = |word: &Word| word.start >= clause.start;
        let begins = self.said.words.iter().position(at).unwrap_or(0);
        let led = begins == 0 || self.leads_to(begins);
        self.review()
            .or_else(|| self.forwards().then_some(FORWARDED))
            .or_else(|| relayed(self.sentence, self.said.words).map(|_| RELAYED))
            .or_else(|| self.letter())
            .or_else(|| self.label(begins, false, clause))
            .or_else(|| self.data(begins))
            .or_else(|| (!led).then_some(SOMEBODY))
    }

    /// Checks a sentence next to the one to be learned.
    fn beside(&self, before: bool, personal: bool) -> Option<&'static str> {
        self.review()
            .or_else(|| self.letter())
            .or_else(|| self.label(0, true, 0..0))
            .or_else(|| self.data(self.count()))
            .or_else(|| reach(&self.sentence.text).map(|_| ADDRESS))
            .or_else(|| (before && (self.points() || self.hands_over())).then_some(POINTS))
            .or_else(|| {
                let own = self.is_own(before, personal) || self.reading().is_own(before);
                (!own).then_some(SOMEBODY)
            })
    }

    fn reading(&self) -> SentenceReading<'_> {
        SentenceReading::new(self.sentence, self.said.words)
    }

    fn review(&self) -> Option<&'static str> {
        self.reading().is_verdict().then_some(VERDICT)
    }

    /// Returns true if the sentence asks for work on the text behind a colon or dash: "translate:
    /// always use tabs".
    fn forwards(&self) -> bool {
        self.reading().readings(true).into_iter().any(|end| {
            // Further words may say into what, or for whom.
            (end..self.count()).any(|at| {
                let from = at.checked_sub(1).and_then(|at| self.said.words.get(at));
                let gap = from
                    .zip(self.said.words.get(at))
                    .and_then(|(from, word)| self.sentence.text.get(from.end..word.start));
                gap.is_some_and(|gap| gap.contains([':', '–', '—']) || gap.trim() == "-")
            })
        })
    }

    /// Returns true if the sentence does no more than ask for work on a text, in a language other
    /// than English.
    fn hands_over(&self) -> bool {
        self.count() <= SHORT && !self.reading().readings(false).is_empty()
    }

    fn letter(&self) -> Option<&'static str> {
        let reads = |at| LETTERS.iter().any(|words| self.said.reads(at, words));
        let found = self.any(|at| OF_LETTERS.may_hold(self.word(at)) && reads(at));
        let greeting = ["hi", "hello", "hey", "hallo", "dear", "moin", "bonjour", "hola"];
        let greets = greeting.iter().any(|word| self.sentence.opening.ends_with(word));
        let all = ["all", "team", "everyone", "everybody", "folks", "guys", "colleagues"];
        (found || (greets && self.is_any(0, &all))).then_some(LETTER)
    }

    /// Detects a label before a colon, at the start of a sentence or later. Any colon before word
    /// `begins`, where the text to be learned starts, counts; one within its `cue` does not.
    fn label(&self, begins: usize, alone: bool, cue: Range<usize>) -> Option<&'static str> {
        let opened = self.sentence.opening.as_str();
        let loud = ["note", "important", "reminder", "nb", "listen"];
        if opened.ends_with(':') && loud.iter().any(|word| opened.contains(word)) {
            return Some(LABEL);
        }
        let last = self.count().saturating_sub(1);
        let words = self.said.words.iter().enumerate();
        let colons = words.filter(|(at, word)| word.colon && *at < last);
        let mut orders = usize::from(begins == 0);
        let bad = |(at, word): (usize, &Word)| {
            let words: Vec<&str> = (0..=at).map(|at| self.word(at)).collect();
            let own = ["my", "our", "that's", "thats", "that", "i", "no", "not", "you're"];
            let of_cue = cue.contains(&word.start);
            if of_cue || LABELS.contains(&words.join(" ").as_str()) || self.is_any(0, &own) {
                return false;
            }
            // "Refactor the parser: split it."
            let looks = words.iter().any(|word| LOOKS.contains(word) || READINGS.contains(word));
            let order = at > 0 && orders > 0 && self.orders() && !looks;
            if order {
                orders -= 1;
                return false;
            }
            let text = self.sentence.text.get(word.start..).unwrap_or_default();
            let field = text.starts_with(char::is_uppercase)
                || word.text.bytes().all(|b| b.is_ascii_digit());
            begins == 0 && alone || at < begins || at < 3 || field
        };
        colons.into_iter().any(bad).then_some(LABEL)
    }

    /// Detects text of logs, tickets, settings and SQL among the first words.
    fn data(&self, until: usize) -> Option<&'static str> {
        let end = self.said.words.get(until).map_or(self.sentence.text.len(), |word| word.start);
        let text = self.sentence.text.get(..end)?;
        let masked = self.sentence.masked.get(..end)?;
        let mut words = masked.split_whitespace();
        let found = words.any(|word| {
            is_level(word) || is_ticket(word) || is_clock(word) || is_pair(word) || is_named(word)
        });
        (found || text.contains(" | ")).then_some(DATA)
    }

    /// Returns true if the sentence refers to a text next to it.
    fn points(&self) -> bool {
        let verb = self.verb();
        let own = self.any(|at| self.is_any(at, &["you", "your"]));
        let named = self.is_any(verb + 1, &["the", "my", "our", "all", "each", "every"])
            && !(verb + 2..verb + 5).any(|at| TEXTS.contains(self.word(at)));
        let told = HOWS.contains(self.word(verb + 1)) || own || named;
        if READINGS.contains(self.word(verb)) && !told {
            return true;
        }
        let asks = self.asks();
        let looks = asks || LOOKS.contains(self.word(verb));
        self.any(|at| {
            let word = self.word(at);
            let texts = (at + 1..at + 3).any(|at| TEXTS.contains(self.word(at)));
            if POINTERS.contains(word) {
                let next = self.word(at + 1);
                let code = CODE.contains(next) || CODE.contains(self.word(at + 2));
                let done = ACTS.contains(self.word(verb)) && at + 1 == self.count();
                let there = !asks && !looks && (word == "that" || done);
                return texts || !(code || there || (word == "here" && at > 0));
            }
            let given = ["the", "a", "an", "my", "our", "his", "her", "their"].contains(&word);
            looks && ((given && texts) || (asks && TEXTS.contains(word)))
        })
    }

    /// Returns the position of a request's verb.
    fn verb(&self) -> usize {
        let mut at = 0;
        while at + 1 < self.count()
            && self.is_any(at, &["please", "just", "now", "then", "next", "first", "and", "also"])
        {
            at += 1;
        }
        if self.is_any(at, &["can", "could", "would", "will"])
            && self.is_any(at + 1, &["you", "we"])
        {
            at += 2;
            at += usize::from(self.is_any(at, &["please", "also", "just"]));
        } else if self.is_any(at, &["let's", "lets"]) || self.said.reads(at, "i want you to") {
            at += if self.word(at) == "i" { 4 } else { 1 };
        }
        at
    }

    fn asks(&self) -> bool {
        self.sentence.asked || self.said.asks() || QUESTIONS.contains(self.word(0))
    }

    fn orders(&self) -> bool {
        let verb = self.verb();
        let polite = verb > 0 && self.is_any(verb - 1, &["let's", "lets", "to", "please"]);
        polite || self.orders_at(verb)
    }

    /// Returns true if an order begins at a word: "release the lock", not "release notes".
    fn orders_at(&self, at: usize) -> bool {
        let (verb, next) = (self.word(at), self.word(at + 1));
        let object = next.is_empty() || OBJECTS.contains(next) || next.ends_with("ing");
        READINGS.contains(verb)
            || (ORDERS.contains(verb) && !STATES.contains(next))
            || (NOUNS.contains(verb) && object)
            || self.orders_something(at)
    }

    /// Returns true if an unknown verb has an object: "mill the second fixture".
    fn orders_something(&self, at: usize) -> bool {
        let (verb, next) = (self.word(at), self.word(at + 1));
        let form = ["ing", "ed", "ly", "'s"].iter().any(|end| verb.ends_with(end))
            || (verb.ends_with('s') && !verb.ends_with("ss"));
        let ours = self.any(|at| self.is_any(at, &["our", "your", "us", "we"]));
        verb.len() > 2
            && GIVEN.contains(next)
            && !form
            && !ours
            && !OTHERS_DO.contains(verb)
            && !RELATIONS.contains(verb)
    }

    /// Returns true if the user says the sentence to the agent.
    fn is_own(&self, before: bool, personal: bool) -> bool {
        let (first, second) = (self.word(0), self.word(1));
        if self.count() == 0 {
            return true;
        }
        if self.asks() {
            return self.asks_agent(before);
        }
        self.orders()
            || self.is_feedback()
            || (first == "i" && SAYINGS.contains(second))
            || (["i'm", "im"].contains(&first) && BEING.contains(second))
            || ["i'd", "my"].contains(&first)
            || (first == "you" && DEEDS.contains(second))
            || self.is_about_me()
            || self.said.reads(0, "i had to")
            || self.judges(personal)
            || self.thanks()
            || (!before && self.any(|at| self.is_any(at, &["i", "me", "my"])))
    }

    /// Detects a question to the agent. Before the sentence to be learned, only a request counts.
    fn asks_agent(&self, before: bool) -> bool {
        let verb = self.verb();
        let does = verb > 1 && self.orders_at(verb);
        let deed = self.any(|at| {
            self.word(at) == "you" && (at + 1..at + 3).any(|at| DEEDS.contains(self.word(at)))
        });
        let known = QUESTIONS.contains(self.word(0)) || AUXILIARIES.contains(self.word(0));
        does || deed || (!before && known)
    }

    /// "Great work so far", but not "great news everyone"; an order may follow.
    fn is_feedback(&self) -> bool {
        let known = |at: &usize| {
            let word = self.word(*at);
            FEEDBACK.contains(word) || FILLERS.contains(word) || AGENTS.contains(word)
        };
        let end = (0..self.count()).take_while(known).count();
        let order = || self.said.apart(end) && self.orders_at(end);
        FEEDBACK.contains(self.word(0)) && (end == self.count() || order())
    }

    /// "It took me an hour", "that's not what I meant".
    fn is_about_me(&self) -> bool {
        let me = self.any(|at| self.is_any(at, &["i", "me"]));
        let reported =
            self.any(|at| REPORTS.contains(self.word(at)) || SENT.contains(self.word(at)));
        IT.contains(&self.word(0)) && me && !reported && self.count() <= LONG
    }

    /// "The build is green now, thanks!"
    fn thanks(&self) -> bool {
        let last = self.count().saturating_sub(1);
        let thanks = ["thanks", "thank", "thx", "danke", "merci", "please"];
        last > 0 && self.said.apart(last) && self.is_any(last, &thanks) && !self.names_somebody()
    }

    /// "That was too long", "the tests are slow".
    fn judges(&self, personal: bool) -> bool {
        let wrong = self.any(|at| COMPLAINTS.contains(self.word(at)));
        let there = ["there's", "theres"].contains(&self.word(0)) || self.said.reads(0, "there is");
        let done = IT.contains(&self.word(0)) || there;
        let state = (0..3).any(|at| WORK.contains(self.word(at))) && personal;
        wrong && (done || state) && self.count() <= SHORT && !self.names_somebody()
    }

    /// Returns true if there is a capitalised word other than an agent's name.
    fn names_somebody(&self) -> bool {
        self.said.words.iter().skip(1).any(|word| {
            let text = self.sentence.text.get(word.start..word.end).unwrap_or_default();
            let mut chars = text.chars();
            let upper = chars.next().is_some_and(char::is_uppercase);
            let name = upper && chars.next().is_some_and(char::is_lowercase);
            name && !AGENTS.contains(&word.text)
        })
    }

    /// Returns true if the words before the clause to be learned belong to it, or address the
    /// agent.
    fn leads_to(&self, clause: usize) -> bool {
        let joints = ["so", "and", "but", "because", "since", "though"];
        let joined = self.is_any(clause - 1, &joints) || self.is_any(clause, &joints);
        let Some(words) = self.said.words.get(..clause) else { return false };
        let before = Self { sentence: self.sentence, said: SaidWords { words } };
        let called =
            before.all(|at| FEEDBACK.contains(self.word(at)) || AGENTS.contains(self.word(at)));
        let work = (0..2).any(|at| WORK.contains(before.word(at)));
        CONDITIONS.contains(self.word(0))
            || called
            || (joined && work)
            || (!before.asks() && before.is_own(true, true))
            || SentenceReading::new(self.sentence, words).is_own(true)
    }
}

/// `HARB-12`, but not `UTF-8`.
fn is_ticket(word: &str) -> bool {
    const STANDARDS: [&str; 12] =
        ["UTF", "SHA", "ISO", "RFC", "GPT", "CVE", "ES", "MD", "AES", "HTTP", "TLS", "WCAG"];
    let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    bare.split_once('-').is_some_and(|(name, number)| {
        let upper =
            name.len() > 1 && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
        let number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        upper && number && !STANDARDS.contains(&name)
    })
}

/// `9:41`
fn is_clock(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_ascii_digit());
    bare.split_once(':').is_some_and(|(hour, minute)| {
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        digits(hour) && digits(minute) && minute.len() == 2
    })
}

/// `retries=3`
fn is_pair(word: &str) -> bool {
    !word.starts_with('-') && word.split_once('=').is_some_and(|(key, _)| !key.is_empty())
}

/// `'eve'`
fn is_named(word: &str) -> bool {
    word.starts_with(['\'', '‘'])
}
