//! What is derived from entries and events: which entries wait for it, the fold, and the worker.

pub mod accesses;
pub mod fold;
pub mod renew;
pub mod words;
pub mod worker;

use deadpool_postgres::{Pool, Transaction};
use uuid::Uuid;

use crate::db::{
    error::Error,
    pool,
    tenant::{self, TenantRole, TenantScope},
};

/// Queues entries whose events changed. Each is eight bytes, the entry's id.
///
/// # Errors
///
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
///
/// The database is away.
pub async fn waiting(transaction: &Transaction<'_>) -> Result<(i64, f64), Error> {
    let statement = transaction.prepare_cached(include_str!("../../sql/waiting.sql")).await?;
    let row = transaction.query_one(&statement, &[]).await?;
    Ok((row.get(0), row.get(1)))
}

/// Returns how many entries of all organisations wait.
///
/// # Errors
///
/// The database is away.
pub async fn count(pool: &Pool) -> Result<u64, Error> {
    let mut client = pool::take(pool).await?;
    let transaction =
        tenant::begin(&mut client, TenantRole::Worker, &TenantScope::default()).await?;
    let (count, _) = waiting(&transaction).await?;
    Ok(u64::try_from(count).unwrap_or_default())
}

/// Notes which entries speak of each other, so that they are folded together.
///
/// # Errors
///
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
