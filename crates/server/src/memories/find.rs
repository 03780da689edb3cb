//! Single memories, and lists in pages.

use chrono::{DateTime, Utc};
use deadpool_postgres::Transaction;
use pimem_core::model::{
    entry::EntryId,
    time::{Now, Timestamp},
};
use tokio_postgres::Row;
use uuid::Uuid;

use super::row::{COLUMNS, JOINED, MemoryRow};
use crate::{
    db::error::Error,
    index::fold::{date, id_of},
    seal::vault::Vault,
};

/// Which memories are listed.
#[derive(Debug, Clone, Default)]
pub struct MemoryFilter {
    pub projects: Vec<Uuid>,
    pub category: Option<String>,
    pub tag: Option<String>,
    /// By stability.
    pub state: Option<String>,
    /// True for the archive too.
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
         and ($5::bool or m.place = 'topics') \
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
    let memories = rows.iter().filter_map(|row| MemoryRow::of(row, vault)).collect();
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
    Ok(rows.iter().filter_map(|row| MemoryRow::of(row, vault)).collect())
}
