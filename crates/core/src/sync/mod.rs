//! The exchange of stores: entries and events as objects that travel, and what a store does with
//! those that it lacks.
//!
//! Entries and events are immutable and are identified by their content, so stores meet by taking
//! the union of both. Which file a line stands in follows from the events alone.

pub mod check;
pub mod exchange;
pub mod grave;
pub mod place;
pub mod sealed;
pub mod wire;

#[cfg(test)]
mod check_tests;
#[cfg(test)]
mod exchange_tests;
#[cfg(test)]
mod sealed_tests;
