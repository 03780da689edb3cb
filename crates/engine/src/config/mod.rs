//! Settings and the origin of each value. Only `env` accesses the process.

pub mod env;
pub mod layers;
pub mod schema;
pub mod settings;
pub mod settings_file;
