//! The steps by which a store becomes sealed, gets another key, and becomes plain again.
//!
//! Each writes `store.json` before any file of the store is written. From then on readers take both
//! what is done and what is not, so that a process may be killed at any moment.

use std::path::Path;

use anyhow::{Context, Result, bail};

use super::{KeyPlace, Manifest};
use crate::store::atomic::{self, Sync};
use pimem_core::seal::KeyId;

/// Has the store in `dir` sealed from now on. `place` names the key files of a store by its id.
pub fn begin(dir: &Path, place: impl Fn(&str) -> Option<KeyPlace>, sync: Sync) -> Result<()> {
    let manifest = match Manifest::read(dir)? {
        Some(manifest) if manifest.sealed => Manifest { opening: false, ..manifest },
        other => {
            // A store that was sealed once keeps its id, so that its old lines can be opened.
            let id = match other {
                Some(manifest) => manifest.id,
                None => format!("{:032x}", atomic::random()?),
            };
            let key = place(&id).context(NO_PLACE)?.made(&id)?;
            Manifest::new(id, key.id())
        }
    };
    manifest.write(dir, sync)
}

/// What is said where there is no configuration directory.
const NO_PLACE: &str = "there is no place for the key: set HOME, or encryption.keyPath";

/// Makes another key, under which the store in `dir` is sealed from now on.
pub fn rotate(dir: &Path, place: impl Fn(&str) -> Option<KeyPlace>, sync: Sync) -> Result<()> {
    let Some(manifest) = Manifest::read(dir)? else { bail!("the store is not sealed") };
    let key = place(&manifest.id).context(NO_PLACE)?.another(&manifest.id)?;
    Manifest { key: key.id().to_string(), ..manifest }.write(dir, sync)
}

/// Gives the file of the current key the name by which it is looked for first.
pub fn promote(dir: &Path, place: impl Fn(&str) -> Option<KeyPlace>) -> Result<()> {
    let Some(manifest) = Manifest::read(dir)? else { return Ok(()) };
    let (Some(place), Ok(id)) = (place(&manifest.id), manifest.key.parse::<KeyId>()) else {
        return Ok(());
    };
    place.promote(&manifest.id, id)
}

/// Has the store in `dir` written as plain text from now on.
pub fn begin_opening(dir: &Path, sync: Sync) -> Result<()> {
    let Some(manifest) = Manifest::read(dir)? else { bail!("the store is not sealed") };
    Manifest { opening: true, ..manifest }.write(dir, sync)
}

/// Ends what [`begin_opening`] has begun, when nothing is sealed any more.
pub fn end_opening(dir: &Path, sync: Sync) -> Result<()> {
    Manifest::remove(dir, sync)
}

/// Returns the id of the store in `dir`, if it has one.
pub fn store_id(dir: &Path) -> Option<String> {
    Manifest::read(dir).ok().flatten().map(|manifest| manifest.id)
}
