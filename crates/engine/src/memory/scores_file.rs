//! `memory-scores.json`: scores in a format for other programs.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Memory;
use crate::view::{self, Entries};
use pimem_core::score::{
    access::Access,
    ranking::{Ranking, ScoredEntry},
};

/// Content of `memory-scores.json`, in a documented format, sorted by id.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Scores<'a> {
    entries: BTreeMap<String, Record<'a>>,
    last_rebuild: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Record<'a> {
    class: &'a str,
    score: f64,
    evidence_count: u64,
    cue: &'a str,
    first_seen: String,
    last_reinforced: String,
    user_state: &'a str,
    lifecycle: &'a str,
    fresh: bool,
    access_count: u64,
    last_accessed: Option<String>,
}

/// Returns a snapshot of scores; `key` returns the key of an entry.
pub fn snapshot(
    memory: &Memory,
    ranking: &Ranking,
    key: impl Fn(&ScoredEntry) -> String,
    accessed: impl Fn(&ScoredEntry) -> Access,
) -> String {
    let entries = Entries::new(memory.now, &memory.config.categories, ranking);
    let record = |row: &ScoredEntry| Record {
        class: entries.category(row),
        score: view::rounded(row.standing.shown()),
        evidence_count: row.evidence.count,
        cue: row.evidence.cue.name(),
        first_seen: row.evidence.first_seen.to_string(),
        last_reinforced: row.evidence.last_reinforced.to_string(),
        user_state: view::user_state(row).name(),
        lifecycle: row.state.name(),
        fresh: row.fresh,
        access_count: accessed(row).count,
        last_accessed: accessed(row).last.map(|last| last.to_string()),
    };
    let scores = Scores {
        entries: ranking.rows.iter().map(|row| (key(row), record(row))).collect(),
        last_rebuild: memory.now.0.to_string(),
    };
    let mut text = serde_json::to_string_pretty(&scores).unwrap_or_default();
    text.push('\n');
    text
}
