//! Settings: values in, values with their origin out. Only `env` touches the process.

pub(crate) mod awaiting;
mod categories;
pub(crate) mod env;
mod file;
pub(crate) mod layer;
pub(crate) mod locate;
pub(crate) mod schema;
mod services;
pub(crate) mod unusable;
