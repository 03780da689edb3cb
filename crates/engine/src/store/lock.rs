//! The store's lock: `flock` on a file that is never renamed or deleted.
//!
//! The kernel gives it up when the process dies, so nothing ever has to be unlocked by hand.
//! Readers take no lock.

use std::{
    fs::{File, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::mpsc::{self, RecvTimeoutError},
    time::Duration,
};

use super::{
    atomic::{self, Sync},
    read::{self, Problem, ProblemKind},
};

/// Held until dropped.
#[derive(Debug)]
pub struct StoreLock {
    file: File,
}

/// Why there is no lock.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process has held the one of this directory all the time.
    #[error("{} is locked by another process (waited {} ms)", .0.display(), .1.as_millis())]
    Busy(PathBuf, Duration),
    /// The lock file cannot be used.
    #[error("cannot lock {}", .0.display())]
    Io(PathBuf, #[source] io::Error),
    /// It is no file of the store.
    #[error(transparent)]
    Refused(Problem),
}

impl StoreLock {
    /// Waits for the lock of the store in `dir`, but not longer than `patience`.
    pub fn acquire(dir: &Path, patience: Duration) -> Result<Self, LockError> {
        let path = dir.join("lock");
        match atomic::open_to_append(&path, Sync::None) {
            Ok(file) => Self::wait(file, dir, patience),
            Err(error) if atomic::is_link(&error) && path.is_symlink() => {
                // Whatever it leads to is no lock of this store.
                let within = Problem { path: path.clone(), kind: ProblemKind::NotAFile };
                Err(LockError::Refused(read::guard(dir, &path).err().unwrap_or(within)))
            }
            Err(error) => Err(LockError::Io(path, error)),
        }
    }

    /// Whether it could be taken within `patience`. Makes no lock file where there is none.
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

    /// Waits for the right to a directory in which no lock file may be left, without one.
    pub fn of_directory(dir: &Path, patience: Duration) -> Result<Self, LockError> {
        let file = File::open(dir).map_err(|error| LockError::Io(dir.to_path_buf(), error))?;
        Self::wait(file, dir, patience)
    }

    /// The wait runs in a thread of its own: on a network file system it may never end.
    fn wait(file: File, dir: &Path, patience: Duration) -> Result<Self, LockError> {
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            let locked = file.lock().map(|()| file);
            // Nobody listens any more when the time was up.
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

    /// Takes a lock only if it is free now: for work that can as well be left to another process.
    pub fn try_acquire(path: &Path) -> Option<Self> {
        let file = atomic::open_to_append(path, Sync::None).ok()?;
        file.try_lock().ok().map(|()| Self { file })
    }

    /// The same for a lock of what stays on this machine, telling a lock that another process holds,
    /// `Ok(None)`, from one that cannot be taken at all.
    pub fn try_private(path: &Path) -> io::Result<Option<Self>> {
        let file = atomic::open_to_append(path, Sync::Private)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Says in the file who holds it.
    pub fn sign(&mut self, holder: &str) -> io::Result<()> {
        self.file.set_len(0)?;
        self.file.write_all(holder.as_bytes())
    }
}
