//! The manifest of an index: its source files, and the check whether they have changed.

use std::{fs::Metadata, time::SystemTime};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use super::container::{ContainerReader, Writer};
use crate::store::{
    Store,
    notes::{NOTES, SCRATCHPAD},
    read::{self, ListedFile, ProblemKind, ReadProblem},
    snapshot,
};
use pimem_core::{
    model::category::Categories,
    search::{bm25::FieldSize, documents::SourceKind, tokens},
};

/// A file modified less than this before it was read may change again with the same time stamp, so
/// its content is compared. Git calls such a file racily clean.
const RACY_NS: i128 = 2_000_000_000;

/// Size, times and inode of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stamp {
    /// Size in bytes.
    pub len: u64,
    /// Modification time, in nanoseconds since 1970.
    modified: i128,
    /// Inode change time (ctime), which programs cannot set, in nanoseconds since 1970.
    changed: i128,
    /// Inode number; 0 if there is none.
    inode: u64,
}

impl Stamp {
    /// Serialised size in bytes.
    pub const SIZE: usize = 48;

    pub fn of(meta: &Metadata) -> Self {
        let modified = meta.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        let (changed, inode) = identity(meta);
        Self { len: meta.len(), modified: nanos(modified), changed, inode }
    }

    /// Returns the stamp with the length of the bytes that were read.
    #[must_use]
    pub fn of_read(self, bytes: &[u8]) -> Self {
        Self { len: bytes.len() as u64, ..self }
    }

    /// Returns true if a file with this stamp may have changed unnoticed since it was read at
    /// `when`.
    pub fn racy(self, when: SystemTime) -> bool {
        self.modified > nanos(when) - RACY_NS
    }

    pub fn write(self, out: &mut Writer) {
        out.u64(self.len);
        out.raw(&self.modified.to_le_bytes());
        out.raw(&self.changed.to_le_bytes());
        out.u64(self.inode);
    }

    pub fn read(reader: &mut ContainerReader<'_>) -> Option<Self> {
        let len = reader.u64()?;
        let modified = i128::from_le_bytes(reader.array()?);
        let changed = i128::from_le_bytes(reader.array()?);
        Some(Self { len, modified, changed, inode: reader.u64()? })
    }
}

#[cfg(unix)]
fn identity(meta: &Metadata) -> (i128, u64) {
    use std::os::unix::fs::MetadataExt;
    let changed = i128::from(meta.ctime()) * 1_000_000_000 + i128::from(meta.ctime_nsec());
    (changed, meta.ino())
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> (i128, u64) {
    (0, 0)
}

fn nanos(time: SystemTime) -> i128 {
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => i128::try_from(after.as_nanos()).unwrap_or(i128::MAX),
        Err(before) => -i128::try_from(before.duration().as_nanos()).unwrap_or(i128::MAX),
    }
}

/// The current state of a searched file.
#[derive(Debug, Clone)]
pub struct IndexedSource {
    /// Path relative to the store.
    pub name: String,
    pub kind: SourceKind,
    pub stamp: Stamp,
}

/// The state of a file when it was indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Indexed {
    /// Path relative to the store.
    pub name: String,
    pub kind: SourceKind,
    pub stamp: Stamp,
    /// True if an equal stamp does not prove equal content.
    pub racy: bool,
    /// SHA-256 of its content.
    pub hash: [u8; 32],
    /// Number of its first document.
    pub first: u32,
    /// Number of its documents and words.
    pub size: FieldSize,
}

impl Indexed {
    /// Returns the state of a file of which `bytes` were read after its stamp was taken. A file that
    /// changed in between has another length, or a stamp so recent that its content is compared.
    pub fn of(
        store: &Store,
        source: &IndexedSource,
        bytes: &[u8],
        real_now: SystemTime,
        (first, size): (u32, FieldSize),
    ) -> Self {
        // The size of a sealed file is not that of its text.
        let is_sealed = store.seal.is_sealed();
        let stamp = if is_sealed { source.stamp } else { source.stamp.of_read(bytes) };
        let racy = stamp.racy(real_now) || stamp != source.stamp;
        let (name, kind, hash) = (source.name.clone(), source.kind, content_hash(bytes));
        Self { name, kind, stamp, racy, hash, first, size }
    }

