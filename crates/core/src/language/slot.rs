//! What a statement says of what: its values, each with its subject. Two statements with one subject
//! and two values cannot both be true: `Deploys go through Jenkins`, `We deploy with Argo`.
//!
//! Precision counts more than recall, since most lines of a project that look alike are both true. A
//! value counts only behind a word that takes one (`is`, `on port`, `use … for`), and all other words
//! with content are its subject. Where those differ, or a second value does, the statements are about
//! two things.

use std::{borrow::Cow, sync::LazyLock};

use super::{
    lexicon::{
        opposite::{CONDITIONS, ONE_NUMBER, ORDINAL, REASON, SEVERAL},
        slot::{LISTS, List},
    },
    words::{PREFIX, READ, read_part, sure_start, word_starts},
};
use crate::model::hash::{FNV1A64, IdMap, fnv1a64, fnv1a64_more};

/// Words of a value.
const LONGEST: usize = 4;

/// A value that a statement gives to a subject, as hashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValueSlot {
    /// Of the subject and the kind of value.
    pub subject: u64,
    pub value: u64,
    /// True for the name of a tool, a path or a number, false for a word that may be anything.
    pub is_sure: bool,
}

/// A subject of a statement, or a value that it uses or gives up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlotTopic {
    pub hash: u64,
    /// The start of a word that stands in every text with this topic, as in [`word_starts`]; `None` if
    /// that is not sure of any word.
    pub word: Option<u64>,
}

/// The values of a statement.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Slots {
    pub values: Vec<ValueSlot>,
    /// Values that it uses, whatever for.
    pub used: Vec<u64>,
    /// Values that it says are used no more.
    pub dropped: Vec<u64>,
    /// All that these are about. Texts without one in common do not replace one another.
    pub topics: Vec<SlotTopic>,
}

impl Slots {
    /// Reads a text. Only its first clause gives values.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut slots = Self::default();
        if text.contains('?') {
            return slots;
        }
        let words = words(text);
        let end = words
            .iter()
            .position(|word| word.ends == WordEnd::Clause)
            .map_or(words.len(), |at| at + 1);
        if let Some(clause) = words.get(..end).filter(|clause| clause.len() <= CLAUSE) {
            Clause { words: clause }.read(&mut slots);
        }
        read_dropped(&words, &mut slots);
        slots
    }

    /// Returns false if another text surely has no topic of this one.
    #[must_use]
    pub fn may_share_a_topic(&self, other: &str) -> bool {
        let has = |start: u64| self.topics.iter().any(|topic| topic.word == Some(start));
        self.topics.iter().any(|topic| topic.word.is_none()) || word_starts(other).any(has)
    }

    fn give(&mut self, subject: SlotTopic, value: u64, is_sure: bool) {
        self.values.push(ValueSlot { subject: subject.hash, value, is_sure });
        self.topics.push(subject);
    }

    /// Returns true if the text gives a value to a subject, beside whether it denies what it says.
    #[must_use]
    pub fn gives_a_value(&self) -> bool {
        self.values.len() > 1
    }

    /// Returns true if both cannot be true, and this text does not say that it is the older one.
    #[must_use]
    pub fn replaces(&self, older: &Self) -> bool {
        let differ = |one: &ValueSlot, other: &ValueSlot| {
            other.subject == one.subject
                && other.value != one.value
                && (one.is_sure || other.is_sure)
        };
        let clashes = |one: &ValueSlot| older.values.iter().any(|other| differ(one, other));
        // That both say a thing, as of what comes first, is no value.
        let agrees = |one: &ValueSlot| one.value != AFFIRMED && older.values.contains(one);
        // One that agrees in a value and differs in a wider one is about two things.
        self.values.iter().any(clashes) && !self.values.iter().any(agrees)
            || self.dropped.iter().any(|value| older.used.contains(value))
    }
}

/// Words that only German has.
const GERMAN: [&str; 12] =
    ["der", "die", "das", "ist", "sind", "und", "nicht", "wird", "werden", "mit", "auf", "für"];
