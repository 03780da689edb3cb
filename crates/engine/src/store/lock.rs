//! The lock of a store: `flock` on a file that is never renamed or deleted.
//!
//! The kernel releases the lock when the process dies, so stale locks do not occur. Readers take no
//! lock.

use std::{
    fs::{File, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::mpsc::{self, RecvTimeoutError},
    time::Duration,
};

use super::{
    atomic::{self, Sync},
    read::{self, ProblemKind, ReadProblem},
};

/// A lock that is held until dropped.
#[derive(Debug)]
pub struct StoreLock {
    file: File,
}

/// Why a lock could not be taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process held the lock for the whole waiting time.
    #[error("{} is locked by another process (waited {} ms)", .0.display(), .1.as_millis())]
    Busy(PathBuf, Duration),
    /// The lock file cannot be used.
    #[error("cannot lock {}", .0.display())]
    Io(PathBuf, #[source] io::Error),
    /// The lock file is not a file of the store.
    #[error(transparent)]
    Refused(ReadProblem),
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

    /// Waits in a thread, because on a network file system the call may never return.
    fn wait(file: File, dir: &Path, patience: Duration) -> Result<Self, LockError> {
        Self::wait_for(file, dir, patience, File::lock)
    }

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

    /// Writes the holder into the lock file.
    pub fn sign(&mut self, holder: &str) -> io::Result<()> {
        self.file.set_len(0)?;
        self.file.write_all(holder.as_bytes())
    }
}
