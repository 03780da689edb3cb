//! `store.json`: whether a store is sealed, and under which key. Committed to git.
//!
//! By its steps a store becomes sealed, gets another key, and becomes plain again. Each writes the file
//! before any other file of the store, and from then on readers take both what is done and what is not,
//! so that a process may be killed at any moment. Where the file is lost, the keys of this machine are
//! tried on the sealed lines.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use super::{
    KeySource, Seal,
    source::{self, Due},
};
use crate::store::{
    atomic::{self, Sync},
    read::{self, ProblemKind, ReadProblem},
};
use pimem_core::seal::{self, KeyId, Keyring, SealKey};

pub const STORE_FILE: &str = "store.json";
/// Version of its format.
const SCHEMA: &str = "pimem.store/1";
/// Bytes of the file at most.
pub(super) const MOST: u64 = 64 << 10;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StoreManifest {
    pub(super) schema: String,
    /// 32 hexadecimal digits.
    pub(super) id: String,
    pub(super) sealed: bool,
    /// Id of the key that seals.
    pub(super) key: String,
    /// True while the store is being made plain again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) opening: bool,
}

impl StoreManifest {
    pub(super) fn new(id: String, key: KeyId) -> Self {
        Self { schema: SCHEMA.to_owned(), id, sealed: true, key: key.to_string(), opening: false }
    }

    /// Reads the file of a store. `Ok(None)` if it does not exist.
    pub(super) fn read(dir: &Path) -> Result<Option<Self>, ReadProblem> {
        let bytes = read::file(dir, &dir.join(STORE_FILE), MOST)?;
        bytes.map(|bytes| Self::parse(dir, &bytes)).transpose()
    }

    fn parse(dir: &Path, bytes: &[u8]) -> Result<Self, ReadProblem> {
        let path = dir.join(STORE_FILE);
        let fail = |why: &str| {
            let why = format!("{} {why}", path.display());
            let hint = "pimem encrypt repair writes it again where the key is; or take the version of \
                        git: git checkout -- store.json";
            ReadProblem { path: path.clone(), kind: ProblemKind::Sealed { why, hint } }
        };
        let value: serde_json::Value =
            serde_json::from_slice(bytes).map_err(|error| fail(&format!("is damaged: {error}")))?;
        let schema = value.get("schema").and_then(serde_json::Value::as_str);
        if schema.is_some_and(|schema| schema != SCHEMA) {
            let why = format!("{} is of a newer version of pimem", path.display());
            let kind = ProblemKind::Sealed { why, hint: "update pimem" };
            return Err(ReadProblem { path, kind });
        }
        let read: Self =
            serde_json::from_value(value).map_err(|error| fail(&format!("is damaged: {error}")))?;
        let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if read.id.len() != 32 || !read.id.bytes().all(is_hex) || read.key.parse::<KeyId>().is_err()
        {
            return Err(fail("is damaged: id and key are not hexadecimal"));
        }
        Ok(read)
    }

    pub(super) fn write(&self, dir: &Path, sync: Sync) -> Result<()> {
        let text = format!("{}\n", serde_json::to_string_pretty(self)?);
        let (path, _) = read::place(dir, &dir.join(STORE_FILE))?;
        atomic::replace_file(&path, text.as_bytes(), sync, || Ok(true)).map(drop)
    }

    pub(super) fn remove(dir: &Path, sync: Sync) -> Result<()> {
        Ok(atomic::remove_file(&dir.join(STORE_FILE), sync)?)
    }
}

