//! What stands in for fastembed and downloads in a build without the feature `fastembed`.

use pimem_core::embed::model::Unavailable;

/// In place of the file of that name.
pub mod fastembed {
    use std::path::Path;

    use pimem_core::embed::{
        catalog::{self, Known},
        model::Unavailable,
    };

    /// Whether models in ONNX are in this build.
    pub const INCLUDED: bool = false;

    /// There is none.
    pub enum Session {}

    impl Session {
        /// Never called.
        pub fn embed(&mut self, _: &str) -> Result<Vec<f32>, Unavailable> {
            match *self {}
        }
    }

    /// Fails.
    pub fn version(_: &Path) -> Result<Vec<f32>, Unavailable> {
        Err(super::absent())
    }

    /// Fails.
    pub fn load(_: &Path, _: &Path) -> Result<Session, Unavailable> {
        Err(super::absent())
    }

    /// The models of the documentation.
    pub fn supported() -> Vec<Known> {
        catalog::all()
    }
}

/// In place of the file of that name.
pub mod download {
    use crate::models::staging::{InstallError, Opened, Source};

    /// There is none.
    pub enum Hub {}

    impl Hub {
        /// Fails.
        pub fn new(_: &str, _: Option<&str>, _: &str) -> Result<Self, InstallError> {
            let hint = "build pimem with its default features";
            Err(InstallError::refused("downloads are not in this build", hint))
        }
    }

    impl Source for Hub {
        fn name(&self) -> String {
            match *self {}
        }

        fn open(&self, _: &str) -> Result<Option<Opened>, InstallError> {
            match *self {}
        }
    }
}

fn absent() -> Unavailable {
    Unavailable("this build has no models but static".to_owned())
}
