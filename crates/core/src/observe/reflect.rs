//! Condenses observations by rules: faded ones are dropped, old ones shortened, repetitions merged,
//! and old states replaced by newer ones.
//!
//! Important items of the last two days are always kept word for word.
//!
//! A state is replaced by a newer statement about the same subject. Precision comes before recall: an
//! old state that stays costs a line, but two statements mistaken for one lose the first. So only short
//! statements with a named subject and a single possible value count: `Decision: the port is 8080`,
//! `The importer moved to crates/import`.

use std::collections::{HashMap, HashSet};

use crate::{
    language::paraphrase::NormalForm,
    model::time::Date,
    observe::document::{
        Below, ImportanceMark, Observations, ObservedDay, ObservedItem, ObservedLine, ObservedNote,
    },
    report::budget::Tokens,
};

/// How much is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReflectMode {
    /// Keeps recent detail.
    Normal,
    /// Shortens everything older than two days to one line.
    Aggressive,
}

/// Days for which important items are kept word for word, and informational items are kept.
const RECENT: i64 = 2;
/// Days for which possibly important items are kept.
const MAYBE: i64 = 3;
/// Maximum number of characters of an item to which sub-items are joined.
const LINE: usize = 1000;
/// Maximum number of characters of a line in aggressive mode, by minimum age in days.
const CUT: &[(i64, usize)] = &[(14, 80), (7, 120), (RECENT + 1, 160)];
/// Maximum number of texts with equal hash that are compared.
const ALIKE: usize = 8;

/// Condenses a file as of `today`, and returns it unchanged if it would not get shorter. If the
/// file contains a later day, that day is used instead, because the clock may have jumped back.
pub fn reflect(text: &str, today: Date, mode: ReflectMode) -> String {
    let document = Observations::parse(text);
    let today = latest(&document, today);
    let ordered = is_ordered(&document);
    let mut days = if ordered { in_order(document.days) } else { document.days };
    for day in &mut days {
        let age = day.date.map(|date| today.days_since(date));
        let Some(age) = age else { continue };
        let lines = std::mem::take(&mut day.lines).into_iter();
        day.lines = lines.filter_map(|line| faded(line, age, mode)).collect();
    }
    once(&mut days, today);
    // The line of an empty day is dropped, unless the place of other lines depends on it.
    days.retain(|day| !ordered || !day.lines.is_empty());
    let after = Observations { days }.to_string();
    if after.chars().count() < text.chars().count() { after } else { text.to_owned() }
}

/// Returns the important items of the last two days, which are kept word for word.
pub fn kept_word_for_word(document: &Observations, today: Date) -> Vec<&ObservedNote> {
    let today = latest(document, today);
    let recent = |date: Option<Date>| date.is_some_and(|date| today.days_since(date) <= RECENT);
    let items = document.items().filter(|(date, _)| recent(*date));
    let notes = items.flat_map(|(_, item)| {
        let below = item.below.iter().filter_map(|below| match below {
            Below::Note(_, note) => Some(note),
            Below::Other(_) => None,
        });
        std::iter::once(&item.note).chain(below)
    });
    notes.filter(|note| note.mark == ImportanceMark::Important).collect()
}

/// Accepts a document condensed by someone else, and adds the lines of `before` that are no
/// observations.
///
/// # Errors
/// The reason why the document cannot replace the file.
pub fn accepted(before: &str, after: Observations, today: Date) -> Result<String, &'static str> {
    let was = Observations::parse(before);
    if !is_ordered(&was) {
        return Err("the file has lines below no day");
    }
    if after.is_empty() {
        return Err("it has no observation");
    }
    let mut days = after.days;
    for day in &was.days {
        let others =
            day.lines.iter().filter(|line| matches!(line, ObservedLine::Other(_))).cloned();
        let others: Vec<ObservedLine> = others.collect();
        match days.iter_mut().find(|known| known.date == day.date) {
            Some(known) => drop(known.lines.splice(0..0, others)),
            None if others.is_empty() => {}
            None => days.push(ObservedDay { date: day.date, lines: others }),
        }
    }
    let after = Observations { days: in_order(days) };
    let kept = kept_word_for_word(&after, today);
    if kept_word_for_word(&was, today).iter().any(|note| !kept.contains(note)) {
        return Err("it lost an important observation of the last two days");
    }
    let after = after.to_string();
    let smaller = Tokens::of(&after) < Tokens::of(before);
    if smaller { Ok(after) } else { Err("it is not smaller") }
}

