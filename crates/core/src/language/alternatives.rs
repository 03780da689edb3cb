//! Statements of which only one can be true, though neither negates the other: a preference and its
//! reverse (`tabs over spaces`), and two values of one thing (`Redis 7`, `port 8080`).
//!
//! Like negations, they are recognised by closed lists of wordings. A number counts as a value where
//! the word before it has one value at a time, and nothing in the sentence says that there may be
//! several: `supports Python 3.11` and `supports Python 3.12` are both true.

use std::borrow::Cow;

use super::{
    lexicon::opposite::{HAS, ORDINAL, PREFERRING, SEVERAL, SINGLE},
    negation::{MARKS, capitalised},
    paraphrase::{
        token,
        words::{self, List},
    },
};

/// What stands between the preferred thing and the other one, in words.
const OVER: &[&[&str]] =
    &[&["over"], &["instead", "of"], &["rather", "than"], &["not"], &["and", "not"], &["to"]];
/// Maximum number of words of a thing.
const THING: usize = 3;

/// Returns wordings of the reverse preference; empty if the text states none.
#[must_use]
pub fn reversed(text: &str) -> Vec<String> {
    let prefers = |word: &str| word == "over" || PREFERRING.contains(word);
    // Most texts need not be read.
    if !text.to_ascii_lowercase().split(|c: char| !c.is_alphanumeric()).any(prefers) {
        return Vec::new();
    }
    let Some(words) = token::chunks(text) else { return Vec::new() };
    let plain: Vec<String> = words.iter().map(|word| plain(word)).collect();
    let mut found = Vec::new();
    for at in 1..plain.len() {
        for over in OVER {
            let is_here = over
                .iter()
                .enumerate()
                .all(|(n, word)| plain.get(at + n).is_some_and(|p| p == word));
            let Some(first) = is_here.then(|| thing_before(&plain, &words, at, over)).flatten()
            else {
                continue;
            };
            let second = at + over.len();
            for end in second + 1..=(second + THING).min(words.len()) {
                let ends = |word: &Cow<'_, str>| word.ends_with(MARKS);
                if words.get(second..end - 1).is_some_and(|thing| thing.iter().any(ends)) {
                    break;
                }
                found.extend(swapped(&words, first..at, second..end));
            }
        }
    }
    found
}