/// Words that only German sentences begin with.
const GERMAN_STARTS: [&str; 2] = ["Der", "Wir"];
/// Words of a clause beyond which it is no plain statement.
const CLAUSE: usize = 48;

/// The kind of value that is a denial or none.
const DENIED: u64 = 4;
/// The value of that kind that is none.
const AFFIRMED: u64 = 0;
/// The kind of value that is one of two things.
const PREFERRED: u64 = 5;
/// Words between what is preferred and the other thing.
const OVER: [&str; 6] = ["over", "than", "instead", "rather", "statt", "anstatt"];

static TABLE: LazyLock<IdMap<&str, u16>> = LazyLock::new(|| {
    let mut table = IdMap::default();
    for (list, words) in LISTS {
        for word in words.split(' ') {
            *table.entry(word).or_default() |= 1_u16 << *list as u16;
        }
    }
    table
});

/// Returns true for a word in lower case that denies.
pub(super) fn is_negation(word: &str) -> bool {
    word == "not"
        || TABLE.get(word).is_some_and(|lists| lists & 1_u16 << List::Negation as u16 != 0)
}

/// A word, or a span of code.
#[derive(Debug)]
struct SlotWord<'a> {
    /// In lower case.
    lower: Cow<'a, str>,
    /// Hash of what counts of it in a subject.
    stem: u64,
    /// Bytes of `lower` that count.
    counts: usize,
    /// The lists that it is on.
    lists: u16,
    kind: ValueKind,
    /// True if it is code or has capitals.
    is_cased: bool,
    /// What it ends.
    ends: WordEnd,
}

/// What a word ends, by the mark behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WordEnd {
    Nothing,
    /// The first words of a text, by a colon.
    Label,
    /// A part of a clause, by a comma.
    Part,
    Clause,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ValueKind {
    Plain,
    /// A name, or a command.
    Tool,
    Path,
    Number,
}

impl SlotWord<'_> {
    fn is(&self, list: List) -> bool {
        self.lists & 1_u16 << list as u16 != 0
    }

    fn is_content(&self) -> bool {
        self.lists
            & !(1_u16 << List::Fixed as u16
                | 1_u16 << List::Tool as u16
                | 1_u16 << List::Number as u16)
            == 0
    }

    /// Returns how every word begins that is the same in a subject.
    fn start(&self) -> Option<u64> {
        let stem = self.lower.get(..self.counts)?;
        sure_start(stem, stem.chars().count() >= PREFIX)
    }

    /// Returns true if a value begins behind the word.
    fn relates(&self) -> bool {
        [List::Copula, List::Means, List::Toward, List::Using].into_iter().any(|list| self.is(list))
    }
}

/// Splits a text into words; a span of code is one.
fn words(text: &str) -> Vec<SlotWord<'_>> {
    let mut rest = read_part(text).trim_start_matches(['-', ' ']);
    let mut found: Vec<SlotWord<'_>> = Vec::with_capacity(24);
    // In German, nouns have capitals too.
    let is_german = is_german(rest);
    while let Some(first) = rest.chars().next() {
        if first == '`' {
            let inner = rest.get(1..).unwrap_or_default();
            let length = inner.find('`').unwrap_or(inner.len());
            let (code, after) = inner.split_at(length);
            rest = after.get(1..).unwrap_or_default();
            if !code.is_empty() {
                found.push(word(code, true, true));
            }
        } else if first.is_whitespace() {
            rest = rest.trim_start();
            continue;
        } else {
            let length = piece_length(rest);
            let (piece, after) = rest.split_at(length);
            rest = after;
            if piece.starts_with('#') {
                continue;
            }
            let bare = bare(piece);
            let opens = matches!(first, '(' | '[' | '—' | '–') || piece == "-" || piece == "->";
            if let Some(last) = found.last_mut().filter(|_| opens) {
                last.ends = WordEnd::Clause;
            }
            if !bare.is_empty() {
                let is_inner =
                    !is_german && found.last().is_some_and(|last| last.ends != WordEnd::Clause);
                found.push(word(bare, false, is_inner));
            }
            mark(&mut found, piece);
        }
        let is_mark = |c: &char| matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | ')');
        if let Some(after) = rest.chars().next().filter(is_mark) {
            mark(&mut found, after.encode_utf8(&mut [0; 4]));
            rest = rest.get(1..).unwrap_or_default();
        }
    }
    found
}

