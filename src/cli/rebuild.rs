//! `pimem rebuild`: adopt, rescore, archive what went cold, and build the index anew.

use std::{collections::BTreeMap, mem::ManuallyDrop};

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{
    context::{self, Context},
    curate,
    error::{Exit, Failure, Kind},
    space,
    view::{self, Entries},
};
use crate::{
    index::build,
    model::time::{Age, Timestamp},
    score::{
        board::{self, Board, Row},
        stability::State,
    },
    store::{
        atomic::{self, Sync},
        read,
        vault::Store,
    },
};

/// Adopt hand-written lines, rescore, archive cold topics, rebuild the index
///
/// Writes `memory-scores.json` for other programs. Searching and reporting work without it too.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Do nothing when the last rebuild is younger than this, as in 30m, 2h or 1d
    #[arg(long, value_name = "AGE")]
    if_older: Option<String>,
}

/// What a rebuild did to one store.
struct Outcome {
    store: Store,
    board: ManuallyDrop<Board>,
    adopted: usize,
    archived: Vec<(String, usize)>,
    indexed: Option<build::Built>,
}

pub(crate) fn run(ctx: &Context, args: &Args) -> Result<Exit, Failure> {
    let younger_than = args.if_older.as_deref().map(age_ms).transpose()?;
    let mut outcomes = Vec::new();
    for store in ctx.readers()? {
        if younger_than
            .is_some_and(|limit| last_rebuild(ctx, &store).is_some_and(|age| age < limit))
        {
            ctx.ui.detail(&format!("{} was rebuilt recently", store.dir.display()));
            continue;
        }
        outcomes.push(rebuild(ctx, store, args.if_older.is_none())?);
    }
    if ctx.ui.json {
        let stores: Vec<Value> = outcomes.iter().map(json_of).collect();
        ctx.ui.document(&json!({"schema": "pimem.rebuild/1", "stores": stores}));
        return Ok(Exit::Done);
    }
    for outcome in &outcomes {
        let counts: Vec<String> = outcome
            .board
            .counts()
            .iter()
            .map(|(state, count)| format!("{count} {}", state.name()))
            .collect();
        let name = outcome.store.scope.name();
        ctx.ui.line(&format!("Rebuilt {name} store: {}", counts.join(", ")));
        if outcome.adopted > 0 {
            ctx.ui.line(&format!("Adopted: {} hand-written entries", outcome.adopted));
        }
        for (topic, count) in &outcome.archived {
            ctx.ui.line(&format!(
                "Archived: topic {topic} went cold ({count} entries, archive/{topic}.md)"
            ));
        }
        match outcome.indexed {
            Some(built) => {
                ctx.ui.line(&format!("Indexed: {} lines of {} files", built.docs, built.files));
            }
            None => ctx.ui.note("The index was left as it is"),
        }
    }
    Ok(Exit::Done)
}

fn rebuild(ctx: &Context, store: Store, whole: bool) -> Result<Outcome, Failure> {
    let categories = &ctx.config.categories;
    let lock = context::lock(&store)?;
    let mut txn = store.begin(&lock, categories, ctx.now, ctx.who());
    if let Some(problem) = txn.snapshot().problems.first() {
        return Err(Failure::from(problem));
    }
    let adopted = txn.adopt(None);
    let placed = txn.snapshot().placed(store.scope);
    let before = Board::new(ctx.now, ctx.rules(), vec![(placed, &txn.snapshot().ledger)]);
    let mut archived = Vec::new();
    for (topic, rows) in before.topics(store.scope) {
        if board::cold(ctx.now, &rows, categories) {
            for row in &rows {
                curate::archive(&mut txn, row)?;
            }
            archived.push((topic.to_owned(), rows.len()));
        }
    }
    txn.commit()?;
    let (board, _) = ctx.board(std::slice::from_ref(&store));
    let snapshot = snapshot(ctx, &board);
    let path = store.dir.join("memory-scores.json");
    atomic::replace_file(&path, snapshot.as_bytes(), Sync::None, || Ok(true))?;
    drop(lock);
    let indexed = ctx.cache_dir(&store).and_then(|dir| {
        let mut progress = ctx.ui.progress("indexing");
        let when = ctx.real_now;
        let embedding = space::kept(ctx);
        match build::refresh(&store, &dir, categories, when, whole, embedding, &mut progress) {
            Ok(built) => built,
            Err(error) => {
                ctx.ui.note(&format!("The index could not be written: {error:#}"));
                None
            }
        }
    });
    Ok(Outcome { store, board, adopted, archived, indexed })
}

/// `memory-scores.json`: an output in a documented format, sorted by id.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Scores<'a> {
    entries: BTreeMap<String, Record<'a>>,
    last_rebuild: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Record<'a> {
    class: &'a str,
    score: f64,
    evidence_count: u64,
    cue: &'a str,
    first_seen: String,
    last_reinforced: String,
    user_state: &'a str,
    lifecycle: &'a str,
    fresh: bool,
    access_count: u64,
    last_accessed: Option<String>,
}

fn snapshot(ctx: &Context, board: &Board) -> String {
    let entries = Entries::new(ctx.now, &ctx.config.categories, board);
    let record = |row: &Row| Record {
        class: entries.category(row),
        score: view::rounded(row.standing.shown()),
        evidence_count: row.evidence.count,
        cue: row.evidence.cue.name(),
        first_seen: row.evidence.first_seen.to_string(),
        last_reinforced: row.evidence.last_reinforced.to_string(),
        user_state: view::user_state(row).name(),
        lifecycle: row.state.name(),
        fresh: row.fresh,
        access_count: 0,
        last_accessed: None,
    };
    let scores = Scores {
        entries: board.rows.iter().map(|row| (row.entry.id.to_string(), record(row))).collect(),
        last_rebuild: ctx.now.0.to_string(),
    };
    let mut text = serde_json::to_string_pretty(&scores).unwrap_or_default();
    text.push('\n');
    text
}

fn json_of(outcome: &Outcome) -> Value {
    let counts: Map<String, Value> = outcome
        .board
        .counts()
        .into_iter()
        .map(|(state, count): (State, usize)| (state.name().to_owned(), json!(count)))
        .collect();
    let archived: Vec<Value> = outcome
        .archived
        .iter()
        .map(|(topic, count)| json!({"topic": topic, "entries": count}))
        .collect();
    json!({
        "store": outcome.store.dir.display().to_string(),
        "scope": outcome.store.scope.name(),
        "states": counts,
        "adopted": outcome.adopted,
        "archived": archived,
        "indexed": outcome.indexed.map(|built| json!({"files": built.files, "lines": built.docs})),
    })
}

/// Milliseconds since our own last rebuild of a store, by the time that its snapshot states.
fn last_rebuild(ctx: &Context, store: &Store) -> Option<u64> {
    let path = store.dir.join("memory-scores.json");
    let bytes = read::file(&store.dir, &path, read::MAX_FILE).ok()??;
    let snapshot: Value = serde_json::from_slice(&bytes).ok()?;
    // pi's own file has shorter keys, and says nothing about what we adopted.
    let mut keys = snapshot.get("entries")?.as_object()?.keys();
    let when = Timestamp::parse(snapshot.get("lastRebuild")?.as_str()?)?;
    keys.all(|key| key.len() == 16).then(|| ctx.now.since(when).0)
}

fn age_ms(text: &str) -> Result<u64, Failure> {
    Age::parse(text).map(|age| age.0).ok_or_else(|| {
        let message = format!("{text:?} is not an age");
        Failure::new(Kind::Usage, message, "write it as in 30m, 2h or 1d")
    })
}
