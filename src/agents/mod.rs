//! Dialects of agents as data: input of their hooks, permitted answers, and installation. Pure.

pub(crate) mod codex_trust;
mod graft;
pub(crate) mod install;
pub(crate) mod plugin;
pub(crate) mod reply;
pub(crate) mod sample;
pub(crate) mod settings;
#[cfg(test)]
mod settings_tests;
pub mod shape;
pub(crate) mod speaker;
pub(crate) mod spec;
pub(crate) mod wire;
