//! Vectors that were made since the index was built, in one file a model that is appended to. The
//! next index takes them over.
//!
//! ```text
//! record: key u64, scale f32, one byte a number, crc u32 of the record before
//! ```

use std::{fs, io::Write, path::Path};

use anyhow::Result;

use super::{bytes::Writer, cache::Cache, vectors::Known};
use crate::store::atomic::{self, Sync};
use pimem_core::embed::vector::Vector;

/// Extension of these files.
const SUFFIX: &str = ".recent";
/// Number of vectors from which they are taken over.
pub const MANY: usize = 256;

/// Returns the name of a model's file.
fn name((model, dimension): (u64, usize)) -> String {
    format!("{model:016x}-{dimension}{SUFFIX}")
}

/// Returns the models of which there are vectors: their keys and dimensions.
pub fn models(dir: &Cache) -> Vec<(u64, usize)> {
    let model = |name: &str| {
        let (model, dimension) = name.strip_suffix(SUFFIX)?.split_once('-')?;
        Some((u64::from_str_radix(model, 16).ok()?, dimension.parse().ok()?))
    };
    let found = fs::read_dir(&**dir).into_iter().flatten().flatten();
    found.filter_map(|entry| model(entry.file_name().to_str()?)).collect()
}

fn width(dimension: usize) -> usize {
    8 + 4 + dimension + 4
}

/// Adds vectors of a model.
pub fn append(dir: &Cache, model: (u64, usize), made: &Known) -> Result<()> {
    let dimension = model.1;
    if made.is_empty() {
        return Ok(());
    }
    atomic::create_dir(dir, Sync::Private)?;
    let held = dir.hold()?;
    if dir.is_sealed() {
        drop(held);
        // Written whole: a sealed file cannot be appended to.
        let mut all = read(dir, model);
        all.extend(made.iter().map(|(key, vector)| (*key, vector.clone())));
        return dir.replace(&name(model), &records(0, dimension, &all));
    }
    let mut file = atomic::open_to_append(&dir.join(name(model)), Sync::Private)?;
    let length = usize::try_from(file.metadata()?.len())?;
    Ok(file.write_all(&records(length, dimension, made))?)
}

/// Returns what is appended to a file of `length` bytes.
fn records(length: usize, dimension: usize, made: &Known) -> Vec<u8> {
    let mut made: Vec<(&u64, &Vector)> = made.iter().collect();
    made.retain(|(_, vector)| vector.numbers.len() == dimension);
    made.sort_unstable_by_key(|(key, _)| **key);
    let mut out = Writer::default();
    // A record that was cut off by a crash is filled up, so that those after it stay in step.
    out.0.resize(length.next_multiple_of(width(dimension)) - length, 0);
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
pub fn read(dir: &Cache, model: (u64, usize)) -> Known {
    let name = name(model);
    let bytes = match dir.opened(&name) {
        Some(opened) => opened.unwrap_or_default(),
        None => fs::read(dir.join(&name)).unwrap_or_default(),
    };
    parse(&bytes, model.1)
}

fn parse(bytes: &[u8], dimension: usize) -> Known {
    let record = |record: &[u8]| {
        let (body, crc) = record.split_last_chunk::<4>()?;
        let (key, rest) = body.split_first_chunk::<8>()?;
        let (scale, numbers) = rest.split_first_chunk::<4>()?;
        let scale = f32::from_le_bytes(*scale);
        let whole = crc32fast::hash(body).to_le_bytes() == *crc && numbers.len() == dimension;
        whole.then(|| (u64::from_le_bytes(*key), Vector { numbers: numbers.to_vec(), scale }))
    };
    bytes.chunks(width(dimension)).filter_map(record).collect()
}

/// Deletes the vectors of a model, once an index has them.
pub fn remove(dir: &Path, model: (u64, usize)) {
    atomic::remove_derived(&dir.join(name(model)));
}

/// Deletes the vectors of all models.
pub fn remove_all(dir: &Path) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().ends_with(SUFFIX) {
            atomic::remove_derived(&entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(keys: &[u64]) -> Known {
        let vector = |key: u64| Vector::quantize(&[key as f32; 8]);
        keys.iter().map(|key| (*key, vector(*key))).collect()
    }

    #[test]
    fn what_was_appended_is_read() {
        let mut bytes = records(0, 8, &known(&[1, 2]));
        bytes.extend(records(bytes.len(), 8, &known(&[3])));
        assert_eq!(parse(&bytes, 8), known(&[1, 2, 3]));
        assert_eq!(parse(&bytes, 9), Known::default(), "of another dimension");
        assert!(records(0, 9, &known(&[1])).is_empty());
    }

    #[test]
    fn a_file_cut_or_changed_anywhere_loses_what_was_hit() {
        let whole = records(0, 8, &known(&[1, 2, 3]));
        for length in 0..whole.len() {
            let mut bytes = whole[..length].to_vec();
            bytes.extend(records(length, 8, &known(&[9])));
            let left: Vec<u64> = (1..=3).take(length / width(8)).chain([9]).collect();
            assert_eq!(parse(&bytes, 8), known(&left), "cut at {length}");
        }
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 4;
            let hit = 1 + at / width(8);
            let left: Vec<u64> = (1..=3).filter(|key| *key != hit as u64).collect();
            assert_eq!(parse(&bytes, 8), known(&left), "byte {at}");
        }
    }
}
