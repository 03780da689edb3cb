//! Forecast of fading entries and of the size of the report.

use crate::memory::handles::Reading;
use std::borrow::Cow;

use serde::{Serialize, Serializer};

use super::{Answer, Memory, placed, problems, selector};
use crate::{
    error::Failure,
    local_time,
    store::read::ReadProblem,
    view::{Entries, displayed, six_decimals, told},
};
use pimem_core::{
    model::time::{DAY_MS, Date, Timestamp},
    report::{
        budget::Tokens,
        explain::{DayOutlook, KeptBy, Remedy, ReportTrial},
    },
    score::{
        forecast,
        policy::Policy,
        ranking::{Ranking, ScoredEntry},
    },
};

/// What keeps an entry is looked for this often at most: each search ranks the store many times.
const SEARCHES: usize = 50;

#[derive(Debug, Clone, Default)]
pub struct ForecastRequest<'a> {
    /// Selectors of entries; empty for all.
    pub selectors: &'a [String],
    pub days: u32,
}

/// A change of an entry's state.
struct Event<'a> {
    at: Timestamp,
    row: &'a ScoredEntry,
    what: String,
}

impl Reading<'_> {
    /// Returns how entries and the report will change without further evidence.
    ///
    /// # Errors
    /// Fails if a selector does not match exactly one entry.
    pub fn forecast(self, request: &ForecastRequest<'_>) -> Result<Answer<Forecast>, Failure> {
        let stores = self.memory.readers()?;
        let (ranking, snapshots) = self.memory.ranking(&stores);
        let problems = problems(&snapshots);
        let mirrors = self.memory.sharing().listed_mirrors();
        let chosen = named(self.memory, request.selectors, &ranking, &problems)?;
        let chosen: Vec<&ScoredEntry> = chosen.iter().map(|row| &**row).collect();
        let placed = placed(&self.memory.config.categories, &stores, &snapshots);
        let settings = self.memory.report_settings(None, Tokens(0));
        let (now, rules) = (self.memory.now, self.memory.rules());
        let trial = ReportTrial { now, rules, settings, stores: &placed };
        let days = trial.outlook(request.days, &local_time::start_of_day);
        let theirs = || mirrors.iter().flat_map(|mirror| &mirror.ranking.rows);
        let rows: Vec<&ScoredEntry> = if chosen.is_empty() {
            ranking.rows.iter().chain(theirs()).collect()
        } else {
            chosen.clone()
        };
        let mut leaving = leaving(&rows, &days);
        let shows = |at: Timestamp, row: &ScoredEntry| trial.shows(at, &row.entry);
        for left in leaving.iter_mut().take(SEARCHES) {
            left.at = self.moment(left, ranking.policy, shows).unwrap_or(left.at);
        }
        leaving.sort_by_key(|left| left.at);
        let events = events(self.memory, &ranking, &rows, (&days, &leaving));
        let others = theirs().chain(chosen.iter().copied()).map(|row| row.entry.id);
        let entries = self.memory.entries_of(&ranking);
        let entries = entries.beside(others.collect());
        let others = others_of(&entries, &chosen, &leaving, &days);
        let leaving = leaving.iter().enumerate().map(|(number, Left { at, row, returns, .. })| {
            let keep = || trial.kept(&row.entry, *at, &local_time::start_of_day);
            let short = entries.short(row.entry.id);
            let expires = row.evidence.until.is_some_and(|until| until < *at);
            let keep = if number < SEARCHES && returns.is_none() { keep() } else { None };
            Leaving {
                at: *at,
                id: row.entry.id.to_string(),
                category: entries.category(row).to_owned(),
                text: told(row).into_owned(),
                expires,
                returns: *returns,
                keep: keep.map(|KeptBy { act, until }| KeepAdvice {
                    command: act.command(&short),
                    until,
                    act,
                }),
                short,
            }
        });
        let leaving = leaving.collect();
        let day = |day: &DayOutlook| DayAhead {
            date: local_time::local(day.at).date,
            tokens: day.tokens,
            entries: day.shown.len(),
        };
        let change = |Event { at, row, what }: Event<'_>| ForecastChange {
            at,
            what,
            id: row.entry.id.to_string(),
            category: entries.category(row).to_owned(),
            text: told(row).into_owned(),
            score: row.standing.shown(),
            short: entries.short(row.entry.id),
        };
        let view = Forecast {
            budget: settings.budget.limit(),
            days: days.iter().map(day).collect(),
            changes: events.into_iter().map(change).collect(),
            leaving,
            others,
        };
        Ok(Answer { view, problems })
    }

    /// Returns the moment at which an entry leaves, if it does by its age or its date alone.
    fn moment(
        self,
        left: &Left<'_>,
        policy: Policy,
        shows: impl Fn(Timestamp, &ScoredEntry) -> bool,
    ) -> Option<Timestamp> {
        let spec = self.memory.config.categories.spec(left.row.entry.category);
        let turns =
            forecast::turns(self.memory.now, self.memory.rules().clock, policy, left.row, spec);
        let within = |at: &Timestamp| *at <= left.at && left.at.0.saturating_sub(at.0) <= DAY_MS;
        let mut turns = turns.into_iter().map(|(at, _)| at).filter(within);
        turns.find(|at| !shows(*at, left.row) && shows(Timestamp(at.0 - 1), left.row))
    }
}

fn named<'a>(
    memory: &Memory,
    selectors: &[String],
    ranking: &'a Ranking,
    problems: &[ReadProblem],
) -> Result<Vec<Cow<'a, ScoredEntry>>, Failure> {
    let named = selectors.iter().map(|selector| {
        match selector::entry(memory, ranking, problems, selector) {
            Ok(row) => Ok(Cow::Borrowed(row)),
            Err(failure) => {
                let selected = memory.sharing().selected(selector, failure.clone())?;
                let row = selected.get().map(|(_, row)| Cow::Owned(row.clone()));
                row.ok_or(failure)
            }
        }
    });
    named.collect()
}

