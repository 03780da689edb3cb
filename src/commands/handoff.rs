//! `pimem handoff`: leave in today's log what the next session should start from.

use std::cmp::Reverse;

use serde_json::json;

use super::todo;
use crate::{exit::Exit, shell::Shell};
use pimem_core::{
    markdown::handoff::{self, Handoff},
    model::calendar::{Date, LocalTime},
};
use pimem_engine::{
    error::Failure,
    local_time, memory,
    store::{git, notes, snapshot::Store, trust::Kind},
};

/// Bytes of the end of a log that hold its last lines and the newest handoff.
const TAIL: u64 = 256 * 1024;

/// Seconds for which a handoff is given back to the session that left it: no session takes longer to
/// compact its context, and none goes on with what it was at half a day ago.
pub(crate) const KEPT: i64 = 12 * 3600;
/// Seconds for which the newest handoff is what another session starts from: that of a Friday still is
/// on Monday.
pub(crate) const RECENT: i64 = 4 * 24 * 3600;

/// Leave in today's log what the next session should start from
///
/// The open items of the scratchpad and the last lines of the log are written to its end, between
/// two comments. Earlier handoffs are not repeated. With nothing open and nothing logged, nothing
/// is written.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(
    after_help = "Examples:\n  pimem handoff --session \"$SESSION\" --git\n  pimem handoff show"
)]
pub(crate) struct Args {
    /// The session that leaves it [default: `PIMEM_SESSION`]
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Add branch, changed files and last commits
    #[arg(long)]
    git: bool,
    #[command(subcommand)]
    act: Option<Act>,
}

#[derive(Debug, clap::Subcommand)]
enum Act {
    /// Show the newest handoff
    Show,
}

pub(crate) fn run(ctx: &Shell, args: &Args) -> Result<Exit, Failure> {
    match args.act {
        Some(Act::Show) => show(ctx),
        None => leave(ctx, args),
    }
}

fn leave(ctx: &Shell, args: &Args) -> Result<Exit, Failure> {
    let (dir, scope, known) = ctx.target()?;
    let store = ctx.store(dir, scope);
    let session = args.session.clone().or_else(|| ctx.who().session);
    let leave = Leave { session, git: args.git, unasked: false };
    let done = if known { write(ctx, &store, &ctx.readers()?, &leave)? } else { None };
    let Some((name, text)) = done else {
        ctx.ui.note("Nothing is open and nothing was logged today: nothing to hand off");
        if ctx.ui.json {
            ctx.ui.document(&json!({"schema": "pimem.handoff/1", "text": ""}));
        }
        return Ok(Exit::Done);
    };
    if ctx.ui.json {
        ctx.ui.document(&json!({"schema": "pimem.handoff/1", "file": name, "text": text}));
    } else {
        ctx.ui.line(&format!("Handed off in {name}"));
    }
    Ok(Exit::Done)
}

/// How a handoff is left.
pub(crate) struct Leave {
    /// The session that leaves it.
    pub(crate) session: Option<String>,
    /// Whether it says where the repository stands.
    pub(crate) git: bool,
    /// Whether nobody asked for it: then it repeats only what was written or reviewed here.
    pub(crate) unasked: bool,
}

/// Writes a handoff to today's log in `store`, with what is open in all `stores`. Gives the log's
/// name and the text; `None` when there is nothing to hand off.
pub(crate) fn write(
    ctx: &Shell,
    store: &Store,
    stores: &[Store],
    Leave { session, git, unasked }: &Leave,
) -> Result<Option<(String, String)>, Failure> {
    let now = local_time::local(ctx.now.0);
    let name = notes::daily(now.date);
    let session = session.as_deref().map(visible);
    let ours = |store: &Store, name: &str| store.clone().strict().file_reviewed(name);
    let block = |repository, all: bool| -> Result<Option<Vec<String>>, Failure> {
        let mut open = Vec::new();
        for store in stores.iter().filter(|store| all || ours(store, notes::SCRATCHPAD)) {
            open.extend(todo::open(&todo::scratchpad(store)?).map(|item| item.text));
        }
        let log = if all || ours(store, &name) {
            store.tail(&name, TAIL).map_err(|problem| Failure::from(&problem))?
        } else {
            None
        };
        let recent = handoff::recent(&log.unwrap_or_default());
        Ok(Handoff { session: session.clone(), open, recent, repository }.block(now))
    };
    // A look without the lock, in which nothing is made sure of: often there is nothing to hand over.
    if block(Vec::new(), true)?.is_none() {
        return Ok(None);
    }
    let work_tree = ctx.places.work_tree(&ctx.places.cwd).filter(|_| *git);
    let repository = work_tree.map(git::standing).unwrap_or_default();
    let lock = memory::lock(ctx, store)?;
    let Some(block) = block(repository, !unasked)? else { return Ok(None) };
    // It repeats what stores say, which may have come with a clone.
    let all_ours = || stores.iter().all(|store| ours(store, notes::SCRATCHPAD));
    if *unasked || ours(store, &name) && all_ours() {
        store.trust.record_text(Kind::Handoff, &block.join("\n"));
    }
    store.append(&lock, &name, &now.date.to_string(), &block)?;
    Ok(Some((name, block.join("\n"))))
}

