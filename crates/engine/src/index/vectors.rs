//! Vectors of an index file's documents, with one file per model.
//!
//! Rows are in the order of the documents of one index file, whose id is in the file name. Each has
//! the key of its text, so that the next index can reuse it. The file name also has the key of the
//! model, so that vectors of two models are never mixed.
//!
//! ```text
//! model  model u64, index u64, dimension u32, last use u64 in seconds
//! keys   u64 a document: the first 16 hex digits of the SHA-256 of `[category] text`
//! places u32 a document: the number of its row; the highest number without one
//! scales f32 a row      signs  one bit a number      rows  one byte a number
//! ```

use std::{
    cell::{Cell, OnceCell},
    collections::BTreeMap,
};

use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};
use tantivy::directory::OwnedBytes;

use super::container::{self, Cache, ContainerReader, Packed, Writer};
use pimem_core::{
    embed::vector::Vector,
    model::hash::{IdMap, first_64},
    search::candidates::Dense,
};

/// Vectors by the key of their text.
pub type KnownVectors = IdMap<u64, Vector>;

/// Returns the key of a text: an entry's canonical line, or, without a category, the text itself.
pub fn key(category: Option<&str>, text: &str) -> u64 {
    let mut hash = Sha256::new();
    if let Some(category) = category {
        hash.update(b"[");
        hash.update(category.as_bytes());
        hash.update(b"] ");
    }
    hash.update(text.as_bytes());
    first_64(hash)
}

/// Returns the name of a model's vector file for an index file.
pub fn file_name(index: u64, model: u64) -> String {
    format!("{index:016x}{}", end_of_name(model))
}

/// Returns the end of the names of a model's vector files.
pub fn end_of_name(model: u64) -> String {
    format!("-{model:016x}{SUFFIX}")
}

/// Extension of vector files.
pub const SUFFIX: &str = ".vec";

/// Place of a document without a row.
const NOWHERE: u32 = u32::MAX;

pub struct VectorsBuilder {
    model: u64,
    dimension: usize,
    count: u32,
    keys: Writer,
    places: Writer,
    scales: Writer,
    signs: Writer,
    rows: Writer,
}

impl VectorsBuilder {
    pub fn new((model, dimension): (u64, usize)) -> Self {
        let [keys, places, scales, signs, rows] = std::array::from_fn(|_| Writer::default());
        Self { model, dimension, count: 0, keys, places, scales, signs, rows }
    }

    /// Appends the vector of the next document.
    pub fn push(&mut self, key: u64, vector: Option<&Vector>) {
        let fits = vector.filter(|vector| vector.numbers.len() == self.dimension);
        self.keys.u64(key);
        let Some(vector) = fits else {
            self.places.u32(NOWHERE);
            return;
        };
        self.places.u32(self.count);
        self.count += 1;
        self.scales.raw(&vector.scale.to_le_bytes());
        self.signs.raw(&vector.signs());
        self.rows.raw(&vector.numbers);
    }

    pub fn count(&self) -> u32 {
        self.count
    }

    /// Returns the content of the file for the index file `index`, of a model that was last used at
    /// `used`, in seconds since 1970.
    pub fn finish(self, index: u64, used: u64) -> Vec<u8> {
        let mut model = Writer::default();
        model.u64(self.model);
        model.u64(index);
        model.u32(u32::try_from(self.dimension).unwrap_or(0));
        model.u64(used);
        let sections = [
            ("model", model),
            ("keys", self.keys),
            ("places", self.places),
            ("scales", self.scales),
            ("signs", self.signs),
            ("rows", self.rows),
        ];
        let sections: BTreeMap<String, Vec<u8>> =
            sections.into_iter().map(|(name, bytes)| (name.to_owned(), bytes.0)).collect();
        container::pack(&sections, container::SHORT)
    }
}

/// Vectors of one segment: those of its file, and those computed since.
pub struct Vectors {
    dimension: usize,
    file: Option<File>,
    /// Vectors of documents that the file lacks, with their signs.
    extra: IdMap<u32, (Vector, Vec<u8>)>,
}

struct File {
    packed: Packed,
    places: OwnedBytes,
    scales: OwnedBytes,
    /// Loaded when a large corpus is searched.
    signs: OnceCell<OwnedBytes>,
    rows: OwnedBytes,
    /// Offset of the rows in the file.
    rows_at: usize,
    damaged: Cell<bool>,
}

impl Vectors {
    /// Returns the vectors of a segment without a file.
    pub fn none(dimension: usize) -> Self {
        Self { dimension, file: None, extra: IdMap::default() }
    }

