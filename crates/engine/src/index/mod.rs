//! Derived data, in the cache directory: deleting or damaging it costs time, never an answer.
//!
//! Installed models are kept there too: they can be installed again, and without them the built-in
//! table and keywords serve.

pub mod build;
pub mod bytes;
pub mod container;
pub mod corpus;
pub mod manifest;
pub mod postings;
pub mod strengths;
pub mod vectors;
