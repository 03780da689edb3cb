//! Cues as data: wordings by which people say what should be known in later sessions, in tables that
//! hold a language each (`english.txt` describes the format; `build.rs` compiles them).
//!
//! The tables say what a cue is. What makes a sentence state nothing despite its cue is the same in
//! every language and is decided here: questions, reports, conditions, single occasions, things that
//! nobody knows a week later.

mod matcher;

#[cfg(test)]
mod tests;

use std::ops::Range;

use super::{sentence::Sentence, words::Word};
use matcher::{MatchKind, MatchLine, MatchPart, Plain, SeenWords};

#[expect(clippy::unreadable_literal, reason = "made by build.rs")]
mod tables {
    use super::{CueStrength, Entry, Family, Language, MatchKind, MatchPart, Phrases, Row};

    include!(concat!(env!("OUT_DIR"), "/cues.rs"));
}
use tables::ALL;

// Bits of the lists that the guards use, in the order of `build.rs`.
const OPENING: u64 = 1;
const SOFT: u64 = 1 << 1;
const JOINT: u64 = 1 << 2;
const QUESTION: u64 = 1 << 3;
const AUXILIARY: u64 = 1 << 4;
const PRONOUN: u64 = 1 << 5;
const REPORT: u64 = 1 << 6;
const IF: u64 = 1 << 7;
const THIS: u64 = 1 << 8;
const PROJECT: u64 = 1 << 9;
const THE: u64 = 1 << 10;
const LOCAL: u64 = 1 << 11;
const POINTER: u64 = 1 << 12;
const TROUBLE: u64 = 1 << 13;

/// Maximum number of words of a sentence that are read.
const WORDS: usize = 60;
/// Maximum number of words between an article and the noun that belongs to it.
const APART: usize = 3;

/// The kind of a cue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// Names the agent or a person.
    Naming,
    /// Tells who the user is.
    Identity,
    /// Corrects what the agent did or said.
    Correction,
    /// Tells what the user likes or dislikes.
    Preference,
    /// Asks the agent to remember something.
    Wish,
    /// Tells the agent to do something, or not to do it.
    Rule,
    /// Tells what a team does.
    Convention,
    /// Tells a decision; only dreams learn it.
    Decision,
    /// Tells what was found out; only dreams learn it.
    Finding,
}

impl Family {
    /// Returns true for what only a dream learns, which knows what came of it.
    #[must_use]
    pub fn is_of_dreams(self) -> bool {
        matches!(self, Self::Decision | Self::Finding)
    }

    /// Returns true for what is said about a project rather than about the user.
    #[must_use]
    pub fn is_of_project(self) -> bool {
        matches!(self, Self::Convention | Self::Correction)
    }
}

/// How clearly a wording states something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CueStrength {
    /// Never; it only makes a message important.
    Mention,
    /// Only if a message says nothing else: beside a task it may be of that task.
    Lone,
    /// Only if a message states nothing else.
    Weak,
    Plain,
    /// Even under a condition.
    Firm,
}

impl CueStrength {
    pub fn is_weak(self) -> bool {
        self <= Self::Weak
    }
}

/// A wording that states something.
struct Row {
    family: Family,
    strength: CueStrength,
    wording: &'static str,
    parts: &'static [MatchPart],
}

impl Row {
    /// Returns true if the pattern begins with any words.
    fn is_open(&self) -> bool {
        let first = self.parts.first().map(|part| part.kind);
        first.is_some_and(|kind| matches!(kind, MatchKind::Not | MatchKind::Name))
    }

    /// Returns true if the pattern ends where the text goes on.
    fn leads(&self) -> bool {
        let is = |part: Option<&MatchPart>, kind| part.is_some_and(|part| part.kind == kind);
        is(self.parts.last(), MatchKind::Rest) && !is(self.parts.first(), MatchKind::Behind)
    }
}

