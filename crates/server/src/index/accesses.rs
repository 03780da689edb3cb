//! Accesses by searches, which are counted in memory and written together, so that no search waits for
//! it. Those of a server that is killed meanwhile are lost.

use std::{
    collections::BTreeMap,
    mem,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use deadpool_postgres::Pool;
use pimem_core::model::time::Now;
use serde_json::json;
use uuid::Uuid;

use super::fold::date;
use crate::{
    clock,
    db::{
        error::Error,
        pool,
        tenant::{self, TenantRole, TenantScope},
    },
    log,
};

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
            let mut client = pool::take(pool).await?;
            let mut seen = projects.clone();
            seen.dedup();
            let scope = TenantScope { org, user: Uuid::nil(), projects: seen };
            let transaction = tenant::begin(&mut client, TenantRole::App, &scope).await?;
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
