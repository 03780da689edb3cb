//! The undo log of typed commands, `data/undo.jsonl`. It stays on this machine. It holds texts, so
//! a purge takes its lines out of it.
//!
//! A step is recorded after it is done, one line per part. A process killed in between leaves
//! nothing to undo. The ids of commands are also stored outside the repository; steps with an
//! unknown id, as from a clone, are ignored.

use std::{fs, path::PathBuf, sync::Arc};

use anyhow::{Context, Result};
use pimem_core::{
    markdown::{
        patch::{self, Attempt, Hunk},
        topic,
    },
    model::{
        category::Categories,
        entry::{EntryId, EventId},
        hash::IdSet,
    },
};
use serde::{Deserialize, Serialize};

use super::{
    Store, StoreLock,
    atomic::{self, Sync},
    read::{self, ReadProblem},
};

/// File name in `data/`.
const NAME: &str = "undo.jsonl";
/// Maximum number of commands that can be undone, and of statements that were learned.
pub const STEPS: usize = 20;
/// Size in bytes from which older steps are dropped.
const BYTES: u64 = 256 << 10;
/// Bytes of a command's id with the end of its line.
const RUN: usize = 33;
/// Size in bytes of the list of ids from which its older half is dropped.
const RUNS: u64 = 1024 * RUN as u64;

/// A typed command that can be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Random id, which its steps share.
    pub id: String,
    pub command: &'static str,
    /// Time in RFC 3339.
    pub at: String,
    /// Time by the system clock in milliseconds, for ordering.
    pub typed: i64,
    /// True if no command was typed: a hook learned something.
    pub learned: bool,
}

/// A part of the effects of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndoStep {
    /// Id of the command.
    pub run: String,
    pub command: String,
    /// Time in RFC 3339.
    pub at: String,
    /// Time by the system clock in milliseconds.
    pub typed: i64,
    /// Events, each with the entry that it is about.
    #[serde(default)]
    pub events: Vec<(String, String)>,
    #[serde(default)]
    pub files: Vec<Touched>,
    /// Git's name of the linked work tree; `None` for the main one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// True if a hook learned it. Such a step is taken back by its id only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub learned: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Touched {
    pub file: String,
    pub hunks: Vec<Hunk>,
    /// True if the step created the file. An undo that leaves only a title deletes it.
    #[serde(default)]
    pub made: bool,
}

impl Touched {
    /// Diffs a file; `before` is `None` if it did not exist.
    pub(super) fn new(file: &str, before: Option<&[u8]>, after: &[u8]) -> Self {
        let hunks = patch::diff(before.unwrap_or_else(|| heading(after)), after);
        Self { file: file.to_owned(), hunks, made: before.is_none() }
    }

    /// Diffs lines appended to a file; `end` is the last part of its previous content.
    pub(super) fn appended(file: &str, end: &[u8], text: &str) -> Self {
        if end.is_empty() {
            return Self::new(file, None, text.as_bytes());
        }
        let mut held = end.to_vec();
        if !held.ends_with(b"\n") {
            held.push(b'\n');
        }
        let mut hunks = patch::diff(&held, &[&held, text.as_bytes()].concat());
        // The position in the whole file is unknown.
        for hunk in &mut hunks {
            hunk.at = usize::MAX;
        }
        Self { file: file.to_owned(), hunks, made: false }
    }
}

/// Returns the lines above the first item of a file.
fn heading(bytes: &[u8]) -> &[u8] {
    let mut end = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if line.starts_with(b"- ") {
            return bytes.get(..end).unwrap_or_default();
        }
        end += line.len();
    }
    b""
}

/// Returns true if a file has a title and nothing else.
fn is_bare(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    lines.all(|line| line.is_empty() || topic::is_head(line))
}

impl UndoStep {
    pub fn events(&self) -> impl Iterator<Item = (EntryId, EventId)> {
        let read = |(entry, id): &(String, String)| Some((entry.parse().ok()?, EventId::read(id)));
        self.events.iter().filter_map(read)
    }
}

/// Error: a step cannot be undone, because a line that it wrote is gone.
#[derive(Debug, thiserror::Error)]
#[error("{file} has changed since: {line:?} is not there")]
pub struct UndoneFile {
    pub file: String,
    pub line: String,
}

impl Store {
    /// Records effects of the running command. Errors do not fail the command.
    pub(super) fn note_step(&self, events: &[(EntryId, EventId)], files: Vec<Touched>) {
        let Some(run) = &self.run else { return };
        if events.is_empty() && files.iter().all(|touched| touched.hunks.is_empty()) {
            return;
        }
        let Run { id, command, at, typed, learned } = Run::clone(run);
        let events = events.iter().map(|(entry, id)| (entry.to_string(), id.to_string()));
        let step = UndoStep {
            run: id,
            command: command.to_owned(),
            at,
            typed,
            events: events.collect(),
            files,
            tree: self.linked_tree(),
            learned,
        };
        let Ok(line) = serde_json::to_string(&step) else { return };
        let vouched = self.vouch(&step.run);
        if vouched.and_then(|()| self.append_local(NAME, &format!("{line}\n"))).is_err() {
            return;
        }
        self.sweep_data();
        let size = fs::metadata(self.data_dir().join(NAME)).map_or(0, |meta| meta.len());
        if size > BYTES {
            drop(self.rewrite_local(NAME, |bytes| Some(with_steps(bytes?, |_| {}))));
        }
    }

