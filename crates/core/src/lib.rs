//! The core of pimem: values and `now` in, values out. No file, clock, environment or terminal.
//!
//! Folders in reading order; each uses only those above it.
//!
//! * [`model`]: entries, events, categories, time.
//! * [`seal`]: encrypted lines, logs and files.
//! * [`markdown`]: parsers of a store's files, and edits that leave all other bytes alone.
//! * [`safety`]: validation and escaping of text.
//! * [`gate`]: what may leave a store.
//! * [`session`]: transcripts of agents and summaries of past sessions.
//! * [`language`]: rules that read sentences.
//! * [`embed`]: texts to vectors. [`score`]: entries and events to standing.
//! * [`search`]: candidates and their order. [`report`]: a report within a budget of tokens.
//! * [`usage`]: telemetry. [`observe`]: conversations to observations.
//! * [`lint`]: the linter. [`dream`]: changes to a store, with their reasons.
//! * [`exchange`]: formats of other programs. [`sync`]: what stores exchange.
//! * [`eval`]: the quality of a search.

pub mod dream;
pub mod embed;
pub mod eval;
pub mod exchange;
pub mod gate;
pub mod guard;
pub mod language;
pub mod lint;
pub mod markdown;
pub mod model;
pub mod observe;
pub mod report;
pub mod review;
pub mod safety;
pub mod score;
pub mod seal;
pub mod search;
pub mod session {
    //! Sessions of agents: parses their transcripts, and stores summaries of past ones.

    pub mod summaries;
    pub mod transcript;
}
pub mod sync;
pub mod usage;

/// Returns the factor by which long tests are lengthened.
#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "heavy runs are asked for by the environment")]
fn scale() -> u32 {
    std::env::var("PIMEM_TEST_SCALE").ok().and_then(|scale| scale.parse().ok()).unwrap_or(1)
}
