//! Selection: decides which section shows which entry, with a verdict for every entry.
//!
//! The verdicts are the selection itself, so an explanation never differs from the report.

use std::{cmp::Reverse, fmt};

use super::{
    budget::{Fill, Lasting, Tails, Tokens, showable},
    replaced::Newer,
};
use crate::{
    model::{
        category::{Categories, CategoryId, CategorySpec},
        entry::EntryId,
    },
    safe,
    safety::safe_text::{self, SafeText},
    score::{
        caps::CapPlace,
        ranking::{Ranking, RestOfCategory, ScoredEntry},
        stability::{Standing, State},
    },
};

/// The space for a selection, in characters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    /// For all sections together, not counting pinned entries.
    pub(super) chars: usize,
    /// For entries chosen by score, at most `chars`.
    pub(super) by_score: usize,
}

/// The reason why an entry is in the report or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReportVerdict {
    Pinned,
    /// In its section by score, at this rank from 1.
    Shown(usize),
    /// In its section by its rank, under another policy than stability.
    Listed,
    /// In its section whatever its score, as the latest decision on its topic.
    Always,
    /// In its section because the budget had space left.
    Fills(Lasting),
    /// Its section has no space left.
    SectionFull(Tokens),
    /// The report has no space left.
    ReportFull,
    /// The report has no space left for an entry of this lasting value.
    NoRoom(Lasting),
    /// A newer choice seems to replace it, so others came first, and no space is left.
    SeemsReplaced(EntryId),
    /// Not reinforced within the section's window, in days.
    OutsideWindow(u32),
    /// It has no place: see [`CapPlace`].
    NoPlace(CapPlace),
    Superseded,
    Expired,
    /// In the section of the team, at this rank from 1.
    Team(usize),
    /// The section of the team has no space left.
    TeamFull(Tokens),
    /// A line of a mirror that a store of the user has too.
    OwnCopy,
    /// A line of a mirror that says what another line above it says.
    Repeated,
    /// A line of a mirror that awaits review, and why.
    Withheld(String),
}

impl ReportVerdict {
    /// Returns true if the entry is in the report.
    #[must_use]
    pub fn shown(&self) -> bool {
        matches!(
            self,
            Self::Pinned
                | Self::Shown(_)
                | Self::Listed
                | Self::Always
                | Self::Fills(_)
                | Self::Team(_)
        )
    }
}

impl fmt::Display for ReportVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pinned => f.write_str("in: pinned"),
            Self::Shown(rank) => write!(f, "in: by its score, rank {rank} of its section"),
            Self::Listed => f.write_str("in: by its score"),
            Self::Always => f.write_str("in: the latest decision on its topic"),
            Self::Fills(value) => write!(f, "in: fills the budget, lasting value {value}"),
            Self::SectionFull(tokens) => {
                write!(f, "out: its section's {tokens} tokens are used up")
            }
            Self::ReportFull => f.write_str("out: the report's budget is used up"),
            Self::NoRoom(value) => {
                write!(f, "out: the budget is used up, lasting value {value}")
            }
            Self::SeemsReplaced(by) => {
                let id = by.to_string();
                let short = id.get(..7).unwrap_or(&id);
                write!(
                    f,
                    "out: a newer entry seems to replace it ({short}), and the budget is used up"
                )
            }
            Self::OutsideWindow(days) => {
                write!(f, "out: not reinforced in the last {days} days")
            }
            Self::NoPlace(CapPlace::OverCap) => f.write_str("out: beyond its category's cap"),
            Self::NoPlace(CapPlace::BelowPool) => f.write_str("out: the overflow pool is full"),
            Self::NoPlace(CapPlace::OverLimit) => f.write_str("out: beyond the limit of its scope"),
            Self::NoPlace(CapPlace::OlderDecision) => {
                f.write_str("out: there is a newer decision on its topic")
            }
            Self::NoPlace(CapPlace::OlderSession) => {
                f.write_str("out: of none of the newest sessions")
            }
            Self::NoPlace(CapPlace::Spent) => f.write_str("out: harm outweighs its evidence"),
            Self::NoPlace(CapPlace::Unset) => f.write_str("out: its category is not set"),
            Self::NoPlace(CapPlace::Elsewhere) => f.write_str("out: it counts in another place"),
            Self::NoPlace(CapPlace::Forgotten) => f.write_str("out: forgotten"),
            Self::NoPlace(CapPlace::Unreviewed) => f.write_str("out: not reviewed (pimem trust)"),
            Self::NoPlace(CapPlace::Secret) => {
                f.write_str("out: it holds a secret (pimem trust --no-secret)")
            }
            Self::NoPlace(_) => f.write_str("out: its score is too low"),
            Self::Superseded => f.write_str("out: replaced"),
            Self::Expired => f.write_str("out: expired"),
            Self::Team(rank) => write!(f, "in: rank {rank} of the team"),
            Self::TeamFull(tokens) => {
                write!(f, "out: the team's {tokens} tokens are used up")
            }
            Self::OwnCopy => f.write_str("out: your own store has it"),
            Self::Repeated => f.write_str("out: a line above it says the same"),
            Self::Withheld(why) => write!(f, "out: withheld, as it {why} (pimem trust)"),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) heading: SafeText,
    pub(super) lines: Vec<SelectedLine>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SelectedLine {
    pub(super) text: SafeText,
    /// Index of the row in the ranking; `None` if the line shows no entry.
    pub(super) row: Option<usize>,
}

