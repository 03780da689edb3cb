//! Changes of single memories: events of one entry.

use deadpool_postgres::Client;
use pimem_core::{
    markdown::topic,
    model::{
        event::{ArchiveReason, EventKind, Provenance},
        time::Now,
    },
    safety::secret,
    sync::{object, wire::PushBody},
};
use uuid::Uuid;

use super::{
    remember::{self, RefusedMemory},
    row::MemoryRow,
};
use crate::auth::caller::{Caller, Project};

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
    let kind = EventKind::Purge { hash: Some(object::content_hash(&line).into()), secret };
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
