//! A topic without room.

use std::fmt;

use super::transaction::TOPIC_CHARS;
use pimem_core::report::budget::thousands;

/// A topic has no room for what should go into it.
#[derive(Debug)]
pub struct TopicFull {
    /// Its name without `.md`.
    pub stem: String,
    /// The category of what should go into it.
    pub(super) category: String,
    /// How many characters it would have.
    pub(super) chars: usize,
}

impl fmt::Display for TopicFull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { stem, category, chars } = self;
        let (chars, limit) = (thousands(*chars), thousands(TOPIC_CHARS));
        write!(
            f,
            "Topic \"{stem}\" would exceed its size limit ({chars}/{limit} chars). Consolidate or \
             remove entries first (pimem list -c {category}; pimem forget ID), or use --topic."
        )
    }
}

impl std::error::Error for TopicFull {}
