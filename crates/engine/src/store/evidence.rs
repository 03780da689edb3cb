//! The evidence of a store: the shared log, and this machine's local log.
//!
//! Hooks of agents append to the local log in `data/` beside the store, so that answering a prompt
//! changes no file under version control. Readers fold both logs. The next command that a person
//! runs moves the local lines into the shared log: append and sync first, then delete. A kill in
//! between leaves the lines in both; the fold ignores duplicates, and the next move does not append
//! them again. Both logs are written only under the lock of the store.
//!
//! A linked work tree may be removed with all its files. Its local log is therefore in the directory
//! that the repository's work trees share; when the work tree is gone, the others read and move it.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use anyhow::Result;

use super::{
    Store, atomic, discover, evidence_log,
    gitlink::WorkTrees,
    lock::StoreLock,
    read::{self, Problem, ProblemKind},
    snapshot::EVIDENCE,
};
use pimem_core::{
    model::{
        entry::EntryId,
        event::Order,
        hash::{IdMap, short_sha256},
    },
    score::ranking::Scope,
    seal::TAG,
};

/// Directory of what this machine notes of linked work trees, in the one that they share.
const LINKED: &str = "pimem/worktrees";

/// The content of both logs.
#[derive(Debug, Default)]
pub struct Logs {
    /// `evidence.jsonl`.
    pub shared: Vec<u8>,
    /// Local lines that wait to be moved to the shared log.
    pub local: Vec<u8>,
}

impl Logs {
    /// Returns both logs as the one log that a move makes of them, byte for byte.
    pub fn joined(self) -> Vec<u8> {
        let Self { mut shared, local } = self;
        if shared.is_empty() {
            return local;
        }
        if !local.is_empty() {
            end_line(&mut shared);
            shared.extend_from_slice(&local);
        }
        shared
    }
}

fn end_line(log: &mut Vec<u8>) {
    if log.last().is_some_and(|last| *last != b'\n') {
        log.push(b'\n');
    }
}

impl Store {
    /// Returns the name of the local log in `data/`. The name includes the store's unless that is
    /// `memory`, because neighbouring stores may share `data/`.
    fn local_name(&self) -> String {
        let is_plain = self.dir.file_name().is_some_and(|name| name == "memory");
        if is_plain {
            return EVIDENCE.to_owned();
        }
        let real = discover::real(&self.dir);
        let name = real.file_name().unwrap_or_default().to_string_lossy();
        format!("evidence-{name}.jsonl")
    }

    /// Returns the local log's path, relative to the store where it is beside it, for messages.
    pub fn local_log_name(&self) -> String {
        match self.linked_log() {
            Some(path) => path.display().to_string(),
            None => format!("../data/{}", self.local_name()),
        }
    }

    /// Returns the work trees that may have this store too.
    fn work_trees(&self) -> Option<WorkTrees> {
        let may = self.mirror.is_none() && self.scope != Scope::User;
        may.then(|| WorkTrees::of(&self.dir)).flatten()
    }

    /// Returns the local log of a linked work tree.
    fn linked_log(&self) -> Option<PathBuf> {
        let trees = self.work_trees()?;
        let dir = trees.common.join(LINKED).join(trees.linked.as_ref()?);
        Some(dir.join(linked_name(&trees)))
    }

    /// Returns the local logs that are read and moved, but not written: those of linked work trees
    /// that are gone, and in a linked work tree the one beside the store, for hooks in a sandbox that
    /// may write nowhere else.
    pub fn stray_logs(&self) -> Vec<PathBuf> {
        let Some(trees) = self.work_trees() else { return Vec::new() };
        let listed = fs::read_dir(trees.common.join(LINKED)).into_iter().flatten().flatten();
        let gone = listed.filter(|tree| !trees.has(&tree.file_name()));
        let mut found: Vec<PathBuf> =
            gone.map(|tree| tree.path().join(linked_name(&trees))).collect();
        found.sort_unstable();
        let beside = trees.linked.is_some().then(|| self.log_beside()).flatten();
        found.extend(beside);
        found.retain(|path| path.is_file());
        found
    }

    /// Returns the path of the local log. `None` if its directory leads out of the project: nothing
    /// is ever written there.
    pub fn local_log(&self) -> Option<PathBuf> {
        self.linked_log().or_else(|| self.log_beside())
    }

    fn log_beside(&self) -> Option<PathBuf> {
        let dir = self.data_dir();
        if self.mirror.is_some() {
            return None;
        }
        self.guard_data(&dir).ok().map(|()| dir.join(self.local_name()))
    }

    /// Reads both logs, the local one first, so that lines moved meanwhile are not missed. Stray logs
    /// count as local.
    pub fn logs(&self) -> Result<Logs, Problem> {
        let mut local = Vec::new();
        for path in self.local_log().into_iter().chain(self.stray_logs()) {
            let log = self.read_local_log(&path)?;
            end_line(&mut local);
            local.extend(log);
        }
        let shared = self.seal.read(&self.dir, &self.evidence(), read::MAX_LOG)?;
        Ok(Logs { shared: shared.unwrap_or_default(), local })
    }

    /// Returns all evidence as one log, which may have duplicate events.
    pub fn log(&self) -> Result<Vec<u8>, Problem> {
        self.logs().map(Logs::joined)
    }

