//! What all endpoints share: problems, limits, metrics, reading of requests.

pub mod app;
pub mod connections;
pub mod extract;
pub mod layers;
pub mod metrics;
pub mod problem;
