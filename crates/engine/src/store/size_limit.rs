//! The size limit of a topic file.

use pimem_core::report::budget::thousands;

/// Maximum number of characters of a topic file.
pub const TOPIC_CHARS: usize = 12_000;

/// A change would make a topic exceed its size limit, beyond which it may not go on in another file.
#[derive(Debug, thiserror::Error)]
#[error(
    "Topic \"{stem}\" would exceed its size limit ({}/{} chars). Consolidate or remove entries first \
     (pimem list -c {category}; pimem forget ID), or use --topic.",
    thousands(*.chars), thousands(TOPIC_CHARS)
)]
pub struct TopicFull {
    /// Name of the topic file without `.md`.
    pub stem: String,
    /// Name of the category of the new line.
    pub(super) category: String,
    /// Number of characters that the topic would have.
    pub(super) chars: usize,
}

/// A line has no room in any topic.
#[derive(Debug, thiserror::Error)]
#[error(
    "the text has {} characters, and a topic file holds {}", thousands(*.0), thousands(TOPIC_CHARS)
)]
pub struct LineTooLong(pub(super) usize);