impl SelectedLine {
    pub(super) fn of(row: usize, text: SafeText) -> Self {
        Self { text, row: Some(row) }
    }

    /// Characters including the line break.
    pub(super) fn chars(&self) -> usize {
        self.text.chars().count() + 1
    }
}

impl From<SafeText> for SelectedLine {
    fn from(text: SafeText) -> Self {
        Self { text, row: None }
    }
}

impl Section {
    /// Characters of the rendered section, including the blank line before it.
    pub(super) fn chars(&self) -> usize {
        1 + heading_chars(&self.heading) + self.lines.iter().map(SelectedLine::chars).sum::<usize>()
    }
}

/// The sections of a report, and a verdict for each row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Selection {
    pub(super) pinned: Option<Section>,
    pub(super) sections: Vec<Section>,
    /// Characters of pinned entries and sections before filling.
    pub(super) by_score: usize,
    /// The last line, if an entry that could be shown is left out.
    pub(super) closing: Option<SafeText>,
    /// False if an entry without a row might have fit.
    pub(super) is_sure: bool,
    pub(super) verdicts: Vec<ReportVerdict>,
}

/// Selects entries by score, section by section in the order of categories, within the budget of
/// each section and what is left of `room`. With `fill`, other entries that fit follow by lasting
/// value.
pub(super) fn select(
    ranking: &Ranking,
    categories: &Categories,
    room: Room,
    fill: Option<Fill<'_>>,
) -> Selection {
    let mut verdicts: Vec<ReportVerdict> =
        ranking.rows.iter().map(|row| first_look(row, categories)).collect();
    let pinned = pinned(ranking, categories);
    let newer = Newer::new(ranking, categories);
    if fill.is_some() {
        for (at, (row, verdict)) in ranking.rows.iter().zip(&mut verdicts).enumerate() {
            // An entry shown for being new gives way to a newer choice that seems to replace it, and
            // every entry to one that it replaced before. It comes last where space is left.
            let is_new = row.fresh && row.state != State::Active;
            if *verdict == ReportVerdict::ReportFull
                && (is_new || newer.is_linked(at))
                && let Some(by) = newer.seems_to_replace(at)
            {
                *verdict = ReportVerdict::SeemsReplaced(by);
            }
        }
    }
    let tails = fill.map(|fill| Tails::new(ranking, categories, fill));
    let reserve = tails.as_ref().map_or(0, Tails::most);
    let mut left = room.by_score.min(room.chars.saturating_sub(reserve));
    let mut sections = Vec::new();
    for (id, spec) in categories.iter() {
        let section = by_score(ranking, &mut verdicts, id, spec, left, fill.is_some());
        left = left.saturating_sub(section.as_ref().map_or(0, Section::chars));
        sections.push(section);
    }
    let chars = |section: &Option<Section>| section.as_ref().map_or(0, Section::chars);
    let by_score = chars(&pinned) + sections.iter().map(chars).sum::<usize>();
    let (mut closing, mut is_sure) = (None, true);
    if let Some(mut tails) = tails {
        for (row, _) in ranking.rows.iter().zip(&verdicts).filter(|(_, found)| found.shown()) {
            tails.take(row);
        }
        (closing, is_sure) = fill_up(
            ranking,
            categories,
            &newer,
            Space::new(room.chars, &mut sections, tails),
            &mut verdicts,
        );
    }
    let sections = sections.into_iter().flatten().collect();
    Selection { pinned, sections, by_score, closing, is_sure, verdicts }
}

