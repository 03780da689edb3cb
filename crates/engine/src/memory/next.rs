//! What the next report does with entries that a command has changed: the verdicts of the report
//! itself, made of what the command has read and written.

use crate::memory::handles::Reading;
use std::{
    cell::{Cell, OnceCell},
    collections::HashSet,
    path::PathBuf,
};

use serde::Serialize;

use super::{Memory, placed, shortlist::ShortStores};
use crate::{
    error::Failure,
    process::Leaky,
    store::{Store, snapshot::Snapshot},
    view::{Entries, EntryView},
};
use pimem_core::{
    model::{
        entry::{EntryId, Wording},
        event::Order,
        hash::IdMap,
    },
    report::{
        budget::Tokens,
        explain::{Remedy, ReportTrial, Unsure},
        render::{self, RenderSettings, Report},
        replaced::Newer,
        select::{self, ReportVerdict},
    },
    score::ranking::{LocatedEntry, Ranking, RankingRules, ScoredEntry},
};

/// The stores after a change, and the report that comes next.
pub struct Next {
    pub stores: Vec<Store>,
    pub snapshots: Leaky<Vec<Snapshot>>,
    pub ranking: Leaky<Ranking>,
    /// The entries of each store. Asking once more who may see them takes longer than all else.
    placed: Leaky<Vec<Vec<LocatedEntry>>>,
    report: OnceCell<Report>,
    /// Number of remedies that are still to be found by trial.
    trials: Cell<usize>,
    /// Indexes of rows by id.
    places: OnceCell<IdMap<EntryId, Vec<usize>>>,
}

/// Number of entries of one change whose cheapest remedy is found by trial, which ranks everything
/// anew. A pin brings in any other.
const TRIALS: usize = 8;

impl Next {
    /// Ranks the stores to read. `written` has the directories that were written, with what they
    /// hold now; the others are read.
    pub fn after(memory: &Memory, written: Vec<(PathBuf, Snapshot)>) -> Result<Self, Failure> {
        let categories = &memory.config.categories;
        let stores = memory.reported()?;
        let mut written = written;
        let held = |store: &Store| {
            let at = written.iter().position(|(dir, _)| *dir == store.dir);
            at.map_or_else(|| store.read(memory.now, categories), |at| written.swap_remove(at).1)
        };
        let snapshots: Vec<Snapshot> = stores.iter().map(held).collect();
        Ok(Self::of(memory, stores, snapshots, memory.rules()))
    }

    /// Ranks what the stores have now, with rows for the entries of a shortlist only. `None` if no
    /// store has one that counts.
    pub fn of_shortlist(memory: &Memory) -> Result<Option<Self>, Failure> {
        let stores = memory.reported()?;
        let found = memory.reading().short_stores(&stores, &HashSet::new());
        let Ok(ShortStores { snapshots, rest, .. }) = found else { return Ok(None) };
        let rules = RankingRules { rest: &rest, ..memory.rules() };
        Ok(Some(Self::of(memory, stores, snapshots, rules)))
    }

    fn of(
        memory: &Memory,
        stores: Vec<Store>,
        snapshots: Vec<Snapshot>,
        rules: RankingRules<'_>,
    ) -> Self {
        let held = placed(&memory.config.categories, &stores, &snapshots);
        let placed = held.iter().map(|(entries, _)| entries.clone()).collect();
        let placed = Leaky::new(placed, memory.ends_soon);
        let ranking = Leaky::new(Ranking::new(memory.now, rules, held), memory.ends_soon);
        let snapshots = Leaky::new(snapshots, memory.ends_soon);
        let (report, trials, places) = (OnceCell::new(), Cell::new(TRIALS), OnceCell::new());
        Self { stores, snapshots, ranking, placed, report, trials, places }
    }

    /// Returns what the next report does with an entry. `older` is one that it seems to replace.
    pub fn prospect(
        &self,
        memory: &Memory,
        entries: &Entries<'_>,
        row: &ScoredEntry,
        older: Option<&ScoredEntry>,
    ) -> Prospect {
        let absent = self.absent(memory, row, &entries.short(row.entry.id));
        let older = older.map(|old| {
            let short = entries.short(old.entry.id);
            self::older(memory, old, short, &row.entry.wording())
        });
        Prospect { eligible: absent.is_none(), absent, seems_to_replace: older }
    }

