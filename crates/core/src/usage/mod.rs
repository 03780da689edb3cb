//! Telemetry: records and evaluates which injected entries were used.

pub mod record;
pub mod sums;
