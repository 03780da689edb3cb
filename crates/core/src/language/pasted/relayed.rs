//! Finds what a sentence passes on from somebody else: "Tom says: never …", "Im Ticket steht: …".

use crate::language::{
    lexicon::pasted::{
        JUDGES, LASTING, LASTING_ENDS, MODALS, NO_RULES, ORDERS, PROGRAMS, RELATIONS, SAYS, SELVES,
        SINGLE, SOURCES, SPEECH, STEPS, WISHES,
    },
    said::SaidWords,
    sentence::{self, Sentence},
    words::Word,
};

/// Number of words at the start of a sentence that may name who speaks, with a verb of speech.
const HEAD: usize = 8;
/// Number of words before a source that is named without such a verb.
const SOURCE: usize = 5;

/// Returns the words of somebody else that a sentence passes on, as a sentence.
pub(in crate::language) fn relayed(sentence: &Sentence, words: &[Word]) -> Option<Sentence> {
    let head = words.get(..words.len().min(HEAD))?;
    // What begins as an order is one to the agent.
    if ORDERS.contains(&head.first()?.text) {
        return None;
    }
    let own = |word: &Word| SELVES.contains(&word.text);
    let speech = head.iter().position(|word| SPEECH.contains(&word.text));
    let spoken = speech.filter(|at| *at > 0 && !head.iter().take(*at).any(own));
    let colon = head.iter().position(|word| word.colon);
    let at = match spoken {
        Some(at) => words.get(colon.filter(|colon| *colon >= at).unwrap_or(at))?.end,
        None => source(sentence, head)?,
    };
    let rest = sentence.text.get(at..)?;
    let is_led = rest.trim_start().starts_with([':', ',', '"', '“', '„', '–', '-']);
    let bare = rest.trim_matches(|c: char| c.is_whitespace() || ":,\"“”„–-".contains(c));
    let told = ["me ", "us ", "that ", "to ", "mir ", "uns ", "dass "];
    let bare = told.iter().fold(bare, |text, word| text.strip_prefix(word).unwrap_or(text));
    // What follows a comma may be what its speaker thinks of it.
    if !is_led && bare.contains(',') {
        return None;
    }
    sentence::sentences(bare).into_iter().next().filter(|found| !found.asked)
}

/// Returns where the words of a source begin, which stands before a colon ("Note from the client: …")
/// or, behind "according to", before a comma.
fn source(sentence: &Sentence, head: &[Word]) -> Option<usize> {
    let at = head.iter().position(|word| SOURCES.contains(&word.text))?;
    let next = head.get(at + 1).map_or("", |word| word.text.as_str());
    let first = &head.first()?.text;
    if at > SOURCE || ["now", "here"].contains(&next) {
        return None;
    }
    let begins = ["laut", "according", "per", "gemäß"].contains(&first.as_str());
    let ends = |word: &&Word| {
        let comma = || sentence.text.get(word.end..).is_some_and(|rest| rest.starts_with(','));
        word.colon || begins && comma()
    };
    let last = head.iter().skip(at).find(ends)?;
    let own = head.iter().take_while(|word| word.start <= last.start);
    (!own.into_iter().any(|word| SELVES.contains(&word.text))).then_some(last.end)
}

/// Returns where a lasting rule begins that somebody else wishes or says, as a byte of the sentence:
/// "QA asked us to always …". A single task is none.
pub(in crate::language) fn wish(sentence: &Sentence, words: &[Word]) -> Option<usize> {
    let said = SaidWords { words };
    let is_verb = |word: &Word| WISHES.contains(&word.text) || SAYS.contains(&word.text);
    let verb = words.iter().take(HEAD).position(is_verb)?;
    let from = said.clause(verb);
    let who = words.get(from..verb).filter(|who| !who.is_empty())?;
    let is_no_person = |word: &Word| SELVES.contains(&word.text) || PROGRAMS.contains(&word.text);
    let first = said.word(from);
    if said.asks() || ORDERS.contains(first) || RELATIONS.contains(first) {
        return None;
    }
    if who.iter().any(is_no_person) || words.iter().any(|word| SINGLE.contains(&word.text)) {
        return None;
    }
    let steps = words.iter().skip(verb + 1).take_while(|word| STEPS.contains(&word.text)).count();
    let at = verb + 1 + steps;
    let word = said.word(at);
    let asks = || WISHES.contains(said.word(verb)) && steps > 0;
    let bound = || {
        steps == 0
            || word.ends_with("n't")
            || words.iter().skip(verb).any(|word| MODALS.contains(&word.text))
    };
    if !asks() && !bound() || words.iter().skip(at + 1).any(judges) {
        return None;
    }
    let denied = word == "not" || word.ends_with("n't") && word != "don't";
    let ends = LASTING_ENDS.iter().any(|end| said.has(end));
    let plain = !["the", "it", "them", "that"].contains(&said.word(at + 2));
    let group = words.iter().skip(verb).take(steps + 1).any(|word| word.text == "us");
    let lasts = LASTING.contains(word) && !NO_RULES.contains(said.word(at + 1));
    // Where the rule begins with a denial, only the whole says who is denied what.
    match () {
        () if denied && (ends || group && plain) => words.get(from).map(|word| word.start),
        () if !denied && (lasts || ends && (steps > 0 || said.reads(at, "no more"))) => {
            words.get(at).map(|word| word.start)
        }
        () => None,
    }
    .filter(|at| sentence.text.is_char_boundary(*at))
}

/// Returns true for a word behind a comma with which somebody judges what is passed on.
fn judges(word: &Word) -> bool {
    word.apart && JUDGES.contains(&word.text)
}
