//! File writes: every byte that reaches the disk goes through this module.
//!
//! A file is either replaced as a whole (temporary file, fsync, rename, fsync of the directory) or
//! appended to (one write, fsync). Files are never modified in place and never opened through a
//! symbolic link; callers that may follow a link resolve it first with [`super::read`].
#![expect(clippy::disallowed_methods, reason = "the one way to change the disk")]

use std::{
    ffi::{OsStr, OsString},
    fs::{self, File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    thread,
    time::{Duration, SystemTime},
};

use anyhow::{Context, Result};

/// Prefix of the names of temporary files. Only the holder of the lock creates them, so the next
/// holder may delete any that it finds.
pub const TEMPORARY: &str = ".pimem-tmp-";

/// Whether a write waits for the disk, and who may read the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sync {
    /// Waits for the disk.
    Full,
    /// Does not wait; for derived data and tests.
    None,
    /// Does not wait, and only the owner may read the file; for machine-local data.
    Private,
    /// Waits, and only the owner may read the file; for machine-local data that cannot be rebuilt.
    PrivateFull,
}

impl Sync {
    /// Returns the variant with the same durability in which only the owner may read the file.
    #[must_use]
    pub fn private(self) -> Self {
        if self.waits() { Self::PrivateFull } else { Self::Private }
    }

    fn waits(self) -> bool {
        matches!(self, Self::Full | Self::PrivateFull)
    }

    fn is_private(self) -> bool {
        matches!(self, Self::Private | Self::PrivateFull)
    }
}

/// Replaces `path` by `bytes` and returns true. If `recheck`, called just before the rename,
/// returns false, nothing is replaced.
pub fn replace_file(
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
            moved(&temporary, path)
                .with_context(|| format!("cannot replace {}", path.display()))?;
            Ok(true)
        });
    if !matches!(done, Ok(true)) {
        // If the file cannot be removed now, the next holder of the lock sweeps it.
        drop(fs::remove_file(&temporary));
        return done;
    }
    if sync.waits() {
        sync_dir(dir)?;
    }
    Ok(true)
}

fn write_new(temporary: &Path, target: &Path, bytes: &[u8], sync: Sync) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    if sync.is_private() {
        of_owner(&mut options);
    }
    let mut file = options.open(temporary)?;
    // A symbolic link is replaced, and its mode is not worth keeping.
    if let Some(meta) = fs::symlink_metadata(target).ok().filter(fs::Metadata::is_file) {
        file.set_permissions(meta.permissions())?;
    }
    file.write_all(bytes)?;
    if sync.waits() {
        file.sync_all()?;
    }
    Ok(())
}

/// Number of times that an appender without a lock re-reads an unterminated last line: another
/// process may be in the middle of its write.
const LOOKS: u32 = 32;

