//! Settings: values in, values with their origin out. Only `env` touches the process.

pub(crate) mod awaiting;
pub(crate) mod env;
pub(crate) mod layer;
pub(crate) mod locate;
pub(crate) mod schema;
mod services;
