//! Whether a message was typed by its user, or holds what somebody else wrote: a mail, a chat, a log,
//! a page.
//!
//! What is typed is short, bears no marks of other texts, and each sentence beside the one that is to
//! be learned is said to the agent. In doubt it was pasted: a review is cheap, and what is learned by
//! mistake is said again in every session.

mod company;
mod marks;
mod reach;
mod words;

#[cfg(test)]
mod tests;

pub use self::reach::reach;

use std::borrow::Cow;

use super::{
    preference::{
        LOOKED_AT,
        cue::{self, Clause, Word},
    },
    sentence::{self, Sentence},
};
use crate::{safety::private::without_private, session::transcript};

/// Bytes of a line that are looked at for the sentence by which a message is remembered.
const LINE: usize = 4 << 10;

/// A sentence of a message.
struct Voice {
    sentence: Sentence,
    words: Vec<Word>,
    /// Where it says what is to be learned, if it does.
    learned: Option<Clause>,
}

/// Why a message may hold what its user did not write; `None` where all of it was typed. Its sentences
/// are given to `learned` in their order, which says where they state what is to be learned.
pub(super) fn sign(
    message: &str,
    learned: impl FnMut(&Sentence, &[Word]) -> Option<Clause>,
) -> Option<&'static str> {
    let open = without_private(message);
    let Some(text) = transcript::typed(&open) else { return Some(marks::INJECTED) };
    let text = text.trim();
    form(&open, text).or_else(|| beside(text, learned))
}

/// What the form of a text tells, which is all or a part of the `open` message.
fn form(open: &str, text: &str) -> Option<&'static str> {
    // What agents put into a message stands at its beginning or at its end.
    let apart = !open.contains(text);
    apart.then_some(marks::INJECTED).or_else(|| marks::size(text)).or_else(|| marks::find(text))
}

/// What the sentences of a text tell that stand beside what is to be learned.
fn beside(
    text: &str,
    mut learned: impl FnMut(&Sentence, &[Word]) -> Option<Clause>,
) -> Option<&'static str> {
    let voice = |sentence: Sentence| {
        let words = cue::words(&sentence.masked);
        let learned = learned(&sentence, &words);
        Voice { sentence, words, learned }
    };
    company::find(&sentence::sentences(text).into_iter().map(voice).collect::<Vec<_>>())
}

/// The sentence by which a message is remembered: the first one of its first line that says something.
/// Of a message that was pasted, it counts only as a question or a request of its user.
pub(crate) fn lead(message: &str) -> Option<String> {
    let message = message.get(..message.floor_char_boundary(LOOKED_AT))?;
    let open = without_private(message);
    let typed = transcript::typed(&open)?;
    let text = typed.trim();
    let line = text.lines().next()?.trim();
    let line = line.get(..line.floor_char_boundary(LINE))?;
    let sentences = sentence::sentences(line).into_iter();
    let mut all = sentences.map(|sentence| (cue::words(&sentence.masked), sentence)).enumerate();
    let (at, (words, sentence)) =
        all.find(|(_, (words, sentence))| !company::is_idle(sentence, words))?;
    // Most messages state nothing, and it does not matter who speaks in them.
    let pasted = company::is_of_others(&sentence, &words)
        || form(&open, text).is_some()
        || cue::may_hold(text) && beside(text, cue::stated).is_some();
    if pasted {
        // It may lead up to the rest.
        let bare = sentence.text.trim_end_matches([':', '：', ' ']);
        let own = marks::find(bare).is_none()
            && cue::stated(&sentence, &words).is_none()
            && company::is_request(&sentence, &words);
        if !own {
            return None;
        }
    }
    let start = line.find(&sentence.text)?;
    // What opens the first one belongs to it.
    let from = if at == 0 { sentence::bullet(line) } else { start };
    line.get(from..start + sentence.text.len()).map(|text| text.trim().to_owned())
}

/// What its user says in a message that others may have written parts of: without code, quotes and
/// logs, and of a letter, a chat or a page no more than what it is remembered by.
#[must_use]
pub fn own_words(message: &str) -> Cow<'_, str> {
    let mark = marks::find(message.trim());
    let sentences = sentence::sentences(message);
    let letter = sentences.iter().any(|one| company::is_letter(one, &cue::words(&one.masked)));
    if letter || mark.is_some_and(marks::is_foreign) {
        return Cow::Owned(lead(message).unwrap_or_default());
    }
    if mark.is_none() {
        return Cow::Borrowed(message);
    }
    Cow::Owned(sentences.into_iter().map(|one| one.text).collect::<Vec<_>>().join("\n"))
}