/// Returns the section of pinned entries, which does not count towards `room`.
pub(super) fn pinned(ranking: &Ranking, categories: &Categories) -> Option<Section> {
    let line = |(at, row): (usize, &ScoredEntry)| {
        let name = &categories.spec(row.entry.category).name;
        SelectedLine::of(at, SafeText::entry(name, &row.entry.told()))
    };
    let rows = ranking.rows.iter().enumerate().filter(|(_, row)| row.place == CapPlace::Pinned);
    let mut lines: Vec<SelectedLine> = rows.map(line).collect();
    nearest_first(ranking, &mut lines);
    (!lines.is_empty()).then(|| Section { heading: SafeText::fixed("Pinned"), lines })
}

/// Sorts lines by how far up their stores are.
fn nearest_first(ranking: &Ranking, lines: &mut [SelectedLine]) {
    let levels = |line: &SelectedLine| {
        let row = line.row.and_then(|at| ranking.rows.get(at));
        row.map_or(0, |row| row.entry.scope.levels())
    };
    lines.sort_by_key(levels);
}

/// The sections and what is left of the report for filling them.
struct Space<'a> {
    /// Characters for all sections together.
    room: usize,
    used: usize,
    sections: &'a mut [Option<Section>],
    tails: Tails<'a>,
}

impl<'a> Space<'a> {
    fn new(room: usize, sections: &'a mut [Option<Section>], tails: Tails<'a>) -> Self {
        let used = sections.iter().flatten().map(Section::chars).sum();
        Self { room, used, sections, tails }
    }

    /// Returns true if a line of so many characters fits, with the last lines that there are then.
    fn fits(&mut self, spec: &CategorySpec, row: &ScoredEntry, chars: usize) -> bool {
        let category = usize::from(row.entry.category.0);
        let used = self.used + self.cost(spec, row.entry.category, chars);
        self.tails.take(row);
        let is_there =
            |at: usize| at == category || self.sections.get(at).is_some_and(Option::is_some);
        let fits = used + self.tails.chars(is_there) <= self.room;
        self.tails.put_back(row);
        fits
    }

    /// Characters of a line of so many, with the heading of its section if that is new.
    fn cost(&self, spec: &CategorySpec, category: CategoryId, chars: usize) -> usize {
        let is_new = self.sections.get(usize::from(category.0)).is_none_or(Option::is_none);
        let heading = || 1 + heading_chars(&SafeText::of(&spec.section));
        chars + if is_new { heading() } else { 0 }
    }

    /// Adds a line to its section if it fits: below the line of the row `after` if that is there,
    /// else at the end. Returns true if it fits.
    fn take(
        &mut self,
        spec: &CategorySpec,
        row: &ScoredEntry,
        line: SelectedLine,
        after: Option<usize>,
    ) -> bool {
        let category = usize::from(row.entry.category.0);
        if !self.fits(spec, row, line.chars()) {
            return false;
        }
        self.tails.take(row);
        self.used += self.cost(spec, row.entry.category, line.chars());
        if let Some(slot) = self.sections.get_mut(category) {
            let heading = || SafeText::of(&spec.section);
            let section =
                slot.get_or_insert_with(|| Section { heading: heading(), lines: Vec::new() });
            let above = |known: &SelectedLine| known.row.is_some() && known.row == after;
            let place = section.lines.iter().position(above).map(|at| at + 1);
            section.lines.insert(place.unwrap_or(section.lines.len()), line);
        }
        true
    }

    /// Returns true if no entry without a row fits any more, whatever else is added.
    fn is_full_for(&self, rest: &[RestOfCategory]) -> bool {
        let shortest = rest.iter().filter(|rest| rest.count > 0).map(|rest| rest.shortest).min();
        let Some(shortest) = shortest else { return true };
        let left = self.room.saturating_sub(self.used);
        let is_there = |at: usize| self.sections.get(at).is_some_and(Option::is_some);
        shortest + self.tails.least(left / shortest.max(1) + 1, is_there) > left
    }

    /// Puts lines of nearer stores first, adds the last line of each section, and returns that of the
    /// report.
    fn close(self, ranking: &Ranking, categories: &Categories) -> Option<SafeText> {
        let Self { room, sections, tails, .. } = self;
        for ((id, _), section) in categories.iter().zip(sections.iter_mut()) {
            if let Some(section) = section {
                nearest_first(ranking, &mut section.lines);
                section.lines.extend(tails.end(id).map(SelectedLine::from));
            }
        }
        let used: usize = sections.iter().flatten().map(Section::chars).sum();
        tails.closing().filter(|_| used + tails.closing_chars() <= room)
    }
}

/// Stands behind an entry that the one above it seems to replace.
const SEEMS_REPLACED: &str = " (seems replaced)";

