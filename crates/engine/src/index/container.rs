//! The container format of an index file: named sections with a checksum per block; and the directory
//! of these files, which are kept as the store's are.
//!
//! A block is verified before any of its bytes is used, so that opening a file does not read what a
//! query does not touch. Files are written whole and renamed, never modified.
//!
//! ```text
//! header 32 bytes: magic, table offset u64, table length u64, table crc u32, header crc u32
//! sections, one after the other
//! table: block size, section count, (name, offset, length) each; then one crc u32 a block
//! ```

use std::{
    collections::BTreeMap,
    fmt,
    fs::{self, Metadata},
    io,
    ops::{Deref, Range},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use tantivy::{
    HasLen,
    directory::{
        Directory, FileHandle, MmapDirectory, OwnedBytes, WatchCallback, WatchHandle, WritePtr,
        error::{DeleteError, OpenReadError, OpenWriteError},
    },
};

use crate::store::{
    Store, StoreLock,
    atomic::{self, Sync},
    discover,
    seal::Seal,
};

const MAGIC: &[u8; 8] = b"pimemix\x02";
const HEADER: usize = 32;
/// Block size in bytes of files that are read sequentially.
pub const LONG: usize = 16 * 1024;
/// Block size in bytes of files that are read randomly.
pub const SHORT: usize = 2 * 1024;

/// Serialises sections into a packed file.
pub fn pack(sections: &BTreeMap<String, Vec<u8>>, block: usize) -> Vec<u8> {
    let mut out = vec![0; HEADER];
    let mut table = Writer::default();
    table.u32(u32::try_from(block).unwrap_or(0));
    table.u32(u32::try_from(sections.len()).unwrap_or(0));
    for (name, bytes) in sections {
        table.text(name);
        table.u64(out.len() as u64);
        table.u64(bytes.len() as u64);
        out.extend_from_slice(bytes);
    }
    for chunk in out.get(HEADER..).unwrap_or_default().chunks(block) {
        table.u32(crc32fast::hash(chunk));
    }
    let mut header = Writer::default();
    header.raw(MAGIC);
    header.u64(out.len() as u64);
    header.u64(table.0.len() as u64);
    header.u32(crc32fast::hash(&table.0));
    header.u32(crc32fast::hash(&header.0));
    out.splice(..HEADER, header.0);
    out.extend_from_slice(&table.0);
    out
}

/// Size in bytes up to which a file is read: to map it takes more calls of the system.
const READ_WHOLE: u64 = 16 << 10;

/// A packed file, memory-mapped unless it is small.
#[derive(Clone)]
pub struct Packed {
    body: OwnedBytes,
    block: usize,
    sections: Arc<BTreeMap<PathBuf, Range<usize>>>,
    blocks: Arc<Vec<(u32, AtomicBool)>>,
}

impl fmt::Debug for Packed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Packed").field("sections", &self.sections).finish_non_exhaustive()
    }
}

impl Packed {
    /// Maps `dir/name`, or opens it if it is sealed. `Ok(None)` if the file does not exist, an error if it is damaged.
    pub fn open(dir: &Cache, name: &str) -> Result<Option<Self>> {
        let path = dir.join(name);
        let Some(meta) = fs::metadata(&path).ok().filter(Metadata::is_file) else {
            return Ok(None);
        };
        if let Some(opened) = dir.opened(name) {
            return Self::read(&OwnedBytes::new(opened?)).map(Some);
        }
        if meta.len() <= READ_WHOLE {
            return Self::read(&OwnedBytes::new(fs::read(&path)?)).map(Some);
        }
        let mapped = MmapDirectory::open(&**dir)?.open_read(Path::new(name))?.read_bytes()?;
        Self::read(&mapped).map(Some)
    }

    pub fn read(bytes: &OwnedBytes) -> Result<Self> {
        let header = bytes.get(..HEADER).context("shorter than its header")?;
        let (head, crc) = header.split_at(HEADER - 4);
        ensure!(crc == crc32fast::hash(head).to_le_bytes(), "damaged header");
        let mut fields = ContainerReader(head);
        ensure!(fields.array() == Some(*MAGIC), "another format");
        let at = usize::try_from(fields.u64().unwrap_or(0))?;
        let length = usize::try_from(fields.u64().unwrap_or(0))?;
        let table = bytes.get(at..).filter(|table| table.len() == length).context("truncated")?;
        ensure!(fields.u32() == Some(crc32fast::hash(table)), "damaged table");
        let mut table = ContainerReader(table);
        let block = usize::try_from(table.u32().unwrap_or(0))?;
        ensure!(block > 0, "damaged table");
        let mut sections = BTreeMap::new();
        for _ in 0..table.u32().context("table")? {
            let name = PathBuf::from(table.text().context("table")?);
            let start = usize::try_from(table.u64().context("table")?)?;
            let length = usize::try_from(table.u64().context("table")?)?;
            sections.insert(name, start..start + length);
        }
        let blocks = std::iter::from_fn(|| Some((table.u32()?, AtomicBool::new(false)))).collect();
        Ok(Self {
            body: bytes.slice(HEADER..at),
            block,
            sections: Arc::new(sections),
            blocks: Arc::new(blocks),
        })
    }

