//! Changes of single memories: events of one entry, and what has faded and goes to the archive when
//! asked.

use deadpool_postgres::{Client, Transaction};
use pimem_core::{
    markdown::topic,
    model::{
        event::{ArchiveReason, EventKind, Provenance},
        time::Now,
    },
    safety::secret,
    sync::wire::{self, PushBody},
};
use uuid::Uuid;

use super::{
    remember::{self, RefusedMemory},
    row::{COLUMNS, JOINED, MemoryRow},
};
use crate::{
    auth::caller::{Caller, Project},
    db::Error,
    index::fold::date,
    seal::vault::Vault,
};

/// Appends an event about a memory, and returns the memory as it is then; `None` if it was purged.
///
/// # Errors
/// [`RefusedMemory`].
pub async fn change(
    client: &mut Client,
    caller: &Caller,
    project: &Project,
    request: Uuid,
    memory: &MemoryRow,
    kind: EventKind,
    now: Now,
) -> Result<Option<MemoryRow>, RefusedMemory> {
    let who = Provenance { by: Provenance::USER.to_owned(), ..Provenance::default() };
    let event = remember::event(memory.id, kind, &who, now)?;
    let push =
        PushBody { project: project.slug.clone(), events: vec![event], ..PushBody::default() };
    let done = remember::send(client, caller, project, request, &push, &[memory.id], now).await?;
    Ok(done.into_iter().next())
}

/// Purges a memory: its line and all that was said of it, here and in every store that pulls.
///
/// # Errors
/// [`RefusedMemory`].
pub async fn purge(
    client: &mut Client,
    caller: &Caller,
    project: &Project,
    request: Uuid,
    memory: &MemoryRow,
    now: Now,
) -> Result<(), RefusedMemory> {
    let who = Provenance { by: Provenance::USER.to_owned(), ..Provenance::default() };
    let line = topic::canonical(&memory.category, &memory.text);
    let secret = secret::find(&memory.text).is_some();
    let kind = EventKind::Purge { hash: Some(wire::content_hash(&line).into()), secret };
    let events = vec![remember::event(memory.id, kind, &who, now)?];
    let push = PushBody { project: project.slug.clone(), events, ..PushBody::default() };
    remember::send(client, caller, project, request, &push, &[memory.id], now).await?;
    Ok(())
}

/// Archives memories for their age.
///
/// # Errors
/// [`RefusedMemory`].
pub async fn archive(
    client: &mut Client,
    caller: &Caller,
    project: &Project,
    request: Uuid,
    faded: &[MemoryRow],
    now: Now,
) -> Result<(), RefusedMemory> {
    let who = Provenance { by: "decay".to_owned(), ..Provenance::default() };
    let mut push = PushBody { project: project.slug.clone(), ..PushBody::default() };
    for memory in faded {
        push.events.push(remember::event(
            memory.id,
            EventKind::Archive(ArchiveReason::Age),
            &who,
            now,
        )?);
    }
    let ids: Vec<_> = faded.iter().map(|memory| memory.id).collect();
    remember::send(client, caller, project, request, &push, &ids, now).await?;
    Ok(())
}

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
