//! Writing `store.json` again: the keys of this machine are tried on the sealed lines.

use std::path::PathBuf;

use anyhow::Result;

use super::{Seal, Source, manifest::Manifest, remembered};
use crate::store::{atomic::Sync, read};
use pimem_core::seal::{self, KeyId, Keyring, SealKey};

/// A key that opens lines of a store.
#[derive(Debug)]
pub struct Found {
    /// Id of the store, which the lines are bound to.
    id: String,
    key: KeyId,
    /// Number of lines that it opens.
    lines: usize,
}

impl Seal {
    /// Finds the key under which most lines of some files are sealed; `None` if no key of this
    /// machine opens any.
    ///
    /// # Errors
    /// Fails if a file cannot be read.
    pub fn find_key(&self, files: &[(PathBuf, PathBuf)]) -> Result<Option<Found>> {
        let Some(source) = self.source() else { return Ok(None) };
        let mut sealed = Vec::new();
        for (root, path) in files {
            let bytes = read::file(root, path, read::MAX_LOG)?.unwrap_or_default();
            sealed.extend(Some(bytes).filter(|bytes| !seal::key_ids(bytes).is_empty()));
        }
        let mut best: Option<Found> = None;
        for (id, key) in candidates(source) {
            let key_id = key.id();
            let is_meant = |bytes: &&Vec<u8>| seal::key_ids(bytes).contains_key(&key_id);
            let held: Vec<&Vec<u8>> = sealed.iter().filter(is_meant).collect();
            if held.is_empty() {
                continue;
            }
            let ring = Keyring::new(id.clone(), Vec::new(), key, Vec::new());
            let opened = |bytes: &&Vec<u8>| {
                let lines: usize = seal::key_ids(bytes).values().sum();
                lines.saturating_sub(ring.open(bytes).closed())
            };
            let lines = held.iter().map(opened).sum();
            // The first of a store is its current one.
            if lines > best.as_ref().map_or(0, |best| best.lines) {
                best = Some(Found { id, key: key_id, lines });
            }
        }
        Ok(best)
    }

    /// Writes `store.json` for a key that was found.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub fn describe(&self, found: &Found, sync: Sync) -> Result<()> {
        let Some(source) = self.source() else { return Ok(()) };
        Manifest::new(found.id.clone(), found.key).write(&source.dir, sync)?;
        self.accept()
    }
}

/// Returns the keys that may be those of a store, each with the id of the store that it is for.
fn candidates(source: &Source) -> Vec<(String, SealKey)> {
    let known = remembered::sealed(source, None).map(|known| known.id);
    let ids = known.into_iter().chain(source.keys.stores());
    let keys = ids.filter_map(|id| {
        let place = source.keys.of(&id)?;
        Some(place.all(&id).into_iter().map(move |key| (id.clone(), key)))
    });
    keys.flatten().collect()
}
