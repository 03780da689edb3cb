//! Files of stores that git merges, in the repository of the working directory.

use super::Memory;
use crate::{
    error::{Failure, Kind},
    store::merge_driver::Repository,
};
use pimem_core::view::merge_driver::MergeDriver;

impl Memory {
    /// Has git call pimem to merge files of stores.
    ///
    /// # Errors
    /// When there is no repository, or its settings cannot be written.
    pub fn install_merge_driver(&self) -> Result<MergeDriver, Failure> {
        let repository = repository(self)?;
        let changed = repository.install()?;
        Ok(MergeDriver { installed: true, changed, attributes: attributes(&repository) })
    }

    /// Has git merge by itself again.
    ///
    /// # Errors
    /// When there is no repository, or its settings cannot be written.
    pub fn uninstall_merge_driver(&self) -> Result<MergeDriver, Failure> {
        let repository = repository(self)?;
        let changed = repository.uninstall()?;
        Ok(MergeDriver { installed: false, changed, attributes: attributes(&repository) })
    }

    /// Path of the file in which the repository names files of stores.
    ///
    /// # Errors
    /// When there is no repository.
    pub fn merge_attributes(&self) -> Result<String, Failure> {
        Ok(attributes(&repository(self)?))
    }
}

fn repository(memory: &Memory) -> Result<Repository, Failure> {
    let patience = memory.config.settings.lock.timeout;
    Repository::of(&memory.places, patience).ok_or_else(|| {
        let message = format!("{} is in no git repository", memory.places.cwd.display());
        Failure::new(Kind::Usage, message, "change to the work tree that the store is in")
    })
}

fn attributes(repository: &Repository) -> String {
    repository.attributes().display().to_string()
}
