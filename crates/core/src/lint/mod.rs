//! What is wrong with a store, by rules.

pub mod contradiction;
pub mod entries;
pub mod lines;
pub mod rule;
pub mod store;
