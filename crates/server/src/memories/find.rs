//! Single memories, lists in pages, and counts.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use deadpool_postgres::Transaction;
use pimem_core::{
    model::{
        entry::EntryId,
        time::{Now, Timestamp},
    },
    score::{policy::Policy, stability::Standing},
};
use serde::Serialize;
use tokio_postgres::Row;
use utoipa::ToSchema;
use uuid::Uuid;

use super::row::{COLUMNS, JOINED, MemoryRow};
use crate::{
    db::Error,
    index::fold::{date, id_of},
    seal::Vault,
};

/// Which memories are listed.
#[derive(Debug, Clone, Default)]
pub struct MemoryFilter {
    pub projects: Vec<Uuid>,
    pub category: Option<String>,
    pub tag: Option<String>,
    /// By stability.
    pub state: Option<String>,
    /// True for the archive too, and for what is out of force.
    pub archived: bool,
}

/// A place in a list, which is ordered by the last reinforcement, the latest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    last: i64,
    project: Uuid,
    /// As the row has it.
    entry: u64,
}

impl Cursor {
    /// Reads what [`Self::write`] wrote; `None` for anything else.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let (last, project, entry) = (parts.next()?, parts.next()?, parts.next()?);
        let cursor = Self {
            last: last.parse().ok()?,
            project: project.parse().ok()?,
            entry: u64::from_str_radix(entry, 16).ok()?,
        };
        (cursor.write() == text).then_some(cursor)
    }

    /// Returns it for an address.
    #[must_use]
    pub fn write(self) -> String {
        format!("{}.{}.{:016x}", self.last, self.project, self.entry)
    }

    fn after(row: &Row) -> Option<Self> {
        let last = row.get::<_, DateTime<Utc>>("last_reinforced").timestamp_millis();
        let entry = id_of(&row.get::<_, Vec<u8>>("entry"))?;
        Some(Self { last, project: row.get("project_id"), entry: entry.0 })
    }
}

/// Lists a page of up to `limit`, and where the next one begins.
///
/// # Errors
/// The database is away.
pub async fn list(
    transaction: &Transaction<'_>,
    vault: &Vault,
    filter: &MemoryFilter,
    cursor: Option<Cursor>,
    limit: usize,
    now: Now,
) -> Result<(Vec<MemoryRow>, Option<Cursor>), Error> {
    let statement = format!(
        "select {COLUMNS} from pimem.memories m \
         {JOINED} \
         where m.org_id = $1 and m.project_id = any ($2) and m.place <> 'nowhere' \
         and ($3::text is null or m.category = $3) and ($4::text is null or $4 = any (m.tags)) \
         and ($5::bool or m.place = 'topics' and (m.user_state = 'pinned' or m.user_state <> 'forgotten' \
             and m.superseded_by is null and (m.valid_until is null or m.valid_until >= $7))) \
         and ($6::text is null or $6 = pimem.state(m.user_state, \
             pimem.stability(m.cue, m.evidence, m.last_reinforced, m.tau, $7::timestamptz))) \
         and ($8::timestamptz is null or (m.last_reinforced, m.project_id, m.entry) < ($8, $9::uuid, $10::bytea)) \
         order by m.last_reinforced desc, m.project_id desc, m.entry desc limit $11"
    );
    let statement = transaction.prepare_cached(&statement).await?;
    let from = cursor.map(|cursor| date(Timestamp(cursor.last)));
    let project = cursor.map(|cursor| cursor.project);
    let entry = cursor.map(|cursor| cursor.entry.to_be_bytes().to_vec());
    let most = i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1);
    let MemoryFilter { projects, category, tag, state, archived } = filter;
    let tag = tag.as_deref().map(|tag| vault.tag(tag));
    let rows = transaction
        .query(
            &statement,
            &[
                &vault.org(),
                projects,
                category,
                &tag,
                archived,
                state,
                &date(now.0),
                &from,
                &project,
                &entry,
                &most,
            ],
        )
        .await?;
    let is_last = rows.len() <= limit;
    let rows = rows.get(..limit).unwrap_or(&rows);
    let memories = rows.iter().filter_map(|row| MemoryRow::of(row, vault).transpose());
    let mut memories = memories.collect::<Result<Vec<_>, _>>()?;
    // What replaces a sealed one, its row alone does not say.
    memories.retain(|memory| *archived || memory.verdict(now).is_given());
    let next = rows.last().filter(|_| !is_last).and_then(Cursor::after);
    Ok((memories, next))
}

/// Returns the memories whose id begins with some hexadecimal digits, at most two. Of a sealed
/// organisation, all 16 are needed.
///
/// # Errors
/// The database is away.
pub async fn by_id(
    transaction: &Transaction<'_>,
    vault: &Vault,
    projects: &[Uuid],
    prefix: &str,
) -> Result<Vec<MemoryRow>, Error> {
    if vault.is_sealed() && prefix.len() < 16 {
        return Ok(Vec::new());
    }
    let bound = |fill: char| {
        let full: String = prefix.chars().chain(std::iter::repeat(fill)).take(16).collect();
        u64::from_str_radix(&full, 16).map(|id| vault.id(EntryId(id))).unwrap_or_default()
    };
    let statement = format!(
        "select {COLUMNS} from pimem.memories m \
         {JOINED} \
         where m.org_id = $1 and m.project_id = any ($2) and m.place <> 'nowhere' \
         and m.entry between $3::bytea and $4::bytea order by m.entry, m.project_id limit 2"
    );
    let statement = transaction.prepare_cached(&statement).await?;
    let (low, high) = (bound('0'), bound('f'));
    let rows = transaction.query(&statement, &[&vault.org(), &projects, &low, &high]).await?;
    rows.iter().filter_map(|row| MemoryRow::of(row, vault).transpose()).collect()
}

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
            let Some(memory) = MemoryRow::of(row, vault)? else { continue };
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
