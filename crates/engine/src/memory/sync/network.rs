//! Exchange with a server: what the user's other machines have sent comes into the store, what
//! others have sent into mirrors, and what the server lacks is sent.
//!
//! A pull that is cut off has brought a beginning of what the server has, in its order; what was
//! pushed until a failure is noted as sent. The next exchange goes on from there.

use crate::memory::handles::Sharing;
use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    path::PathBuf,
};

use pimem_core::{
    model::{event::Event, time::Now},
    review::{self, AgentReview, Contributor},
    score::ranking::Scope,
    sync::{
        check::{Reason, Refused},
        exchange::SyncObjects,
        wire::{self, KeyOwner, PushBody, SyncEntry, SyncObject},
    },
};
use serde_json::{Map, Value, json, value::RawValue};

use super::{
    note_typed, refresh,
    sealing::{self, Sealing, Unopened},
    side::{self, Side},
    slug,
};
use crate::{
    config::env::Env,
    error::{Failure, FailureKind},
    memory::{
        Effect, Memory, WriteTarget,
        background::Stale,
        lock_for,
        sync::{MirroredProject, SyncPart, Synced},
    },
    remote::{Client, SealKeys, ServerKey, ServerState},
    store::{Store, atomic, read},
};

/// Name of the file that describes a mirror.
const DESCRIPTION: &str = "mirror.json";
/// What a pull brought.
#[derive(Default)]
struct Brought {
    objects: Vec<SyncObject>,
    /// Where the next pull goes on.
    cursor: Option<String>,
    /// True if the server has more.
    goes_on: bool,
    /// True if the server did not know the cursor: it may have lost what it had.
    is_anew: bool,
    unopened: Unopened,
    /// Why there is no more.
    failure: Option<Failure>,
}

impl Sharing<'_> {
    /// Exchanges the store with the server that the settings name, and fills the mirrors. `confirm`
    /// is asked with the lines before the first push of a store. Lines that the user's other machines
    /// have purged go to the grave, or are destroyed if `destroy` is true. A dry run writes nothing,
    /// and asks no server.
    ///
    /// # Errors
    /// Fails if nobody asked for it, no server or key is set, the key may not see the project, the
    /// first push is not confirmed, or the server or the disk fails.
    pub fn sync_with_server(
        self,
        (dry_run, destroy): (bool, bool),
        confirm: impl FnOnce(&[String]) -> Result<(), Failure>,
    ) -> Result<(Synced, Vec<Stale>), Failure> {
        self.check_asked()?;
        if self.memory.config.awaiting.iter().any(|setting| setting.key.name == "sync.project") {
            let message = "the project's file names another project, which nobody has reviewed";
            return Err(Failure::new(FailureKind::Refused, message, "pimem trust --review"));
        }
        let settings = &self.memory.config.settings.sync;
        if settings.server.is_empty() {
            let message = "no server is set";
            let mut failure = Failure::new(
                FailureKind::Usage,
                message,
                "sync.server names one, in your own settings or PIMEM_SYNC_SERVER",
            );
            failure.hints.push("--with DIR, --bundle FILE and --from FILE need none".to_owned());
            return Err(failure);
        }
        let own = self.memory.target()?;
        let project = self.project_of(&own).ok_or_else(|| {
            let message = "the store belongs to no project";
            Failure::new(FailureKind::Usage, message, "sync.project names the one on the server")
        })?;
        let key = ServerKey::find(&self.memory.env)?;
        let keys = SealKeys::find(&self.memory.env)?;
        let client = Client::new(&settings.server, key, settings.insecure, &self.memory.env)?;
        if dry_run {
            return self.rehearse_push(own, &client.host(), &project);
        }
        let mut run = Run {
            memory: self.memory,
            client,
            keys,
            destroy,
            view: Synced::new(settings.server.to_string(), false),
            mirrored: BTreeMap::new(),
            stale: Vec::new(),
        };
        run.all(&own, &project, confirm)?;
        let mirrors = run.mirrored.into_iter();
        let mirrors =
            mirrors.map(|(project, received)| MirroredProject { project, received }).collect();
        Ok((Synced { mirrors, ..run.view }, run.stale))
    }

    /// Shows what a push would send.
    fn rehearse_push(
        self,
        own: WriteTarget,
        host: &str,
        project: &str,
    ) -> Result<(Synced, Vec<Stale>), Failure> {
        let name = self.memory.config.settings.sync.server.to_string();
        let mut view = Synced::new(name, true);
        if own.exists {
            let store = self.memory.store(own.dir, own.scope);
            let state = Sharing::state_of(&store, host, project)
                .and_then(|at| ServerState::read(&store.seal, &at));
            let side = Side::open(self.memory, &store, None)?;
            let (objects, kept) = side.reviewed(self.memory);
            view.sent = super::part(&state.unwrap_or_default().lacking(&objects));
            view.kept = kept;
        }
        Ok((view, Vec::new()))
    }

    /// Returns the place of what was exchanged with a server.
    fn state_of(store: &Store, host: &str, project: &str) -> Option<PathBuf> {
        Some(store.dream_dir()?.join(format!("sync-{host}-{project}.json")))
    }
}

