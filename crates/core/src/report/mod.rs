//! The situation report: selects and renders ranked entries within a token budget. Pure.

pub mod budget;
mod by_rank;
pub mod certain;
pub mod explain;
pub mod render;
pub mod replaced;
pub mod select;
pub mod shortlist;
pub mod team;
pub mod working;
