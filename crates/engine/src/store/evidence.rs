//! The evidence of a store: the shared log, and this machine's local log.
//!
//! Hooks of agents append to the local log, a machine-local file, so that answering a prompt changes no
//! file under version control; what they say of a line that they write goes to the shared log with it,
//! or a commit would have one without the other. Readers fold both logs. The next command that a person
//! runs moves the local lines into the shared log: append and sync first, then delete. A kill in
//! between leaves the lines in both; the fold ignores duplicates, and the next move does not append
//! them again. Both logs are written only under the lock of the store.
//!
//! A linked work tree may be removed with all its files. Its local log is therefore in the directory
//! that the repository's work trees share; when the work tree is gone, the others read and move it.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use anyhow::Result;
use memchr::memmem::Finder;
use pimem_core::{
    model::{
        entry::{EntryId, EventId},
        event::{Event, EventKind, Order, Origin},
        hash::{IdMap, IdSet},
        operation::OperationEffect,
        time::Timestamp,
    },
    score::{clock::ActiveDays, ledger::Ledger, ranking::Scope},
    seal::TAG,
};

use super::{
    Store, StoreLock, atomic, discover,
    git::{OtherTree, WorkTrees},
    machine_local,
    read::{self, ProblemKind, ReadProblem},
    snapshot::EVIDENCE,
};

