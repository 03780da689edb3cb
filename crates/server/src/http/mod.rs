//! What all endpoints share: problems, limits, metrics, reading of requests.

pub mod connections;
pub mod layers;
pub mod problem;
