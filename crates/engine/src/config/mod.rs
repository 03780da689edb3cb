//! Settings: values in, values with their origin out. Only `env` touches the process.

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
