//! Folds events into rows of `memories`, by the fold of the program.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};
use deadpool_postgres::Transaction;
use futures_util::future::try_join_all;
use pimem_core::{
    model::{
        category::{Categories, Preset},
        entry::EntryId,
        event::{Event, Why},
        share::Share,
        time::{Now, Timestamp},
    },
    score::{
        access::{Access, Accesses},
        evidence::Evidence,
    },
    sync::{
        check,
        place::{Folded, Place},
    },
};
use uuid::Uuid;

use crate::db::error::Error;

/// Maximum number of entries that are folded for speaking of each other.
const FAMILY: usize = 5_000;

/// An entry as it was pushed.
struct Pushed {
    hash: Vec<u8>,
    line: String,
    author: Uuid,
}

/// Returns the categories that lines may have on a server: all that the program knows.
#[must_use]
pub fn categories() -> Categories {
    Categories::of(Preset::All, Vec::new())
}

/// Folds entries and those that they speak of. Lines that stand nowhere any more are marked so, and
/// removed by the worker.
///
/// # Errors
/// The database is away or too slow.
pub async fn fold(
    transaction: &Transaction<'_>,
    org: Uuid,
    project: Uuid,
    entries: &[Vec<u8>],
    now: Now,
) -> Result<(), Error> {
    let statement = transaction.prepare_cached(include_str!("../../sql/family.sql")).await?;
    let family = transaction.query(&statement, &[&org, &project, &entries]).await?;
    let family: Vec<Vec<u8>> = family.iter().take(FAMILY).map(|row| row.get(0)).collect();
    let (lines, all) = read(transaction, org, project, &family).await?;
    let categories = categories();
    let mut rows = Vec::new();
    let mut absent = Vec::new();
    for key in family {
        let Some(id) = id_of(&key) else { continue };
        let place = match all.place(id) {
            Place::Topic => Some("topics"),
            Place::Archive => Some("archive"),
            Place::Reworded | Place::Purged | Place::Unknown => None,
        };
        let folded = lines.get(&id).zip(all.ledger.evidence(now, id)).zip(place);
        let Some(((pushed, evidence), place)) = folded else {
            absent.push(key);
            continue;
        };
        let archived = all.ledger.archived_for(id).map(Why::name);
        let access = Accesses::default().known(id, &all.ledger);
        rows.push(Row::new(
            key,
            pushed,
            evidence,
            (place, archived, all.topic(id)),
            access,
            &categories,
        ));
    }
    if !absent.is_empty() {
        let gone = "update pimem.memories set place = 'nowhere', indexed_at = null \
            where org_id = $1 and project_id = $2 and entry = any ($3)";
        let statement = transaction.prepare_cached(gone).await?;
        transaction.execute(&statement, &[&org, &project, &absent]).await?;
    }
    let statement = transaction.prepare_cached(include_str!("../../sql/fold.sql")).await?;
    let written = rows.iter().map(|row| row.write(transaction, &statement, &org, &project));
    try_join_all(written).await?;
    Ok(())
}

/// Reads lines and events of a family.
async fn read(
    transaction: &Transaction<'_>,
    org: Uuid,
    project: Uuid,
    family: &[Vec<u8>],
) -> Result<(HashMap<EntryId, Pushed>, Folded), Error> {
    let lines = "select fnv, hash, line, author from pimem.entries \
        where org_id = $1 and project_id = $2 and fnv = any ($3) and line is not null order by hash desc";
    let statement = transaction.prepare_cached(lines).await?;
    let rows = transaction.query(&statement, &[&org, &project, &family]).await?;
    let lines = rows.iter().filter_map(|row| {
        let pushed = Pushed { hash: row.get(1), line: row.get(2), author: row.get(3) };
        Some((id_of(row.get(0))?, pushed))
    });
    let docs = "select doc from pimem.events \
        where org_id = $1 and project_id = $2 and entry = any ($3) and doc is not null";
    let statement = transaction.prepare_cached(docs).await?;
    let rows = transaction.query(&statement, &[&org, &project, &family]).await?;
    let mut folded = Folded::default();
    for event in rows.iter().filter_map(|row| Event::read_whole(row.get(0))) {
        folded.fold(&event);
    }
    Ok((lines.collect(), folded))
}

