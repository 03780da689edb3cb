//! The end of a turn: reinforces the memories that the answer used, so that they do not fade.

use pimem_core::{
    model::{
        entry::EntryId,
        event::EventKind,
        hash::{IdMap, IdSet},
    },
    score::{
        ledger::Ledger,
        ranking::{self, Ranking},
    },
    usage::record::{RecordKindOf, Response},
};
use pimem_engine::{
    error::Failure,
    memory,
    store::{Store, hook_ledger::LedgerNote},
};

use super::call::Call;

/// Records which of the session's memories the answer used, and reinforces them. Each counts once
/// per session.
pub(crate) fn weigh(call: &Call<'_>) -> Result<(), Failure> {
    let known = call.known();
    let waiting: Vec<EntryId> =
        known.injected.iter().filter(|id| !known.used.contains(id)).copied().collect();
    let Some(response) = call.response().filter(|_| !waiting.is_empty()) else { return Ok(()) };
    let mut response = Response::new(&response);
    let texts = texts(call);
    let mut used = waiting.clone();
    used.retain(|id| texts.get(id).is_some_and(|text| response.uses(text)));
    // Nothing to record: no new use, and no memory put into a prompt since the last answer.
    if used.is_empty() && known.weighed == known.injected.len() {
        return Ok(());
    }
    let names = |ids: &[EntryId]| ids.iter().map(ToString::to_string).collect::<Vec<_>>();
    call.note(&[LedgerNote::Used { entries: names(&used) }]);
    call.telemetry(vec![RecordKindOf::usage(names(&waiting), names(&used))]);
    let used = used.into_iter().collect();
    call.stores.iter().try_for_each(|store| reinforce(call, store, &used))
}

/// Learns from the last question and its answer, if that is switched on.
pub(crate) fn learn(call: &Call<'_>) -> Result<(), Failure> {
    if !call.ctx.memory.config.settings.learning.enabled {
        return Ok(());
    }
    let (Some(home), Some(question)) = (call.home(), call.known().said.last()) else {
        return Ok(());
    };
    let answer = call.response().unwrap_or_default();
    call.ctx.memory.writing().learn_pair(home, question, &answer, call.who())
}

fn texts(call: &Call<'_>) -> IdMap<EntryId, String> {
    let mut texts = IdMap::default();
    for store in &call.stores {
        let snapshot = store.read_topics(&call.ctx.memory.config.categories);
        let placed = snapshot.placed(store, &call.ctx.memory.config.categories);
        texts.extend(placed.into_iter().map(|entry| (entry.id, entry.text)));
    }
    texts
}

/// Reinforces those of the used entries that are in `store` and were not reinforced recently.
fn reinforce(call: &Call<'_>, store: &Store, used: &IdSet<EntryId>) -> Result<(), Failure> {
    let ctx = call.ctx;
    // Most answers use no entry that is due; then no lock is needed.
    let due = |ledger: &Ledger| {
        let mut evidence = used.iter().filter_map(|id| ledger.evidence(ctx.memory.now, *id));
        evidence.any(|evidence| ranking::rested(ctx.memory.now, &evidence))
    };
    if store.evidence_of(ctx.memory.now, used).is_some_and(|ledger| !due(&ledger)) {
        return Ok(());
    }
    let lock = memory::lock(&ctx.memory, store)?;
    let mut txn = store.begin(&lock, &ctx.memory.config.categories, ctx.memory.now, call.who());
    if let Some(problem) = txn.snapshot().problems.first() {
        return Err(Failure::from(problem));
    }
    let placed = txn.snapshot().placed(store, &ctx.memory.config.categories);
    let ranking =
        Ranking::new(ctx.memory.now, ctx.memory.rules(), vec![(placed, &txn.snapshot().ledger)]);
    for row in ranking.rows.iter().filter(|row| used.contains(&row.entry.id)) {
        if row.may_gain_unasked(ctx.memory.now) {
            txn.record(row.entry.id, EventKind::Reinforce(1))?;
        }
    }
    txn.commit()?;
    Ok(())
}