/// A table.
struct Language {
    /// Words of the patterns and lists, by their hashes.
    words: &'static [Entry],
    /// Rows that any sentence may match.
    open: &'static [u16],
    task: u64,
    since: u64,
    own: u64,
    which: u64,
    and: u64,
    agent: u64,
    /// Wordings of a single occasion.
    once: Phrases,
    /// Wordings that narrow a weak rule to one place.
    narrow: Phrases,
    /// Wordings that turn a statement into a complaint.
    turn: Phrases,
    /// Wordings that say that something is wrong.
    denial: Phrases,
    /// Wordings of letters.
    letter: Phrases,
    /// Wordings that reject what was done.
    rejection: Phrases,
    /// Wordings that ask for work on a text, which is somebody else's.
    reading: Phrases,
    /// Wordings by which a reviewer begins.
    verdict: Phrases,
    rows: &'static [Row],
}

impl Language {
    /// Returns true if a wording of a single occasion begins at a word.
    fn is_once(&self, line: &MatchLine<'_>, at: usize) -> bool {
        let since = at.checked_sub(1).is_some_and(|at| line.is(at, self.since));
        !since && self.once.behind(line, at).is_some()
    }
}

/// A word of a table.
struct Entry {
    /// FNV-1a of the word without umlauts.
    hash: u64,
    /// Bits of the lists that have it.
    lists: u64,
    /// Rows that a sentence may match because it has this word.
    rows: &'static [u16],
}

/// Wordings that the guards look for.
struct Phrases {
    /// The list of the words that begin one.
    starts: u64,
    all: &'static [&'static [MatchPart]],
}

impl Phrases {
    /// Returns the position behind a wording that begins at a word.
    fn behind(&self, line: &MatchLine<'_>, at: usize) -> Option<usize> {
        let may = line.is(at, self.starts);
        may.then(|| self.all.iter().find_map(|parts| line.behind(parts, at, None)))?
    }
}

/// A cue in a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CueFound {
    pub family: Family,
    pub strength: CueStrength,
    /// The pattern, as the table has it.
    pub wording: &'static str,
    /// Positions of words: where the statement, the clause of the cue and the rest after it begin.
    pub statement: usize,
    pub clause: usize,
    pub end: usize,
    /// True if the wording begins with any words, which may be those of somebody else.
    pub open: bool,
    /// True if the wording only leads to the statement, as "it turns out that" does.
    pub leads: bool,
}

impl CueFound {
    /// Returns the bytes of the cue in a sentence of these words.
    pub(super) fn bytes(&self, words: &[Word]) -> Range<usize> {
        let byte = |at: usize| words.get(at).map_or(0, |word| word.start);
        let end = self.end.checked_sub(1).and_then(|at| words.get(at)).map_or(0, |word| word.end);
        // What leads to a statement belongs to it for whoever asks who speaks.
        let start = if self.statement >= self.clause { 0 } else { byte(self.clause) };
        // A colon within a wording is part of it, unless the wording begins with any words.
        start..if self.open { start.max(byte(self.statement)) } else { end }
    }
}

/// A sentence as the tables see it.
pub struct SentenceReading<'a> {
    sentence: &'a Sentence,
    words: Vec<Plain<'a>>,
    opening: Vec<Plain<'a>>,
}

impl<'a> SentenceReading<'a> {
    pub fn new(sentence: &'a Sentence, words: &'a [Word]) -> Self {
        let words = words.get(..WORDS).unwrap_or(words);
        let opening = sentence.opening.split(|c: char| !c.is_alphanumeric() && c != '\'');
        Self {
            sentence,
            words: words.iter().map(|word| Plain::of(&word.text, word.apart)).collect(),
            opening: opening
                .filter(|word| !word.is_empty())
                .map(|word| Plain::of(word, false))
                .collect(),
        }
    }

    fn line(&'a self, language: &Language) -> MatchLine<'a> {
        let seen = |words: &'a [Plain<'a>]| {
            words.iter().map(|word| SeenWords::of(word, language)).collect()
        };
        MatchLine { words: seen(&self.words), opening: seen(&self.opening), denied: None }
    }

    /// Returns the cue of the sentence. `corrected` is true if the sentence before said that
    /// something was wrong.
    pub fn cue(&self, corrected: bool) -> Option<CueFound> {
        self.best(corrected, |family| !family.is_of_dreams())
    }

