//! pimem: memory for coding agents.
//!
//! ```text
//! topics/*.md  ──text──▶ Entry ──┐
//! evidence.jsonl ─model──▶ Event ─┴─score(now)─▶ Standing ─┬─report(budget)─▶ Report ─▶ report, hook
//!                          │                               └─recall(query)──▶ Hits   ─▶ search, hook
//!                          │                                      ▲
//!                          └──▶ index: postings ──────────────────┤
//!                               embed(model): vectors ────────────┘ (cache, outside the repository)
//! ```
//!
//! Markdown says what is remembered, an append-only evidence log says how strongly, and everything
//! else is a cache that can be deleted. Modules in reading order; each uses only those above it
//! (`text` and `model` lean on each other, being the two sides of one format):
//!
//! * [`model`]: nouns. [`text`]: bytes and entries. [`score`]: entries and events to standing.
//! * [`embed`]: texts to vectors. [`recall`]: standing and query to hits, and how good these are.
//! * [`report`]: standing to a token-budgeted report.
//! * `config`: settings and where each comes from. [`exchange`]: memories in the formats of other
//!   programs. `plan`: what should change in a store, and why.
//! * `store`: the disk. `index`: derived data, and installed models with the process they run in.
//! * `llm`: language models, for those who configure one.
//! * `agents`: dialects of the agents whose hooks call us, as data.
//! * [`cli`]: the shell, one file a command.
//!
//! The core ([`model`] to `plan`) is pure: values and `now` in, values out. This library exists
//! for the binary, its tests and its fuzzers; its interface changes without notice.

pub mod agents;
pub mod cli;
pub(crate) mod config;
pub mod embed;
pub mod exchange;
pub(crate) mod index;
pub(crate) mod llm;
pub mod model;
pub(crate) mod plan;
pub mod recall;
pub mod report;
pub mod score;
pub(crate) mod store;
pub mod text;
