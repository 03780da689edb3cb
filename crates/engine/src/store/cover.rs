//! Sealing of what is not sealed yet, and the way back: file by file, each by replacement. Machine-local
//! files that are sealed under a key that is lost are set aside.
//!
//! A process that is killed leaves some files done and others not. Both are read, and the next one
//! goes on where it stopped.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::Ordering,
};

use anyhow::{Result, bail};
use pimem_core::seal::{TAG, is_token, key_ids};

use super::{
    Store, StoreLock,
    atomic::{self, Sync},
    discover,
    notes::{self, DAILY, NOTES, SCRATCHPAD},
    read::{self, ReadProblem},
    seal::{SealKept as How, Sealed},
    snapshot::EVIDENCE,
    trust_ledger,
};

/// Maximum number of rereads when a file changes meanwhile.
const RETRIES: usize = 8;

/// What the files of a store are like.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cover {
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
        for kept in files.all() {
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
    pub fn sealed_places(&self) -> Result<Vec<(PathBuf, PathBuf)>, ReadProblem> {
        let files = self.kept_files()?;
        Ok(files.all().map(|kept| (kept.root.clone(), kept.path.clone())).collect())
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
        atomic::empty_dir(&dir)
    }

    fn make_beside_whole(&self, sealed: &Sealed) -> Result<usize> {
        if sealed.due_beside.load(Ordering::Relaxed) {
            self.drop_cache()?;
        }
        self.take_in(self.patience)?;
        let mut count = 0;
        // Files are listed under their locks: who made one since knows how the store is kept.
        for data in self.data_dirs() {
            let _alone = StoreLock::alone(&data, self.patience)?;
            let mut files = self.kept_files()?.data;
            files.retain(|kept| kept.root == data);
            let lock = || StoreLock::acquire(&data, self.patience);
            let _lock = (!files.is_empty()).then(lock).transpose()?;
            for kept in &files {
                count += usize::from(sealed.renew(kept, self.sync.private())?);
            }
        }
        for kept in &self.kept_files()?.linked {
            let _alone = StoreLock::alone(&kept.root, self.patience)?;
            count += usize::from(sealed.renew(kept, self.sync.private())?);
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

    fn renew(&self, kept: &KeptFile, sync: Sync) -> Result<bool> {
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

/// Folders of the store whose files are Markdown.
const FOLDERS: [&str; 4] = ["topics", "archive", DAILY, notes::OBSERVATIONS];
/// Files in the store's own directory.
const NAMES: [&str; 4] = [NOTES, SCRATCHPAD, EVIDENCE, "memory-scores.json"];

/// A file that may be there, and the directory that it must not lead out of.
pub(super) struct KeptFile {
    pub(super) root: PathBuf,
    pub(super) path: PathBuf,
}

/// The files, by the lock that guards them.
pub(super) struct CoveredFiles {
    /// In the store.
    pub(super) store: Vec<KeptFile>,
    /// In `data/`.
    pub(super) data: Vec<KeptFile>,
    /// The spools of linked work trees, each under the lock of its directory.
    pub(super) linked: Vec<KeptFile>,
    pub(super) state: Vec<KeptFile>,
}

impl CoveredFiles {
    fn all(&self) -> impl Iterator<Item = &KeptFile> {
        self.store.iter().chain(&self.data).chain(&self.linked).chain(&self.state)
    }
}

impl Store {
    /// Lists the files that hold what was remembered.
    pub(super) fn kept_files(&self) -> Result<CoveredFiles, ReadProblem> {
        let kept = |root: &Path, path: PathBuf| KeptFile { root: root.to_path_buf(), path };
        let mut store: Vec<KeptFile> =
            NAMES.iter().map(|name| kept(&self.dir, self.dir.join(name))).collect();
        for folder in FOLDERS {
            let dir = self.dir.join(folder);
            let names = read::markdown_names(&self.dir, &dir)?;
            store.extend(names.into_iter().map(|name| kept(&self.dir, dir.join(name))));
        }
        // A work tree that is gone has no data/ any more.
        let outside = self.local_log().into_iter().chain(self.stray_logs());
        let outside = outside.filter(|path| {
            path.is_file() && !self.data_dirs().iter().any(|dir| path.starts_with(dir))
        });
        store.extend(outside.map(|path| kept(path.parent().unwrap_or(&path), path.clone())));
        let files = |dir: PathBuf| files_below(&dir).into_iter().map(move |path| kept(&dir, path));
        let data = self.data_dirs().into_iter().flat_map(files).collect();
        let linked = self.linked_spools().into_iter();
        let linked = linked.map(|(root, path)| KeptFile { root, path }).collect();
        let mut state = Vec::new();
        for path in trust_ledger::files_of(&self.trust) {
            state.push(kept(path.parent().unwrap_or(&path), path.clone()));
        }
        for path in self.spool_files_in_state() {
            state.push(kept(path.parent().unwrap_or(&path), path.clone()));
        }
        if let Some(dir) = self.dream_dir() {
            state.extend(files_in(&dir).into_iter().map(|path| kept(&dir, path)));
        }
        Ok(CoveredFiles { store, data, linked, state })
    }
}

/// Returns the files of a directory and of its folders that hold text.
fn files_below(dir: &Path) -> Vec<PathBuf> {
    let mut found = files_in(dir);
    let folders = fs::read_dir(dir).into_iter().flatten().flatten();
    let folders = folders.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    for folder in folders {
        found.extend(files_in(&folder.path()));
    }
    found
}

fn files_in(dir: &Path) -> Vec<PathBuf> {
    let found = fs::read_dir(dir).into_iter().flatten().flatten();
    let is_text = |name: &str| !name.starts_with('.') && name != "lock";
    let mut paths: Vec<PathBuf> = found
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .filter(|entry| entry.file_name().to_str().is_none_or(is_text))
        .map(|entry| entry.path())
        .collect();
    paths.sort_unstable();
    paths
}

/// Prefix of the names of what was set aside; files of that name are not looked at.
const ASIDE: &str = ".lost-";

impl Store {
    /// Takes the lock of the store, and reads again how that is kept: another process may have
    /// sealed it, or made it plain, while this one waited.
    pub fn lock(&self) -> Result<StoreLock> {
        let lock = StoreLock::acquire(&self.dir, self.patience)?;
        self.seal.reread();
        self.seal.check_write()?;
        Ok(lock)
    }

    /// Sets aside the lines of machine-local files that cannot be opened: what is left beside a new
    /// store of the one that was there before, or of a key that is lost. Returns the number of files.
    pub fn set_aside_lost(&self) -> Result<usize> {
        let mut count = 0;
        for data in self.data_dirs() {
            let _alone = StoreLock::alone(&data, self.patience)?;
            for kept in self.kept_files()?.data.iter().filter(|kept| kept.root == data) {
                count += usize::from(self.part(kept)?);
            }
        }
        for kept in &self.kept_files()?.linked {
            let _alone = StoreLock::alone(&kept.root, self.patience)?;
            count += usize::from(self.part(kept)?);
        }
        let _lock = self.trust.guard()?;
        for kept in &self.kept_files()?.state {
            count += usize::from(self.part(kept)?);
        }
        if matches!(self.seal.kept(), How::Plain) {
            self.seal.accept()?;
        }
        Ok(count)
    }

    /// Parts the lines of a file that cannot be opened from the others. Returns true if there were
    /// any.
    fn part(&self, kept: &KeptFile) -> Result<bool> {
        let Ok(Some(raw)) = read::file(&kept.root, &kept.path, read::MAX_LOG) else {
            return Ok(false);
        };
        let text = match self.seal.kept() {
            How::Sealed(sealed) => sealed.ring.open(&raw).bytes,
            _ => raw.clone(),
        };
        let is_lost = |line: &&[u8]| {
            line.starts_with(TAG.as_bytes()) && str::from_utf8(line).is_ok_and(is_token)
        };
        let (lost, left): (Vec<&[u8]>, Vec<&[u8]>) =
            text.split_inclusive(|byte| *byte == b'\n').partition(is_lost);
        if lost.is_empty() {
            return Ok(false);
        }
        let name = kept.path.file_name().unwrap_or_default().to_string_lossy();
        let number = atomic::random()? & 0xffff_ffff;
        let dir = kept.path.parent().unwrap_or(Path::new("/"));
        let aside = dir.join(format!("{ASIDE}{number:08x}-{name}.sealed"));
        atomic::replace_file(&aside, &lost.concat(), Sync::PrivateFull, || Ok(true))?;
        if left.iter().all(|line| line.trim_ascii().is_empty()) {
            atomic::remove_file(&kept.path, Sync::PrivateFull)?;
        } else {
            self.seal.replace(&kept.path, &left.concat(), self.sync.private(), || Ok(true))?;
        }
        Ok(true)
    }
}
