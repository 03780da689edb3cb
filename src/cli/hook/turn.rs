//! The agent has answered: which memories it used.

use super::call::Call;
use crate::cli::error::Failure;

/// Notes which of the session's memories the answer used, and reinforces them.
pub(super) fn weigh(_call: &Call<'_>) -> Result<(), Failure> {
    Ok(())
}
