//! What a prompt brings to mind, besides what a report says anyway.

use std::{cell::LazyCell, collections::HashSet};

use super::{
    context::Context,
    find::{Found, Hit, find},
    wanted::Wanted,
};
use crate::{
    model::{entry::EntryId, hash::IdSet, time::Timestamp},
    recall::{
        bm25::Query,
        corpus::{self, SourceKind},
        similar::Sketch,
    },
    score::board::Board,
    store::vault::{self, Store},
    text::safe,
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
    let wanted = Wanted::recall(ctx, &query, pool, &[SourceKind::Topic]);
    let mut found = find(ctx, stores, &wanted);
    let holds = |hit: &Hit| {
        let row = hit.entry.and_then(|id| board.get(id));
        row.is_some_and(|row| {
            // The text of a hit is that of some line; of the entry, the board knows what was reviewed.
            let same = row.entry.text == hit.text;
            let over = row.expired || row.superseded_by.is_some();
            same && !over && !shown.contains(&row.entry.id)
        })
    };
    found.hits = distinct(std::mem::take(&mut found.hits).into_iter().filter(holds), limit);
    found
}

/// Those of some hits that still hold, at most `limit`, without near repetitions. Unlike
/// [`entries`] it needs no board, which would take longer to make than the search takes.
pub(crate) fn alive(ctx: &Context, stores: &[Store], hits: Vec<Hit>, limit: usize) -> Vec<Hit> {
    let ids: IdSet<EntryId> = hits.iter().filter_map(|hit| hit.entry).collect();
    let mut ledgers = Vec::new();
    for store in stores.iter().filter(|_| !ids.is_empty()) {
        let of = |scope| hits.iter().filter(move |hit| hit.scope == scope);
        let here = of(store.scope).filter_map(|hit| hit.entry).collect();
        let known = store.evidence_of(&here);
        let ledger = known.unwrap_or_else(|| store.read(ctx.now, &ctx.config.categories).ledger);
        ledgers.push((store.scope, ledger));
    }
    // What replaced an entry may be gone itself, which only the whole store can tell.
    let board = LazyCell::new(|| ctx.board(stores).0);
    let replaced = |id| board.get(id).is_none_or(|row| row.superseded_by.is_some());
    let holds = |hit: &Hit| {
        let ledger =
            ledgers.iter().find(|(scope, _)| *scope == hit.scope).map(|(_, ledger)| ledger);
        let evidence = hit.entry.zip(ledger).and_then(|(id, ledger)| ledger.evidence(id));
        evidence.is_some_and(|evidence| {
            evidence.until.is_none_or(|until| until >= ctx.now.0)
                && (evidence.superseded_by.is_empty() || !hit.entry.is_some_and(&replaced))
        })
    };
    distinct(hits.into_iter().filter(holds), limit)
}

/// The first of some hits that differ from one another.
fn distinct(hits: impl Iterator<Item = Hit>, limit: usize) -> Vec<Hit> {
    let mut kept: Vec<(Hit, Sketch)> = Vec::new();
    for hit in hits {
        if kept.len() >= limit {
            break;
        }
        let sketch = Sketch::of(&hit.text);
        if kept.iter().all(|(_, known)| known.similarity(&sketch) < ALIKE) {
            kept.push((hit, sketch));
        }
    }
    kept.into_iter().map(|(hit, _)| hit).collect()
}

/// A recalled entry as a line of a prompt.
pub(crate) fn line(ctx: &Context, hit: &Hit) -> String {
    let mut categories = ctx.config.categories.iter().map(|(_, spec)| &spec.name);
    let name = categories.find(|name| corpus::category_hash(name) == hit.category);
    let name = name.map_or("", |name| name.as_ref());
    format!("- [{}] {}\n", safe::model(name), safe::model(&hit.text))
}

/// A past session as a line of a prompt: its date and its summary.
pub(crate) fn session_line(hit: &Hit) -> String {
    let date = hit.when.map(Timestamp::date).unwrap_or_default();
    format!("- {}\n", safe::model(format!("{date} {}", hit.text).trim()))
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
pub(super) const ALIKE: f64 = 0.8;
