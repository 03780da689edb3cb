//! `pimem rebuild`: adopt, rescore, archive what went cold, and build the index anew.

use std::{collections::BTreeMap, mem::ManuallyDrop, time::Duration};

use serde_json::{Map, Value, json};

use crate::{exit::Exit, shell::Shell};
use pimem_core::{
    embed::{
        model::{Embedder, Unavailable},
        table,
    },
    model::{
        entry::EntryId,
        time::{Age, Timestamp},
    },
    score::{
        archive,
        ranking::{self, Ranking, ScoredEntry},
        stability::State,
    },
    view::{Entries, count},
};
use pimem_engine::{
    error::{Failure, Kind},
    index::build,
    memory::{self, archived, scores_file, search::embedding, telemetry::Accesses},
    store::{
        atomic::{self, Sync},
        read,
        snapshot::Store,
    },
};

/// Adopt hand-written lines, rescore, archive what has faded, rebuild the index
///
/// Only what nobody asked to have remembered goes to the archive, and only in a store that was used on
/// ten days since that was of use last. Writes `memory-scores.json` for other programs, and has the chosen model embed what it has not
/// yet, however long that takes. Searching and reporting work without it too.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Do nothing when the last rebuild is younger than this, as in 30m, 2h or 1d
    #[arg(long, value_name = "AGE")]
    if_older: Option<String>,
}

/// What a rebuild did to one store.
struct Outcome {
    store: Store,
    board: ManuallyDrop<Ranking>,
    adopted: usize,
    /// By topic.
    archived: BTreeMap<String, Vec<EntryId>>,
    /// The same as lines for people.
    moved: Vec<String>,
    indexed: Option<build::Built>,
}

pub(crate) fn run(ctx: &Shell, args: &Args) -> Result<Exit, Failure> {
    let younger_than = args.if_older.as_deref().map(age_ms).transpose()?;
    let mut outcomes = Vec::new();
    let mut model = embedding::patient(ctx);
    for store in ctx.readers()? {
        if younger_than
            .is_some_and(|limit| last_rebuild(ctx, &store).is_some_and(|age| age < limit))
        {
            ctx.ui.detail(&format!("{} was rebuilt recently", store.dir.display()));
            continue;
        }
        outcomes.push(rebuild(ctx, store, args.if_older.is_none(), &mut model)?);
    }
    if ctx.ui.json {
        let stores: Vec<Value> = outcomes.iter().map(|outcome| json_of(ctx, outcome)).collect();
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
        outcome.moved.iter().for_each(|line| ctx.ui.line(&format!("Archived: {line}")));
        let Some(built) = &outcome.indexed else {
            ctx.ui.note("The index was left as it is");
            continue;
        };
        let (lines, files) = (
            count(usize::try_from(built.docs).unwrap_or(usize::MAX), "line"),
            count(built.files, "file"),
        );
        ctx.ui.line(&format!("Indexed: {lines} of {files}"));
        let model = &embedding::name(ctx);
        if built.vectors > 0 {
            ctx.ui.line(&format!("Embedded: {} vectors with {model}", built.vectors));
        }
        if let Some(Unavailable(why)) = &built.trouble {
            let missing = built.missing;
            ctx.ui.note(&format!("Lines without a vector of {model}: {missing} ({why})"));
        }
    }
    Ok(Exit::Done)
}

/// How long git may take for what was typed by hand: usually nobody waits.
const PATIENCE: Duration = Duration::from_secs(2);

/// The chosen model, or why it cannot serve.
type Chosen = Result<Box<dyn Embedder>, Unavailable>;

fn rebuild(
    ctx: &Shell,
    store: Store,
    whole: bool,
    model: &mut Option<Chosen>,
) -> Result<Outcome, Failure> {
    let categories = &ctx.config.categories;
    // What a starting session had no time to find out.
    let typed = store.read_topics(categories);
    ctx.note_own(PATIENCE, std::slice::from_ref(&store), std::slice::from_ref(&typed));
    let lock = memory::lock(ctx, &store)?;
    let mut txn = store.begin(&lock, categories, ctx.now, ctx.who());
    if let Some(problem) = txn.snapshot().problems.first() {
        return Err(Failure::from(problem));
    }
    let adopted = txn.adopt(None);
    let placed = txn.placed();
    let before = Ranking::new(ctx.now, ctx.rules(), vec![(placed, &txn.snapshot().ledger)]);
    let days = store.used_days();
    let entries = Entries::new(ctx.now, categories, &before);
    let (mut archived, mut moved) = (BTreeMap::<String, Vec<EntryId>>::new(), Vec::new());
    for (topic, rows) in before.topics(store.scope) {
        let cold = ranking::cold(&rows, categories);
        for row in rows {
            let faded = cold || archive::is_dropped(row);
            if faded && archive::goes_unasked(ctx.now, row, &days) {
                archived::archive(&mut txn, row, archive::why(row, categories))?;
                moved.push(format!("{}, to archive/{topic}.md", entries.line(row)));
                archived.entry(topic.to_owned()).or_default().push(row.entry.id);
            }
        }
    }
    txn.commit()?;
    let (board, held) = ctx.board(std::slice::from_ref(&store));
    let accesses = Accesses::of(ctx, &ctx.readers()?);
    let accessed =
        |row: &ScoredEntry| accesses.get(row.entry.id, held.iter().map(|held| &held.ledger));
    let snapshot = scores_file::snapshot(ctx, &board, |row| row.entry.id.to_string(), accessed);
    let path = store.dir.join("memory-scores.json");
    atomic::replace_file(&path, snapshot.as_bytes(), Sync::None, || Ok(true))?;
    drop(lock);
    let indexed = index(ctx, &store, whole, model);
    Ok(Outcome { store, board, adopted, archived, moved, indexed })
}

