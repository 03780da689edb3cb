//! Folds events into rows of `memories`, by the fold of the program.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use chrono::{DateTime, Utc};
use deadpool_postgres::Transaction;
use futures_util::future::try_join_all;
use pimem_core::{
    model::{
        category::{Categories, Preset},
        entry::{EntryId, Share},
        event::{ArchiveReason, Event},
        operation::UserState,
        rules::LineAsides,
        time::{Now, Timestamp},
    },
    score::{
        access::{Access, Accesses},
        evidence::Evidence,
    },
    sync::{
        check,
        place::{FoldedEvents, Place},
    },
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    db::Error,
    seal::{Vault, VaultColumn as RowOf, VaultText},
};

/// Maximum number of entries that are folded for speaking of each other.
const FAMILY: usize = 5_000;

/// An entry as it was pushed, with the hash that its row has.
struct Pushed {
    hash: Vec<u8>,
    line: String,
    author: Uuid,
}

/// What a sealed row of `memories` has in place of the columns that could be read.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Inner {
    pub id: u64,
    pub text: String,
    pub topic: String,
    pub superseded_by: Option<u64>,
    #[serde(default)]
    pub counts_in: Vec<String>,
}

/// Returns the categories that lines may have on a server: all that the program knows.
#[must_use]
pub fn categories() -> Categories {
    Categories::of(Preset::All, Vec::new())
}

/// Folds entries, by the ids that rows have, and those that they speak of, and returns the ids of all.
/// Lines that stand nowhere any more are marked so, and removed by the worker. Rows are written in the
/// order of their ids, so that two folds never wait for each other in a circle.
///
/// # Errors
/// The database is away or too slow.
pub async fn fold(
    transaction: &Transaction<'_>,
    vault: &Vault,
    project: Uuid,
    entries: &[Vec<u8>],
    now: Now,
) -> Result<Vec<Vec<u8>>, Error> {
    let org = vault.org();
    let statement = transaction.prepare_cached(include_str!("../../sql/family.sql")).await?;
    let family = transaction.query(&statement, &[&org, &project, &entries]).await?;
    let mut family: Vec<Vec<u8>> = family.iter().take(FAMILY).map(|row| row.get(0)).collect();
    family.sort_unstable();
    let Read { lines, ids, all } = read(transaction, vault, project, &family).await?;
    let categories = categories();
    let row = |key: &Vec<u8>| {
        // Of an entry without a line or an event nothing is known.
        let id = *ids.get(key)?;
        let place = match all.place(id) {
            Place::Topic => "topics",
            Place::Archive => "archive",
            Place::Reworded | Place::Purged | Place::Unknown => return None,
        };
        let (pushed, mut evidence) = lines.get(&id).zip(all.ledger.evidence(now, id))?;
        evidence.superseded_by.retain(|by| *by != id && replaces(&all, *by, id, now));
        let archived = all.ledger.archived_for(id).map(ArchiveReason::name);
        let access = Accesses::default().known(id, &all.ledger);
        let place = (place, archived, all.topic(id));
        let asides = all.asides(id, LineAsides::default());
        let counts_in = asides.rules.told_places().map(str::to_owned).collect();
        let known = (evidence, access, counts_in);
        Some(Row::new((id, key.clone()), pushed, place, known, &categories))
    };
    let rows: Vec<Option<Row>> = family.iter().map(row).collect();
    let gone = "update pimem.memories set place = 'nowhere', indexed_at = null \
        where org_id = $1 and project_id = $2 and entry = $3";
    let gone = &transaction.prepare_cached(gone).await?;
    let fold = &transaction.prepare_cached(include_str!("../../sql/fold.sql")).await?;
    let written = family.iter().zip(&rows).map(|(key, row)| async move {
        match row {
            Some(row) => row.write(transaction, fold, vault, &project).await,
            None => Ok(transaction.execute(gone, &[&org, &project, key]).await?),
        }
    });
    try_join_all(written).await?;
    Ok(family)
}

/// Returns what is known of entries by the events that are about them alone.
///
/// # Errors
/// The database is away or too slow.
pub async fn evidence(
    transaction: &Transaction<'_>,
    vault: &Vault,
    project: Uuid,
    ids: &[EntryId],
    now: Now,
) -> Result<HashMap<EntryId, Evidence>, Error> {
    let keys: Vec<Vec<u8>> = ids.iter().map(|id| vault.id(*id)).collect();
    let Read { all, .. } = read(transaction, vault, project, &keys).await?;
    Ok(ids.iter().filter_map(|id| Some((*id, all.ledger.evidence(now, *id)?))).collect())
}

/// Returns true if an entry that was said to replace another does now.
fn replaces(all: &FoldedEvents, by: EntryId, old: EntryId, now: Now) -> bool {
    let is_dropped = || {
        let evidence = all.ledger.evidence(now, by);
        evidence.is_none_or(|evidence| evidence.user == UserState::Forgotten)
    };
    all.place(by) == Place::Topic && !is_dropped() || all.ledger.replaces_from_away(by, old)
}

