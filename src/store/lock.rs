//! The store's lock: `flock` on a file that is never renamed or deleted.
//!
//! The kernel gives it up when the process dies, so nothing ever has to be unlocked by hand.
//! Readers take no lock.

use std::{
    fs::{File, TryLockError},
    io::{self, Write},
    path::Path,
    sync::mpsc::{self, RecvTimeoutError},
    time::Duration,
};

use super::{
    atomic::{self, Sync},
    read::{self, Problem},
};

/// Held until dropped.
#[derive(Debug)]
pub(crate) struct StoreLock {
    file: File,
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
        let file = atomic::open_to_append(&path, Sync::None).map_err(LockError::Io)?;
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            let locked = file.lock().map(|()| file);
            // Nobody listens any more when the time was up.
            drop(sender.send(locked));
        });
        match receiver.recv_timeout(patience) {
            Ok(Ok(file)) => Ok(Self { file }),
            Ok(Err(error)) => Err(LockError::Io(error)),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                Err(LockError::Busy(patience))
            }
        }
    }

    /// Takes a lock only if it is free now: for work that can as well be left to another process.
    pub(crate) fn try_acquire(path: &Path) -> Option<Self> {
        let file = atomic::open_to_append(path, Sync::None).ok()?;
        file.try_lock().ok().map(|()| Self { file })
    }

    /// The same for a lock of what stays on this machine, telling a lock that another process holds,
    /// `Ok(None)`, from one that cannot be taken at all.
    pub(crate) fn try_private(path: &Path) -> io::Result<Option<Self>> {
        let file = atomic::open_to_append(path, Sync::Private)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Says in the file who holds it.
    pub(crate) fn sign(&mut self, holder: &str) -> io::Result<()> {
        self.file.set_len(0)?;
        self.file.write_all(holder.as_bytes())
    }
}