    /// Returns the cue of the sentence as [`Self::cue`] does, but a decision or finding if it states
    /// one.
    pub fn noted(&self, corrected: bool) -> Option<CueFound> {
        self.best(corrected, Family::is_of_dreams).or_else(|| self.cue(corrected))
    }

    /// Returns the cues that make a message with the sentence important, each with its pattern: what
    /// it states, and what it only mentions.
    pub fn mentions(&self, corrected: bool) -> Vec<(Family, &'static str)> {
        let stated = self.cue(corrected).map(|cue| (cue.family, cue.wording));
        let mentioned = ALL.iter().flat_map(|language| {
            let line = self.line(language);
            let mut rows: Vec<u16> =
                line.words.iter().flat_map(|word| word.rows).copied().collect();
            rows.sort_unstable();
            rows.dedup();
            let rows = rows.into_iter().filter_map(|row| language.rows.get(usize::from(row)));
            let rows = rows.filter(|row| row.strength == CueStrength::Mention);
            let has = |row: &&Row| {
                (0..line.words.len()).any(|at| line.behind(row.parts, at, None).is_some())
            };
            rows.filter(has).map(|row| (row.family, row.wording)).collect::<Vec<_>>()
        });
        stated.into_iter().chain(mentioned).collect()
    }

    /// Returns true if the sentence rejects what was just done.
    pub fn rejects(&self) -> bool {
        ALL.iter().any(|language| {
            let line = self.line(language);
            let begins = |at: usize| {
                line.apart(at)
                    || line
                        .words
                        .get(..at)
                        .is_some_and(|words| words.iter().all(|w| w.is(OPENING | SOFT)))
            };
            let mut all = (0..line.words.len()).filter(|at| begins(*at));
            all.any(|at| language.rejection.behind(&line, at).is_some())
        })
    }

    fn best(&self, corrected: bool, of: impl Fn(Family) -> bool) -> Option<CueFound> {
        if self.sentence.is_question() || self.words.is_empty() {
            return None;
        }
        let mut best: Option<CueFound> = None;
        for language in ALL.iter().copied() {
            let line = self.line(language);
            let mut rows: Vec<u16> = language.open.to_vec();
            rows.extend(line.words.iter().flat_map(|word| word.rows));
            if rows.is_empty() {
                continue;
            }
            rows.sort_unstable();
            rows.dedup();
            let Some(reader) = Reader::new(language, line, corrected) else { continue };
            let rows = rows.into_iter().filter_map(|row| language.rows.get(usize::from(row)));
            let rows = rows.filter(|row| of(row.family) && row.strength != CueStrength::Mention);
            for cue in rows.filter_map(|row| reader.cue(row)) {
                // What somebody wants of all that is done comes first, and then the first clause, which says
                // what the others are about.
                let key = |cue: &CueFound| {
                    (cue.strength.is_weak(), cue.family != Family::Preference, cue.clause)
                };
                if best.as_ref().is_none_or(|best| key(&cue) < key(best)) {
                    best = Some(cue);
                }
            }
        }
        best
    }

    /// Returns true if the sentence only says that something was wrong.
    pub fn only_denies(&self) -> bool {
        !self.sentence.asked
            && self.words.len() < 8
            && ALL.iter().any(|language| {
                let line = self.line(language);
                let rest = |at: usize| {
                    line.words
                        .get(at..)
                        .is_some_and(|rest| rest.iter().all(|word| word.is(OPENING | SOFT)))
                };
                let first = line.words.iter().take_while(|word| word.is(OPENING)).count();
                (0..=first).any(|at| language.denial.behind(&line, at).is_some_and(rest))
            })
    }

    /// Returns true if the sentence is about a single occasion.
    pub fn is_of_one_occasion(&self) -> bool {
        ALL.iter().any(|language| {
            let line = self.line(language);
            (0..line.words.len()).any(|at| language.is_once(&line, at))
        })
    }

