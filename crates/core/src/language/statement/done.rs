//! Detects finished work and repairs in reports of an agent or a log.

use super::{Draft, Sentence, StatementKind};
use crate::language::lexicon::preference::POINTERS;
use crate::language::lexicon::statement::{
    DONE, GENERIC, LOOSE, MOVES, NO_OBJECT, PARTLY, PRIVATE, RELEASES, REPAIRS, STATES, UNKNOWN,
};
use crate::language::{said::SaidWords, words::Word};

/// Returns the lines of an agent's message that may report something, with their continuations.
/// Looks at each byte once, because most of a message reports nothing.
pub(super) fn reports(text: &str) -> String {
    let mut found = String::new();
    let (mut fenced, mut kept, mut last) = (false, false, "");
    for line in text.lines() {
        let bare = line.trim();
        if bare.starts_with("```") || bare.starts_with("~~~") {
            fenced = !fenced;
        }
        // Indented lines are code after an empty line, and part of a list elsewhere.
        let line = if last.is_empty() { line } else { bare };
        let goes_on = !last.is_empty() && bare.starts_with(|c: char| c.is_lowercase());
        let holds = !fenced && may_report(bare);
        if holds && goes_on && !kept {
            found.push_str(last);
            found.push('\n');
        }
        let was_kept = kept;
        kept = holds || (kept && goes_on && !fenced);
        if kept {
            found.push_str(line);
        }
        if kept || was_kept {
            found.push('\n');
        }
        last = if fenced { "" } else { bare };
    }
    found
}

/// Returns true if a sentence begins like a report.
pub(super) fn begins(sentence: &str) -> bool {
    may_report(sentence.get(..sentence.floor_char_boundary(16)).unwrap_or_default())
}

/// Returns true if a verb of a report begins a sentence of the line, or follows "I".
fn may_report(line: &str) -> bool {
    let mut begins = true;
    line.contains("fix was")
        || line.split([' ', '\t']).any(|piece| {
            let word = piece.trim_matches(|c: char| !c.is_ascii_alphabetic());
            let looked_at = begins || word.starts_with(|c: char| c.is_ascii_uppercase());
            // After a bullet or a mark, the next word is still the first.
            begins = word.is_empty() && begins || piece.ends_with(['.', '!', ':', ';']);
            looked_at
                && (is_done(word)
                    || ["Done", "done", "I", "We", "I've", "We've", "I’ve", "We’ve"]
                        .contains(&word))
        })
}

/// Returns true for one of the verbs, with or without a capital.
fn is_done(word: &str) -> bool {
    let mut letters = [0; 16];
    let Some(letters) = letters.get_mut(..word.len()) else { return false };
    letters.copy_from_slice(word.as_bytes());
    letters.make_ascii_lowercase();
    str::from_utf8(letters).is_ok_and(|word| DONE.contains(word))
}

/// Strips the mark and time of a log item.
pub(super) fn untimed(item: &str) -> &str {
    let idle = |c: char| c.is_whitespace() || "-*+•–—:".contains(c);
    let bare = item.trim_start_matches(idle);
    let time = bare.split_whitespace().next().unwrap_or_default();
    let clock = time.trim_matches(|c| "[]()*".contains(c));
    let is_time = clock.contains(':') && clock.bytes().all(|c| c.is_ascii_digit() || c == b':');
    let rest = if is_time { bare.get(time.len()..).unwrap_or_default() } else { bare };
    rest.trim_start_matches(idle)
}

/// Returns the finished work and the repairs in a sentence.
pub(super) fn read(sentence: &Sentence, words: &[Word]) -> Vec<Draft> {
    let report = Report { sentence, said: SaidWords { words } };
    if sentence.asked || !report.is_over() {
        return Vec::new();
    }
    if report.said.reads(0, "the fix was") && words.len() > 5 && !report.is_loose(3) {
        return vec![Draft::new(StatementKind::Mistake, sentence.text.as_str())];
    }
    if words.first().is_some_and(|word| word.text == "done" && word.colon) {
        let at = usize::from(!DONE.contains(report.said.word(1))) + 1;
        let told = words.len() > 4 && !UNKNOWN.contains(report.said.word(1)) && !report.is_loose(1);
        return if at == 2 && told {
            vec![Draft::new(StatementKind::Done, report.from(1))]
        } else {
            report.at(1)
        };
    }
    report.at(report.behind_subject())
}

struct Report<'a> {
    sentence: &'a Sentence,
    said: SaidWords<'a>,
}

