//! Installed embedding models and the ONNX Runtime: how they come, whether they are whole, and the process
//! in which one runs.

#[cfg(not(feature = "fastembed"))]
mod absent;
#[cfg(feature = "fastembed")]
pub mod download;
#[cfg(feature = "fastembed")]
pub mod fastembed;
pub mod install;
pub mod installed;
pub mod onnx;
pub mod runtime;
pub mod staging;
pub mod tokenizer;
pub mod worker;

#[cfg(not(feature = "fastembed"))]
pub use absent::{download, fastembed};
