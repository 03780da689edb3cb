//! Derived data in the cache directory. Deleting or damaging it costs time but changes no result.
//!
//! Installed models are stored there too. They can be installed again; without them, the built-in
//! table and keywords are used.

pub mod build;
pub mod bytes;
pub mod cache;
pub mod container;
pub mod corpus;
pub mod manifest;
pub mod postings;
pub mod recent;
pub mod strengths;
pub mod vector_files;
pub mod vectors;