/// Builds the index, and makes the vectors of the chosen model.
fn index(
    ctx: &Shell,
    store: &Store,
    whole: bool,
    model: &mut Option<Chosen>,
) -> Option<build::Built> {
    let dir = ctx.cache_dir(store)?;
    let mut progress = ctx.ui.progress("indexing");
    let mut embedding_progress = ctx.ui.progress("embedding");
    let mut embedding = embedding::kept(ctx);
    let is_kept = embedding.model.is_some();
    let mut trouble = None;
    match model {
        Some(Ok(embedder)) => {
            embedding.embedder = Some(embedder.as_mut());
            embedding.progress = Some(&mut embedding_progress);
        }
        Some(Err(why)) => trouble = Some(why.clone()),
        None => {}
    }
    let (categories, when) = (&ctx.config.categories, ctx.real_now);
    match build::refresh(store, &dir, categories, when, whole, embedding, &mut progress) {
        Ok(built) => built.map(|mut built| {
            if !is_kept && trouble.is_some() {
                built.missing = usize::try_from(built.docs).unwrap_or(usize::MAX);
            }
            let trouble = built.trouble.take().or(trouble).filter(|_| built.missing > 0);
            build::Built { trouble, ..built }
        }),
        Err(error) => {
            ctx.ui.note(&format!("The index could not be written: {error:#}"));
            None
        }
    }
}

fn json_of(ctx: &Shell, outcome: &Outcome) -> Value {
    let counts: Map<String, Value> = outcome
        .board
        .counts()
        .into_iter()
        .map(|(state, count): (State, usize)| (state.name().to_owned(), json!(count)))
        .collect();
    let archived: Vec<Value> = outcome
        .archived
        .iter()
        .map(|(topic, ids)| {
            let named: Vec<String> = ids.iter().map(ToString::to_string).collect();
            json!({"topic": topic, "entries": ids.len(), "ids": named})
        })
        .collect();
    json!({
        "store": outcome.store.dir.display().to_string(),
        "scope": outcome.store.scope.name(),
        "states": counts,
        "adopted": outcome.adopted,
        "archived": archived,
        "indexed": outcome.indexed.as_ref().map(|built| indexed_json(ctx, built)),
    })
}

fn indexed_json(ctx: &Shell, built: &build::Built) -> Value {
    let model = &embedding::name(ctx);
    // The built-in model serves every line.
    let vectors = if model == table::NAME { built.docs } else { built.vectors as u64 };
    let mut out = json!({
        "files": built.files, "lines": built.docs,
        "model": model, "vectors": vectors, "missing": built.missing,
    });
    if let (Some(Unavailable(why)), Some(fields)) = (&built.trouble, out.as_object_mut()) {
        fields.insert("trouble".to_owned(), json!(why));
    }
    out
}

/// Milliseconds since our own last rebuild of a store, by the time that its snapshot states; or until
/// then, by a clock that was set back since.
fn last_rebuild(ctx: &Shell, store: &Store) -> Option<u64> {
    let path = store.dir.join("memory-scores.json");
    let bytes = read::file(&store.dir, &path, read::MAX_FILE).ok()??;
    let snapshot: Value = serde_json::from_slice(&bytes).ok()?;
    // pi's own file has shorter keys, and says nothing about what we adopted.
    let mut keys = snapshot.get("entries")?.as_object()?.keys();
    let when = Timestamp::parse(snapshot.get("lastRebuild")?.as_str()?)?;
    keys.all(|key| key.len() == 16).then(|| ctx.now.0.0.abs_diff(when.0))
}

fn age_ms(text: &str) -> Result<u64, Failure> {
    Age::parse(text).map(|age| age.0).ok_or_else(|| {
        let message = format!("{text:?} is not an age");
        Failure::new(Kind::Usage, message, "write it as in 30m, 2h or 1d")
    })
}
