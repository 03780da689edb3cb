//! The end of a turn: memories that the answer used are reinforced, so that they do not fade. The end
//! of a session: a handoff before its context is compacted, a summary and a dream.

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
    search::learned_questions,
    session::summaries,
    usage::record::{RecordKindOf, Response},
};
use pimem_engine::{
    error::Failure,
    memory::{
        self,
        dream::run,
        handoff::{self, Leave},
        sessions::{self, Named},
    },
    store::{
        Store,
        dream_schedule::PastSession,
        hook_ledger::{self, KnownSession, LedgerNote},
    },
};

use super::call::{Call, hash};
use crate::agents::{CompactionReply, hook_input::Trigger};

/// Writes a handoff, which the session gets back when it continues. A store that nobody on this
/// machine has reviewed is not changed.
pub(crate) fn hand_off(call: &Call<'_>) -> Result<(), Failure> {
    // Where every call of the model is announced as a compaction, most are none.
    let is_told = call.agent.record().compaction != CompactionReply::InTranscript;
    if !is_told && call.input.trigger == Trigger::Auto {
        return Ok(());
    }
    let Some(home) = call.home().filter(|home| home.trust.is_begun()) else { return Ok(()) };
    let leave = Leave { session: call.session_id(), git: false, unasked: true };
    if let Some((_, text)) = handoff::write(&call.ctx.memory, home, &call.stores, &leave)? {
        call.note(&[LedgerNote::HandedOff { text: hash(&text) }]);
    }
    Ok(())
}

/// Queues the session for the next dream and stores its summary, made from the transcript or, if
/// that is unreadable, from the prompts in the ledger.
pub(crate) fn index(call: &Call<'_>) -> Result<(), Failure> {
    // In a sub-agent's transcript, the user is a model.
    if call.input.speaker.is_sub_agent() {
        return Ok(());
    }
    if let (Some(home), Some(path)) = (call.home(), call.transcript()) {
        let ended =
            PastSession::new(call.session_id(), call.agent.name(), path, call.ctx.memory.now);
        home.note_session(&ended)?;
        dream(call, home)?;
    }
    let id = call.session_id();
    let named = Named { agent: Some(call.agent.name()), session: id.as_deref() };
    let of_transcript = |path: std::path::PathBuf| {
        sessions::from_transcript(&call.ctx.memory, named, &path).ok().flatten()
    };
    let summary = call.transcript().and_then(of_transcript);
    keep(call, summary.or_else(|| of_ledger(call, named, call.known())))?;
    call.note(&[LedgerNote::Indexed]);
    Ok(())
}

/// Stores a summary at the end of a turn, for agents that do not tell the end of a session.
pub(crate) fn index_unended(call: &Call<'_>) -> Result<(), Failure> {
    let known = call.known();
    if call.agent.record().tells_end || known.indexed || !call.has_session() {
        return Ok(());
    }
    let id = call.session_id();
    let named = Named { agent: Some(call.agent.name()), session: id.as_deref() };
    let summary = of_ledger(call, named, known);
    if summary.is_some() {
        keep(call, summary)?;
        call.note(&[LedgerNote::Indexed]);
    }
    Ok(())
}

/// Returns the summary made from the prompts in a ledger.
fn of_ledger(
    call: &Call<'_>,
    named: Named<'_>,
    known: &KnownSession,
) -> Option<summaries::Summary> {
    sessions::of_notes(&call.ctx.memory, named, known.said.iter().map(String::as_str))
}

/// Stores the summary of a context that was compacted.
pub(crate) fn index_compaction(call: &Call<'_>) -> Result<(), Failure> {
    if call.input.speaker.is_sub_agent() {
        return Ok(());
    }
    let (Some(text), Some(id)) = (&call.input.summary, call.session_id()) else { return Ok(()) };
    let summary = sessions::of_compaction(&call.ctx.memory, call.agent.name(), &id, text);
    keep(call, summary)
}

/// Stores summaries of sessions that ended without an event, and deletes their ledgers.
pub(crate) fn sweep(call: &Call<'_>) -> Result<(), Failure> {
    let Some(home) = call.home() else { return Ok(()) };
    let mut ended = false;
    for (ledger, known) in hook_ledger::over(home, call.ctx.memory.real_now) {
        if let (Some((id, agent)), false) = (&known.whose, known.indexed) {
            if let Some(path) = &known.transcript {
                let id = Some(id.clone());
                home.note_session(&PastSession::new(id, agent, path.clone(), call.ctx.memory.now))?;
                ended = true;
            }
            let named = Named { agent: Some(agent), session: Some(id) };
            keep(call, of_ledger(call, named, &known))?;
        }
        hook_ledger::remove(&ledger);
    }
    if ended { dream(call, home) } else { Ok(()) }
}

/// Starts a dream in the background if dreams are enabled and one is due. A store that nobody on
/// this machine has reviewed is not changed.
fn dream(call: &Call<'_>, home: &Store) -> Result<(), Failure> {
    let config = &call.ctx.memory.config;
    if !config.settings.dream.enabled || !home.trust.is_begun() {
        return Ok(());
    }
    let llm = config.settings.dream.llm.then_some("--llm");
    run::start(&call.ctx.memory, home, llm.as_slice()).map(drop)
}