/// A row of `memories`.
struct Row {
    entry: Vec<u8>,
    hash: Vec<u8>,
    category: String,
    topic: String,
    place: &'static str,
    archived: Option<&'static str>,
    body: String,
    author: Uuid,
    tags: Vec<String>,
    count: i32,
    tau: f64,
    access: Access,
    evidence: Evidence,
}

impl Row {
    fn new(
        entry: Vec<u8>,
        pushed: &Pushed,
        evidence: Evidence,
        (place, archived, topic): (&'static str, Option<&'static str>, Option<&str>),
        access: Access,
        categories: &Categories,
    ) -> Self {
        let (category, text) = check::split(&pushed.line).unwrap_or(("", &pushed.line));
        let spec = categories.find(category).map(|id| categories.spec(id));
        let tau = spec.map_or(30.0, |spec| spec.tau_days);
        let topic = topic.or(spec.map(|spec| spec.topic.as_ref())).unwrap_or(category).to_owned();
        Self {
            entry,
            hash: pushed.hash.clone(),
            category: category.to_owned(),
            topic,
            place,
            archived: archived.filter(|_| place == "archive"),
            body: text.to_owned(),
            author: pushed.author,
            tags: tags(text),
            count: i32::try_from(evidence.count).unwrap_or(i32::MAX),
            tau,
            access,
            evidence,
        }
    }

    async fn write(
        &self,
        transaction: &Transaction<'_>,
        statement: &tokio_postgres::Statement,
        org: &Uuid,
        project: &Uuid,
    ) -> Result<u64, Error> {
        let Evidence { first_seen, last_reinforced, user, until, superseded_by, .. } =
            &self.evidence;
        let superseded = superseded_by.iter().next().map(|id| id.0.to_be_bytes().to_vec());
        let share = |share: Option<Share>| share.map(Share::get);
        Ok(transaction
            .execute(
                statement,
                &[
                    org,
                    project,
                    &self.entry,
                    &self.hash,
                    &self.category,
                    &self.topic,
                    &self.place,
                    &self.archived,
                    &self.body,
                    &None::<Vec<u8>>,
                    &None::<i32>,
                    &self.author,
                    &self.tags,
                    &self.count,
                    &i64::try_from(self.access.count).unwrap_or(i64::MAX),
                    &self.access.last.map(date),
                    &date(*first_seen),
                    &date(*last_reinforced),
                    &self.evidence.cue.weight(),
                    &self.tau,
                    &user.name(),
                    &share(self.evidence.priority),
                    &share(self.evidence.importance),
                    &until.map(date),
                    &superseded,
                ],
            )
            .await?)
    }
}

/// Returns the tags of a text, without their marks, each once.
#[must_use]
pub fn tags(text: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    let tags = text.split_whitespace().filter_map(|word| word.strip_prefix('#'));
    let tags = tags.map(|tag| tag.trim_end_matches(|c: char| !c.is_alphanumeric()));
    tags.filter(|tag| !tag.is_empty() && seen.insert(*tag)).map(str::to_owned).collect()
}

/// Returns a time as PostgreSQL takes it.
#[must_use]
pub fn date(time: Timestamp) -> DateTime<Utc> {
    DateTime::from_timestamp_millis(time.0).unwrap_or_default()
}

/// Returns the id of an entry from its eight bytes.
#[must_use]
pub fn id_of(bytes: &[u8]) -> Option<EntryId> {
    Some(EntryId(u64::from_be_bytes(*bytes.first_chunk()?)))
}
