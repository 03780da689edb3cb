//! Evaluation of search on retrieval sets.

mod headings;
pub mod known_item;
pub mod metrics;
pub mod recalled;
pub mod run;
pub mod set;
