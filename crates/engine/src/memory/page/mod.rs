//! What a page for people shows of the stores.

pub mod html;
pub mod other_pages;
pub mod pictures;
use crate::memory::handles::Reading;
use std::collections::BTreeMap;

use pimem_core::{
    model::{
        entry::EntryId,
        event::EventKind,
        hash::IdSet,
        time::{DAY_MS, Date, Now, Timestamp},
    },
    report::{
        budget::Tokens,
        explain::{Remedy, ReportTrial},
        render::{self, Report},
        select, working,
    },
    safety::safe_text,
    score::{
        forecast,
        ranking::{Ranking, ScoredEntry},
        stability::{self, Standing, State},
    },
    usage::sums,
};

use super::{Answer, placed, problems, telemetry};
use crate::{
    error::Failure,
    local_time,
    memory::{
        status::{Hooks, Status},
        telemetry::summary::Use,
    },
    store::{Store, evidence},
    view::{AccessedEntry, Entries, EntryView, told},
};

/// Weeks of the calendar, and of the curves.
const WEEKS: i64 = 9;
/// Weeks of the history.
const PAST: i64 = 26;
/// Maximum number of entries outside the report. What brings one in is found by trial.
const OUTSIDE: usize = 8;
/// Maximum number of curves.
const CURVES: usize = 12;
const WEEK: i64 = 7 * DAY_MS;

/// What an agent is given when a session starts.
#[derive(Debug, Clone)]
pub struct PageGiven {
    /// Name of the agent; `None` if no agent calls pimem.
    pub agent: Option<&'static str>,
    /// The lines, each with the entry that it shows.
    pub lines: Vec<(String, Option<EntryId>)>,
}

