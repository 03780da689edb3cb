//! Plans a dream without a model: merges paraphrases, archives faded entries, and proposes
//! consolidation of long topics.
//!
//! Only harmless steps are taken automatically; all others are offered. Entries that are pinned,
//! enforced, forgotten or unreviewed are excluded.

use std::collections::BTreeMap;

use super::step::{PlanStep, PlannedBy, StepAction};
use crate::{
    embed::{self, table, vector::Vector},
    lint::contradiction::Outlines,
    markdown::topic::TopicDoc,
    model::{
        category::Categories,
        entry::EntryId,
        hash::IdSet,
        time::{Now, Timestamp},
    },
    score::{
        clock::ActiveDays,
        forecast::{self, is_free},
        ranking::{self, Ranking, Scope, ScoredEntry},
    },
};

/// Number of entries above which a topic should be consolidated.
pub const ROOMY: usize = 20;
/// Maximum number of entries in one proposal.
const TOGETHER: usize = 5;
/// Maximum number of proposals per topic.
const PROPOSALS: usize = 3;

/// Returns the steps for one store in the order of execution. `least` is the similarity from which
/// entries may be merged, and `date` formats the day of a moment.
pub fn plan(
    now: Now,
    categories: &Categories,
    topics: &[(&str, &TopicDoc)],
    (ranking, days): (&Ranking, &ActiveDays),
    least: f64,
    scope: Scope,
    date: fn(Timestamp) -> String,
) -> Vec<PlanStep> {
    let mut gone = IdSet::default();
    let merges = same(ranking, least, &mut gone);
    // Evidence taken over by a merge is not yet part of an entry's score.
    let kept: IdSet<EntryId> = merges.iter().filter_map(keeper).collect();
    let mut faded = faded((now, date), categories, (ranking, days), scope, &kept, &gone);
    let leaving = |step: &PlanStep| match step.act {
        StepAction::Archive(id) if step.by == PlannedBy::Rules => Some(id),
        _ => None,
    };
    gone.extend(faded.iter().filter_map(leaving));
    // An archived entry is removed from all its lines; one that may stay is first reduced to one
    // line.
    let mut steps = repeats(topics, ranking);
    steps.retain(|step| keeper(step).is_none_or(|id| !gone.contains(&id)));
    let repeated: IdSet<EntryId> = steps.iter().filter_map(keeper).collect();
    faded.retain(|step| !matches!(step.act, StepAction::Archive(id) if repeated.contains(&id)));
    steps.extend(merges);
    steps.extend(faded);
    steps.extend(proposals(ranking, scope, &gone));
    steps
}

/// Returns the entry that a merge keeps.
fn keeper(step: &PlanStep) -> Option<EntryId> {
    if let StepAction::Merge { keep, .. } = step.act { Some(keep) } else { None }
}

/// Merges entries that appear on more than one line.
fn repeats(topics: &[(&str, &TopicDoc)], ranking: &Ranking) -> Vec<PlanStep> {
    let mut lines: BTreeMap<EntryId, usize> = BTreeMap::new();
    for entry in topics.iter().flat_map(|(_, doc)| &doc.entries) {
        *lines.entry(entry.id).or_default() += 1;
    }
    lines.retain(|_, count| *count > 1);
    let mut steps = Vec::new();
    for row in ranking.rows.iter().filter(|row| is_free(row)) {
        if let Some(count) = lines.get(&row.entry.id) {
            let act = StepAction::Merge { keep: row.entry.id, from: vec![row.entry.id] };
            steps.push(by_rule(act, format!("stands on {count} lines")));
        }
    }
    steps
}

/// Merges entries that paraphrase a stronger one of their category.
fn same(ranking: &Ranking, least: f64, gone: &mut IdSet<EntryId>) -> Vec<PlanStep> {
    let outdated = |row: &ScoredEntry| row.expired || row.superseded_by.is_some();
    let free: Vec<&ScoredEntry> = ranking
        .rows
        .iter()
        // A statement with an end date differs from one without.
        .filter(|row| is_free(row) && !outdated(row) && row.evidence.until.is_none())
        .collect();
    let texts: Vec<&str> = free.iter().map(|row| row.entry.text.as_str()).collect();
    let outlines = Outlines::of(&texts);
    let mut merged: BTreeMap<usize, Vec<EntryId>> = BTreeMap::new();
    for (at, row) in free.iter().enumerate() {
        let stronger = |other: usize| {
            free.get(other).is_some_and(|other| {
                other.entry.category == row.entry.category
                    && other.entry.scope == row.entry.scope
                    && !gone.contains(&other.entry.id)
                    && are_near(&row.entry.text, &other.entry.text, least)
            })
        };
        if let Some(first) = outlines.before(at, stronger) {
            gone.insert(row.entry.id);
            merged.entry(first).or_default().push(row.entry.id);
        }
    }
    let mut steps = Vec::new();
    for (keep, from) in merged {
        let Some(row) = free.get(keep) else { continue };
        let text = |id: &EntryId| ranking.get(*id).map(|row| format!("{:?}", row.entry.text));
        let texts: Vec<String> = from.iter().filter_map(text).collect();
        let reason = format!("says the same as {}", texts.join(" and "));
        steps.push(by_rule(StepAction::Merge { keep: row.entry.id, from }, reason));
    }
    steps
}

