//! `pin`, `unpin`, `forget`, `restore` and `remove`: what a person decides about an entry.
//!
//! Nothing is deleted: a removed line moves to the archive, and `restore` brings it back.

use std::mem::ManuallyDrop;

use anyhow::Result;
use serde_json::{Value, json};

use super::{
    context::{self, Context},
    error::{Exit, Failure},
    intake, pick,
    view::Entries,
};
use crate::{
    model::{entry::EntryId, event::EventKind},
    score::{
        board::{Board, Placed, Row},
        evidence::UserState,
        ledger::Ledger,
    },
    store::{
        txn::{Change, Target, Txn},
        vault::{Snapshot, Store},
    },
};

/// Never let entries fade
///
/// A pinned entry is always in the report, in no cap and outside the budget.
#[derive(Debug, clap::Args)]
pub(crate) struct PinArgs {
    /// Which entries (`-` reads them from standard input)
    #[arg(required = true, value_name = "ENTRY")]
    entries: Vec<String>,
}

/// Let entries fade again
#[derive(Debug, clap::Args)]
pub(crate) struct UnpinArgs {
    /// Which entries (`-` reads them from standard input)
    #[arg(required = true, value_name = "ENTRY")]
    entries: Vec<String>,
}

/// Drop entries from reports and searches
///
/// The line stays in its topic file; `pimem restore` undoes it.
#[derive(Debug, clap::Args)]
pub(crate) struct ForgetArgs {
    /// Which entries (`-` reads them from standard input)
    #[arg(required = true, value_name = "ENTRY")]
    entries: Vec<String>,
}

/// Bring entries back that were forgotten, removed or archived
#[derive(Debug, clap::Args)]
pub(crate) struct RestoreArgs {
    /// Which entries (`-` reads them from standard input)
    #[arg(required = true, value_name = "ENTRY")]
    entries: Vec<String>,
}

/// Move entries from their topic file to the archive
///
/// This makes room in the topic. Nothing is lost; `pimem restore` brings a line back.
#[derive(Debug, clap::Args)]
pub(crate) struct RemoveArgs {
    /// Which entries (`-` reads them from standard input)
    #[arg(required = true, value_name = "ENTRY")]
    entries: Vec<String>,
}

pub(crate) fn pin(ctx: &Context, args: &PinArgs) -> Result<Exit, Failure> {
    decide(ctx, &args.entries, "Pinned", |txn, row| {
        txn.record(row.entry.id, EventKind::Pin)?;
        mark(txn, row.entry.id, true);
        Ok(())
    })
}

pub(crate) fn unpin(ctx: &Context, args: &UnpinArgs) -> Result<Exit, Failure> {
    decide(ctx, &args.entries, "Unpinned", |txn, row| {
        txn.record(row.entry.id, EventKind::Unpin)?;
        mark(txn, row.entry.id, false);
        Ok(())
    })
}

pub(crate) fn forget(ctx: &Context, args: &ForgetArgs) -> Result<Exit, Failure> {
    decide(ctx, &args.entries, "Forgot", |txn, row| {
        // A marker would win over the decision, so it goes too.
        mark(txn, row.entry.id, false);
        txn.record(row.entry.id, EventKind::Forget)
    })
}

pub(crate) fn remove(ctx: &Context, args: &RemoveArgs) -> Result<Exit, Failure> {
    let changed = on_each(ctx, &pick::selectors(&args.entries)?, archive)?;
    let entries = Entries::new(ctx.now, &ctx.config.categories, &changed.before);
    let lines = changed.lines(&changed.before, &entries);
    say(ctx, "pimem.remove/1", "Removed", &lines);
    Ok(Exit::Done)
}

/// Moves an entry's line to the archive: written there first, then taken out of the topic.
pub(crate) fn archive(txn: &mut Txn<'_>, row: &Row) -> Result<()> {
    let Placed { id, category, text, pinned, topic, .. } = row.entry.clone();
    let holders: Vec<String> = txn.snapshot().holders(id).into_iter().map(str::to_owned).collect();
    txn.change(Target::Archive(topic), Change::Append { category, text, pinned });
    for stem in holders {
        txn.change(Target::Topic(stem), Change::Remove(id));
    }
    if row.evidence.user == UserState::Forgotten {
        // Whoever adds the text again one day wants to see it.
        txn.record(id, EventKind::Unpin)?;
    }
    txn.record(id, EventKind::Archive)
}

pub(crate) fn restore(ctx: &Context, args: &RestoreArgs) -> Result<Exit, Failure> {
    let mut restored = Vec::new();
    for selector in pick::selectors(&args.entries)? {
        restored.push(restore_one(ctx, &selector)?);
    }
    say(ctx, "pimem.restore/1", "Restored", &restored);
    Ok(Exit::Done)
}

