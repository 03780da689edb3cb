//! What a message is remembered by, in summaries of sessions and in observations.

use super::summary;
use crate::language::injection;

/// The first sentence that its user typed, unless it is worded as an order to an agent: what is
/// remembered is read by agents later.
pub fn lead(message: &str) -> Option<String> {
    summary::lead(message).filter(|lead| is_harmless(lead))
}

/// The same of a message without secrets.
pub fn lead_of_clean(message: &str) -> Option<String> {
    summary::lead_of_clean(message).filter(|lead| is_harmless(lead))
}

fn is_harmless(lead: &str) -> bool {
    injection::find(lead).is_none()
}
