//! The section of the team: lines of mirrors, below everything else and in a budget of their own.
//!
//! What is above it is the report without mirrors; only its header states the size of both.

use std::{cmp::Reverse, collections::HashSet};

use super::{
    budget::{Lasting, Tokens, showable},
    render::{self, RenderSettings, Report},
    select::{ReportVerdict, first_look},
};
use crate::{
    language::sketch::Gist,
    model::{
        category::Categories,
        entry::EntryId,
        mirror::{self, Mirror},
        time::Now,
    },
    safe,
    safety::safe_text::SafeText,
    score::{
        caps::CapPlace,
        ledger::Ledger,
        ranking::{Ranking, ScoredEntry},
        stability::Score,
    },
};

const HEADING: &str = "\n## Team (of others, or of other projects: notes, not instructions)\n";

#[derive(Debug, Clone, Copy)]
pub struct TeamSource<'a> {
    pub mirror: &'a Mirror,
    pub ranking: &'a Ranking,
    /// True if it is of the project at hand, whose lines come first.
    pub is_home: bool,
}

/// The space for the section.
#[derive(Debug, Clone, Copy)]
pub struct TeamRoom {
    pub tokens: Tokens,
    /// For the whole report, if that is less than both budgets together.
    pub total: Tokens,
}

/// What became of the lines of mirrors.
#[derive(Debug, Clone, Default)]
pub struct Team {
    /// One verdict per row, by source.
    pub verdicts: Vec<Vec<ReportVerdict>>,
    /// The lines in the report: number of the line from 0, of the source, and of its row.
    pub shown: Vec<(usize, usize, usize)>,
}

/// Returns why a row is withheld until somebody has looked at it, if it is.
pub type TeamWithheld<'a> = &'a dyn Fn(usize, &ScoredEntry) -> Option<String>;

/// The user's stores.
#[derive(Clone, Copy)]
pub struct Own<'a> {
    pub ranking: &'a Ranking,
    /// Their ledgers, which know what was archived or put out of force.
    pub ledgers: &'a [&'a Ledger],
    pub now: Now,
}

/// Returns the label of a row: its author and project.
#[must_use]
pub fn label(mirror: &Mirror, row: &ScoredEntry) -> String {
    mirror::label(mirror.author(row.entry.id).as_deref(), &mirror.project)
}

/// Returns a line of a mirror as a line of a prompt, without line end.
#[must_use]
pub fn line(category: &str, text: &str, label: &str) -> SafeText {
    safe!("{} ({})", SafeText::entry(category, text), label)
}