/// Bytes of another work tree's log that are read at most, beyond what is the same here.
const MOST_ELSEWHERE: usize = 1024 * 1024;

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
            None => self.local_shown(&self.local_name()),
        }
    }

    /// Returns the work trees that may have this store too.
    pub(super) fn work_trees(&self) -> Option<WorkTrees> {
        let may = self.mirror.is_none() && self.scope != Scope::User;
        may.then(|| self.trees.get_or_init(|| WorkTrees::of(&self.dir)).clone()).flatten()
    }

    /// Returns the local log of a linked work tree.
    fn linked_log(&self) -> Option<PathBuf> {
        let trees = self.work_trees()?;
        let path = trees.noted()?.join(linked_name(&trees));
        read::guard_way(&trees.common, &path).ok().map(|()| path)
    }

    /// Returns the local logs that are read and moved, but not written: those of linked work trees
    /// that are gone, and the one beside the store, for hooks in a sandbox that may write nowhere
    /// else.
    pub fn stray_logs(&self) -> Vec<PathBuf> {
        let Some(trees) = self.work_trees() else { return Vec::new() };
        let name = linked_name(&trees);
        let mut found: Vec<PathBuf> =
            trees.left().into_iter().map(|tree| tree.join(&name)).collect();
        let beside = self.data_dirs_of_tree().into_iter().map(|dir| dir.join(self.local_name()));
        let local = self.local_log();
        found.extend(beside.filter(|path| local.as_ref() != Some(path)));
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
        self.guard_data().ok().map(|()| dir.join(self.local_name()))
    }

    /// Reads both logs, the local one first, so that lines moved meanwhile are not missed. Stray logs
    /// count as local.
    pub fn logs(&self) -> Result<Logs, ReadProblem> {
        let local = self.local_lines()?;
        let shared = self.seal.read(&self.dir, &self.evidence(), read::MAX_LOG)?;
        Ok(Logs { shared: shared.unwrap_or_default(), local })
    }

    fn local_lines(&self) -> Result<Vec<u8>, ReadProblem> {
        let mut local = Vec::new();
        for path in self.local_log().into_iter().chain(self.stray_logs()) {
            let log = self.read_local_log(&path)?;
            end_line(&mut local);
            local.extend(log);
        }
        Ok(local)
    }

    /// Hands over what [`log`](Self::log) returns, in pieces. Memory that is new to a process costs more
    /// than reading a long log does.
    pub fn log_in_pieces(&self, each: &mut dyn FnMut(&[u8])) -> Result<(), ReadProblem> {
        let (local, mut last) = (self.local_lines()?, None);
        let (shared, mut is_sealed) = (self.evidence(), self.seal.is_sealed());
        if !is_sealed {
            read::in_pieces(&self.dir, &shared, read::MAX_LOG, &mut |piece| {
                // Somebody may have sealed it since.
                is_sealed |= last.is_none() && piece.starts_with(TAG.as_bytes());
                if !is_sealed {
                    last = piece.last().copied();
                    each(piece);
                }
            })?;
        }
        if is_sealed {
            let log = self.seal.read(&self.dir, &shared, read::MAX_LOG)?.unwrap_or_default();
            last = log.last().copied();
            each(&log);
        }
        if !local.is_empty() {
            if last.is_some_and(|last| last != b'\n') {
                each(b"\n");
            }
            each(&local);
        }
        Ok(())
    }

    /// Hands over the lines of the log, many at once.
    fn log_in_lines(&self, each: &mut dyn FnMut(&[u8])) -> Result<(), ReadProblem> {
        let mut begun = Vec::new();
        self.log_in_pieces(&mut |piece| whole_lines(&mut begun, piece, each))?;
        each(&begun);
        Ok(())
    }

    /// Returns the lines of the log that [`lines_about`] returns for some entries; of none, the log is not
    /// read.
    pub fn log_about(&self, wanted: &IdSet<EntryId>) -> Result<Vec<u8>, ReadProblem> {
        let mut found = Vec::new();
        if wanted.is_empty() {
            return Ok(found);
        }
        self.log_in_lines(&mut |lines| {
            let about = lines_about(lines, |id| wanted.contains(id));
            for line in about.filter(|line| !line.is_empty()) {
                found.extend_from_slice(line);
                found.push(b'\n');
            }
        })?;
        Ok(found)
    }

    /// Returns true if the log mentions one of some entries, or cannot be read.
    pub fn mentions(&self, entries: impl Iterator<Item = EntryId>) -> bool {
        let finders: Vec<Finder<'_>> =
            entries.map(|id| Finder::new(&id.to_string()).into_owned()).collect();
        if finders.is_empty() {
            return false;
        }
        let mut found = false;
        let read = self.log_in_lines(&mut |lines| {
            found = found || finders.iter().any(|finder| finder.find(lines).is_some());
        });
        found || read.is_err()
    }

    /// Returns the other work trees of the repository, none if branches are kept apart.
    pub(super) fn other_trees(&self, trees: &WorkTrees) -> Vec<OtherTree> {
        if self.apart { Vec::new() } else { trees.others() }
    }

    /// Returns what the logs of other work trees have and this one has not.
    pub(super) fn logs_elsewhere(&self, trees: &WorkTrees, others: &[OtherTree]) -> Vec<u8> {
        let mut found = Vec::new();
        let read = |path: &Path| self.read_local_log(path).unwrap_or_default();
        let own = if others.is_empty() { Vec::new() } else { read(&self.evidence()) };
        if trees.linked.is_some() {
            // What the main one notes is where the files of all are.
            found = read(&machine_local::shared_dir(trees).join(self.local_name()));
        }
        for other in others {
            let dir = other.root.as_ref().map(|root| root.join(&trees.below));
            let shared = dir.as_deref().map(|dir| read(&dir.join(EVIDENCE))).unwrap_or_default();
            // Most of it is what both branches had when they parted.
            let same = own.iter().zip(&shared).take_while(|(a, b)| a == b).count();
            let parted = shared.get(..same).and_then(|same| memchr::memrchr(b'\n', same));
            let rest = shared.get(parted.map_or(0, |end| end + 1)..).unwrap_or_default();
            let beside =
                dir.as_deref().and_then(Path::parent).map(|pi| pi.join("data").join(EVIDENCE));
            let local = [Some(other.noted.join(linked_name(trees))), beside].into_iter().flatten();
            for log in std::iter::once(rest.to_vec()).chain(local.map(|path| read(&path))) {
                if log.len() <= MOST_ELSEWHERE {
                    end_line(&mut found);
                    found.extend(log);
                }
            }
        }
        found
    }

    /// Returns all evidence as one log, which may have duplicate events.
    pub fn log(&self) -> Result<Vec<u8>, ReadProblem> {
        self.logs().map(Logs::joined)
    }

    fn read_local_log(&self, path: &Path) -> Result<Vec<u8>, ReadProblem> {
        match self.seal.read(path.parent().unwrap_or(path), path, read::MAX_LOG) {
            // If `data/` cannot be entered or is not a directory, hooks write to the shared log.
            Err(ReadProblem { kind: ProblemKind::Closed(_), .. }) => Ok(Vec::new()),
            // Of another work tree, whose branch is sealed: it stays for whoever opens it.
            Ok(Some(bytes)) if bytes.starts_with(TAG.as_bytes()) => Ok(Vec::new()),
            bytes => bytes.map(Option::unwrap_or_default),
        }
    }

    /// Appends lines to the shared log, and waits for the disk; those of hooks to the local log, if they
    /// stand `alone`, beside no change of a topic or the archive.
    pub(super) fn append_events(&self, lines: &str, alone: bool) -> Result<()> {
        let sync = self.sync.private();
        let linked = || {
            self.seal.check().ok()?;
            let path = self.linked_log()?;
            atomic::create_dir(path.parent()?, sync).ok().map(|()| path)
        };
        let beside = || self.made_path(&self.local_name(), sync).ok();
        if let Some(path) = (self.aside && alone).then(|| linked().or_else(beside)).flatten() {
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
            let kept = without(&held, purged);
            if kept.len() < held.len() {
                found |= self.seal.replace(&path, &kept, self.sync.private(), || Ok(true))?;
            }
        }
        Ok(found)
    }
}

