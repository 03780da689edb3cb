//! The endpoints.

pub mod again;
pub mod decay;
pub mod memories;
pub mod router;
pub mod sync;
