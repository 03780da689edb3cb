//! What is derived from entries and events: which entries wait for it, the words by which a line is
//! found, the fold, and the worker.
//!
//! Accesses by searches are counted in memory and written together, so that no search waits for it.
//! Those of a server that is killed meanwhile are lost.

pub mod fold;
pub mod worker;

use std::{
    collections::{BTreeMap, BTreeSet},
    mem,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use deadpool_postgres::{Pool, Transaction};
use pimem_core::{model::time::Now, search::tokens::Tokenizer};
use serde_json::json;
use uuid::Uuid;

use crate::{
    clock,
    db::{self, Error, TenantRole, TenantScope},
    index::fold::date,
    log,
};

/// Queues entries whose events changed. Each is eight bytes, the entry's id.
///
/// # Errors
/// The database is away.
pub async fn touched(
    transaction: &Transaction<'_>,
    org: Uuid,
    project: Uuid,
    entries: &[Vec<u8>],
) -> Result<(), Error> {
    let statement = transaction.prepare_cached(include_str!("../../sql/touched.sql")).await?;
    transaction.execute(&statement, &[&org, &project, &entries]).await?;
    Ok(())
}

/// Returns how many entries wait, and for how many seconds the first of them has.
///
/// # Errors
/// The database is away.
pub async fn waiting(transaction: &Transaction<'_>) -> Result<(i64, f64), Error> {
    let statement = transaction.prepare_cached(include_str!("../../sql/waiting.sql")).await?;
    let row = transaction.query_one(&statement, &[]).await?;
    Ok((row.get(0), row.get(1)))
}

/// Returns how many entries of all organisations wait.
///
/// # Errors
/// The database is away.
pub async fn count(pool: &Pool) -> Result<u64, Error> {
    let mut client = db::take(pool).await?;
    let transaction = db::begin(&mut client, TenantRole::Worker, &TenantScope::default()).await?;
    let (count, _) = waiting(&transaction).await?;
    Ok(u64::try_from(count).unwrap_or_default())
}

/// Notes which entries speak of each other, so that they are folded together.
///
/// # Errors
/// The database is away.
pub async fn linked(
    transaction: &Transaction<'_>,
    org: Uuid,
    project: Uuid,
    pairs: &[(Vec<u8>, Vec<u8>)],
) -> Result<(), Error> {
    if pairs.is_empty() {
        return Ok(());
    }
    let both = pairs.iter().flat_map(|(a, b)| [(a, b), (b, a)]);
    let (entries, others): (Vec<&[u8]>, Vec<&[u8]>) =
        both.map(|(a, b)| (a.as_slice(), b.as_slice())).unzip();
    let link = "insert into pimem.links (org_id, project_id, entry, other) \
        select $1, $2, t.entry, t.other from unnest($3::bytea[], $4::bytea[]) as t (entry, other) \
        order by t.entry, t.other on conflict do nothing";
    let statement = transaction.prepare_cached(link).await?;
    transaction.execute(&statement, &[&org, &project, &entries, &others]).await?;
    Ok(())
}

/// Returns the distinct tokens of a text and of its topic's name, and the text's length in words.
#[must_use]
pub fn words(tokenizer: &mut Tokenizer, text: &str, topic: &str) -> (Vec<String>, i32) {
    let mut found = BTreeSet::new();
    let mut length = 0;
    tokenizer.each(text, |token, counts| {
        length += i32::from(counts);
        found.insert(token.to_owned());
    });
    tokenizer.each(topic, |token, _| {
        found.insert(token.to_owned());
    });
    (found.into_iter().collect(), length)
}

/// Returns a token as a query for PostgreSQL.
#[must_use]
pub fn query(token: &str) -> String {
    format!("'{}'", token.replace('\\', "\\\\").replace('\'', "''"))
}

/// How often counts are written.
const EVERY: Duration = Duration::from_secs(1);
/// Maximum number of entries that are counted at once; others are not counted.
const MOST: usize = 50_000;

/// Project and entry, by organisation.
type Counts = BTreeMap<Uuid, BTreeMap<(Uuid, Vec<u8>), i64>>;

/// Counts that are not written yet.
#[derive(Debug, Default)]
pub struct AccessCounter(Mutex<Counts>);

impl AccessCounter {
    /// Counts entries of an organisation once more, each by its project and the id of its row.
    pub fn count(&self, org: Uuid, entries: impl Iterator<Item = (Uuid, Vec<u8>)>) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut room = MOST.saturating_sub(counts.values().map(BTreeMap::len).sum());
        let of_org = counts.entry(org).or_default();
        for entry in entries {
            if let Some(count) = of_org.get_mut(&entry) {
                *count += 1;
            } else if room > 0 {
                room -= 1;
                of_org.insert(entry, 1);
            }
        }
    }

    fn take(&self) -> Counts {
        mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Writes what was counted.
    ///
    /// # Errors
    /// The database is away or too slow; then what was taken is lost.
    pub async fn write(&self, pool: &Pool, now: Now) -> Result<(), Error> {
        for (org, counts) in self.take() {
            let (mut projects, mut entries, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
            for ((project, entry), number) in counts {
                projects.push(project);
                entries.push(entry);
                numbers.push(number);
            }
            let mut client = db::take(pool).await?;
            let mut seen = projects.clone();
            seen.dedup();
            let scope = TenantScope { org, user: Uuid::nil(), projects: seen };
            let transaction = db::begin(&mut client, TenantRole::App, &scope).await?;
            let statement =
                transaction.prepare_cached(include_str!("../../sql/accessed.sql")).await?;
            transaction
                .execute(&statement, &[&org, &projects, &entries, &numbers, &date(now.0)])
                .await?;
            transaction.commit().await?;
        }
        Ok(())
    }

    /// Writes counts until the server ends.
    pub async fn run(&self, pool: &Pool, is_ending: impl Fn() -> bool) {
        while !is_ending() {
            tokio::time::sleep(EVERY).await;
            if let Err(error) = self.write(pool, clock::stamp()).await {
                log::line("warn", "accesses were not counted", json!({"error": error.to_string()}));
            }
        }
    }
}
