//! The endpoints.

pub mod again;
pub mod decay;
pub mod document;
pub mod health;
pub mod me;
pub mod memories;
pub mod projects;
pub mod router;
pub mod sync;