/// Returns true if two texts are similar enough to be duplicates. Only then does the verdict of the
/// paraphrase rules count.
fn are_near(a: &str, b: &str, least: f64) -> bool {
    let vector = |text: &str| Vector::quantize(&table::embed(&embed::passage(text)));
    let (a, b) = (vector(a), vector(b));
    f64::from(a.cosine(&b.numbers, b.scale)) >= least
}

/// Archives entries that no report shows by score any more, and those of cold topics.
fn faded(
    (now, date): (Now, fn(Timestamp) -> String),
    categories: &Categories,
    (ranking, used): (&Ranking, &ActiveDays),
    scope: Scope,
    kept: &IdSet<EntryId>,
    gone: &IdSet<EntryId>,
) -> Vec<PlanStep> {
    let topics = ranking.topics(scope);
    let cold = topics.values().filter(|rows| ranking::cold(rows, categories)).flatten();
    let cold: IdSet<EntryId> = cold.map(|row| row.entry.id).collect();
    let mut steps = Vec::new();
    for row in ranking.rows.iter().filter(|row| row.entry.scope == scope && is_free(row)) {
        let id = row.entry.id;
        if gone.contains(&id) || kept.contains(&id) {
            continue;
        }
        let days = now.since(row.evidence.last_reinforced).days().floor();
        let reason = match (row.evidence.until, row.superseded_by) {
            (Some(until), _) if row.expired => format!("its date has passed: {}", date(until)),
            (_, Some(by)) => format!("was replaced by {by}"),
            _ if forecast::is_dropped(row) => {
                format!("faded: score {:.2}, last reinforced {days} days ago", row.standing.shown())
            }
            _ if cold.contains(&id) => {
                format!(
                    "its topic {} went cold: last reinforced {days} days ago",
                    row.entry.subject()
                )
            }
            _ => continue,
        };
        let over = row.expired || row.superseded_by.is_some();
        let unasked = !over && forecast::goes_unasked(now, row, used);
        let by = if unasked { PlannedBy::Rules } else { PlannedBy::Offer };
        steps.push(PlanStep { act: StepAction::Archive(id), reason, by });
    }
    steps
}

/// Proposes consolidation for topics with too many entries: groups of similar ones, or else the
/// weakest.
fn proposals(ranking: &Ranking, scope: Scope, gone: &IdSet<EntryId>) -> Vec<PlanStep> {
    let mut steps = Vec::new();
    for (topic, rows) in ranking.topics(scope) {
        let free = |row: &&&ScoredEntry| is_free(row) && !gone.contains(&row.entry.id);
        let held = rows.iter().filter(|row| !gone.contains(&row.entry.id)).count();
        if held <= ROOMY {
            continue;
        }
        let free: Vec<&ScoredEntry> = rows.iter().filter(free).copied().collect();
        let mut groups = groups(&free);
        let about = if groups.is_empty() {
            let weakest = free.iter().rev().take((held - ROOMY).min(TOGETHER));
            groups.extend(Some(weakest.map(|row| row.entry.id).collect()));
            "these are the weakest"
        } else {
            "these are about the same"
        };
        let reason = format!("{topic} holds {held} entries, more than {ROOMY}: {about}");
        let groups = groups.into_iter().filter(|group| !group.is_empty()).take(PROPOSALS);
        steps.extend(groups.map(|group| by_rule(StepAction::Propose(group), reason.clone())));
    }
    steps
}

/// Returns groups of similar entries of one category, largest first.
fn groups(rows: &[&ScoredEntry]) -> Vec<Vec<EntryId>> {
    let vectors: Vec<Vector> = rows
        .iter()
        .map(|row| Vector::quantize(&table::embed(&embed::passage(&row.entry.text))))
        .collect();
    let least = table::model().thresholds.reminder;
    let mut taken = vec![false; rows.len()];
    let mut found: Vec<Vec<EntryId>> = Vec::new();
    for (at, (row, vector)) in rows.iter().zip(&vectors).enumerate() {
        if taken.get(at).copied().unwrap_or(true) {
            continue;
        }
        let mut group = vec![row.entry.id];
        for (other, (near, its)) in rows.iter().zip(&vectors).enumerate().skip(at + 1) {
            let is_near = near.entry.category == row.entry.category
                && f64::from(vector.cosine(&its.numbers, its.scale)) >= least;
            if let Some(taken) = taken.get_mut(other).filter(|taken| !**taken && is_near)
                && group.len() < TOGETHER
            {
                *taken = true;
                group.push(near.entry.id);
            }
        }
        if group.len() > 1 {
            found.push(group);
        }
    }
    found.sort_by_key(|group| std::cmp::Reverse(group.len()));
    found
}

fn by_rule(act: StepAction, reason: String) -> PlanStep {
    PlanStep { act, reason, by: PlannedBy::Rules }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
