//! Condenses observations by rules: faded ones are dropped, old ones shortened, repetitions merged,
//! and old states replaced by newer ones.
//!
//! Important items of the last two days are always kept word for word.

mod state;

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
        let state = state::of(text);
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

#[cfg(test)]
mod tests;