/// Returns the length of a text up to the first blank or span of code.
fn piece_length(text: &str) -> usize {
    let ends = |byte: &u8| matches!(byte, b'`' | b' ' | b'\t'..=b'\r') || !byte.is_ascii();
    let length = text.bytes().position(|byte| ends(&byte)).unwrap_or(text.len());
    if text.as_bytes().get(length).is_none_or(u8::is_ascii) {
        return length;
    }
    text.find(|c: char| c.is_whitespace() || c == '`').unwrap_or(text.len())
}

/// Returns a piece without the punctuation around it.
fn bare(piece: &str) -> &str {
    let is_letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    if is_letter(piece.as_bytes().first()) && is_letter(piece.as_bytes().last()) {
        return piece;
    }
    let outer = |c: char| !c.is_alphanumeric() && !matches!(c, '/' | '.' | '@' | '~');
    piece.trim_matches(outer).trim_end_matches('.')
}

/// Returns true if a text has words that only German has, between blanks.
fn is_german(text: &str) -> bool {
    let mut from = 0;
    for (to, _) in text.bytes().enumerate().filter(|(_, byte)| *byte == b' ') {
        // What stands at the end may go on.
        let piece = text.get(from..to).filter(|piece| (3..=6).contains(&piece.len()));
        if piece.is_some_and(|piece| {
            from > 0 && GERMAN.contains(&piece) || GERMAN_STARTS.contains(&piece)
        }) {
            return true;
        }
        from = to + 1;
    }
    false
}

/// Notes the punctuation at the end of a piece. A colon behind the first words is that of a label.
fn mark(found: &mut [SlotWord<'_>], piece: &str) {
    if piece.as_bytes().last().is_some_and(u8::is_ascii_alphanumeric) {
        return;
    }
    let is_label = found.len() <= 3;
    let Some(last) = found.last_mut() else { return };
    match piece.trim_end_matches(['*', '_', '"', '\'', '”']).chars().next_back() {
        Some(':') if is_label => last.ends = WordEnd::Label,
        Some('.' | ';' | '!' | '?' | ')' | '—' | '–' | ':') => last.ends = WordEnd::Clause,
        Some(',') if last.ends == WordEnd::Nothing => last.ends = WordEnd::Part,
        _ => {}
    }
}

fn word(text: &str, is_code: bool, is_inner: bool) -> SlotWord<'_> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
    let lower: Cow<'_, str> =
        if is_plain { text.into() } else { text.to_lowercase().replace('’', "'").into() };
    let lists = if is_code { 0 } else { TABLE.get(&*lower).copied().unwrap_or_default() };
    // `MIT` is no German preposition; `NEVER` is only said loudly.
    let is_name = lists & (1_u16 << List::Means as u16) != 0 && text.len() > 2;
    let lists = if is_name && text == text.to_uppercase() { 0 } else { lists };
    let starts = text.strip_prefix(['v', 'V', '~', '≥', '<', '>']).unwrap_or(text);
    let inner = |c: char| {
        c.is_ascii_digit() || matches!(c, '.' | '-' | '_' | '@') || !is_plain && c.is_uppercase()
    };
    let has_inner = || text.chars().skip(1).any(inner);
    let is_number = starts.as_bytes().first().is_some_and(u8::is_ascii_digit);
    let kind = if is_number || lists == 1_u16 << List::Number as u16 {
        ValueKind::Number
    } else if lists == 1_u16 << List::Tool as u16 {
        ValueKind::Tool
    } else if lists != 0 {
        ValueKind::Plain
    } else if text.contains('/') {
        ValueKind::Path
    } else if is_code || has_inner() || is_inner && text.starts_with(char::is_uppercase) {
        ValueKind::Tool
    } else {
        ValueKind::Plain
    };
    let is_cased = is_code || !is_plain && text.contains(char::is_uppercase);
    // Names are told apart by all of their letters.
    let counts = if kind == ValueKind::Plain { PREFIX } else { READ };
    let end = if is_plain {
        counts.min(lower.len())
    } else {
        lower.char_indices().nth(counts).map_or(lower.len(), |(at, _)| at)
    };
    let stem = fnv1a64(&[lower.get(..end).unwrap_or_default().as_bytes()]);
    SlotWord { lower, stem, counts: end, lists, kind, is_cased, ends: WordEnd::Nothing }
}

