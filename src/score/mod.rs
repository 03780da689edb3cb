//! Entries and events to standing: how strongly each memory is held. Pure.

pub mod adopt;
pub mod board;
pub mod caps;
pub mod evidence;
pub mod forecast;
pub mod ledger;
pub mod stability;
