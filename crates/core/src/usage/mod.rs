//! Telemetry: what was put into prompts, and what of it was used.

pub mod record;
pub mod replay;
pub mod sums;
pub mod used;