/// Words up to the end of a thought.
struct Clause<'a> {
    words: &'a [SlotWord<'a>],
}

impl Clause<'_> {
    fn read(&self, slots: &mut Slots) {
        let words = self.words;
        let mut first_value = words.len();
        let mut values = Slots::default();
        for at in 0..words.len() {
            let relates = |word: &&SlotWord<'_>| {
                word.ends == WordEnd::Label && at > 0
                    || word.relates() && (at > 0 || word.is(List::Using))
            };
            if !words.get(at).as_ref().is_some_and(relates) {
                continue;
            }
            if let Some((from, to)) = self.value_behind(at) {
                first_value = first_value.min(from);
                self.slot(at, from, to, &mut values);
            }
        }
        self.read_numbers(&mut values);
        // What is denied has no value.
        let is_denied = self.read_denial(first_value, slots);
        if !is_denied {
            slots.values.append(&mut values.values);
            slots.topics.append(&mut values.topics);
            slots.used = values.used;
        }
    }

    /// Returns where the value behind a word begins and ends.
    fn value_behind(&self, at: usize) -> Option<(usize, usize)> {
        let is_skipped = |word: &SlotWord<'_>| word.is(List::Empty) && !word.relates();
        let from =
            (at + 1..self.words.len()).find(|at| !self.words.get(*at).is_some_and(is_skipped))?;
        let ends = |at: usize| {
            let is_after_mark =
                at > from && self.words.get(at - 1).is_some_and(|word| word.ends == WordEnd::Part);
            is_after_mark
                || self.words.get(at).is_none_or(|word| {
                    word.relates()
                        || word.is(List::Context)
                        || word.is(List::Stop)
                        || word.is(List::Light)
                })
        };
        let to = (from..=self.words.len()).find(|at| ends(*at))?;
        (from < to && to - from <= LONGEST).then_some((from, to))
    }

    /// Reads the value between two words, behind the word `at`, with its subject. `None` if it has none.
    fn slot(&self, at: usize, from: usize, to: usize, slots: &mut Slots) -> Option<()> {
        let (words, relation) = (self.words, self.words.get(at)?);
        let value = words.get(from..to)?;
        let next = words.get(to);
        // Of several values each is true.
        if next.is_some_and(|word| ["and", "or", "und", "oder", "plus"].contains(&&*word.lower)) {
            return None;
        }
        if words.get(to - 1).is_some_and(|word| word.ends == WordEnd::Part)
            && next.is_some_and(SlotWord::is_content)
        {
            return None;
        }
        let kind = kind_of(value);
        let named = value_of(value);
        slots.used.push(named.hash);
        slots.topics.push(named);
        if relation.is(List::Using) && next.is_some_and(|word| OVER.contains(&&*word.lower)) {
            let subject = self.preferred(value, to)?;
            slots.give(subject, named.hash, true);
            return Some(());
        }
        let last = self.end_of_subject(to);
        let others = || {
            let before = words
                .get(..at + usize::from(relation.ends == WordEnd::Label))
                .into_iter()
                .flatten();
            before.chain(words.get(to..last).into_iter().flatten())
        };
        let narrows = next.is_some_and(|word| ["for", "für", "as", "als"].contains(&&*word.lower));
        let is_fixed = others().any(|word| word.is(List::Fixed));
        // `come from`: what goes somewhere may go to several.
        let is_source = ["from", "von", "aus"].contains(&&*relation.lower)
            && at
                .checked_sub(1)
                .and_then(|at| words.get(at))
                .is_some_and(|word| word.is(List::Light));
        let by = ["with", "via", "through", "by", "mit", "über", "durch"];
        let counts = match kind {
            ValueKind::Number => false,
            ValueKind::Tool if relation.is(List::Using) => narrows,
            ValueKind::Tool | ValueKind::Path => {
                !relation.is(List::Toward) || kind == ValueKind::Path || is_source
            }
            ValueKind::Plain => value.len() == 1 && (is_fixed || by.contains(&&*relation.lower)),
        };
        let is_sure = kind != ValueKind::Plain || is_fixed;
        let kind = if kind == ValueKind::Plain { ValueKind::Tool } else { kind };
        if counts {
            slots.give(subject_of(others(), kind as u64)?, named.hash, is_sure);
        }
        Some(())
    }

    /// Returns the two things of which one is preferred: `prefer tabs over spaces`.
    fn preferred(&self, value: &[SlotWord<'_>], over: usize) -> Option<SlotTopic> {
        let (from, to) = self.value_behind(over)?;
        subject_of(value.iter().chain(self.words.get(from..to)?), PREFERRED)
    }

    /// Returns the end of what narrows a subject behind a value: up to a word that begins another
    /// thought, or up to what the value has.
    fn end_of_subject(&self, to: usize) -> usize {
        let ends = |at: &usize| {
            self.words.get(*at).is_some_and(|word| {
                word.is(List::Stop) || *at == to && ["with", "mit"].contains(&&*word.lower)
            }) || at
                .checked_sub(1)
                .and_then(|at| self.words.get(at))
                .is_some_and(|word| word.ends == WordEnd::Part)
        };
        (to..self.words.len()).find(ends).unwrap_or(self.words.len())
    }

    /// Reads numbers, which have one value where nothing but a reason says that there may be several.
    fn read_numbers(&self, slots: &mut Slots) {
        if self.words.iter().skip(1).all(|word| word.kind != ValueKind::Number) {
            return;
        }
        let reason = self.words.iter().position(|word| REASON.contains(&word.lower));
        let words = self.words.get(..reason.unwrap_or(self.words.len())).unwrap_or_default();
        let several = |word: &str| SEVERAL.contains(word) && !ONE_NUMBER.contains(word);
        if words.iter().any(|word| several(&word.lower)) {
            return;
        }
        for (at, word) in words.iter().enumerate().skip(1) {
            let is_named = at.checked_sub(1).and_then(|at| words.get(at)).is_some_and(|before| {
                ORDINAL.contains(&before.lower) || before.kind == ValueKind::Number
            });
            // `before anybody is called`: what a condition says is not said of the number.
            let mut said =
                words.iter().skip(at).take_while(|word| !CONDITIONS.contains(&word.lower));
            let is_subject = said.any(|word| word.is(List::Copula));
            if word.kind != ValueKind::Number || is_named || is_subject {
                continue;
            }
            let others = self.words.iter().enumerate().filter(|(other, _)| *other != at);
            let subject = subject_of(others.map(|(_, word)| word), ValueKind::Number as u64);
            if let Some(subject) = subject {
                slots.give(subject, fnv1a64(&[word.lower.as_bytes()]), true);
            }
        }
    }

    /// Reads whether the clause denies all that it says, and returns it.
    fn read_denial(&self, first_value: usize, slots: &mut Slots) -> bool {
        let words = self.words;
        let denies = |at: usize, word: &SlotWord<'_>| {
            let before = at.checked_sub(1).and_then(|at| words.get(at));
            word.is(List::Negation)
                || word.lower == "not" && before.is_none_or(|before| before.is(List::Auxiliary))
        };
        let first = words.iter().enumerate().position(|(at, word)| denies(at, word));
        let stop = words.iter().enumerate().position(|(at, word)| {
            at > first_value
                && (word.is(List::Stop) && !denies(at, word)
                    || words.get(at - 1).is_some_and(|before| before.ends == WordEnd::Part))
        });
        let said = words.get(..stop.unwrap_or(words.len())).unwrap_or_default();
        let denials = said.iter().enumerate().filter(|(at, word)| denies(*at, word)).count();
        if denials > 1 {
            return true;
        }
        if let Some(subject) = subject_of(said.iter(), DENIED) {
            slots.give(subject, u64::from(first.is_some() && denials == 1), true);
        }
        denials == 1
    }
}

