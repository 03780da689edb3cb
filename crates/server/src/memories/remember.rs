//! Remembering and changing: what a client states becomes lines and events, and goes the way of every
//! push; and what has faded goes to the archive when asked.

use std::collections::HashMap;

use deadpool_postgres::{Client, Transaction};
use pimem_core::{
    gate::Verdict,
    markdown::topic,
    model::{
        category::Categories,
        entry::{EntryId, EventId, Share},
        event::{ArchiveReason, Cue, Event, EventKind, Provenance},
        time::{Now, Timestamp},
    },
    safety::{
        secret,
        text::{EntryText, TextError},
    },
    score::adopt::{self, AdoptedLine},
    sync::{
        check::{Gate, Purges},
        wire::{self, PushBody, SyncEntry},
    },
};
use serde::Deserialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    find,
    row::{COLUMNS, JOINED, MemoryRow},
};
use crate::{
    auth::{Caller, Project},
    db::{self, Error, TenantRole},
    index::{
        self,
        fold::{self, date},
    },
    seal::Vault,
    sync::push,
};

/// Something to remember.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = New)]
pub struct NewMemory {
    /// One of the program's categories.
    #[schema(example = "fact")]
    pub category: String,
    /// One line.
    #[schema(max_length = 16000, example = "The site is on port 8080")]
    pub text: String,
    #[serde(default)]
    #[schema(required = false)]
    pub tags: Vec<String>,
    /// `explicit` if left out.
    pub cue: Option<String>,
    /// 0 to 1.
    #[schema(minimum = 0, maximum = 1)]
    pub importance: Option<f64>,
    /// 0 to 1; replaces the score under the policy `weighted`.
    #[schema(minimum = 0, maximum = 1)]
    pub priority: Option<f64>,
    /// A day, as in 2027-01-31.
    pub valid_until: Option<String>,
    /// Name of the program that says so; left out where a person does.
    #[schema(max_length = 64)]
    pub agent: Option<String>,
}

/// Why something is not remembered.
#[derive(Debug)]
pub enum RefusedMemory {
    /// The field and what is wrong with it.
    Invalid(String),
    /// The text may not be kept.
    Text(TextError),
    /// A person took it back, and only a person brings it back.
    Forgotten,
    /// The rules of all receivers.
    Rule(String),
    Database(Error),
}

impl From<Error> for RefusedMemory {
    fn from(error: Error) -> Self {
        Self::Database(error)
    }
}

/// A memory, and whether it was known.
#[derive(Debug)]
pub struct Remembered {
    pub memory: MemoryRow,
    pub reinforced: bool,
}

/// A line that was checked.
struct Stated<'a> {
    new: &'a NewMemory,
    id: EntryId,
    category: String,
    topic: String,
    text: String,
    until: Option<Timestamp>,
    cue: Cue,
}

/// Remembers some things; what is known is reinforced. All are, or none.
///
/// # Errors
/// [`RefusedMemory`].
pub async fn remember(
    client: &mut Client,
    caller: &Caller,
    project: &Project,
    request: Uuid,
    all: &[NewMemory],
    now: Now,
) -> Result<Vec<Remembered>, RefusedMemory> {
    let categories = fold::categories();
    let stated: Vec<Stated<'_>> =
        all.iter().map(|new| Stated::of(new, &categories)).collect::<Result<_, _>>()?;
    let vault = caller.vault()?;
    let mut known = HashMap::new();
    {
        let scope = caller.within(project);
        let transaction = db::begin(client, TenantRole::App, &scope).await?;
        for one in &stated {
            let id = one.id.to_string();
            let found = find::by_id(&transaction, vault, &scope.projects, &id).await?;
            known.extend(found.into_iter().map(|memory| (memory.id, memory)));
        }
        transaction.rollback().await.map_err(Error::from)?;
    }
    let mut push = PushBody { project: project.slug.clone(), ..PushBody::default() };
    for one in &stated {
        one.put(known.get(&one.id), &mut push, now)?;
    }
    let ids: Vec<EntryId> = stated.iter().map(|one| one.id).collect();
    let memories = send(client, caller, project, request, &push, &ids, now).await?;
    let remembered = memories.into_iter().map(|memory| {
        let reinforced = known.contains_key(&memory.id);
        Remembered { memory, reinforced }
    });
    Ok(remembered.collect())
}

/// Pushes, folds at once, and returns the memories in order.
///
/// # Errors
/// [`RefusedMemory::Rule`] with the reason of the first object that was not taken.
pub async fn send(
    client: &mut Client,
    caller: &Caller,
    project: &Project,
    request: Uuid,
    sent: &PushBody,
    ids: &[EntryId],
    now: Now,
) -> Result<Vec<MemoryRow>, RefusedMemory> {
    let vault = caller.vault()?;
    let pushed = push::push(client, caller, project, request, sent, now).await?;
    if let Some(refused) = pushed.refused.first() {
        return Err(RefusedMemory::Rule(refused.detail.clone()));
    }
    let scope = caller.within(project);
    let transaction = db::begin(client, TenantRole::App, &scope).await?;
    push::lock(&transaction, project, false).await?;
    let keys: Vec<Vec<u8>> = ids.iter().map(|id| vault.id(*id)).collect();
    // Once more: the worker may have folded them, and not what was pushed since this fold read.
    index::touched(&transaction, caller.org, project.id, &keys).await?;
    fold::fold(&transaction, vault, project.id, &keys, now).await?;
    let mut memories = Vec::new();
    for id in ids {
        let id = id.to_string();
        memories.extend(find::by_id(&transaction, vault, &scope.projects, &id).await?);
    }
    transaction.commit().await.map_err(Error::from)?;
    Ok(memories)
}

