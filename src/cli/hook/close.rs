//! What a session leaves behind: a handoff before its context is compacted, a summary at its end.

use super::call::Call;
use crate::{
    cli::{
        error::Failure,
        handoff,
        sessions::{self, Named},
    },
    store::session::{self, Note},
    text,
};

/// Writes a handoff, which the session gets back when it goes on.
pub(super) fn hand_off(call: &Call<'_>) -> Result<(), Failure> {
    let Some(home) = call.home() else { return Ok(()) };
    let id = call.session_id();
    handoff::write(call.ctx, home, &call.stores, id, false).map(drop)
}

/// Keeps a summary of the session: by its transcript, or where that cannot be read by what the hooks
/// heard.
pub(super) fn index(call: &Call<'_>) -> Result<(), Failure> {
    let id = call.session_id();
    let named = Named { agent: Some(call.agent.name()), session: id.as_deref() };
    let of_transcript =
        |path: std::path::PathBuf| sessions::from_transcript(call.ctx, named, &path).ok().flatten();
    let of_ledger = || {
        let said = call.known().said.iter().map(String::as_str);
        sessions::of_prompts(call.ctx, named, said)
    };
    let summary = call.transcript().and_then(of_transcript).or_else(of_ledger);
    keep(call, summary)?;
    call.note(&[Note::Indexed]);
    Ok(())
}

/// Keeps summaries of sessions that ended without saying so, and deletes their ledgers.
pub(super) fn sweep(call: &Call<'_>) -> Result<(), Failure> {
    let Some(home) = call.home() else { return Ok(()) };
    for (ledger, known) in session::over(home, call.ctx.real_now) {
        if let (Some((id, agent)), false) = (&known.whose, known.indexed) {
            let named = Named { agent: Some(agent), session: Some(id) };
            let said = known.said.iter().map(String::as_str);
            keep(call, sessions::of_prompts(call.ctx, named, said))?;
        }
        session::remove(&ledger);
    }
    Ok(())
}

fn keep(call: &Call<'_>, summary: Option<text::sessions::Summary>) -> Result<(), Failure> {
    match (call.home(), summary) {
        (Some(home), Some(summary)) => sessions::index(home, &summary).map(drop),
        _ => Ok(()),
    }
}