impl Report<'_> {
    fn from(&self, at: usize) -> &str {
        let start = self.said.words.get(at).map_or(self.sentence.text.len(), |word| word.start);
        self.sentence.text.get(start..).unwrap_or_default()
    }

    /// Returns true if nothing in the sentence limits the report.
    fn is_over(&self) -> bool {
        let words = self.said.words;
        let undone = |at: usize| PARTLY.contains(self.said.word(at)) || self.said.word(at) == "not";
        !(0..words.len()).any(undone)
    }

    /// Skips "I have also" and the like.
    fn behind_subject(&self) -> usize {
        let mut at = match self.said.word(0) {
            "i" | "we" => 1,
            "i've" | "we've" => return self.behind_adverbs(1),
            _ => return 0,
        };
        at += usize::from(self.said.word(at) == "have");
        self.behind_adverbs(at)
    }

    fn behind_adverbs(&self, at: usize) -> usize {
        at + usize::from(
            ["also", "now", "just", "successfully", "then"].contains(&self.said.word(at)),
        )
    }

    fn code(&self, word: &Word) -> bool {
        let masked = self.sentence.masked.get(word.start..word.end);
        let text = self.sentence.text.get(word.start..word.end);
        masked != text && masked.is_some_and(|text| text.bytes().all(|byte| byte == b'x'))
    }

    /// Returns the report of the verb at `at`.
    fn at(&self, at: usize) -> Vec<Draft> {
        let verb = self.said.word(at);
        if !DONE.contains(verb) || !self.is_report(at, verb) {
            return Vec::new();
        }
        let mut text = self.from(at).to_owned();
        if let Some(first) = text.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        let repaired =
            REPAIRS.contains(verb).then(|| Draft::new(StatementKind::Mistake, text.as_str()));
        std::iter::once(Draft::new(StatementKind::Done, text.as_str())).chain(repaired).collect()
    }

    /// Returns true if the verb has a meaningful object.
    fn is_report(&self, at: usize, verb: &str) -> bool {
        let Some(object) = self.said.words.get(at + 1) else { return false };
        let leads = ["to", "from"].contains(&object.text.as_str()) && MOVES.contains(verb);
        let no_object = NO_OBJECT.contains(&object.text) && !leads;
        if object.apart || no_object || POINTERS.contains(&object.text) || self.is_loose(at + 1) {
            return false;
        }
        let rest = self.said.words.get(at + 1..).unwrap_or_default();
        let article =
            ["the", "a", "an", "all", "both", "two", "three"].contains(&object.text.as_str());
        let private = |word: &Word| PRIVATE.contains(&word.text);
        let states = |word: &Word| STATES.contains(&word.text);
        if rest.iter().take(3).any(private) {
            return false;
        }
        if !article && !self.code(object) && rest.iter().take(4).any(states) {
            return false;
        }
        let plain = |word: &&Word| {
            let letters = word.text.chars().any(char::is_alphabetic);
            letters
                && !GENERIC.contains(&word.text)
                && !NO_OBJECT.contains(&word.text)
                && !self.code(word)
        };
        // Text after a comma or a colon describes the object.
        let end = rest.iter().skip(1).position(|word| word.apart).map_or(rest.len(), |at| at + 1);
        let rest = rest.get(..end).unwrap_or_default();
        // A name or a version makes a short report meaningful.
        let named = rest.iter().any(|word| self.code(word) || self.is_named(word));
        match rest.iter().filter(plain).count() {
            0 => RELEASES.contains(verb) && object.text.bytes().any(|byte| byte.is_ascii_digit()),
            1 => named || RELEASES.contains(verb),
            _ => true,
        }
    }

    fn is_named(&self, word: &Word) -> bool {
        let text = self.sentence.text.get(word.start..word.end).unwrap_or_default();
        text.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit())
    }

    /// Returns true if a word refers to something that is unknown a week later.
    fn is_loose(&self, from: usize) -> bool {
        let words = self.said.words;
        (from..words.len()).any(|at| {
            let word = self.said.word(at);
            let known = ["it", "them"].contains(&word) && at >= from + 4 && at + 1 < words.len();
            let now = ["now", "again", "anymore"].contains(&word);
            (LOOSE.contains(word) && !known && !now) || (word == "everything" && at == from)
        })
    }
}

/// Returns true if a report says that something was undone.
pub(super) fn undoes(text: &str) -> bool {
    const VERBS: [&str; 8] =
        ["reverted", "restored", "removed", "undid", "rolled", "dropped", "deleted", "disabled"];
    let first = text.split(' ').next().unwrap_or_default().to_ascii_lowercase();
    VERBS.contains(&first.as_str()) || text.split(' ').any(|word| word == "back")
}