fn ends_a_line(file: &mut File) -> io::Result<bool> {
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

/// Errors by which Windows says that another program has a file open: access denied, and violations of
/// sharing and of a lock.
const HELD: &[i32] = if cfg!(windows) { &[5, 32, 33] } else { &[] };
/// Number of attempts at a file that another program has open, each after twice the pause of the last:
/// half a second in all.
const ATTEMPTS: u32 = 10;

/// Renames a file. A virus scanner, or an indexer, may have it open for a moment.
fn moved(from: &Path, to: &Path) -> io::Result<()> {
    patiently(HELD, || fs::rename(from, to))
}

/// Tries again while one of some errors of the system comes.
fn patiently<T>(held: &[i32], mut attempt: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let mut pause = Duration::from_micros(500);
    for _ in 1..ATTEMPTS {
        match attempt() {
            Err(error) if error.raw_os_error().is_some_and(|code| held.contains(&code)) => {
                thread::sleep(pause);
                pause *= 2;
            }
            done => return done,
        }
    }
    attempt()
}

#[cfg(unix)]
fn of_owner(options: &mut OpenOptions) {
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
}

/// A user's folders are open to that user alone there.
#[cfg(not(unix))]
fn of_owner(_: &mut OpenOptions) {}

#[cfg(unix)]
fn folder_of_owner(builder: &mut fs::DirBuilder) {
    std::os::unix::fs::DirBuilderExt::mode(builder, 0o700);
}

#[cfg(not(unix))]
fn folder_of_owner(_: &mut fs::DirBuilder) {}

/// Renames a file within its directory.
pub fn rename(from: &Path, to: &Path) -> Result<()> {
    moved(from, to).with_context(|| format!("cannot rename {}", from.display()))
}

/// Appends whole lines. Terminates a last line that a crash has torn, and truncates the file again
/// if the lines cannot be written completely. The caller holds the lock, except with
/// [`Sync::Private`]: there, terminating a line that only looked torn leaves an empty line.
pub fn append_lines(path: &Path, lines: &(impl AsRef<[u8]> + ?Sized), sync: Sync) -> Result<()> {
    append_below(path, String::new, lines, sync)
}

/// Appends whole lines like [`append_lines`]; a new file starts with the line `head`.
pub fn append_below(
    path: &Path,
    head: impl Fn() -> String,
    lines: &(impl AsRef<[u8]> + ?Sized),
    sync: Sync,
) -> Result<()> {
    let lines = lines.as_ref();
    let append = || -> io::Result<bool> {
        let (mut file, is_new) = match open_at_end(path, sync, Missing::Fail) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                (open_at_end(path, sync, Missing::Create)?, true)
            }
            opened => (opened?, false),
        };
        let length = file.seek(SeekFrom::End(0))?;
        let mut bytes = if length == 0 { head().into_bytes() } else { Vec::new() };
        bytes.reserve(lines.len() + 1);
        let mut looks = if sync == Sync::Private { LOOKS } else { 1 };
        while length > 0 && looks > 0 && !ends_a_line(&mut file)? {
            looks -= 1;
            if looks == 0 {
                bytes.push(b'\n');
            } else {
                std::thread::yield_now();
            }
        }
        bytes.extend_from_slice(lines);
        if let Err(error) = file.write_all(&bytes) {
            drop(file.set_len(length));
            return Err(error);
        }
        if sync.waits() {
            file.sync_data()?;
        }
        Ok(is_new)
    };
    let is_new = append().with_context(|| format!("cannot append to {}", path.display()))?;
    if is_new && sync.waits() {
        sync_dir(path.parent().unwrap_or(Path::new(".")))?;
    }
    Ok(())
}

/// Number of times that a record is appended again because its file was taken away meanwhile.
const AGAIN: usize = 100;

/// Appends a record, without a lock and by one write, to a file that any process may append to,
/// rename or delete at any time. The record begins a line of its own, whatever a process that died
/// has left before it. When this returns, the file at `path` had the record after it was written: a
/// record that went into a file on its way out is appended again.
pub fn append_record(path: &Path, record: &[u8], sync: Sync) -> Result<()> {
    let bytes = [b"\n", record, b"\n"].concat();
    let append = || -> io::Result<bool> {
        let (mut file, is_new) = match open_at_end(path, sync, Missing::Fail) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                (open_at_end(path, sync, Missing::Create)?, true)
            }
            opened => (opened?, false),
        };
        // What a failed write leaves is not cut off: others may have appended behind it.
        file.write_all(&bytes)?;
        if sync.waits() {
            file.sync_data()?;
            if is_new {
                try_sync_dir(path.parent().unwrap_or(Path::new(".")))?;
            }
        }
        is_at(&file, path)
    };
    for _ in 0..AGAIN {
        if append().with_context(|| format!("cannot append to {}", path.display()))? {
            return Ok(());
        }
    }
    anyhow::bail!("{} is taken away as often as it is written", path.display())
}