/// Returns the kind of a value. A word with a hyphen names something only at its end: `date-fns`, but
/// not `final-candidate mode`.
fn kind_of(words: &[SlotWord<'_>]) -> ValueKind {
    let is_adjective = |at: usize, word: &SlotWord<'_>| {
        let is_lower = word.lower.contains('-') && !word.is_cased;
        let ends = ["-driven", "-based", "-only", "-first", "-free", "-safe", "-side", "-level"];
        is_lower && (at + 1 < words.len() || ends.iter().any(|end| word.lower.ends_with(end)))
    };
    let kinds = words.iter().enumerate().filter(|(at, word)| !is_adjective(*at, word));
    kinds.map(|(_, word)| word.kind).max().unwrap_or(ValueKind::Plain)
}

fn value_of(words: &[SlotWord<'_>]) -> SlotTopic {
    let mut words = words.iter().filter(|word| !word.is(List::Empty)).peekable();
    let word = words.peek().and_then(|word| sure_start(&word.lower, false));
    let bytes = words.flat_map(|word| word.lower.bytes().chain([b' ']));
    SlotTopic { hash: bytes.fold(FNV1A64, fnv1a64_more), word }
}

/// Returns the words with content, in any order, with the kind of value that they have.
fn subject_of<'a>(words: impl Iterator<Item = &'a SlotWord<'a>>, kind: u64) -> Option<SlotTopic> {
    let mut words: Vec<&SlotWord<'_>> = words.filter(|word| word.is_content()).collect();
    words.sort_unstable_by_key(|word| word.stem);
    words.dedup_by_key(|word| word.stem);
    let mix =
        |hash: u64, word: &&SlotWord<'_>| (hash ^ word.stem).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let hash = words.iter().fold(kind, mix);
    // A longer one is rarer.
    let word = words.iter().filter_map(|word| word.start()).max();
    (!words.is_empty()).then_some(SlotTopic { hash, word })
}

