//! The few ways in which bytes reach the disk.
//!
//! A file is replaced whole (temporary file, fsync, rename, fsync of the directory) or appended to
//! (one write, fsync). Nothing is written in place.
#![expect(clippy::disallowed_methods, reason = "the one way to change the disk")]

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    time::SystemTime,
};

use anyhow::{Context, Result};

/// First part of the names of temporary files. Only the holder of the lock makes them, so the next
/// holder may delete what it finds.
pub(crate) const TEMPORARY: &str = ".pimem-tmp-";

/// Whether writes wait for the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sync {
    /// They do.
    Full,
    /// They do not; what can be made again, and tests.
    None,
    /// They do not, and only the owner may read the file: what is kept on this machine.
    Private,
}

/// Replaces `path` by `bytes`; `recheck` may still call it off, just before the rename.
pub(crate) fn replace_file(
    path: &Path,
    bytes: &[u8],
    sync: Sync,
    recheck: impl FnOnce() -> Result<bool>,
) -> Result<bool> {
    let dir = path.parent().unwrap_or(Path::new("."));
    let temporary = dir.join(format!("{TEMPORARY}{:08x}", random()? & 0xffff_ffff));
    let done = write_new(&temporary, path, bytes, sync)
        .with_context(|| format!("cannot write {}", temporary.display()))
        .and_then(|()| {
            if !recheck()? {
                return Ok(false);
            }
            fs::rename(&temporary, path)
                .with_context(|| format!("cannot replace {}", path.display()))?;
            Ok(true)
        });
    if !matches!(done, Ok(true)) {
        // The next holder of the lock sweeps what cannot be removed now.
        drop(fs::remove_file(&temporary));
        return done;
    }
    sync_dir(dir, sync)?;
    Ok(true)
}

fn write_new(temporary: &Path, target: &Path, bytes: &[u8], sync: Sync) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if sync == Sync::Private {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    let mut file = options.open(temporary)?;
    if let Ok(meta) = fs::metadata(target) {
        file.set_permissions(meta.permissions())?;
    }
    file.write_all(bytes)?;
    if sync == Sync::Full {
        file.sync_all()?;
    }
    Ok(())
}

/// How often an appender without a lock looks at a last line that has no end: another process may be
/// in the middle of its write.
const LOOKS: u32 = 32;

