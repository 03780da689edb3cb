//! What a prompt brings to mind, besides what a report says anyway.

use std::collections::HashSet;

use super::{
    context::Context,
    find::{Found, Hit, Wanted, find},
};
use crate::{
    model::entry::EntryId,
    recall::{bm25::Query, corpus::SourceKind, similar::Sketch},
    score::board::Board,
    store::vault::{self, Store},
};

/// What a prompt brings to mind: entries that the report does not show already.
pub(crate) fn entries(
    ctx: &Context,
    stores: &[Store],
    prompt: &str,
    board: &Board,
    shown: &HashSet<EntryId>,
) -> Found {
    let query = Query::from_prompt(prompt);
    let limit = usize::try_from(ctx.config.whole("recall.limit")).unwrap_or(usize::MAX);
    let pool = limit.saturating_mul(4).saturating_add(shown.len());
    let mut kept: Vec<(Hit, Sketch)> = Vec::new();
    let wanted = Wanted::recall(ctx, &query, pool, &[SourceKind::Topic]);
    let mut found = find(ctx, stores, &wanted);
    for hit in std::mem::take(&mut found.hits) {
        let Some(row) = hit.entry.and_then(|id| board.get(id)) else { continue };
        // The text of a hit is that of some line; of the entry, the board knows what was reviewed.
        let dead = row.expired || row.superseded_by.is_some() || row.entry.text != hit.text;
        if kept.len() >= limit || dead || shown.contains(&row.entry.id) {
            continue;
        }
        let sketch = Sketch::of(&hit.text);
        if kept.iter().all(|(_, known)| known.similarity(&sketch) < ALIKE) {
            kept.push((hit, sketch));
        }
    }
    found.hits = kept.into_iter().map(|(hit, _)| hit).collect();
    found
}

/// Past sessions that a prompt brings to mind.
pub(crate) fn sessions(ctx: &Context, stores: &[Store], prompt: &str, limit: usize) -> Vec<Hit> {
    // Most stores have none, and a search opens the index.
    let has_some = |store: &Store| store.place(vault::SESSIONS).1.is_file();
    if !stores.iter().any(has_some) {
        return Vec::new();
    }
    let query = Query::from_prompt(prompt);
    find(ctx, stores, &Wanted::recall(ctx, &query, limit, &[SourceKind::Session])).hits
}

/// Two recalled entries that share this much of their words are shown once.
const ALIKE: f64 = 0.8;
