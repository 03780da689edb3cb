//! Evaluation of search on retrieval sets.

pub mod metrics;
pub mod run;
pub mod set;
