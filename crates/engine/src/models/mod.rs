//! Embedding models: the transformer that is built in, installed models and the ONNX Runtime, their
//! installation and integrity checks, and the process that runs a model in ONNX.

#[cfg(not(feature = "fastembed"))]
mod absent;
pub mod bert;
pub mod built_in;
#[cfg(feature = "fastembed")]
pub mod download;
#[cfg(feature = "fastembed")]
pub mod fastembed;
pub mod install;
pub mod installed;
pub mod native;
pub mod onnx;
pub mod runtime;
pub mod safetensors;
pub mod staging;
pub mod worker;

#[cfg(not(feature = "fastembed"))]
pub use absent::{download, fastembed};
