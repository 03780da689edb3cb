//! Objects that a client sends. Each is checked by the rules that every receiver has, and kept as
//! it came.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use chrono::{DateTime, Utc};
use deadpool_postgres::{Client, Transaction};
use pimem_core::{
    model::{
        entry::{EntryId, EventId},
        event::{ArchiveReason, Author, Cue, Event, EventKind},
        time::{Now, Timestamp},
    },
    sync::{
        check::{Gate, Purges, Reason, Refused},
        sealed,
        wire::{self, PushBody, PushCounts, PushResult, SyncEntry},
    },
};
use serde::Deserialize;
use tokio_postgres::Row;
use uuid::Uuid;

use crate::{
    auth::{Caller, Project, Right},
    db::{self, Error, TenantRole},
    index,
    seal::{Vault, VaultColumn, VaultText},
    sync::pull,
};

/// What an event has beside what the fold reads.
#[derive(Debug, Default, Deserialize)]
struct Extra {
    #[serde(default)]
    op: String,
}

/// An event that passed the rules.
struct Sent<'a> {
    doc: &'a str,
    /// Of a sealed one, what stands in for it.
    event: Event,
    op: String,
    /// Identity of the document. A sealed one has another spelling each time.
    digest: Vec<u8>,
}

/// What passed the rules that need no database, and what did not.
struct Checked<'a> {
    entries: Vec<(&'a SyncEntry, EntryId)>,
    events: Vec<Sent<'a>>,
    /// Entries that the push speaks of.
    mentioned: BTreeSet<EntryId>,
    refused: Vec<Refused>,
}

/// Keeps what is new of a push and tells what was refused. Sending it again changes nothing.
///
/// # Errors
/// The database is away or too slow; then nothing is kept, or all of it.
pub async fn push(
    client: &mut Client,
    caller: &Caller,
    project: &Project,
    request: Uuid,
    push: &PushBody,
    now: Now,
) -> Result<PushResult, Error> {
    let vault = caller.any_vault()?;
    let checked = check(caller, push, now);
    let mut refused = checked.refused;
    let transaction = db::begin(client, TenantRole::App, &caller.within(project)).await?;
    lock(
        &transaction,
        project,
        checked.events.iter().any(|sent| matches!(sent.event.kind, EventKind::Purge { .. })),
    )
    .await?;
    let mut purges = purges(&transaction, caller, project, &checked.mentioned).await?;
    let concerned = checked.events.iter().filter_map(needs).flat_map(|(_, entries)| entries);
    let authors = authors(&transaction, caller, project, &concerned.copied().collect()).await?;
    let (allowed, not): (Vec<_>, Vec<_>) =
        checked.events.iter().partition(|sent| may(caller, project, &authors, sent));
    refused.extend(not.into_iter().map(|sent| not_allowed(&sent.event)));

    // What this push purges or brings back counts for its own objects too.
    for sent in &allowed {
        purges.note(&sent.event);
    }
    let (mut accepted, mut entries, mut events) = ((0, 0), BTreeMap::new(), BTreeMap::new());
    for (entry, id) in checked.entries {
        if purges.is_gone(id) {
            refused.push(purged("entry", entry.hash.clone()));
        } else {
            accepted.0 += 1;
            entries.insert(entry.hash.as_str(), (entry, id));
        }
    }
    for sent in allowed {
        if purges.covers(&sent.event) {
            refused.push(purged("event", sent.event.id.to_string()));
        } else {
            accepted.1 += 1;
            let digest = vault.hash(&sent.digest);
            events.insert((sent.event.id.0.to_be_bytes().to_vec(), digest), sent);
        }
    }

    let (new_entries, fresh) = insert_entries(&transaction, caller, project, &entries).await?;
    let new_events = insert_events(&transaction, caller, project, &events).await?;
    let mut touched: BTreeSet<Vec<u8>> = fresh.into_iter().collect();
    let (mut links, mut purged_by) = (Vec::new(), Vec::new());
    for ((id, digest), sent) in &events {
        if !new_events.contains(&(id.clone(), digest.clone())) {
            continue;
        }
        touched.extend(entries_of(&sent.event).map(|id| vault.id(id)));
        let others = entries_of(&sent.event).skip(1).map(|id| vault.id(id));
        links.extend(others.map(|other| (vault.id(sent.event.entry), other)));
        if matches!(sent.event.kind, EventKind::Purge { .. }) {
            purged_by.push(&sent.event);
        }
    }
    let touched: Vec<Vec<u8>> = touched.into_iter().collect();
    if !caller.is_opaque() {
        index::linked(&transaction, caller.org, project.id, &links).await?;
        index::touched(&transaction, caller.org, project.id, &touched).await?;
    }
    for event in purged_by {
        purge(&transaction, caller, project, event).await?;
    }
    let new_events = new_events.len() as u64;
    if new_entries + new_events > 0 {
        let told = format!("{new_entries} entries, {new_events} events");
        // No name that somebody gave is noted of an organisation with something to hide.
        let told = if vault.is_sealed() || caller.is_opaque() {
            format!("{}: {told}", project.id)
        } else {
            format!("{}: {told}", project.slug)
        };
        db::audit(&transaction, caller, request, "push", &told).await?;
    }
    transaction.commit().await?;
    let counts = |new, accepted: u64| PushCounts { new, known: accepted.saturating_sub(new) };
    Ok(PushResult {
        entries: counts(new_entries, accepted.0),
        events: counts(new_events, accepted.1),
        refused,
    })
}

