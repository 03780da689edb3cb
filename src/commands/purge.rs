//! `pimem purge`: destroy entries. Everything else that pimem does can be undone.

use std::collections::BTreeSet;

use serde_json::json;

use crate::{
    exit::{Exit, Outcome},
    input,
    shell::Shell,
};
use pimem_core::{
    model::{
        entry::{EntryId, Wording},
        hash::IdSet,
    },
    score::ranking::{Ranking, ScoredEntry},
    view::Entries,
};
use pimem_engine::{
    error::{Failure, Kind},
    index::vectors::Known,
    memory::{self, dream::gather, selector, stale::Stale},
    store::{pending, snapshot::Store},
};

/// Destroy entries: text, evidence and index
///
/// Looks among entries, forgotten ones and the archive. Cannot be undone. Notes, logs, the history
/// of git and other clones are not touched, so a secret that was committed has to be revoked.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pimem purge 262e38a\n  pimem purge --yes 'old password'")]
pub(crate) struct Args {
    /// Which entries (`-` reads them from standard input)
    #[arg(required = true, value_name = "ENTRY")]
    entries: Vec<String>,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
}

pub(crate) fn run(ctx: &Shell, args: &Args) -> Result<Outcome, Failure> {
    let stores = ctx.readers()?;
    let (live, snapshots) = ctx.board(&stores);
    let archives: Vec<_> =
        stores.iter().map(|store| store.read_archive(&ctx.config.categories)).collect();
    let gone = archives.iter().zip(&stores).zip(snapshots.iter());
    let gone = gone.map(|((archive, store), held)| {
        (archive.placed(store, &ctx.config.categories), &held.ledger)
    });
    let gone = Ranking::new(ctx.now, ctx.rules(), gone.collect());
    let mut rows = live.rows.clone();
    rows.extend(gone.rows.into_iter().filter(|row| live.find(&row.entry.wording()).is_none()));
    let all = Ranking { rows };
    let unread = [memory::problems(&snapshots), memory::problems(&archives)].concat();
    let mut chosen: Vec<&ScoredEntry> = Vec::new();
    for selector in input::selectors(&args.entries)? {
        let row = selector::entry(ctx, &all, &unread, &selector)?;
        if chosen.iter().all(|known| !known.entry.is_copy(&row.entry)) {
            chosen.push(row);
        }
    }
    let entries = Entries::new(ctx.now, &ctx.config.categories, &all);
    let lines: Vec<String> = chosen.iter().map(|row| entries.line(row)).collect();
    if !args.yes && !input::confirm(ctx, &lines, "Destroy for good?")? {
        let message = "nothing was destroyed";
        return Err(Failure::new(Kind::Refused, message, "--yes does it without asking"));
    }
    let is_chosen = |row: &&ScoredEntry| chosen.iter().any(|known| known.entry.is_copy(&row.entry));
    let others: Vec<Wording> =
        all.rows.iter().filter(|row| !is_chosen(row)).map(|row| row.entry.wording()).collect();
    let mut files = BTreeSet::new();
    let mut stale = Vec::new();
    for (store, held) in stores.iter().zip(snapshots.iter()) {
        // Earlier wordings go too, unless they are entries of their own again.
        let own: IdSet<EntryId> = chosen.iter().map(|row| row.entry.id).collect();
        let mut ids: IdSet<EntryId> =
            chosen.iter().flat_map(|row| held.ledger.family(row.entry.id)).collect();
        ids.retain(|id| own.contains(id) || others.iter().all(|other| other.id != *id));
        let changed = destroy(ctx, store, &ids, &others)?;
        // A hash is enough to recognise a known text by.
        let name = |row: &ScoredEntry| &ctx.config.categories.spec(row.entry.category).name;
        let key = |row: &ScoredEntry| store.trust.entry(name(row), &row.entry.text);
        pending::forget(&store.trust, &chosen.iter().map(|row| key(row)).collect::<Vec<_>>())?;
        let keys = chosen
            .iter()
            .flat_map(|row| [key(row), store.trust.brought(name(row), &row.entry.text)]);
        let keys: Vec<_> = keys.filter(|key| store.trust.holds(*key)).collect();
        if !keys.is_empty() {
            store.trust.forget(Some(&keys))?;
        }
        if !changed.is_empty() {
            stale.push(Stale { store: store.clone(), whole: true, fresh: Known::default() });
        }
        files.extend(changed);
    }
    if ctx.ui.json {
        let ids: Vec<String> = chosen.iter().map(|row| row.entry.id.to_string()).collect();
        ctx.ui.document(&json!({"schema": "pimem.purge/1", "ids": ids, "files": files}));
    } else {
        for line in &lines {
            ctx.ui.line(&format!("Destroyed: {line}"));
        }
    }
    ctx.ui.note("What git, other clones and daily logs hold of it is not touched");
    Ok((Exit::Done, stale))
}

fn destroy(
    ctx: &Shell,
    store: &Store,
    ids: &IdSet<EntryId>,
    others: &[Wording],
) -> Result<Vec<String>, Failure> {
    let lock = memory::lock(ctx, store)?;
    gather::purge(store, ids)?;
    Ok(store.purge(&lock, ids, others, &ctx.config.categories)?)
}
