//! Removes the negation of a text, to detect contradictions between two texts.
//!
//! Only negations of the main clause from a closed list are recognised. Conditions (`if tests do
//! not pass`), restrictions (`not only`) and hedges (`some`, `may`) are ignored, because both texts
//! may be true then.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::lexicon::opposite::{BEING, HAVING, HEDGES, OPPOSITES, RESTRICTIONS, SUBORDINATORS};
use super::paraphrase::{
    token,
    words::{self, List},
};

/// Returns the affirmative wordings of a text, each without one negation. Empty if the text is not
/// negated, or not in a way on the list.
#[must_use]
pub fn affirmations(text: &str) -> Vec<String> {
    if !may_negate(text) {
        return Vec::new();
    }
    let Some(words) = words_of(text) else { return Vec::new() };
    let hedged = |word: &Word| HEDGES.contains(&word.plain);
    if words.iter().any(hedged) || text.contains('?') {
        return Vec::new();
    }
    let mut found = Vec::new();
    for at in (0..words.len()).filter(|at| !is_subordinate(&words, *at)) {
        for (count, instead) in negation(&words, at) {
            let (before, rest) = words.split_at(at);
            let after = rest.get(count..).unwrap_or_default();
            let parts = before.iter().map(Word::written).chain([instead]);
            let parts =
                parts.chain(after.iter().map(Word::written)).filter(|part| !part.is_empty());
            let affirmed = parts.collect::<Vec<_>>().join(" ");
            found.push(if text.starts_with(|c: char| c.is_uppercase()) {
                capitalised(&affirmed)
            } else {
                affirmed
            });
        }
    }
    found
}

/// Parts of all words that negate, and of predicates that have an opposite, so that most texts need
/// not be read.
static NEGATING: LazyLock<[Finder<'_>; 10]> = LazyLock::new(|| {
    ["no", "n't", "n’t", "never", "avoid", "dis", "forbid", "unsupported", "optional", "off"]
        .map(Finder::new)
});

fn may_negate(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    NEGATING.iter().any(|part| part.find(text.as_bytes()).is_some())
}

/// A word of the text.
struct Word {
    /// Lower case, without punctuation.
    plain: String,
    written: String,
}

impl Word {
    fn new(written: &str) -> Self {
        let plain = written.trim_start_matches('(').trim_end_matches(MARKS);
        Self { plain: plain.to_ascii_lowercase(), written: written.to_owned() }
    }

    fn written(&self) -> String {
        self.written.clone()
    }

    /// Returns true if the clause ends after the word.
    fn ends_clause(&self) -> bool {
        self.written.ends_with(MARKS) || matches!(self.plain.as_str(), "-" | "–" | "—")
    }
}

/// Marks that may end a word.
pub(super) const MARKS: &[char] = &[',', ';', ':', '.', '!', ')'];

/// Splits a text into words, with contractions of `not` expanded. `None` if a quotation is not
/// closed.
fn words_of(text: &str) -> Option<Vec<Word>> {
    let mut words = Vec::new();
    for chunk in token::chunks(text)? {
        let word = Word::new(&chunk);
        match words::expand(&word.plain).filter(|_| word.plain.ends_with("n't")) {
            None => words.push(word),
            Some(expanded) => {
                let marks = chunk.get(chunk.trim_end_matches(MARKS).len()..).unwrap_or_default();
                words.extend(format!("{expanded}{marks}").split(' ').map(Word::new));
            }
        }
    }
    Some(words)
}

/// Returns true if a word belongs to a condition or another subordinate clause.
fn is_subordinate(words: &[Word], at: usize) -> bool {
    let opens = |word: &Word| SUBORDINATORS.contains(&word.plain);
    let (before, rest) = words.split_at(at);
    if before.iter().rev().take_while(|word| !word.ends_clause()).any(opens) {
        return true;
    }
    let ends_sentence = |word: &&Word| word.written.ends_with(['.', ';', ':', '!']);
    let sentence = before.iter().rev().take_while(|word| !ends_sentence(word));
    let more = rest.iter().any(|word| word.written.ends_with(','));
    more && sentence.last().is_some_and(opens)
}

