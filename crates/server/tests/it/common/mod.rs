//! Helpers that the test modules share.

pub(crate) mod canaries;
pub(crate) mod http;
pub(crate) mod objects;
pub(crate) mod pg;
pub(crate) mod server;
pub(crate) mod tenants;
