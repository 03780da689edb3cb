//! The basic types of the program. No I/O, no clock, no environment.

pub mod calendar;
pub mod category;
pub mod entry;
pub mod event;
mod event_line;
pub mod hash;
pub mod hex;
pub mod mirror;
mod named;
pub mod share;
pub mod spelling;
pub mod time;
pub mod ulid;
