//! Settings and the origin of each value. Only `env` accesses the process.

pub mod aliases;
mod categories;
pub mod env;
mod file;
pub mod invalid;
pub mod language_models;
pub mod layers;
pub mod review;
pub mod schema;
pub mod settings;
mod spec;
