//! The linter: its rules, and their checks.

pub mod contradiction;
pub mod entries;
pub mod lines;
mod no_entry;
pub mod rule;
pub mod store;
