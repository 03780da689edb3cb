//! How good a search is, on retrieval sets.

pub mod metrics;
pub mod run;
pub mod set;
