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

    pub use self::{Absent as Hub, Absent as Archive};

    pub enum Absent {}

    impl Absent {
        /// Always fails.
        pub fn new(_: &str, _: Option<&str>, _: &str) -> Result<Self, InstallError> {
            Self::refused("downloads are not in this build")
        }

        /// Always fails.
        pub fn open(_: &Path) -> Result<Self, InstallError> {
            Self::refused("archives are not in this build")
        }

        fn refused(why: &str) -> Result<Self, InstallError> {
            Err(InstallError::refused(why, "build pimem with its default features"))
        }
    }

    impl ModelSource for Absent {
        fn name(&self) -> String {
            match *self {}
        }

        fn open(&self, _: &str) -> Result<Option<OpenedSource>, InstallError> {
            match *self {}
        }
    }
}