impl Reading<'_> {
    /// Returns everything about the stores that a page shows. `hooks` are the agents with hooks,
    /// `given` is what one of them is given.
    ///
    /// # Errors
    /// Fails if the named store does not exist.
    pub fn page(self, hooks: Hooks, given: PageGiven) -> Result<Answer<PageView>, Failure> {
        let status = self.status(hooks, false)?;
        let stores = self.memory.readers()?;
        let (ranking, snapshots) = self.memory.own_ranking(&stores);
        let categories = &self.memory.config.categories;
        let entries = self.memory.entries_of(&ranking);
        let settings = self.memory.report_settings(None, Tokens(0));
        let report = render::report(&ranking, categories, settings);
        let placed = placed(categories, &stores, &snapshots);
        let at = |moment: Timestamp| {
            let ranking = Ranking::new(Now(moment), self.memory.rules(), placed.clone());
            let report = render::report(&ranking, categories, settings);
            (report.shown(&ranking).collect::<IdSet<EntryId>>(), report.tokens.0)
        };
        let coming: Vec<_> = (0..=WEEKS)
            .map(|week| at(Timestamp(self.memory.now.0.0.saturating_add(week * WEEK))))
            .collect();
        let (now, rules) = (self.memory.now, self.memory.rules());
        let trial = ReportTrial { now, rules, settings, stores: &placed };
        let outside =
            outside(&ranking, &report, &entries, |row| trial.cheapest(row).unwrap_or_default());
        let curves = report
            .judged(&ranking)
            .filter(|(row, verdict)| verdict.shown() && matches!(row.standing, Standing::Scored(_)))
            .map(|(row, _)| self.coming_scores(&entries, row, &coming))
            .filter(|curve| curve.leaves.is_some())
            .take(CURVES);
        let curves = curves.collect();
        let weeks = self.weeks(&ranking, &entries, &coming);
        let (log, _) = telemetry::log(self.memory, &stores);
        let counts = sums::by(&sums::fates(&log), |_, id| Some(id));
        let usage: BTreeMap<String, Use> =
            counts.iter().map(|(id, count)| (id.to_string(), Use::from(count))).collect();
        let mut listed = self.list(&super::list::ListRequest::default())?.view.entries;
        listed.retain(|listed| !listed.entry.withheld);
        let row =
            |entry: AccessedEntry| PageRow { usage: usage.get(&entry.entry.id).cloned(), entry };
        let view = PageView {
            title: title(&stores),
            now: self.memory.now.0,
            today: local_time::local(self.memory.now.0).date,
            given_to: given.agent,
            given: given.lines.into_iter().map(|line| of_line(line, &entries)).collect(),
            outside,
            levels: if ranking.policy.is_stability() {
                let states = [State::Active, State::Provisional, State::Candidate];
                states
                    .into_iter()
                    .filter_map(|state| Some((state.least()?, state.name())))
                    .collect()
            } else {
                Vec::new()
            },
            curves,
            weeks,
            links: links(&ranking, &entries),
            history: self.history(&stores),
            entries: listed.into_iter().map(row).collect(),
            status,
        };
        Ok(Answer { view, problems: problems(&snapshots) })
    }

    fn coming_scores(
        self,
        entries: &Entries<'_>,
        row: &ScoredEntry,
        coming: &[(IdSet<EntryId>, u32)],
    ) -> PageCurve {
        let spec = self.memory.config.categories.spec(row.entry.category);
        let score = |day: i64| {
            let then = Now(Timestamp(self.memory.now.0.0.saturating_add(day * DAY_MS)));
            let ahead = self.memory.rules().clock.ahead(self.memory.now, then);
            row.judged.as_ref().map_or_else(
                || {
                    let (idle, strength) = (row.idle.and(ahead), row.evidence.strength());
                    stability::standing_of(idle, strength, spec.tau_days, false).shown()
                },
                |judged| judged.parts.later(self.memory.policy(), ahead).score(),
            )
        };
        let leaves = coming.iter().position(|(shown, _)| !shown.contains(&row.entry.id));
        PageCurve {
            id: entries.short(row.entry.id),
            text: told(row).into_owned(),
            points: (0..=WEEKS * 7).map(|day| (day as f64, score(day))).collect(),
            leaves: leaves.and_then(|weeks| u32::try_from(7 * weeks).ok()),
        }
    }

    fn weeks(
        self,
        ranking: &Ranking,
        entries: &Entries<'_>,
        coming: &[(IdSet<EntryId>, u32)],
    ) -> Vec<Week> {
        let mut changes: BTreeMap<i64, BTreeMap<String, usize>> = BTreeMap::new();
        for row in &ranking.rows {
            let spec = self.memory.config.categories.spec(row.entry.category);
            for (at, turn) in forecast::turns(
                self.memory.now,
                self.memory.rules().clock,
                ranking.policy,
                row,
                spec,
            ) {
                let week = (at.0 - self.memory.now.0.0).div_euclid(WEEK);
                *changes.entry(week).or_default().entry(turn.describe(spec)).or_default() += 1;
            }
        }
        let named = |ids: Vec<EntryId>| {
            let rows = ranking.rows.iter().filter(|row| ids.contains(&row.entry.id));
            rows.map(|row| (entries.short(row.entry.id), told(row).into_owned())).collect()
        };
        let week = |(number, pair): (usize, &[(IdSet<EntryId>, u32)])| {
            let [(before, _), (after, tokens)] = pair else { return None };
            let number = i64::try_from(number).ok()?;
            let from = Timestamp(self.memory.now.0.0.saturating_add(number * WEEK));
            Some(Week {
                from: local_time::local(from).date,
                leaving: named(before.difference(after).copied().collect()),
                entering: named(after.difference(before).copied().collect()),
                changes: changes.remove(&number).unwrap_or_default().into_iter().collect(),
                tokens: *tokens,
            })
        };
        coming.windows(2).enumerate().filter_map(week).collect()
    }

    /// Counts the events of the last half year by week.
    fn history(self, stores: &[Store]) -> Vec<PastWeek> {
        let week = |number: i64| PastWeek {
            from: local_time::local(Timestamp(self.memory.now.0.0 - (PAST - number) * WEEK)).date,
            added: 0,
            reinforced: 0,
            dropped: 0,
        };
        let mut weeks: Vec<PastWeek> = (0..PAST).map(week).collect();
        for store in stores {
            for event in evidence::events(&store.log().unwrap_or_default()) {
                let number = PAST + (event.ts.0 - self.memory.now.0.0).div_euclid(WEEK);
                let Some(week) =
                    usize::try_from(number).ok().and_then(|number| weeks.get_mut(number))
                else {
                    continue;
                };
                match event.kind {
                    EventKind::Add(..) => week.added += 1,
                    EventKind::Reinforce(_) => week.reinforced += 1,
                    EventKind::Forget
                    | EventKind::Archive(_)
                    | EventKind::Harmful(_)
                    | EventKind::Purge { .. } => {
                        week.dropped += 1;
                    }
                    _ => {}
                }
            }
        }
        weeks
    }
}

