//! `pimem diff`: what changed between two times.

use serde_json::{Value, json};

use super::why;
use crate::{exit::Exit, shell::Shell};
use pimem_core::{
    model::{
        entry::EntryId,
        hash::IdMap,
        time::{Now, Timestamp},
    },
    report::{
        budget::Tokens,
        diff::{self, Difference, Side},
        explain::Arithmetic,
        render,
    },
    score::ranking::Ranking,
    view::Entries,
};
use pimem_engine::{
    error::{Failure, Kind},
    local_time,
    memory::{self, period},
    store::{
        history::Past,
        read::Problem,
        snapshot::{Snapshot, Store},
    },
};

/// Show what changed between two times, or will
///
/// Which entries came into the report (`>`) and left it (`<`), which are new (`+`) or gone
/// (`-`), and which changed their
/// state or evidence, each with its score at both times and the reason. The past is taken from
/// the log, the future is what happens if nobody does anything.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  pimem diff\n  pimem diff --from 2026-06-01 --to 2026-06-15\n  \
    pimem diff --from 0d --to 2026-12-31"
)]
pub(crate) struct Args {
    /// The first time: a date, a time (RFC 3339) or an age as in 7d, 12h
    #[arg(long, value_name = "WHEN", default_value = "7d")]
    from: String,
    /// The second time [default: now]
    #[arg(long, value_name = "WHEN")]
    to: Option<String>,
}

/// The stores at one time.
struct Then {
    now: Now,
    board: Ranking,
    report: render::Report,
    /// Under which id an entry of today was known, where that differs.
    former: IdMap<EntryId, EntryId>,
    /// What of the archive could not be read.
    problems: Vec<Problem>,
}

pub(crate) fn run(ctx: &Shell, args: &Args) -> Result<Exit, Failure> {
    let from = period::when(ctx.now, &args.from, Timestamp::parse_date)?;
    let to = args.to.as_deref().map(|to| period::when(ctx.now, to, Timestamp::parse_date));
    let to = to.transpose()?.unwrap_or(ctx.now.0);
    if to < from {
        let message = "--to is before --from";
        return Err(Failure::new(Kind::Usage, message, "exchange the two"));
    }
    let stores = ctx.readers()?;
    let (_, snapshots) = ctx.board(&stores);
    let (before, after) =
        (then(ctx, &stores, &snapshots, from), then(ctx, &stores, &snapshots, to));
    // From the wording of the first time to that of today, and on to that of the second.
    let later: IdMap<EntryId, EntryId> =
        after.former.iter().map(|(then, today)| (*today, *then)).collect();
    let found = diff::differences(
        (&before.board, &before.report.verdicts),
        (&after.board, &after.report.verdicts),
        |id| {
            let today = before.former.get(&id).copied().unwrap_or(id);
            later.get(&today).copied().unwrap_or(today)
        },
    );
    show(ctx, &before, &after, &found);
    let exit = if found.is_empty() { Exit::Nothing } else { Exit::Done };
    let problems = [memory::problems(&snapshots), before.problems].concat();
    Ok(ctx.complain(&problems, exit))
}

/// The stores as they stood, or will stand, at a time.
fn then(ctx: &Shell, stores: &[Store], snapshots: &[Snapshot], at: Timestamp) -> Then {
    let (mut former, mut problems) = (IdMap::default(), Vec::new());
    let past: Vec<Past> = stores
        .iter()
        .zip(snapshots)
        .map(|(store, today)| {
            if at >= ctx.now.0 {
                let placed = today.placed(store, &ctx.config.categories);
                let ledger = today.ledger.clone();
                let (former, problems) = (IdMap::default(), Vec::new());
                return Past { placed, ledger, former, problems };
            }
            store.at(at, today, &ctx.config.categories)
        })
        .collect();
    for past in &past {
        former.extend(&past.former);
        problems.extend(past.problems.iter().cloned());
    }
    let placed = past.iter().map(|past| (past.placed.clone(), &past.ledger)).collect();
    let now = Now(at);
    let board = Ranking::new(now, ctx.rules(), placed);
    let settings = ctx.report_settings(None, Tokens(0));
    let report = render::report(&board, &ctx.config.categories, settings);
    Then { now, board, report, former, problems }
}

fn show(ctx: &Shell, before: &Then, after: &Then, found: &[Difference]) {
    let categories = &ctx.config.categories;
    let (old, new) = (
        Entries::new(before.now, categories, &before.board),
        Entries::new(after.now, categories, &after.board),
    );
    if ctx.ui.json {
        let side = |side: &Option<Side>, entries: &Entries<'_>| {
            let side = side.as_ref()?;
            Some(entries.judged(&side.row, &side.verdict))
        };
        let entry = |difference: &Difference| {
            let mut value =
                json!({"change": name(difference.kind()), "id": difference.id.to_string()});
            let sides = [
                ("before", side(&difference.before, &old)),
                ("after", side(&difference.after, &new)),
            ];
            if let Some(fields) = value.as_object_mut() {
                let known =
                    sides.into_iter().filter_map(|(name, side)| Some((name.to_owned(), side?)));
                fields.extend(known);
            }
            value
        };
        ctx.ui.document(&json!({
            "schema": "pimem.diff/1",
            "from": before.now.0.to_string(),
            "to": after.now.0.to_string(),
            "tokens": {"before": before.report.tokens.0, "after": after.report.tokens.0},
            "changes": found.iter().map(entry).collect::<Vec<Value>>(),
        }));
        return;
    }
    let (from, to) = (local_time::local(before.now.0).date, local_time::local(after.now.0).date);
    let when = |at: Timestamp| match local_time::local(at) {
        local if from == to => local.to_string(),
        local => local.date.to_string(),
    };
    for difference in found {
        let line = match (&difference.after, &difference.before) {
            (Some(side), _) => new.line(&side.row),
            (None, Some(side)) => old.line(&side.row),
            (None, None) => continue,
        };
        ctx.ui.line(&format!("{} {line}", sign(difference.kind())));
        let say = |side: &Option<Side>, then: &Then| {
            let Some(Side { row, verdict }) = side else { return };
            let spec = categories.spec(row.entry.category);
            let score = why::score(row, Arithmetic::of(row, spec));
            let at = when(then.now.0);
            ctx.ui.line(&format!("    {at} {}, {score}; {verdict}", Entries::state(row)));
        };
        say(&difference.before, before);
        say(&difference.after, after);
    }
}

fn name(kind: diff::Kind) -> &'static str {
    match kind {
        diff::Kind::Entered => "entered",
        diff::Kind::Left => "left",
        diff::Kind::Added => "added",
        diff::Kind::Gone => "gone",
        diff::Kind::Changed => "changed",
    }
}

/// `>` and `<` are about the report, `+` and `-` about the store.
fn sign(kind: diff::Kind) -> &'static str {
    match kind {
        diff::Kind::Entered => ">",
        diff::Kind::Left => "<",
        diff::Kind::Added => "+",
        diff::Kind::Gone => "-",
        diff::Kind::Changed => "~",
    }
}