/// Applies the rules that need no database.
fn check<'a>(caller: &Caller, push: &'a PushBody, now: Now) -> Checked<'a> {
    let purges = Purges::default();
    let gate = Gate { now, categories: None, purges: &purges };
    let (mut entries, mut events) = (Vec::new(), Vec::new());
    let (mut mentioned, mut refused) = (BTreeSet::new(), Vec::new());
    for entry in &push.entries {
        match entry_of(caller, gate, entry) {
            Ok(id) => {
                mentioned.insert(id);
                entries.push((entry, id));
            }
            Err(why) => refused.push(why),
        }
    }
    for doc in push.events.iter().map(|raw| raw.get()) {
        match sent(caller, gate, doc) {
            Ok(sent) => {
                mentioned.extend(entries_of(&sent.event));
                events.push(sent);
            }
            Err(why) => refused.push(why),
        }
    }
    Checked { entries, events, mentioned, refused }
}

/// Checks an entry, and returns its id. Of a sealed one that is an HMAC.
fn entry_of(caller: &Caller, gate: Gate<'_>, entry: &SyncEntry) -> Result<EntryId, Refused> {
    if caller.is_opaque() {
        return sealed::check_entry(&gate, entry);
    }
    let line = gate.entry(entry)?;
    line.map(|line| line.id).ok_or_else(|| {
        let detail = "this organisation takes plain lines only".to_owned();
        let (kind, id) = ("entry".to_owned(), entry.hash.clone());
        Refused { kind, id, reason: Reason::BadLine, detail }
    })
}

fn sent<'a>(caller: &Caller, gate: Gate<'_>, doc: &'a str) -> Result<Sent<'a>, Refused> {
    if caller.is_opaque() {
        let (sealed, event) = sealed::check_event(&gate, doc)?;
        let digest = pull::unhex(&sealed.hash).unwrap_or_default();
        return Ok(Sent { doc, event, op: sealed.op, digest });
    }
    let event = gate.event(doc)?;
    let op = operation(&event, doc);
    Ok(Sent { doc, event, op, digest: wire::digest(doc).to_vec() })
}

fn purged(kind: &str, id: String) -> Refused {
    let detail = "the entry was purged since".to_owned();
    Refused { kind: kind.to_owned(), id, reason: Reason::Purged, detail }
}

/// Returns the name of an event's operation, also of one that this version does not know.
fn operation(event: &Event, doc: &str) -> String {
    if event.kind != EventKind::Unknown {
        return event.kind.op().to_owned();
    }
    let Extra { op } = serde_json::from_str(doc).unwrap_or_default();
    let is_name = op.len() <= 32 && op.bytes().all(|byte| byte.is_ascii_lowercase());
    if is_name { op } else { event.kind.op().to_owned() }
}

/// Returns the entries whose standing an event may change.
fn entries_of(event: &Event) -> impl Iterator<Item = EntryId> {
    std::iter::once(event.entry).chain(event.kind.others().iter().copied())
}

/// Lets pushes of a project run beside each other, but for one that purges: what it removes must not
/// arrive meanwhile. Everybody locks in one order: the project, rows of the queue, and those of
/// memories by their ids.
///
/// # Errors
/// The database is away, or somebody holds the lock for too long.
pub async fn lock(
    transaction: &Transaction<'_>,
    project: &Project,
    is_purge: bool,
) -> Result<(), Error> {
    let query = if is_purge {
        "select pg_advisory_xact_lock($1)"
    } else {
        "select pg_advisory_xact_lock_shared($1)"
    };
    let statement = transaction.prepare_cached(query).await?;
    let (key, worker) = project.id.as_u64_pair();
    transaction.execute(&statement, &[&key.cast_signed()]).await?;
    if is_purge {
        // The worker's: both count words, and would wait for each other's in a circle.
        transaction.execute(&statement, &[&worker.cast_signed()]).await?;
    }
    Ok(())
}

