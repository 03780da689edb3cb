//! Files of notes, logs and lists, appended to or replaced as a whole under the lock of the store.
//!
//! The module does not parse them.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use super::{
    Store, atomic,
    lock::StoreLock,
    read::{self, Problem},
    trust::Kind,
    undo::Touched,
};
use pimem_core::{markdown::lines, model::calendar::Date};

/// Long-term notes.
pub const NOTES: &str = "MEMORY.md";
/// Directory of daily logs.
pub const DAILY: &str = "daily";
/// The checklist.
pub const SCRATCHPAD: &str = "SCRATCHPAD.md";
/// Archive of done checklist items.
pub const DONE: &str = "archive/SCRATCHPAD.md";
/// Bytes at the end of a file from which the style of line ends is detected.
const STYLE: u64 = 4096;
/// Maximum number of rereads when an editor saves the file meanwhile.
const RETRIES: usize = 3;

/// Returns the file name of a day's log.
pub fn daily(date: Date) -> String {
    format!("{DAILY}/{date}.md")
}

impl Store {
    /// Appends lines to a file. A new file starts with a title.
    pub fn append(
        &self,
        lock: &StoreLock,
        name: &str,
        title: &str,
        added: &[String],
    ) -> Result<()> {
        let path = self.writable(name)?;
        self.sweep_beside(&path);
        let end = self.tail(name, STYLE)?.unwrap_or_default();
        let newline = lines::newline(&end);
        let title = [format!("# {title}"), String::new()];
        let head = if end.is_empty() { &title[..] } else { &[] };
        let text: String = head.iter().chain(added).flat_map(|line| [line, newline]).collect();
        let before = if self.trust.is_own() { None } else { self.as_left_here(name) };
        self.seal.append(&path, text.as_bytes(), self.sync)?;
        self.make_whole_if_due(lock)?;
        if self.run.is_some() {
            self.note_step(&[], vec![Touched::appended(name, &end, &text)]);
        }
        let Some(mut bytes) = before else {
            self.trust.pass();
            return Ok(());
        };
        if !bytes.is_empty() && !bytes.ends_with(b"\n") {
            bytes.push(b'\n');
        }
        bytes.extend_from_slice(text.as_bytes());
        self.trust.note(|| vec![self.trust.file(name, &bytes)]);
        Ok(())
    }

    /// Returns the content of a file, empty if it does not exist. `None` if it has changed since it
    /// was last written or reviewed on this machine.
    fn as_left_here(&self, name: &str) -> Option<Vec<u8>> {
        let bytes = self.file(name).ok()?;
        let ours = |bytes: &Vec<u8>| self.trust.holds(self.trust.file(name, bytes));
        bytes.map_or_else(|| Some(Vec::new()), |bytes| Some(bytes).filter(ours))
    }

    /// Returns true if a file is unchanged since it was last written or reviewed on this machine.
    pub fn file_reviewed(&self, name: &str) -> bool {
        self.trust.is_whole() || self.as_left_here(name).is_some()
    }

    /// Replaces a file by the result of `change`; `None` leaves it unchanged. `change` is called
    /// again if the file changed meanwhile. Returns true if it was changed.
    pub fn rewrite(
        &self,
        lock: &StoreLock,
        name: &str,
        mut change: impl FnMut(&[u8]) -> Option<Vec<u8>>,
    ) -> Result<bool> {
        let path = self.writable(name)?;
        self.sweep_beside(&path);
        for _ in 0..RETRIES {
            let before = self.file(name)?;
            let Some(after) = change(before.as_deref().unwrap_or_default()) else {
                return Ok(false);
            };
            let unchanged = || Ok(self.file(name)? == before);
            if self.seal.replace(&path, &after, self.sync, unchanged)? {
                self.make_whole_if_due(lock)?;
                if self.run.is_some() {
                    let touched = Touched::new(name, before.as_deref(), &after);
                    self.note_step(&[], vec![touched]);
                }
                let ours = |bytes| self.trust.holds(self.trust.file(name, bytes));
                if before.as_deref().is_none_or(ours) {
                    self.trust.note(|| vec![self.trust.file(name, &after)]);
                } else {
                    self.trust.pass();
                }
                return Ok(true);
            }
        }
        bail!("{} keeps changing while it is written", path.display())
    }

    /// Returns true if the store's notes are trusted because it was made here or fully reviewed;
    /// then its notes, lists and logs belong to this machine as long as only hand edits change
    /// them.
    pub fn notes_begun(&self) -> bool {
        // Most callers ask only this, so the whole ledger is not parsed.
        self.trust.is_whole() || !self.trust.held(&[self.trust.text(Kind::Notes, "")]).is_empty()
    }

    /// Reads the last `bytes` bytes of a file. `Ok(None)` if it does not exist.
    pub fn tail(&self, name: &str, bytes: u64) -> Result<Option<Vec<u8>>, Problem> {
        if self.seal.is_sealed() {
            // A part of a sealed line tells nothing.
            let whole = self.file(name)?;
            let from =
                |all: &[u8]| all.len().saturating_sub(usize::try_from(bytes).unwrap_or(usize::MAX));
            return Ok(whole.map(|all| all.get(from(&all)..).unwrap_or_default().to_vec()));
        }
        let (root, path) = self.place(name);
        read::tail(root, &path, bytes)
    }

    /// Returns the days that have a log, in order.
    pub fn days(&self) -> Result<Vec<Date>, Problem> {
        let names = read::markdown_names(&self.dir, &self.dir.join(DAILY))?;
        Ok(names.iter().filter_map(|name| Date::parse(name.strip_suffix(".md")?)).collect())
    }

    /// Returns the path of a file to be written, and creates its directory. A link inside the store
    /// is followed, so that the link itself stays.
    fn writable(&self, name: &str) -> Result<PathBuf> {
        let path = self.dir.join(name);
        if let Some(dir) = path.parent().filter(|dir| *dir != self.dir) {
            read::guard(&self.dir, dir)?;
            atomic::create_dir(dir, self.sync)?;
        }
        Ok(read::place(&self.dir, &path)?.0)
    }

    /// Deletes temporary files of killed processes beside a file to be written. In the store's
    /// root, taking the lock does so.
    fn sweep_beside(&self, path: &Path) {
        if let Some(dir) = path.parent().filter(|dir| *dir != self.dir) {
            atomic::sweep(dir);
        }
    }
}
