//! The program: arguments, terminal, hooks.
//!
//! * [`cli`]: the parser and the dispatch to commands.
//! * `commands`: one file per command. `hook`: the hooks of agents, one file per event.
//! * `complete`: the answer to the shell's Tab key.
//! * `agents`: the agents that call our hooks, one record each.
//!
//! The data model is in `pimem_core`; the use cases, the disk, the index and the models are in
//! `pimem_engine`.

mod agents;
pub mod cli;
mod commands;
mod complete;
mod globals;
mod help;
mod hook;
mod mcp;
mod shell;
mod ui;
