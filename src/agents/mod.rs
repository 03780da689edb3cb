//! Dialects of agents, as data: what their hooks say, what they may be answered, and where they
//! are told of us. Pure.

mod graft;
pub(crate) mod install;
pub(crate) mod reply;
pub(crate) mod sample;
pub(crate) mod scan;
pub(crate) mod settings;
#[cfg(test)]
mod settings_tests;
pub mod shape;
pub(crate) mod spec;
pub(crate) mod wire;
