//! What the program does: each file is a command.

pub mod admin;
pub mod carry;
pub mod keys;
pub mod serve;
