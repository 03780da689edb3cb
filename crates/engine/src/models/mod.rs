//! Embedding models: the transformer that is built in, installed models and the ONNX Runtime, their
//! installation and integrity checks, and the process that runs a model in ONNX.

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

/// Replaces the file `fastembed.rs` in builds without the feature.
#[cfg(not(feature = "fastembed"))]
pub mod fastembed {
    use std::path::Path;

    use pimem_core::embed::catalog::{self, Known, Unavailable};

    /// True if the build supports ONNX models.
    pub const INCLUDED: bool = false;

    pub enum FastembedSession {}

    impl FastembedSession {
        pub fn embed(&mut self, _: &str) -> Result<Vec<f32>, Unavailable> {
            match *self {}
        }
    }

    /// Always fails.
    pub fn version(_: &Path) -> Result<Vec<f32>, Unavailable> {
        Err(absent())
    }

    /// Always fails.
    pub fn load(_: &Path, _: &Path) -> Result<FastembedSession, Unavailable> {
        Err(absent())
    }

    /// Returns the models of the documentation.
    pub fn supported() -> Vec<Known> {
        catalog::all()
    }

    fn absent() -> Unavailable {
        Unavailable("this build has no models but those built in".to_owned())
    }
}

/// Replaces the file `download.rs` in builds without the feature `fastembed`.
#[cfg(not(feature = "fastembed"))]
pub mod download {
    use std::path::Path;

    use crate::models::staging::{InstallError, ModelSource, OpenedSource};

    pub enum Hub {}

    impl Hub {
        /// Always fails.
        pub fn new(_: &str, _: Option<&str>, _: &str) -> Result<Self, InstallError> {
            let hint = "build pimem with its default features";
            Err(InstallError::refused("downloads are not in this build", hint))
        }
    }

    impl ModelSource for Hub {
        fn name(&self) -> String {
            match *self {}
        }

        fn open(&self, _: &str) -> Result<Option<OpenedSource>, InstallError> {
            match *self {}
        }
    }

    pub enum Archive {}

    impl Archive {
        /// Always fails.
        pub fn open(_: &Path) -> Result<Self, InstallError> {
            let hint = "build pimem with its default features";
            Err(InstallError::refused("archives are not in this build", hint))
        }
    }

    impl ModelSource for Archive {
        fn name(&self) -> String {
            match *self {}
        }

        fn open(&self, _: &str) -> Result<Option<OpenedSource>, InstallError> {
            match *self {}
        }
    }
}
