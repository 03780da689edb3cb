//! Matches the patterns of cues against the words of a sentence.

use std::borrow::Cow;

use super::{Family, Language};
use crate::model::hash::fnv1a64;

/// A part of a pattern; `english.txt` describes them.
#[derive(Debug)]
pub(super) struct MatchPart {
    pub(super) kind: MatchKind,
    /// True if a comma may stand for the word.
    pub(super) comma: bool,
    /// Bits of the lists that have the word.
    pub(super) lists: u64,
    /// Numbers of the words.
    pub(super) ids: &'static [u16],
    /// Endings of the word.
    pub(super) ends: &'static [&'static str],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MatchKind {
    One,
    Maybe,
    Not,
    /// The sentence follows such a word.
    Behind,
    /// A word that names something.
    Name,
    MaybeName,
    /// More words, the first of which names something.
    Rest,
    Gap,
    Wide,
    Comma,
    MaybeComma,
    End,
}

/// Maximum number of words of a gap within a clause.
const GAP: usize = 6;

/// A word as the patterns see it.
#[derive(Debug, Clone, Copy)]
pub(super) struct SeenWords<'a> {
    text: &'a str,
    /// Number of the word in the table; 0 if no pattern contains it.
    id: u16,
    lists: u64,
    pub(super) rows: &'static [u16],
    pub(super) apart: bool,
}

impl<'a> SeenWords<'a> {
    pub(super) fn of(word: &'a Plain<'a>, language: &Language) -> Self {
        let Plain { text, hash, apart } = word;
        let found = language.words.binary_search_by_key(hash, |entry| entry.hash);
        let entry = found.ok().and_then(|at| Some((at, language.words.get(at)?)));
        let (id, lists, rows) =
            entry.map_or((0, 0, &[][..]), |(at, entry)| (at + 1, entry.lists, entry.rows));
        Self { text, id: u16::try_from(id).unwrap_or_default(), lists, rows, apart: *apart }
    }

    pub(super) fn is(&self, list: u64) -> bool {
        self.lists & list != 0
    }
}

/// A word without umlauts, in no language yet.
#[derive(Debug)]
pub(super) struct Plain<'a> {
    text: Cow<'a, str>,
    hash: u64,
    apart: bool,
}

impl<'a> Plain<'a> {
    pub(super) fn of(text: &'a str, apart: bool) -> Self {
        let text = fold(text);
        Self { hash: fnv1a64(&[text.as_bytes()]), text, apart }
    }
}

/// Writes a word without umlauts, however they are spelled: für, fuer and fur are one word.
fn fold(word: &str) -> Cow<'_, str> {
    let bytes = word.as_bytes();
    let digraph = bytes
        .iter()
        .zip(bytes.iter().skip(1))
        .any(|(vowel, next)| *next == b'e' && matches!(vowel, b'a' | b'o' | b'u'));
    if word.is_ascii() && !digraph {
        return Cow::Borrowed(word);
    }
    let mut out = String::with_capacity(word.len());
    let mut chars = word.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            'ä' => out.push('a'),
            'ö' => out.push('o'),
            'ü' => out.push('u'),
            'ß' => out.push_str("ss"),
            'a' | 'o' | 'u' => {
                out.push(c);
                chars.next_if_eq(&'e');
            }
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// A sentence to be matched.
pub(super) struct MatchLine<'a> {
    pub(super) words: Vec<SeenWords<'a>>,
    /// The words of its opening, which are not among its words.
    pub(super) opening: Vec<SeenWords<'a>>,
    /// The position behind a denial: "that's wrong, …".
    pub(super) denied: Option<usize>,
}

