//! Push and pull: entries and events of one project, each kept once, in one order.

pub mod pull;
pub mod push;
