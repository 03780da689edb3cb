//! `pimem merge-driver`.

use serde::Serialize;

/// Who merges files of stores in a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MergeDriver {
    /// Whether pimem does.
    pub installed: bool,
    /// Whether that is new.
    pub changed: bool,
    /// Path of the file that names files of stores.
    pub attributes: String,
}

documents! {
    MergeDriver: "pimem.merge-driver/1",
}
