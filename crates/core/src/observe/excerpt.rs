//! The excerpt of a message that summaries and observations keep.

use super::summary;
use crate::language::injection;

/// Returns the first sentence that the user typed, unless it is worded as an instruction to an
/// agent, because agents will read it later.
pub fn lead(message: &str) -> Option<String> {
    summary::lead(message).filter(|lead| is_harmless(lead))
}

/// Like [`lead`], for a message without secrets.
pub fn lead_of_clean(message: &str) -> Option<String> {
    summary::lead_of_clean(message).filter(|lead| is_harmless(lead))
}

fn is_harmless(lead: &str) -> bool {
    injection::find(lead).is_none()
}