/// Returns what is known of purges of these entries. There are few, so that the events by which
/// somebody brought an entry back are looked for only where it was purged.
async fn purges(
    transaction: &Transaction<'_>,
    caller: &Caller,
    project: &Project,
    entries: &BTreeSet<EntryId>,
) -> Result<Purges, Error> {
    let mut purges = Purges::default();
    let (ids, known) = rows_of(caller.any_vault()?, entries);
    let statement = transaction.prepare_cached(include_str!("../../sql/purges.sql")).await?;
    let rows = transaction.query(&statement, &[&caller.org, &project.id, &ids]).await?;
    let mut purged = Vec::new();
    for row in &rows {
        let Some(event) = placed(row, &known, EventKind::PURGE) else { continue };
        purges.note(&event);
        purged.push(row.get::<_, Vec<u8>>("entry"));
    }
    if !purged.is_empty() {
        let statement = transaction.prepare_cached(include_str!("../../sql/typed.sql")).await?;
        let rows = transaction.query(&statement, &[&caller.org, &project.id, &purged]).await?;
        let add = || EventKind::Add(Cue::Explicit, None);
        for event in rows.iter().filter_map(|row| placed(row, &known, add())) {
            purges.note(&event);
        }
    }
    Ok(purges)
}

/// Entries by their ids in rows.
type Known = HashMap<Vec<u8>, EntryId>;

/// Returns the ids of entries as rows have them, and the way back.
fn rows_of(vault: &Vault, entries: &BTreeSet<EntryId>) -> (Vec<Vec<u8>>, Known) {
    let ids: Vec<Vec<u8>> = entries.iter().map(|id| vault.id(*id)).collect();
    let known = ids.iter().cloned().zip(entries.iter().copied()).collect();
    (ids, known)
}

/// Returns an event of this kind by a person, at the position of a row.
fn placed(row: &Row, known: &Known, kind: EventKind) -> Option<Event> {
    let (entry, id): (Vec<u8>, Vec<u8>) = (row.get("entry"), row.get("id"));
    Some(Event {
        id: EventId(u128::from_be_bytes(*id.first_chunk()?)),
        ts: Timestamp(row.get::<_, DateTime<Utc>>("ts").timestamp_millis()),
        entry: *known.get(&entry)?,
        by: Author::Person,
        kind,
    })
}

/// Returns who pushed each of these entries first.
async fn authors(
    transaction: &Transaction<'_>,
    caller: &Caller,
    project: &Project,
    entries: &BTreeSet<EntryId>,
) -> Result<HashMap<EntryId, Uuid>, Error> {
    if entries.is_empty() {
        return Ok(HashMap::new());
    }
    let statement = transaction.prepare_cached(include_str!("../../sql/authors.sql")).await?;
    let (ids, known) = rows_of(caller.any_vault()?, entries);
    let rows = transaction.query(&statement, &[&caller.org, &project.id, &ids]).await?;
    let found = rows.iter().filter_map(|row| {
        let entry: Vec<u8> = row.get(0);
        Some((*known.get(&entry)?, row.get(1)))
    });
    Ok(found.collect())
}

/// Returns what an event needs where somebody else brought one of its entries, and those entries.
/// Whoever writes may add, confirm and doubt; what takes an entry out of sight is for curators, and
/// what removes it for administrators. That an entry has faded is nobody's opinion.
fn needs<'a>(sent: &'a Sent<'_>) -> Option<(Right, &'a [EntryId])> {
    let own = std::slice::from_ref(&sent.event.entry);
    match &sent.event.kind {
        EventKind::Purge { .. } => Some((Right::Admin, own)),
        EventKind::Archive(why) if *why != ArchiveReason::Age => Some((Right::Curate, own)),
        EventKind::Forget
        | EventKind::Supersede(_)
        | EventKind::Expire(_)
        | EventKind::Retract(_) => Some((Right::Curate, own)),
        EventKind::Merge(from) => Some((Right::Curate, from)),
        EventKind::Archive(_)
        | EventKind::Add(..)
        | EventKind::Edit(..)
        | EventKind::Reinforce(_)
        | EventKind::Harmful(_)
        | EventKind::Pin
        | EventKind::Unpin
        | EventKind::Restore
        | EventKind::Priority(_)
        | EventKind::Importance(_)
        | EventKind::Move(_)
        | EventKind::Ask(_)
        | EventKind::Rule(_)
        | EventKind::Access { .. }
        | EventKind::Held
        | EventKind::Unknown => None,
    }
}

/// Returns true if the caller may say this of these entries.
fn may(
    caller: &Caller,
    project: &Project,
    authors: &HashMap<EntryId, Uuid>,
    sent: &Sent<'_>,
) -> bool {
    let is_others =
        |entry: &EntryId| authors.get(entry).is_some_and(|author| *author != caller.user);
    needs(sent)
        .is_none_or(|(right, entries)| caller.may(project, right) || !entries.iter().any(is_others))
}