    fn linked_tree(&self) -> Option<String> {
        Some(self.work_trees()?.linked?.to_string_lossy().into_owned())
    }

    /// Returns the path of the list of command ids, if there is a state directory.
    fn runs(&self) -> Option<PathBuf> {
        let ledger = self.trust.ledger()?;
        Some(ledger.parent()?.with_file_name("undo").join(ledger.file_name()?))
    }

    fn vouch(&self, run: &str) -> Result<()> {
        let path = self.runs().context("there is no place for it")?;
        if let Some(dir) = path.parent() {
            atomic::create_dir(dir, Sync::Private)?;
        }
        if fs::metadata(&path).is_ok_and(|meta| meta.len() > RUNS) {
            let known =
                fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let half = known.get(known.len() / 2 / RUN * RUN..).unwrap_or_default();
            atomic::replace_file(&path, half, Sync::Private, || Ok(true))?;
        }
        atomic::append_lines(&path, &format!("{run}\n"), Sync::Private)
    }

    /// Returns the steps of this work tree that can be undone, the newest last.
    ///
    /// # Errors
    /// Fails if the undo log, or the list of what this machine has noted in it, cannot be read.
    pub fn steps(&self) -> Result<Vec<UndoStep>, ReadProblem> {
        let mut steps = read(&self.local(NAME)?.unwrap_or_default());
        let Some(path) = self.runs().filter(|_| !steps.is_empty()) else { return Ok(Vec::new()) };
        let root = path.parent().unwrap_or(&path);
        let known = read::file(root, &path, read::MAX_FILE)?.unwrap_or_default();
        let known = String::from_utf8_lossy(&known);
        let tree = self.linked_tree();
        steps.retain(|step| step.tree == tree && known.lines().any(|run| run == step.run));
        Ok(steps)
    }

    /// Returns the file in which something is not what this machine has written, so that steps may be
    /// missing.
    pub fn damaged_steps(&self) -> Option<PathBuf> {
        let log = self.local(NAME).ok()??;
        let is_step = |line: &[u8]| {
            serde_json::from_slice::<UndoStep>(line).is_ok()
                || serde_json::from_slice::<Older>(line).is_ok()
        };
        let mut lines = log.split(|byte| *byte == b'\n');
        if !lines.all(|line| line.trim_ascii().is_empty() || is_step(line)) {
            return Some(self.data_dir().join(NAME));
        }
        let path = self.runs()?;
        let known = read::file(path.parent()?, &path, read::MAX_FILE).ok().flatten();
        let known = known.unwrap_or_default();
        let is_id = |line: &[u8]| line.len() + 1 == RUN && line.iter().all(u8::is_ascii_hexdigit);
        let mut lines = known.split(|byte| *byte == b'\n');
        (!lines.all(|line| line.is_empty() || is_id(line))).then_some(path)
    }

    /// Returns true if the running command has a step that can be undone.
    pub fn can_take_back(&self) -> bool {
        let Some(run) = &self.run else { return false };
        self.steps().is_ok_and(|steps| steps.iter().any(|step| step.run == run.id))
    }

    /// Returns the new content of files for an undo of some steps, in the order in which to write
    /// them.
    ///
    /// # Errors
    /// Fails if a changed line is gone. If `again` is true, an undo was interrupted, and lines that
    /// are already restored are left alone.
    pub fn taken_back(&self, steps: &[UndoStep], attempt: Attempt) -> Result<Vec<Back>> {
        let mut all: Vec<Back> = Vec::new();
        for touched in steps.iter().rev().flat_map(|step| step.files.iter().rev()) {
            let file = &touched.file;
            let known = all.iter_mut().find(|back| back.file == *file);
            let read = || self.file(file);
            let before = match &known {
                Some(back) => back.after.clone(),
                None => read()?,
            };
            let held = before.clone().unwrap_or_default();
            let after = patch::reverse(&held, &touched.hunks, attempt).map_err(|line| {
                anyhow::Error::new(UndoneFile { file: file.clone(), line: line.to_owned() })
            })?;
            let after = Some(after).filter(|after| !(touched.made && is_bare(after)));
            match known {
                Some(back) => back.after = after,
                None => all.push(Back { file: file.clone(), before, after }),
            }
        }
        Ok(all)
    }

    /// Writes the new content of a file, if the file is unchanged.
    pub fn put_back(&self, lock: &StoreLock, back: Back) -> Result<()> {
        let Back { file, before, after } = back;
        match after {
            Some(after) => {
                let unchanged = |bytes: &[u8]| bytes == before.as_deref().unwrap_or_default();
                let change =
                    |bytes: &[u8]| (unchanged(bytes) && bytes != after).then(|| after.clone());
                self.rewrite(lock, &file, change).map(drop)
            }
            None if before.is_some() => {
                let path = self.dir.join(&file);
                let (path, _) = read::place(&self.dir, &path)?;
                atomic::remove_file(&path, self.sync)
                    .with_context(|| format!("cannot delete {}", path.display()))
            }
            None => Ok(()),
        }
    }