/// Returns where the preferred thing before `at` begins.
fn thing_before(
    plain: &[String],
    words: &[Cow<'_, str>],
    at: usize,
    over: &[&str],
) -> Option<usize> {
    let start = at.saturating_sub(THING + 1);
    let verb = (start..at)
        .rev()
        .find(|verb| plain.get(*verb).is_some_and(|word| PREFERRING.contains(word)));
    let prefers =
        verb.and_then(|verb| plain.get(verb)).is_some_and(|word| word.starts_with("prefer"));
    let first = match verb {
        Some(verb) => verb + 1,
        // `Tabs over spaces` is a sentence of its own.
        None if over == ["over"] && at <= 2 && words.len() <= at + 1 + THING => 0,
        None => return None,
    };
    let is_clause = words.get(first..at)?.iter().rev().skip(1).any(|word| word.ends_with(MARKS));
    (first < at && !is_clause && (over != ["to"] || prefers)).then_some(first)
}

/// Exchanges two ranges of words; marks stay where they are.
fn swapped(
    words: &[Cow<'_, str>],
    first: std::ops::Range<usize>,
    second: std::ops::Range<usize>,
) -> Vec<String> {
    let thing = |range: &std::ops::Range<usize>| -> Option<(String, String)> {
        let joined = words.get(range.clone())?.join(" ");
        let bare = joined.trim_end_matches(MARKS);
        Some((bare.to_owned(), joined.get(bare.len()..)?.to_owned()))
    };
    let (Some((a, mark_a)), Some((b, mark_b))) = (thing(&first), thing(&second)) else {
        return Vec::new();
    };
    let join = |a: &str, b: &str| {
        let parts = [
            words.get(..first.start).unwrap_or_default().join(" "),
            format!("{b}{mark_a}"),
            words.get(first.end..second.start).unwrap_or_default().join(" "),
            format!("{a}{mark_b}"),
            words.get(second.end..).unwrap_or_default().join(" "),
        ];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    };
    if first.start > 0 {
        return vec![join(&a, &b)];
    }
    // The first word of a sentence may be a name.
    let mut chars = a.chars();
    let lower = chars.next().map_or_else(String::new, |c| c.to_lowercase().chain(chars).collect());
    vec![capitalised(&join(&a, &b)), capitalised(&join(&lower, &b))]
}

/// The number that stands for a value in a masked text.
pub const MASK: &str = "0";

/// A value that a text states.
#[derive(Debug)]
pub struct StatedValue {
    /// As it is written: `7`, `3.12`, `v2`.
    pub number: String,
    /// The text with [`MASK`] in place of the number.
    pub masked: String,
}

/// Returns the values that a text states.
#[must_use]
pub fn values(text: &str) -> Vec<StatedValue> {
    if !text.bytes().any(|byte| byte.is_ascii_digit()) || text.contains('?') {
        return Vec::new();
    }
    let Some(words) = token::chunks(text) else { return Vec::new() };
    let plain: Vec<String> = words.iter().map(|word| plain(word)).collect();
    let several = |word: &String| SEVERAL.contains(word) || words::is(List::Quantifier, word);
    let happened = words.first().is_some_and(|word| is_event(word));
    if happened || plain.iter().any(several) {
        return Vec::new();
    }
    let value = |at: usize| {
        let word = words.get(at)?;
        let number = word.trim_end_matches(MARKS);
        let marks = word.get(number.len()..)?;
        if !is_number(number) || !has_one_value(&words, &plain, at) {
            return None;
        }
        let mut masked = words.clone();
        *masked.get_mut(at)? = format!("{MASK}{marks}").into();
        Some(StatedValue { number: number.to_owned(), masked: masked.join(" ") })
    };
    (1..words.len()).filter_map(value).collect()
}

/// Returns true if a sentence that begins with this word tells what was done.
fn is_event(word: &str) -> bool {
    let word = plain(word);
    let past = word.len() > 4 && word.ends_with("ed");
    past && !matches!(word.as_str(), "decided" | "pinned" | "need" | "speed")
}

/// Returns true if the number at `at` is the only value of what stands before it.
fn has_one_value(words: &[Cow<'_, str>], plain: &[String], at: usize) -> bool {
    let before =
        |n: usize| at.checked_sub(n).and_then(|at| plain.get(at)).map_or("", String::as_str);
    // A unit or a noun after a number counts things, of which there may be several kinds.
    let noun = |n: usize| SINGLE.contains(before(n));
    if noun(1) || HAS.contains(before(1)) && noun(2) {
        return true;
    }
    let Some(name) = at.checked_sub(1).and_then(|at| words.get(at)) else { return false };
    let is_word = name.len() > 1 && name.chars().all(char::is_alphabetic);
    let capital = name.starts_with(char::is_uppercase);
    let is_name = is_word
        && (capital && (at > 1 || !is_instruction(before(1)))
            || words::is(List::Command, before(1)));
    is_name && !ORDINAL.contains(before(1))
}

fn is_instruction(word: &str) -> bool {
    words::is(List::Imperative, word) || words::is(List::Function, word)
}

/// Returns true for numbers and versions: `7`, `3.12`, `v2`.
fn is_number(word: &str) -> bool {
    let digits = word.strip_prefix('v').unwrap_or(word);
    let parts = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    !digits.is_empty() && digits.split('.').all(parts)
}

/// Returns a word in lower case, without marks around it.
fn plain(word: &str) -> String {
    word.trim_start_matches('(').trim_end_matches(MARKS).to_ascii_lowercase()
}
