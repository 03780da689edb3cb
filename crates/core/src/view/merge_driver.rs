//! The document of `pimem merge-driver`.

use serde::Serialize;

/// The merge driver of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MergeDriver {
    /// True if pimem merges the files of stores.
    pub installed: bool,
    /// True if this call changed the installation.
    pub changed: bool,
    /// Path of the attributes file.
    pub attributes: String,
}

documents! {
    MergeDriver: "pimem.merge-driver/1",
}
