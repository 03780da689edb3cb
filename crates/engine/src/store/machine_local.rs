//! What stays on this machine: `data/` beside the store, which ignores itself in git.
//!
//! Telemetry, the ledgers of sessions, summaries. For their owner's eyes only. Nobody waits for the
//! disk but for summaries, which nothing can make again: of the rest, losing a line is allowed,
//! breaking a reader is not.

use std::{
    fs::{self, DirEntry},
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::Result;

use super::{
    atomic::{self, Sync},
    lock::StoreLock,
    read::{self, Problem},
    snapshot::Store,
};
use pimem_core::{
    model::{entry::EntryId, hash::IdSet},
    usage::record::Record,
};

/// Telemetry, one record a line.
pub const TELEMETRY: &str = "memory-telemetry.jsonl";
/// Summaries of past sessions.
pub const SESSIONS: &str = "session-search.json";
/// The most bytes of telemetry.
pub const TELEMETRY_BYTES: u64 = 512_000;
/// Lines of telemetry that are kept when it has become too large.
pub const TELEMETRY_LINES: usize = 200;
/// The most bytes that those may have, or it would be too large again soon.
const KEPT_BYTES: usize = 256_000;
/// How long an appender waits to shorten the telemetry. The next one will do as well.
const HASTE: Duration = Duration::from_millis(20);

impl Store {
    /// The directory of what stays on this machine.
    pub fn data_dir(&self) -> PathBuf {
        self.dir.parent().unwrap_or(&self.dir).join("data")
    }

    /// Reads a file of it. `Ok(None)` when there is none.
    pub fn local(&self, name: &str) -> Result<Option<Vec<u8>>, Problem> {
        let dir = self.data_dir();
        self.guard_data(&dir)?;
        read::file(&dir, &dir.join(name), read::MAX_FILE)
    }

    /// Appends lines to a file of it, by one write and without a lock. The directory is made when
    /// there is none.
    pub fn append_local(&self, name: &str, lines: &str) -> Result<()> {
        let path = self.local_path(name)?;
        atomic::append_lines(&path, lines, Sync::Private)
    }

    /// Replaces a file of it by what `change` makes of it, `None` leaving it as it is; one process
    /// at a time. Gives whether it was changed.
    pub fn rewrite_local(
        &self,
        name: &str,
        change: impl FnOnce(Option<&[u8]>) -> Option<Vec<u8>>,
    ) -> Result<bool> {
        self.replace_local(name, Sync::Private, change)
    }

    /// The same for what has to be there after a power cut too.
    pub fn keep_local(
        &self,
        name: &str,
        change: impl FnOnce(Option<&[u8]>) -> Option<Vec<u8>>,
    ) -> Result<bool> {
        self.replace_local(name, self.sync.private(), change)
    }

    fn replace_local(
        &self,
        name: &str,
        sync: Sync,
        change: impl FnOnce(Option<&[u8]>) -> Option<Vec<u8>>,
    ) -> Result<bool> {
        let path = self.made_path(name, sync)?;
        let dir = self.data_dir();
        let _lock = self.lock_data(&dir)?;
        atomic::sweep(path.parent().unwrap_or(&dir));
        let before = self.local(name)?;
        let Some(after) = change(before.as_deref()) else { return Ok(false) };
        atomic::replace_file(&path, &after, sync, || Ok(true))
    }

    /// Deletes what killed processes left beside its files, for whoever appends to one and needs no lock
    /// for that.
    pub(super) fn sweep_data(&self) {
        let dir = self.data_dir();
        if atomic::has_litter(&dir)
            && let Ok(_lock) = self.lock_data(&dir)
        {
            atomic::sweep(&dir);
        }
    }

    /// Moves a file of it out of the way, if it is still damaged. Gives its new name.
    pub fn set_aside(
        &self,
        name: &str,
        damaged: impl FnOnce(&[u8]) -> bool,
    ) -> Result<Option<String>> {
        let dir = self.data_dir();
        let _lock = self.lock_data(&dir)?;
        if !self.local(name)?.is_some_and(|bytes| damaged(&bytes)) {
            return Ok(None);
        }
        let aside = format!("{name}.damaged-{:08x}", atomic::random()? & 0xffff_ffff);
        atomic::rename(&dir.join(name), &dir.join(&aside))?;
        Ok(Some(aside))
    }

    /// Appends records to the telemetry, and keeps its end only when it has become too large. The
    /// line of whoever appends while that happens may be lost.
    pub fn append_telemetry(&self, lines: &str) -> Result<()> {
        self.append_local(TELEMETRY, lines)?;
        let size = fs::metadata(self.data_dir().join(TELEMETRY)).map_or(0, |meta| meta.len());
        if size > TELEMETRY_BYTES {
            let hasty = Self { patience: self.patience.min(HASTE), ..self.clone() };
            let shorten = |bytes: &[u8]| {
                // Another process may have been faster.
                (bytes.len() as u64 > TELEMETRY_BYTES).then(|| last_lines(bytes).to_vec())
            };
            hasty.rewrite_local(TELEMETRY, |bytes| bytes.and_then(shorten))?;
        }
        Ok(())
    }

    /// Takes all that is said about some entries out of the telemetry. Gives whether there was any.
    pub fn purge_telemetry(&self, ids: &IdSet<EntryId>) -> Result<bool> {
        let ids: Vec<String> = ids.iter().map(EntryId::to_string).collect();
        let names = |line: &str| ids.iter().any(|id| line.contains(id.as_str()));
        // Whatever is wrong with it, no lock is needed to see that there is nothing to do.
        let held = self.local(TELEMETRY)?.unwrap_or_default();
        if !names(&String::from_utf8_lossy(&held)) {
            return Ok(false);
        }
        self.keep_local(TELEMETRY, |bytes| {
            let text = String::from_utf8_lossy(bytes?);
            let line = |line: &str| match names(line).then(|| Record::read(line)) {
                None => format!("{line}\n"),
                // What cannot be read cannot be trusted to be clean.
                Some(record) => record.and_then(|record| record.without(&ids)).unwrap_or_default(),
            };
            Some(text.lines().map(line).collect::<String>().into_bytes())
        })
    }

    /// The path of a file that is about to be written, its directory made.
    pub(super) fn local_path(&self, name: &str) -> Result<PathBuf> {
        self.made_path(name, Sync::Private)
    }

    pub(super) fn made_path(&self, name: &str, sync: Sync) -> Result<PathBuf> {
        let dir = self.data_dir();
        let path = dir.join(name);
        let folder = path.parent().unwrap_or(&dir);
        self.guard_folder(folder)?;
        let (place, known) = read::place(&dir, &path)?;
        if known.is_none() {
            atomic::create_dir(folder, sync)?;
            self.ignore_data(&dir, sync)?;
        }
        Ok(place)
    }

    /// Keeps git from committing it. Another program may have made the directory; a link, which git
    /// does not follow, keeps it from nothing, and neither does what a power cut left empty.
    fn ignore_data(&self, dir: &Path, sync: Sync) -> Result<()> {
        let ignore = dir.join(".gitignore");
        let known = fs::symlink_metadata(&ignore);
        if known.is_ok_and(|meta| !meta.is_symlink() && meta.len() > 0) {
            return Ok(());
        }
        let _lock = self.lock_data(dir)?;
        atomic::replace_file(&ignore, b"*\n", sync, || Ok(true)).map(drop)
    }

    /// The names in a folder of it. There are none in one that cannot be listed.
    pub(super) fn local_names(&self, folder: &str) -> Vec<DirEntry> {
        let dir = self.data_dir().join(folder);
        let found = self.guard_folder(&dir).ok().and_then(|()| fs::read_dir(&dir).ok());
        found.into_iter().flatten().flatten().collect()
    }

    fn lock_data(&self, dir: &Path) -> Result<StoreLock> {
        Ok(StoreLock::acquire(dir, self.patience)?)
    }

    /// Refuses a folder of it, or itself, that leads somewhere else.
    fn guard_folder(&self, folder: &Path) -> Result<(), Problem> {
        let dir = self.data_dir();
        self.guard_data(&dir)?;
        if folder == dir { Ok(()) } else { read::guard(&dir, folder) }
    }

    /// Whether it leads out of the project.
    pub(super) fn guard_data(&self, dir: &Path) -> Result<(), Problem> {
        read::guard(self.dir.parent().unwrap_or(&self.dir), dir)
    }
}

/// The last lines of telemetry, or of what is as large: whole ones.
pub(super) fn last_lines(bytes: &[u8]) -> &[u8] {
    let ends = memchr::memrchr_iter(b'\n', bytes.trim_ascii_end()).map(|at| at + 1);
    let starts = ends.chain([0]).take(TELEMETRY_LINES);
    let start = starts.take_while(|start| bytes.len() - start <= KEPT_BYTES).last();
    start.and_then(|start| bytes.get(start..)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines() {
        let all: Vec<String> = (0..500).map(|n| format!("{n}\n")).collect();
        let want: String = all.iter().skip(300).map(String::as_str).collect();
        assert_eq!(last_lines(all.concat().as_bytes()), want.as_bytes());
        assert_eq!(last_lines(b"a\nb"), b"a\nb");
        assert_eq!(last_lines(b""), b"");
        let long = format!("{}\n", "x".repeat(100_000 - 1));
        assert_eq!(last_lines(long.repeat(9).as_bytes()).len(), 200_000);
        assert_eq!(last_lines(&vec![b'x'; KEPT_BYTES + 1]), b"");
    }
}