fn keep(call: &Call<'_>, summary: Option<summaries::Summary>) -> Result<(), Failure> {
    match (call.home(), summary) {
        (Some(home), Some(summary)) => sessions::index(home, &summary).map(drop),
        _ => Ok(()),
    }
}

/// Records which of the session's memories the answer used, and reinforces them. Each counts once
/// per session.
pub(crate) fn weigh(call: &Call<'_>) -> Result<(), Failure> {
    let known = call.known();
    let waiting: Vec<EntryId> =
        known.injected.iter().filter(|id| !known.used.contains(id)).copied().collect();
    let found = found(call);
    let Some(response) = call.response().filter(|_| !(found.is_empty() && waiting.is_empty()))
    else {
        return Ok(());
    };
    let mut response = Response::new(&response);
    let texts = texts(call);
    if !found.is_empty() && !response.is_short() {
        learn_questions(call, &found, &texts, &mut response);
    }
    let mut used = waiting.clone();
    used.retain(|id| text_of(&texts, *id).is_some_and(|text| response.uses(text)));
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

/// Returns the entries that were recalled or searched for in the turn, if its questions may be learned.
fn found(call: &Call<'_>) -> IdSet<EntryId> {
    let known = call.known();
    let (Some(since), false) = (known.asked_at, known.asked.is_empty()) else {
        return IdSet::default();
    };
    let (learning, session) = (call.ctx.memory.learning(), call.session_id());
    let searched = |store| learning.searched_since(store, since, session.as_deref());
    call.stores.iter().flat_map(searched).chain(known.recalled.iter().copied()).collect()
}

/// Learns that the prompt asked for those of the entries found that the answer used, and that it did not
/// ask for what was recalled in vain.
fn learn_questions(
    call: &Call<'_>,
    found: &IdSet<EntryId>,
    texts: &[IdMap<EntryId, String>],
    response: &mut Response,
) {
    let (known, now) = (call.known(), call.ctx.memory.now.0);
    let mut judge = |id: EntryId| {
        let text = text_of(texts, id)?;
        let is_used = response.uses(text);
        let question = learned_questions::best(&known.asked, text).filter(|_| is_used);
        let is_vain = !is_used && known.recalled.contains(&id);
        (question.is_some() || is_vain).then_some((id, question))
    };
    let judged: Vec<_> = found.iter().filter_map(|id| judge(*id)).collect();
    for (store, here) in call.stores.iter().zip(texts) {
        call.ctx.memory.learning().change_questions(store, |all| {
            let mut changed = false;
            for (id, question) in judged.iter().filter(|(id, _)| here.contains_key(id)) {
                changed |= match question {
                    Some(question) => all.used(*id, question, now),
                    None => all.missed(*id, &known.asked),
                };
            }
            changed
        });
    }
    call.note(&[LedgerNote::Asked { at: now.to_string(), questions: Vec::new() }]);
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

fn text_of(texts: &[IdMap<EntryId, String>], id: EntryId) -> Option<&str> {
    texts.iter().find_map(|here| here.get(&id)).map(String::as_str)
}

/// Returns the texts of the entries of each store.
fn texts(call: &Call<'_>) -> Vec<IdMap<EntryId, String>> {
    let categories = &call.ctx.memory.config.categories;
    let of = |store: &Store| {
        let placed = store.read_topics(categories).placed(store, categories);
        placed.into_iter().map(|entry| (entry.id, entry.text)).collect()
    };
    call.stores.iter().map(of).collect()
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
    prove(call, store, used, None)
}

/// Records that guards of an entry held, and reinforces it unless it was reinforced recently.
pub(super) fn held(call: &Call<'_>, store: &Store, id: EntryId) -> Result<(), Failure> {
    prove(call, store, &IdSet::from_iter([id]), Some(&EventKind::Held))
}

/// Records what happened to entries, if it is named, and reinforces those that are due.
fn prove(
    call: &Call<'_>,
    store: &Store,
    ids: &IdSet<EntryId>,
    what: Option<&EventKind>,
) -> Result<(), Failure> {
    let ctx = call.ctx;
    let lock = memory::lock(&ctx.memory, store)?;
    let mut txn = store.begin(&lock, &ctx.memory.config.categories, ctx.memory.now, call.who());
    if let Some(problem) = txn.snapshot().problems.first() {
        return Err(Failure::from(problem));
    }
    let placed = txn.snapshot().placed(store, &ctx.memory.config.categories);
    let ranking =
        Ranking::new(ctx.memory.now, ctx.memory.rules(), vec![(placed, &txn.snapshot().ledger)]);
    for row in ranking.rows.iter().filter(|row| ids.contains(&row.entry.id)) {
        if let Some(what) = what {
            txn.record(row.entry.id, what.clone())?;
        }
        if row.may_gain_unasked(ctx.memory.now) {
            txn.record(row.entry.id, EventKind::Reinforce(1))?;
        }
    }
    txn.commit()?;
    Ok(())
}
