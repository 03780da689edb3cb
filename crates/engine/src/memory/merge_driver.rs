//! Enabling of the merge driver in the repository of the working directory.

use crate::memory::handles::Sharing;
use std::path::Path;

use serde::Serialize;

use super::Memory;
use crate::{
    error::{Failure, FailureKind},
    store::{
        merge_driver::{self, Repository},
        seal::Seal,
    },
};

impl Sharing<'_> {
    /// Configures git to merge files of stores with pimem.
    ///
    /// # Errors
    /// Fails if there is no repository, or its settings cannot be written.
    pub fn install_merge_driver(self) -> Result<MergeDriver, Failure> {
        let repository = repository(self.memory)?;
        let changed = repository.install()?;
        Ok(MergeDriver { installed: true, changed, attributes: attributes(&repository) })
    }

    /// Removes the configuration of the merge driver.
    ///
    /// # Errors
    /// Fails if there is no repository, or its settings cannot be written.
    pub fn uninstall_merge_driver(self) -> Result<MergeDriver, Failure> {
        let repository = repository(self.memory)?;
        let changed = repository.uninstall()?;
        Ok(MergeDriver { installed: false, changed, attributes: attributes(&repository) })
    }

    /// Returns how the store of a file is kept, by the path that git gives to the merge driver.
    #[must_use]
    pub fn seal_of(self, path: Option<&Path>) -> Seal {
        let dir = path.and_then(merge_driver::store_of);
        dir.map_or_else(Seal::default, |dir| self.memory.seal(&self.memory.places.cwd.join(dir)))
    }

    /// Returns the path of the attributes file that names the merged files.
    ///
    /// # Errors
    /// Fails if there is no repository.
    pub fn merge_attributes(self) -> Result<String, Failure> {
        Ok(attributes(&repository(self.memory)?))
    }
}

fn repository(memory: &Memory) -> Result<Repository, Failure> {
    let patience = memory.config.settings.lock.timeout;
    Repository::of(&memory.places, patience).ok_or_else(|| {
        let message = format!("{} is in no git repository", memory.places.cwd.display());
        Failure::new(FailureKind::Usage, message, "change to the work tree that the store is in")
    })
}

fn attributes(repository: &Repository) -> String {
    repository.attributes().display().to_string()
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MergeDriver {
    /// True if pimem merges the files of stores.
    pub installed: bool,
    pub changed: bool,
    pub attributes: String,
}

documents! {
    MergeDriver: "pimem.merge-driver/1",
}