/// Returns true if a result saves less than a tenth, so that another attempt is due.
pub fn too_little(before: Tokens, after: Tokens) -> bool {
    u64::from(after.0) * 10 >= u64::from(before.0) * 9
}

/// Returns the date used as today: the latest of the file and `today`.
fn latest(document: &Observations, today: Date) -> Date {
    let days = document.days.iter().filter(|day| !day.lines.is_empty());
    days.filter_map(|day| day.date).fold(today, Date::max)
}

/// Returns true if days may be reordered. If lines without a date are not the first ones, a day
/// begins with an indented line, or a comment is not closed, the position of lines has a meaning.
fn is_ordered(document: &Observations) -> bool {
    let indented = |day: &ObservedDay| matches!(day.lines.first(), Some(ObservedLine::Other(line)) if line.starts_with(char::is_whitespace));
    let mut days = document.days.iter().enumerate();
    days.all(|(at, day)| (at == 0 || day.date.is_some()) && !indented(day))
        && !document.ends_in_comment()
}

/// Sorts days by date and merges equal ones.
fn in_order(mut days: Vec<ObservedDay>) -> Vec<ObservedDay> {
    days.sort_by_key(|day| day.date);
    let mut found: Vec<ObservedDay> = Vec::new();
    for day in days {
        match found.last_mut() {
            Some(last) if last.date == day.date => last.lines.extend(day.lines),
            _ => found.push(day),
        }
    }
    found
}

/// Returns the rest of a line at an age in days.
fn faded(line: ObservedLine, age: i64, mode: ReflectMode) -> Option<ObservedLine> {
    let ObservedLine::Item(ObservedItem { mut note, below }) = line else { return Some(line) };
    let stays = |mark: ImportanceMark| match (mark, mode) {
        (ImportanceMark::Important, _) => true,
        (ImportanceMark::Maybe, ReflectMode::Normal) => age <= MAYBE,
        (ImportanceMark::Info, ReflectMode::Normal)
        | (ImportanceMark::Maybe, ReflectMode::Aggressive) => age <= RECENT,
        (ImportanceMark::Info, ReflectMode::Aggressive) => age <= 0,
    };
    let kept = |below: &Below| match below {
        Below::Note(_, note) => stays(note.mark),
        Below::Other(_) => age <= RECENT,
    };
    let mut below: Vec<Below> = below.into_iter().filter(kept).collect();
    let carries = below.iter().any(|below| matches!(below, Below::Note(..)));
    if !stays(note.mark) && !carries {
        return None;
    }
    if age > RECENT {
        below = joined(&mut note, below);
        if mode == ReflectMode::Aggressive {
            below.clear();
            let longest = CUT.iter().find(|(from, _)| age >= *from).map_or(LINE, |(_, most)| *most);
            note.text = cut(&note.text, longest);
        }
    }
    Some(ObservedLine::Item(ObservedItem { note, below }))
}

/// Joins as many sub-items as fit to the line of their item, and returns the others.
fn joined(note: &mut ObservedNote, below: Vec<Below>) -> Vec<Below> {
    let mut below = below.into_iter().peekable();
    let fits = |note: &ObservedNote, next: &Below| match next {
        Below::Note(_, sub) => note.text.chars().count() + sub.text.chars().count() + 2 <= LINE,
        Below::Other(_) => false,
    };
    while let Some(Below::Note(_, sub)) = below.next_if(|next| fits(note, next)) {
        note.text = format!("{}; {}", note.text.trim_end_matches(['.', ';']), sub.text);
        note.mark = note.mark.max(sub.mark);
    }
    below.collect()
}

