//! The shell: parse, read a snapshot, call the pure core, render. One file a command.

mod add;
mod awaiting;
mod chart;
mod check;
mod config_cmd;
mod config_files;
mod context;
mod curate;
mod detached;
mod diff;
mod doctor;
mod dream_detached;
