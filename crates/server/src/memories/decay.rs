//! What has faded, and goes to the archive when asked.

use deadpool_postgres::Transaction;
use pimem_core::model::time::Now;
use uuid::Uuid;

use super::row::{COLUMNS, JOINED, MemoryRow};
use crate::{db::error::Error, index::fold::date, seal::vault::Vault};

/// Days on which the project was used that must pass since a memory was.
const USED: i64 = 10;
/// Maximum number that is archived at once.
const MOST: i64 = 500;

/// Returns the memories of a project that would be archived: their score has dropped, they are no
/// longer new, nobody asked for them explicitly, and the project was used on ten days since. Those
/// that the program archives unasked meet the same conditions.
///
/// # Errors
/// The database is away or too slow.
pub async fn faded(
    transaction: &Transaction<'_>,
    vault: &Vault,
    project: Uuid,
    now: Now,
) -> Result<Vec<MemoryRow>, Error> {
    let statement = format!(
        "with days as (
             select distinct (ts at time zone 'UTC')::date as day from pimem.events
             where org_id = $1 and project_id = $2 and ts <= $3
         )
         select {COLUMNS} from pimem.memories m
         {JOINED}
         where m.org_id = $1 and m.project_id = $2 and m.place = 'topics' and m.user_state = 'auto'
         and m.cue < 1 and pimem.stability(m.cue, m.evidence, m.last_reinforced, m.tau, $3) < 0.4
         and m.first_seen < $3 - make_interval(secs => m.tau * ln(2) * 86400)
         and (select count(*) from days where day > (m.last_reinforced at time zone 'UTC')::date) >= $4
         order by m.last_reinforced, m.entry limit $5"
    );
    let statement = transaction.prepare_cached(&statement).await?;
    let rows = transaction
        .query(&statement, &[&vault.org(), &project, &date(now.0), &USED, &MOST])
        .await?;
    Ok(rows.iter().filter_map(|row| MemoryRow::of(row, vault)).collect())
}