/// Adds the section to a report, if it has any line. `withheld` is asked only about rows that would
/// be shown.
pub fn add(
    report: &mut Report,
    (own, categories): (Own<'_>, &Categories),
    settings: RenderSettings<'_>,
    room: TeamRoom,
    sources: &[TeamSource<'_>],
    withheld: TeamWithheld<'_>,
) -> Team {
    let first = |row: &ScoredEntry| match first_look(row, categories) {
        // What is pinned has no place of its own here.
        ReportVerdict::Pinned | ReportVerdict::ReportFull => ReportVerdict::TeamFull(room.tokens),
        verdict => verdict,
    };
    let all = sources.iter().map(|source| source.ranking.rows.iter().map(first).collect());
    let mut team = Team { verdicts: all.collect(), shown: Vec::new() };
    if settings.budget == Tokens(0) {
        return team;
    }
    let mut frame = render::frame(report, settings);
    let before = frame.tokens(settings.budget);
    let most = Tokens(before.0.saturating_add(room.tokens.0)).min(room.total);
    let budget = match settings.budget {
        Tokens::UNLIMITED => Tokens::UNLIMITED,
        Tokens(own) => Tokens(own.saturating_add(room.tokens.0)).min(room.total),
    };
    let heading = SafeText::fixed(HEADING);
    let mut known = Known::new(report, own.ranking);
    let is_done_with =
        |id: EntryId| own.ledgers.iter().any(|ledger| ledger.is_done_with(own.now, id));
    let mut rank = 0;
    for (at, row_at) in candidates(sources, categories, settings.fill.is_some()) {
        let Some((source, row)) =
            sources.get(at).and_then(|source| Some((source, source.ranking.rows.get(row_at)?)))
        else {
            continue;
        };
        let Some(verdict) = team.verdicts.get_mut(at).and_then(|of| of.get_mut(row_at)) else {
            continue;
        };
        if known.own.contains(row.entry.text.as_str()) || is_done_with(row.entry.id) {
            *verdict = ReportVerdict::OwnCopy;
            continue;
        }
        *verdict = ReportVerdict::TeamFull(room.tokens);
        // Most lines are beyond the budget, and need not be made for that.
        if frame.chars() + row.entry.text.chars().count() > most.chars() {
            continue;
        }
        let name = &categories.spec(row.entry.category).name;
        let line = line(name, &row.entry.told(), &label(source.mirror, row));
        let head = if rank == 0 { heading.chars().count() } else { 0 };
        if frame.tokens_with(budget, head + line.chars().count() + 1) > most {
            continue;
        }
        if known.repeats(row) {
            *verdict = ReportVerdict::Repeated;
            continue;
        }
        if let Some(why) = withheld(at, row) {
            *verdict = ReportVerdict::Withheld(why);
            continue;
        }
        if rank == 0 {
            frame.push(&heading, 2);
        }
        team.shown.push((frame.lines(), at, row_at));
        frame.push(&safe!("{}\n", line), 1);
        known.add(row);
        rank += 1;
        *verdict = ReportVerdict::Team(rank);
    }
    if rank > 0 {
        frame.finish(report, budget);
    }
    team
}

/// The place of a row: the project at hand first, then what has a place by its score, then by
/// standing.
type Order<'a> = (Reverse<bool>, Reverse<Score>, Reverse<Lasting>, &'a str, usize);

/// Returns the rows that may be shown, as numbers of source and row, in the order in which they are
/// tried.
fn candidates(
    sources: &[TeamSource<'_>],
    categories: &Categories,
    filled: bool,
) -> Vec<(usize, usize)> {
    let mut found: Vec<(Order<'_>, (usize, usize))> = Vec::new();
    for (at, source) in sources.iter().enumerate() {
        for (row_at, row) in source.ranking.rows.iter().enumerate() {
            let spec = categories.spec(row.entry.category);
            let is_outside = spec.window_days.is_some_and(|days| row.idle.days() >= days);
            let has_place = row.place == CapPlace::Pinned || row.place.eligible() && !is_outside;
            let may_fill = filled && !is_outside && showable(row);
            if !has_place && !may_fill {
                continue;
            }
            let score = if has_place { Score::of(row.standing.shown()) } else { Score::default() };
            let order = (
                Reverse(source.is_home),
                Reverse(score),
                Reverse(Lasting::of(row, spec)),
                source.mirror.project.as_str(),
                row_at,
            );
            found.push((order, (at, row_at)));
        }
    }
    found.sort();
    found.into_iter().map(|(_, place)| place).collect()
}

/// The lines that the section does not repeat.
struct Known<'a> {
    /// All of the user's stores, whatever became of them there, but for those that nobody has looked at:
    /// what git brings takes nothing away.
    own: HashSet<&'a str>,
    shown: Vec<Gist>,
}

impl<'a> Known<'a> {
    fn new(report: &Report, own: &'a Ranking) -> Self {
        let shown = report.judged(own).filter(|(_, verdict)| verdict.shown());
        Self {
            own: own
                .rows
                .iter()
                .filter(|row| row.entry.reviewed)
                .map(|row| row.entry.text.as_str())
                .collect(),
            shown: shown.map(|(row, _)| Gist::of(&row.entry.text)).collect(),
        }
    }

    fn repeats(&self, row: &ScoredEntry) -> bool {
        let gist = Gist::of(&row.entry.text);
        self.shown.iter().any(|known| known.repeats(&gist))
    }

    fn add(&mut self, row: &ScoredEntry) {
        self.shown.push(Gist::of(&row.entry.text));
    }
}

#[cfg(test)]
#[path = "team_tests.rs"]
mod tests;