    /// Returns a section's bytes, verified.
    pub fn section(&self, name: &str) -> Result<OwnedBytes> {
        let range = self.sections.get(Path::new(name)).context("a section is missing")?;
        Ok(self.verified(range.clone())?)
    }

    /// Returns a section's bytes without verification, and their offset in the file. Callers must
    /// call [`Self::verify`] before they use the bytes.
    pub fn unverified(&self, name: &str) -> Result<(OwnedBytes, usize)> {
        let range = self.sections.get(Path::new(name)).context("a section is missing")?.clone();
        let (start, end) = (range.start.checked_sub(HEADER), range.end.checked_sub(HEADER));
        let inside = start.zip(end).filter(|(_, end)| *end <= self.body.len());
        let (start, end) = inside.context("a section is outside of its file")?;
        Ok((self.body.slice(start..end), range.start))
    }

    /// Returns true if a range of the file matches its checksums.
    pub fn verify(&self, range: Range<usize>) -> bool {
        self.verified(range).is_ok()
    }

    /// Returns a range of the file after verifying all blocks that it touches.
    fn verified(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "damaged index block");
        let start = range.start.checked_sub(HEADER).ok_or_else(damaged)?;
        let end = range.end.checked_sub(HEADER).filter(|end| *end <= self.body.len());
        let end = end.ok_or_else(damaged)?;
        for number in start / self.block..end.div_ceil(self.block) {
            let (crc, known) = self.blocks.get(number).ok_or_else(damaged)?;
            if known.load(Ordering::Relaxed) {
                continue;
            }
            let last = ((number + 1) * self.block).min(self.body.len());
            let block = self.body.get(number * self.block..last).ok_or_else(damaged)?;
            if crc32fast::hash(block) != *crc {
                return Err(damaged());
            }
            known.store(true, Ordering::Relaxed);
        }
        Ok(self.body.slice(start..end))
    }
}

/// A section as a file handle for tantivy.
#[derive(Debug)]
struct Section {
    packed: Packed,
    range: Range<usize>,
}

impl HasLen for Section {
    fn len(&self) -> usize {
        self.range.len()
    }
}

impl FileHandle for Section {
    fn read_bytes(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        self.packed.verified(self.range.start + range.start..self.range.start + range.end)
    }
}

/// A read-only directory for tantivy.
impl Directory for Packed {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        let range = self.sections.get(path).cloned();
        let range = range.ok_or_else(|| OpenReadError::FileDoesNotExist(path.to_path_buf()))?;
        Ok(Arc::new(Section { packed: self.clone(), range }))
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        Ok(self.sections.contains_key(path))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        let bytes = self.open_read(path)?.read_bytes();
        let bytes =
            bytes.map_err(|error| OpenReadError::wrap_io_error(error, path.to_path_buf()))?;
        Ok(bytes.as_slice().to_vec())
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        let io_error = Arc::new(read_only());
        Err(DeleteError::IoError { io_error, filepath: path.to_path_buf() })
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let io_error = Arc::new(read_only());
        Err(OpenWriteError::IoError { io_error, filepath: path.to_path_buf() })
    }

    fn atomic_write(&self, _: &Path, _: &[u8]) -> io::Result<()> {
        Err(read_only())
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn watch(&self, _: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}

fn read_only() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "a packed index is read-only")
}

/// Appends numbers and strings to a buffer.
#[derive(Debug, Default)]
pub struct Writer(pub Vec<u8>);

impl Writer {
    pub fn u32(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub fn u64(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub fn raw(&mut self, value: &[u8]) {
        self.0.extend_from_slice(value);
    }

    pub fn text(&mut self, value: &str) {
        self.u32(u32::try_from(value.len()).unwrap_or(u32::MAX));
        self.raw(value.as_bytes());
    }
}

/// Reads numbers and strings; methods return `None` if the bytes end too early.
#[derive(Debug, Clone, Copy)]
pub struct ContainerReader<'a>(pub &'a [u8]);

impl<'a> ContainerReader<'a> {
    pub fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*head)
    }

    pub fn text(&mut self) -> Option<&'a str> {
        let length = usize::try_from(self.u32()?).ok()?;
        let (head, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        str::from_utf8(head).ok()
    }
}

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
        Self { dir: discover::index_dir(cache, &store.dir), seal: store.seal.clone() }
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
    pub fn replace(&self, name: &str, bytes: &[u8]) -> Result<()> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_byte_is_noticed() {
        let big = (0..40_000_u32).flat_map(u32::to_le_bytes).collect();
        let sections = BTreeMap::from([("a".to_owned(), b"hello".to_vec()), ("b".to_owned(), big)]);
        let good = pack(&sections, SHORT);
        let read = |bytes: Vec<u8>| -> Result<Vec<Vec<u8>>> {
            let packed = Packed::read(&OwnedBytes::new(bytes))?;
            sections.keys().map(|name| Ok(packed.section(name)?.to_vec())).collect()
        };
        assert_eq!(read(good.clone()).unwrap(), sections.values().cloned().collect::<Vec<_>>());
        for at in (0..64).chain((64..good.len()).step_by(997)).chain(good.len() - 64..good.len()) {
            let mut bad = good.clone();
            bad[at] ^= 1;
            assert!(read(bad).is_err(), "byte {at}");
            assert!(read(good[..at].to_vec()).is_err(), "cut at {at}");
        }
    }
}
