//! Selection: which entry is shown in which section, and why each other one is not.
//!
//! The verdicts are the selection: what explains a report is the value that made it.

use std::fmt;

use super::budget::Tokens;
use crate::{
    model::category::{Categories, CategoryId, CategorySpec},
    score::{
        board::{Board, Row},
        caps::Place,
    },
    text::safe,
};

/// The room for a selection, in characters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    /// For all sections together, pinned entries aside.
    pub(super) chars: usize,
}

/// Why an entry is in the report or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// In the list of pinned entries.
    Pinned,
    /// In its section, at its rank from 1.
    Shown(usize),
    /// Its section has no room left.
    SectionFull(Tokens),
    /// The report has no room left.
    ReportFull,
    /// Not reinforced within the section's window, in days.
    OutsideWindow(u32),
    /// It has no place: see [`Place`].
    NoPlace(Place),
    /// Another entry replaces it.
    Superseded,
    /// Its date has passed.
    Expired,
}

impl Verdict {
    /// Whether the entry is in the report.
    #[must_use]
    pub fn shown(&self) -> bool {
        matches!(self, Self::Pinned | Self::Shown(_))
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pinned => f.write_str("in: pinned"),
            Self::Shown(rank) => write!(f, "in: rank {rank} of its section"),
            Self::SectionFull(tokens) => {
                write!(f, "out: its section's {tokens} tokens are used up")
            }
            Self::ReportFull => f.write_str("out: the report's budget is used up"),
            Self::OutsideWindow(days) => {
                write!(f, "out: not reinforced in the last {days} days")
            }
            Self::NoPlace(Place::OverCap) => f.write_str("out: beyond its category's cap"),
            Self::NoPlace(Place::BelowPool) => f.write_str("out: the overflow pool is full"),
            Self::NoPlace(Place::Forgotten) => f.write_str("out: forgotten"),
            Self::NoPlace(Place::Unreviewed) => f.write_str("out: not reviewed (pimem trust)"),
            Self::NoPlace(_) => f.write_str("out: its score is too low"),
            Self::Superseded => f.write_str("out: superseded"),
            Self::Expired => f.write_str("out: expired"),
        }
    }
}

/// One section with the lines it shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) heading: String,
    pub(super) lines: Vec<String>,
}

impl Section {
    /// Characters of the section as rendered, with the blank line before it.
    pub(super) fn chars(&self) -> usize {
        let text = |line: &String| line.chars().count() + 1;
        1 + heading_chars(&self.heading) + self.lines.iter().map(text).sum::<usize>()
    }
}

/// What the report shows, and a verdict for each row of the board in its order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Selection {
    pub(super) pinned: Option<Section>,
    pub(super) sections: Vec<Section>,
    pub(super) verdicts: Vec<Verdict>,
}

/// Fills the sections, in the order of the categories, each within its own budget and what is left
/// of `room`.
pub(super) fn select(board: &Board, categories: &Categories, room: Room) -> Selection {
    let mut verdicts: Vec<Verdict> =
        board.rows.iter().map(|row| first_look(row, categories)).collect();
    let pinned: Vec<String> = board
        .rows
        .iter()
        .filter(|row| row.place == Place::Pinned)
        .map(|row| {
            let name = &categories.spec(row.entry.category).name;
            format!("- [{}] {}", safe::model(name), safe::model(&row.entry.text))
        })
        .collect();
    let mut left = room.chars;
    let mut sections = Vec::new();
    for (id, spec) in categories.iter() {
        let filled = fill(board, &mut verdicts, id, spec, left);
        if let Some(section) = filled {
            left = left.saturating_sub(section.chars());
            sections.push(section);
        }
    }
    let pinned =
        (!pinned.is_empty()).then(|| Section { heading: "Pinned".to_owned(), lines: pinned });
    Selection { pinned, sections, verdicts }
}

/// The verdict before room is looked at; `ReportFull` stands for "waits for room".
fn first_look(row: &Row, categories: &Categories) -> Verdict {
    let spec = categories.spec(row.entry.category);
    let outside = spec.window_days.filter(|days| row.idle.days() >= *days);
    match (row.place, outside) {
        (Place::Pinned, _) => Verdict::Pinned,
        (Place::Excluded, _) if row.expired => Verdict::Expired,
        (Place::Excluded, _) => Verdict::Superseded,
        (place, _) if !place.eligible() => Verdict::NoPlace(place),
        (_, Some(days)) => Verdict::OutsideWindow(whole(days)),
        _ => Verdict::ReportFull,
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of days")]
fn whole(days: f64) -> u32 {
    days.ceil().clamp(0.0, 1e6) as u32
}

/// Fills one section: entries in order, each that fits. `None` when not even one does.
fn fill(
    board: &Board,
    verdicts: &mut [Verdict],
    category: CategoryId,
    spec: &CategorySpec,
    left: usize,
) -> Option<Section> {
    let waiting: Vec<usize> = board
        .rows
        .iter()
        .zip(verdicts.iter())
        .enumerate()
        .filter(|(_, (row, verdict))| {
            row.entry.category == category && **verdict == Verdict::ReportFull
        })
        .map(|(index, _)| index)
        .collect();
    let budget = Tokens(spec.section_tokens);
    let limit = budget.chars().min(left);
    let full =
        if budget.chars() <= left { Verdict::SectionFull(budget) } else { Verdict::ReportFull };
    let line = |index: &usize| {
        board.rows.get(*index).map(|row| format!("- {}", safe::model(&row.entry.text)))
    };
    let lines: Vec<String> = waiting.iter().filter_map(line).collect();
    let cost = |line: &String| line.chars().count() + 1;
    let heading = safe::model(&spec.section);
    let mut used = 1 + heading_chars(&heading);
    let all: usize = lines.iter().map(cost).sum();
    let reserve = if used + all <= limit { 0 } else { omitted(waiting.len()).chars().count() + 1 };
    let mut shown = Vec::new();
    for (index, line) in waiting.iter().zip(lines) {
        let fits = used + cost(&line) + reserve <= limit;
        if let Some(verdict) = verdicts.get_mut(*index) {
            *verdict = if fits { Verdict::Shown(shown.len() + 1) } else { full.clone() };
        }
        if fits {
            used += cost(&line);
            shown.push(line);
        }
    }
    if shown.is_empty() {
        return None;
    }
    if shown.len() < waiting.len() {
        shown.push(omitted(waiting.len() - shown.len()));
    }
    Some(Section { heading: heading.into_owned(), lines: shown })
}

/// What a section takes that shows this entry and nothing else.
#[must_use]
pub fn tokens_alone(spec: &CategorySpec, text: &str) -> Tokens {
    let heading = safe::model(&spec.section).into_owned();
    let lines = vec![format!("- {}", safe::model(text))];
    Tokens::of_chars(Section { heading, lines }.chars())
}

fn heading_chars(heading: &str) -> usize {
    "## \n".len() + heading.chars().count()
}

fn omitted(count: usize) -> String {
    format!("- ... {count} more (lower priority, omitted for context budget)")
}
