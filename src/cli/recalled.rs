//! What a prompt brings to mind, besides what a report says anyway.

use std::cell::LazyCell;

use super::{
    context::Context,
    find::{Found, Hit, find_each},
    wanted::Wanted,
};
use crate::{
    model::{entry::EntryId, hash::IdSet, time::Timestamp},
    plan::instruction,
    recall::{
        bm25::Query,
        corpus::{self, SourceKind},
        similar::Sketch,
    },
    score::board::Board,
    store::vault::{self, Store},
    text::safe,
};

/// Past sessions that a prompt brings to mind.
const SESSIONS: usize = 3;
/// Summaries that are read beyond those shown. They are long, and the first look ranks them well.
const READ: usize = 8;
/// Summaries that are looked past because they were shown before, at most.
const PASSED: usize = 16;

/// What a prompt brings to mind: entries but for some, and past sessions, more of them when some
/// were shown before. One search finds both. Whether entries still hold is the caller's to ask.
pub(crate) fn search(
    ctx: &Context,
    stores: &[Store],
    prompt: &str,
    except: &IdSet<EntryId>,
    shown: usize,
) -> (Found, Vec<Hit>) {
    let query = Query::from_prompt(prompt);
    let entries = Wanted {
        except: Some(except),
        ..Wanted::recall(ctx, &query, limit(ctx).saturating_mul(2), &[SourceKind::Topic])
    };
    let more = SESSIONS + shown.min(PASSED);
    let sessions = Wanted {
        pool: Some(READ + more),
        ..Wanted::recall(ctx, &query, more, &[SourceKind::Session])
    };
    // Most stores have none.
    let has_some = |store: &Store| store.place(vault::SESSIONS).1.is_file();
    let found = if stores.iter().any(has_some) {
        find_each(ctx, stores, &[entries, sessions])
    } else {
        find_each(ctx, stores, &[entries])
    };
    let mut found = found.into_iter();
    let entries = found.next().unwrap_or_default();
    (entries, found.next().map(|sessions| sessions.hits).unwrap_or_default())
}

/// The first past sessions of some hits, but for those that were shown before and those that are worded
/// as orders to an agent, as an earlier version may have kept them.
pub(crate) fn sessions(hits: Vec<Hit>, known: impl Fn(&str) -> bool) -> Vec<Hit> {
    let fits = |hit: &Hit| !known(&hit.text) && !orders(hit);
    hits.into_iter().filter(fits).take(SESSIONS).collect()
}

/// Whether a past session is worded as an order to an agent.
pub(crate) fn orders(hit: &Hit) -> bool {
    hit.kind == SourceKind::Session && instruction::find(&hit.text).is_some()
}

/// How many entries are recalled.
pub(crate) fn limit(ctx: &Context) -> usize {
    usize::try_from(ctx.config.whole("recall.limit")).unwrap_or(usize::MAX)
}

/// Those of some hits that hold by a board.
pub(crate) fn on_board(board: &Board, hits: Vec<Hit>, limit: usize) -> Vec<Hit> {
    let holds = |hit: &Hit| {
        let row = hit.entry.and_then(|id| board.get(id));
        row.is_some_and(|row| {
            // The text of a hit is that of some line; of the entry, the board knows what was reviewed.
            let same = row.entry.text == hit.text;
            same && !row.expired && row.superseded_by.is_none()
        })
    };
    distinct(hits.into_iter().filter(holds), limit)
}

/// Those of some hits that still hold, at most `limit`, without near repetitions. Unlike
/// [`on_board`] it needs no board, which would take longer to make than the search takes.
pub(crate) fn alive(ctx: &Context, stores: &[Store], hits: Vec<Hit>, limit: usize) -> Vec<Hit> {
    let holds = hold(ctx, stores, &hits);
    let entries = hits.into_iter().zip(holds).filter(|(hit, holds)| hit.entry.is_some() && *holds);
    distinct(entries.map(|(hit, _)| hit), limit)
}

/// For each of some hits, whether it still holds. What is no entry does.
pub(crate) fn hold(ctx: &Context, stores: &[Store], hits: &[Hit]) -> Vec<bool> {
    let ids: IdSet<EntryId> = hits.iter().filter_map(|hit| hit.entry).collect();
    let mut ledgers = Vec::new();
    for store in stores.iter().filter(|_| !ids.is_empty()) {
        let of = |scope| hits.iter().filter(move |hit| hit.scope == scope);
        let here = of(store.scope).filter_map(|hit| hit.entry).collect();
        let known = store.evidence_of(ctx.now, &here);
        let ledger = known.unwrap_or_else(|| store.read(ctx.now, &ctx.config.categories).ledger);
        ledgers.push((store.scope, ledger));
    }
    // What replaced an entry may be gone itself, which only the whole store can tell.
    let board = LazyCell::new(|| ctx.board(stores).0);
    let replaced = |id| board.get(id).is_none_or(|row| row.superseded_by.is_some());
    let holds = |hit: &Hit| {
        let ledger =
            ledgers.iter().find(|(scope, _)| *scope == hit.scope).map(|(_, ledger)| ledger);
        let Some(id) = hit.entry else { return true };
        let evidence = ledger.and_then(|ledger| ledger.evidence(ctx.now, id));
        evidence.is_some_and(|evidence| {
            evidence.until.is_none_or(|until| until >= ctx.now.0)
                && (evidence.superseded_by.is_empty() || !replaced(id))
        })
    };
    hits.iter().map(holds).collect()
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

/// A past session: its date and its summary.
pub(crate) fn session(hit: &Hit) -> String {
    let date = hit.when.map(Timestamp::date).unwrap_or_default();
    format!("{date} {}", hit.text).trim().to_owned()
}

/// What was recalled, as it stands in a prompt.
pub(crate) fn text(ctx: &Context, entries: &[Hit], sessions: &[Hit]) -> String {
    let mut text = String::new();
    if !entries.is_empty() {
        text.push_str("# Contextually Relevant Memories\n\n");
        text.extend(entries.iter().map(|hit| line(ctx, hit)));
    }
    if !sessions.is_empty() {
        text.push_str(if text.is_empty() { "" } else { "\n" });
        text.push_str("# Relevant Past Sessions\n\n");
        text.extend(sessions.iter().map(|hit| format!("- {}\n", safe::model(&session(hit)))));
    }
    text
}

/// Two recalled entries that share this much of their words are shown once.
pub(super) const ALIKE: f64 = 0.8;