    /// Opens the vectors of an index file with `docs` documents. `Ok(None)` if the file does not
    /// exist, an error if it is damaged or of another model.
    pub fn open(
        dir: &Cache,
        index: u64,
        docs: usize,
        (model, dimension): (u64, usize),
    ) -> Result<Option<Self>> {
        let Some(packed) = Packed::open(dir, &file_name(index, model))? else { return Ok(None) };
        Self::read(packed, Some((index, docs)), (model, dimension)).map(Some)
    }

    /// Reads the vectors of a file by name, whether or not its index still exists.
    pub fn known_in(dir: &Cache, name: &str, model: (u64, usize)) -> Result<KnownVectors> {
        let packed = Packed::open(dir, name)?.context("no file")?;
        Ok(Self::read(packed, None, model)?.known())
    }

    fn read(
        packed: Packed,
        index: Option<(u64, usize)>,
        (model, dimension): (u64, usize),
    ) -> Result<Self> {
        let head = Head::of(&packed)?;
        ensure!(head.model == model, "vectors of another model");
        ensure!(index.is_none_or(|(index, _)| head.index == index), "vectors of another index");
        ensure!(head.dimension == dimension, "vectors of another dimension");
        let (rows, rows_at) = packed.unverified("rows")?;
        let (places, scales) = (packed.section("places")?, packed.section("scales")?);
        let docs = index.map_or(places.len() / 4, |(_, docs)| docs);
        let whole = places.len() == docs * 4 && rows.len() == scales.len() / 4 * dimension;
        ensure!(whole, "vectors of another number of documents");
        let (signs, damaged) = (OnceCell::new(), Cell::new(false));
        let file = File { packed, places, scales, signs, rows, rows_at, damaged };
        Ok(Self { dimension, file: Some(file), extra: IdMap::default() })
    }

    /// Returns true if a document has no vector yet.
    pub fn lacks(&self, doc: u32) -> bool {
        let stored = self.file.as_ref().and_then(|file| file.place(doc));
        stored.is_none() && !self.extra.contains_key(&doc)
    }

    /// Returns the keys of all documents of the file, in order.
    pub fn keys(&self) -> Vec<u64> {
        let keys = self.file.as_ref().and_then(|file| file.packed.section("keys").ok());
        let keys = keys.as_deref().unwrap_or_default().as_chunks().0;
        keys.iter().map(|key| u64::from_le_bytes(*key)).collect()
    }

    pub fn supply(&mut self, doc: u32, vector: Vector) {
        let signs = vector.signs();
        self.extra.insert(doc, (vector, signs));
    }

    /// Returns true if a row was found to be damaged.
    pub fn damaged(&self) -> bool {
        self.file.as_ref().is_some_and(|file| file.damaged.get())
    }

    /// Returns all undamaged vectors of the file, by the key of their text.
    pub fn known(&self) -> KnownVectors {
        let Some(file) = &self.file else { return KnownVectors::default() };
        (0..)
            .zip(self.keys())
            .filter_map(|(doc, key)| {
                let place = file.place(doc)?;
                let numbers = file.row(place, self.dimension)?.to_vec();
                Some((key, Vector { numbers, scale: file.scale(place)? }))
            })
            .collect()
    }
}

/// What a file of vectors is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    pub model: u64,
    pub index: u64,
    pub dimension: usize,
    /// Last use of the model in this store, in seconds since 1970.
    pub used: u64,
}

impl Head {
    pub fn open(dir: &Cache, name: &str) -> Result<Self> {
        Self::of(&Packed::open(dir, name)?.context("no file")?)
    }

    fn of(packed: &Packed) -> Result<Self> {
        let head = packed.section("model")?;
        let mut head = ContainerReader(&head);
        let mut number = || head.u64().context("a short head");
        let (model, index) = (number()?, number()?);
        let dimension = usize::try_from(head.u32().context("a short head")?)?;
        Ok(Self { model, index, dimension, used: head.u64().context("a short head")? })
    }
}

impl File {
    fn place(&self, doc: u32) -> Option<usize> {
        let place = u32::from_le_bytes(*self.places.as_chunks().0.get(doc as usize)?);
        (place != NOWHERE).then(|| usize::try_from(place).ok())?
    }

    fn scale(&self, place: usize) -> Option<f32> {
        Some(f32::from_le_bytes(*self.scales.as_chunks().0.get(place)?))
    }

