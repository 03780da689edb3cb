//! Bytes to entries and back. Pure, lossless, and never failing: what is not understood is kept.

pub mod checklist;
pub mod handoff;
pub mod line;
pub mod lines;
pub mod memo;
pub mod merge;
pub mod notes;
pub mod observation;
pub(crate) mod pasted;
pub mod preference;
pub mod safe;
pub mod secret;
pub mod sessions;
pub mod statement;
pub mod summary;
mod tags;
pub mod topic;
pub mod transcript;
