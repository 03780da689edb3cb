//! `pin`, `unpin`, `forget`, `restore` and `remove`: what a person decides about an entry.
//!
//! Nothing is deleted: a removed line moves to the archive, and `restore` brings it back.

use std::mem::ManuallyDrop;

use anyhow::Result;
use serde_json::{Value, json};

use crate::{exit::Exit, input, shell::Shell};
use pimem_core::{
    model::{
        entry::{Markers, Wording},
        event::{EventKind, Why},
    },
    score::{
        evidence::UserState,
        ledger::Ledger,
        ranking::{LocatedEntry, Ranking, ScoredEntry},
    },
    view::Entries,
};
use pimem_engine::{
    error::{Failure, Kind},
    memory::{self, archived, intake, selector},
    store::{
        snapshot::{Snapshot, Store},
        transaction::{Change, Target, Txn},
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
///
/// Those that were replaced, and those past their last day, come back too. Lines have the markers that
/// they had.
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

pub(crate) fn pin(ctx: &Shell, args: &PinArgs) -> Result<Exit, Failure> {
    decide(ctx, &args.entries, "Pinned", |txn, row| {
        txn.record(row.entry.id, EventKind::Pin)?;
        mark(txn, &row.entry.wording(), true);
        Ok(())
    })
}

pub(crate) fn unpin(ctx: &Shell, args: &UnpinArgs) -> Result<Exit, Failure> {
    decide(ctx, &args.entries, "Unpinned", |txn, row| {
        txn.record(row.entry.id, EventKind::Unpin)?;
        mark(txn, &row.entry.wording(), false);
        Ok(())
    })
}

pub(crate) fn forget(ctx: &Shell, args: &ForgetArgs) -> Result<Exit, Failure> {
    decide(ctx, &args.entries, "Forgot", |txn, row| {
        // A marker would win over the decision, so it goes too, and is noted for the way back.
        if row.entry.pinned && row.evidence.user != UserState::Pinned {
            txn.record(row.entry.id, EventKind::Pin)?;
        }
        mark(txn, &row.entry.wording(), false);
        txn.record(row.entry.id, EventKind::Forget)
    })
}

pub(crate) fn remove(ctx: &Shell, args: &RemoveArgs) -> Result<Exit, Failure> {
    let away = |txn: &mut Txn<'_>, row: &ScoredEntry| archived::archive(txn, row, Why::Person);
    let changed = on_each(ctx, &input::selectors(&args.entries)?, away)?;
    let entries = Entries::new(ctx.now, &ctx.config.categories, &changed.before);
    let lines: Vec<(ScoredEntry, String)> =
        changed.rows.iter().map(|row| (row.clone(), entries.line(row))).collect();
    say(ctx, "pimem.remove/1", "Removed", &lines, &changed.after);
    Ok(Exit::Done)
}

pub(crate) fn restore(ctx: &Shell, args: &RestoreArgs) -> Result<Exit, Failure> {
    let selectors = input::selectors(&args.entries)?;
    // One that fits nothing, and nothing is done.
    for selector in &selectors {
        find_gone(ctx, selector)?;
    }
    let mut restored = Vec::new();
    for selector in &selectors {
        restored.push(restore_one(ctx, selector)?);
    }
    say(ctx, "pimem.restore/1", "Restored", &restored, &Ranking::default());
    Ok(Exit::Done)
}

/// What is out of service in a store: entries out of force, and archived lines that are no entries.
struct Gone {
    candidates: Ranking,
    /// The row that was meant.
    at: usize,
    archive: Snapshot,
    /// Whether its line is in the archive.
    archived: bool,
}

fn gone(ctx: &Shell, store: &Store, held: &Snapshot, selector: &str) -> Result<Gone, Failure> {
    let archive = store.read_archive(&ctx.config.categories);
    let live = board_of(ctx, store, held, &held.ledger);
    let old = board_of(ctx, store, &archive, &held.ledger);
    let mut rows: Vec<ScoredEntry> =
        live.rows.iter().filter(|row| row.is_over()).cloned().collect();
    let over = rows.len();
    let stands = |row: &&ScoredEntry| live.find(&row.entry.wording()).is_some();
    rows.extend(old.rows.iter().filter(|row| !stands(row)).cloned());
    let candidates = Ranking { rows };
    let row = selector::entry(ctx, &candidates, &[], selector)?;
    let at = candidates.rows.iter().position(|known| std::ptr::eq(known, row)).unwrap_or_default();
    Ok(Gone { archive, at, archived: at >= over, candidates })
}

/// The first store in which a selector means something that is out of service.
fn find_gone(ctx: &Shell, selector: &str) -> Result<Store, Failure> {
    let mut unread = Vec::new();
    for store in ctx.readers()? {
        let held = store.read(ctx.now, &ctx.config.categories);
        match gone(ctx, &store, &held, selector) {
            Ok(_) => return Ok(store),
            Err(failure) if failure.kind == Kind::NotFound => {
                unread.extend(held.problems);
                unread.extend(store.read_archive(&ctx.config.categories).problems);
            }
            Err(failure) => return Err(failure),
        }
    }
    if let Some(problem) = unread.first() {
        return Err(Failure::from(problem));
    }
    let mut failure = selector::failure(selector, std::iter::empty());
    failure.message = format!("no forgotten or archived entry matches {selector:?}");
    failure.hints = vec![
        "pimem list --state dropped shows forgotten entries; the archive is in archive/".to_owned(),
    ];
    Err(failure)
}

/// Brings back what is out of service, with the markers that it had.
fn restore_one(ctx: &Shell, selector: &str) -> Result<(ScoredEntry, String), Failure> {
    let store = find_gone(ctx, selector)?;
    let lock = memory::lock(ctx, &store)?;
    let mut txn = store.begin(&lock, &ctx.config.categories, ctx.now, ctx.who());
    let Gone { candidates, at, archive, archived } = gone(ctx, &store, txn.snapshot(), selector)?;
    // A line that was not seen would stay where it is, or be written a second time.
    let mut problems = txn.snapshot().problems.iter().chain(&archive.problems);
    if let Some(problem) = problems.next() {
        return Err(Failure::from(problem));
    }
    let Some(row) = candidates.rows.get(at).cloned() else {
        return Err(selector::failure(selector, std::iter::empty()));
    };
    let of = row.entry.wording();
    let forgotten = row.evidence.user == UserState::Forgotten;
    let before = txn.snapshot().ledger.before_forgetting(of.id);
    let pinned = row.entry.pinned || forgotten && before == UserState::Pinned;
    txn.record(of.id, EventKind::Restore)?;
    if pinned {
        txn.record(of.id, EventKind::Pin)?;
    }
    if archived {
        let LocatedEntry { category, text, enforced, topic, .. } = row.entry.clone();
        let markers = Markers { pinned, enforced };
        txn.change(Target::Topic(topic), Change::Append { category, text, markers, heading: None });
        for stem in archive.holders(&of) {
            txn.change(Target::Archive(stem.to_owned()), Change::Remove(of.clone()));
        }
    } else if pinned {
        mark(&mut txn, &of, true);
    }
    let line = Entries::new(ctx.now, &ctx.config.categories, &candidates).line(&row);
    txn.commit()?;
    Ok((row, line))
}

fn board_of(ctx: &Shell, store: &Store, snapshot: &Snapshot, ledger: &Ledger) -> Ranking {
    Ranking::new(
        ctx.now,
        ctx.rules(),
        vec![(snapshot.placed(store, &ctx.config.categories), ledger)],
    )
}

fn mark(txn: &mut Txn<'_>, of: &Wording, pinned: bool) {
    let holders: Vec<String> = txn.snapshot().holders(of).into_iter().map(str::to_owned).collect();
    for stem in holders {
        txn.change(Target::Topic(stem), Change::SetPinned(of.clone(), pinned));
    }
}

fn decide(
    ctx: &Shell,
    selectors: &[String],
    verb: &str,
    act: impl Fn(&mut Txn<'_>, &ScoredEntry) -> Result<()>,
) -> Result<Exit, Failure> {
    let changed = on_each(ctx, &input::selectors(selectors)?, act)?;
    let entries = Entries::new(ctx.now, &ctx.config.categories, &changed.after);
    let lines: Vec<(ScoredEntry, String)> =
        changed.rows.iter().map(|row| (row.clone(), entries.line(row))).collect();
    say(ctx, "pimem.curate/1", verb, &lines, &changed.after);
    Ok(Exit::Done)
}

/// Says what was done to rows; `after` is what is there now.
fn say(ctx: &Shell, schema: &str, verb: &str, rows: &[(ScoredEntry, String)], after: &Ranking) {
    if ctx.ui.json {
        let board = Ranking { rows: rows.iter().map(|(row, _)| row.clone()).collect() };
        let entries = Entries::new(ctx.now, &ctx.config.categories, &board);
        let results: Vec<Value> = board.rows.iter().map(|row| entries.json(row)).collect();
        let action = verb.to_lowercase();
        ctx.ui.document(&json!({"schema": schema, "action": action, "results": results}));
        return;
    }
    for (row, line) in rows {
        ctx.ui.line(&format!("{verb}: {line}"));
        // A decision against an entry in one store is none against that in another.
        let other = after.find(&row.entry.wording());
        if other.is_some_and(|other| other.entry.scope != row.entry.scope && !other.is_over()) {
            ctx.ui.line(&format!(
                "    Your own store holds it too, and reports go on showing that: \
                 pimem --user forget {:.7}",
                row.entry.id.to_string()
            ));
        }
    }
}

/// What [`on_each`] changed, and the boards around it.
pub(crate) struct Changed {
    /// As it was.
    pub(crate) before: ManuallyDrop<Ranking>,
    /// As it is.
    pub(crate) after: ManuallyDrop<Ranking>,
    /// The entries, in the order of the selectors: as they are in their store, or as they were where
    /// they left it.
    pub(crate) rows: Vec<ScoredEntry>,
}

/// Finds the entry that each selector means, changes it in its store under the lock, and reads the
/// board anew. Nothing is written when one selector fails.
pub(crate) fn on_each(
    ctx: &Shell,
    selectors: &[String],
    act: impl Fn(&mut Txn<'_>, &ScoredEntry) -> Result<()>,
) -> Result<Changed, Failure> {
    let stores = ctx.readers()?;
    let (before, held) = ctx.board(&stores);
    let unread = memory::problems(&held);
    let mut rows: Vec<ScoredEntry> = Vec::new();
    for selector in selectors {
        let row = selector::entry(ctx, &before, &unread, selector)?;
        if rows.iter().all(|known| !known.entry.is_copy(&row.entry)) {
            rows.push(row.clone());
        }
    }
    on_rows(ctx, before, rows, act)
}

/// The same of rows of a ranking.
pub(crate) fn on_rows(
    ctx: &Shell,
    before: ManuallyDrop<Ranking>,
    rows: Vec<ScoredEntry>,
    act: impl Fn(&mut Txn<'_>, &ScoredEntry) -> Result<()>,
) -> Result<Changed, Failure> {
    let stores = ctx.readers()?;
    for store in &stores {
        let mut mine = rows.iter().filter(|row| row.entry.scope == store.scope).peekable();
        if mine.peek().is_none() {
            continue;
        }
        let lock = memory::lock(ctx, store)?;
        let mut txn = store.begin(&lock, &ctx.config.categories, ctx.now, ctx.who());
        intake::refuse_if_unreadable(&txn)?;
        let fresh = board_of(ctx, store, txn.snapshot(), &txn.snapshot().ledger);
        for ScoredEntry { entry, .. } in mine {
            let gone = || selector::failure(&entry.id.to_string(), std::iter::empty());
            act(&mut txn, fresh.find(&entry.wording()).ok_or_else(gone)?)?;
        }
        txn.commit()?;
    }
    let (after, snapshots) = ctx.board(&stores);
    let now = |row: ScoredEntry| {
        let of = row.entry.wording();
        let here = |found: &&ScoredEntry| found.entry.scope == row.entry.scope;
        if let Some(found) = after.find(&of).filter(here) {
            return found.clone();
        }
        // Another store's copy stands before it.
        let side = stores.iter().zip(snapshots.iter());
        let mut side = side.filter(|(store, _)| store.scope == row.entry.scope);
        let alone = side.next().map(|(store, held)| board_of(ctx, store, held, &held.ledger));
        alone.and_then(|alone| alone.find(&of).cloned()).unwrap_or(row)
    };
    let rows = rows.into_iter().map(now).collect();
    Ok(Changed { before, after, rows })
}
