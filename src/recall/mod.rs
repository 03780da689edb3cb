//! Standing and query to hits. Pure: the index only supplies postings.

pub mod bm25;
pub mod corpus;
pub mod duplicate;
pub mod gate;
pub mod rank;
pub mod similar;
pub mod tokens;
