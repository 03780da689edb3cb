//! Derived data, in the cache directory: deleting or damaging it costs time, never an answer.

pub(crate) mod build;
pub(crate) mod bytes;
pub(crate) mod corpus;
pub(crate) mod folded;
pub(crate) mod lexical;
pub(crate) mod manifest;
pub(crate) mod packed;
pub(crate) mod vectors;
