//! Texts to vectors: models, the built-in table, and vectors themselves. Pure.

pub mod model;
pub mod table;
pub mod vector;
pub mod wordpiece;