/// Has a store sealed from now on.
pub fn begin(source: &KeySource, sync: Sync) -> Result<()> {
    let dir = &source.dir;
    let manifest = match StoreManifest::read(dir)? {
        Some(manifest) if manifest.sealed => StoreManifest { opening: false, ..manifest },
        other => {
            // A store that was sealed once keeps its id, so that its old lines can be opened.
            let known = source::known_sealed(source, None).map(|known| known.id);
            let known =
                known.filter(|id| source.keys.of(id).is_some_and(|k| !k.all(id).is_empty()));
            let id = match (other, known) {
                (Some(StoreManifest { id, .. }), _) | (None, Some(id)) => id,
                (None, None) => format!("{:032x}", atomic::random()?),
            };
            let key = source.keys.of(&id).context(NO_PLACE)?.made(&id)?;
            StoreManifest::new(id, key.id())
        }
    };
    manifest.write(dir, sync)
}

/// What is said where there is no configuration directory.
const NO_PLACE: &str = "there is no place for the key: set HOME, or encryption.keyPath";

/// Makes another key, under which a store is sealed from now on.
pub fn rotate(source: &KeySource, sync: Sync) -> Result<()> {
    let dir = &source.dir;
    let Some(manifest) = StoreManifest::read(dir)? else { bail!("the store is not sealed") };
    let key = source.keys.of(&manifest.id).context(NO_PLACE)?.another(&manifest.id)?;
    StoreManifest { key: key.id().to_string(), ..manifest }.write(dir, sync)
}

/// Gives the file of the current key the name by which it is looked for first.
pub fn promote(source: &KeySource) -> Result<()> {
    let Some(manifest) = StoreManifest::read(&source.dir)? else { return Ok(()) };
    let place = source.keys.of(&manifest.id);
    let (Some(place), Ok(id)) = (place, manifest.key.parse::<KeyId>()) else {
        return Ok(());
    };
    place.promote(&manifest.id, id)
}

/// Has a store written as plain text from now on.
pub fn begin_opening(source: &KeySource, sync: Sync) -> Result<()> {
    let dir = &source.dir;
    let Some(manifest) = StoreManifest::read(dir)? else { bail!("the store is not sealed") };
    if let Ok(key) = manifest.key.parse() {
        source::remember(source, &manifest.id, key, true, Due::default())?;
    }
    StoreManifest { opening: true, ..manifest }.write(dir, sync)
}

/// Ends what [`begin_opening`] has begun, when nothing is sealed any more.
pub fn end_opening(dir: &Path, sync: Sync) -> Result<()> {
    StoreManifest::remove(dir, sync)
}

/// Returns the id of the store in `dir`, if it has one.
pub fn store_id(dir: &Path) -> Option<String> {
    StoreManifest::read(dir).ok().flatten().map(|manifest| manifest.id)
}

/// A key that opens lines of a store.
#[derive(Debug)]
pub struct FoundStore {
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
    pub fn find_key(&self, files: &[(PathBuf, PathBuf)]) -> Result<Option<FoundStore>> {
        let Some(source) = self.source() else { return Ok(None) };
        let mut sealed = Vec::new();
        for (root, path) in files {
            let bytes = read::file(root, path, read::MAX_LOG)?.unwrap_or_default();
            sealed.extend(Some(bytes).filter(|bytes| !seal::key_ids(bytes).is_empty()));
        }
        let mut best: Option<FoundStore> = None;
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
                best = Some(FoundStore { id, key: key_id, lines });
            }
        }
        Ok(best)
    }

    /// Writes `store.json` for a key that was found.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub fn describe(&self, found: &FoundStore, sync: Sync) -> Result<()> {
        let Some(source) = self.source() else { return Ok(()) };
        StoreManifest::new(found.id.clone(), found.key).write(&source.dir, sync)?;
        self.accept()
    }
}

/// Returns the keys that may be those of a store, each with the id of the store that it is for.
fn candidates(source: &KeySource) -> Vec<(String, SealKey)> {
    let known = source::known_sealed(source, None).map(|known| known.id);
    let ids = known.into_iter().chain(source.keys.stores());
    let keys = ids.filter_map(|id| {
        let place = source.keys.of(&id)?;
        Some(place.all(&id).into_iter().map(move |key| (id.clone(), key)))
    });
    keys.flatten().collect()
}