    fn signs(&self) -> &[u8] {
        self.signs.get_or_init(|| {
            let signs = self.packed.section("signs");
            self.damaged.set(self.damaged.get() || signs.is_err());
            signs.unwrap_or_else(|_| OwnedBytes::empty())
        })
    }

    fn row(&self, place: usize, dimension: usize) -> Option<&[u8]> {
        let range = place * dimension..(place + 1) * dimension;
        if !self.packed.verify(self.rows_at + range.start..self.rows_at + range.end) {
            self.damaged.set(true);
            return None;
        }
        self.rows.get(range)
    }
}

impl Dense for Vectors {
    fn vector(&self, doc: u32) -> (&[u8], f32) {
        if let Some((vector, _)) = self.extra.get(&doc) {
            return (&vector.numbers, vector.scale);
        }
        let stored = self.file.as_ref().and_then(|file| {
            let place = file.place(doc)?;
            Some((file.row(place, self.dimension)?, file.scale(place)?))
        });
        stored.unwrap_or_default()
    }

    fn signs(&self, doc: u32) -> &[u8] {
        if let Some((_, signs)) = self.extra.get(&doc) {
            return signs;
        }
        let width = self.dimension.div_ceil(8);
        let stored = self.file.as_ref().and_then(|file| {
            let at = file.place(doc)? * width;
            file.signs().get(at..at + width)
        });
        stored.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIMENSION: usize = 64;

    fn vector(n: u8) -> Vector {
        let number = |at: u8| (f32::from(n) + f32::from(at) * 0.3).sin();
        Vector::quantize(&(0..64).map(number).collect::<Vec<_>>())
    }

    fn file() -> Vec<u8> {
        let mut builder = VectorsBuilder::new((7, DIMENSION));
        for n in 0..100 {
            builder.push(u64::from(n), (n != 3).then(|| vector(n)).as_ref());
        }
        builder.finish(9, 1_700_000_000)
    }

    fn read(bytes: Vec<u8>, docs: usize, model: u64, dimension: usize) -> Result<Vectors> {
        let packed = Packed::read(&OwnedBytes::new(bytes))?;
        Vectors::read(packed, Some((9, docs)), (model, dimension))
    }

    #[test]
    fn what_was_written() {
        let mut vectors = read(file(), 100, 7, DIMENSION).unwrap();
        assert!(vectors.lacks(3) && !vectors.lacks(4) && vectors.lacks(100));
        let known = vectors.known();
        assert_eq!((known.len(), &known[&4]), (99, &vector(4)));
        assert_eq!(vectors.vector(4), (vector(4).numbers.as_slice(), vector(4).scale));
        assert_eq!(vectors.signs(4), vector(4).signs());
        assert_eq!(vectors.vector(3), ([].as_slice(), 0.0));
        assert_eq!((vectors.signs(3), vectors.keys().len()), ([].as_slice(), 100));
        vectors.supply(3, vector(3));
        assert!(!vectors.lacks(3) && vectors.signs(3) == vector(3).signs());
    }

    #[test]
    fn nothing_of_another_model_index_or_size() {
        for (docs, model, dimension) in [(99, 7, 64), (100, 8, 64), (100, 7, 32), (100, 7, 128)] {
            assert!(read(file(), docs, model, dimension).is_err(), "{docs} {model} {dimension}");
        }
    }

    #[test]
    fn every_flipped_byte_is_noticed_or_does_not_matter() {
        let good = file();
        let whole = read(good.clone(), 100, 7, DIMENSION).unwrap();
        let want: Vec<_> = (0..100).map(|doc| (whole.vector(doc), whole.signs(doc))).collect();
        for at in (0..good.len()).step_by(13) {
            let mut bad = good.clone();
            bad[at] ^= 0x10;
            let Ok(vectors) = read(bad, 100, 7, DIMENSION) else { continue };
            let got: Vec<_> =
                (0..100).map(|doc| (vectors.vector(doc), vectors.signs(doc))).collect();
            assert!(vectors.damaged() || got == want, "byte {at}");
            assert!(read(good[..at].to_vec(), 100, 7, DIMENSION).is_err(), "cut at {at}");
        }
    }

    #[test]
    fn keys_are_the_first_digits_of_sha_256() {
        // printf '[lesson] x' | sha256sum
        assert_eq!(format!("{:016x}", key(Some("lesson"), "x")), "20ba6e9e86b78c85");
        assert_eq!(format!("{:016x}", key(None, "")), "e3b0c44298fc1c14");
    }
}