fn ends_a_line(file: &mut File) -> io::Result<bool> {
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

/// Gives a file another name in its directory.
pub(crate) fn rename(from: &Path, to: &Path) -> Result<()> {
    fs::rename(from, to).with_context(|| format!("cannot rename {}", from.display()))
}

/// Appends whole lines. A last line that was torn by a crash is ended first, and what this call
/// could not write completely is taken back. The caller holds the lock, but for [`Sync::Private`]:
/// there, ending a line that only looked torn leaves an empty one.
pub(crate) fn append_lines(path: &Path, lines: &str, sync: Sync) -> Result<()> {
    let is_new = !path.exists();
    let append = || -> io::Result<()> {
        let mut file = open_to_append(path, sync)?;
        let length = file.seek(SeekFrom::End(0))?;
        let mut bytes = Vec::with_capacity(lines.len() + 1);
        let mut looks = if sync == Sync::Private { LOOKS } else { 1 };
        while length > 0 && looks > 0 && !ends_a_line(&mut file)? {
            looks -= 1;
            if looks == 0 {
                bytes.push(b'\n');
            } else {
                std::thread::yield_now();
            }
        }
        bytes.extend_from_slice(lines.as_bytes());
        let written = file.write_all(&bytes);
        if written.is_err() {
            drop(file.set_len(length));
            return written;
        }
        if sync == Sync::Full {
            file.sync_data()?;
        }
        Ok(())
    };
    append().with_context(|| format!("cannot append to {}", path.display()))?;
    if is_new {
        sync_dir(path.parent().unwrap_or(Path::new(".")), sync)?;
    }
    Ok(())
}

/// Makes a directory and those above it; what is machine-local is for its owner only.
pub(crate) fn create_dir(path: &Path, private: bool) -> Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    if private {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    #[cfg(not(unix))]
    let _ = private;
    builder.create(path).with_context(|| format!("cannot create {}", path.display()))
}

/// Writes a file that is not there yet.
pub(crate) fn create_file(path: &Path, text: &str, sync: Sync) -> Result<bool> {
    if path.exists() {
        return Ok(false);
    }
    replace_file(path, text.as_bytes(), sync, || Ok(true))
}

/// Opens a file to append to it, made when there is none: one that locks are taken on, which is never
/// renamed and never deleted, or the log of another process.
pub(crate) fn open_to_append(path: &Path, sync: Sync) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    if sync == Sync::Private {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    #[cfg(not(unix))]
    let _ = sync;
    options.open(path)
}

/// Deletes temporary files that a killed process left. The caller holds the lock.
pub(crate) fn sweep(dir: &Path) {
    let Ok(found) = fs::read_dir(dir) else { return };
    for entry in found.flatten() {
        if entry.file_name().as_encoded_bytes().starts_with(TEMPORARY.as_bytes()) {
            drop(fs::remove_file(entry.path()));
        }
    }
}

/// Deletes a file of the cache.
pub(crate) fn remove_derived(path: &Path) {
    drop(fs::remove_file(path));
}

/// Deletes a file that another program reads.
pub(crate) fn remove_file(path: &Path) -> io::Result<()> {
    fs::remove_file(path)
}

/// Deletes a directory, if nothing is in it.
pub(crate) fn remove_empty_dir(path: &Path) -> bool {
    fs::remove_dir(path).is_ok()
}

/// Makes a directory with a name of its own in `parent`, for its owner only, in which something can
/// be prepared for [`install_dir`].
pub(crate) fn temporary_dir(parent: &Path) -> Result<PathBuf> {
    create_dir(parent, true)?;
    let path = parent.join(format!("{TEMPORARY}{:016x}", random()? & u128::from(u64::MAX)));
    create_dir(&path, true)?;
    Ok(path)
}

/// A new file in a temporary directory, for its owner only. Who wrote it syncs it.
pub(crate) fn new_file(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path).with_context(|| format!("cannot create {}", path.display()))
}

/// Makes a prepared directory `target`; what was there is deleted.
pub(crate) fn install_dir(prepared: &Path, target: &Path) -> Result<()> {
    let parent = target.parent().unwrap_or(Path::new("."));
    let old = parent.join(format!("{TEMPORARY}{:016x}", random()? & u128::from(u64::MAX)));
    // A directory that is not empty cannot be renamed over.
    let replaced = fs::rename(target, &old).is_ok();
    let renamed = fs::rename(prepared, target);
    if renamed.is_err() && replaced {
        drop(fs::rename(&old, target));
    }
    renamed.with_context(|| format!("cannot create {}", target.display()))?;
    if replaced {
        drop(fs::remove_dir_all(&old));
    }
    sync_dir(parent, Sync::Full)
}

/// Deletes a directory of the cache with all that is in it.
pub(crate) fn remove_dir(path: &Path) -> Result<()> {
    fs::remove_dir_all(path).with_context(|| format!("cannot delete {}", path.display()))
}

/// Deletes temporary directories that a killed process left; those since `recent` may be in use.
pub(crate) fn sweep_dirs(parent: &Path, recent: SystemTime) {
    let Ok(found) = fs::read_dir(parent) else { return };
    for entry in found.flatten() {
        let is_temporary = entry.file_name().as_encoded_bytes().starts_with(TEMPORARY.as_bytes());
        let modified = entry.metadata().and_then(|meta| meta.modified());
        if is_temporary && modified.is_ok_and(|modified| modified < recent) {
            drop(fs::remove_dir_all(entry.path()));
        }
    }
}

/// A random number for names and ids.
pub(crate) fn random() -> Result<u128> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| anyhow::anyhow!("no random numbers: {error}"))?;
    Ok(u128::from_le_bytes(bytes))
}

fn sync_dir(dir: &Path, sync: Sync) -> Result<()> {
    if sync != Sync::Full || cfg!(windows) {
        return Ok(());
    }
    let synced = File::open(dir).and_then(|dir| dir.sync_all());
    synced.with_context(|| format!("cannot sync {}", dir.display()))
}
