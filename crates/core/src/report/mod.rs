//! Standing to tokens: the situation report. Pure.

pub mod budget;
pub mod diff;
pub mod explain;
pub mod lasting;
pub mod outlook;
pub mod render;
pub mod replaced;
pub mod select;
pub mod working;