/// Returns the named entries that do not leave the report.
fn others_of(
    entries: &Entries<'_>,
    chosen: &[&ScoredEntry],
    leaving: &[Left<'_>],
    days: &[DayOutlook],
) -> Vec<Other> {
    let stays = |row: &&&ScoredEntry| leaving.iter().all(|left| left.row.entry.id != row.entry.id);
    let now_shown =
        |row: &ScoredEntry| days.first().is_some_and(|day| day.shown.contains(&row.entry.id));
    let other = |row: &&ScoredEntry| Other {
        short: entries.short(row.entry.id),
        text: told(row).into_owned(),
        shown: now_shown(row),
    };
    chosen.iter().filter(stays).map(other).collect()
}

/// Returns the events of the rows, ordered by time.
fn events<'a>(
    memory: &Memory,
    ranking: &'a Ranking,
    rows: &[&'a ScoredEntry],
    (days, leaving): (&[DayOutlook], &[Left<'a>]),
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
        let both =
            [(&day.left, "leaves the report", true), (&day.entered, "enters the report", false)];
        for (ids, what, is_end) in both {
            for (id, at) in ids {
                let Some(row) = rows.iter().find(|row| row.entry.id == *id) else { continue };
                let is_same = |left: &&Left<'_>| left.row.entry.id == *id && left.day == *at;
                let exact = leaving.iter().find(is_same).filter(|_| is_end).map(|left| left.at);
                events.push(Event { at: exact.unwrap_or(*at), row, what: what.to_owned() });
            }
        }
    }
    let order =
        |event: &Event<'_>| ranking.rows.iter().position(|row| row.entry.id == event.row.entry.id);
    events.sort_by_cached_key(|event| (event.at, order(event), event.what.clone()));
    events
}

struct Left<'a> {
    at: Timestamp,
    /// The same as the outlook has it: a moment of that day.
    day: Timestamp,
    row: &'a ScoredEntry,
    returns: Option<Timestamp>,
}

/// Returns the rows that the report shows now and then does not, soonest first.
fn leaving<'a>(rows: &[&'a ScoredEntry], days: &[DayOutlook]) -> Vec<Left<'a>> {
    let mut found: Vec<Left<'a>> = Vec::new();
    let shown = |day: Option<&DayOutlook>, row: &ScoredEntry| {
        day.is_some_and(|day| day.shown.contains(&row.entry.id))
    };
    for row in rows.iter().copied().filter(|row| shown(days.first(), row)) {
        let id = &row.entry.id;
        let mut later = days.iter().skip_while(|day| shown(Some(day), row));
        if let Some(day) = later.next() {
            let returns = later.find(|day| shown(Some(day), row));
            let returns = returns.map(|day| day.entered.get(id).copied().unwrap_or(day.at));
            let at = day.left.get(id).copied().unwrap_or(day.at);
            found.push(Left { at, day: at, row, returns });
        }
    }
    // Rows are in the order of a ranking.
    found.sort_by_key(|left| left.at);
    found
}

/// Future states of the entries and future sizes of the report, if nothing happens.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Forecast {
    pub budget: Option<u32>,
    /// The reports of today and of each coming day.
    pub days: Vec<DayAhead>,
    /// Changes of entries, soonest first.
    pub changes: Vec<ForecastChange>,
    /// Entries that leave the report, soonest first.
    pub leaving: Vec<Leaving>,
    /// Entries that were asked for and do not leave it.
    #[serde(skip)]
    pub others: Vec<Other>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Leaving {
    /// A moment of the local day on which it leaves, at which the report does not show it, RFC 3339;
    /// the exact one if it leaves by its own age or date.
    #[serde(serialize_with = "displayed")]
    pub at: Timestamp,
    pub id: String,
    pub category: String,
    pub text: String,
    /// True if its time of validity ends then.
    pub expires: bool,
    /// A moment of the day on which the report shows it again, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "maybe_displayed")]
    pub returns: Option<Timestamp>,
    /// What keeps it if it is done now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep: Option<KeepAdvice>,
    /// Shortest unique prefix of the id.
    #[serde(skip)]
    pub short: String,
}

/// A command that keeps an entry in the report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KeepAdvice {
    pub command: String,
    /// A moment of the day on which it leaves the report all the same, RFC 3339; absent if that is
    /// years away.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "maybe_displayed")]
    pub until: Option<Timestamp>,
    #[serde(skip)]
    pub act: Remedy,
}

/// An entry that does not leave the report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Other {
    pub short: String,
    pub text: String,
    pub shown: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DayAhead {
    /// In local time.
    #[serde(serialize_with = "displayed")]
    pub date: Date,
    pub tokens: u32,
    pub entries: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ForecastChange {
    /// Time of the change, RFC 3339.
    #[serde(serialize_with = "displayed")]
    pub at: Timestamp,
    /// `becomes candidate`, `leaves the report` and so on.
    pub what: String,
    pub id: String,
    pub category: String,
    pub text: String,
    #[serde(serialize_with = "six_decimals")]
    pub score: f64,
    /// Shortest unique prefix of the id.
    #[serde(skip)]
    pub short: String,
}

#[expect(clippy::ref_option, reason = "serde passes the field by reference")]
fn maybe_displayed<S: Serializer>(at: &Option<Timestamp>, to: S) -> Result<S::Ok, S::Error> {
    at.map(|at| at.to_string()).serialize(to)
}

documents! {
    Forecast: "pimem.forecast/1",
}
