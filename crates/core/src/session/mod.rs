//! Transcripts of agents, and what is kept of past sessions.

pub mod summaries;
pub mod transcript;
