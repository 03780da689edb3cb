//! The program: arguments, terminal, hooks.
//!
//! * [`cli`]: the parser, and which command is run.
//! * `commands`: one file a command. `hook`: what agents call, one file an event.
//! * `memory`: the use cases behind commands and hooks.
//! * [`agents`]: dialects of the agents whose hooks call us, as data.
//!
//! What memories are is in `pimem_core`, and the disk, the index and models in `pimem_engine`.

pub mod agents;
mod chart;
pub mod cli;
mod commands;
mod exit;
mod globals;
mod hook;
mod input;
mod shell;
mod ui;
