//! `pimem undo`: take back what was typed last.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::{exit::Exit, shell::Shell};
use pimem_core::{
    model::{entry::EntryId, event::EventKind, time::Timestamp, ulid::EventId},
    view,
};
use pimem_engine::{
    error::{Failure, Kind},
    local_time, memory,
    store::{
        snapshot::Store,
        undo::{Changed, Step},
    },
};

/// Take back the last change that was typed on this machine
///
/// That of add, reinforce, edit, pin, unpin, forget, restore, remove, import, check --fix, dream, log,
/// todo or note; again for the one before it, 20 at most. Lines go back to where they were, and the log
/// notes that its events do not count. Refused when a line has changed since. Never takes back what
/// hooks, purge, trust or config did. Exit code 1 says that there is nothing left.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pimem undo\n  pimem undo --user")]
pub(crate) struct Args {}

/// What one store has of the command.
struct Part {
    store: Store,
    steps: Vec<Step>,
}

pub(crate) fn run(ctx: &Shell, _: &Args) -> Result<Exit, Failure> {
    let mut parts = Vec::new();
    for store in ctx.readers()? {
        let steps = store.steps().map_err(|problem| Failure::from(&problem))?;
        parts.push(Part { store, steps });
    }
    let newest = parts.iter().filter_map(|part| part.steps.last()).max_by_key(|step| step.typed);
    let Some(Step { run, command, at, .. }) = newest.cloned() else {
        ctx.ui.note("nothing is left to take back");
        if ctx.ui.json {
            ctx.ui.document(&json!({"schema": "pimem.undo/1", "command": null}));
        }
        return Ok(Exit::Nothing);
    };
    for part in &mut parts {
        part.steps.retain(|step| step.run == run);
    }
    parts.retain(|part| !part.steps.is_empty());
    let mut done = Done::default();
    for part in &parts {
        done.extend(take_back(ctx, part, &run, &command)?);
    }
    if ctx.ui.json {
        ctx.ui.document(&json!({
            "schema": "pimem.undo/1", "command": command, "at": at, "events": done.events,
            "lines": done.lines.iter().map(|(place, line)| json!({"file": place, "line": line}))
                .collect::<Vec<Value>>(),
        }));
        return Ok(Exit::Done);
    }
    let when = Timestamp::parse(&at).map(local_time::local);
    let when = when.map_or(at, |when| format!("{} {}", when.date, when.clock()));
    ctx.ui
        .line(&format!("Taken back: {command} of {when} ({})", view::count(done.events, "event")));
    for (place, line) in &done.lines {
        ctx.ui.line(&format!("{place}: {line}"));
    }
    Ok(Exit::Done)
}

/// What was taken back.
#[derive(Default)]
struct Done {
    events: usize,
    /// Lines with a sign, and the file of each.
    lines: Vec<(String, String)>,
}

impl Done {
    fn extend(&mut self, other: Self) {
        self.events += other.events;
        self.lines.extend(other.lines);
    }
}

fn take_back(ctx: &Shell, part: &Part, run: &str, command: &str) -> Result<Done, Failure> {
    let Part { store, steps } = part;
    let lock = memory::lock(ctx, store)?;
    let mut txn = store.begin(&lock, &ctx.config.categories, ctx.now, ctx.who());
    if let Some(problem) = txn.snapshot().problems.first() {
        return Err(Failure::from(problem));
    }
    let mut events: BTreeMap<EntryId, Vec<EventId>> = BTreeMap::new();
    for (entry, id) in steps.iter().flat_map(Step::events) {
        events.entry(entry).or_default().push(id);
    }
    let mut open = events.clone();
    open.retain(|entry, ids| {
        ids.retain(|id| !txn.snapshot().ledger.retracts(*entry, *id));
        !ids.is_empty()
    });
    // The log is written first: with nothing left to say there, an earlier attempt was interrupted.
    let again = open.is_empty() && !events.is_empty();
    let back = store.taken_back(steps, again).map_err(|error| refused(error, command))?;
    let done = Done { events: events.values().map(Vec::len).sum(), lines: lines(steps) };
    for (entry, ids) in open {
        txn.record(entry, EventKind::Retract(ids))?;
    }
    txn.commit()?;
    for back in back {
        store.put_back(&lock, back)?;
    }
    store.forget_run(run)?;
    Ok(done)
}

fn refused(error: anyhow::Error, command: &str) -> Failure {
    match error.downcast_ref::<Changed>() {
        Some(changed) => {
            let message = format!("{command} cannot be taken back, {changed}");
            Failure::new(Kind::Refused, message, "put the line back, or change it by hand")
        }
        None => Failure::from(error),
    }
}

/// The lines that go back and those that go, as a patch shows them.
fn lines(steps: &[Step]) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for touched in steps.iter().rev().flat_map(|step| step.files.iter().rev()) {
        for hunk in &touched.hunks {
            let told = |lines: &[String]| -> Vec<String> {
                lines.iter().map(|line| line.trim_end().to_owned()).collect()
            };
            // A last line without an end that got one says what it said.
            let (went, came) = (told(&hunk.removed), told(&hunk.added));
            let gone =
                came.iter().filter(|line| !went.contains(line)).map(|line| format!("- {line}"));
            let back =
                went.iter().filter(|line| !came.contains(line)).map(|line| format!("+ {line}"));
            all.extend(gone.chain(back).map(|line| (touched.file.clone(), line)));
        }
    }
    all
}
