//! Fills the index behind the pushes: words and the table's vector first, so that a line is soon
//! found, then the vector by the transformer, which takes longest. Behind everything else it re-encrypts
//! the rows of older epochs, little by little.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
    time::{Duration, Instant},
};

use chrono::{DateTime, Utc};
use deadpool_postgres::{Pool, Transaction};
use futures_util::future::try_join_all;
use pgvector::HalfVector;
use pimem_core::{
    embed::{
        self,
        catalog::{TextRole as Side, Unavailable},
        table,
    },
    search::tokens::Tokenizer,
};
use pimem_engine::models::built_in;
use tokio::sync::Notify;
use tokio_postgres::Row;
use uuid::Uuid;

use crate::{
    clock,
    db::{self, Error, TenantRole, TenantScope},
    index::{
        self,
        fold::{self, Inner},
    },
    log,
    seal::{Keeper, Vault, VaultColumn, VaultText},
};

/// Number of entries that are folded in one transaction. A push of one of them waits for it.
const FOLDED: i64 = 100;
/// Number of lines that the transformer embeds in one go.
const EMBEDDED: i64 = 32;
/// How long the worker waits for work that nobody announced, such as that of another server.
const IDLE: Duration = Duration::from_secs(1);
/// How long a closed organisation is left alone.
const CLOSED: Duration = Duration::from_secs(30);
/// How long it waits after a failure.
const PAUSE: Duration = Duration::from_secs(3);

/// Wakes the worker.
#[derive(Debug, Default, Clone)]
pub struct Bell(Arc<Notify>);

impl Bell {
    /// Says that something was queued.
    pub fn ring(&self) {
        self.0.notify_one();
    }
}

/// What a worker remembers.
#[derive(Debug, Default)]
pub struct WorkerState {
    /// Organisations whose key was not at hand, and when.
    closed: HashMap<Uuid, Instant>,
    renewal: Renewal,
}

