//! Derived data, in the cache directory: deleting or damaging it costs time, never an answer.
//!
//! Installed models are kept there too: they can be installed again, and without them the built-in
//! table and keywords serve.

#[cfg(not(feature = "fastembed"))]
mod absent;
pub(crate) mod build;
pub(crate) mod bytes;
pub(crate) mod corpus;
#[cfg(feature = "fastembed")]
pub(crate) mod download;
#[cfg(feature = "fastembed")]
pub(crate) mod fastembed;
pub(crate) mod folded;
pub(crate) mod install;
pub(crate) mod lexical;
pub(crate) mod manifest;
pub(crate) mod models;
mod onnx;
pub(crate) mod packed;
pub(crate) mod runtime;
pub(crate) mod stage;
mod tokenizer;
pub(crate) mod vectors;
pub(crate) mod worker;

#[cfg(not(feature = "fastembed"))]
pub(crate) use absent::{download, fastembed};
