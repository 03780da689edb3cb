//! Bytes to entries and back. Pure, lossless, and never failing: what is not understood is kept.

pub mod checklist;
pub mod entry_line;
pub mod handoff;
pub mod lines;
pub mod memo;
pub mod merge;
pub mod passages;
pub mod patch;
pub mod topic;
