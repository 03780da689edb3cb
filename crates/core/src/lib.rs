//! The core of pimem: values and `now` in, values out. No file, clock, environment or terminal.
//!
//! Folders in reading order; each uses only those above it.
//!
//! * [`model`]: entries, events, categories, time.
//! * [`safety`]: what may be stored, printed or put into a prompt.
//! * [`markdown`]: the bytes of a store's files, as values, and edits that leave the rest alone.
//! * [`language`]: what sentences state, and whether two say the same.
//! * [`session`]: transcripts of agents and summaries of past sessions.
//! * [`score`]: entries and events to standing.
//! * [`embed`]: texts to vectors. [`search`]: candidates and their order.
//! * [`report`]: standing to a report within a budget of tokens.
//! * [`observe`]: conversations to observations. [`dream`]: what should change in a store, and why.
//! * [`lint`]: what is wrong with a store. [`exchange`]: formats of other programs.
//! * [`usage`]: what was put into prompts and used. [`eval`]: how good a search is.

pub mod dream;
pub mod embed;
pub mod eval;
pub mod exchange;
pub mod language;
pub mod lint;
pub mod markdown;
pub mod model;
pub mod observe;
pub mod report;
pub mod safety;
pub mod score;
pub mod search;
pub mod session;
pub mod usage;
pub mod view;