/// Cuts a text to `most` characters, between words.
pub(super) fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let start: String = text.chars().take(most.saturating_sub(1)).collect();
    let whole = start.rsplit_once(' ').map_or(start.as_str(), |(whole, _)| whole);
    format!("{}…", whole.trim_end_matches([',', ';', ':', ' ']))
}

/// Removes repetitions and replaced states. The remaining item takes the higher importance.
fn once(days: &mut [ObservedDay], today: Date) {
    let mut said = Said::default();
    let mut gone = Vec::new();
    for (number, day) in days.iter().enumerate().rev() {
        let recent = day.date.is_none_or(|date| today.days_since(date) <= RECENT);
        for (line, item) in day.lines.iter().enumerate().rev() {
            let ObservedLine::Item(ObservedItem { note, below }) = item else { continue };
            let place = Place { day: number, line };
            let fixed = day.date.is_none() || (recent && note.mark == ImportanceMark::Important);
            if !below.is_empty() {
                continue;
            }
            if let Some(newer) = said.learn(&note.text, place).filter(|_| !fixed) {
                gone.push((place, newer, note.mark));
            }
        }
    }
    for (_, newer, mark) in &gone {
        let line = days.get_mut(newer.day).and_then(|day| day.lines.get_mut(newer.line));
        if let Some(ObservedLine::Item(item)) = line {
            item.note.mark = item.note.mark.max(*mark);
        }
    }
    let gone: HashSet<Place> = gone.into_iter().map(|(place, ..)| place).collect();
    for (number, day) in days.iter_mut().enumerate() {
        let stays = |line| !gone.contains(&Place { day: number, line });
        let lines = std::mem::take(&mut day.lines).into_iter().enumerate();
        day.lines = lines.filter(|(line, _)| stays(*line)).map(|(_, line)| line).collect();
    }
}

/// Indexes of a day and of a line in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Place {
    day: usize,
    line: usize,
}

/// Texts and states seen so far, newest first.
#[derive(Default)]
struct Said {
    texts: HashMap<u64, Vec<(NormalForm, Place)>>,
    states: HashMap<String, (String, Place)>,
}

impl Said {
    /// Returns the place of the same statement, or of a newer state of its subject. If there is
    /// none, records the text.
    fn learn(&mut self, text: &str, place: Place) -> Option<Place> {
        let outline = NormalForm::of(text);
        let alike = self.texts.entry(outline.key()).or_default();
        let same = alike.iter().take(ALIKE).find(|(other, _)| outline.says_the_same(other));
        if let Some((_, place)) = same {
            return Some(*place);
        }
        let state = of(text);
        if let Some((subject, value)) = &state
            && let Some((newer, place)) = self.states.get(subject)
            && newer != value
        {
            return Some(*place);
        }
        alike.push((outline, place));
        if let Some((subject, value)) = state {
            self.states.entry(subject).or_insert((value, place));
        }
        None
    }
}

/// Verbs of state: the words, the kind of state, and whether any such statement has a single value.
/// The others count only for a decision, or if the value is a number or code.
const VERBS: &[(&[&str], &str, bool)] = &[
    (&["is", "now"], "is", true),
    (&["are", "now"], "is", true),
    (&["is", "set", "to"], "is", true),
    (&["are", "set", "to"], "is", true),
    (&["was", "set", "to"], "is", true),
    (&["set", "to"], "is", true),
    (&["was", "changed", "to"], "is", true),
    (&["changed", "to"], "is", true),
    (&["becomes"], "is", true),
    (&["became"], "is", true),
    (&["defaults", "to"], "is", true),
    (&["is", "called"], "called", true),
    (&["was", "renamed", "to"], "called", true),
    (&["renamed", "to"], "called", true),
    (&["was", "moved", "to"], "moved", true),
    (&["moved", "to"], "moved", true),
    (&["lives", "in"], "moved", true),
    (&["is"], "is", false),
    (&["are"], "is", false),
    (&["="], "is", false),
];

/// Prefixes before a statement.
const LEADS: &[&str] = &["User said: ", "User wants: ", "Agent: "];
const DECISION: &str = "Decision: ";
/// Words that do not name a subject, or name one of several.
const VAGUE: &str = "it its this that these those there he she they we i you what which who where \
    when why how if not no some one another other most many both here nothing everything \
    something was were and or but only also user";
