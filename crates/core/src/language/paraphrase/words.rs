//! Words that may be spelled or inflected differently with the same meaning, and the closed lists of words.

use std::{borrow::Cow, sync::LazyLock};

pub(crate) use crate::language::lexicon::paraphrase::List;
use crate::{
    language::lexicon::paraphrase::{EXPANSIONS, LISTS, SPELLINGS},
    model::hash::IdMap,
};

static TABLE: LazyLock<IdMap<&str, u64>> = LazyLock::new(|| {
    let mut table = IdMap::default();
    for (list, words) in LISTS {
        for word in words.split(' ') {
            *table.entry(word).or_default() |= 1_u64 << *list as u32;
        }
    }
    table
});

/// The lists that a word is on, in its exact spelling.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WordLists(u64);

impl WordLists {
    pub(crate) fn of(word: &str) -> Self {
        Self(TABLE.get(word).copied().unwrap_or_default())
    }

    pub(crate) fn has(self, list: List) -> bool {
        self.0 & 1_u64 << list as u32 != 0
    }
}

/// Returns true if the word is on the list, in this exact spelling.
pub(crate) fn is(list: List, word: &str) -> bool {
    WordLists::of(word).has(list)
}

/// Returns the words of a list.
pub(crate) fn all(list: List) -> impl Iterator<Item = &'static str> {
    LISTS.iter().filter(move |(other, _)| *other == list).flat_map(|(_, words)| words.split(' '))
}

/// Returns the expansion of a word, which does not depend on its context.
pub(crate) fn expand(word: &str) -> Option<&'static str> {
    EXPANSIONS.iter().find(|(from, _)| *from == word).map(|(_, to)| *to)
}

/// Returns the number below 100 that a word names.
pub(super) fn number(word: &str) -> Option<usize> {
    let number = |word: &str| {
        let at = is(List::Number, word).then(|| all(List::Number).position(|w| w == word));
        at.flatten().map(|at| if at < 20 { at } else { 10 * (at - 18) })
    };
    match word.split_once('-') {
        Some((tens, units)) => match (number(tens)?, number(units)?) {
            (tens @ 20.., units @ 1..=9) => Some(tens + units),
            _ => None,
        },
        None => number(word),
    }
}

/// Returns true if the number may be written as a word.
pub(super) fn is_number_of_words(text: &str) -> bool {
    text.len() <= 2 && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the American spelling.
pub(super) fn spelling(word: &str) -> Cow<'_, str> {
    let first = word.bytes().next();
    let begins = |british: &str| british.bytes().next() == first && word.starts_with(british);
    match SPELLINGS.iter().find(|(british, _)| begins(british) && !word.ends_with('m')) {
        Some((british, american)) => Cow::Owned(word.replacen(british, american, 1)),
        None => Cow::Borrowed(word),
    }
}

/// Returns the singular of a noun, or the plural of a verb; other words are unchanged.
pub(super) fn singular(word: &str) -> Cow<'_, str> {
    singular_of(word, WordLists::of(word))
}

/// Like [`singular`], for a word whose lists are known.
pub(super) fn singular_of(word: &str, lists: WordLists) -> Cow<'_, str> {
    if !word.ends_with('s') {
        return Cow::Borrowed(word);
    }
    match word {
        "apis" | "prs" | "sdks" | "urls" => return Cow::Borrowed(word.trim_end_matches('s')),
        _ if word.len() < 4 || lists.has(List::NotPlural) || lists.has(List::Function) => {
            return Cow::Borrowed(word);
        }
        _ => {}
    }
    if let Some(stem) = word.strip_suffix("ies") {
        return if word.len() > 5 { Cow::Owned(format!("{stem}y")) } else { Cow::Borrowed(word) };
    }
    let Some(stem) = word.strip_suffix('s') else { return Cow::Borrowed(word) };
    let hissing = ["sse", "xe", "she", "tche", "nche", "rche", "zze"];
    if hissing.iter().any(|end| stem.ends_with(end)) {
        return Cow::Borrowed(stem.trim_end_matches('e'));
    }
    let kept = stem.ends_with(['s', 'u', 'i', 'a', 'o', '\'']);
    Cow::Borrowed(if kept { word } else { stem })
}

/// Returns the gerund of an imperative.
pub(crate) fn gerund(verb: &str) -> String {
    match verb {
        "commit" | "run" | "tag" | "ship" => {
            format!("{verb}{}ing", verb.get(verb.len() - 1..).unwrap_or_default())
        }
        _ => format!("{}ing", verb.strip_suffix('e').unwrap_or(verb)),
    }
}

/// Returns the common prefix of all spellings of a word, except for the case of the first letter;
/// `None` if there is none.
pub(super) fn stem(word: &str) -> Option<String> {
    let upper = word.to_ascii_uppercase();
    let shouted = is(List::Emphasis, &upper)
        || is(List::Abbreviation, &upper)
        || is(List::Abbreviation, upper.trim_end_matches('S'))
        || all(List::Brand).any(|brand| brand.eq_ignore_ascii_case(word));
    let respelled = word.contains('z') || all(List::Respelled).any(|start| word.starts_with(start));
    if shouted || respelled || is(List::Volatile, word) {
        return None;
    }
    let is_form = |verb: &&str| word == *verb || (word.ends_with("ing") && word == gerund(verb));
    let verb = all(List::Imperative).find(is_form);
    let stem = match verb {
        Some(verb) => verb.trim_end_matches(['e', 'y']).to_owned(),
        None => singular(word).trim_end_matches('y').to_owned(),
    };
    // An apostrophe may be typographic.
    let stem = stem.split('\'').next()?;
    Some(stem.to_owned())
}