/// Returns the name of a store's log among those of its work tree.
fn linked_name(trees: &WorkTrees) -> String {
    format!("{}.jsonl", trees.name("evidence"))
}

/// Returns the local lines that are not in the shared log.
fn unknown(local: &[u8], shared: &[u8]) -> Vec<u8> {
    let ours: BTreeSet<&[u8]> = lines(local).filter(|line| !line.is_empty()).collect();
    let there: BTreeSet<&[u8]> = lines(shared).filter_map(|line| ours.get(line).copied()).collect();
    let mut new = Vec::with_capacity(local.len() + 1);
    if there.is_empty() {
        // Byte for byte, so that a reader that has folded both logs recognises the lines.
        new.extend_from_slice(local);
        end_line(&mut new);
        return new;
    }
    for line in lines(local).filter(|line| !line.is_empty() && !there.contains(line)) {
        new.extend_from_slice(line);
        new.push(b'\n');
    }
    new
}

/// Hands over the lines that end in a piece, after what was `begun` in the pieces before.
fn whole_lines(begun: &mut Vec<u8>, piece: &[u8], each: &mut dyn FnMut(&[u8])) {
    let first = memchr::memchr(b'\n', piece).map(|end| piece.split_at(end + 1));
    let (first, others) = first.unwrap_or((piece, b""));
    begun.extend_from_slice(first);
    if first.ends_with(b"\n") {
        each(begun);
        let last = memchr::memrchr(b'\n', others);
        let (whole, rest) = others.split_at(last.map_or(0, |last| last + 1));
        each(whole);
        rest.clone_into(begun);
    }
}

/// Bytes of a short line of the log; most lines are short.
const LINE: usize = 128;

/// Returns an empty ledger with capacity for a log of `bytes` bytes.
pub(super) fn ledger_for(bytes: usize) -> Ledger {
    Ledger::with_capacity(bytes / LINE)
}

pub fn fold(log: &[u8]) -> Ledger {
    fold_parts(&[log])
}

/// Folds logs as one.
pub fn fold_parts(parts: &[&[u8]]) -> Ledger {
    let mut ledger = ledger_for(parts.iter().map(|part| part.len()).sum());
    for event in parts.iter().flat_map(|part| lines(part)).filter_map(event) {
        ledger.fold(&event);
    }
    ledger
}

/// Folds the events of a log up to `moment`, inclusive.
pub fn fold_until(log: &[u8], moment: Timestamp) -> Ledger {
    let mut ledger = ledger_for(log.len());
    for event in lines(log).filter_map(event).filter(|event| event.ts <= moment) {
        ledger.fold(&event);
    }
    ledger
}

/// Returns the days that have an event; see [`Ledger::days`].
pub(super) fn days(log: &[u8]) -> ActiveDays {
    let is_known = |event: &Event| {
        !matches!(event.kind.effect(), OperationEffect::Nothing | OperationEffect::Counts { .. })
    };
    lines(log).filter_map(event).filter(is_known).map(|event| event.ts).collect()
}

/// Returns the distinct events of a log, in its order.
pub fn events(log: &[u8]) -> impl Iterator<Item = Event> {
    let mut known = BTreeSet::new();
    lines(log).filter_map(event).filter(move |event| known.insert((event.id, event.fingerprint())))
}