/// Words that restrict or negate a value.
const SCOPES: &[&str] = &[
    "for", "in", "on", "at", "when", "if", "unless", "until", "and", "or", "but", "with",
    "without", "only", "per", "as", "by", "than", "because", "since", "after", "before", "from",
    "while", "not", "no", "never", "also", "too", "still", "yet", "one", "part", "like", "under",
    "so", "done",
];
/// Maximum number of words of a subject and of a value.
const SUBJECT: usize = 8;
const VALUE: usize = 4;

/// Returns subject and value, if a text states such a state.
pub(super) fn of(text: &str) -> Option<(String, String)> {
    let text = LEADS.iter().find_map(|lead| text.strip_prefix(lead)).unwrap_or(text);
    let (text, decided) = text.strip_prefix(DECISION).map_or((text, false), |rest| (rest, true));
    let text = text.trim().trim_end_matches('.');
    if text.contains(['?', ';', ',', '!', '"', '(']) || text.contains(". ") {
        return None;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let (at, (verb, kind, sure)) = (1..lower.len()).find_map(|at| {
        let rest = lower.get(at..)?;
        let fits =
            |verb: &[&str]| rest.len() > verb.len() && rest.iter().zip(verb).all(|(a, b)| a == b);
        VERBS.iter().find(|(verb, ..)| fits(verb)).map(|verb| (at, *verb))
    })?;
    let subject = lower.get(..at)?;
    let value = words.get(at + verb.len()..)?;
    let (subject, bare) = (without_article(subject), without_article(value));
    let known = (1..=SUBJECT).contains(&subject.len())
        && (1..=VALUE).contains(&bare.len())
        && !subject.iter().any(|word| VAGUE.split(' ').any(|vague| vague == word))
        && !bare.iter().any(|word| SCOPES.contains(&word.to_lowercase().as_str()));
    let exact = bare.iter().any(|word| word.starts_with(|c: char| c.is_ascii_digit() || c == '`'));
    (known && (sure || decided || exact))
        .then(|| (format!("{} {kind}", subject.join(" ")), bare.join(" ")))
}

fn without_article<T: AsRef<str>>(words: &[T]) -> &[T] {
    match words {
        [first, rest @ ..]
            if ["the", "a", "an"].contains(&first.as_ref().to_lowercase().as_str()) =>
        {
            rest
        }
        all => all,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_states() {
        for (old, new) in [
            ("Decision: the store is SQLite", "Decision: store is Postgres."),
            ("The lock timeout is 250 ms", "User said: the lock timeout is now 400 ms"),
            ("The importer moved to crates/import", "importer was moved to src/import"),
            ("Decision: the branch is `main`", "the branch is `trunk`"),
            ("The table was renamed to calls", "The table is called port_calls"),
            ("retries = 3", "retries = 5"),
        ] {
            let (old, new) = (of(old).unwrap(), of(new).unwrap());
            assert_eq!(old.0, new.0);
            assert_ne!(old.1, new.1);
        }
    }

    #[test]
    fn both_stay() {
        for (a, b) in [
            ("The importer is slow", "The importer is done"),
            ("User uses zsh", "User uses vim"),
            ("It is now 5", "It is now 6"),
            (
                "Decision: the store is SQLite for tests",
                "Decision: the store is Postgres for production",
            ),
            ("The port is 80 in staging", "The port is 8080 in production"),
            ("The limit of staging is 5", "The limit of production is 6"),
            ("Is the limit now 5?", "Is the limit now 6?"),
            ("The reviewer is Rui and the limit is 5", "The reviewer is Rui and the limit is 6"),
            ("One cause is now 5", "One cause is now 6"),
            ("The file moved to a", "The file is now b"),
        ] {
            let (a, b) = (of(a), of(b));
            assert!(
                a.is_none() || b.is_none() || a.as_ref().unwrap().0 != b.as_ref().unwrap().0,
                "{a:?} {b:?}"
            );
        }
    }
}

#[cfg(test)]
#[path = "reflect_tests.rs"]
mod rule_tests;
