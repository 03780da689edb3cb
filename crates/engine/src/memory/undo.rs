//! Undo of the last typed command, or of a step that is named by its id.

use crate::memory::handles::Writing;
use std::collections::BTreeMap;

use serde::Serialize;

use super::Memory;
use crate::{
    error::{Failure, FailureKind},
    store::{
        Store,
        undo::{UndoStep, UndoneFile},
    },
};
use pimem_core::{
    gate,
    markdown::patch::Attempt,
    model::{
        entry::{EntryId, EventId},
        event::EventKind,
    },
};

/// The part of the command in one store.
struct Part {
    store: Store,
    steps: Vec<UndoStep>,
}

impl Writing<'_> {
    /// Undoes the last command that was typed on this machine, or the step whose id begins with
    /// `id`, which may be what a hook learned.
    ///
    /// # Errors
    /// Fails if there is no such step, a line has changed since, or a store cannot be read or
    /// written.
    pub fn undo(self, id: Option<&str>) -> Result<Undone, Failure> {
        let mut parts = Vec::new();
        for store in self.memory.readers()? {
            let steps = store.steps().map_err(|problem| Failure::from(&problem))?;
            if let Some(path) = store.damaged_steps() {
                self.memory.warn(format!(
                    "{} is damaged: of what it held, only what can be read can be taken back",
                    path.display()
                ));
            }
            parts.push(Part { store, steps });
        }
        let steps = || parts.iter().flat_map(|part| &part.steps);
        let chosen = match id {
            Some(id) => Some(named(steps(), id)?),
            None => steps().filter(|step| !step.learned).max_by_key(|step| step.typed),
        };
        let Some(UndoStep { run, command, at, .. }) = chosen.cloned() else {
            let older = parts.iter().map(|part| part.store.older_steps()).sum();
            let categories = &self.memory.config.categories;
            let buried = |store: &Store| {
                let held = store.read(self.memory.now, categories);
                store.buried(&held, &store.read_archive(categories), categories).len()
            };
            let buried = parts.iter().map(|part| buried(&part.store)).sum();
            return Ok(Undone { command: None, change: None, older, buried });
        };
        for part in &mut parts {
            part.steps.retain(|step| step.run == run);
        }
        parts.retain(|part| !part.steps.is_empty());
        let mut change = UndoneChange { at, events: 0, lines: Vec::new() };
        for part in &parts {
            let (events, lines) = take_back(self.memory, part, &run, &command)?;
            change.events += events;
            change.lines.extend(lines);
        }
        Ok(Undone { command: Some(command), change: Some(change), older: 0, buried: 0 })
    }
}

/// Least number of characters of an id.
const ID: usize = 4;

/// Returns a step of the only run whose id begins with `id`.
fn named<'a>(steps: impl Iterator<Item = &'a UndoStep>, id: &str) -> Result<&'a UndoStep, Failure> {
    let id = id.to_ascii_lowercase();
    let mut found = steps.filter(|step| id.len() >= ID && step.run.starts_with(&id));
    let Some(first) = found.next() else {
        let message = format!("no step has the id {id:?}");
        let hint = "a step is taken back once, and of what was learned the last 20 are kept; \
                    pimem forget takes an entry out of force";
        return Err(Failure::new(FailureKind::NotFound, message, hint));
    };
    if found.any(|step| step.run != first.run) {
        let message = format!("several steps have ids that begin with {id:?}");
        return Err(Failure::new(FailureKind::Ambiguous, message, "give more of the id"));
    }
    Ok(first)
}

fn take_back(
    memory: &Memory,
    part: &Part,
    run: &str,
    command: &str,
) -> Result<(usize, Vec<UndoneLine>), Failure> {
    let Part { store, steps } = part;
    let lock = super::lock(memory, store)?;
    let mut txn = store.begin(&lock, &memory.config.categories, memory.now, memory.who());
    if let Some(problem) = txn.snapshot().problems.first() {
        return Err(Failure::from(problem));
    }
    let mut events: BTreeMap<EntryId, Vec<EventId>> = BTreeMap::new();
    for (entry, id) in steps.iter().flat_map(UndoStep::events) {
        events.entry(entry).or_default().push(id);
    }
    let mut open = events.clone();
    open.retain(|entry, ids| {
        ids.retain(|id| !txn.snapshot().ledger.retracts(*entry, *id));
        !ids.is_empty()
    });
    // The log is written first, so if all its events are retracted, an earlier undo was
    // interrupted.
    let is_done = open.is_empty() && !events.is_empty();
    let attempt = if is_done { Attempt::Again } else { Attempt::First };
    let back = store.taken_back(steps, attempt).map_err(|error| refused(error, command))?;
    let count = events.values().map(Vec::len).sum();
    for (entry, ids) in open {
        txn.record(entry, EventKind::Retract(ids))?;
    }
    txn.commit()?;
    for back in back {
        store.put_back(&lock, back)?;
    }
    let left = store.read(memory.now, &memory.config.categories);
    let is_gone = |id| events.contains_key(&id) && left.lines_of(id).is_empty();
    store.drop_kept(|said| said.id().is_some_and(is_gone))?;
    store.forget_run(run)?;
    Ok((count, lines(steps)))
}

fn refused(error: anyhow::Error, command: &str) -> Failure {
    match error.downcast_ref::<UndoneFile>() {
        Some(changed) => {
            let message = format!("{command} cannot be taken back, {changed}");
            Failure::new(FailureKind::Refused, message, "put the line back, or change it by hand")
        }
        None => Failure::from(error),
    }
}

/// Returns the restored and removed lines, as in a patch, without secrets.
fn lines(steps: &[UndoStep]) -> Vec<UndoneLine> {
    let mut all = Vec::new();
    for touched in steps.iter().rev().flat_map(|step| step.files.iter().rev()) {
        for hunk in &touched.hunks {
            let trimmed = |lines: &[String]| -> Vec<String> {
                lines.iter().map(|line| line.trim_end().to_owned()).collect()
            };
            // A last line that only gained a terminator is unchanged.
            let (removed, added) = (trimmed(&hunk.removed), trimmed(&hunk.added));
            let gone =
                added.iter().filter(|line| !removed.contains(line)).map(|line| format!("- {line}"));
            let back =
                removed.iter().filter(|line| !added.contains(line)).map(|line| format!("+ {line}"));
            let file = || touched.file.clone();
            let masked = |line: String| gate::masked(&line).into_owned();
            all.extend(
                gone.chain(back).map(|line| UndoneLine { file: file(), line: masked(line) }),
            );
        }
    }
    all
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Undone {
    /// Undone command; `null` if there is nothing to undo.
    pub command: Option<String>,
    #[serde(flatten)]
    pub change: Option<UndoneChange>,
    /// Number of commands that are no longer kept, if there is nothing to undo.
    #[serde(skip)]
    pub older: usize,
    /// Number of lines that can be restored from the grave, if there is nothing to undo.
    #[serde(skip)]
    pub buried: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UndoneChange {
    /// Time of the command, RFC 3339.
    pub at: String,
    pub events: usize,
    pub lines: Vec<UndoneLine>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UndoneLine {
    /// File, relative to the store.
    pub file: String,
    /// Line, prefixed by `+ ` or `- `.
    pub line: String,
}

documents! {
    Undone: "pimem.undo/1",
}
