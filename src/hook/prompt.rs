//! The prompt hook: recalls memories for a prompt, and learns from it.

use super::{
    answer::{Answer, Shown},
    call::{Call, hash},
    start::{self, Extent},
};
use pimem_core::{
    language::preference::{self, Preference},
    score::ranking::Scope,
    search::social_gate,
};
use pimem_engine::{
    error::Failure,
    memory::{
        Effect,
        learn::{self, What},
        pending,
        recall::{self, Recalled},
    },
    store::hook_ledger::Note,
};

/// Minimum number of characters of a message that a summary may use.
const SAID: usize = 15;
/// Maximum number of preferences learned per session; pasted text may look like preferences.
const PREFERENCES: usize = 20;
/// Maximum number of messages kept per session for its summary.
const MESSAGES: usize = 40;

/// Returns the memories for a prompt that the session has not seen.
pub(crate) fn prompt(call: &Call<'_>) -> Answer {
    let mut answer = Answer::default();
    if !call.listens() {
        return answer;
    }
    // The first hook of a session brings the report, for agents without a hook at the start.
    if call.has_session() && !call.known().reported {
        answer = start::opening(call, Extent::Whole);
    }
    // Later requests within a turn have no new prompt.
    if call.input.invocation > 0 {
        return answer;
    }
    let prompt = call.input.prompt.as_deref().unwrap_or_default();
    if !social_gate::is_trivial(prompt) {
        let more = recall(call, prompt, &answer);
        answer.extend(more);
    }
    answer
}

/// Returns the recalled memories, except those in `beside`.
fn recall(call: &Call<'_>, prompt: &str, beside: &Answer) -> Answer {
    let (ctx, known) = (call.ctx, call.known());
    let mut except = known.seen.clone();
    except.extend(beside.entries().map(|shown| shown.id));
    let Recalled { entries, notes, sessions } =
        recall::search(ctx, &call.stores, prompt, &except, Some(known.texts.len()));
    let mut hits = recall::chosen(ctx, &call.stores, entries.hits);
    let mut answer = Answer { stale: entries.stale, ..Answer::default() };
    let is_known = |text: &str| known.texts.contains(&hash(text));
    let is_said = |line: &str| beside.passages().any(|text| text.contains(line));
    let notes = recall::notes(notes, &hits, |line| is_known(line) || is_said(line));
    let own = if sessions.is_empty() { Vec::new() } else { call.own_summaries() };
    let sessions =
        recall::sessions(sessions, |text| is_known(text) || own.iter().any(|own| own == text));
    hits.extend(ctx.recall_team(&call.stores, prompt, &except, &hits, &mut answer.stale));
    for recall::Line { text, hit } in recall::lines(ctx, &hits, &notes, &sessions) {
        answer.push(text, hit.map(Shown::from));
    }
    answer
}

/// Keeps the prompt for a summary, and learns preferences from it.
pub(crate) fn learn(call: &Call<'_>) -> Result<(), Failure> {
    let said = call.prompt();
    let usable = said.chars().count() >= SAID && !social_gate::is_trivial(said);
    if usable && call.known().said.len() < MESSAGES {
        call.note(&[Note::Said { text: call.said() }]);
    }
    let most = PREFERENCES.saturating_sub(call.known().learned);
    let (Some(prompt), Some(home)) = (&call.input.prompt, call.home()) else { return Ok(()) };
    if most == 0 || call.input.invocation > 0 {
        return Ok(());
    }
    let (waiting, typed): (Vec<Preference>, Vec<Preference>) =
        preference::find(prompt).into_iter().partition(|found| found.waits.is_some());
    // What holds for a project does not hold in all of them.
    let elsewhere = home.scope == Scope::User;
    let typed: Vec<Preference> =
        typed.into_iter().filter(|found| !(elsewhere && found.family.is_of_project())).collect();
    let mut learned = learn::take(call.ctx, home, &typed, most, call.who(), Effect::Write)?;
    let mut made = None;
    if !waiting.is_empty()
        && let Some((mut store, there)) = pending::place(call.ctx)
    {
        store.patience = home.patience;
        if !there {
            store.init()?;
        }
        learned.extend(pending::hold(call.ctx, &store, &waiting, most, call.who(), Effect::Write)?);
        made = Some(store).filter(|_| !there);
    }
    // The user need not be told what was just said.
    let news = |what: &What| !matches!(what, What::Recent | What::Known);
    let known = learned.iter().filter(|learned| news(&learned.what));
    let entries: Vec<String> =
        known.filter_map(|learned| learned.id).map(|id| id.to_string()).collect();
    if !entries.is_empty() {
        call.note(&[Note::Learned { entries }]);
    }
    // Later calls must find the session in this store.
    if let Some(store) = made {
        call.move_to(&store);
    }
    Ok(())
}
