//! Machine-local files: in a directory that the work trees of a repository share, where git never
//! looks, or else in `data/` beside the store, which has a `.gitignore` that excludes it.
//!
//! What earlier versions left in `data/`, or a command that may not write git's directory, is read
//! too, and taken into the other by whoever writes next.
//!
//! It holds telemetry, accesses, session ledgers and summaries, readable by their owner only. Of these only
//! summaries are synced, because they cannot be rebuilt. The others may lose lines in a crash, but
//! stay readable.

use std::{
    collections::HashSet,
    fs::{self, DirEntry},
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::Result;
use pimem_core::{
    model::{
        entry::EntryId,
        hash::{IdSet, short_sha256},
    },
    score::access::Accesses,
    search::learned_questions::LearnedQuestions,
    session::summaries,
    usage::record::Record,
};

use super::{
    Store, StoreLock,
    atomic::{self, Sync},
    git::{SPOOL, WorkTrees},
    read::{self, ReadProblem},
    seal::Seal,
};

/// Telemetry, one record per line.
pub const TELEMETRY: &str = "memory-telemetry.jsonl";
pub const ACCESSES: &str = "access.json";
/// Questions that entries were learned to answer.
pub const LEARNED_QUESTIONS: &str = "learned-questions.tsv";
/// Number by which other devices know the counts of this one.
pub const DEVICE: &str = "device";
/// Summaries of past sessions.
pub const SESSIONS: &str = "session-search.json";
/// The directory that the work trees of a repository share, in git's.
const SHARED: &str = "pimem/data";
/// Tells git to leave the directory alone.
const IGNORE: &str = ".gitignore";
/// Maximum size of the telemetry in bytes.
pub const TELEMETRY_BYTES: u64 = 512_000;
/// Maximum number of telemetry lines kept when it exceeds that size.
pub const TELEMETRY_LINES: usize = 200;
/// Maximum size in bytes of the lines kept, so that the limit is not reached again soon.
const KEPT_BYTES: usize = 256_000;
/// Maximum wait of an appender for the lock to shorten the telemetry. If it fails, the next
/// appender tries again.
const HASTE: Duration = Duration::from_millis(20);

/// A directory of machine-local files.
#[derive(Debug, Clone)]
struct NotedPlace {
    dir: PathBuf,
    /// The directory that it must not lead out of.
    root: PathBuf,
}

impl NotedPlace {
    fn guard(&self) -> Result<(), ReadProblem> {
        read::guard_way(&self.root, &self.dir)
    }

    fn read(&self, seal: &Seal, name: &str) -> Result<Option<Vec<u8>>, ReadProblem> {
        self.guard()?;
        seal.read(&self.dir, &self.dir.join(name), read::MAX_FILE)
    }
}

/// The directories of a store's machine-local files.
#[derive(Debug)]
pub struct NotedPlaces {
    /// Where they are written.
    own: NotedPlace,
    /// Where there may be others.
    other: Option<NotedPlace>,
}

impl Store {
    fn noted(&self) -> &NotedPlaces {
        self.noted.get_or_init(|| {
            let root = self.dir.parent().unwrap_or(&self.dir);
            let beside = NotedPlace { dir: root.join("data"), root: root.to_path_buf() };
            let trees = self.work_trees().filter(|trees| {
                // What is kept apart, or in another form, shares nothing.
                let is_own = trees.linked.is_some() && (self.apart || self.seal.is_said_plain());
                !is_own && trees.common.join("HEAD").is_file()
            });
            let shared =
                trees.map(|trees| NotedPlace { dir: shared_dir(&trees), root: trees.common });
            match shared.filter(|shared| shared.guard().is_ok()) {
                None => NotedPlaces { own: beside, other: None },
                Some(shared) if is_writable(&shared) => {
                    NotedPlaces { own: shared, other: Some(beside) }
                }
                Some(shared) => NotedPlaces { own: beside, other: Some(shared) },
            }
        })
    }

    pub fn data_dir(&self) -> PathBuf {
        self.noted().own.dir.clone()
    }

    /// Returns the path of a machine-local file for messages, relative to the store where it is beside
    /// it.
    pub(super) fn local_shown(&self, name: &str) -> String {
        if self.has_data_beside() {
            return format!("../data/{name}");
        }
        self.data_dir().join(name).display().to_string()
    }

    pub(super) fn has_data_beside(&self) -> bool {
        self.data_dir().parent() == self.dir.parent()
    }

    /// Returns the directories with machine-local files, the one to write to first.
    pub(super) fn data_dirs(&self) -> Vec<PathBuf> {
        let NotedPlaces { own, other } = self.noted();
        let places = [Some(own), other.as_ref()].into_iter().flatten();
        places.filter(|place| place.guard().is_ok()).map(|place| place.dir.clone()).collect()
    }

    /// Returns those with what is of this work tree: what the main one was told is no matter of a linked
    /// one.
    pub(super) fn data_dirs_of_tree(&self) -> Vec<PathBuf> {
        let mut dirs = self.data_dirs();
        if self.work_trees().is_some_and(|trees| trees.linked.is_some()) {
            dirs.retain(|dir| dir.parent() == self.dir.parent());
        }
        dirs
    }

    /// Returns the path of a machine-local file, and the directory that it must not lead out of.
    pub(super) fn local_place(&self, name: &str) -> (&Path, PathBuf) {
        let NotedPlaces { own, other } = self.noted();
        let path = own.dir.join(name);
        let other = other.as_ref().filter(|other| {
            !path.exists() && other.guard().is_ok() && other.dir.join(name).is_file()
        });
        other.map_or((&own.root, path), |other| (&other.root, other.dir.join(name)))
    }

    /// Reads a machine-local file. `Ok(None)` if it does not exist; a mirror has none.
    pub fn local(&self, name: &str) -> Result<Option<Vec<u8>>, ReadProblem> {
        if self.mirror.is_some() {
            return Ok(None);
        }
        let NotedPlaces { own, other } = self.noted();
        let found = own.read(&self.seal, name)?;
        let elsewhere = || other.as_ref()?.read(&self.seal, name).ok()?;
        Ok(found.or_else(elsewhere))
    }

    /// Takes in the files of the other directory. Killed in between, it has taken a part of them.
    /// Logs of hooks and spools stay: they are moved where they are read.
    pub fn take_in(&self, patience: Duration) -> Result<()> {
        let NotedPlaces { own, other: Some(other) } = self.noted() else { return Ok(()) };
        // Without a `.gitignore` it is another program's, whose files git may have.
        if self.has_data_beside() || !other.dir.join(IGNORE).is_file() {
            return Ok(());
        }
        other.guard()?;
        own.guard()?;
        let sync = self.sync.private();
        atomic::create_dir(&own.dir, sync)?;
        let places = [other, own].map(|place| &*place.dir);
        let mut locks = Vec::new();
        for dir in places {
            locks.extend(StoreLock::alone(dir, patience)?);
            locks.push(StoreLock::acquire(dir, patience)?);
        }
        let waiting = self.waiting_name();
        for name in names_below(&other.dir) {
            if name == waiting {
                self.keep_waiting()?;
            }
            if ["evidence", SPOOL].iter().any(|kind| name.starts_with(kind)) {
                continue;
            }
            let Some(there) = other.read(&self.seal, &name)? else { continue };
            let path = own.dir.join(&name);
            atomic::create_dir(path.parent().unwrap_or(&own.dir), sync)?;
            let joined = match own.read(&self.seal, &name)? {
                Some(held) => joined(&name, &held, &there),
                None => Some(there),
            };
            if let Some(joined) = joined {
                self.seal.replace(&path, &joined, sync, || Ok(true))?;
            }
            atomic::remove_file(&other.dir.join(&name), sync)?;
        }
        remove_bare(&other.dir);
        Ok(())
    }

    /// Returns the number of this device, if it ever told its counts.
    pub fn device(&self) -> Option<u64> {
        let file = self.local(DEVICE).ok()??;
        u64::from_str_radix(str::from_utf8(&file).ok()?.trim(), 16).ok()
    }

    /// Returns the number of this device, and chooses one if it has none.
    pub fn make_device(&self) -> Result<u64> {
        if let Some(known) = self.device() {
            return Ok(known);
        }
        let number = u64::try_from(atomic::random()? & u128::from(u64::MAX))?;
        self.keep_local(DEVICE, |_| Some(format!("{number:016x}\n").into_bytes()))?;
        Ok(number)
    }

    /// Appends lines to a machine-local file by a single write, beside other appenders. Creates a
    /// missing directory.
    pub fn append_local(&self, name: &str, lines: &str) -> Result<()> {
        let path = self.local_path(name)?;
        // Nobody seals the files, or makes them plain, between a look at how they are kept and the
        // write.
        let held = StoreLock::shared(&self.data_dir(), self.patience)?;
        self.seal.append(&path, lines.as_bytes(), Sync::Private)?;
        drop(held);
        self.cover_unless_hook();
        Ok(())
    }

    /// Seals again what lies beside the store, if that is due. Hooks do so when they have answered.
    fn cover_unless_hook(&self) {
        if !self.aside {
            // What stays undone stays due.
            drop(self.cover_beside());
        }
    }

    /// Replaces a machine-local file by the result of `change`, under a lock; `None` leaves it
    /// unchanged. Returns true if it was changed.
    pub fn rewrite_local(
        &self,
        name: &str,
        change: impl FnOnce(Option<&[u8]>) -> Option<Vec<u8>>,
    ) -> Result<bool> {
        self.replace_local(name, Sync::Private, change)
    }

    /// Like [`Store::rewrite_local`], but waits for the disk.
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
        let lock = self.lock_data(&dir)?;
        atomic::sweep(path.parent().unwrap_or(&dir));
        let mut before = self.local(name)?;
        if name == SESSIONS {
            // Another program may add to its own.
            let there =
                self.noted().other.as_ref().and_then(|other| other.read(&self.seal, name).ok()?);
            let both = before.as_deref().zip(there.as_deref());
            before = both.and_then(|(held, there)| joined(name, held, there)).or(before);
        }
        let Some(after) = change(before.as_deref()) else { return Ok(false) };
        let changed = self.seal.replace(&path, &after, sync, || Ok(true))?;
        drop(lock);
        self.cover_unless_hook();
        Ok(changed)
    }

    /// Deletes temporary files of killed processes. For appenders, which need no lock otherwise.
    pub(super) fn sweep_data(&self) {
        let dir = self.data_dir();
        if atomic::has_litter(&dir)
            && let Ok(_lock) = self.lock_data(&dir)
        {
            atomic::sweep(&dir);
        }
    }

    /// Renames a damaged machine-local file, if it is still damaged under the lock. Returns the new
    /// name.
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

    /// Appends records to the telemetry, and cuts it to its last lines when it is too large. A line
    /// appended during the cut may be lost.
    pub fn append_telemetry(&self, lines: &str) -> Result<()> {
        self.append_local(TELEMETRY, lines)?;
        let size = fs::metadata(self.data_dir().join(TELEMETRY)).map_or(0, |meta| meta.len());
        if size > TELEMETRY_BYTES {
            let hasty = Self { patience: self.patience.min(HASTE), ..self.clone() };
            let shorten = |bytes: &[u8]| {
                // Another process may have cut it meanwhile. A sealed file is longer than its text.
                let is_long = self.seal.is_sealed() || bytes.len() as u64 > TELEMETRY_BYTES;
                is_long.then(|| last_lines(bytes).to_vec())
            };
            hasty.rewrite_local(TELEMETRY, |bytes| bytes.and_then(shorten))?;
        }
        Ok(())
    }

    /// Removes everything about some entries from the telemetry. Returns true if there was any.
    pub fn purge_telemetry(&self, ids: &IdSet<EntryId>) -> Result<bool> {
        let ids: Vec<String> = ids.iter().map(EntryId::to_string).collect();
        let names = |line: &str| ids.iter().any(|id| line.contains(id.as_str()));
        // The common case, nothing to remove, needs no lock.
        let held = self.local(TELEMETRY)?.unwrap_or_default();
        if !names(&String::from_utf8_lossy(&held)) {
            return Ok(false);
        }
        self.keep_local(TELEMETRY, |bytes| {
            let text = String::from_utf8_lossy(bytes?);
            let line = |line: &str| match names(line).then(|| Record::read(line)) {
                None => format!("{line}\n"),
                // A line that cannot be parsed may contain anything, so it is removed.
                Some(record) => record.and_then(|record| record.without(&ids)).unwrap_or_default(),
            };
            Some(text.lines().map(line).collect::<String>().into_bytes())
        })
    }

    /// Removes some entries from the accesses. Returns true if there was any.
    pub fn purge_accesses(&self, ids: &IdSet<EntryId>) -> Result<bool> {
        // The common case, nothing to remove, needs no lock.
        let held = self.local(ACCESSES)?.unwrap_or_default();
        if !Accesses::read(&held).forget(ids) {
            return Ok(false);
        }
        self.keep_local(ACCESSES, |bytes| {
            let mut accesses = Accesses::read(bytes?);
            accesses.forget(ids).then(|| accesses.write().into_bytes())
        })
    }

    /// Returns the questions that were learned from use. A file that cannot be read has none.
    pub fn learned_questions(&self) -> LearnedQuestions {
        let file = self.local(LEARNED_QUESTIONS).ok().flatten();
        file.map_or_else(LearnedQuestions::default, |file| LearnedQuestions::read(&file))
    }

    /// Changes the learned questions. `change` returns true if it did, and may be called twice.
    pub fn change_learned_questions(
        &self,
        mut change: impl FnMut(&mut LearnedQuestions) -> bool,
    ) -> Result<bool> {
        // The common case, nothing to change, needs no lock.
        if !change(&mut self.learned_questions()) {
            return Ok(false);
        }
        self.keep_local(LEARNED_QUESTIONS, |file| {
            let mut all = LearnedQuestions::read(file.unwrap_or_default());
            change(&mut all).then(|| all.write().into_bytes())
        })
    }

    /// Returns the path of a file to be written, and creates its directory.
    pub(super) fn local_path(&self, name: &str) -> Result<PathBuf> {
        self.made_path(name, Sync::Private)
    }

    pub(super) fn made_path(&self, name: &str, sync: Sync) -> Result<PathBuf> {
        self.seal.check_write()?;
        // Whoever is busy with them leaves it to the next.
        drop(self.take_in(HASTE));
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

    /// Writes the `.gitignore` that excludes the directory. Another program may have made the
    /// directory. A link, which git does not follow, or a file left empty by a power cut is
    /// replaced.
    fn ignore_data(&self, dir: &Path, sync: Sync) -> Result<()> {
        if !self.has_data_beside() {
            return Ok(());
        }
        let ignore = dir.join(IGNORE);
        let known = fs::symlink_metadata(&ignore);
        if known.is_ok_and(|meta| !meta.is_symlink() && meta.len() > 0) {
            return Ok(());
        }
        // Until it is there, git sees the directory: whoever has no time left takes it for this.
        let _lock = StoreLock::acquire(dir, self.patience.max(HASTE))?;
        atomic::replace_file(&ignore, b"*\n", sync, || Ok(true)).map(drop)
    }

    /// Returns the entries of a subfolder; none if it cannot be listed.
    pub(super) fn local_names(&self, folder: &str) -> Vec<DirEntry> {
        let dir = self.data_dir().join(folder);
        let found = self.guard_folder(&dir).ok().and_then(|()| fs::read_dir(&dir).ok());
        found.into_iter().flatten().flatten().collect()
    }

    fn lock_data(&self, dir: &Path) -> Result<StoreLock> {
        let lock = StoreLock::acquire(dir, self.patience)?;
        self.seal.reread();
        Ok(lock)
    }

    /// Fails if the directory or a subfolder leads outside.
    fn guard_folder(&self, folder: &Path) -> Result<(), ReadProblem> {
        self.guard_data()?;
        let dir = self.data_dir();
        if folder == dir { Ok(()) } else { read::guard(&dir, folder) }
    }

    /// Fails if the directory leads out of the project, or of git's directory.
    pub(super) fn guard_data(&self) -> Result<(), ReadProblem> {
        self.noted().own.guard()
    }
}

/// Returns the directory of machine-local files that the work trees of a repository share. Neighbouring
/// stores share it too.
pub(super) fn shared_dir(trees: &WorkTrees) -> PathBuf {
    let beside = trees.below.parent().unwrap_or(Path::new(""));
    if beside == Path::new(".pi") {
        return trees.common.join(SHARED);
    }
    let name = short_sha256(beside.as_os_str().as_encoded_bytes());
    trees.common.join(format!("{SHARED}-{name}"))
}

/// Returns true if the directory can be written, or made.
fn is_writable(place: &NotedPlace) -> bool {
    #[cfg(unix)]
    {
        let made = place.dir.ancestors().find(|dir| dir.exists()).unwrap_or(&place.root);
        let may = rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK;
        made.is_dir() && rustix::fs::access(made, may).is_ok()
    }
    #[cfg(not(unix))]
    !std::fs::metadata(&place.root).is_ok_and(|meta| meta.permissions().readonly())
}

/// Returns what two files of a name say together; `None` if the first says all.
fn joined(name: &str, held: &[u8], other: &[u8]) -> Option<Vec<u8>> {
    match name {
        ACCESSES => {
            let mut all = Accesses::read(held);
            all.merge(&Accesses::read(other));
            Some(all.write().into_bytes())
        }
        SESSIONS => {
            let mut all = summaries::all(other).into_iter();
            all.try_fold(held.to_vec(), |all, one| summaries::with(&all, &one))
        }
        _ if name == LEARNED_QUESTIONS
            || Path::new(name).extension().is_some_and(|end| end == "jsonl") =>
        {
            let known: HashSet<&[u8]> = held.split(|byte| *byte == b'\n').collect();
            let new = other.split(|byte| *byte == b'\n').filter(|line| !known.contains(line));
            let mut all = held.trim_ascii_end().to_vec();
            new.for_each(|line| all.extend([b"\n", line].concat()));
            all.push(b'\n');
            Some(all)
        }
        _ => None,
    }
}

/// Returns the names of the files of a directory and of its folders.
fn names_below(dir: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => {
                let below = names_below(&entry.path());
                found.extend(below.into_iter().map(|below| format!("{name}/{below}")));
            }
            Ok(kind) if kind.is_file() && !name.starts_with('.') && name != "lock" => {
                found.push(name);
            }
            _ => {}
        }
    }
    found
}

/// Deletes a directory and its folders if nothing is left in them but what is made with them.
fn remove_bare(dir: &Path) {
    if names_below(dir).is_empty() {
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            drop(fs::remove_dir(entry.path()));
        }
        atomic::remove_derived(&dir.join(IGNORE));
        atomic::remove_derived(&dir.join("lock"));
        drop(fs::remove_dir(dir));
    }
}

/// Returns the last whole lines of a file, within the limits for telemetry.
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
