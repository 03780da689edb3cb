//! The directory of a store's index in the user's cache.

use std::{
    ops::Deref,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::Result;

use crate::store::{
    Store,
    atomic::{self, Sync},
    discover,
    lock::StoreLock,
    seal::Seal,
};

/// Maximum wait of a writer while the directory is emptied.
const PATIENCE: Duration = Duration::from_secs(1);

/// The directory of a store's index, and how its files are kept: as the store's are.
#[derive(Debug, Clone)]
pub struct Cache {
    dir: PathBuf,
    seal: Seal,
}

impl Cache {
    /// Returns the index directory of a store in a user's cache directory.
    pub fn new(cache: &Path, store: &Store) -> Self {
        Self { dir: Self::dir_of(cache, &store.dir), seal: store.seal.clone() }
    }

    /// Returns the path of the index directory of the store in `dir`.
    pub fn dir_of(cache: &Path, dir: &Path) -> PathBuf {
        discover::index_dir(cache, dir)
    }

    /// Keeps the texts of topics, in a sealed store.
    pub(super) fn keep_texts(
        &self,
        store: &Store,
        topics: impl Iterator<Item = String>,
    ) -> Result<()> {
        if self.seal.is_sealed() {
            // What was read is known; what was not is read here.
            topics.for_each(|name| drop(store.listed(&name)));
            self.seal.shelve()?;
        }
        Ok(())
    }

    /// Opens what a file of the directory was read to have; `None` if its bytes are used as they
    /// are.
    pub(super) fn opened(&self, name: &str) -> Option<Result<Vec<u8>>> {
        self.seal.blob(&self.dir, name)
    }

    /// Returns true if the store is encrypted.
    pub(super) fn is_sealed(&self) -> bool {
        self.seal.is_sealed()
    }

    /// Keeps the directory from being emptied because its store is sealed or made plain, and reads
    /// again how that is kept.
    pub(super) fn hold(&self) -> Result<Option<StoreLock>> {
        let held = StoreLock::shared(&self.dir, PATIENCE)?;
        self.seal.reread();
        Ok(held)
    }

    /// Replaces a file of the directory.
    pub(super) fn replace(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let _held = self.hold()?;
        let bytes = self.seal.sealed_blob(name, bytes)?;
        atomic::replace_file(&self.dir.join(name), &bytes, Sync::Private, || Ok(true)).map(drop)
    }
}

impl Deref for Cache {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.dir
    }
}