/// Reads what a text gives up: `moved from npm to pnpm`, `dropped Redux`, `no longer use Jest`.
fn read_dropped(words: &[SlotWord<'_>], slots: &mut Slots) {
    let named = |at: usize, name: &str| words.get(at).is_some_and(|word| word.lower == name);
    for (at, word) in words.iter().enumerate() {
        let among = |range: std::ops::Range<usize>, list: &[&str]| {
            let near = words.get(range.start.min(words.len())..range.end.min(words.len()));
            near.into_iter().flatten().any(|word| list.contains(&&*word.lower))
        };
        let from = match &*word.lower {
            "from" => {
                let leaves = ["moved", "switched", "migrated", "changed", "went", "away"];
                among(at.saturating_sub(3)..at, &leaves).then_some(at + 1)
            }
            "von" => {
                let leaves = ["gewechselt", "umgestellt", "migriert", "umgestiegen", "weg"];
                among(at..at + 8, &leaves).then_some(at + 1)
            }
            "longer" if named(at.wrapping_sub(1), "no") => Some(at + 2),
            "stopped" if named(at + 1, "using") => Some(at + 2),
            _ if word.is(List::Dropping) => Some(at + 1),
            _ => None,
        };
        let Some(from) = from else { continue };
        let rest = words.get(from..).unwrap_or_default();
        let ends = |word: &SlotWord<'_>| {
            word.relates() || word.is(List::Stop) || word.is(List::Context) || word.is(List::Light)
        };
        let mut length = rest.iter().take_while(|word| !ends(word)).count();
        let marked =
            rest.iter().position(|word| matches!(word.ends, WordEnd::Part | WordEnd::Clause));
        length = length.min(marked.map_or(length, |at| at + 1));
        let value = rest.get(..length).unwrap_or_default();
        if (1..=LONGEST).contains(&length) && kind_of(value) == ValueKind::Tool {
            let value = value_of(value);
            slots.dropped.push(value.hash);
            slots.topics.push(value);
        }
    }
}

#[cfg(test)]
#[path = "slot_tests.rs"]
mod tests;
