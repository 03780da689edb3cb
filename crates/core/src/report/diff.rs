//! Differences between the reports of two rankings.

use std::collections::BTreeMap;

use serde::Serialize;

use super::select::Verdict;
use crate::{
    model::entry::EntryId,
    score::ranking::{Ranking, ScoredEntry},
};

/// An entry in one of the two rankings.
#[derive(Debug, Clone)]
pub struct Side {
    pub row: ScoredEntry,
    pub verdict: Verdict,
}

/// An entry that differs between the two rankings.
#[derive(Debug, Clone)]
pub struct Difference {
    /// Its id in the second ranking.
    pub id: EntryId,
    /// `None` if the first ranking does not contain it.
    pub before: Option<Side>,
    /// `None` if the second ranking does not contain it.
    pub after: Option<Side>,
}

/// Kinds of [`Difference`], most important first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// It entered the report.
    Entered,
    /// It left the report.
    Left,
    /// It is new, and not in the report.
    Added,
    /// It is gone, and was not in the report.
    Gone,
    /// Its state, or the reason why it is not shown, changed.
    Changed,
}

impl Difference {
    #[must_use]
    pub fn kind(&self) -> Kind {
        let shown = |side: &Option<Side>| side.as_ref().is_some_and(|side| side.verdict.shown());
        match (&self.before, &self.after) {
            _ if shown(&self.after) && !shown(&self.before) => Kind::Entered,
            _ if shown(&self.before) && !shown(&self.after) => Kind::Left,
            (None, _) => Kind::Added,
            (_, None) => Kind::Gone,
            _ => Kind::Changed,
        }
    }
}

/// A ranking with the verdicts of its report, in the order of its rows.
pub type Reported<'a> = (&'a Ranking, &'a [Verdict]);

/// Returns the differences, sorted by kind, then by standing. `current` maps an id of the first
/// ranking to the id in the second.
#[must_use]
pub fn differences(
    before: Reported<'_>,
    after: Reported<'_>,
    current: impl Fn(EntryId) -> EntryId,
) -> Vec<Difference> {
    let mut all: BTreeMap<EntryId, Difference> = BTreeMap::new();
    let empty = |id| Difference { id, before: None, after: None };
    for (row, verdict) in before.0.rows.iter().zip(before.1) {
        let id = current(row.entry.id);
        let side = Side { row: row.clone(), verdict: verdict.clone() };
        all.entry(id).or_insert_with(|| empty(id)).before = Some(side);
    }
    for (row, verdict) in after.0.rows.iter().zip(after.1) {
        let id = row.entry.id;
        let side = Side { row: row.clone(), verdict: verdict.clone() };
        all.entry(id).or_insert_with(|| empty(id)).after = Some(side);
    }
    let is_changed = |difference: &Difference| match (&difference.before, &difference.after) {
        (Some(before), Some(after)) => {
            before.row.state != after.row.state
                || before.row.evidence.count != after.row.evidence.count
                || before.row.evidence.user != after.row.evidence.user
                || before.verdict.shown() != after.verdict.shown()
        }
        _ => true,
    };
    let mut changed: Vec<Difference> = all.into_values().filter(is_changed).collect();
    let standing = |difference: &Difference| {
        let side = difference.after.as_ref().or(difference.before.as_ref());
        side.map(|side| side.row.standing)
    };
    changed.sort_by_key(|difference| {
        (difference.kind(), std::cmp::Reverse(standing(difference)), difference.id)
    });
    changed
}
