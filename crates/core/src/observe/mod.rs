//! Conversations to observations, and observations to fewer of them.

pub mod document;
pub mod excerpt;
pub mod reflect;
pub mod rules;
pub mod summary;
