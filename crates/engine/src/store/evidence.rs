//! The evidence of a store: the shared log, and this machine's local log.
//!
//! Hooks of agents append to the local log in `data/` beside the store, so that answering a prompt
//! changes no file under version control. Readers fold both logs. The next command that a person
//! runs moves the local lines into the shared log: append and sync first, then delete. A kill in
//! between leaves the lines in both; the fold ignores duplicates, and the next move does not append
//! them again. Both logs are written only under the lock of the store.

use std::{collections::BTreeSet, path::PathBuf};

use anyhow::Result;

use super::{
    Store, atomic, discover, evidence_log,
    lock::StoreLock,
    read::{self, Problem, ProblemKind},
    snapshot::EVIDENCE,
};
use pimem_core::model::{entry::EntryId, event::Order, hash::IdMap};

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

    /// Returns the local log's path relative to the store, for messages.
    pub fn local_log_name(&self) -> String {
        format!("../data/{}", self.local_name())
    }

    /// Returns the path of the local log. `None` if `data/` leads out of the project: nothing is
    /// ever written there.
    pub fn local_log(&self) -> Option<PathBuf> {
        let dir = self.data_dir();
        if self.mirror.is_some() {
            return None;
        }
        self.guard_data(&dir).ok().map(|()| dir.join(self.local_name()))
    }

    /// Reads both logs, the local one first, so that lines moved meanwhile are not missed.
    pub fn logs(&self) -> Result<Logs, Problem> {
        let local = self.read_local_log()?;
        let shared = self.seal.read(&self.dir, &self.evidence(), read::MAX_LOG)?;
        Ok(Logs { shared: shared.unwrap_or_default(), local })
    }

    /// Returns all evidence as one log, which may have duplicate events.
    pub fn log(&self) -> Result<Vec<u8>, Problem> {
        self.logs().map(Logs::joined)
    }

    fn read_local_log(&self) -> Result<Vec<u8>, Problem> {
        let Some(path) = self.local_log() else { return Ok(Vec::new()) };
        match self.seal.read(&self.data_dir(), &path, read::MAX_LOG) {
            // If `data/` cannot be entered or is not a directory, hooks write to the shared log.
            Err(Problem { kind: ProblemKind::Closed(_), .. }) => Ok(Vec::new()),
            bytes => bytes.map(Option::unwrap_or_default),
        }
    }

    /// Appends lines to the log of this process, and waits for the disk.
    pub(super) fn append_events(&self, lines: &str) -> Result<()> {
        let aside = || self.made_path(&self.local_name(), self.sync.private());
        if let Some(path) = self.aside.then(aside).and_then(Result::ok) {
            return self.seal.append(&path, lines.as_bytes(), self.sync.private());
        }
        let (log, _) = read::place(&self.dir, &self.evidence())?;
        self.seal.append(&log, lines.as_bytes(), self.sync)
    }

    /// Moves the lines of the local log into the shared log. Returns true if there were any. A log
    /// that cannot be read is left for readers to report.
    ///
    /// # Errors
    /// Fails if the shared log cannot be written; no line is lost.
    pub fn settle(&self, _lock: &StoreLock) -> Result<bool> {
        let Ok(local) = self.read_local_log() else { return Ok(false) };
        let Some(path) = self.local_log().filter(|_| !local.is_empty()) else { return Ok(false) };
        let shared = self.seal.read(&self.dir, &self.evidence(), read::MAX_LOG)?;
        let new = unknown(&local, shared.as_deref().unwrap_or_default());
        if !new.is_empty() {
            let (log, _) = read::place(&self.dir, &self.evidence())?;
            self.seal.append(&log, &new, self.sync)?;
        }
        // If the local log cannot be removed, its lines are in the shared log too and are not moved
        // again.
        drop(atomic::remove_file(&path, self.sync));
        Ok(true)
    }

    /// Removes the purged lines about some entries from the local log. Returns true if there were any.
    pub(super) fn purge_local_log(&self, purged: &IdMap<EntryId, Order>) -> Result<bool> {
        let Some(path) = self.local_log() else { return Ok(false) };
        let held = self.read_local_log()?;
        let kept = evidence_log::without(&held, purged);
        if kept.len() == held.len() {
            return Ok(false);
        }
        self.seal.replace(&path, &kept, self.sync.private(), || Ok(true))
    }
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
