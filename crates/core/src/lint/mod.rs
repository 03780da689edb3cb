//! The linter: its rules, and their checks.

pub mod contradiction;
pub mod entries;
pub mod lines;
pub mod rule;
pub mod store;
