//! What stays on this machine: `data/` beside the store, which ignores itself in git.
//!
//! Telemetry, the ledgers of sessions, summaries. For their owner's eyes only, and never synced:
//! losing a line of it is allowed, breaking a reader is not.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::{
    atomic::{self, Sync},
    lock::StoreLock,
    read::{self, Problem},
    txn::Unreadable,
    vault::Store,
};

/// Telemetry, one record a line.
pub(crate) const TELEMETRY: &str = "memory-telemetry.jsonl";
/// Summaries of past sessions.
pub(crate) const SESSIONS: &str = "session-search.json";
/// The most bytes of telemetry.
pub(crate) const TELEMETRY_BYTES: u64 = 512_000;
/// Lines of telemetry that are kept when it has become too large.
pub(crate) const TELEMETRY_LINES: usize = 200;

impl Store {
    /// The directory of what stays on this machine.
    pub(crate) fn data_dir(&self) -> PathBuf {
        self.dir.parent().unwrap_or(&self.dir).join("data")
    }

    /// Reads a file of it. `Ok(None)` when there is none.
    pub(crate) fn local(&self, name: &str) -> Result<Option<Vec<u8>>, Problem> {
        let dir = self.data_dir();
        self.guard_data(&dir)?;
        read::file(&dir, &dir.join(name), read::MAX_FILE)
    }

    /// Appends lines to a file of it, by one write and without a lock. The directory is made when
    /// there is none.
    pub(crate) fn append_local(&self, name: &str, lines: &str) -> Result<()> {
        let path = self.local_path(name)?;
        atomic::append_lines(&path, lines, Sync::Private)
    }

    /// Replaces a file of it by what `change` makes of it, `None` leaving it as it is; one process
    /// at a time. Gives whether it was changed.
    pub(crate) fn rewrite_local(
        &self,
        name: &str,
        change: impl FnOnce(Option<&[u8]>) -> Option<Vec<u8>>,
    ) -> Result<bool> {
        let path = self.local_path(name)?;
        let dir = self.data_dir();
        let _lock = self.lock_data(&dir)?;
        atomic::sweep(path.parent().unwrap_or(&dir));
        let before = self.local(name).map_err(Unreadable)?;
        let Some(after) = change(before.as_deref()) else { return Ok(false) };
        atomic::replace_file(&path, &after, Sync::Private, || Ok(true))
    }

    /// Moves a file of it out of the way, if it is still damaged. Gives its new name.
    pub(crate) fn set_aside(
        &self,
        name: &str,
        damaged: impl FnOnce(&[u8]) -> bool,
    ) -> Result<Option<String>> {
        let path = self.local_path(name)?;
        let dir = self.data_dir();
        let _lock = self.lock_data(&dir)?;
        if !self.local(name).map_err(Unreadable)?.is_some_and(|bytes| damaged(&bytes)) {
            return Ok(None);
        }
        let aside = format!("{name}.damaged-{:08x}", atomic::random()? & 0xffff_ffff);
        atomic::rename(&path, &dir.join(&aside))?;
        Ok(Some(aside))
    }

    /// Appends records to the telemetry, and keeps its end only when it has become too large.
    pub(crate) fn append_telemetry(&self, lines: &str) -> Result<()> {
        self.append_local(TELEMETRY, lines)?;
        let size = std::fs::metadata(self.data_dir().join(TELEMETRY)).map_or(0, |meta| meta.len());
        if size > TELEMETRY_BYTES {
            self.rewrite_local(TELEMETRY, |bytes| bytes.map(|bytes| last_lines(bytes).to_vec()))?;
        }
        Ok(())
    }

    /// The path of a file that is about to be written, its directory made.
    fn local_path(&self, name: &str) -> Result<PathBuf> {
        let dir = self.data_dir();
        self.guard_data(&dir).map_err(Unreadable)?;
        let path = dir.join(name);
        let folder = path.parent().unwrap_or(&dir);
        if !folder.is_dir() {
            atomic::create_dir(folder, true)?;
            atomic::create_file(&dir.join(".gitignore"), "*\n", Sync::Private)?;
        }
        read::guard(&dir, folder).map_err(Unreadable)?;
        read::checked(&dir, &path)
            .map_err(|kind| Unreadable(Problem { path: path.clone(), kind }))?;
        Ok(path)
    }

    fn lock_data(&self, dir: &Path) -> Result<StoreLock> {
        StoreLock::acquire(dir, self.patience)
            .map_err(|_| anyhow::anyhow!("{} is locked by another process", dir.display()))
    }

    fn guard_data(&self, dir: &Path) -> Result<(), Problem> {
        read::guard(self.dir.parent().unwrap_or(&self.dir), dir)
    }
}

/// The last lines of telemetry.
fn last_lines(bytes: &[u8]) -> &[u8] {
    let ends = memchr::memrchr_iter(b'\n', bytes.trim_ascii_end());
    let start = ends.take(TELEMETRY_LINES).nth(TELEMETRY_LINES - 1).map_or(0, |at| at + 1);
    bytes.get(start..).unwrap_or_default()
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
    }
}
