//! Standing and query to hits. Pure: the index only supplies postings.

pub mod bm25;
pub mod corpus;
pub mod duplicate;
pub mod evalset;
pub mod evaluate;
pub mod gate;
pub mod gist;
pub mod metrics;
pub mod rank;
pub mod replay;
pub mod sieve;
pub mod similar;
pub mod soft;
pub mod telemetry;
pub mod tokens;
pub mod usage;
