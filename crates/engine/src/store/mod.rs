//! A store on disk, and its lock: `flock` on a file that is never renamed or deleted. Only this module
//! writes user data.
//!
//! The kernel releases the lock when the process dies, so stale locks do not occur. Readers take no
//! lock.

pub mod atomic;
pub mod commit;
pub mod cover;
pub mod discover;
pub mod dream_schedule;
pub mod evidence;
pub mod foreign_file;
pub mod foreign_store;
pub mod git;
pub mod hook_ledger;
pub mod kept_lines;
pub mod machine_local;
pub mod merge_driver;
pub mod notes;
pub mod provenance;
pub mod purge;
pub mod read;
pub mod rooms;
pub mod seal;
pub mod snapshot;
pub mod spool;
pub mod transaction;
pub mod trust;
pub mod trust_ledger;
pub mod undo;

use std::{
    fs::{self, File, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{
        Arc, OnceLock,
        mpsc::{self, RecvTimeoutError},
    },
    time::Duration,
};

use anyhow::{Context, Result};
use pimem_core::{
    model::{hash::first_64, mirror::Mirror},
    score::ranking::Scope,
};
use sha2::{Digest, Sha256};

use self::{
    git::WorkTrees,
    machine_local::NotedPlaces,
    seal::Seal,
    snapshot::{EVIDENCE, SESSIONS, note_files},
    trust::{Trust, TrustedKind},
    undo::Run,
};
use crate::store::{
    atomic::Sync,
    read::{ListedFile, ProblemKind, ReadProblem},
};

/// A memory directory: the directory that contains `topics/`.
#[derive(Debug, Clone)]
pub struct Store {
    pub dir: PathBuf,
    pub scope: Scope,
    pub sync: Sync,
    /// Maximum wait of a writer for the lock.
    pub patience: Duration,
    /// Opens and seals what the files hold.
    pub seal: Seal,
    /// Decides which texts an agent may see.
    pub trust: Trust,
    /// The user's state directory, if there is one.
    pub state: Option<PathBuf>,
    /// True for callers that send text to an agent unasked.
    pub strict: bool,
    /// True if events stay in the local log until the next command; set for hooks.
    pub aside: bool,
    /// True if the branches of a repository's work trees know nothing of one another.
    pub apart: bool,
    /// The typed command that is running, if it can be undone.
    pub run: Option<Arc<Run>>,
    /// Where the lines are from, if the store is a mirror. Then it is only read.
    pub mirror: Option<Arc<Mirror>>,
    /// Where the machine-local files are, once they are needed.
    pub noted: Arc<OnceLock<NotedPlaces>>,
    /// The work trees of its repository, once they are asked for.
    pub trees: Arc<OnceLock<Option<WorkTrees>>>,
}

impl Store {
    /// Returns the store for callers that send text to an agent unasked, such as hooks: unreviewed
    /// text is hidden even if the user named the store.
    #[must_use]
    pub fn strict(self) -> Self {
        Self { trust: self.trust.strict(), strict: true, ..self }
    }

    /// Returns the store for read-only use: findings about the provenance of lines are not written.
    #[must_use]
    pub fn unwritten(self) -> Self {
        Self { trust: self.trust.unwritten(), ..self }
    }

    /// Returns the directory for the state of dreams, if there is one. It is outside the
    /// repository, so that a clone cannot bring any.
    pub fn dream_dir(&self) -> Option<PathBuf> {
        let key = discover::key_of(&discover::real(&self.dir));
        self.state.as_deref().map(|state| state.join("pimem/dream").join(key))
    }

    pub fn topics_dir(&self) -> PathBuf {
        self.dir.join("topics")
    }

    pub fn evidence(&self) -> PathBuf {
        self.dir.join(EVIDENCE)
    }

    /// Returns the path of a searched file, and the directory that it must not lead out of.
    pub fn place(&self, name: &str) -> (&Path, PathBuf) {
        if name == SESSIONS {
            return self.local_place(machine_local::SESSIONS);
        }
        (&self.dir, self.dir.join(name))
    }

    /// Returns the files that are searched besides the topics, and the problems with listing them. A
    /// mirror has none.
    pub fn note_files(&self) -> (Vec<ListedFile>, Vec<ReadProblem>) {
        if self.mirror.is_some() { (Vec::new(), Vec::new()) } else { note_files(self) }
    }

    /// Returns the names of existing notes, lists and logs, and the problems with listing them.
    pub fn note_files_there(&self) -> (Vec<String>, Vec<ReadProblem>) {
        let (files, problems) = self.note_files();
        let names = files.into_iter().map(|file| file.name);
        let there = |name: &String| name != SESSIONS && self.dir.join(name).is_file();
        (names.filter(there).collect(), problems)
    }

    /// Reads a file by its name in the store. `Ok(None)` if it does not exist.
    pub fn file(&self, name: &str) -> Result<Option<Vec<u8>>, ReadProblem> {
        let (root, path) = self.place(name);
        let limit = if name == EVIDENCE { read::MAX_LOG } else { read::MAX_FILE };
        self.seal.read(root, &path, limit)
    }

    /// Like [`Store::file`], for a name that was just listed.
    pub fn listed(&self, name: &str) -> Result<Option<Vec<u8>>, ReadProblem> {
        let (root, path) = self.place(name);
        self.seal.listed(root, &path, read::MAX_FILE)
    }
}

/// Content of a store's `.gitignore`.
pub const GIT_IGNORE: &str = "memory-scores.json\nlock\n.pimem-tmp-*\n.dream-watermark\n";
/// Content of a store's `.gitattributes`: the union merge keeps concurrent additions of both sides.
pub const GIT_ATTRIBUTES: &str = "evidence.jsonl merge=union\ntopics/*.md merge=union\narchive/*.md merge=union\ndaily/*.md merge=union\nMEMORY.md merge=union\nSCRATCHPAD.md merge=union\n";

impl Store {
    /// Creates the store's directories and git files. Returns true if any was missing.
    pub fn init(&self) -> Result<bool> {
        self.seal.check_write()?;
        let topics = self.topics_dir();
        let make = || {
            atomic::create_dir(&topics, self.sync)?;
            read::guard(&self.dir, &topics)?;
            self.complete(&self.lock()?)
        };
        let fresh = !topics.is_dir();
        let made =
            make().with_context(|| format!("cannot make a store in {}", self.dir.display()))?;
        Ok(fresh || made)
    }

    /// Creates the missing parts of the store, as after a killed `init`, and deletes temporary
    /// files of killed processes. Returns true if any part was missing. A store that was empty is
    /// trusted as made on this machine, including its notes and logs.
    pub fn complete(&self, _lock: &StoreLock) -> Result<bool> {
        let mut held = atomic::sweep_and_list(&self.dir)
            .with_context(|| format!("cannot read {}", self.dir.display()))?;
        held.retain(|name| name != "lock");
        let topics =
            || fs::read_dir(self.topics_dir()).is_ok_and(|mut found| found.next().is_none());
        if held.iter().all(|name| name == "topics" && topics()) {
            // Where that fails, it is warned of until pimem encrypt init does it.
            drop(self.set_aside_lost());
            self.trust.note(|| {
                [TrustedKind::Made, TrustedKind::Notes].map(|kind| self.trust.text(kind, "")).into()
            });
        }
        let mut missing = false;
        // The git files come first: the next step creates something to commit.
        for (name, text) in [(".gitignore", GIT_IGNORE), (".gitattributes", GIT_ATTRIBUTES)] {
            if !held.iter().any(|held| held == name) {
                missing |= atomic::create_file(&self.dir.join(name), text, self.sync)?;
            }
        }
        if !held.iter().any(|held| held == "topics") {
            atomic::create_dir(&self.topics_dir(), self.sync)?;
            missing = true;
        }
        Ok(missing)
    }

    /// Returns the first 64 bits of a hash of topics and evidence, in hexadecimal.
    pub fn state(&self) -> Result<String> {
        let mut hash = Sha256::new();
        let mut part = |name: &str, bytes: &[u8]| {
            hash.update(name);
            hash.update([0]);
            hash.update(bytes.len().to_le_bytes());
            hash.update(bytes);
        };
        let topics = self.topics_dir();
        for name in read::markdown_names(&self.dir, &topics)? {
            let bytes = self.seal.listed(&self.dir, &topics.join(&name), read::MAX_FILE);
            part(&name, &bytes?.unwrap_or_default());
        }
        part(EVIDENCE, &self.log()?);
        Ok(format!("{:016x}", first_64(hash)))
    }
}

/// A lock that is held until dropped.
#[derive(Debug)]
pub struct StoreLock {
    file: File,
}

#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process held the lock for the whole waiting time.
    #[error("{} is locked by another process (waited {} ms)", .0.display(), .1.as_millis())]
    Busy(PathBuf, Duration),
    #[error("cannot lock {}", .0.display())]
    Io(PathBuf, #[source] io::Error),
    /// The lock file is not a file of the store.
    #[error(transparent)]
    Refused(ReadProblem),
}

/// Returns true for file systems of this machine, by the magic numbers of statfs(2).
#[cfg(target_os = "linux")]
fn is_on_local_disk(file: &File) -> bool {
    const EXT: u32 = 0xEF53;
    const XFS: u32 = 0x5846_5342;
    const BTRFS: u32 = 0x9123_683E;
    const F2FS: u32 = 0xF2F5_2010;
    const ZFS: u32 = 0x2FC1_2FC1;
    const TMPFS: u32 = 0x0102_1994;
    const OVERLAY: u32 = 0x794C_7630;
    let kind = rustix::fs::fstatfs(file).ok().and_then(|disk| u32::try_from(disk.f_type).ok());
    kind.is_some_and(|kind| [EXT, XFS, BTRFS, F2FS, ZFS, TMPFS, OVERLAY].contains(&kind))
}

#[cfg(not(target_os = "linux"))]
fn is_on_local_disk(_: &File) -> bool {
    false
}

impl StoreLock {
    /// Takes the lock of the store in `dir`, waiting up to `patience`.
    pub fn acquire(dir: &Path, patience: Duration) -> Result<Self, LockError> {
        let path = dir.join("lock");
        match atomic::open_to_append(&path, Sync::None) {
            Ok(file) => Self::wait(file, dir, patience),
            Err(error) if atomic::is_link(&error) && path.is_symlink() => {
                // The target of a link is not the lock of this store.
                let within = ReadProblem { path: path.clone(), kind: ProblemKind::NotAFile };
                Err(LockError::Refused(read::guard(dir, &path).err().unwrap_or(within)))
            }
            Err(error) => Err(LockError::Io(path, error)),
        }
    }

    /// Checks that the lock could be taken within `patience`, without creating the lock file.
    pub fn probe(dir: &Path, patience: Duration) -> Result<(), LockError> {
        let path = dir.join("lock");
        if path.symlink_metadata().is_ok() {
            return Self::acquire(dir, patience).map(drop);
        }
        #[cfg(unix)]
        rustix::fs::access(dir, rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK)
            .map_err(|error| LockError::Io(path, error.into()))?;
        Ok(())
    }

    /// Locks the directory itself, for directories in which no lock file may be left.
    pub fn of_directory(dir: &Path, patience: Duration) -> Result<Self, LockError> {
        let file = File::open(dir).map_err(|error| LockError::Io(dir.to_path_buf(), error))?;
        Self::wait(file, dir, patience)
    }

    /// Takes a lock on the directory itself that others may take too, but nobody beside one who
    /// has [`StoreLock::alone`]. `None` where directories cannot be locked.
    pub fn shared(dir: &Path, patience: Duration) -> Result<Option<Self>, LockError> {
        let Ok(file) = File::open(dir) else { return Ok(None) };
        match file.try_lock_shared() {
            Ok(()) => Ok(Some(Self { file })),
            Err(TryLockError::Error(_)) => Ok(None),
            Err(TryLockError::WouldBlock) => {
                Self::wait_for(file, dir, patience, File::lock_shared).map(Some)
            }
        }
    }

    /// Takes a lock on the directory itself, if there is one; see [`StoreLock::shared`].
    pub fn alone(dir: &Path, patience: Duration) -> Result<Option<Self>, LockError> {
        let Ok(file) = File::open(dir) else { return Ok(None) };
        Self::wait(file, dir, patience).map(Some)
    }

    fn wait(file: File, dir: &Path, patience: Duration) -> Result<Self, LockError> {
        if is_on_local_disk(&file) && file.try_lock().is_ok() {
            return Ok(Self { file });
        }
        Self::wait_for(file, dir, patience, File::lock)
    }

    /// Waits in a thread, because on a network file system the call may never return.
    fn wait_for(
        file: File,
        dir: &Path,
        patience: Duration,
        lock: fn(&File) -> io::Result<()>,
    ) -> Result<Self, LockError> {
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            let locked = lock(&file).map(|()| file);
            // After the timeout, the receiver is gone.
            drop(sender.send(locked));
        });
        match receiver.recv_timeout(patience) {
            Ok(Ok(file)) => Ok(Self { file }),
            Ok(Err(error)) => Err(LockError::Io(dir.join("lock"), error)),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                Err(LockError::Busy(dir.to_path_buf(), patience))
            }
        }
    }

    /// Takes a lock only if it is free, for work that another process may do as well.
    pub fn try_acquire(path: &Path) -> Option<Self> {
        let file = atomic::open_to_append(path, Sync::None).ok()?;
        file.try_lock().ok().map(|()| Self { file })
    }

    /// Takes the lock of a machine-local file only if it is free. Returns `Ok(None)` if another
    /// process holds it, and an error if it cannot be taken at all.
    pub fn try_private(path: &Path) -> io::Result<Option<Self>> {
        let file = atomic::open_to_append(path, Sync::Private)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    pub fn sign(&mut self, holder: &str) -> io::Result<()> {
        self.file.set_len(0)?;
        self.file.write_all(holder.as_bytes())
    }
}