/// Returns true if `path` names an open file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let own = file.metadata()?;
    match fs::symlink_metadata(path) {
        Ok(there) => Ok((there.dev(), there.ino()) == (own.dev(), own.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> io::Result<bool> {
    path.try_exists()
}

/// Writes a file that must not exist, readable by its owner only, and waits for the disk. Returns
/// false if it exists; then its content is whole too, as the file gets its name last.
pub fn create_once(path: &Path, bytes: &[u8]) -> Result<bool> {
    let dir = path.parent().unwrap_or(Path::new("."));
    create_dir(dir, Sync::PrivateFull)?;
    let temporary = dir.join(format!("{TEMPORARY}{:08x}", random()? & 0xffff_ffff));
    let made = write_new(&temporary, path, bytes, Sync::PrivateFull)
        .and_then(|()| fs::hard_link(&temporary, path));
    drop(fs::remove_file(&temporary));
    match made {
        Ok(()) => sync_dir(dir).map(|()| true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error).with_context(|| format!("cannot create {}", path.display())),
    }
}

/// Creates a directory and its missing parents. If writes wait for the disk, each parent is synced
/// before this returns.
pub fn create_dir(path: &Path, sync: Sync) -> Result<()> {
    make_dir(path, sync).with_context(|| format!("cannot create {}", path.display()))
}

fn make_dir(path: &Path, sync: Sync) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    if sync.is_private() {
        folder_of_owner(&mut builder);
    }
    let made = match (builder.create(path), path.parent()) {
        (Err(error), Some(parent)) if error.kind() == io::ErrorKind::NotFound => {
            make_dir(parent, sync)?;
            builder.create(path)
        }
        (made, _) => made,
    };
    match made {
        Ok(()) if sync.waits() => sync_parent(path),
        // Another process may have created the directory meanwhile.
        Err(error) if !path.is_dir() => Err(error),
        _ => Ok(()),
    }
}

/// Syncs the parent of a new directory. A parent that is writable but not readable cannot be opened
/// for a sync; this is not an error.
fn sync_parent(path: &Path) -> io::Result<()> {
    match try_sync_dir(path.parent().unwrap_or(Path::new("."))) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        synced => synced,
    }
}

/// Writes a file if it does not exist. Returns true if it was written.
pub fn create_file(path: &Path, text: &str, sync: Sync) -> Result<bool> {
    if path.exists() {
        return Ok(false);
    }
    replace_file(path, text.as_bytes(), sync, || Ok(true))
}

/// Opens a file for appending and creates it if it does not exist. For lock files, which are never
/// renamed or deleted, and for the log of another process.
///
/// # Errors
/// Fails if the path is a symbolic link, which is not followed; see [`is_link`].
pub fn open_to_append(path: &Path, sync: Sync) -> io::Result<File> {
    open_at_end(path, sync, Missing::Create)
}

/// What becomes of a file that is not there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    Create,
    Fail,
}

fn open_at_end(path: &Path, sync: Sync, missing: Missing) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(missing == Missing::Create);
    if sync.is_private() {
        of_owner(&mut options);
    }
    open_no_link(&mut options, path)
}

/// Opens a file for reading. Fails if it has become a symbolic link since it was checked.
pub fn open_to_read(path: &Path) -> io::Result<File> {
    open_no_link(OpenOptions::new().read(true), path)
}

fn open_no_link(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
    }
    options.open(path)
}

/// Returns true if the error means that the path is a symbolic link.
#[cfg(unix)]
pub fn is_link(error: &io::Error) -> bool {
    use rustix::io::Errno;
    [Errno::LOOP, Errno::MLINK].iter().any(|no| error.raw_os_error() == Some(no.raw_os_error()))
}

#[cfg(not(unix))]
pub fn is_link(_: &io::Error) -> bool {
    false
}

/// Deletes temporary files of killed processes. The caller holds the lock.
pub fn sweep(dir: &Path) {
    // If the directory cannot be listed now, the next holder of the lock sweeps it.
    drop(sweep_with(dir, drop));
}

/// Deletes temporary files of killed processes and returns the names of the other files.
pub fn sweep_and_list(dir: &Path) -> io::Result<Vec<OsString>> {
    let mut kept = Vec::new();
    sweep_with(dir, |name| kept.push(name))?;
    Ok(kept)
}

/// Returns true if the directory has temporary files, of killed or of running processes.
pub fn has_litter(dir: &Path) -> bool {
    let mut names = fs::read_dir(dir).into_iter().flatten().flatten();
    names.any(|entry| is_temporary(&entry.file_name()))
}

fn is_temporary(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(TEMPORARY.as_bytes())
}

fn sweep_with(dir: &Path, mut keep: impl FnMut(OsString)) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name();
        if is_temporary(&name) {
            drop(fs::remove_file(entry.path()));
        } else {
            keep(name);
        }
    }
    Ok(())
}

/// Deletes a file that can be rebuilt; errors are ignored.
pub fn remove_derived(path: &Path) {
    drop(fs::remove_file(path));
}

/// Deletes a file; if writes wait for the disk, the deletion is synced.
pub fn remove_file(path: &Path, sync: Sync) -> io::Result<()> {
    fs::remove_file(path)?;
    if sync.waits() { sync_parent(path) } else { Ok(()) }
}

pub fn remove_empty_dir(path: &Path) -> bool {
    fs::remove_dir(path).is_ok()
}

