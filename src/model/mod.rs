//! Nouns: what the rest of the program talks about. No I/O, no clock, no environment.

pub mod category;
pub mod entry;
pub mod event;
mod event_line;
pub mod hash;
pub mod hex;
pub mod local;
pub mod note;
pub mod telemetry;
pub mod time;
pub mod ulid;
pub mod words;