fn not_allowed(event: &Event) -> Refused {
    Refused {
        kind: "event".to_owned(),
        id: event.id.to_string(),
        reason: Reason::NotAllowed,
        detail: "somebody else brought the entry, and this key may not do that to it".to_owned(),
    }
}

type Entries<'a> = BTreeMap<&'a str, (&'a SyncEntry, EntryId)>;

/// Inserts entries in the order of their hashes, so that two pushes never wait for each other in a
/// circle. Returns how many are new, and their ids.
async fn insert_entries(
    transaction: &Transaction<'_>,
    caller: &Caller,
    project: &Project,
    entries: &Entries<'_>,
) -> Result<(u64, Vec<Vec<u8>>), Error> {
    if entries.is_empty() {
        return Ok((0, Vec::new()));
    }
    let statement = transaction.prepare_cached(include_str!("../../sql/push_entries.sql")).await?;
    let vault = caller.any_vault()?;
    let (mut hashes, mut ids) = (Vec::new(), Vec::new());
    let (mut lines, mut sealed, mut keys) = (Vec::new(), Vec::new(), Vec::new());
    for (entry, id) in entries.values() {
        let hash = vault.hash(&pull::unhex(&entry.hash).unwrap_or_default());
        let id = vault.id(*id);
        let kept = match &entry.line {
            Some(line) => vault
                .seal(VaultColumn::Entry { project: project.id, hash: &hash, entry: &id }, line)?,
            // Sealed by the client.
            None => VaultText {
                sealed: entry.sealed.clone().map(String::into_bytes),
                ..VaultText::default()
            },
        };
        hashes.push(hash);
        ids.push(id);
        lines.push(kept.text);
        sealed.push(kept.sealed);
        keys.push(kept.key);
    }
    let rows = transaction
        .query(
            &statement,
            &[&caller.org, &project.id, &caller.user, &hashes, &ids, &lines, &sealed, &keys],
        )
        .await?;
    Ok((rows.len() as u64, rows.iter().filter_map(|row| row.get(0)).collect()))
}

/// By id and digest, as rows have them.
type Events<'a> = BTreeMap<(Vec<u8>, Vec<u8>), &'a Sent<'a>>;

/// Inserts events in the order of their ids. Returns id and digest of the new ones.
async fn insert_events(
    transaction: &Transaction<'_>,
    caller: &Caller,
    project: &Project,
    events: &Events<'_>,
) -> Result<HashSet<(Vec<u8>, Vec<u8>)>, Error> {
    if events.is_empty() {
        return Ok(HashSet::new());
    }
    let statement = transaction.prepare_cached(include_str!("../../sql/push_events.sql")).await?;
    let (ids, digests): (Vec<&[u8]>, Vec<&[u8]>) =
        events.keys().map(|(id, digest)| (id.as_slice(), digest.as_slice())).unzip();
    let vault = caller.any_vault()?;
    let entries: Vec<Vec<u8>> = events.values().map(|sent| vault.id(sent.event.entry)).collect();
    let ops: Vec<&str> = events.values().map(|sent| sent.op.as_str()).collect();
    let times: Vec<DateTime<Utc>> = events
        .values()
        .map(|sent| DateTime::from_timestamp_millis(sent.event.ts.0).unwrap_or_default())
        .collect();
    let typed: Vec<bool> = events.values().map(|sent| sent.event.is_typed()).collect();
    let (mut docs, mut sealed, mut keys) = (Vec::new(), Vec::new(), Vec::new());
    for (((id, digest), sent), entry) in events.iter().zip(&entries) {
        let place = VaultColumn::Event { project: project.id, id, digest, entry };
        let kept = vault.seal(place, sent.doc)?;
        docs.push(kept.text);
        sealed.push(kept.sealed);
        keys.push(kept.key);
    }
    let rows = transaction
        .query(
            &statement,
            &[
                &caller.org,
                &project.id,
                &caller.user,
                &ids,
                &digests,
                &entries,
                &ops,
                &times,
                &typed,
                &docs,
                &sealed,
                &keys,
            ],
        )
        .await?;
    Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
}

/// Removes an entry with what was said of it before, unless somebody typed it again since.
async fn purge(
    transaction: &Transaction<'_>,
    caller: &Caller,
    project: &Project,
    event: &Event,
) -> Result<(), Error> {
    let statement = transaction.prepare_cached(include_str!("../../sql/purge.sql")).await?;
    let (ts, id) = event.order();
    let ts = DateTime::from_timestamp_millis(ts.0).unwrap_or_default();
    let id = id.0.to_be_bytes();
    let entry = caller.any_vault()?.id(event.entry);
    transaction
        .execute(&statement, &[&caller.org, &project.id, &entry, &ts, &id.as_slice()])
        .await?;
    Ok(())
}