/// Looks among archived lines first, then among forgotten entries.
fn restore_one(ctx: &Context, selector: &str) -> Result<(Row, String), Failure> {
    let mut unread = Vec::new();
    for store in ctx.readers()? {
        let lock = context::lock(ctx, &store)?;
        let mut txn = store.begin(&lock, &ctx.config.categories, ctx.now, ctx.who());
        let archived = store.read_archive(&ctx.config.categories);
        let live = board_of(ctx, &store, txn.snapshot(), &txn.snapshot().ledger);
        let gone = board_of(ctx, &store, &archived, &txn.snapshot().ledger);
        let forgotten: Vec<Row> = live
            .rows
            .iter()
            .filter(|row| row.evidence.user == UserState::Forgotten)
            .cloned()
            .collect();
        let problems = [&txn.snapshot().problems[..], &archived.problems].concat();
        let mut rows = forgotten;
        rows.extend(gone.rows.iter().filter(|row| live.get(row.entry.id).is_none()).cloned());
        let candidates = Board { rows };
        let row = match pick::entry(ctx, &candidates, &[], selector) {
            Ok(row) => row,
            Err(failure) if failure.kind == super::error::Kind::NotFound => {
                unread.extend(problems);
                continue;
            }
            Err(failure) => return Err(failure),
        };
        // A line that was not seen would stay where it is, or be written a second time.
        if let Some(problem) = problems.first() {
            return Err(Failure::from(problem));
        }
        txn.record(row.entry.id, EventKind::Restore)?;
        if live.get(row.entry.id).is_none() {
            let Placed { id, category, text, pinned, topic, .. } = row.entry.clone();
            let change = Change::Append { category, text, pinned };
            txn.change(Target::Topic(topic), change);
            for stem in archived.holders(id) {
                txn.change(Target::Archive(stem.to_owned()), Change::Remove(id));
            }
        }
        let line = Entries::new(ctx.now, &ctx.config.categories, &candidates).line(row);
        let row = row.clone();
        txn.commit()?;
        return Ok((row, line));
    }
    if let Some(problem) = unread.first() {
        return Err(Failure::from(problem));
    }
    let mut failure = pick::failure(selector, std::iter::empty());
    failure.message = format!("no forgotten or archived entry matches {selector:?}");
    failure.hints = vec![
        "pimem list --state dropped shows forgotten entries; the archive is in archive/".to_owned(),
    ];
    Err(failure)
}

fn board_of(ctx: &Context, store: &Store, snapshot: &Snapshot, ledger: &Ledger) -> Board {
    Board::new(ctx.now, ctx.rules(), vec![(snapshot.placed(store, &ctx.config.categories), ledger)])
}

fn mark(txn: &mut Txn<'_>, id: EntryId, pinned: bool) {
    let holders: Vec<String> = txn.snapshot().holders(id).into_iter().map(str::to_owned).collect();
    for stem in holders {
        txn.change(Target::Topic(stem), Change::SetPinned(id, pinned));
    }
}

fn decide(
    ctx: &Context,
    selectors: &[String],
    verb: &str,
    act: impl Fn(&mut Txn<'_>, &Row) -> Result<()>,
) -> Result<Exit, Failure> {
    let changed = on_each(ctx, &pick::selectors(selectors)?, act)?;
    let entries = Entries::new(ctx.now, &ctx.config.categories, &changed.after);
    let lines = changed.lines(&changed.after, &entries);
    say(ctx, "pimem.curate/1", verb, &lines);
    Ok(Exit::Done)
}

fn say(ctx: &Context, schema: &str, verb: &str, rows: &[(Row, String)]) {
    if ctx.ui.json {
        let board = Board { rows: rows.iter().map(|(row, _)| row.clone()).collect() };
        let entries = Entries::new(ctx.now, &ctx.config.categories, &board);
        let results: Vec<Value> = board.rows.iter().map(|row| entries.json(row)).collect();
        let action = verb.to_lowercase();
        ctx.ui.document(&json!({"schema": schema, "action": action, "results": results}));
        return;
    }
    for (_, line) in rows {
        ctx.ui.line(&format!("{verb}: {line}"));
    }
}

/// What [`on_each`] changed, and the boards around it.
pub(crate) struct Changed {
    /// As it was.
    pub(crate) before: ManuallyDrop<Board>,
    /// As it is.
    pub(crate) after: ManuallyDrop<Board>,
    /// The entries, in the order of the selectors.
    pub(crate) ids: Vec<EntryId>,
}

impl Changed {
    /// The changed entries as rows of `board`, each with its line.
    fn lines(&self, board: &Board, entries: &Entries<'_>) -> Vec<(Row, String)> {
        let rows = self.ids.iter().filter_map(|id| board.get(*id));
        rows.map(|row| (row.clone(), entries.line(row))).collect()
    }
}

/// Finds the entry that each selector means, changes it in its store under the lock, and reads the
/// board anew. Nothing is written when one selector fails.
pub(crate) fn on_each(
    ctx: &Context,
    selectors: &[String],
    act: impl Fn(&mut Txn<'_>, &Row) -> Result<()>,
) -> Result<Changed, Failure> {
    let stores = ctx.readers()?;
    let (before, held) = ctx.board(&stores);
    let unread = context::problems(&held);
    let mut ids = Vec::new();
    for selector in selectors {
        let row = pick::entry(ctx, &before, &unread, selector)?;
        if !ids.contains(&row.entry.id) {
            ids.push(row.entry.id);
        }
    }
    for store in &stores {
        let here =
            |id: &&EntryId| before.get(**id).is_some_and(|row| row.entry.scope == store.scope);
        let mine: Vec<EntryId> = ids.iter().filter(here).copied().collect();
        if mine.is_empty() {
            continue;
        }
        let lock = context::lock(ctx, store)?;
        let mut txn = store.begin(&lock, &ctx.config.categories, ctx.now, ctx.who());
        intake::refuse_if_unreadable(&txn)?;
        let fresh = board_of(ctx, store, txn.snapshot(), &txn.snapshot().ledger);
        for id in mine {
            let row =
                fresh.get(id).ok_or_else(|| pick::failure(&id.to_string(), std::iter::empty()))?;
            act(&mut txn, row)?;
        }
        txn.commit()?;
    }
    let (after, _) = ctx.board(&stores);
    Ok(Changed { before, after, ids })
}