/// A family, read.
#[derive(Default)]
struct Read {
    lines: HashMap<EntryId, Pushed>,
    /// Entries by the ids that rows have.
    ids: HashMap<Vec<u8>, EntryId>,
    all: FoldedEvents,
}

/// Reads lines and events of a family.
async fn read(
    transaction: &Transaction<'_>,
    vault: &Vault,
    project: Uuid,
    family: &[Vec<u8>],
) -> Result<Read, Error> {
    let org = vault.org();
    let lines = "select fnv, hash, author, line, sealed, key_id from pimem.entries \
        where org_id = $1 and project_id = $2 and fnv = any ($3) and (line is not null or key_id is not null) \
        order by hash desc";
    let statement = transaction.prepare_cached(lines).await?;
    let mut read = Read::default();
    for row in transaction.query(&statement, &[&org, &project, &family]).await? {
        let (entry, hash): (Vec<u8>, Vec<u8>) = (row.get(0), row.get(1));
        let kept = VaultText::at(&row, 3);
        let line = vault.open(RowOf::Entry { project, hash: &hash, entry: &entry }, kept)?;
        let Some(line) = line else { continue };
        let id = if vault.is_sealed() {
            check::split(&line).map(|(category, text)| EntryId::of(category, text.as_bytes()))
        } else {
            id_of(&entry)
        };
        let Some(id) = id else { continue };
        read.ids.insert(entry, id);
        read.lines.insert(id, Pushed { hash, line, author: row.get(2) });
    }
    let docs = "select entry, id, digest, doc, sealed, key_id from pimem.events \
        where org_id = $1 and project_id = $2 and entry = any ($3) and (doc is not null or key_id is not null)";
    let statement = transaction.prepare_cached(docs).await?;
    for row in transaction.query(&statement, &[&org, &project, &family]).await? {
        let (entry, id, digest): (Vec<u8>, Vec<u8>, Vec<u8>) = (row.get(0), row.get(1), row.get(2));
        let kept = VaultText::at(&row, 3);
        let place = RowOf::Event { project, id: &id, digest: &digest, entry: &entry };
        let event = vault.open(place, kept)?.and_then(|doc| Event::read_whole(&doc));
        let Some(event) = event else { continue };
        read.all.fold(&event);
        read.ids.entry(entry).or_insert(event.entry);
    }
    Ok(read)
}

/// A row of `memories`.
struct Row {
    id: EntryId,
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
    counts_in: Vec<String>,
}

impl Row {
    fn new(
        (id, entry): (EntryId, Vec<u8>),
        pushed: &Pushed,
        (place, archived, topic): (&'static str, Option<&'static str>, Option<&str>),
        (evidence, access, counts_in): (Evidence, Access, Vec<String>),
        categories: &Categories,
    ) -> Self {
        let (category, text) = check::split(&pushed.line).unwrap_or(("", &pushed.line));
        let spec = categories.find(category).map(|id| categories.spec(id));
        let tau = spec.map_or(30.0, |spec| spec.tau_days);
        let topic = topic.or(spec.map(|spec| spec.topic.as_ref())).unwrap_or(category).to_owned();
        Self {
            id,
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
            counts_in,
        }
    }

    async fn write(
        &self,
        transaction: &Transaction<'_>,
        statement: &tokio_postgres::Statement,
        vault: &Vault,
        project: &Uuid,
    ) -> Result<u64, Error> {
        let Evidence { first_seen, last_reinforced, user, until, superseded_by, .. } =
            &self.evidence;
        let superseded = superseded_by.iter().next();
        let kept = if vault.is_sealed() {
            let place = RowOf::Memory { project: *project, entry: &self.entry };
            let inner = Inner {
                id: self.id.0,
                text: self.body.clone(),
                topic: self.topic.clone(),
                superseded_by: superseded.map(|id| id.0),
                counts_in: self.counts_in.clone(),
            };
            let inner = serde_json::to_string(&inner);
            vault.seal(place, &inner.map_err(|error| Error::Wrong(error.to_string()))?)?
        } else {
            VaultText { text: Some(self.body.clone()), ..VaultText::default() }
        };
        let counts_in: &[String] = if vault.is_sealed() { &[] } else { &self.counts_in };
        let superseded = superseded.filter(|_| !vault.is_sealed());
        let superseded = superseded.map(|id| id.0.to_be_bytes().to_vec());
        let tags: Vec<Cow<'_, str>> = self.tags.iter().map(|tag| vault.tag(tag)).collect();
        let share = |share: Option<Share>| share.map(Share::get);
        Ok(transaction
            .execute(
                statement,
                &[
                    &vault.org(),
                    project,
                    &self.entry,
                    &self.hash,
                    &self.category,
                    &vault.topic(&self.topic),
                    &self.place,
                    &self.archived,
                    &kept.text,
                    &kept.sealed,
                    &kept.key,
                    &self.author,
                    &tags,
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
                    &counts_in,
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