/// Works until the server ends.
pub async fn run(pool: Pool, bell: Bell, keeper: Keeper, ends: impl Fn() -> bool) {
    let mut state = WorkerState::default();
    while !ends() {
        match step(&pool, &keeper, &mut state).await {
            Ok(true) => {}
            Ok(false) => {
                let rung = tokio::time::timeout(IDLE, bell.0.notified()).await;
                drop(rung);
            }
            Err(error) => {
                log::line("warn", "index", serde_json::json!({"error": error.to_string()}));
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

/// Does one piece of work; false if there is none.
///
/// # Errors
/// The database is away.
pub async fn step(pool: &Pool, keeper: &Keeper, state: &mut WorkerState) -> Result<bool, Error> {
    state.closed.retain(|_, at| at.elapsed() < CLOSED);
    let mut client = db::take(pool).await?;
    let everybody = db::begin(&mut client, TenantRole::Worker, &TenantScope::default()).await?;
    let next = "select org_id, project_id, stage from pimem.index_queue \
        where (leased is null or leased < now()) and org_id <> all ($1) order by stage, since limit 1";
    let statement = everybody.prepare_cached(next).await?;
    let closed: Vec<Uuid> = state.closed.keys().copied().collect();
    let next = everybody.query_opt(&statement, &[&closed]).await?;
    everybody.rollback().await?;
    let Some(row) = next else {
        drop(client);
        return renew(pool, keeper, &mut state.renewal).await;
    };
    let (org, project): (Uuid, Uuid) = (row.get(0), row.get(1));
    let scope = TenantScope { org, user: Uuid::nil(), projects: vec![project] };
    if row.get::<_, i16>(2) > 0 {
        return embed(&mut client, &scope, project).await;
    }
    let transaction = db::begin(&mut client, TenantRole::Worker, &scope).await?;
    let vault = match keeper.read(&*transaction, org).await {
        Err(Error::Closed(_)) => {
            state.closed.insert(org, Instant::now());
            return Ok(true);
        }
        vault => vault?,
    };
    let done = match index(&transaction, &vault, project).await {
        Err(Error::Rotated) => {
            // A row of an epoch that never began was written past the server: others have their turn.
            if keeper.read(&*transaction, org).await?.epoch() == vault.epoch() {
                let fields = serde_json::json!({"org": org.to_string()});
                log::line("error", "a sealed row is of no epoch", fields);
                state.closed.insert(org, Instant::now());
            }
            return Ok(true);
        }
        done => done?,
    };
    transaction.commit().await?;
    Ok(done)
}

/// Folds what waits of a project and counts its words. One worker at a time does so for a project,
/// as all its lines share counts; false if another one does.
async fn index(transaction: &Transaction<'_>, vault: &Vault, project: Uuid) -> Result<bool, Error> {
    let org = vault.org();
    let statement = transaction.prepare_cached("select pg_try_advisory_xact_lock($1)").await?;
    let (_, key) = project.as_u64_pair();
    if !transaction.query_one(&statement, &[&key.cast_signed()]).await?.get::<_, bool>(0) {
        return Ok(false);
    }
    let claim = "select entry from pimem.index_queue where org_id = $1 and project_id = $2 and stage = 0 \
        order by since limit $3 for update skip locked";
    let statement = transaction.prepare_cached(claim).await?;
    let claimed = transaction.query(&statement, &[&org, &project, &FOLDED]).await?;
    let claimed: Vec<Vec<u8>> = claimed.iter().map(|row| row.get(0)).collect();
    let folded = fold::fold(transaction, vault, project, &claimed, clock::stamp()).await?;
    count(transaction, vault, project, &folded).await?;
    let done = "with indexed as (
            select q.entry, m.entry is not null and m.model_vec is null and m.key_id is null as lacks
            from unnest($3::bytea[]) as q (entry)
            left join pimem.memories m on m.org_id = $1 and m.project_id = $2 and m.entry = q.entry
        ), ended as (
            delete from pimem.index_queue where org_id = $1 and project_id = $2
                and entry in (select entry from indexed where not lacks)
        )
        update pimem.index_queue set stage = 1 where org_id = $1 and project_id = $2
            and entry in (select entry from indexed where lacks)";
    let statement = transaction.prepare_cached(done).await?;
    transaction.execute(&statement, &[&org, &project, &claimed]).await?;
    Ok(true)
}

/// A row whose words changed.
struct Changed {
    entry: Vec<u8>,
    stands: bool,
    before: Vec<String>,
    words_before: i32,
    after: Vec<String>,
    words: i32,
    /// `None` of a sealed row: vectors give the words away.
    vector: Option<HalfVector>,
}

/// Brings words, counts and table vectors of folded entries up to date. No other rows are touched, as
/// locks on them would come out of order.
async fn count(
    transaction: &Transaction<'_>,
    vault: &Vault,
    project: Uuid,
    folded: &[Vec<u8>],
) -> Result<(), Error> {
    let org = vault.org();
    let changed = "select entry, body, topic, place <> 'nowhere', \
            coalesce(tsvector_to_array(fts), '{}'), words, sealed, key_id from pimem.memories \
        where org_id = $1 and project_id = $2 and entry = any ($3) and indexed_at is null";
    let statement = transaction.prepare_cached(changed).await?;
    let rows = transaction.query(&statement, &[&org, &project, &folded]).await?;
    let sealing = vault.clone();
    let read = move || -> Result<Vec<Changed>, Error> {
        let vault = sealing;
        let mut tokenizer = Tokenizer::default();
        let read = |row: &tokio_postgres::Row| {
            let entry: Vec<u8> = row.get(0);
            let (text, topic) = text_of(row, &vault, project, &entry)?.unwrap_or_default();
            let stands: bool = row.get(3);
            let (after, words) =
                if stands { index::words(&mut tokenizer, &text, &topic) } else { (Vec::new(), 0) };
            let after = after.iter().map(|word| vault.word(word).into_owned()).collect();
            let embed = || HalfVector::from_f32_slice(&table::embed(&embed::passage(&text)));
            let vector = (!vault.is_sealed()).then(embed);
            let (before, words_before) = (row.get(4), row.get(5));
            Ok(Changed { entry, stands, before, words_before, after, words, vector })
        };
        rows.iter().map(read).collect()
    };
    let changed = blocking(read).await??;
    let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
    let (mut docs, mut length) = (0_i64, 0_i64);
    for one in &changed {
        one.before.iter().for_each(|word| *counts.entry(word).or_default() -= 1);
        one.after.iter().for_each(|word| *counts.entry(word).or_default() += 1);
        docs += i64::from(!one.after.is_empty()) - i64::from(!one.before.is_empty());
        length += i64::from(one.words) - i64::from(one.words_before);
    }
    counts.retain(|_, count| *count != 0);
    let (lexemes, numbers): (Vec<&str>, Vec<i64>) = counts.into_iter().unzip();
    let counted = "insert into pimem.lexemes as l (org_id, project_id, lexeme, docs) \
        select $1, $2, t.lexeme, t.docs from unnest($3::text[], $4::int8[]) as t (lexeme, docs) order by t.lexeme \
        on conflict (org_id, project_id, lexeme) do update set docs = l.docs + excluded.docs";
    let statement = transaction.prepare_cached(counted).await?;
    transaction.execute(&statement, &[&org, &project, &lexemes, &numbers]).await?;
    let sized = "insert into pimem.corpora as c (org_id, project_id, docs, words) values ($1, $2, $3, $4) \
        on conflict (org_id, project_id) do update set docs = c.docs + excluded.docs, words = c.words + excluded.words";
    let statement = transaction.prepare_cached(sized).await?;
    transaction.execute(&statement, &[&org, &project, &docs, &length]).await?;
    let gone: Vec<&[u8]> =
        changed.iter().filter(|one| !one.stands).map(|one| one.entry.as_slice()).collect();
    if !gone.is_empty() {
        let removed =
            "delete from pimem.memories where org_id = $1 and project_id = $2 and entry = any ($3)";
        let statement = transaction.prepare_cached(removed).await?;
        transaction.execute(&statement, &[&org, &project, &gone]).await?;
    }
    let indexed = "update pimem.memories set fts = array_to_tsvector($4::text[]), words = $5, \
            table_vec = $6, indexed_at = now() \
        where org_id = $1 and project_id = $2 and entry = $3";
    let statement = transaction.prepare_cached(indexed).await?;
    let (statement, org, project) = (&statement, &org, &project);
    let written = changed.iter().filter(|one| one.stands).map(|one| async move {
        let Changed { entry, after, words, vector, .. } = one;
        transaction.execute(statement, &[org, project, entry, after, words, vector]).await
    });
    try_join_all(written).await?;
    Ok(())
}

/// Returns text and topic of a row.
fn text_of(
    row: &tokio_postgres::Row,
    vault: &Vault,
    project: Uuid,
    entry: &[u8],
) -> Result<Option<(String, String)>, Error> {
    if !vault.is_sealed() {
        let (text, topic): (Option<String>, Option<String>) = (row.get(1), row.get(2));
        return Ok(Some((text.unwrap_or_default(), topic.unwrap_or_default())));
    }
    let kept = VaultText { text: None, sealed: row.get(6), key: row.get(7) };
    let inner = vault.open(VaultColumn::Memory { project, entry }, kept)?;
    let inner = inner.and_then(|inner| serde_json::from_str(&inner).ok());
    Ok(inner.map(|Inner { text, topic, .. }| (text, topic)))
}

/// Has the transformer embed some lines. They are leased meanwhile, not locked, so that nobody waits.
async fn embed(
    client: &mut deadpool_postgres::Client,
    scope: &TenantScope,
    project: Uuid,
) -> Result<bool, Error> {
    let transaction = db::begin(client, TenantRole::Worker, scope).await?;
    let lease = "with next as (
            select entry from pimem.index_queue where org_id = $1 and project_id = $2 and stage = 1
                and (leased is null or leased < now())
            order by since limit $3 for update skip locked
        ), leased as (
            update pimem.index_queue q set leased = now() + interval '1 minute' from next
            where q.org_id = $1 and q.project_id = $2 and q.entry = next.entry returning q.entry
        )
        select l.entry, m.hash, m.body from leased l left join pimem.memories m
            on m.org_id = $1 and m.project_id = $2 and m.entry = l.entry and m.model_vec is null";
    let statement = transaction.prepare_cached(lease).await?;
    let rows = transaction.query(&statement, &[&scope.org, &project, &EMBEDDED]).await?;
    transaction.commit().await?;
    if rows.is_empty() {
        return Ok(false);
    }
    let leased: Vec<Vec<u8>> = rows.iter().map(|row| row.get(0)).collect();
    let texts = rows.iter().filter_map(|row| {
        let (hash, text): (Option<Vec<u8>>, Option<String>) = (row.get(1), row.get(2));
        Some((row.get::<_, Vec<u8>>(0), hash?, text?))
    });
    let texts: Vec<(Vec<u8>, Vec<u8>, String)> = texts.collect();
    let embedded = blocking(move || {
        let passages: Vec<_> = texts.iter().map(|(.., text)| embed::passage(text)).collect();
        let passages: Vec<&str> = passages.iter().map(AsRef::as_ref).collect();
        let vectors = built_in::embedder(None)
            .and_then(|mut model| model.embed(Side::Passage, &passages, &mut |_| ()));
        let keys: Vec<_> =
            texts.iter().map(|(entry, hash, _)| (entry.clone(), hash.clone())).collect();
        vectors.map(|vectors| keys.into_iter().zip(vectors).collect::<Vec<_>>())
    });
    let mut embedded = embedded.await?.unwrap_or_else(|Unavailable(why)| {
        // Without the transformer, the table's vectors have to do.
        log::line("warn", "model", serde_json::json!({"error": why}));
        Vec::new()
    });
    let transaction = db::begin(client, TenantRole::Worker, scope).await?;
    // As everywhere: first the queue, then the rows in the order of their ids.
    let done = "delete from pimem.index_queue \
        where org_id = $1 and project_id = $2 and entry = any ($3) and stage = 1";
    let statement = transaction.prepare_cached(done).await?;
    transaction.execute(&statement, &[&scope.org, &project, &leased]).await?;
    let update = "update pimem.memories set model_vec = $5 \
        where org_id = $1 and project_id = $2 and entry = $3 and hash = $4";
    embedded.sort_unstable_by(|((a, _), _), ((b, _), _)| a.cmp(b));
    let statement = transaction.prepare_cached(update).await?;
    for ((entry, hash), vector) in &embedded {
        let vector = HalfVector::from_f32_slice(vector);
        transaction.execute(&statement, &[&scope.org, &project, entry, hash, &vector]).await?;
    }
    transaction.commit().await?;
    Ok(true)
}

/// Computes on a thread that may take its time.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Error> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| Error::Wrong(error.to_string()))
}

const ROWS: i64 = 200;

/// How far the rows of an organisation are. What does not open is passed over, not tried for ever.
#[derive(Debug, Default)]
pub struct Renewal {
    org: Option<Uuid>,
    began: DateTime<Utc>,
    /// True if a row was of an older epoch.
    found: bool,
    table: usize,
    /// Project and keys of the last row.
    after: (Uuid, Vec<u8>, Vec<u8>),
}

impl Renewal {
    /// The next organisation comes after this one.
    fn passed(org: Uuid) -> Self {
        Self { after: (org, Vec::new(), Vec::new()), ..Self::default() }
    }
}

/// A table with sealed rows: its name, and the columns that a row is found and sealed by.
struct Table {
    name: &'static str,
    first: &'static str,
    second: &'static str,
    /// Bound to the text, and no part of the key.
    third: &'static str,
}

const TABLES: [Table; 3] = [
    Table { name: "entries", first: "hash", second: "''::bytea", third: "fnv" },
    Table { name: "events", first: "id", second: "digest", third: "entry" },
    Table { name: "memories", first: "entry", second: "''::bytea", third: "''::bytea" },
];

/// Does one piece of work; false if there is none for now.
///
/// # Errors
/// The database is away.
pub async fn renew(pool: &Pool, keeper: &Keeper, renewal: &mut Renewal) -> Result<bool, Error> {
    let mut client = db::take(pool).await?;
    let Some(org) = renewal.org else {
        let everybody = db::begin(&mut client, TenantRole::Worker, &TenantScope::default()).await?;
        // Each in its turn, as one may have rows that do not open.
        let unsettled = "select org_id, now() from pimem.org_keys where settled is null and key_id > 1 \
            order by org_id <= $1, org_id limit 1";
        let statement = everybody.prepare_cached(unsettled).await?;
        let org = everybody.query_opt(&statement, &[&renewal.after.0]).await?;
        *renewal = org.map_or_else(Renewal::default, |row| Renewal {
            org: Some(row.get(0)),
            began: row.get(1),
            ..Renewal::default()
        });
        return Ok(renewal.org.is_some());
    };
    let (projects, vault) = {
        let scope = TenantScope { org, ..TenantScope::default() };
        let transaction = db::begin(&mut client, TenantRole::Worker, &scope).await?;
        let projects = transaction.query("select id from pimem.projects", &[]).await?;
        let projects: Vec<Uuid> = projects.iter().map(|row| row.get(0)).collect();
        (projects, keeper.read(&*transaction, org).await)
    };
    // Whatever is asked of a closed organisation says so; others have their turn.
    let vault = if let Err(Error::Closed(_)) = vault { None } else { Some(vault?) };
    let Some((epoch, vault)) = vault.and_then(|vault| Some((vault.epoch()?, vault))) else {
        *renewal = Renewal::passed(org);
        return Ok(false);
    };
    let scope = TenantScope { org, user: Uuid::nil(), projects };
    let transaction = db::begin(&mut client, TenantRole::Worker, &scope).await?;
    let Some(Table { name, first, second, third }) = TABLES.get(renewal.table) else {
        // Whoever wrote under an older key began before this one was made, and had ended when the
        // pass began. One that found rows is followed by another, as some may have been locked.
        let settled = "update pimem.org_keys set settled = now() where org_id = $1 and settled is null \
            and created < $2::timestamptz - interval '1 minute' and not $3::bool";
        transaction.execute(settled, &[&org, &renewal.began, &renewal.found]).await?;
        transaction.commit().await?;
        *renewal = Renewal::passed(org);
        return Ok(false);
    };
    let old = format!(
        "select project_id, {first} as first, {second} as second, {third} as third, sealed, key_id \
         from pimem.{name} where org_id = $1 and key_id < $2 \
         and (project_id, {first}, {second}) > ($3, $4, $5) \
         order by project_id, first, second limit $6 for update skip locked"
    );
    let statement = transaction.prepare_cached(&old).await?;
    let (project, one, two) = &renewal.after;
    let rows = transaction.query(&statement, &[&org, &epoch, project, one, two, &ROWS]).await?;
    let update = format!(
        "update pimem.{name} set sealed = $5, key_id = $6 \
         where org_id = $1 and project_id = $2 and {first} = $3 and {second} = $4"
    );
    let update = transaction.prepare_cached(&update).await?;
    for row in &rows {
        let found = Found::of(row);
        let kept = VaultText { text: None, sealed: row.get("sealed"), key: row.get("key_id") };
        let Some(text) = vault.open(found.place(renewal.table), kept)? else { continue };
        let VaultText { sealed, key, .. } = vault.seal(found.place(renewal.table), &text)?;
        let Found { project, first, second, .. } = &found;
        transaction.execute(&update, &[&org, project, first, second, &sealed, &key]).await?;
        renewal.found = true;
    }
    transaction.commit().await?;
    if let Some(Found { project, first, second, .. }) = rows.last().map(Found::of) {
        renewal.after = (project, first, second);
    } else {
        let (began, found, table) = (renewal.began, renewal.found, renewal.table + 1);
        *renewal = Renewal { org: Some(org), began, found, table, ..Renewal::default() };
    }
    Ok(true)
}

/// What a row is found and sealed by.
struct Found {
    project: Uuid,
    first: Vec<u8>,
    second: Vec<u8>,
    third: Vec<u8>,
}

impl Found {
    fn of(row: &Row) -> Self {
        let bytes = |column| row.get::<_, Option<Vec<u8>>>(column).unwrap_or_default();
        let (first, second, third) = (bytes("first"), bytes("second"), bytes("third"));
        Self { project: row.get("project_id"), first, second, third }
    }

    fn place(&self, table: usize) -> VaultColumn<'_> {
        let Self { project, first, second, third } = self;
        match table {
            0 => VaultColumn::Entry { project: *project, hash: first, entry: third },
            1 => VaultColumn::Event { project: *project, id: first, digest: second, entry: third },
            _ => VaultColumn::Memory { project: *project, entry: first },
        }
    }
}