    /// Returns true if the sentence, beside a cue, is one that a user says to an agent, in a language
    /// other than English, which has rules of its own. A question `before` it may be somebody else's.
    pub fn is_own(&self, before: bool) -> bool {
        ALL.iter().skip(1).any(|language| {
            let line = self.line(language);
            let said = line.words.iter().all(|word| word.is(OPENING));
            let first = line.words.iter().find(|word| !word.is(OPENING | SOFT));
            let asks = !before && self.sentence.asked;
            let begins = language.task | if asks { QUESTION | AUXILIARY } else { 0 };
            said || first.is_some_and(|word| word.is(begins))
                || line.words.iter().any(|word| word.is(language.own))
        })
    }

    /// Returns the positions behind wordings that ask for work on a text, in English if `all`.
    pub fn readings(&self, all: bool) -> Vec<usize> {
        let languages = ALL.iter().skip(usize::from(!all));
        let mut ends = Vec::new();
        for language in languages {
            let line = self.line(language);
            let found = (0..line.words.len()).filter_map(|at| language.reading.behind(&line, at));
            ends.extend(found);
        }
        ends
    }

    /// Returns true if the sentence begins as the verdict of a reviewer does.
    pub fn is_verdict(&self) -> bool {
        ALL.iter().any(|language| {
            let line = self.line(language);
            let first = line.words.iter().take_while(|word| word.is(OPENING | SOFT)).count();
            line.opening.iter().any(|word| word.is(language.verdict.starts))
                || (0..=first).any(|at| language.verdict.behind(&line, at).is_some())
        })
    }

    /// Returns true if the sentence has words of a letter.
    pub fn is_of_letter(&self) -> bool {
        ALL.iter().any(|language| {
            let line = self.line(language);
            (0..line.words.len()).any(|at| language.letter.behind(&line, at).is_some())
        })
    }
}

/// A sentence in a language, with what the guards found.
struct Reader<'a> {
    language: &'static Language,
    line: MatchLine<'a>,
    /// The first word that is no opening.
    first: usize,
    /// True if the sentence asks the agent to do something.
    requested: bool,
}

impl<'a> Reader<'a> {
    /// Reads a sentence; `None` if it asks something or is about one occasion or thing.
    fn new(language: &'static Language, line: MatchLine<'a>, corrected: bool) -> Option<Self> {
        let is = |at: usize, list: u64| line.is(at, list);
        let first = line.words.iter().take_while(|word| word.is(OPENING)).count();
        let first = if first == line.words.len() { 0 } else { first };
        let asks = |at: usize| is(at, QUESTION) || is(at, AUXILIARY) && is(at + 1, PRONOUN);
        // "Could you always run the tests" is a wish, but for a question mark.
        let requested = is(first, AUXILIARY) && is(first + 1, language.agent);
        if !requested && (asks(first) || first > 0 && asks(0)) {
            return None;
        }
        let count = line.words.len();
        // "This function"; a project is still known in a week, and a colon may follow "this".
        let this = |at: usize| {
            is(at, THIS)
                && at + 1 < count
                && !line.apart(at + 1)
                && !(at + 1..=at + 4).any(|at| is(at, PROJECT))
        };
        if (0..count).any(|at| language.is_once(&line, at) || this(at)) {
            return None;
        }
        let denied = if corrected {
            Some(0)
        } else {
            let phrase = |from| language.denial.behind(&line, from);
            phrase(0).or_else(|| phrase(first)).filter(|at| line.apart(*at))
        };
        Some(Self { language, line: MatchLine { denied, ..line }, first, requested })
    }

    /// Returns the cue, if the row matches and no guard objects.
    fn cue(&self, row: &'static Row) -> Option<CueFound> {
        let firm = row.strength == CueStrength::Firm;
        if !firm && (self.requested || self.line.is(self.first, IF)) {
            return None;
        }
        let plain = firm
            || matches!(row.family, Family::Correction | Family::Preference)
                && !row.strength.is_weak()
            || row.family.is_of_dreams();
        (0..self.line.words.len()).filter(|at| self.begins(*at)).find_map(|clause| {
            let mut at = clause;
            loop {
                if let Some(end) = self.line.behind(row.parts, at, Some(row.family))
                    && !self.is_local(clause, (row.family == Family::Wish).then_some(end), plain)
                    && self.holds(row, clause, at..end)
                {
                    let before = self.line.words.get(..clause)?;
                    let asked = self.requested && clause == self.first + 2;
                    let led = asked || before.iter().all(|word| word.is(OPENING | SOFT));
                    let denied = self.line.denied == Some(clause);
                    let statement = if led || denied { self.behind_opening(clause, at) } else { 0 };
                    let Row { family, strength, wording, .. } = *row;
                    let leads = family == Family::Finding && row.leads();
                    let open = row.is_open();
                    return Some(CueFound {
                        family,
                        strength,
                        wording,
                        statement,
                        clause,
                        end,
                        open,
                        leads,
                    });
                }
                if !self.line.is(at, SOFT) {
                    return None;
                }
                at += 1;
            }
        })
    }