/// Returns the strongest entries that the report leaves out.
fn outside(
    ranking: &Ranking,
    report: &Report,
    entries: &Entries<'_>,
    cheapest: impl Fn(&ScoredEntry) -> Option<Remedy>,
) -> Vec<Outside> {
    let is_possible = |row: &ScoredEntry| row.withheld().is_none();
    let left = report.judged(ranking).filter(|(row, verdict)| !verdict.shown() && is_possible(row));
    let outside = |(row, verdict): (&ScoredEntry, &select::ReportVerdict)| Outside {
        entry: entries.entry(row),
        reason: verdict.to_string(),
        tokens: tokens(&format!("- {}", safe_text::model(&row.entry.text))),
        cheapest: cheapest(row).map(|act| act.command(&entries.short(row.entry.id))),
    };
    left.take(OUTSIDE).map(outside).collect()
}

/// Returns the name of the directory of the project.
fn title(stores: &[Store]) -> String {
    let project = stores.first().and_then(|store| store.dir.parent()?.parent()?.file_name());
    project.map_or_else(|| "no store".to_owned(), |name| name.to_string_lossy().into_owned())
}

fn of_line((text, entry): (String, Option<EntryId>), entries: &Entries<'_>) -> PageLine {
    PageLine { tokens: tokens(&text), id: entry.map(|id| entries.short(id)), text }
}

/// Returns the size of a line with its end.
fn tokens(line: &str) -> u32 {
    Tokens::of_chars(line.chars().count() + 1).0
}

fn links(ranking: &Ranking, entries: &Entries<'_>) -> Vec<Link> {
    let mut found: BTreeMap<&str, Vec<EntryId>> = BTreeMap::new();
    for row in &ranking.rows {
        let parts = row.entry.text.split("[[").skip(1);
        for name in parts.filter_map(|part| Some(part.split_once("]]")?.0.trim())) {
            let ids = found.entry(name).or_default();
            if !name.is_empty() && !ids.contains(&row.entry.id) {
                ids.push(row.entry.id);
            }
        }
    }
    let mut links: Vec<Link> = found
        .into_iter()
        .filter(|(_, ids)| !ids.is_empty())
        .map(|(name, ids)| Link {
            name: name.to_owned(),
            entries: ids.into_iter().map(|id| entries.short(id)).collect(),
        })
        .collect();
    links.sort_by(|a, b| b.entries.len().cmp(&a.entries.len()).then_with(|| a.name.cmp(&b.name)));
    links
}

/// Beginnings of the headings in what an agent is given that the program wrote.
const OWN_HEADINGS: &[&str] = &["# Project Memory [", working::AT_HAND];

