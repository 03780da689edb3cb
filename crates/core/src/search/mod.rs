//! Search: ranks documents for a query. The index only supplies postings.

pub mod bm25;
pub mod candidates;
pub mod documents;
pub mod headings;
pub mod kinds;
pub mod near_words;
pub mod past_sessions;
pub mod rank;
pub mod social_gate;
pub mod stop_words;
pub mod tokens;