/// Returns the negations that begin at a word: the number of words, and their replacement.
fn negation(words: &[Word], at: usize) -> Vec<(usize, String)> {
    let word = |ahead: usize| words.get(at + ahead).map_or("", |word| word.plain.as_str());
    let before = at.checked_sub(1).and_then(|at| words.get(at));
    let previous = before.map_or("", |word| word.plain.as_str());
    let first = before.is_none_or(Word::ends_clause) || previous == "please";
    let one = |count: usize, instead: &str| vec![(count, instead.to_owned())];
    let or_always = |count: usize| vec![(count, String::new()), (count, "always".to_owned())];
    let restricted = |ahead: usize| RESTRICTIONS.contains(word(ahead)) || word(ahead).is_empty();
    match (word(0), word(1)) {
        ("do", "not") if !restricted(2) && first => or_always(2),
        ("do", "not") if !restricted(2) => one(2, ""),
        ("does", "not") if !restricted(2) => {
            let verb = words.get(at + 2).map_or("", |word| word.written.as_str());
            third_person(verb).map_or_else(Vec::new, |verb| vec![(3, verb)])
        }
        (
            auxiliary @ ("is" | "are" | "was" | "were" | "can" | "could" | "will" | "would"
            | "should" | "must" | "has" | "have"),
            "not",
        ) if !restricted(2) => one(2, auxiliary),
        ("cannot", _) if !restricted(1) => one(1, "can"),
        ("never", _) if !restricted(1) => or_always(1),
        ("no", "longer") => one(2, ""),
        ("no", _) if HAVING.contains(previous) => vec![(1, String::new()), (1, "a".to_owned())],
        ("there", "is" | "are") if word(2) == "no" => {
            ["there is a", "there is", "there are"].map(|instead| (3, instead.to_owned())).to_vec()
        }
        (prefers @ ("prefer" | "prefers"), "not") if word(2) == "to" => one(2, prefers),
        ("avoid" | "avoids", _) if first => avoided(word(1)),
        _ if !is_negated_but(words, at) => opposite(word(0), previous, first),
        _ => Vec::new(),
    }
}

/// `Avoid using` negates `Use`, `Avoid mocks` negates `Prefer mocks` and `Use mocks`.
fn avoided(next: &str) -> Vec<(usize, String)> {
    let verb = words::all(List::Imperative).find(|verb| words::gerund(verb) == next);
    match verb {
        Some(verb) => vec![(2, verb.to_owned()), (1, "prefer".to_owned())],
        None => ["prefer", "use"].map(|verb| (1, verb.to_owned())).to_vec(),
    }
}

/// Returns the opposite of a word that is a predicate or an instruction.
fn opposite(word: &str, previous: &str, first: bool) -> Vec<(usize, String)> {
    let ordered = [("disable", "enable"), ("forbid", "allow")];
    let pairs = match (first, BEING.contains(previous)) {
        (true, _) => &ordered[..],
        (_, true) => OPPOSITES,
        _ => &[],
    };
    let pair = pairs.iter().find(|(negative, _)| *negative == word);
    pair.map(|(_, positive)| (1, (*positive).to_owned())).into_iter().collect()
}

/// Returns true if another word of the text negates.
fn is_negated_but(words: &[Word], at: usize) -> bool {
    let mut others = words.iter().enumerate().filter(|(other, _)| *other != at);
    others.any(|(_, word)| words::is(List::Negation, &word.plain))
}

/// Returns `handles` for `handle`; `None` if it is not a plain word.
fn third_person(verb: &str) -> Option<String> {
    let stem = verb.trim_end_matches(MARKS);
    let marks = verb.get(stem.len()..)?;
    if stem.is_empty() || !stem.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return None;
    }
    let hissing = ["s", "x", "z", "ch", "sh", "o"].iter().any(|end| stem.ends_with(end));
    let verb = match stem.strip_suffix('y') {
        _ if stem == "have" => "has".to_owned(),
        Some(start) if !start.ends_with(['a', 'e', 'o', 'u']) => format!("{start}ies"),
        _ if hissing => format!("{stem}es"),
        _ => format!("{stem}s"),
    };
    Some(format!("{verb}{marks}"))
}

pub(super) fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