/// Adds entries without a place by score to their sections, by lasting value, as far as they fit;
/// after all others, those that a newer choice seems to replace. Returns the last line of the
/// report, and false if an entry without a row might have fit.
fn fill_up(
    ranking: &Ranking,
    categories: &Categories,
    newer: &Newer<'_>,
    mut space: Space<'_>,
    verdicts: &mut [ReportVerdict],
) -> (Option<SafeText>, bool) {
    let mut waiting: Vec<(Lasting, usize)> = ranking
        .rows
        .iter()
        .zip(verdicts.iter())
        .enumerate()
        .filter(|(_, (row, verdict))| showable(row) && !verdict.shown())
        .map(|(at, (row, _))| (Lasting::of(row, categories.spec(row.entry.category)), at))
        .collect();
    // Rows are sorted best first, so the index breaks ties.
    waiting.sort_by_key(|(value, at)| (Reverse(*value), *at));
    let reasons = space.tails.fill.reasons;
    // From the first entry on that comes after one without a row, none of these may fit.
    let rest = RestInOrder::new(&ranking.rest, categories);
    let (mut is_full, mut is_sure) = (rest.is_empty(), true);
    let mut last = Vec::new();
    for (value, at) in waiting {
        if !is_full && ranking.rows.get(at).is_some_and(|row| rest.comes_before(row, value)) {
            is_full = true;
            is_sure = space.is_full_for(&ranking.rest);
        }
        let (Some(row), Some(verdict)) = (ranking.rows.get(at), verdicts.get_mut(at)) else {
            continue;
        };
        let spec = categories.spec(row.entry.category);
        let gave_way = matches!(verdict, ReportVerdict::SeemsReplaced(_));
        // Space only shrinks, so what does not fit now does not fit later.
        if !gave_way && !space.fits(spec, row, line_chars(row)) {
            let by = reasons.then(|| newer.seems_to_replace(at)).flatten();
            *verdict = by.map_or(ReportVerdict::NoRoom(value), ReportVerdict::SeemsReplaced);
            continue;
        }
        if let Some(by) = newer.successor(at) {
            last.push((value, at, by));
            continue;
        }
        let line = SelectedLine::of(at, safe!("- {}", &row.entry.told()));
        let fits = space.take(spec, row, line, None);
        *verdict = if fits { ReportVerdict::Fills(value) } else { ReportVerdict::NoRoom(value) };
    }
    for (value, at, by) in last {
        let (Some(row), Some(newer)) = (ranking.rows.get(at), ranking.rows.get(by)) else {
            continue;
        };
        // It stands behind the newer one, and nothing else would tell an agent which of them holds.
        let is_marked = verdicts.get(by).is_some_and(ReportVerdict::shown);
        let mark = if is_marked { SEEMS_REPLACED } else { "" };
        let line = SelectedLine::of(at, safe!("- {}{}", &row.entry.told(), mark));
        let fits = space.take(categories.spec(row.entry.category), row, line, Some(by));
        if let Some(verdict) = verdicts.get_mut(at) {
            *verdict = if fits {
                ReportVerdict::Fills(value)
            } else {
                ReportVerdict::SeemsReplaced(newer.entry.id)
            };
        }
    }
    is_sure &= is_full || space.is_full_for(&ranking.rest);
    (space.close(ranking, categories), is_sure)
}

/// The first entry without a row of each category, in the order in which entries fill the report.
struct RestInOrder<'a>(Vec<(CategoryId, Lasting, &'a RestOfCategory)>);