struct Run<'a> {
    memory: &'a Memory,
    client: Client,
    /// Keys that servers have not, once one has said that it needs them.
    keys: Option<SealKeys>,
    /// True if a person wants what is purged elsewhere destroyed at once.
    destroy: bool,
    view: Synced,
    /// What mirrors received, by project.
    mirrored: BTreeMap<String, SyncPart>,
    stale: Vec<Stale>,
}

impl Run<'_> {
    fn all(
        &mut self,
        own: &WriteTarget,
        project: &str,
        confirm: impl FnOnce(&[String]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let memory = self.memory;
        let store = own.exists.then(|| memory.store(own.dir.clone(), own.scope));
        if let Some(store) = &store {
            note_typed(memory, store, Effect::Write);
            let place = Sharing::state_of(store, &self.client.host(), project);
            let is_first = place.is_none_or(|at| ServerState::read(&store.seal, &at).is_none());
            if is_first {
                let (objects, _) = Side::open(memory, store, None)?.reviewed(memory);
                let lines: Vec<String> = super::part(&objects).entries;
                if !lines.is_empty() {
                    confirm(&lines)?;
                }
            }
        }
        let me = self.client.me()?;
        self.keys = sealing::agreed(&me, self.keys.take())?;
        let sees = |name: &str| me.projects.iter().any(|known| known == name);
        if !sees(project) {
            let message = format!("the key may not see a project {project}");
            let hint =
                "sync.project names the project of this store; pimem-server project adds one";
            return Err(Failure::new(FailureKind::Refused, message, hint));
        }
        self.project(project, store.as_ref(), &me)?;
        let others = memory.config.settings.sync.projects.split(',').filter_map(slug);
        let others: BTreeSet<String> = others.filter(|name| name != project).collect();
        for name in others {
            if sees(&name) {
                self.project(&name, None, &me)?;
            } else {
                memory.notices.note(&format!("The key may not see a project {name}"));
            }
        }
        Ok(())
    }

    fn project(
        &mut self,
        project: &str,
        store: Option<&Store>,
        me: &KeyOwner,
    ) -> Result<(), Failure> {
        let mirror = self.mirror(project)?;
        // Where there is no store of one's own, the state is that of the mirror.
        let place = Sharing::state_of(store.unwrap_or(&mirror), &self.client.host(), project);
        let seal = &store.unwrap_or(&mirror).seal;
        let known = place.as_ref().and_then(|at| ServerState::read(seal, at));
        let mut state = known.unwrap_or_else(|| ServerState::with(None));
        let sealing = self.keys.as_ref().and_then(|keys| Sealing::new(keys, me, project));
        let keys = sealing.as_ref().map(|sealing| sealing.names().to_owned());
        if state.keys.is_some() && keys.is_none() {
            return Err(sealing::not_in_the_clear());
        }
        if state.keys != keys {
            // A new key may open what the last exchange did not.
            state = ServerState::with(keys);
        }
        let way = (project, sealing.as_ref());
        let mut result = self.pulled(way, (store, &mirror), me, &mut state);
        if let (Ok(()), Some(own)) = (&result, store) {
            let mut is_whole = self.pushed(way, own, &mut state);
            if is_whole == Ok(false) {
                // Git went back behind what had come, or is on another branch.
                state.cursor = None;
                let again = self.pulled(way, (store, &mirror), me, &mut state);
                is_whole = again.and_then(|()| self.pushed(way, own, &mut state));
            }
            result = is_whole.map(drop);
        }
        let dated = state.later.iter().filter_map(|object| object.event.as_deref());
        self.view.later += dated.filter(|event| is_later(self.memory.now, event.get())).count();
        // What was exchanged before a failure need not be exchanged again.
        if let Some(place) = place {
            let _lock = store.unwrap_or(&mirror).trust.hold()?;
            let kept = state.write(seal, &place);
            result = result.and(kept.map_err(Failure::from));
        }
        result
    }

    /// Pulls what is new, and puts it where it belongs. The cursor moves past what was taken, or refused
    /// for good; what waits for the clock or for a line is kept beside it, and where that has no room the
    /// cursor stays. After a failure to put it somewhere, the state is what it was.
    fn pulled(
        &mut self,
        (project, sealing): (&str, Option<&Sealing>),
        (store, mirror): (Option<&Store>, &Store),
        me: &KeyOwner,
        state: &mut ServerState,
    ) -> Result<(), Failure> {
        let before = state.clone();
        let mut next = state.clone();
        let way = (project, sealing);
        let mut brought = self.pages(way, before.cursor.clone());
        if before.cursor.is_none() {
            brought.unopened.check(project, brought.objects.len())?;
        }
        self.refuse(&brought.unopened.told());
        if brought.is_anew {
            // What it says that it has is noted below, and the rest is sent once more.
            next.forget_sent();
        }
        let missing = self.place(way, (store, mirror), me, &mut next, &brought)?;
        let waited = before.later.iter().filter_map(SyncObject::event_id).collect();
        let mut is_complete = missing.is_subset(&waited);
        let is_whole = brought.failure.is_none() && !brought.goes_on;
        if !is_complete && before.cursor.is_some() && is_whole && !self.client.is_spent() {
            // A line that had been dropped here is wanted again.
            brought = self.pages(way, None);
            self.place(way, (store, mirror), me, &mut next, &brought)?;
            is_complete = true;
        }
        let has_room = next.has_room();
        if !has_room {
            // They come again with the pages.
            (next.waiting, next.later) = (before.waiting, before.later);
        }
        let moves = has_room && (is_complete || before.cursor.is_none());
        next.cursor = brought.cursor.filter(|_| moves).or(before.cursor);
        let events = brought.objects.iter().filter_map(|object| object.event.as_deref());
        next.note_purges(events.map(RawValue::get));
        let waits: BTreeSet<String> = next.later.iter().filter_map(SyncObject::event_id).collect();
        for object in &brought.objects {
            let is_own = object.author.as_deref() == Some(&*me.user);
            let is_there = is_own && object.event_id().is_some_and(|id| !waits.contains(&id));
            next.held += usize::from(next.note(object) && is_there);
        }
        self.view.unfinished |= brought.goes_on || !has_room;
        *state = next;
        brought.failure.map_or(Ok(()), Err)
    }

    /// Asks for all pages after a cursor, as far as the server gives them and the limits of an exchange
    /// allow it.
    fn pages(
        &self,
        (project, sealing): (&str, Option<&Sealing>),
        cursor: Option<String>,
    ) -> Brought {
        let mut brought = Brought { cursor, ..Brought::default() };
        loop {
            let page = match self.client.pull(project, brought.cursor.as_deref()) {
                Ok(Some(page)) => page,
                Ok(None) if self.client.is_spent() => {
                    // It knows none of the cursors that it gives.
                    brought.goes_on = true;
                    return brought;
                }
                Ok(None) => {
                    // The server was restored, or the key is another: from the beginning.
                    brought = Brought { is_anew: true, ..Brought::default() };
                    continue;
                }
                Err(failure) => {
                    brought.failure = Some(failure);
                    return brought;
                }
            };
            let goes_on = page.more && brought.cursor.as_ref() != Some(&page.cursor);
            brought.objects.extend(match sealing {
                Some(sealing) => sealing.open(&page.objects, &mut brought.unopened),
                None => page.objects,
            });
            brought.cursor = Some(page.cursor).filter(|cursor| !cursor.is_empty());
            brought.goes_on = goes_on && brought.cursor.is_some();
            if !brought.goes_on || self.client.is_spent() {
                return brought;
            }
        }
    }

    /// Puts objects into the store and the mirror, with those that waited. Returns the events of which a
    /// line is missing.
    fn place(
        &mut self,
        (project, sealing): (&str, Option<&Sealing>),
        (store, mirror): (Option<&Store>, &Store),
        me: &KeyOwner,
        state: &mut ServerState,
        brought: &Brought,
    ) -> Result<BTreeSet<String>, Failure> {
        let mut entries: Vec<SyncEntry> =
            brought.objects.iter().filter_map(SyncObject::entry).collect();
        let mut known: HashSet<String> = entries.iter().map(|entry| entry.hash.clone()).collect();
        let waited = state.waiting.iter().filter(|entry| known.insert(entry.hash.clone()));
        entries.extend(waited.cloned());
        let mut known = HashSet::new();
        let events = state.later.iter().chain(&brought.objects).filter_map(|object| {
            let line = object.event.as_ref()?.get();
            known.insert((object.author.as_deref(), line)).then_some((object, line))
        });
        let (mut later, events): (Vec<_>, Vec<_>) =
            events.partition(|(_, line)| is_later(self.memory.now, line));
        let of = |own: bool| -> Vec<String> {
            let is_own = |author: Option<&str>| author == Some(&*me.user);
            let of = events.iter().filter(|(object, _)| is_own(object.author.as_deref()) == own);
            of.map(|(_, line)| (*line).to_owned()).collect()
        };
        let (ours, theirs) = (of(true), of(false));
        let objects = SyncObjects { entries: entries.clone(), events: ours };
        let mut missing = if let Some(store) = store {
            // Only who has the keys of the project can have sealed a purge.
            self.take_own(store, &objects, sealing.is_some())?
        } else {
            self.take_mirrored(project, mirror, &objects)?
        };
        if !theirs.is_empty() || mirror.dir.join("topics").is_dir() {
            let objects = SyncObjects { entries: entries.clone(), events: theirs };
            missing.extend(self.take_mirrored(project, mirror, &objects)?);
            self.describe(project, mirror, me, &brought.objects)?;
        }
        // A line may come before its events.
        let ids = |events: &[(&SyncObject, &str)]| -> HashSet<String> {
            let events = events.iter().filter_map(|(_, line)| Event::read(line));
            events.map(|event| event.entry.to_string()).collect()
        };
        let (said, unsaid) = (ids(&events), ids(&later));
        let waits = |id: &String| unsaid.contains(id) || !said.contains(id);
        entries.retain(|entry| id_of(entry).as_ref().is_some_and(waits));
        // Nor need its line come with an event, and no later page brings that again.
        later.extend(
            events
                .iter()
                .filter(|(object, _)| object.event_id().is_some_and(|id| missing.contains(&id))),
        );
        let later = later.into_iter().map(|(object, _)| object.clone()).collect();
        (state.waiting, state.later) = (entries, later);
        Ok(missing)
    }

    /// Takes what the user sent from other machines into the store.
    fn take_own(
        &mut self,
        store: &Store,
        objects: &SyncObjects,
        is_signed: bool,
    ) -> Result<BTreeSet<String>, Failure> {
        let memory = self.memory;
        if *objects == SyncObjects::default() {
            return Ok(BTreeSet::new());
        }
        let lock = lock_for(memory, store, Effect::Write)?;
        let side = Side::open(memory, store, lock.as_ref())?;
        let side = side.destroying(self.destroy || is_signed);
        let plan = side.plan(memory, objects);
        let said: BTreeSet<String> = objects
            .events
            .iter()
            .filter_map(|line| Some(Event::read(line)?.entry.to_string()))
            .collect();
        // What another machine of the user has sent, it had reviewed. But who holds a key can send in
        // the user's name, so an order waits.
        let is_order = |entry: &SyncEntry| entry.line.as_deref().is_some_and(is_order);
        let own = |entry: &&SyncEntry| {
            id_of(entry).is_some_and(|id| said.contains(&id)) && !is_order(entry)
        };
        let lines = objects.entries.iter().filter(own).filter_map(|entry| entry.line.clone());
        let trusted: HashSet<String> = lines.collect();
        let gained = side.gains(&plan);
        self.view.received.entries.extend(gained.entries);
        self.view.received.events += gained.events;
        let missing = self.refuse(&plan.refused);
        let done = side.carry_out(memory, &plan, &trusted)?;
        self.view.waiting += done.waiting;
        self.view.changed.extend(side::shown(&plan, &done.buried));
        self.stale.extend(refresh(store, &plan, Effect::Write));
        Ok(missing)
    }

    /// Takes what others have sent into the mirror of a project.
    fn take_mirrored(
        &mut self,
        project: &str,
        mirror: &Store,
        objects: &SyncObjects,
    ) -> Result<BTreeSet<String>, Failure> {
        let memory = self.memory;
        if *objects == SyncObjects::default() {
            return Ok(BTreeSet::new());
        }
        atomic::create_dir(&mirror.dir, mirror.sync.private())?;
        let lock = lock_for(memory, mirror, Effect::Write)?;
        let side = Side::read(memory, mirror, lock.as_ref())?;
        let plan = side.plan(memory, objects);
        let gained = side.gains(&plan);
        let missing = self.refuse(&plan.refused);
        side.mirror(memory, &plan)?;
        self.stale.extend(refresh(mirror, &plan, Effect::Write));
        let received = self.mirrored.entry(project.to_owned()).or_default();
        received.entries.extend(gained.entries);
        received.events += gained.events;
        Ok(missing)
    }

    /// Notes what was refused. Returns the events of which a line is missing.
    fn refuse(&mut self, refused: &[Refused]) -> BTreeSet<String> {
        let (missing, others): (Vec<_>, Vec<_>) =
            refused.iter().cloned().partition(|refused| refused.reason == Reason::Incomplete);
        // An object may be refused by the store and by a mirror.
        let known: HashSet<Refused> = self.view.refused.iter().cloned().collect();
        self.view.refused.extend(others.into_iter().filter(|one| !known.contains(one)));
        missing.into_iter().map(|refused| refused.id).collect()
    }

    /// Sends what the server lacks. Returns false if the store lacks events that it had.
    fn pushed(
        &mut self,
        (project, sealing): (&str, Option<&Sealing>),
        store: &Store,
        state: &mut ServerState,
    ) -> Result<bool, Failure> {
        let memory = self.memory;
        let lock = lock_for(memory, store, Effect::Write)?;
        let side = Side::open(memory, store, lock.as_ref())?;
        let (objects, kept) = side.reviewed(memory);
        let held = side.events().iter().filter(|line| state.has_event(line)).count();
        side.carry_out(
            memory,
            &pimem_core::sync::exchange::ExchangePlan::default(),
            &HashSet::new(),
        )?;
        // Nobody waits for the network to write into the store.
        drop(lock);
        self.view.kept = kept;
        let new = state.lacking(&objects);
        let is_whole = held >= std::mem::replace(&mut state.held, held);
        for mut batch in sealing::batches(&new, sealing.is_some()) {
            let mut push = PushBody { project: project.to_owned(), ..PushBody::default() };
            // The server knows sealed entries by other names.
            let mut names: HashMap<String, &str> = HashMap::new();
            for entry in &batch.entries {
                let sent =
                    sealing.map_or(Ok(Some(entry.clone())), |sealing| sealing.entry(entry))?;
                names.extend(sent.iter().map(|sent| (sent.hash.clone(), &*entry.hash)));
                push.entries.extend(sent);
            }
            for line in &batch.events {
                let sent = sealing.map_or(Ok(wire::raw(line)), |sealing| sealing.event(line))?;
                push.events.extend(sent);
            }
            let pushed = self.client.push(&push)?;
            let refused = pushed.refused.into_iter().map(|one| {
                let id = names.get(&one.id).map_or(one.id.clone(), |name| (*name).to_owned());
                Refused { id, ..one }
            });
            let (purged, refused): (Vec<Refused>, Vec<Refused>) =
                refused.partition(|one| one.reason == Reason::Purged);
            let (early, refused): (Vec<Refused>, Vec<Refused>) =
                refused.into_iter().partition(|one| one.reason == Reason::Future);
            self.view.refused.extend(refused);
            self.view.early += early.len();
            state.note_purges(batch.events.iter().map(String::as_str));
            // Whoever types one again has it sent again.
            let purged: HashSet<String> = purged.into_iter().map(|one| one.id).collect();
            batch.entries.retain(|entry| !purged.contains(&entry.hash));
            // What is early for the server now is sent again until it is not.
            let early: HashSet<String> = early.into_iter().map(|one| one.id).collect();
            let id = |line: &String| Event::read(line).map(|event| event.id.to_string());
            batch.events.retain(|line| id(line).is_none_or(|id| !early.contains(&id)));
            batch.entries.iter().for_each(|entry| state.note_entry(entry));
            state.held += batch.events.iter().filter(|line| state.note_event(line)).count();
            let sent = super::part(&batch);
            self.view.sent.entries.extend(sent.entries);
            self.view.sent.events += sent.events;
        }
        Ok(is_whole)
    }

    /// Returns the mirror of a project, which need not exist.
    fn mirror(&self, project: &str) -> Result<Store, Failure> {
        let data = Env::data_dir().ok_or_else(|| {
            Failure::new(
                FailureKind::Usage,
                "there is no data directory",
                "set HOME, or XDG_DATA_HOME",
            )
        })?;
        let dir = data.join("pimem/mirrors").join(self.client.host()).join(project);
        let store = self.memory.store(dir, Scope::Project);
        Ok(Store { strict: true, ..store })
    }

    /// Writes down where the lines of a mirror are from.
    fn describe(
        &self,
        project: &str,
        mirror: &Store,
        me: &KeyOwner,
        objects: &[SyncObject],
    ) -> Result<(), Failure> {
        let path = mirror.dir.join(DESCRIPTION);
        let known = read::file(&mirror.dir, &path, read::MAX_FILE).ok().flatten();
        let known: Value =
            known.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        let known = known.get("authors").and_then(Value::as_object).cloned().unwrap_or_default();
        let mut authors: BTreeMap<String, Value> = known.into_iter().collect();
        for object in objects {
            let id = object.entry().as_ref().and_then(id_of);
            if let (Some(id), Some(author)) = (id, &object.author) {
                authors.insert(id, json!(author));
            }
        }
        let authors: Map<String, Value> = authors.into_iter().collect();
        let file = json!({
            "schema": "pimem.mirror/1",
            "server": self.memory.config.settings.sync.server,
            "project": project,
            "user": me.user,
            "authors": authors,
        });
        atomic::create_dir(&mirror.dir, mirror.sync.private())?;
        let bytes = format!("{file}\n");
        atomic::replace_file(&path, bytes.as_bytes(), mirror.sync.private(), || Ok(true))?;
        Ok(())
    }
}

/// Returns true if an event is dated too far ahead of a clock. One that is refused whatever the time
/// does not wait.
fn is_later(now: Now, line: &str) -> bool {
    let read = || Event::read(line).filter(|event| event.ts > now.horizon());
    line.len() <= wire::LONGEST && read().is_some()
}

/// Returns the id of an entry that is not sealed.
fn id_of(entry: &SyncEntry) -> Option<String> {
    let (category, text) = pimem_core::sync::check::split(entry.line.as_deref()?)?;
    Some(pimem_core::model::entry::EntryId::of(category, text.as_bytes()).to_string())
}

fn is_order(line: &str) -> bool {
    review::waits(line, Contributor::Program, AgentReview::Orders).is_some()
}