#[derive(Debug, Clone)]
pub struct PageView {
    /// Name of the project.
    pub title: String,
    pub now: Timestamp,
    pub today: Date,
    pub status: Status,
    /// What an agent is given when a session starts.
    pub given: Vec<PageLine>,
    /// Its name; `None` if no agent calls pimem.
    pub given_to: Option<&'static str>,
    /// The strongest entries that the report leaves out.
    pub outside: Vec<Outside>,
    /// Scores that are needed for a state, with its name; none where policies have no fixed ones.
    pub levels: Vec<(f64, &'static str)>,
    /// Coming scores of the strongest entries in the report.
    pub curves: Vec<PageCurve>,
    pub weeks: Vec<Week>,
    /// All entries, strongest first.
    pub entries: Vec<PageRow>,
    /// Names in `[[brackets]]`, with the entries that have each.
    pub links: Vec<Link>,
    /// What happened, by weeks, oldest first.
    pub history: Vec<PastWeek>,
}

/// A line of what an agent is given.
#[derive(Debug, Clone)]
pub struct PageLine {
    pub text: String,
    pub tokens: u32,
    /// Short id of the entry, if it is one.
    pub id: Option<String>,
}

/// An entry that the report leaves out.
#[derive(Debug, Clone)]
pub struct Outside {
    pub entry: EntryView,
    pub reason: String,
    pub tokens: u32,
    /// Command that brings it in with the least evidence.
    pub cheapest: Option<String>,
}

/// The scores of an entry if nothing happens.
#[derive(Debug, Clone)]
pub struct PageCurve {
    pub id: String,
    pub text: String,
    /// Pairs of days from now and score.
    pub points: Vec<(f64, f64)>,
    /// Days until the report leaves it out; `None` if it does not within the time of the curve.
    pub leaves: Option<u32>,
}

/// What changes in a week if nothing happens.
#[derive(Debug, Clone)]
pub struct Week {
    pub from: Date,
    /// Short ids and texts of entries that leave the report.
    pub leaving: Vec<(String, String)>,
    /// Short ids and texts of entries that enter it.
    pub entering: Vec<(String, String)>,
    /// Other changes, `becomes candidate`, with the number of entries.
    pub changes: Vec<(String, usize)>,
    /// Size of the report at its end, in tokens.
    pub tokens: u32,
}

#[derive(Debug, Clone)]
pub struct PageRow {
    pub entry: AccessedEntry,
    /// How often it was put into prompts and used; `None` if it never was.
    pub usage: Option<Use>,
}

#[derive(Debug, Clone)]
pub struct Link {
    pub name: String,
    /// Short ids.
    pub entries: Vec<String>,
}

#[derive(Debug, Clone)]
pub struct PastWeek {
    pub from: Date,
    pub added: usize,
    pub reinforced: usize,
    /// Forgotten, archived, marked as harmful, or destroyed.
    pub dropped: usize,
}

impl PageView {
    /// Takes out every word that somebody wrote: texts become ids, and names are numbered.
    #[must_use]
    pub fn redacted(mut self) -> Self {
        fn without(entry: &mut EntryView) {
            entry.text = format!("entry {}", entry.short);
            entry.asked.clear();
            entry.rules.clear();
            entry.topic = "topic".into();
            (entry.author, entry.project) = (None, None);
        }
        self.title = "a project".into();
        for store in &mut self.status.stores {
            (store.place, store.store) = (String::new(), String::new());
        }
        for (number, mirror) in (1..).zip(&mut self.status.mirrors) {
            mirror.project = format!("mirror {number}");
            (mirror.server, mirror.store) = (String::new(), String::new());
        }
        self.status.absent = None;
        self.status.unusable_place = String::new();
        self.status.hooks.failure = None;
        for line in &mut self.given {
            if let Some(id) = &line.id {
                line.text = format!("- entry {id}");
            } else if !OWN_HEADINGS.iter().any(|own| line.text.starts_with(own.trim_end())) {
                // Headings of categories are names that somebody may have chosen, and those below
                // are of notes.
                let heading = if line.text.starts_with("## ") { "## section" } else { "" };
                line.text = heading.into();
            }
        }
        for outside in &mut self.outside {
            without(&mut outside.entry);
        }
        for curve in &mut self.curves {
            curve.text = format!("entry {}", curve.id);
        }
        for (id, text) in
            self.weeks.iter_mut().flat_map(|week| week.leaving.iter_mut().chain(&mut week.entering))
        {
            *text = format!("entry {id}");
        }
        for row in &mut self.entries {
            without(&mut row.entry.entry);
        }
        for (number, link) in (1..).zip(&mut self.links) {
            link.name = format!("link {number}");
        }
        self
    }
}
