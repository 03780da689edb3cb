//! Sessions of agents: parses their transcripts, and stores summaries of past ones.

pub mod summaries;
pub mod transcript;