/// Returns the distinct events of a log with their lines, by entry.
pub fn by_entry(log: &[u8]) -> IdMap<EntryId, Vec<(Event, String)>> {
    let mut found: IdMap<EntryId, Vec<(Event, String)>> = IdMap::default();
    let mut known = BTreeSet::new();
    for line in lines(log).filter_map(|line| str::from_utf8(line).ok()) {
        if let Some(event) = Event::read(line.trim())
            && known.insert((event.id, event.fingerprint()))
        {
            found.entry(event.entry).or_default().push((event, line.trim().to_owned()));
        }
    }
    found
}

/// Returns a log without the lines about some entries that are older than their purges.
pub(super) fn without(log: &[u8], purged: &IdMap<EntryId, Order>) -> Vec<u8> {
    let mut kept = Vec::with_capacity(log.len());
    for line in log.split_inclusive(|byte| *byte == b'\n') {
        if event(line.trim_ascii_end())
            .is_none_or(|event| purged.get(&event.entry).is_none_or(|at| event.order() >= *at))
        {
            kept.extend_from_slice(line);
        }
    }
    kept
}

/// Returns the entries that some lines are about; `None` if other entries may depend on the lines,
/// as with edits, merges, purges
/// and retractions.
pub fn mentioned(added: &[u8]) -> Option<IdSet<EntryId>> {
    let plain = |event: &Event| {
        let effect = event.kind.effect();
        !matches!(
            effect,
            OperationEffect::Links(_) | OperationEffect::Retracts(_) | OperationEffect::Purges
        )
    };
    lines(added).filter_map(event).map(|event| plain(&event).then_some(event.entry)).collect()
}

pub fn count(log: &[u8]) -> usize {
    lines(log).filter_map(event).count()
}

/// Iterates over the lines of a log, without their terminators.
pub fn lines(log: &[u8]) -> impl Iterator<Item = &[u8]> {
    let ends = memchr::memchr_iter(b'\n', log).chain([log.len()]);
    ends.scan(0, move |start, end| {
        let line = log.get(*start..end);
        *start = end + 1;
        line
    })
}

pub fn event(line: &[u8]) -> Option<Event> {
    Event::read_bytes(line)
}

/// Returns the origins of the `wanted` entries, each from the latest event that has one.
pub fn origins(log: &[u8], wanted: &BTreeSet<EntryId>) -> Vec<(EntryId, Origin)> {
    let mut found: BTreeMap<EntryId, ((Timestamp, EventId), Origin)> = BTreeMap::new();
    for line in lines_about(log, |id| wanted.contains(id)) {
        let Some(event) = str::from_utf8(line).ok().and_then(Event::read_whole) else { continue };
        let at = (event.ts, event.id);
        if let EventKind::Add(_, Some(origin)) | EventKind::Edit(_, Some(origin)) = event.kind
            && wanted.contains(&event.entry)
            && found.get(&event.entry).is_none_or(|(known, _)| *known < at)
        {
            found.insert(event.entry, (at, *origin));
        }
    }
    found.into_iter().map(|(id, (_, origin))| (id, origin)).collect()
}

/// Returns the lines of a log but for those that are surely about other entries, and nothing else.
pub fn lines_about(
    log: &[u8],
    is_wanted: impl Fn(&EntryId) -> bool,
) -> impl Iterator<Item = &[u8]> {
    lines(log).filter(move |line| plain_entry(line).is_none_or(|id| is_wanted(&id)))
}

/// Returns the entry id of an `add` or `reinforce` line in the form that pimem writes, from its
/// fixed offset.
fn plain_entry(line: &[u8]) -> Option<EntryId> {
    const ENTRY: std::ops::Range<usize> = 76..92;
    const OP: &[u8] = b"\",\"op\":\"";
    let rest = line.get(ENTRY.end..)?.strip_prefix(OP)?;
    if !rest.starts_with(b"add\"") && !rest.starts_with(b"reinforce\"") {
        return None;
    }
    EntryId::read(line.get(ENTRY)?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn pieces_have_the_lines_of_the_whole(pieces in prop::collection::vec("[ab\n]{0,5}", 0..9)) {
            let (mut begun, mut found) = (Vec::new(), Vec::new());
            for piece in &pieces {
                whole_lines(&mut begun, piece.as_bytes(), &mut |lines| {
                    assert!(lines.is_empty() || lines.ends_with(b"\n"));
                    found.extend_from_slice(lines);
                });
            }
            prop_assert!(!begun.contains(&b'\n'));
            found.extend_from_slice(&begun);
            prop_assert_eq!(found, pieces.concat().into_bytes());
        }
    }

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
