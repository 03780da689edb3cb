//! Differences between two times.

use serde::Serialize;

use super::{Answer, Memory, problems};
use crate::{
    error::Failure,
    store::{
        Store,
        read::ReadProblem,
        snapshot::{Past, Snapshot},
    },
    view::{Entries, JudgedEntry, displayed, factors::Factors},
};
use pimem_core::{
    model::{
        entry::EntryId,
        hash::IdMap,
        time::{Now, Timestamp},
    },
    report::{
        budget::Tokens,
        render::{self, Difference, DifferenceKind},
    },
    safety::safe_text::SafeText,
    score::ranking::Ranking,
};

/// The stores at one time.
struct Then {
    now: Now,
    ranking: Ranking,
    report: render::Report,
    /// Ids at that time of current entries whose id differs.
    former: IdMap<EntryId, EntryId>,
    /// Problems with reading the archive.
    problems: Vec<ReadProblem>,
}

impl Memory {
    /// Returns the differences between two times, which may be in the future. The past is
    /// reconstructed from the log.
    ///
    /// # Errors
    /// Fails if the named store does not exist.
    pub fn diff(&self, from: Timestamp, to: Timestamp) -> Result<Answer<Diff>, Failure> {
        let stores = self.readers()?;
        let (_, snapshots) = self.ranking(&stores);
        let before = then(self, &stores, &snapshots, from);
        let after = then(self, &stores, &snapshots, to);
        // Maps an id of the first time to the current id, and that to the id of the second time.
        let later: IdMap<EntryId, EntryId> =
            after.former.iter().map(|(then, today)| (*today, *then)).collect();
        let differences = render::differences(
            (&before.ranking, &before.report.verdicts),
            (&after.ranking, &after.report.verdicts),
            |id| {
                let today = before.former.get(&id).copied().unwrap_or(id);
                later.get(&today).copied().unwrap_or(today)
            },
        );
        let categories = &self.config.categories;
        let old = Entries::new(before.now, categories, &before.ranking);
        let new = Entries::new(after.now, categories, &after.ranking);
        let side = |entries: &Entries<'_>, side: &render::DiffSide| SideView {
            judged: entries.judged(&side.row, &side.verdict),
            factors: entries.factors(&side.row),
        };
        let change = |difference: &Difference| DiffChange {
            change: difference.kind(),
            id: difference.id.to_string(),
            before: difference.before.as_ref().map(|before| side(&old, before)),
            after: difference.after.as_ref().map(|after| side(&new, after)),
        };
        let tokens = Sizes { before: before.report.tokens.0, after: after.report.tokens.0 };
        let changes = differences.iter().map(change).collect();
        let problems = [problems(&snapshots), before.problems].concat();
        let reports = [before.report.text, after.report.text];
        Ok(Answer { view: Diff { from, to, tokens, changes, reports }, problems })
    }
}

/// Returns the stores at a past or future time.
fn then(memory: &Memory, stores: &[Store], snapshots: &[Snapshot], at: Timestamp) -> Then {
    let (mut former, mut problems) = (IdMap::default(), Vec::new());
    let past: Vec<Past> = stores
        .iter()
        .zip(snapshots)
        .map(|(store, today)| {
            if at >= memory.now.0 {
                let placed = today.placed(store, &memory.config.categories);
                let ledger = today.ledger.clone();
                let (former, problems) = (IdMap::default(), Vec::new());
                return Past { placed, ledger, former, problems };
            }
            store.at(at, today, &memory.config.categories)
        })
        .collect();
    for past in &past {
        former.extend(&past.former);
        problems.extend(past.problems.iter().cloned());
    }
    let placed = past.iter().map(|past| (past.placed.clone(), &past.ledger)).collect();
    let now = Now(at);
    let ranking = Ranking::new(now, memory.rules(), placed);
    let settings = memory.report_settings(None, Tokens(0));
    let report = render::report(&ranking, &memory.config.categories, settings);
    Then { now, ranking, report, former, problems }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Diff {
    /// First time, RFC 3339.
    #[serde(serialize_with = "displayed")]
    pub from: Timestamp,
    /// Second time, RFC 3339.
    #[serde(serialize_with = "displayed")]
    pub to: Timestamp,
    pub tokens: Sizes,
    /// Most important first.
    pub changes: Vec<DiffChange>,
    /// The reports at both times.
    #[serde(skip)]
    pub reports: [SafeText; 2],
}

/// Tokens of the report at both times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Sizes {
    pub before: u32,
    pub after: u32,
}

/// An entry that differs between the two times.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DiffChange {
    pub change: DifferenceKind,
    /// Id of the entry at the second time.
    pub id: String,
    /// `None` if the entry did not exist at the first time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<SideView>,
    /// `None` if the entry did not exist at the second time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<SideView>,
}

/// An entry at one of the two times.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SideView {
    /// The entry with its verdict in the report.
    #[serde(flatten)]
    pub judged: JudgedEntry,
    #[serde(skip)]
    pub factors: Factors,
}

documents! {
    Diff: "pimem.diff/1",
}
