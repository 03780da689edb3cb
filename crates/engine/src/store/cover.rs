//! Sealing of what is not sealed yet, and the way back: file by file, each by replacement.
//!
//! A process that is killed leaves some files done and others not. Both are read, and the next one
//! goes on where it stopped.

use std::{path::Path, sync::atomic::Ordering};

use anyhow::{Result, bail};

use super::{
    Store, atomic,
    atomic::Sync,
    kept_files::Kept,
    lock::StoreLock,
    read::{self, Problem},
    seal::{self, Seal, Sealed},
};

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
    /// Fails if the store cannot be opened, or is said to be plain although its log is sealed: what
    /// is written would be plain among sealed lines.
    pub fn check_seal(&self) -> Result<(), Problem> {
        self.seal.check()?;
        let is_sealed = self.seal.is_sealed() || !seal::begins_sealed(&self.dir, &self.evidence());
        self.seal.missing(&self.dir).filter(|_| !is_sealed).map_or(Ok(()), Err)
    }

    /// Counts what is sealed. Nothing is written.
    pub fn cover(&self) -> Result<Cover> {
        let Seal::Sealed(sealed) = &self.seal else { return Ok(Cover::default()) };
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

    /// Seals what is not sealed under the current key; in a store that is being made plain, opens
    /// what is sealed.
    pub fn make_whole(&self, _lock: &StoreLock) -> Result<Covered> {
        let Seal::Sealed(sealed) = &self.seal else { return Ok(Covered::default()) };
        let files = self.kept_files()?;
        let mut covered = Covered::default();
        for kept in &files.store {
            covered.files += usize::from(sealed.renew(kept, self.sync)?);
        }
        if !files.data.is_empty() {
            let _lock = StoreLock::acquire(&self.data_dir(), self.patience)?;
            for kept in &files.data {
                covered.files += usize::from(sealed.renew(kept, self.sync.private())?);
            }
        }
        {
            let _lock = self.trust.guard()?;
            for kept in &files.state {
                covered.files += usize::from(sealed.renew(kept, self.sync.private())?);
            }
        }
        sealed.due.store(false, Ordering::Relaxed);
        Ok(covered)
    }

    /// Seals what a merge or an editor has brought as plain text, if any was read. Hooks do not: they
    /// leave files under version control alone.
    pub(super) fn make_whole_if_due(&self, lock: &StoreLock) -> Result<()> {
        match &self.seal {
            Seal::Sealed(sealed) if !self.aside && sealed.due.load(Ordering::Relaxed) => {
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