    /// Returns the numbers of its documents.
    pub fn docs(&self) -> std::ops::Range<u32> {
        let end = u64::from(self.first) + self.size.docs;
        self.first..u32::try_from(end).unwrap_or(u32::MAX)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// Id of the base: of this file, or, in a delta, of its base file.
    pub base: u64,
    /// Id of this file, which ties vector files to it.
    pub id: u64,
    /// Hash of all that determines tokens and documents; see [`recipe`].
    pub recipe: u64,
    /// Source files, sorted by name.
    pub sources: Vec<Indexed>,
}

/// Returns a hash that changes when the same files would give another index.
pub fn recipe(categories: &Categories) -> u64 {
    let names: Vec<&str> = categories.known().map(|(_, spec)| spec.name.as_ref()).collect();
    let names = names.join(", ");
    let version = tokens::VERSION.to_le_bytes();
    pimem_core::model::hash::fnv1a64(&[b"10", &version, names.as_bytes()])
}

/// Returns the SHA-256 of a file's content.
pub fn content_hash(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

impl Manifest {
    pub fn write(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.u64(self.base);
        out.u64(self.id);
        out.u64(self.recipe);
        out.u32(u32::try_from(self.sources.len()).unwrap_or(0));
        for source in &self.sources {
            out.text(&source.name);
            let kind = SourceKind::ALL.iter().position(|kind| *kind == source.kind);
            out.u32(u32::try_from(kind.unwrap_or(0)).unwrap_or(0));
            source.stamp.write(&mut out);
            out.u32(u32::from(source.racy));
            out.raw(&source.hash);
            out.u32(source.first);
            out.u64(source.size.docs);
            out.u64(source.size.words);
        }
        out.0
    }

    pub fn read(bytes: &[u8]) -> Result<Self> {
        Self::try_read(bytes).context("damaged manifest")
    }

    fn try_read(bytes: &[u8]) -> Option<Self> {
        let mut reader = ContainerReader(bytes);
        let (base, id, recipe) = (reader.u64()?, reader.u64()?, reader.u64()?);
        let mut sources = Vec::new();
        for _ in 0..reader.u32()? {
            let name = reader.text()?.to_owned();
            let kind = *SourceKind::ALL.get(usize::try_from(reader.u32()?).ok()?)?;
            let stamp = Stamp::read(&mut reader)?;
            let racy = reader.u32()? != 0;
            let (hash, first) = (reader.array()?, reader.u32()?);
            let size = FieldSize { docs: reader.u64()?, words: reader.u64()? };
            sources.push(Indexed { name, kind, stamp, racy, hash, first, size });
        }
        Some(Self { base, id, recipe, sources })
    }

    /// Returns the file that a document is in.
    pub fn source_of(&self, number: u32) -> Option<&Indexed> {
        let at = self.sources.partition_point(|source| source.docs().end <= number);
        self.sources.get(at)
    }

    pub fn find(&self, name: &str) -> Option<&Indexed> {
        let at = self.sources.binary_search_by(|source| source.name.as_str().cmp(name)).ok()?;
        self.sources.get(at)
    }
}

/// Returns every searched file of a store, sorted by name, with one `stat` each.
pub fn sources(store: &Store) -> (Vec<IndexedSource>, Vec<ReadProblem>) {
    let mut problems = Vec::new();
    let mut files = in_folder(store, "topics", SourceKind::Topic, &mut problems);
    files.extend(in_folder(store, "archive", SourceKind::Archive, &mut problems));
    let (notes, unread) = store.note_files();
    problems.extend(unread);
    files.extend(notes.into_iter().map(|file| {
        let kind = match file.name.as_str() {
            NOTES => SourceKind::Notes,
            SCRATCHPAD => SourceKind::Scratchpad,
            snapshot::SESSIONS => SourceKind::Session,
            name if name.starts_with("observations/") => SourceKind::Observation,
            _ => SourceKind::Daily,
        };
        (file, kind)
    }));
    let found = stamped(store, files, &mut problems);
    (found, problems)
}

/// Returns the topic files of a store, sorted by name; `None` if any cannot be read.
pub fn topics(store: &Store) -> Option<Vec<IndexedSource>> {
    let mut problems = Vec::new();
    let files = in_folder(store, "topics", SourceKind::Topic, &mut problems);
    let found = stamped(store, files, &mut problems);
    problems.is_empty().then_some(found)
}

/// Returns the files in a folder of a store.
fn in_folder(
    store: &Store,
    folder: &str,
    kind: SourceKind,
    problems: &mut Vec<ReadProblem>,
) -> Vec<(ListedFile, SourceKind)> {
    match read::markdown_files(&store.dir, folder) {
        Ok(files) => files.into_iter().map(|file| (file, kind)).collect(),
        Err(problem) => {
            problems.push(problem);
            Vec::new()
        }
    }
}

fn stamped(
    store: &Store,
    files: Vec<(ListedFile, SourceKind)>,
    problems: &mut Vec<ReadProblem>,
) -> Vec<IndexedSource> {
    let mut found = Vec::with_capacity(files.len());
    for (ListedFile { name, meta }, kind) in files {
        let (root, path) = store.place(&name);
        match meta.map_or_else(|| read::checked(root, &path), |meta| Ok(Some(meta))) {
            Ok(Some(meta)) if meta.len() > read::MAX_FILE => {
                let kind = ProblemKind::TooLarge(meta.len(), read::MAX_FILE);
                problems.push(ReadProblem { path, kind });
            }
            Ok(Some(meta)) => found.push(IndexedSource { name, kind, stamp: Stamp::of(&meta) }),
            Ok(None) => {}
            Err(kind) => problems.push(ReadProblem { path, kind }),
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}
