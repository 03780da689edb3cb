//! Finds what a sentence passes on from somebody else: "Tom says: never …", "Im Ticket steht: …".

use crate::language::{
    lexicon::pasted::{ORDERS, SELVES, SOURCES, SPEECH},
    preference::cue::Word,
    sentence::{self, Sentence},
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
    let told = ["me ", "us ", "that ", "mir ", "uns ", "dass "];
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
