//! What is derived from entries and events: which entries wait for it.

use deadpool_postgres::{Pool, Transaction};
use uuid::Uuid;

use crate::db::{
    error::Error,
    pool,
    tenant::{self, Role, Scope},
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
    let transaction = tenant::begin(&mut client, Role::Worker, &Scope::default()).await?;
    let (count, _) = waiting(&transaction).await?;
    Ok(u64::try_from(count).unwrap_or_default())
}
