//! The steps by which a store becomes sealed, gets another key, and becomes plain again.
//!
//! Each writes `store.json` before any file of the store is written. From then on readers take both
//! what is done and what is not, so that a process may be killed at any moment.

use std::path::Path;

use anyhow::{Context, Result, bail};

use super::{
    Manifest, Source,
    remembered::{self, Due},
};
use crate::store::atomic::{self, Sync};
use pimem_core::seal::KeyId;

/// Has a store sealed from now on.
pub fn begin(source: &Source, sync: Sync) -> Result<()> {
    let dir = &source.dir;
    let manifest = match Manifest::read(dir)? {
        Some(manifest) if manifest.sealed => Manifest { opening: false, ..manifest },
        other => {
            // A store that was sealed once keeps its id, so that its old lines can be opened.
            let known = remembered::sealed(source, None).map(|known| known.id);
            let known =
                known.filter(|id| source.keys.of(id).is_some_and(|k| !k.all(id).is_empty()));
            let id = match (other, known) {
                (Some(Manifest { id, .. }), _) | (None, Some(id)) => id,
                (None, None) => format!("{:032x}", atomic::random()?),
            };
            let key = source.keys.of(&id).context(NO_PLACE)?.made(&id)?;
            Manifest::new(id, key.id())
        }
    };
    manifest.write(dir, sync)
}

/// What is said where there is no configuration directory.
const NO_PLACE: &str = "there is no place for the key: set HOME, or encryption.keyPath";

/// Makes another key, under which a store is sealed from now on.
pub fn rotate(source: &Source, sync: Sync) -> Result<()> {
    let dir = &source.dir;
    let Some(manifest) = Manifest::read(dir)? else { bail!("the store is not sealed") };
    let key = source.keys.of(&manifest.id).context(NO_PLACE)?.another(&manifest.id)?;
    Manifest { key: key.id().to_string(), ..manifest }.write(dir, sync)
}

/// Gives the file of the current key the name by which it is looked for first.
pub fn promote(source: &Source) -> Result<()> {
    let Some(manifest) = Manifest::read(&source.dir)? else { return Ok(()) };
    let place = source.keys.of(&manifest.id);
    let (Some(place), Ok(id)) = (place, manifest.key.parse::<KeyId>()) else {
        return Ok(());
    };
    place.promote(&manifest.id, id)
}

/// Has a store written as plain text from now on.
pub fn begin_opening(source: &Source, sync: Sync) -> Result<()> {
    let dir = &source.dir;
    let Some(manifest) = Manifest::read(dir)? else { bail!("the store is not sealed") };
    if let Ok(key) = manifest.key.parse() {
        remembered::note(source, &manifest.id, key, true, Due::default())?;
    }
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
