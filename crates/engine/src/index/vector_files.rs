//! The files of vectors beside an index: of the table, of the chosen model, and of models that were
//! chosen not long ago.

use std::{collections::BTreeMap, fs, path::Path, time::SystemTime};

use anyhow::Result;

use super::{
    build::Text,
    cache::Cache,
    container::Packed,
    corpus,
    manifest::{Indexed, Manifest},
    recent,
    vectors::{self, Builder, Head, Known, Vectors},
};
use crate::store::atomic;
use pimem_core::{
    embed::{table, vector::Vector},
    model::category::Categories,
};

/// How long the vectors of a model are kept after its last use, in seconds.
const MONTH: u64 = 30 * 86_400;

/// Key and dimension of a model.
type Space = (u64, usize);

/// Which vectors an index has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Kept {
    /// True if it has those of the table, for every document.
    pub table: bool,
    /// The chosen model, if that is another one.
    pub model: Option<Space>,
}

/// The vectors of a model that are known.
pub struct Owned {
    space: Space,
    known: Known,
    /// Last use, in seconds since 1970.
    used: u64,
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Returns the vectors of the chosen model and of those used within a month.
pub fn models(dir: &Cache, kept: Kept, real_now: SystemTime) -> Vec<Owned> {
    let now = seconds(real_now);
    let mut used: BTreeMap<Space, u64> = BTreeMap::new();
    for name in names(dir) {
        let Ok(head) = corpus::catch(|| Head::open(dir, &name)) else { continue };
        let last = used.entry((head.model, head.dimension)).or_default();
        *last = head.used.max(*last);
    }
    used.extend(recent::models(dir).into_iter().map(|space| (space, now)));
    used.remove(&table::model().space());
    used.retain(|_, used| now.saturating_sub(*used) <= MONTH);
    used.extend(kept.model.map(|space| (space, now)));
    let owned = |(space, used)| Owned { space, known: corpus::known_vectors(dir, space), used };
    used.into_iter().map(owned).collect()
}

/// Writes the vectors of the index file `id`, whose documents have these keys and texts.
pub fn write(
    dir: &Cache,
    id: u64,
    texts: &[Text],
    by_table: &[Vector],
    models: &[Owned],
    real_now: SystemTime,
) -> Result<()> {
    let mut own = Builder::new(table::model().space());
    for ((key, _), vector) in texts.iter().zip(by_table) {
        own.push(*key, Some(vector));
    }
    if !texts.is_empty() {
        replace(dir, id, table::model().key(), &own.finish(id, seconds(real_now)))?;
    }
    let keys: Vec<u64> = texts.iter().map(|(key, _)| *key).collect();
    models.iter().try_for_each(|model| write_model(dir, id, &keys, model))
}

/// Writes the vectors of a model, if it has any.
fn write_model(dir: &Cache, id: u64, keys: &[u64], model: &Owned) -> Result<()> {
    let Owned { space, known, used } = model;
    let mut builder = Builder::new(*space);
    for key in keys {
        builder.push(*key, known.get(key));
    }
    if builder.count() == 0 {
        return Ok(());
    }
    replace(dir, id, space.0, &builder.finish(id, *used))
}

fn replace(dir: &Cache, id: u64, model: u64, bytes: &[u8]) -> Result<()> {
    dir.replace(&vectors::file_name(id, model), bytes)
}

/// Takes recent vectors of the chosen model over into the files beside the index. The caller holds
/// the lock of the index.
pub fn settle(
    dir: &Cache,
    categories: &Categories,
    kept: Kept,
    real_now: SystemTime,
) -> Result<()> {
    let Some(space) = kept.model else { return Ok(()) };
    if recent::read(dir, space).is_empty() {
        return Ok(());
    }
    let known = corpus::known_vectors(dir, space);
    let model = Owned { space, known, used: seconds(real_now) };
    for (packed, manifest) in corpus::open_files(dir, categories)? {
        // The table has a vector for every document, and with it every key.
        let own = corpus::vectors_of(dir, &packed, &manifest, table::model().space());
        write_model(dir, manifest.id, &own.map(|own| own.keys()).unwrap_or_default(), &model)?;
    }
    recent::remove(dir, space);
    Ok(())
}

/// Deletes the vectors of index files that no longer exist.
pub fn drop_others(dir: &Path, kept: &[u64]) {
    let of_kept = |name: &String| kept.iter().any(|id| name.starts_with(&format!("{id:016x}-")));
    for name in names(dir).iter().filter(|name| !of_kept(name)) {
        atomic::remove_derived(&dir.join(name));
    }
}

fn names(dir: &Path) -> Vec<String> {
    let found = fs::read_dir(dir).into_iter().flatten().flatten();
    let names = found.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| name.ends_with(vectors::SUFFIX)).collect()
}

/// Returns true if an index file has the table's vectors of all its documents.
pub fn has_all(dir: &Cache, packed: &Packed, manifest: &Manifest) -> bool {
    let vectors = corpus::vectors_of(dir, packed, manifest, table::model().space());
    let docs = manifest.sources.iter().flat_map(Indexed::docs);
    vectors.is_some_and(|vectors: Vectors| docs.into_iter().all(|doc| !vectors.lacks(doc)))
}