impl<'a> RestInOrder<'a> {
    fn new(rest: &'a [RestOfCategory], categories: &Categories) -> Self {
        let all = rest.iter().zip(categories.iter()).filter(|(rest, _)| rest.count > 0);
        Self(all.map(|(rest, (id, spec))| (id, Lasting::after(rest.first.0, spec), rest)).collect())
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if one of them may come before a row of this lasting value.
    fn comes_before(&self, row: &ScoredEntry, value: Lasting) -> bool {
        self.0.iter().any(|(category, lasting, rest)| {
            let (idle, score, id) = rest.first;
            if *category == row.entry.category && idle == row.idle {
                return (Standing::Scored(score), Reverse(id))
                    > (row.standing, Reverse(row.entry.id));
            }
            *lasting >= value
        })
    }
}

/// Returns the characters of a line that fills the report, with its line break; most do not fit.
pub(super) fn line_chars(row: &ScoredEntry) -> usize {
    "- \n".len() + safe_text::model(&row.entry.told()).chars().count()
}

/// Returns the verdict before space is considered; `ReportFull` stands for "waits for space".
pub(super) fn first_look(row: &ScoredEntry, categories: &Categories) -> ReportVerdict {
    let spec = categories.spec(row.entry.category);
    let outside = spec.window_days.filter(|days| row.idle.days() >= *days);
    match (row.place, outside) {
        (CapPlace::Pinned, _) => ReportVerdict::Pinned,
        (CapPlace::Excluded, _) if row.expired => ReportVerdict::Expired,
        (CapPlace::Excluded, _) => ReportVerdict::Superseded,
        (place, _) if !place.eligible() => ReportVerdict::NoPlace(place),
        (_, Some(days)) => ReportVerdict::OutsideWindow(whole(days)),
        _ => ReportVerdict::ReportFull,
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of days")]
fn whole(days: f64) -> u32 {
    days.ceil().clamp(0.0, 1e6) as u32
}

/// Selects the entries of one section: each that fits, in order. `None` if none fits.
fn by_score(
    ranking: &Ranking,
    verdicts: &mut [ReportVerdict],
    category: CategoryId,
    spec: &CategorySpec,
    left: usize,
    filled: bool,
) -> Option<Section> {
    let waiting: Vec<usize> = ranking
        .rows
        .iter()
        .zip(verdicts.iter())
        .enumerate()
        .filter(|(_, (row, verdict))| {
            row.entry.category == category && **verdict == ReportVerdict::ReportFull
        })
        .map(|(index, _)| index)
        .collect();
    let budget = Tokens(spec.section_tokens);
    let limit = budget.chars().min(left);
    let full = if budget.chars() <= left {
        ReportVerdict::SectionFull(budget)
    } else {
        ReportVerdict::ReportFull
    };
    let line = |index: &usize| {
        let row = ranking.rows.get(*index)?;
        Some(SelectedLine::of(*index, safe!("- {}", &row.entry.told())))
    };
    let lines: Vec<SelectedLine> = waiting.iter().filter_map(line).collect();
    let heading = SafeText::of(&spec.section);
    let mut used = 1 + heading_chars(&heading);
    let all: usize = lines.iter().map(SelectedLine::chars).sum();
    // With filling, the lines of [`Tails`] count the entries left out.
    let whole = filled || used + all <= limit;
    let reserve = if whole { 0 } else { omitted(waiting.len()).chars().count() + 1 };
    let mut lines: Vec<(usize, SelectedLine)> = waiting.iter().copied().zip(lines).collect();
    if filled {
        // Places of the category come before those of the pool, or what was just learned would not
        // show, however many are kept for it.
        let is_pooled =
            |at: usize| ranking.rows.get(at).map(|row| matches!(row.place, CapPlace::Pool(_)));
        lines.sort_by_key(|(index, _)| is_pooled(*index));
    }
    lines.retain(|(_, line)| {
        let fits = used + line.chars() + reserve <= limit;
        used += if fits { line.chars() } else { 0 };
        fits
    });
    lines.sort_by_key(|(index, _)| *index);
    for index in &waiting {
        let rank = lines.iter().position(|(shown, _)| shown == index);
        if let Some(verdict) = verdicts.get_mut(*index) {
            *verdict = rank.map_or_else(|| full.clone(), |rank| ReportVerdict::Shown(rank + 1));
        }
    }
    let mut shown: Vec<SelectedLine> = lines.into_iter().map(|(_, line)| line).collect();
    if shown.is_empty() {
        return None;
    }
    if shown.len() < waiting.len() && !filled {
        shown.push(omitted(waiting.len() - shown.len()).into());
    }
    Some(Section { heading, lines: shown })
}

/// Returns the size of a section that shows only this entry.
#[must_use]
pub fn tokens_alone(spec: &CategorySpec, text: &str) -> Tokens {
    let heading = SafeText::of(&spec.section);
    let lines = vec![safe!("- {}", text).into()];
    Tokens::of_chars(Section { heading, lines }.chars())
}

pub(super) fn heading_chars(heading: &str) -> usize {
    "## \n".len() + heading.chars().count()
}

/// Characters that a section takes at most.
pub(super) fn section_chars(spec: &CategorySpec) -> usize {
    Tokens(spec.section_tokens).chars()
}

/// Characters of the line that counts what a section leaves out, at most.
pub(super) fn omitted_chars() -> usize {
    omitted(usize::MAX).chars().count() + 1
}

fn omitted(count: usize) -> SafeText {
    safe!("- ... {} more (lower priority, omitted for context budget)", count)
}
