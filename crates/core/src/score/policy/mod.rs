//! Scoring policies besides stability: what a score is computed from.

pub mod ebbinghaus;
pub mod weighted;
