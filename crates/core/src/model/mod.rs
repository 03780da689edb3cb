//! The basic types of the program. No I/O, no clock, no environment.

pub mod category;
pub mod entry;
pub mod event;
pub mod hash;
pub mod mirror;
pub mod names;
pub mod operation;
pub mod questions;
pub mod rules;
pub mod shares;
pub mod time;
