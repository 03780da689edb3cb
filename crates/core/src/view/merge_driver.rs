//! `pimem merge-driver`.

use serde::Serialize;

use super::Document;

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

impl Document for MergeDriver {
    fn schema(&self) -> &'static str {
        "pimem.merge-driver/1"
    }
}