    /// Returns why the next report omits an entry, and what brings it in; `None` if it shows it.
    pub fn absent(&self, memory: &Memory, row: &ScoredEntry, short: &str) -> Option<NotShown> {
        let rules = RankingRules { rest: &self.ranking.rest, ..memory.rules() };
        let settings = memory.report_settings(None, Tokens(0));
        // The reason is looked for of this entry alone.
        let plain = RenderSettings { reasons: false, ..settings };
        let make = || render::report(&self.ranking, rules.categories, plain);
        let report = self.report.get_or_init(make);
        if !report.is_sure {
            return Self::of_all(memory)?.absent(memory, row, short);
        }
        let at = self.place(row);
        let verdict = at.and_then(|at| report.verdict_at(at));
        let verdict = verdict.unwrap_or(&ReportVerdict::ReportFull);
        let by = at.filter(|_| matches!(verdict, ReportVerdict::NoRoom(_)));
        let by = by.and_then(|at| Newer::new(&self.ranking, rules.categories).seems_to_replace(at));
        let verdict = &by.map_or_else(|| verdict.clone(), ReportVerdict::SeemsReplaced);
        if verdict.shown() {
            return None;
        }
        let trials = self.trials.get();
        self.trials.set(trials.saturating_sub(1));
        let act = if trials == 0 && row.entry.reviewed && !row.is_over() {
            Some(Remedy::Pin)
        } else {
            let ledgers = self.snapshots.iter().map(|snapshot| &snapshot.ledger);
            let stores: Vec<_> = self.placed.iter().cloned().zip(ledgers).collect();
            let trial = ReportTrial { now: memory.now, rules, settings, stores: &stores };
            match trial.cheapest(row) {
                Ok(act) => act,
                Err(Unsure) => return Self::of_all(memory)?.absent(memory, row, short),
            }
        };
        let reason = match verdict {
            ReportVerdict::SectionFull(_)
            | ReportVerdict::ReportFull
            | ReportVerdict::NoRoom(_) => too_long(memory, &row.entry.wording()),
            _ => None,
        };
        let plain = || verdict.to_string().trim_start_matches("out: ").to_owned();
        Some(NotShown {
            reason: reason.unwrap_or_else(plain),
            remedy: act.map(|act| act.command(short)),
        })
    }

    /// Reads all entries; `None` if they cannot be read any more.
    fn of_all(memory: &Memory) -> Option<Self> {
        Self::after(memory, Vec::new()).ok()
    }

    /// Returns the index of a row's copy in the ranking.
    fn place(&self, row: &ScoredEntry) -> Option<usize> {
        let places = self.places.get_or_init(|| {
            let mut places: IdMap<EntryId, Vec<usize>> = IdMap::default();
            for (at, row) in self.ranking.rows.iter().enumerate() {
                places.entry(row.entry.id).or_default().push(at);
            }
            places
        });
        let is_copy = |at: &usize| {
            self.ranking.rows.get(*at).is_some_and(|known| known.entry.is_copy(&row.entry))
        };
        places.get(&row.entry.id)?.iter().copied().find(is_copy)
    }

    /// Returns the entry that was a newer choice until this one was chosen again; `was` is its former
    /// choice.
    pub fn overtaken(
        &self,
        memory: &Memory,
        row: &ScoredEntry,
        was: Order,
    ) -> Option<&ScoredEntry> {
        let of_report = &memory.config.settings.report;
        let is_told = of_report.fill && row.evidence.choice() > was;
        let newer = || Newer::new(&self.ranking, &memory.config.categories);
        is_told.then(|| newer().overtaken(row, was)).flatten()
    }
}

impl Reading<'_> {
    /// Returns why the next report leaves entries out; `None` for those that it shows, and for those
    /// that are not there.
    ///
    /// # Errors
    /// Fails if the named store does not exist.
    pub fn left_out(self, ids: &[EntryId]) -> Result<Vec<Option<NotShown>>, Failure> {
        let next = Next::after(self.memory, Vec::new())?;
        let entries = self.memory.entries_of(&next.ranking);
        let why = |id: &EntryId| {
            let row = next.ranking.get(*id)?;
            next.absent(self.memory, row, &entries.short(*id))
        };
        Ok(ids.iter().map(why).collect())
    }
}

/// Returns an entry that another one seems to replace, with the command that says so.
pub fn older(memory: &Memory, old: &ScoredEntry, short: String, by: &Wording) -> Older {
    let name = |category| memory.config.categories.spec(category).name.to_string();
    let text = by.text.replace('\'', "'\\''");
    Older {
        entry: None,
        remedy: format!("pimem add -c {} --supersedes {short} '{text}'", name(by.category)),
        category: name(old.entry.category),
        text: old.entry.text.clone(),
        short,
    }
}

/// Returns why a text is too long for any report.
fn too_long(memory: &Memory, of: &Wording) -> Option<String> {
    let spec = memory.config.categories.spec(of.category);
    let (needed, limit) = (select::tokens_alone(spec, &of.text), spec.section_tokens);
    let by_section = memory.policy().is_stability() && needed.0 > limit;
    by_section.then(|| format!("it takes {needed} tokens, where {} has {limit}", spec.section))
}

/// The verdict of the next report at the same time, within the configured budget.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Prospect {
    /// True if the next report shows the entry.
    pub eligible: bool,
    /// Why it leaves the entry out; `None` if it shows it.
    #[serde(flatten)]
    pub absent: Option<NotShown>,
    /// Another entry that this one seems to replace, or that yields to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seems_to_replace: Option<Older>,
}

/// The reason why the next report leaves an entry out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotShown {
    /// A sentence without its beginning.
    pub reason: String,
    /// Command that brings the entry into the report.
    pub remedy: Option<String>,
}

/// An older choice that another one seems to replace.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Older {
    /// Set if the full entry was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<EntryView>,
    /// Command that records the replacement.
    pub remedy: String,
    #[serde(skip)]
    pub category: String,
    #[serde(skip)]
    pub text: String,
    /// Shortest unique prefix of the id.
    #[serde(skip)]
    pub short: String,
}

/// An entry after a change, with its prospect.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChangedEntry {
    #[serde(flatten)]
    pub entry: EntryView,
    #[serde(flatten)]
    pub next: Prospect,
}
