//! Entries and events to standing: how strongly each memory is held. Pure.

pub mod adopt;
pub mod archive;
pub mod caps;
pub mod clock;
pub mod copies;
pub mod evidence;
pub mod forecast;
pub mod ledger;
mod lineage;
#[cfg(test)]
mod oracle;
pub mod ranking;
pub mod rivals;
pub mod stability;
