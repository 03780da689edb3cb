//! The linter: its rules, and the checks behind them.

pub mod contradiction;
pub mod entries;
pub mod lines;
pub mod rule;
pub mod store;