    /// Skips "no, ", "but " and the like before a statement that begins in the clause `from`.
    fn behind_opening(&self, from: usize, at: usize) -> usize {
        let leads = |at: usize| self.line.apart(at + 1) || self.line.is(at, JOINT);
        let opens = |at: &usize| self.line.is(*at, OPENING) && leads(*at);
        from + (from..at).take_while(opens).count()
    }

    /// Returns true if a clause begins at a word.
    fn begins(&self, at: usize) -> bool {
        let asked = self.requested && at == self.first + 2;
        asked
            || self.line.apart(at)
            || at.checked_sub(1).is_some_and(|at| self.line.is(at, JOINT))
            || at <= self.first
    }

    /// Returns true if a word behind `from` names one thing in the code; of what is `firm`, only one
    /// of several things. The word before `end` only leads: `remember that new endpoints …`.
    fn is_local(&self, from: usize, end: Option<usize>, firm: bool) -> bool {
        let line = &self.line;
        let leads = |at: usize| end == Some(at + 1);
        (from..line.words.len()).filter(|at| line.is(*at, THE) && !leads(*at)).any(|at| {
            let noun = |at: &usize| line.is(*at, LOCAL);
            // "The second one", but not "the first failure".
            let ends = at + 2 >= line.words.len() || line.apart(at + 2);
            line.is(at + 1, self.language.which) && (ends || line.is(at + 2, LOCAL))
                || !firm
                    && (at + 1..=at + APART).take_while(|at| !line.apart(*at)).any(|at| noun(&at))
        })
    }

    /// Returns true if nothing around a cue says that it states nothing.
    fn holds(&self, row: &Row, clause: usize, cue: Range<usize>) -> bool {
        // A pattern that begins with anything may contain a report.
        let before = self.line.words.get(..if row.is_open() { cue.end } else { cue.start });
        let reported = before.is_none_or(|words| words.iter().any(|word| word.is(REPORT)));
        let family = row.family;
        // "Refactor the cache, and from now on …" is more than that order.
        let soft = (self.first..clause).take_while(|at| self.line.is(*at, SOFT)).count();
        let verb = self.first + soft;
        let ordered = family != Family::Convention
            && !self.line.is(cue.start, self.language.since)
            && clause > verb
            && self.line.is(verb, self.language.task);
        let troubled = || {
            let plain = matches!(family, Family::Rule | Family::Wish | Family::Naming)
                || family.is_of_dreams()
                || family == Family::Preference && !row.strength.is_weak();
            !plain && self.line.words.iter().skip(cue.end).any(|word| word.is(TROUBLE))
        };
        // "Use x instead of y and update the callers", "we use x but it is slow".
        let behind = |wanted: &dyn Fn(usize) -> bool| (cue.end..self.line.words.len()).any(wanted);
        let errand = |at: usize| {
            let joined = self.line.is(at - 1, self.language.and) || self.line.apart(at);
            joined && self.line.is(at, self.language.task)
        };
        let has = |phrases: &Phrases, at| phrases.behind(&self.line, at).is_some();
        let turn = |at: usize| has(&self.language.turn, at);
        let narrow = |at: usize| family == Family::Rule && has(&self.language.narrow, at);
        let weak = row.strength.is_weak();
        let told = row.is_open() && family == Family::Rule;
        let spoiled = weak && family != Family::Identity && (behind(&errand) || behind(&narrow))
            || told && behind(&errand)
            || (weak || matches!(family, Family::Convention | Family::Identity)) && behind(&turn);
        !reported && !ordered && !troubled() && !spoiled
    }
}
