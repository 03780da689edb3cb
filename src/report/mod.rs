//! Standing to tokens: the situation report. Pure.

pub mod budget;
pub mod difference;
pub mod explain;
pub mod lasting;
pub mod newer;
pub mod outlook;
pub mod render;
pub mod select;
pub mod working;
