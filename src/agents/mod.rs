//! Dialects of agents, as data: what their hooks say, what they may be answered, and where they
//! are told of us. Pure.

pub(crate) mod spec;