    pub fn forget_run(&self, run: &str) -> Result<()> {
        let others = |bytes: &[u8]| with_steps(bytes, |steps| steps.retain(|step| step.run != run));
        self.keep_local(NAME, |bytes| bytes.map(others)).map(drop)
    }

    /// Returns the number of commands that can no longer be undone because there are newer ones.
    pub fn older_steps(&self) -> usize {
        self.local(NAME).ok().flatten().map_or(0, |bytes| older(&bytes))
    }

    /// Removes the lines and events of some entries from the steps, which can be undone without
    /// them.
    pub(super) fn purge_steps(&self, ids: &IdSet<EntryId>, categories: &Categories) -> Result<()> {
        if self.local(NAME)?.is_none_or(|bytes| bytes.is_empty()) {
            return Ok(());
        }
        let is_gone = |line: &String| {
            let line = line.trim_end_matches(['\r', '\n']).as_bytes();
            let entry = topic::parse(line, categories);
            entry.is_some_and(|entry| ids.contains(&topic::id(line, &entry, categories)))
        };
        let without = |steps: &mut Vec<UndoStep>| {
            for step in steps.iter_mut() {
                let gone: Vec<String> = ids.iter().map(EntryId::to_string).collect();
                step.events.retain(|(entry, _)| !gone.contains(entry));
                for hunk in step.files.iter_mut().flat_map(|touched| &mut touched.hunks) {
                    hunk.removed.retain(|line| !is_gone(line));
                    hunk.added.retain(|line| !is_gone(line));
                    // The place is found by its number then.
                    if hunk.above.as_ref().is_some_and(is_gone) {
                        hunk.above = Some(String::new());
                    }
                }
                for touched in &mut step.files {
                    touched.hunks.retain(|h| !(h.removed.is_empty() && h.added.is_empty()));
                }
                step.files.retain(|touched| !touched.hunks.is_empty());
            }
            steps.retain(|step| !(step.events.is_empty() && step.files.is_empty()));
        };
        self.keep_local(NAME, |bytes| Some(with_steps(bytes?, without))).map(drop)
    }
}

/// A line of the log that says how many commands are no longer kept.
#[derive(Serialize, Deserialize)]
struct Older {
    older: usize,
}

/// Returns the number of commands of a log that are not kept.
fn older(bytes: &[u8]) -> usize {
    let lines = || bytes.split(|byte| *byte == b'\n');
    let noted = lines().filter_map(|line| serde_json::from_slice::<Older>(line).ok());
    let noted: usize = noted.map(|line| line.older).sum();
    let mut runs: Vec<String> = all(bytes).into_iter().map(|step| step.run).collect();
    runs.dedup();
    noted + runs.len().saturating_sub(STEPS)
}

/// Returns the log after a change of its steps.
fn with_steps(bytes: &[u8], change: impl FnOnce(&mut Vec<UndoStep>)) -> Vec<u8> {
    let (mut steps, older) = (read(bytes), older(bytes));
    change(&mut steps);
    let line = (older > 0).then(|| serde_json::to_string(&Older { older }).unwrap_or_default());
    let line = line.map(|line| line + "\n").unwrap_or_default();
    [line.into_bytes(), write(&steps)].concat()
}

/// The new content of a file.
#[derive(Debug)]
pub struct Back {
    pub file: String,
    before: Option<Vec<u8>>,
    after: Option<Vec<u8>>,
}

fn all(bytes: &[u8]) -> Vec<UndoStep> {
    let lines = bytes.split(|byte| *byte == b'\n');
    lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

/// Parses the steps of the last commands; damaged lines are skipped.
fn read(bytes: &[u8]) -> Vec<UndoStep> {
    let mut steps = all(bytes);
    let last = |learned: bool| {
        let steps = steps.iter().filter(|step| step.learned == learned);
        let mut runs: Vec<&str> = steps.map(|step| step.run.as_str()).collect();
        runs.dedup();
        runs.into_iter().rev().take(STEPS).map(str::to_owned).collect::<Vec<String>>()
    };
    let kept = [last(false), last(true)].concat();
    steps.retain(|step| kept.contains(&step.run));
    steps
}

fn write(steps: &[UndoStep]) -> Vec<u8> {
    let line = |step| serde_json::to_string(step).map(|line| line + "\n").unwrap_or_default();
    steps.iter().map(line).collect::<String>().into_bytes()
}

/// Creates a command with a random id.
pub fn run(command: &'static str, at: String, typed: i64) -> Option<Arc<Run>> {
    let id = format!("{:032x}", atomic::random().ok()?);
    Some(Arc::new(Run { id, command, at, typed, learned: false }))
}

/// Creates the run of a statement that a hook learned, with the number by which its events are
/// recognised.
pub fn learning(mark: u128, at: String, typed: i64) -> Arc<Run> {
    Arc::new(Run {
        id: format!("{mark:032x}"),
        command: "what was learned",
        at,
        typed,
        learned: true,
    })
}
