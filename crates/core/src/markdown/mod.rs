//! Markdown files: a pure, lossless parser that never fails. Unknown syntax is preserved.

pub mod asides;
pub mod checklist;
pub mod handoff;
pub mod merge;
pub mod passages;
pub mod patch;
pub mod topic;
