//! The endpoints.

pub mod again;
pub mod decay;
pub mod memories;
pub mod operation;
pub mod router;
pub mod sync;
