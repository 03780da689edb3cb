//! Search: ranks documents for a query. The index only supplies postings.

pub mod bm25;
pub mod candidates;
pub mod documents;
pub mod learned_questions;
pub mod near_words;
pub mod parts;
pub mod rank;
pub mod social_gate;
pub mod tokens;
