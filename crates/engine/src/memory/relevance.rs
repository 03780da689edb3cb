//! Recall under the policy `ebbinghaus`: the most relevant memories, in the order of their kinds,
//! within a number of characters.

use super::{
    Memory, recall,
    search::{FoundHit, Relevance},
};
use crate::store::Store;
use pimem_core::{
    model::{
        category::{Knowledge, Traits},
        time::Age,
    },
    score::{
        policy::{
            Policy, PolicyParts,
            ebbinghaus::{self},
        },
        ranking::Ranking,
        stability::Standing,
    },
    search::documents,
};

/// Maximum number of characters of the sentence and the memories.
const CHARS: usize = 2_000;
/// Number of hits that are compared by relevance.
pub const POOL: usize = 64;
/// The sentence before the memories.
pub const PREAMBLE: &str = "These are known facts from earlier conversations: answer by them, corrections before the rest.\n";

/// Returns true if memories are recalled by their relevance.
pub fn is_used(memory: &Memory) -> bool {
    matches!(memory.policy(), Policy::Ebbinghaus(_))
}

/// Returns the most relevant hits that are in force.
pub fn of_stores(memory: &Memory, stores: &[Store], hits: Vec<FoundHit>) -> Vec<FoundHit> {
    let hits = recall::entries(hits, POOL);
    if hits.is_empty() {
        return hits;
    }
    let (ranking, _) = memory.ranking(stores);
    chosen(memory, &ranking, hits)
}

/// Returns the most relevant of the hits, which are in force.
pub fn chosen(memory: &Memory, ranking: &Ranking, hits: Vec<FoundHit>) -> Vec<FoundHit> {
    let mut judged: Vec<(Knowledge, FoundHit)> = hits
        .into_iter()
        .map(|mut hit| {
            let (kind, relevance) = judge(memory, ranking, &hit);
            hit.relevance = Some(relevance);
            (kind, hit)
        })
        .collect();
    let of = |hit: &FoundHit| hit.relevance.map_or(0.0, |relevance| relevance.score);
    // Hits are sorted by similarity, which decides among equals.
    judged.sort_by(|(_, a), (_, b)| of(b).total_cmp(&of(a)));
    judged.truncate(recall::limit(memory));
    judged.sort_by_key(|(kind, _)| *kind);
    let mut used = PREAMBLE.chars().count();
    judged.retain(|(_, hit)| {
        let chars = recall::line(memory, hit).chars().count();
        let fits = used + chars <= CHARS;
        used += if fits { chars } else { 0 };
        fits
    });
    judged.into_iter().map(|(_, hit)| hit).collect()
}

/// Removes the hits for which those before them leave no room.
pub fn fit(memory: &Memory, before: &[FoundHit], hits: &mut Vec<FoundHit>) {
    let chars = |hit: &FoundHit| recall::line(memory, hit).chars().count();
    let mut used = PREAMBLE.chars().count() + before.iter().map(chars).sum::<usize>();
    hits.retain(|hit| {
        used += chars(hit);
        used <= CHARS
    });
}

/// Returns the kind of a hit and its relevance.
fn judge(memory: &Memory, ranking: &Ranking, hit: &FoundHit) -> (Knowledge, Relevance) {
    let mut categories = memory.config.categories.known().map(|(_, spec)| spec);
    let spec = categories.find(|spec| documents::category_hash(&spec.name) == hit.category);
    let kind = spec.map_or(Traits::OTHER, |spec| spec.traits).knowledge;
    let row = hit.entry.and_then(|id| ranking.get(id)).filter(|_| !hit.is_archived());
    let parts = row.and_then(|row| row.judged.as_ref()).map(|judged| judged.parts);
    let (importance, idle) = match parts {
        // What is pinned never fades.
        Some(PolicyParts::Ebbinghaus(parts)) => match row.map(|row| row.standing) {
            Some(Standing::Pinned) => (1.0, parts.idle),
            _ => (parts.importance(), parts.idle),
        },
        // What was archived has faded as far as it can.
        _ => (kind.floor(), Age(u64::MAX)),
    };
    // The standing counts as importance here.
    let similarity = if hit.factor > 0.0 { hit.score / hit.factor } else { hit.score };
    let similarity = similarity.clamp(0.0, 1.0);
    let score = ebbinghaus::relevance(similarity, importance, idle);
    (kind, Relevance { score, similarity, importance, idle })
}