impl MatchLine<'_> {
    pub(super) fn is(&self, at: usize, list: u64) -> bool {
        self.words.get(at).is_some_and(|word| word.is(list))
    }

    pub(super) fn apart(&self, at: usize) -> bool {
        at == 0 || self.words.get(at).is_none_or(|word| word.apart)
    }

    /// Returns the position behind a pattern that begins at `at`.
    pub(super) fn behind(
        &self,
        parts: &[MatchPart],
        at: usize,
        family: Option<Family>,
    ) -> Option<usize> {
        let (parts, at) = match parts.split_first() {
            Some((first, rest)) if first.kind == MatchKind::Behind => {
                let denied = family == Some(Family::Correction) && self.is_denied(at);
                let opened = |word: &SeenWords<'_>| Self::is_one(first, word);
                let before = self.words.get(..at).unwrap_or_default();
                let led = self.apart(at)
                    && before.iter().all(|word| word.is(super::OPENING))
                    && before.iter().any(opened);
                (denied || led || self.opening.iter().any(opened)).then_some((rest, at))?
            }
            _ => (parts, at),
        };
        self.from(parts, at, true)
    }

    /// Returns true if what is before a word says that something is wrong.
    fn is_denied(&self, at: usize) -> bool {
        let between = self.denied.and_then(|from| self.words.get(from..at));
        between.is_some_and(|words| words.iter().all(|word| word.is(super::OPENING | super::SOFT)))
    }

    fn is_one(part: &MatchPart, word: &SeenWords<'_>) -> bool {
        word.lists & part.lists != 0
            || word.id > 0 && part.ids.contains(&word.id)
            || part
                .ends
                .iter()
                .any(|end| word.text.len() > end.len() + 1 && word.text.ends_with(end))
    }

    /// Matches the parts from a word on. `free` is true if a comma may precede the word.
    fn from(&self, parts: &[MatchPart], at: usize, free: bool) -> Option<usize> {
        let Some((part, rest)) = parts.split_first() else { return Some(at) };
        let word = self.words.get(at);
        let joined = word.filter(|_| free || !self.apart(at));
        let names = |word: &&SeenWords<'_>| !word.is(super::POINTER);
        match part.kind {
            MatchKind::One | MatchKind::Maybe | MatchKind::Behind => {
                if joined.is_some_and(|word| Self::is_one(part, word))
                    && let Some(end) = self.from(rest, at + 1, false)
                {
                    return Some(end);
                }
                let without =
                    part.kind == MatchKind::Maybe || part.comma && self.apart(at) && at > 0;
                without.then(|| self.from(rest, at, free || part.comma))?
            }
            MatchKind::Not => {
                let other = !word.is_some_and(|word| Self::is_one(part, word));
                other.then(|| self.from(rest, at, free))?
            }
            MatchKind::Name => joined.filter(names).and_then(|_| self.from(rest, at + 1, false)),
            MatchKind::MaybeName => joined
                .filter(names)
                .and_then(|_| self.from(rest, at + 1, false))
                .or_else(|| self.from(rest, at, free)),
            MatchKind::Rest => word.filter(names).and_then(|_| self.from(rest, at, true)),
            MatchKind::Gap => self.across(rest, at, free),
            MatchKind::Wide => (at..=self.words.len()).find_map(|next| self.from(rest, next, true)),
            MatchKind::Comma => (self.apart(at) && at > 0).then(|| self.from(rest, at, true))?,
            MatchKind::MaybeComma => self.from(rest, at, true),
            MatchKind::End => {
                let soft = self
                    .words
                    .get(at..)
                    .is_none_or(|words| words.iter().all(|w| w.is(super::SOFT)));
                soft.then(|| self.from(rest, at, true))?
            }
        }
    }

    /// Matches the parts behind a gap within a clause.
    fn across(&self, parts: &[MatchPart], at: usize, free: bool) -> Option<usize> {
        for next in at..=at + GAP {
            let free = free && next == at;
            if let Some(end) = self.from(parts, next, free) {
                return Some(end);
            }
            if next >= self.words.len() || !free && self.apart(next) {
                break;
            }
        }
        None
    }
}