impl<'a> Stated<'a> {
    fn of(new: &'a NewMemory, categories: &Categories) -> Result<Self, RefusedMemory> {
        let invalid = |told: String| Err(RefusedMemory::Invalid(told));
        let Some(category) = categories.find(&new.category) else {
            let known = categories.names();
            return invalid(format!("category {:?} is not one of {known}", new.category));
        };
        let spec = categories.spec(category);
        let mut text = EntryText::new(&new.text).map_err(RefusedMemory::Text)?.as_str().to_owned();
        for tag in &new.tags {
            let name = tag.trim_start_matches('#');
            let is_tag = (1..=64).contains(&name.len())
                && name.chars().all(|c| c.is_alphanumeric() || "-_:/.".contains(c));
            if !is_tag {
                return invalid(format!(
                    "{tag:?} is not a tag: letters, digits, and any of - _ : / ."
                ));
            }
            let word = format!("#{name}");
            if !text.split_whitespace().any(|known| known == word) {
                text.push(' ');
                text.push_str(&word);
            }
        }
        let cue = new.cue.as_deref().map_or(Some(Cue::Explicit), Cue::find);
        let Some(cue) = cue else {
            return invalid("cue is explicit, structural, behavioral or recurrence".to_owned());
        };
        let shares = [("importance", new.importance), ("priority", new.priority)];
        for (name, share) in shares {
            if share.is_some_and(|share| Share::new(share).is_none()) {
                return invalid(format!("{name} is 0 to 1"));
            }
        }
        let until = new.valid_until.as_deref().map(Timestamp::end_of_day);
        if until == Some(None) {
            return invalid("valid_until is a day, as in 2027-01-31".to_owned());
        }
        let is_name = |name: &str| {
            (1..=64).contains(&name.len())
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        };
        if new.agent.as_deref().is_some_and(|name| !is_name(name)) {
            return invalid(
                "agent is a short name of letters, digits, and any of - _ .".to_owned(),
            );
        }
        Ok(Self {
            new,
            id: EntryId::of(&spec.name, text.as_bytes()),
            category: spec.name.to_string(),
            topic: spec.topic.to_string(),
            text,
            until: until.flatten(),
            cue,
        })
    }

    /// Adds the line and its events to a push.
    fn put(
        &self,
        known: Option<&MemoryRow>,
        push: &mut PushBody,
        now: Now,
    ) -> Result<(), RefusedMemory> {
        let is_typed = self.new.agent.is_none();
        let is_over = known.is_some_and(|memory| memory.verdict(now) != Verdict::Given);
        if is_over && !is_typed {
            return Err(RefusedMemory::Forgotten);
        }
        let entry = SyncEntry::of(&self.category, &self.text);
        // Before anything is kept: a push takes what it can, and this is all or nothing.
        let gate = Gate { now, categories: None, purges: &Purges::default() };
        gate.entry(&entry).map_err(|refused| RefusedMemory::Rule(refused.detail))?;
        push.entries.push(entry);
        let who = Provenance {
            by: self.new.agent.clone().unwrap_or_else(|| Provenance::USER.to_owned()),
            ..Provenance::default()
        };
        let line = AdoptedLine {
            id: self.id,
            category: &self.category,
            topic: &self.topic,
            text: &self.text,
            pinned: false,
        };
        let mut events = Vec::new();
        match known {
            Some(_) if !is_over => events.push(EventKind::Reinforce(1)),
            _ => events.push(EventKind::Add(self.cue, Some(adopt::origin(&line)))),
        }
        if is_over {
            events.push(EventKind::Restore);
        }
        events.extend(self.until.map(EventKind::Expire));
        let share = |share: Option<f64>| share.and_then(Share::new);
        events.extend(share(self.new.importance).map(EventKind::Importance));
        events.extend(share(self.new.priority).map(EventKind::Priority));
        for kind in events {
            push.events.push(event(self.id, kind, &who, now)?);
        }
        Ok(())
    }
}

/// Writes an event with a new id.
///
/// # Errors
/// There is no randomness.
pub fn event(
    entry: EntryId,
    kind: EventKind,
    who: &Provenance,
    now: Now,
) -> Result<Box<RawValue>, RefusedMemory> {
    let wrong = |error: String| RefusedMemory::Database(Error::Wrong(error));
    let mut random = [0_u8; 16];
    getrandom::fill(&mut random).map_err(|error| wrong(error.to_string()))?;
    let id = EventId::new(now.0, u128::from_le_bytes(random));
    let author = pimem_core::model::event::Author::of(&who.by);
    let event = Event { id, ts: now.0, entry, by: author, kind };
    RawValue::from_string(event.write(who)).map_err(|error| wrong(error.to_string()))
}

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
    let event = event(memory.id, kind, &who, now)?;
    let push =
        PushBody { project: project.slug.clone(), events: vec![event], ..PushBody::default() };
    let done = send(client, caller, project, request, &push, &[memory.id], now).await?;
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
    let events = vec![event(memory.id, kind, &who, now)?];
    let push = PushBody { project: project.slug.clone(), events, ..PushBody::default() };
    send(client, caller, project, request, &push, &[memory.id], now).await?;
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
        push.events.push(event(memory.id, EventKind::Archive(ArchiveReason::Age), &who, now)?);
    }
    let ids: Vec<_> = faded.iter().map(|memory| memory.id).collect();
    send(client, caller, project, request, &push, &ids, now).await?;
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
    rows.iter().filter_map(|row| MemoryRow::of(row, vault).transpose()).collect()
}
