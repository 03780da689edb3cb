//! Counts of memories.

use std::collections::BTreeMap;

use deadpool_postgres::Transaction;
use pimem_core::{
    model::time::Now,
    score::{policy::Policy, stability::Standing},
};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::row::{COLUMNS, JOINED, MemoryRow};
use crate::{db::error::Error, index::fold::date, seal::vault::Vault};

/// Counts.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct Stats {
    pub policy: &'static str,
    /// Without the archive.
    pub total: i64,
    pub archived: i64,
    /// Those that have the vectors by both models.
    pub with_embeddings: i64,
    pub by_state: BTreeMap<String, i64>,
    pub by_category: BTreeMap<String, i64>,
    /// Average score by the policy, without pinned and forgotten memories; null if there are none.
    pub average_score: Option<f64>,
    pub access_count: i64,
    /// Entries that wait for the index, and how long the first of them has, in seconds.
    pub waiting: i64,
    pub lag: f64,
}

/// Number of rows that are scored at a time where the database cannot.
const PAGE: i64 = 2_000;

/// Counts the memories of some projects.
///
/// # Errors
/// The database is away or too slow.
pub async fn stats(
    transaction: &Transaction<'_>,
    vault: &Vault,
    projects: &[Uuid],
    policy: Policy,
    now: Now,
) -> Result<Stats, Error> {
    let org = vault.org();
    let mut stats = Stats { policy: policy.name(), ..Stats::default() };
    // Before the counts, so that what waits no longer is in them.
    let waits = "select count(*), coalesce(extract(epoch from now() - min(since)), 0)::float8 \
        from pimem.index_queue where org_id = $1 and project_id = any ($2)";
    let statement = transaction.prepare_cached(waits).await?;
    let row = transaction.query_one(&statement, &[&org, &projects]).await?;
    (stats.waiting, stats.lag) = (row.get(0), row.get(1));
    let count = "select place = 'archive', category, \
            pimem.state(user_state, pimem.stability(cue, evidence, last_reinforced, tau, $3)), \
            count(*), count(*) filter (where table_vec is not null and model_vec is not null), \
            sum(pimem.stability(cue, evidence, last_reinforced, tau, $3)) filter (where user_state = 'auto'), \
            count(*) filter (where user_state = 'auto'), sum(accesses)::int8 \
        from pimem.memories where org_id = $1 and project_id = any ($2) and place <> 'nowhere' group by 1, 2, 3";
    let statement = transaction.prepare_cached(count).await?;
    let (mut sum, mut scored) = (0.0, 0_i64);
    for row in transaction.query(&statement, &[&org, &projects, &date(now.0)]).await? {
        let number: i64 = row.get(3);
        if row.get(0) {
            stats.archived += number;
            continue;
        }
        stats.total += number;
        stats.with_embeddings += row.get::<_, i64>(4);
        *stats.by_category.entry(row.get(1)).or_default() += number;
        *stats.by_state.entry(row.get(2)).or_default() += number;
        sum += row.get::<_, Option<f64>>(5).unwrap_or_default();
        scored += row.get::<_, i64>(6);
        stats.access_count += row.get::<_, i64>(7);
    }
    let by_searches = "select coalesce(sum(a.count), 0)::int8 from pimem.accesses a \
        join pimem.memories m on m.org_id = a.org_id and m.project_id = a.project_id and m.entry = a.entry \
        where a.org_id = $1 and a.project_id = any ($2) and m.place = 'topics'";
    let statement = transaction.prepare_cached(by_searches).await?;
    stats.access_count +=
        transaction.query_one(&statement, &[&org, &projects]).await?.get::<_, i64>(0);
    if !policy.is_stability() {
        (sum, scored) = by(transaction, vault, projects, policy, now, &mut stats.by_state).await?;
    }
    stats.average_score = (scored > 0).then(|| sum / scored as f64);
    Ok(stats)
}

/// Scores all rows by another policy than stability, which only the program computes. Returns sum and
/// number of the scores.
async fn by(
    transaction: &Transaction<'_>,
    vault: &Vault,
    projects: &[Uuid],
    policy: Policy,
    now: Now,
    by_state: &mut BTreeMap<String, i64>,
) -> Result<(f64, i64), Error> {
    let org = vault.org();
    by_state.clear();
    let statement = format!(
        "select {COLUMNS} from pimem.memories m \
         {JOINED} \
         where m.org_id = $1 and m.project_id = any ($2) and m.place = 'topics' \
         and (m.project_id, m.entry) > ($3, $4) order by m.project_id, m.entry limit $5"
    );
    let statement = transaction.prepare_cached(&statement).await?;
    let (mut project, mut entry) = (Uuid::nil(), Vec::<u8>::new());
    let (mut sum, mut scored) = (0.0, 0);
    loop {
        let rows =
            transaction.query(&statement, &[&org, &projects, &project, &entry, &PAGE]).await?;
        for row in &rows {
            (project, entry) = (row.get("project_id"), row.get("entry"));
            let Some(memory) = MemoryRow::of(row, vault) else { continue };
            let standing = memory.standing_by(policy, now);
            *by_state.entry(policy.state(standing).name().to_owned()).or_default() += 1;
            if let Standing::Scored(score) = standing {
                sum += score.get();
                scored += 1;
            }
        }
        if rows.is_empty() {
            return Ok((sum, scored));
        }
    }
}
