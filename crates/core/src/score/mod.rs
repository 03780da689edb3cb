//! Scoring: the standing of each entry, computed from entries and events without side effects.

pub mod access;
pub mod adopt;
pub mod caps;
pub mod clock;
pub mod evidence;
pub mod forecast;
pub mod ledger;
#[cfg(test)]
mod oracle;
pub mod policy;
pub mod ranking;
pub mod stability;
