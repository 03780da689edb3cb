//! The files of vectors beside an index: of the table, of the chosen model, and of models that were
//! chosen not long ago. Vectors made since the index was built are in one file a model that is appended
//! to; the next index takes them over.
//!
//! ```text
//! record of such a file: key u64, scale f32, one byte a number, crc u32 of the record before
//! ```

use std::{collections::BTreeMap, fs, io::Write, path::Path, time::SystemTime};

use anyhow::Result;

use super::{
    IndexText,
    container::{Cache, Packed, Writer},
    corpus,
    manifest::{Indexed, Manifest},
    vectors::{self, Head, KnownVectors, Vectors, VectorsBuilder},
};
use crate::store::atomic::{self, Sync};
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
pub struct KeptVectors {
    /// True if it has those of the table, for every document.
    pub table: bool,
    /// The chosen model, if that is another one.
    pub model: Option<Space>,
}

/// The vectors of a model that are known.
pub struct Owned {
    space: Space,
    known: KnownVectors,
    /// Last use, in seconds since 1970.
    used: u64,
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Returns the vectors of the chosen model and of those used within a month.
pub fn models(dir: &Cache, kept: KeptVectors, real_now: SystemTime) -> Vec<Owned> {
    let now = seconds(real_now);
    let mut used: BTreeMap<Space, u64> = BTreeMap::new();
    for name in names(dir) {
        let Ok(head) = corpus::catch(|| Head::open(dir, &name)) else { continue };
        let last = used.entry((head.model, head.dimension)).or_default();
        *last = head.used.max(*last);
    }
    used.extend(recent_models(dir).into_iter().map(|space| (space, now)));
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
    texts: &[IndexText],
    by_table: &[Vector],
    models: &[Owned],
    real_now: SystemTime,
) -> Result<()> {
    let mut own = VectorsBuilder::new(table::model().space());
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
    let mut builder = VectorsBuilder::new(*space);
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
    kept: KeptVectors,
    real_now: SystemTime,
) -> Result<()> {
    let Some(space) = kept.model else { return Ok(()) };
    if read_recent(dir, space).is_empty() {
        return Ok(());
    }
    let known = corpus::known_vectors(dir, space);
    let model = Owned { space, known, used: seconds(real_now) };
    for (packed, manifest) in corpus::open_files(dir, categories)? {
        // The table has a vector for every document, and with it every key.
        let own = corpus::vectors_of(dir, &packed, &manifest, table::model().space());
        write_model(dir, manifest.id, &own.map(|own| own.keys()).unwrap_or_default(), &model)?;
    }
    atomic::remove_derived(&dir.join(recent_name(space)));
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

/// Extension of these files.
const RECENT: &str = ".recent";
/// Number of vectors from which they are taken over.
pub const MANY_RECENT: usize = 256;

fn recent_name((model, dimension): (u64, usize)) -> String {
    format!("{model:016x}-{dimension}{RECENT}")
}

/// Returns the models of which there are vectors: their keys and dimensions.
pub fn recent_models(dir: &Cache) -> Vec<(u64, usize)> {
    let model = |name: &str| {
        let (model, dimension) = name.strip_suffix(RECENT)?.split_once('-')?;
        Some((u64::from_str_radix(model, 16).ok()?, dimension.parse().ok()?))
    };
    let found = fs::read_dir(&**dir).into_iter().flatten().flatten();
    found.filter_map(|entry| model(entry.file_name().to_str()?)).collect()
}

fn record_width(dimension: usize) -> usize {
    8 + 4 + dimension + 4
}

pub fn append_recent(dir: &Cache, model: (u64, usize), made: &KnownVectors) -> Result<()> {
    let dimension = model.1;
    if made.is_empty() {
        return Ok(());
    }
    atomic::create_dir(dir, Sync::Private)?;
    let held = dir.hold()?;
    if dir.is_sealed() {
        drop(held);
        // Written whole: a sealed file cannot be appended to.
        let mut all = read_recent(dir, model);
        all.extend(made.iter().map(|(key, vector)| (*key, vector.clone())));
        return dir.replace(&recent_name(model), &records(0, dimension, &all));
    }
    let mut file = atomic::open_to_append(&dir.join(recent_name(model)), Sync::Private)?;
    let length = usize::try_from(file.metadata()?.len())?;
    Ok(file.write_all(&records(length, dimension, made))?)
}

/// Returns what is appended to a file of `length` bytes.
fn records(length: usize, dimension: usize, made: &KnownVectors) -> Vec<u8> {
    let mut made: Vec<(&u64, &Vector)> = made.iter().collect();
    made.retain(|(_, vector)| vector.numbers.len() == dimension);
    made.sort_unstable_by_key(|(key, _)| **key);
    let mut out = Writer::default();
    // A record that was cut off by a crash is filled up, so that those after it stay in step.
    out.0.resize(length.next_multiple_of(record_width(dimension)) - length, 0);
    for (key, vector) in made {
        let start = out.0.len();
        out.u64(*key);
        out.raw(&vector.scale.to_le_bytes());
        out.raw(&vector.numbers);
        let crc = crc32fast::hash(out.0.get(start..).unwrap_or_default());
        out.u32(crc);
    }
    out.0
}

/// Returns the vectors of a model. Damaged ones are left out.
pub fn read_recent(dir: &Cache, model: (u64, usize)) -> KnownVectors {
    let name = recent_name(model);
    let bytes = match dir.opened(&name) {
        Some(opened) => opened.unwrap_or_default(),
        None => fs::read(dir.join(&name)).unwrap_or_default(),
    };
    parse_recent(&bytes, model.1)
}

fn parse_recent(bytes: &[u8], dimension: usize) -> KnownVectors {
    let record = |record: &[u8]| {
        let (body, crc) = record.split_last_chunk::<4>()?;
        let (key, rest) = body.split_first_chunk::<8>()?;
        let (scale, numbers) = rest.split_first_chunk::<4>()?;
        let scale = f32::from_le_bytes(*scale);
        let whole = crc32fast::hash(body).to_le_bytes() == *crc && numbers.len() == dimension;
        whole.then(|| (u64::from_le_bytes(*key), Vector { numbers: numbers.to_vec(), scale }))
    };
    bytes.chunks(record_width(dimension)).filter_map(record).collect()
}

pub fn remove_all_recent(dir: &Path) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().ends_with(RECENT) {
            atomic::remove_derived(&entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(keys: &[u64]) -> KnownVectors {
        let vector = |key: u64| Vector::quantize(&[key as f32; 8]);
        keys.iter().map(|key| (*key, vector(*key))).collect()
    }

    #[test]
    fn what_was_appended_is_read() {
        let mut bytes = records(0, 8, &known(&[1, 2]));
        bytes.extend(records(bytes.len(), 8, &known(&[3])));
        assert_eq!(parse_recent(&bytes, 8), known(&[1, 2, 3]));
        assert_eq!(parse_recent(&bytes, 9), KnownVectors::default(), "of another dimension");
        assert!(records(0, 9, &known(&[1])).is_empty());
    }

    #[test]
    fn a_file_cut_or_changed_anywhere_loses_what_was_hit() {
        let whole = records(0, 8, &known(&[1, 2, 3]));
        for length in 0..whole.len() {
            let mut bytes = whole[..length].to_vec();
            bytes.extend(records(length, 8, &known(&[9])));
            let left: Vec<u64> = (1..=3).take(length / record_width(8)).chain([9]).collect();
            assert_eq!(parse_recent(&bytes, 8), known(&left), "cut at {length}");
        }
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 4;
            let hit = 1 + at / record_width(8);
            let left: Vec<u64> = (1..=3).filter(|key| *key != hit as u64).collect();
            assert_eq!(parse_recent(&bytes, 8), known(&left), "byte {at}");
        }
    }
}