/// Creates a directory with a random name in `parent`, readable by its owner only, whose content is
/// prepared for [`install_dir`].
pub fn temporary_dir(parent: &Path) -> Result<PathBuf> {
    create_dir(parent, Sync::Private)?;
    let path = parent.join(format!("{TEMPORARY}{:016x}", random()? & u128::from(u64::MAX)));
    create_dir(&path, Sync::Private)?;
    Ok(path)
}

/// Creates a file that does not exist, readable by its owner only. The caller syncs it.
pub fn new_file(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path).with_context(|| format!("cannot create {}", path.display()))
}

/// Renames the directory `prepared` to `target` and deletes the directory that `target` was.
pub fn install_dir(prepared: &Path, target: &Path) -> Result<()> {
    let parent = target.parent().unwrap_or(Path::new("."));
    let old = parent.join(format!("{TEMPORARY}{:016x}", random()? & u128::from(u64::MAX)));
    // A rename cannot replace a directory that is not empty.
    let replaced = moved(target, &old).is_ok();
    let renamed = moved(prepared, target);
    if renamed.is_err() && replaced {
        drop(fs::rename(&old, target));
    }
    renamed.with_context(|| format!("cannot create {}", target.display()))?;
    if replaced {
        drop(fs::remove_dir_all(&old));
    }
    sync_dir(parent)
}

pub fn remove_dir(path: &Path) -> Result<()> {
    fs::remove_dir_all(path).with_context(|| format!("cannot delete {}", path.display()))
}

/// Deletes what a directory holds, but for its lock: Windows deletes no file that is open.
pub fn empty_dir(path: &Path) -> Result<()> {
    let entries = fs::read_dir(path).with_context(|| format!("cannot read {}", path.display()))?;
    for entry in entries.flatten().filter(|entry| entry.file_name() != "lock") {
        let path = entry.path();
        let is_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_dir { fs::remove_dir_all(&path) } else { fs::remove_file(&path) }
            .with_context(|| format!("cannot delete {}", path.display()))?;
    }
    Ok(())
}

/// Age from which a temporary file is taken for that of a killed process, where no lock tells.
pub const OLD: Duration = Duration::from_hours(1);

/// Deletes temporary files and directories that are older than `age`, and so of killed processes;
/// newer ones may be in use.
pub fn sweep_old(parent: &Path, now: SystemTime, age: Duration) {
    let Some(recent) = now.checked_sub(age) else { return };
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let Ok(meta) = entry.metadata() else { continue };
        let is_old = meta.modified().is_ok_and(|modified| modified < recent);
        if !is_old || !is_temporary(&entry.file_name()) {
            continue;
        }
        let path = entry.path();
        drop(if meta.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) });
    }
}

/// Writes a file where a person wants it, and deletes what killed processes have left beside it.
pub fn write_output(path: &Path, bytes: &[u8], sync: Sync, now: SystemTime) -> Result<()> {
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty());
    sweep_old(dir.unwrap_or(Path::new(".")), now, OLD);
    replace_file(path, bytes, sync, || Ok(true)).map(drop)
}

/// Returns a random number for names and ids.
pub fn random() -> Result<u128> {
    let mut bytes = [0; 16];
    fill(&mut bytes)?;
    Ok(u128::from_le_bytes(bytes))
}

/// Fills `bytes` with random ones, for keys and nonces.
pub fn fill(bytes: &mut [u8]) -> Result<()> {
    getrandom::fill(bytes).map_err(|error| anyhow::anyhow!("no random numbers: {error}"))
}

fn sync_dir(dir: &Path) -> Result<()> {
    try_sync_dir(dir).with_context(|| format!("cannot sync {}", dir.display()))
}

/// Syncs a directory; an empty path, which is the parent of a bare name, is the current one.
fn try_sync_dir(dir: &Path) -> io::Result<()> {
    let dir = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
    if cfg!(windows) { Ok(()) } else { File::open(dir)?.sync_all() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_another_program_holds_for_a_moment() {
        let held = |code| Err(io::Error::from_raw_os_error(code));
        let mut count = 0;
        let mut after = |attempts, code| {
            count = 0;
            let done = patiently(&[5, 32], || {
                count += 1;
                if count < attempts { held(code) } else { Ok(()) }
            });
            (count, done.is_ok())
        };
        assert_eq!(after(1, 32), (1, true));
        assert_eq!(after(4, 32), (4, true));
        assert_eq!(after(4, 2), (1, false), "what is another error");
        let most = ATTEMPTS + 1;
        assert_eq!(after(most, 5), (ATTEMPTS, false), "held for good");
    }
}
