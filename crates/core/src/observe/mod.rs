//! Observations: extracts them from conversations, then condenses them over time.

pub mod document;
pub mod reflect;
pub mod rules;
pub mod summary;
