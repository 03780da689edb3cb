//! Texts to vectors: models, the built-in table, and vectors themselves. Pure.

pub mod known;
pub mod model;