    fn read_local_log(&self, path: &Path) -> Result<Vec<u8>, Problem> {
        match self.seal.read(path.parent().unwrap_or(path), path, read::MAX_LOG) {
            // If `data/` cannot be entered or is not a directory, hooks write to the shared log.
            Err(Problem { kind: ProblemKind::Closed(_), .. }) => Ok(Vec::new()),
            // Of another work tree, whose branch is sealed: it stays for whoever opens it.
            Ok(Some(bytes)) if bytes.starts_with(TAG.as_bytes()) => Ok(Vec::new()),
            bytes => bytes.map(Option::unwrap_or_default),
        }
    }

    /// Appends lines to the log of this process, and waits for the disk.
    pub(super) fn append_events(&self, lines: &str) -> Result<()> {
        let sync = self.sync.private();
        let linked = || {
            self.seal.check().ok()?;
            let path = self.linked_log()?;
            atomic::create_dir(path.parent()?, sync).ok().map(|()| path)
        };
        let beside = || self.made_path(&self.local_name(), sync).ok();
        if let Some(path) = self.aside.then(|| linked().or_else(beside)).flatten() {
            return self.seal.append(&path, lines.as_bytes(), sync);
        }
        let (log, _) = read::place(&self.dir, &self.evidence())?;
        self.seal.append(&log, lines.as_bytes(), self.sync)
    }

    /// Moves the lines of the local log and of stray ones into the shared log. Returns true if there
    /// were any. A log that cannot be read is left for readers to report.
    ///
    /// # Errors
    /// Fails if the shared log cannot be written; no line is lost.
    pub fn settle(&self, _lock: &StoreLock) -> Result<bool> {
        let mut moved = false;
        for path in self.local_log().into_iter().chain(self.stray_logs()) {
            let Ok(local) = self.read_local_log(&path) else { continue };
            if local.is_empty() {
                continue;
            }
            let shared = self.seal.read(&self.dir, &self.evidence(), read::MAX_LOG)?;
            let new = unknown(&local, shared.as_deref().unwrap_or_default());
            if !new.is_empty() {
                let (log, _) = read::place(&self.dir, &self.evidence())?;
                self.seal.append(&log, &new, self.sync)?;
            }
            // If the local log cannot be removed, its lines are in the shared log too and are not
            // moved again.
            drop(atomic::remove_file(&path, self.sync));
            moved = true;
        }
        Ok(moved)
    }

    /// Removes the purged lines about some entries from the local logs. Returns true if there were any.
    pub(super) fn purge_local_log(&self, purged: &IdMap<EntryId, Order>) -> Result<bool> {
        let mut found = false;
        for path in self.local_log().into_iter().chain(self.stray_logs()) {
            let held = self.read_local_log(&path)?;
            let kept = evidence_log::without(&held, purged);
            if kept.len() < held.len() {
                found |= self.seal.replace(&path, &kept, self.sync.private(), || Ok(true))?;
            }
        }
        Ok(found)
    }
}

/// Returns the name of a store's log among those of its work tree.
fn linked_name(trees: &WorkTrees) -> String {
    if trees.below == Path::new(".pi/memory") {
        return EVIDENCE.to_owned();
    }
    format!("evidence-{}.jsonl", short_sha256(trees.below.as_os_str().as_encoded_bytes()))
}

/// Returns the local lines that are not in the shared log.
fn unknown(local: &[u8], shared: &[u8]) -> Vec<u8> {
    let ours: BTreeSet<&[u8]> =
        evidence_log::lines(local).filter(|line| !line.is_empty()).collect();
    let there: BTreeSet<&[u8]> =
        evidence_log::lines(shared).filter_map(|line| ours.get(line).copied()).collect();
    let mut new = Vec::with_capacity(local.len() + 1);
    if there.is_empty() {
        // Byte for byte, so that a reader that has folded both logs recognises the lines.
        new.extend_from_slice(local);
        end_line(&mut new);
        return new;
    }
    for line in evidence_log::lines(local).filter(|line| !line.is_empty() && !there.contains(line))
    {
        new.extend_from_slice(line);
        new.push(b'\n');
    }
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_makes_of_both_what_readers_made() {
        for (shared, local, want) in [
            ("", "", ""),
            ("a\n", "", "a\n"),
            ("a", "", "a"),
            ("", "x\ny\n", "x\ny\n"),
            ("a\nb\n", "x\n", "a\nb\nx\n"),
            ("a\nto", "x\n", "a\nto\nx\n"),
        ] {
            let logs = Logs { shared: shared.into(), local: local.into() };
            assert_eq!(String::from_utf8(logs.joined()).unwrap(), want);
        }
    }

    #[test]
    fn what_a_killed_move_left_is_not_moved_again() {
        for (shared, local, want) in [
            ("", "x\ny\n", "x\ny\n"),
            ("a\nx\ny\n", "x\ny\n", ""),
            ("a\nx\ny\n", "x\ny\nz\n", "z\n"),
            ("a\nx\ny", "x\ny\n", ""),
            // The append itself was cut off.
            ("a\nx\nto", "x\ntorn\n", "torn\n"),
            ("a\n", "x\nto", "x\nto\n"),
            // Another branch was checked out meanwhile.
            ("a\ny\n", "x\ny\n", "x\n"),
        ] {
            let new = unknown(local.as_bytes(), shared.as_bytes());
            assert_eq!(String::from_utf8(new).unwrap(), want, "{shared:?} {local:?}");
        }
    }
}
