//! Forecast of fading entries and of the size of the report.

use std::borrow::Cow;

use super::{Answer, Memory, placed, problems, selector};
use crate::{error::Failure, local_time};
use pimem_core::{
    model::time::{DAY_MS, Now, Timestamp},
    report::{
        budget::Tokens,
        outlook::{self, Day},
    },
    score::{
        forecast,
        ranking::{Ranking, ScoredEntry},
        stability::{self, Standing},
    },
    view::{
        self, Entries,
        forecast::{Change, Curve, Forecast},
    },
};

/// Points of a curve per day.
const POINTS: u32 = 4;
/// Maximum number of characters of a text beside its curve.
const NAME: usize = 36;
/// Maximum number of curves if no entries are named.
const CURVES: usize = 8;

#[derive(Debug, Clone, Default)]
pub struct ForecastRequest<'a> {
    /// Selectors of entries; empty for all.
    pub selectors: &'a [String],
    /// Number of days ahead.
    pub days: u32,
    /// True to return the daily scores of entries.
    pub curves: bool,
}

/// A change of an entry's state.
struct Event<'a> {
    at: Timestamp,
    row: &'a ScoredEntry,
    what: String,
}

impl Memory {
    /// Returns how entries and the report will change without further evidence.
    ///
    /// # Errors
    /// Fails if a selector does not match exactly one entry.
    pub fn forecast(&self, request: &ForecastRequest<'_>) -> Result<Answer<Forecast>, Failure> {
        let stores = self.readers()?;
        let (ranking, snapshots) = self.ranking(&stores);
        let problems = problems(&snapshots);
        let mirrors = self.listed_mirrors();
        let chosen = request.selectors.iter().map(|selector| {
            match selector::entry(self, &ranking, &problems, selector) {
                Ok(row) => Ok(Cow::Borrowed(row)),
                Err(failure) => {
                    let selected = self.selected(selector, failure.clone())?;
                    let row = selected.get().map(|(_, row)| Cow::Owned(row.clone()));
                    row.ok_or(failure)
                }
            }
        });
        let chosen: Vec<Cow<'_, ScoredEntry>> = chosen.collect::<Result<_, Failure>>()?;
        let chosen: Vec<&ScoredEntry> = chosen.iter().map(|row| &**row).collect();
        let placed = placed(&self.config.categories, &stores, &snapshots);
        let settings = self.report_settings(None, Tokens(0));
        let days = outlook::outlook(self.now, self.rules(), settings, &placed, request.days);
        let theirs = || mirrors.iter().flat_map(|mirror| &mirror.ranking.rows);
        let rows: Vec<&ScoredEntry> = if chosen.is_empty() {
            ranking.rows.iter().chain(theirs()).collect()
        } else {
            chosen.clone()
        };
        let events = events(self, &ranking, &rows, &days);
        let others = theirs().chain(chosen.iter().copied()).map(|row| row.entry.id);
        let entries = Entries::new(self.now, &self.config.categories, &ranking);
        let entries = entries.beside(others.collect());
        let mut curves = Vec::new();
        if request.curves {
            let drawn = if chosen.is_empty() { fading(&events) } else { chosen };
            curves.extend(drawn.into_iter().map(|row| curve(self, &entries, row, request.days)));
        }
        let day = |day: &Day| view::forecast::Day {
            date: local_time::local(day.at).date,
            tokens: day.tokens,
            entries: day.shown.len(),
        };
        let change = |Event { at, row, what }: Event<'_>| Change {
            at,
            what,
            id: row.entry.id.to_string(),
            category: entries.category(row).to_owned(),
            text: row.entry.text.clone(),
            score: row.standing.shown(),
            short: entries.short(row.entry.id),
        };
        let view = Forecast {
            budget: settings.budget.limit(),
            days: days.iter().map(day).collect(),
            changes: events.into_iter().map(change).collect(),
            curves,
        };
        Ok(Answer { view, problems })
    }
}

/// Returns the events of the rows, ordered by time.
fn events<'a>(
    memory: &Memory,
    ranking: &'a Ranking,
    rows: &[&'a ScoredEntry],
    days: &[Day],
) -> Vec<Event<'a>> {
    let end = days.last().map_or(memory.now.0, |day| day.at);
    let mut events: Vec<Event<'a>> = Vec::new();
    for row in rows.iter().copied() {
        let spec = memory.config.categories.spec(row.entry.category);
        let turns = forecast::turns(memory.now, memory.rules().clock, ranking.policy, row, spec)
            .into_iter()
            .filter(|(at, _)| *at <= end);
        events.extend(turns.map(|(at, turn)| Event { at, row, what: turn.describe(spec) }));
    }
    for day in days {
        let both = [(&day.left, "leaves the report"), (&day.entered, "enters the report")];
        for (ids, what) in both {
            let rows = ids.iter().filter_map(|id| rows.iter().find(|row| row.entry.id == *id));
            events.extend(rows.map(|row| Event { at: day.at, row, what: what.to_owned() }));
        }
    }
    let order =
        |event: &Event<'_>| ranking.rows.iter().position(|row| row.entry.id == event.row.entry.id);
    events.sort_by_cached_key(|event| (event.at, order(event), event.what.clone()));
    events
}

/// Returns the entries with events, in the order of their first event.
fn fading<'a>(events: &[Event<'a>]) -> Vec<&'a ScoredEntry> {
    let mut rows: Vec<&ScoredEntry> = Vec::new();
    for event in events {
        let known = rows.iter().any(|row| row.entry.id == event.row.entry.id);
        if !known && matches!(event.row.standing, Standing::Scored(_)) && rows.len() < CURVES {
            rows.push(event.row);
        }
    }
    rows
}

/// Returns the scores of an entry over `days` days.
fn curve(memory: &Memory, entries: &Entries<'_>, row: &ScoredEntry, days: u32) -> Curve {
    let spec = memory.config.categories.spec(row.entry.category);
    let point = |step: u32| {
        let ahead = i64::from(step) * DAY_MS / i64::from(POINTS);
        let then = Now(Timestamp(memory.now.0.0.saturating_add(ahead)));
        let ahead = memory.rules().clock.ahead(memory.now, then);
        let score = row.judged.as_ref().map_or_else(
            || {
                let (idle, strength) = (row.idle.and(ahead), row.evidence.strength());
                stability::standing_of(idle, strength, spec.tau_days, false).shown()
            },
            |judged| judged.parts.later(memory.policy(), ahead).score(),
        );
        (f64::from(step) / f64::from(POINTS), score)
    };
    let text: String = row.entry.text.chars().take(NAME).collect();
    let more = if row.entry.text.chars().nth(NAME).is_some() { "…" } else { "" };
    let name = format!("{} {text}{more}", entries.short(row.entry.id));
    Curve { name, points: (0..=days * POINTS).map(point).collect() }
}