/// An id as it may stand in a comment.
pub(crate) fn visible(id: &str) -> String {
    id.chars().filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c)).collect()
}

/// The newest handoff of some stores: the day of its log, and its text.
fn newest(stores: &[Store]) -> Result<Option<(Date, String)>, Failure> {
    let mut newest = None;
    for store in stores {
        newest = newest.max(in_store(store)?);
    }
    Ok(newest)
}

/// A handoff in a log: when it was left, by whom, and its text.
pub(crate) struct Left<'a> {
    /// The store that holds it.
    pub(crate) store: &'a Store,
    pub(crate) at: LocalTime,
    /// The name of its log.
    pub(crate) log: String,
    /// The beginning of the session's id.
    pub(crate) session: Option<String>,
    pub(crate) text: String,
}

impl Left<'_> {
    /// Whether it was written on this machine, as it stands.
    pub(crate) fn is_ours(&self) -> bool {
        self.store.trust.holds_text(Kind::Handoff, &self.text)
    }
}

/// The newest handoff of the last `seconds`, whatever day that was, of which `counts` says so.
pub(crate) fn newest_within<'a>(
    ctx: &Shell,
    stores: &'a [Store],
    seconds: i64,
    counts: impl Fn(&Left<'_>) -> bool,
) -> Result<Option<Left<'a>>, Failure> {
    let now = local_time::local(ctx.now.0);
    let mut newest: Option<(i64, Left<'a>)> = None;
    let near = 1 + seconds / (24 * 3600);
    for store in stores {
        let mut days = store.days().map_err(|problem| Failure::from(&problem))?;
        days.retain(|date| now.date.days_since(*date).abs() <= near);
        days.sort_unstable_by_key(|date| Reverse(*date));
        for date in days {
            let name = notes::daily(date);
            let log = store.tail(&name, TAIL).map_err(|p| Failure::from(&p))?.unwrap_or_default();
            let left = |block| -> Option<(i64, Left<'a>)> {
                let text = String::from_utf8_lossy(log.get(block)?).trim_end().to_owned();
                let (at, id) = handoff::head(&text)?;
                let session = id.map(str::to_owned);
                Some((now.seconds_since(at), Left { store, at, log: name.clone(), session, text }))
            };
            let blocks = handoff::blocks(&log).into_iter().rev();
            let mut found: Vec<(i64, Left<'a>)> = blocks.filter_map(left).collect();
            found.retain(|(age, _)| age.abs() <= seconds);
            found.sort_by_key(|(age, _)| *age);
            let Some(found) = found.into_iter().find(|(_, left)| counts(left)) else { continue };
            if newest.as_ref().is_none_or(|(best, _)| found.0 < *best) {
                newest = Some(found);
            }
            // Days before it hold none that is newer.
            break;
        }
    }
    Ok(newest.map(|(_, found)| found))
}

fn show(ctx: &Shell) -> Result<Exit, Failure> {
    let Some((date, text)) = newest(&ctx.readers()?)? else {
        ctx.ui.note("there is no handoff");
        if ctx.ui.json {
            ctx.ui.document(&json!({"schema": "pimem.handoff/1", "text": ""}));
        }
        return Ok(Exit::Nothing);
    };
    if ctx.ui.json {
        let document =
            json!({"schema": "pimem.handoff/1", "file": notes::daily(date), "text": text});
        ctx.ui.document(&document);
    } else {
        text.lines().for_each(|line| ctx.ui.line(line));
    }
    Ok(Exit::Done)
}

/// The newest handoff of a store, with the day of its log.
fn in_store(store: &Store) -> Result<Option<(Date, String)>, Failure> {
    let days = store.days().map_err(|problem| Failure::from(&problem))?;
    for date in days.into_iter().rev() {
        let log = store.tail(&notes::daily(date), TAIL).map_err(|p| Failure::from(&p))?;
        let log = log.unwrap_or_default();
        if let Some(block) = handoff::blocks(&log).pop() {
            let text = String::from_utf8_lossy(log.get(block).unwrap_or_default());
            return Ok(Some((date, text.trim_end().to_owned())));
        }
    }
    Ok(None)
}
