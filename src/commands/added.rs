//! What `add` says: what became of each text, and whether the next report may show it.
//!
//! Nothing is said that is not so. Who adds an entry takes it for known from then on; where no report
//! will show it, the next line says why, and what would change that.

use crate::shell::Shell;
use std::cell::OnceCell;

use serde_json::{Value, json};

use pimem_core::view::Entries;
use pimem_core::{
    model::{
        entry::{EntryId, Wording},
        hash::IdMap,
    },
    report::{
        budget::Tokens,
        explain::{self, Act},
        render::{self, Report},
        replaced,
        select::{self, Verdict},
    },
    score::{
        board::{self, Board, Row},
        caps::Place,
        rivals,
    },
};
use pimem_engine::memory::{
    add::Done,
    newcomer::{self, Found},
};
use pimem_engine::store::{
    snapshot::{Snapshot, Store},
    transaction::Txn,
};
use pimem_engine::{
    error::Failure,
    memory::{self},
};

/// What has to be known of a store before something is written to it.
pub(crate) struct Before {
    short: IdMap<EntryId, String>,
    /// Where one entry is new and nothing is known about it: the others of its category.
    others: Option<Vec<newcomer::Line>>,
}

impl Before {
    pub(crate) fn of(ctx: &Shell, txn: &Txn<'_>, done: &[Done]) -> Self {
        let lines = txn.snapshot().entries().map(|(_, entry)| entry.id);
        let short = board::short_ids(lines.chain(done.iter().map(|done| done.wording.id)));
        let others = match done {
            [Done { wording, placed: Some(_), until, .. }]
                if !(txn.has_evidence() || ctx.ui.json || until.is_some()) =>
            {
                Some(newcomer::lines(txn.snapshot(), wording))
            }
            _ => None,
        };
        Self { short, others }
    }
}

/// Why the next report leaves an entry out, and what would bring it in.
struct Absent {
    reason: String,
    remedy: Option<Act>,
}

pub(crate) fn show(
    ctx: &Shell,
    store: &Store,
    before: &Before,
    done: &[Done],
) -> Result<(), Failure> {
    if let ([one], Some(others)) = (done, &before.others)
        && let Some(placed) = &one.placed
        && too_long(ctx, &one.wording).is_none()
        && !may_replace(ctx, &one.wording, others)
    {
        let over = match newcomer::find(ctx, store, (placed, one.cue), others)? {
            Found::Unsure => None,
            Found::Placed => Some(None),
            Found::OverCap(enough) => Some(Some(Absent {
                reason: reason(&Verdict::NoPlace(Place::OverCap)),
                remedy: Some(enough.map_or(Act::Pin, Act::Reinforce)),
            })),
        };
        if let Some(absent) = over {
            line(ctx, before, one, absent, None);
            return Ok(());
        }
    }
    let categories = &ctx.config.categories;
    let stores = ctx.readers()?;
    let snapshots: Vec<Snapshot> =
        stores.iter().map(|store| store.read(ctx.now, categories)).collect();
    let board = Board::new(ctx.now, ctx.rules(), memory::placed(categories, &stores, &snapshots));
    let report = OnceCell::new();
    let absent = |row: &Row| absent(ctx, (&board, &report), (&stores, &snapshots), row);
    let rows = || done.iter().filter_map(|done| Some((done, board.find(&done.wording)?)));
    let was_there = |row: &Row| done.iter().all(|done| !row.entry.is(&done.wording));
    let older = |done: &Done, row: &Row| {
        let new = done.placed.is_some() && row.entry.reviewed && !row.is_over();
        let new = new && ctx.config.flag("report.fill");
        new.then(|| replaced::seems_replaced(&board, categories, row, was_there)).flatten()
    };
    if ctx.ui.json {
        let entries = Entries::new(ctx.now, categories, &board);
        let result = |(done, row): (&Done, &Row)| {
            let action = if done.reinforced { "reinforced" } else { "added" };
            let absent = absent(row);
            let mut result = json!({
                "action": action, "entry": entries.json(row), "eligible": absent.is_none(),
            });
            if let (Some(Absent { reason, remedy }), Some(fields)) =
                (absent, result.as_object_mut())
            {
                let remedy = remedy.map(|act| act.command(&entries.short(row.entry.id)));
                fields.insert("reason".to_owned(), json!(reason));
                fields.insert("remedy".to_owned(), json!(remedy));
            }
            if let (Some(old), Some(fields)) = (older(done, row), result.as_object_mut()) {
                let command = replacing(ctx, &entries.short(old.entry.id), &done.wording);
                let old = json!({"entry": entries.json(old), "remedy": command});
                fields.insert("seemsToReplace".to_owned(), old);
            }
            result
        };
        let results: Vec<Value> = rows().map(result).collect();
        ctx.ui.document(&json!({"schema": "pimem.add/1", "results": results}));
        return Ok(());
    }
    for (done, row) in rows() {
        // What is worded as an order is told of in the same words by every command.
        line(ctx, before, done, absent(row).filter(|_| row.entry.reviewed), older(done, row));
    }
    Ok(())
}

