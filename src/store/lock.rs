//! The store's lock: `flock` on a file that is never renamed or deleted.
//!
//! The kernel gives it up when the process dies, so nothing ever has to be unlocked by hand.
//! Readers take no lock.

use std::{
    fs::File,
    io,
    path::Path,
    sync::mpsc::{self, RecvTimeoutError},
    time::Duration,
};

use super::{
    atomic,
    read::{self, Problem},
};

/// Held until dropped.
#[derive(Debug)]
pub(crate) struct StoreLock {
    _file: File,
}

/// Why there is no lock.
#[derive(Debug)]
pub(crate) enum LockError {
    /// Another process has held it all the time.
    Busy(Duration),
    /// The lock file cannot be used.
    Io(io::Error),
    /// It is no file of the store.
    Refused(Problem),
}

impl StoreLock {
    /// Waits for the lock of the store in `dir`, but not longer than `patience`. The wait runs in a
    /// thread of its own: on a network file system it may never end.
    pub(crate) fn acquire(dir: &Path, patience: Duration) -> Result<Self, LockError> {
        let path = dir.join("lock");
        if let Err(problem) = read::guard(dir, &path) {
            return Err(LockError::Refused(problem));
        }
        let file = atomic::open_lock_file(&path).map_err(LockError::Io)?;
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            let locked = file.lock().map(|()| file);
            // Nobody listens any more when the time was up.
            drop(sender.send(locked));
        });
        match receiver.recv_timeout(patience) {
            Ok(Ok(file)) => Ok(Self { _file: file }),
            Ok(Err(error)) => Err(LockError::Io(error)),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                Err(LockError::Busy(patience))
            }
        }
    }

    /// Takes a lock only if it is free now: for work that can as well be left to another process.
    pub(crate) fn try_acquire(path: &Path) -> Option<Self> {
        let file = atomic::open_lock_file(path).ok()?;
        file.try_lock().ok().map(|()| Self { _file: file })
    }
}
