//! Sealing of what is not sealed yet, and the way back: file by file, each by replacement.
//!
//! A process that is killed leaves some files done and others not. Both are read, and the next one
//! goes on where it stopped.

use std::{
    path::{Path, PathBuf},
    sync::atomic::Ordering,
};

use anyhow::{Result, bail};

use super::{
    Store, atomic,
    atomic::Sync,
    discover,
    kept_files::Kept,
    lock::StoreLock,
    read::{self, Problem},
    seal::{Kept as How, Sealed},
};
use pimem_core::seal::key_ids;

/// Maximum number of rereads when a file changes meanwhile.
const RETRIES: usize = 8;

/// What the files of a store are like.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cover {
    /// Number of files.
    pub files: usize,
    /// Number of lines that are not sealed.
    pub plain: usize,
    /// Number of lines that are sealed under a former key.
    pub former: usize,
    /// Number of lines that cannot be opened.
    pub closed: usize,
}

/// What was done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Covered {
    /// Number of files that were written.
    pub files: usize,
}

impl Store {
    /// Counts what is sealed. Nothing is written.
    pub fn cover(&self) -> Result<Cover> {
        let sealed = match self.seal.kept() {
            How::Sealed(sealed) => sealed,
            _ if self.seal.undescribed().is_some() => return self.closed(),
            _ => return Ok(Cover::default()),
        };
        let files = self.kept_files()?;
        let mut cover = Cover::default();
        for kept in files.store.iter().chain(&files.data).chain(&files.state) {
            let Some(raw) = read::file(&kept.root, &kept.path, read::MAX_LOG)? else { continue };
            let opened = sealed.ring.open(&raw);
            sealed.tell(&kept.path, &opened);
            cover.files += 1;
            cover.plain += opened.plain;
            cover.former += opened.former;
            cover.closed += opened.closed();
        }
        Ok(cover)
    }

    /// Counts what is sealed in a store that does not say under which key.
    fn closed(&self) -> Result<Cover> {
        let mut cover = Cover::default();
        for (root, path) in self.sealed_places()? {
            let raw = read::file(&root, &path, read::MAX_LOG)?.unwrap_or_default();
            cover.files += 1;
            cover.closed += key_ids(&raw).values().sum::<usize>();
        }
        Ok(cover)
    }

    /// Returns the files of the store and of this machine that may be sealed, each with the
    /// directory that it must not lead out of.
    pub fn sealed_places(&self) -> Result<Vec<(PathBuf, PathBuf)>, Problem> {
        let files = self.kept_files()?;
        let all = files.store.into_iter().chain(files.data).chain(files.state);
        Ok(all.map(|kept| (kept.root, kept.path)).collect())
    }

    /// Seals what is not sealed under the current key; in a store that is being made plain, opens
    /// what is sealed.
    pub fn make_whole(&self, _lock: &StoreLock) -> Result<Covered> {
        let How::Sealed(sealed) = self.seal.kept() else { return Ok(Covered::default()) };
        let mut covered = Covered::default();
        for kept in &self.kept_files()?.store {
            covered.files += usize::from(sealed.renew(kept, self.sync)?);
        }
        covered.files += self.make_beside_whole(&sealed)?;
        self.seal.covered(&sealed, true)?;
        Ok(covered)
    }

    /// Seals what lies beside the store, in the state directory and in the cache, if a visit of the
    /// store as it was before it was sealed has left plain text there.
    ///
    /// # Errors
    /// Fails if a file cannot be read or written.
    pub fn cover_beside(&self) -> Result<()> {
        match self.seal.kept() {
            How::Sealed(sealed)
                if !sealed.opening
                    && sealed.due_beside.load(Ordering::Relaxed)
                    && self.seal.check_write().is_ok() =>
            {
                self.make_beside_whole(&sealed)?;
                self.seal.covered(&sealed, false)
            }
            _ => Ok(()),
        }
    }

    /// Deletes the index of the store, which has its words and vectors in the form that the store
    /// had.
    ///
    /// # Errors
    /// Fails if it is locked, or cannot be deleted.
    pub fn drop_cache(&self) -> Result<()> {
        let cache = self.seal.source().and_then(|source| source.cache.as_deref());
        let dir = cache.map(|cache| discover::index_dir(cache, &self.dir));
        let Some(dir) = dir.filter(|dir| dir.is_dir()) else { return Ok(()) };
        let _lock = StoreLock::acquire(&dir, self.patience)?;
        let _alone = StoreLock::alone(&dir, self.patience)?;
        atomic::remove_dir(&dir)
    }

    fn make_beside_whole(&self, sealed: &Sealed) -> Result<usize> {
        if sealed.due_beside.load(Ordering::Relaxed) {
            self.drop_cache()?;
        }
        let mut count = 0;
        // Files are listed under their locks: who made one since knows how the store is kept.
        let data = self.data_dir();
        if data.is_dir() && self.guard_data(&data).is_ok() {
            let _alone = StoreLock::alone(&data, self.patience)?;
            let files = self.kept_files()?.data;
            let lock = || StoreLock::acquire(&data, self.patience);
            let _lock = (!files.is_empty()).then(lock).transpose()?;
            for kept in &files {
                count += usize::from(sealed.renew(kept, self.sync.private())?);
            }
        }
        let _lock = self.trust.guard()?;
        for kept in &self.kept_files()?.state {
            count += usize::from(sealed.renew(kept, self.sync.private())?);
        }
        Ok(count)
    }

    /// Seals what a merge or an editor has brought as plain text, if any was read. Hooks do not: they
    /// leave files under version control alone.
    pub(super) fn make_whole_if_due(&self, lock: &StoreLock) -> Result<()> {
        match self.seal.kept() {
            How::Sealed(sealed) if !self.aside && sealed.due.load(Ordering::Relaxed) => {
                self.make_whole(lock).map(drop)
            }
            _ => Ok(()),
        }
    }
}

impl Sealed {
    /// Returns what a file has to become; `None` if it is so already.
    fn whole(&self, path: &Path, raw: &[u8]) -> Result<Option<Vec<u8>>> {
        let opened = self.ring.open(raw);
        if self.opening {
            return Ok(Some(opened.bytes).filter(|bytes| bytes != raw));
        }
        if !opened.is_due() {
            return Ok(None);
        }
        self.seal(path, &opened.bytes, raw).map(Some)
    }

    fn renew(&self, kept: &Kept, sync: Sync) -> Result<bool> {
        for _ in 0..RETRIES {
            let Some(raw) = read::file(&kept.root, &kept.path, read::MAX_LOG)? else {
                return Ok(false);
            };
            let Some(bytes) = self.whole(&kept.path, &raw)? else { return Ok(false) };
            let (path, _) = read::place(&kept.root, &kept.path)?;
            if let Some(dir) = path.parent() {
                atomic::sweep(dir);
            }
            let unchanged =
                || Ok(read::file(&kept.root, &kept.path, read::MAX_LOG)?.as_ref() == Some(&raw));
            if atomic::replace_file(&path, &bytes, sync, unchanged)? {
                return Ok(true);
            }
        }
        bail!("{} keeps changing while it is written", kept.path.display())
    }
}
