//! The program: arguments, terminal, hooks.
//!
//! * [`cli`]: the parser and the dispatch to commands.
//! * `commands`: one file per command. `hook`: the hooks of agents, one file per event.
//! * `complete`: the answer to the shell's Tab key.
//! * [`agents`]: dialects of the agents that call our hooks, as data.
//!
//! The data model is in `pimem_core`; the use cases, the disk, the index and the models are in
//! `pimem_engine`.

pub mod agents;
mod chart;
pub mod cli;
mod commands;
mod complete;
mod exit;
mod globals;
mod help;
mod hook;
mod input;
mod mcp;
mod shell;
mod ui;
mod usage;
