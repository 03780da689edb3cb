//! A topic without room.

use super::transaction::TOPIC_CHARS;
use pimem_core::report::budget::thousands;

/// A topic has no room for what should go into it.
#[derive(Debug, thiserror::Error)]
#[error(
    "Topic \"{stem}\" would exceed its size limit ({}/{} chars). Consolidate or remove entries first \
     (pimem list -c {category}; pimem forget ID), or use --topic.",
    thousands(*.chars), thousands(TOPIC_CHARS)
)]
pub struct TopicFull {
    /// Its name without `.md`.
    pub stem: String,
    /// The category of what should go into it.
    pub(super) category: String,
    /// How many characters it would have.
    pub(super) chars: usize,
}
