//! The endpoints.

pub mod document;
pub mod health;
pub mod me;
pub mod projects;
pub mod router;
pub mod sync;
