//! Key files: 32 random bytes, readable by their owner only.
//!
//! The bytes are read into memory that is overwritten afterwards. They are never an argument, in
//! the environment, or part of a message.

use std::{
    fs,
    io::{self, Read, Write as _},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use zeroize::Zeroizing;

use crate::store::atomic::{self, Sync};
use pimem_core::seal::{KEY_BYTES, KeyId, SealKey};

type Secret = Zeroizing<[u8; KEY_BYTES]>;

/// Where the key files of a store are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyPlace(PathBuf);

/// Where the key files of all stores are.
#[derive(Debug, Clone, Default)]
pub struct KeyPlaces {
    /// The file that `encryption.keyPath` names.
    pub named: Option<PathBuf>,
    /// The directory of key files, which are named after their stores.
    pub dir: Option<PathBuf>,
}

impl KeyPlaces {
    /// Returns where the key files of a store are; `None` if there is no configuration directory.
    pub fn of(&self, id: &str) -> Option<KeyPlace> {
        let in_dir = || Some(self.dir.as_ref()?.join(format!("{id}.key")));
        self.named.clone().or_else(in_dir).map(KeyPlace)
    }

    /// Returns the ids of the stores that have key files, in order.
    pub(super) fn stores(&self) -> Vec<String> {
        let found = self.dir.iter().filter_map(|dir| fs::read_dir(dir).ok());
        let id = |entry: fs::DirEntry| {
            let name = entry.file_name().into_string().ok()?;
            Some(name.strip_suffix(".key")?.split('.').next()?.to_owned())
        };
        let mut ids: Vec<String> = found.flatten().flatten().filter_map(id).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }
}

/// Why a key file cannot be used, after its path.
pub(super) type Refusal = String;

impl KeyPlace {
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the path of a key that is not the current one.
    fn beside(&self, id: KeyId) -> PathBuf {
        self.0.with_extension(format!("{id}.key"))
    }

    /// Reads the keys of a store: the one with the given id, and all others that are here.
    pub(super) fn keys(&self, store: &str, id: &str) -> Result<(SealKey, Vec<SealKey>), Refusal> {
        let first = read(&self.0).map(|secret| SealKey::derive(&secret, store));
        let others = self.others().into_iter().filter_map(|path| read(&path).ok());
        let mut others: Vec<SealKey> =
            others.map(|secret| SealKey::derive(&secret, store)).collect();
        let is_meant = |key: &SealKey| key.id().to_string() == id;
        if let Some(at) = others.iter().position(is_meant) {
            let meant = others.swap_remove(at);
            others.extend(first.ok());
            return Ok((meant, others));
        }
        let first = first.map_err(|why| self.because(&why, id))?;
        if !is_meant(&first) {
            let other = first.id();
            let why = format!("is the key {other} of another store");
            return Err(self.because(&why, id));
        }
        Ok((first, others))
    }

    /// Returns all keys that are here and can be read, the current one first.
    pub(super) fn all(&self, store: &str) -> Vec<SealKey> {
        let paths = std::iter::once(self.0.clone()).chain(self.others());
        let keys = paths.filter_map(|path| read(&path).ok());
        keys.map(|secret| SealKey::derive(&secret, store)).collect()
    }

    fn because(&self, why: &str, id: &str) -> Refusal {
        format!("its key {id} is not on this machine: {} {why}", self.0.display())
    }

    /// Returns the paths of the keys beside the current one.
    fn others(&self) -> Vec<PathBuf> {
        let stem = self.0.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let is_key = |name: &str| {
            let id = name.strip_prefix(&*stem)?.strip_prefix('.')?.strip_suffix(".key")?;
            id.parse::<KeyId>().ok()
        };
        let dir = self.0.parent().unwrap_or(Path::new("."));
        let found = fs::read_dir(dir).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = found
            .filter(|entry| entry.file_name().to_str().and_then(is_key).is_some())
            .map(|entry| entry.path())
            .collect();
        paths.sort_unstable();
        paths
    }

    /// Returns the key at the place of a new store's key, which is made if it does not exist.
    pub(super) fn made(&self, store: &str) -> Result<SealKey> {
        if fs::symlink_metadata(&self.0).is_err() {
            create(&self.0)?;
        }
        let secret = read(&self.0)
            .map_err(|why| anyhow::anyhow!("the key file {} {why}", self.0.display()))?;
        Ok(SealKey::derive(&secret, store))
    }

    /// Makes another key for a store, beside the current one.
    pub(super) fn another(&self, store: &str) -> Result<SealKey> {
        let secret = random()?;
        let key = SealKey::derive(&secret, store);
        write(&self.beside(key.id()), &secret)?;
        Ok(key)
    }

    /// Gives the key with an id the place of the current one, which is kept beside it.
    pub(super) fn promote(&self, store: &str, id: KeyId) -> Result<()> {
        let from = self.beside(id);
        if !from.exists() {
            return Ok(());
        }
        if let Ok(secret) = read(&self.0) {
            let old = SealKey::derive(&secret, store).id();
            if old != id {
                atomic::rename(&self.0, &self.beside(old))?;
            }
        }
        atomic::rename(&from, &self.0)
    }
}

fn create(path: &Path) -> Result<()> {
    if let Some(dir) = path.parent() {
        atomic::create_dir(dir, Sync::PrivateFull)?;
    }
    let secret = random()?;
    write(path, &secret)
}

fn random() -> Result<Secret> {
    let mut secret = Zeroizing::new([0; KEY_BYTES]);
    atomic::fill(&mut *secret)?;
    Ok(secret)
}

/// Writes a key into a file that does not exist yet.
fn write(path: &Path, secret: &[u8; KEY_BYTES]) -> Result<()> {
    let write = || -> Result<()> {
        let mut file = atomic::new_file(path)?;
        file.write_all(secret)?;
        file.sync_all()?;
        Ok(())
    };
    write().with_context(|| format!("cannot write the key file {}", path.display()))
}

fn read(path: &Path) -> Result<Secret, Refusal> {
    let is_pipe = |meta: &fs::Metadata| !meta.is_file() && !meta.is_symlink();
    if fs::symlink_metadata(path).is_ok_and(|meta| is_pipe(&meta)) {
        return Err("is not a file".to_owned());
    }
    let mut file = atomic::open_to_read(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => "does not exist".to_owned(),
        _ if atomic::is_link(&error) => "is a symbolic link".to_owned(),
        _ => format!("cannot be read: {error}"),
    })?;
    let meta = file.metadata().map_err(|error| format!("cannot be read: {error}"))?;
    if !meta.is_file() {
        return Err("is not a file".to_owned());
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let mode = meta.mode() & 0o777;
        if mode & 0o077 != 0 {
            return Err(format!("can be read by others (mode {mode:03o}; it has to be 600)"));
        }
        if meta.uid() != rustix::process::geteuid().as_raw() {
            return Err("belongs to another user".to_owned());
        }
    }
    if meta.len() != KEY_BYTES as u64 {
        return Err(format!("has {} bytes; a key has {KEY_BYTES}", meta.len()));
    }
    let mut secret = Zeroizing::new([0; KEY_BYTES]);
    file.read_exact(&mut *secret).map_err(|error| format!("cannot be read: {error}"))?;
    Ok(secret)
}
