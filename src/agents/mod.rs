//! Dialects of agents, as data: what their hooks say, what they may be answered, and where they
//! are told of us. Pure.

pub(crate) mod reply;
pub(crate) mod spec;
pub(crate) mod wire;