/// Why the next report leaves an entry out, if it does. The report is made once, where only that tells
/// what fills it.
fn absent(
    ctx: &Shell,
    (board, report): (&Board, &OnceCell<Report>),
    (stores, snapshots): (&[Store], &[Snapshot]),
    row: &Row,
) -> Option<Absent> {
    let (place, rules) = (row.place, ctx.rules());
    let of = row.entry.wording();
    let settings = ctx.report_settings(None, Tokens(0));
    let filled = || {
        let make = || render::report(board, rules.categories, settings);
        settings.fill.and_then(|_| report.get_or_init(make).verdict(board, row))
    };
    let verdict = match place {
        Place::Pinned => return None,
        Place::Active(_) | Place::Pool(_) => {
            let reason = too_long(ctx, &of)?;
            let fills = filled().is_some_and(Verdict::shown);
            return (!fills).then_some(Absent { reason, remedy: Some(Act::Pin) });
        }
        Place::Excluded if row.expired => Verdict::Expired,
        Place::Excluded => Verdict::Superseded,
        place => filled().cloned().unwrap_or(Verdict::NoPlace(place)),
    };
    if verdict.shown() {
        return None;
    }
    let remedy = match place {
        Place::OverCap | Place::BelowPool | Place::TooWeak if settings.fill.is_none() => {
            let spec = rules.categories.spec(of.category);
            let is_last = |other: &&Row| {
                other.entry.category == of.category && other.place == Place::Active(spec.max_active)
            };
            let last = board.rows.iter().find(is_last).map(board::candidate);
            let strength = (row.evidence.cue.weight(), row.evidence.count);
            let own = board::candidate(row);
            let enough = rivals::least(ctx.now, rules, &own, strength, last.as_ref());
            Some(enough.map_or(Act::Pin, Act::Reinforce))
        }
        _ => {
            let placed = memory::placed(rules.categories, stores, snapshots);
            explain::cheapest(ctx.now, rules, settings, &placed, row)
        }
    };
    Some(Absent { reason: reason(&verdict), remedy })
}

/// A verdict without the word for being out.
fn reason(verdict: &Verdict) -> String {
    verdict.to_string().trim_start_matches("out: ").to_owned()
}

/// `Added: [lesson] text (1a2b3c4)`
fn line(ctx: &Shell, before: &Before, done: &Done, absent: Option<Absent>, older: Option<&Row>) {
    let Done { wording, reinforced, replaces, .. } = done;
    let what = if *reinforced { "Already exists, reinforced instead" } else { "Added" };
    let name = &ctx.config.categories.spec(wording.category).name;
    let short = before.short.get(&wording.id).map_or("", String::as_str);
    ctx.ui.line(&format!("{what}: [{name}] {} ({short})", wording.text));
    if let Some(Absent { reason, remedy }) = absent {
        let remedy = remedy.map(|act| format!(" ({} brings it in)", act.command(short)));
        let remedy = remedy.unwrap_or_default();
        ctx.ui.line(&format!("    Not in the next report: {reason}{remedy}"));
    }
    if let Some(old) = replaces {
        ctx.ui.line(&format!("    What it replaces was in the archive already: {old}"));
    }
    if let Some(row) = older {
        let old = before.short.get(&row.entry.id).map_or("", String::as_str);
        let (text, command) = (&row.entry.text, replacing(ctx, old, wording));
        ctx.ui.line(&format!("    Seems to replace: [{name}] {text} ({old}); if so: {command}"));
    }
}

/// Tells a new entry that may take the place of an older one of its category.
fn may_replace(ctx: &Shell, of: &Wording, others: &[newcomer::Line]) -> bool {
    let spec = ctx.config.categories.spec(of.category);
    let others = others.iter().map(|(other, _)| other.text.as_str());
    ctx.config.flag("report.fill") && replaced::may_replace(&of.text, spec, others)
}

/// The command by which an entry takes the place of another.
fn replacing(ctx: &Shell, old: &str, of: &Wording) -> String {
    let name = &ctx.config.categories.spec(of.category).name;
    format!("pimem add -c {name} --supersedes {old} '{}'", of.text.replace('\'', "'\\''"))
}

/// Why no report can show a text, however much room there is.
fn too_long(ctx: &Shell, of: &Wording) -> Option<String> {
    let spec = ctx.config.categories.spec(of.category);
    let (needed, limit) = (select::tokens_alone(spec, &of.text), spec.section_tokens);
    (needed.0 > limit)
        .then(|| format!("it takes {needed} tokens, where {} has {limit}", spec.section))
}
