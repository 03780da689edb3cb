//! Exchange of entries and events with another store, or by a file, a bundle.
//!
//! What stores exchange and what they make of it is decided in [`pimem_core::sync`]; here stores
//! are locked, read and written. A line whose purge comes is kept in the grave for a while, unless only
//! people of the project could have sent it, it says that it was a secret, or a person wants it so.

mod network;
mod sealing;
mod side;

use crate::memory::handles::Sharing;
use std::{
    collections::{BTreeSet, HashSet},
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use pimem_core::{
    model::{entry::EventId, event::Event},
    score::ranking::Scope,
    sync::{
        check::{Reason, Refused},
        exchange::{ExchangePlan, SyncObjects, missing},
        wire::{
            self, Header, LONGEST_LINE, ObjectKind as Of, SyncEntry, SyncObject, write as line,
        },
    },
};
use serde::Serialize;

pub use self::sealing::KeyAct;
use self::side::Side;
use super::{
    Effect, Memory, WriteTarget,
    background::{Refresh, Stale},
    lock_for,
};
use crate::{
    error::{Failure, FailureKind},
    memory::selector,
    store::{
        Store,
        atomic::{self, Sync},
        discover, evidence,
    },
};

/// Time limit for git to find typed lines.
const PATIENCE: Duration = Duration::from_secs(2);
/// Paths of a store below a directory.
const STORES: [&str; 3] = ["", ".pi/memory", ".pi/agent/memory"];

/// With what a store is exchanged.
pub enum Peer<'a> {
    /// Another store, in both directions: its directory, or that of its project.
    Store(PathBuf),
    /// A bundle that is read; the name is for messages.
    From(Box<dyn Read + 'a>, String),
}

pub struct SyncRequest<'a> {
    pub peer: Peer<'a>,
    /// Nothing is written.
    pub dry_run: bool,
    /// The lines of the bundle are the user's own, and need no review.
    pub trust: bool,
    /// Lines whose purge comes are destroyed at once, and not kept in the grave.
    pub destroy: bool,
}

pub struct BundleRequest {
    /// `None` for the text itself.
    pub output: Option<PathBuf>,
    pub dry_run: bool,
    /// Writes out what a sealed store has.
    pub plain: bool,
}

impl Sharing<'_> {
    /// Exchanges a store with another, or takes in a bundle.
    ///
    /// # Errors
    /// Fails if there is no other store, or one of them cannot be read or written. What was written
    /// until then is a part of the exchange, which the next one completes.
    pub fn sync(self, request: SyncRequest<'_>) -> Result<(Synced, Vec<Stale>), Failure> {
        let effect = Effect::of(request.dry_run);
        match request.peer {
            Peer::Store(dir) => with_store(self.memory, &dir, effect, request.destroy),
            Peer::From(input, name) => {
                let own = self.project_of(&self.memory.target()?);
                let mut read = read(input, &name, own.as_deref())?;
                if let Some(failure) = read.foreign.take()
                    && !self.shares_events(&read.objects)?
                {
                    return Err(failure);
                }
                take_in(self.memory, read, &name, effect, (request.trust, request.destroy))
            }
        }
    }

    /// Returns a store's objects as a bundle, or writes them.
    ///
    /// # Errors
    /// Fails if there is no store, it is sealed and the bundle is not asked for in plain text, or
    /// something cannot be read or written.
    pub fn bundle(self, request: &BundleRequest) -> Result<(Synced, Option<String>), Failure> {
        let target = self.memory.target()?;
        if !target.exists {
            let (message, hint) = super::target::no_store(&target.dir);
            return Err(Failure::new(FailureKind::Usage, message, hint));
        }
        let project = self.project_of(&target);
        let store = self.memory.store(target.dir, target.scope);
        if store.seal.is_sealed() && !request.plain {
            let message = "the store is sealed, and a bundle would not be";
            let hint =
                "--plain writes it all the same; --with DIR goes to a store, which may be sealed";
            return Err(Failure::new(FailureKind::Refused, message, hint));
        }
        let effect = Effect::of(request.dry_run);
        note_typed(self.memory, &store, effect);
        let lock = lock_for(self.memory, &store, effect)?;
        let side = Side::open(self.memory, &store, lock.as_ref())?;
        let (objects, kept) = side.outgoing(self.memory);
        side.carry_out(self.memory, &ExchangePlan::default(), &HashSet::new())?;
        let text = write(project, &objects);
        let name =
            request.output.as_ref().map_or("-".to_owned(), |path| path.display().to_string());
        let view = Synced { sent: part(&objects), kept, ..Synced::new(name, request.dry_run) };
        match &request.output {
            _ if request.dry_run => Ok((view, None)),
            None => Ok((view, Some(text))),
            Some(path) => {
                keep(&self.memory.places.cwd.join(path), text.as_bytes(), self.memory.real_now)?;
                Ok((view, None))
            }
        }
    }

    /// Returns true if the store has some of the events: it is of the same project, though its folder
    /// has another name.
    fn shares_events(self, objects: &SyncObjects) -> Result<bool, Failure> {
        let target = self.memory.target()?;
        if !target.exists {
            return Ok(false);
        }
        let log = self.memory.store(target.dir, target.scope).log();
        let log = log.map_err(|problem| Failure::from(&problem))?;
        let id = |line: &str| Event::read(line).map(|event| event.id);
        let lines = evidence::lines(&log).filter_map(|line| str::from_utf8(line).ok());
        let own: BTreeSet<EventId> = lines.filter_map(id).collect();
        Ok(objects.events.iter().filter_map(|line| id(line)).any(|id| own.contains(&id)))
    }

    /// Returns the short name of the project of a store; the user's own store has none, and one
    /// outside of a project only by a setting.
    fn project_of(self, target: &WriteTarget) -> Option<String> {
        if target.scope == Scope::User {
            return None;
        }
        let real = discover::real(&target.dir);
        let root = real.parent().filter(|_| real.ends_with(".pi/memory")).and_then(Path::parent);
        match &*self.memory.config.settings.sync.project {
            "" => slug(&root?.file_name()?.to_string_lossy()),
            named => slug(named),
        }
    }
}

/// Returns a name in the letters of short names.
fn slug(name: &str) -> Option<String> {
    let fits = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let slug: String = name.chars().map(fits).collect();
    let slug = slug.trim_matches('-');
    Some(slug.chars().take(64).collect::<String>()).filter(|slug| !slug.is_empty())
}

fn part(objects: &SyncObjects) -> SyncPart {
    let line = |entry: &pimem_core::sync::wire::SyncEntry| entry.line.clone();
    SyncPart {
        entries: objects.entries.iter().filter_map(line).collect(),
        events: objects.events.len(),
    }
}

fn with_store(
    memory: &Memory,
    dir: &Path,
    effect: Effect,
    destroy: bool,
) -> Result<(Synced, Vec<Stale>), Failure> {
    let there = other(memory, dir)?;
    let target = memory.target()?;
    if discover::real(&target.dir) == discover::real(&there.dir) {
        let message = format!("{} is this store itself", dir.display());
        return Err(Failure::new(FailureKind::Usage, message, "--with names another store"));
    }
    let here = memory.opened(target, effect)?;
    for store in [&here, &there] {
        note_typed(memory, store, effect);
    }
    // Two exchanges of the same stores take the locks in one order.
    let mut stores = [&here, &there];
    stores.sort_by_key(|store| discover::real(&store.dir));
    let mut locks = Vec::new();
    for store in stores {
        locks.push((&store.dir, lock_for(memory, store, effect)?));
    }
    let lock = |store: &Store| {
        let mut known = locks.iter().filter(|(dir, _)| **dir == store.dir);
        known.next().and_then(|(_, lock)| lock.as_ref())
    };
    let side =
        |store| Ok::<_, Failure>(Side::open(memory, store, lock(store))?.destroying(destroy));
    let (ours, theirs) = (side(&here)?, side(&there)?);
    let ((out, kept), (back, left)) = (ours.outgoing(memory), theirs.outgoing(memory));
    let (sent, received) = (missing(&out, &back), missing(&back, &out));
    let (plan, other) = (ours.plan(memory, &received), theirs.plan(memory, &sent));
    let refused = plan.refused.iter().chain(&other.refused).chain(&left);
    let (later, refused) = apart(refused.cloned().collect());
    let name = dir.display().to_string();
    let mut view = Synced {
        sent: theirs.gains(&other),
        received: ours.gains(&plan),
        kept,
        refused,
        later,
        ..Synced::new(name, effect == Effect::DryRun)
    };
    let (trusted_here, trusted_there) = (ours.trusted(), theirs.trusted());
    // The other store first: what is not written here then comes with the next exchange.
    theirs.carry_out(memory, &other, &trusted_here)?;
    let done = ours.carry_out(memory, &plan, &trusted_there)?;
    (view.waiting, view.changed) = (done.waiting, side::shown(&plan, &done.buried));
    let stale = [(&here, &plan), (&there, &other)];
    Ok((view, stale.into_iter().filter_map(|(store, plan)| refresh(store, plan, effect)).collect()))
}

/// Tells what is refused for good from the number of events that come when the clock is right.
fn apart(refused: Vec<Refused>) -> (usize, Vec<Refused>) {
    let (later, refused): (Vec<_>, Vec<_>) =
        refused.into_iter().partition(|one| one.reason == Reason::Future);
    (later.len(), refused)
}

/// Notes as trusted what was typed into a store on this machine.
fn note_typed(memory: &Memory, store: &Store, effect: Effect) {
    if effect == Effect::Write {
        let typed = store.read_topics(&memory.config.categories);
        let (store, typed) = (std::slice::from_ref(store), std::slice::from_ref(&typed));
        memory.note_own(PATIENCE, store, typed);
    }
}

fn take_in(
    memory: &Memory,
    bundle: BundleRead,
    name: &str,
    effect: Effect,
    (trust, destroy): (bool, bool),
) -> Result<(Synced, Vec<Stale>), Failure> {
    let store = memory.opened(memory.target()?, effect)?;
    let lock = lock_for(memory, &store, effect)?;
    let side = Side::open(memory, &store, lock.as_ref())?.destroying(destroy);
    let plan = side.plan(memory, &bundle.objects);
    let (later, refused) = apart([bundle.refused, plan.refused.clone()].concat());
    let mut view = Synced {
        received: side.gains(&plan),
        refused,
        later,
        from_file: true,
        ..Synced::new(name.to_owned(), effect == Effect::DryRun)
    };
    let lines = bundle.objects.entries.iter().filter_map(|entry| entry.line.clone());
    let trusted: HashSet<String> = lines.filter(|_| trust).collect();
    let done = side.carry_out(memory, &plan, &trusted)?;
    (view.waiting, view.changed) = (done.waiting, side::shown(&plan, &done.buried));
    Ok((view, refresh(&store, &plan, effect).into_iter().collect()))
}

fn refresh(store: &Store, plan: &ExchangePlan, effect: Effect) -> Option<Stale> {
    let act = if plan.purged.is_empty() { Refresh::Changed } else { Refresh::Whole };
    let is_due = effect == Effect::Write && !plan.is_empty();
    is_due.then(|| Stale::of(store, act))
}

fn other(memory: &Memory, dir: &Path) -> Result<Store, Failure> {
    let named = memory.places.cwd.join(dir);
    let found = STORES.map(|below| named.join(below));
    let Some(found) = found.into_iter().find(|dir| dir.join("topics").is_dir()) else {
        let message = format!("there is no store in {}", dir.display());
        let hint =
            "give the directory that holds topics/, or a project; pimem --dir DIR init makes one";
        return Err(Failure::new(FailureKind::Usage, message, hint));
    };
    memory.places.check_below(&named, &found).map_err(|away| Failure::from(&away))?;
    let is_users =
        memory.places.user().is_some_and(|user| discover::real(&user) == discover::real(&found));
    let scope = if is_users { Scope::User } else { Scope::Project };
    Ok(memory.store(found, scope))
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Synced {
    /// The other store, or the file.
    pub with: String,
    pub dry_run: bool,
    /// What the other lacked.
    pub sent: SyncPart,
    /// What this store lacked.
    pub received: SyncPart,
    /// What mirrors lacked, by project.
    pub mirrors: Vec<MirroredProject>,
    /// What the exchange changed in this store's files.
    pub changed: Vec<SyncedLine>,
    /// Number of new lines that agents are not shown before a review.
    pub waiting: usize,
    /// What stays in this store, as what is private.
    pub kept: Vec<Refused>,
    /// What was not taken, here or there.
    pub refused: Vec<Refused>,
    /// Number of received events that wait because they are dated more than a day ahead of this
    /// machine's clock.
    #[serde(skip_serializing_if = "is_zero")]
    pub later: usize,
    /// The same of sent events and the server's clock.
    #[serde(skip_serializing_if = "is_zero")]
    pub early: usize,
    /// True if the other side is a file, which is not read again by itself.
    #[serde(skip)]
    pub from_file: bool,
    /// True if the exchange came to its limit: the next one goes on.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unfinished: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl Synced {
    /// Returns true if something was refused, or is left for the next exchange.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        !self.refused.is_empty() || self.later + self.early > 0 || self.unfinished
    }

    #[must_use]
    pub fn new(with: String, dry_run: bool) -> Self {
        let (sent, received) = (SyncPart::default(), SyncPart::default());
        let (mirrors, changed) = (Vec::new(), Vec::new());
        let (kept, refused) = (Vec::new(), Vec::new());
        let (later, early, unfinished, from_file) = (0, 0, false, false);
        Self {
            with,
            dry_run,
            sent,
            received,
            mirrors,
            changed,
            waiting: 0,
            kept,
            refused,
            later,
            early,
            from_file,
            unfinished,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct SyncPart {
    pub entries: Vec<String>,
    pub events: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MirroredProject {
    /// Short name of the project.
    pub project: String,
    pub received: SyncPart,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SyncedLine {
    pub action: SyncAction,
    /// `[category] text`, with the id if it went to the grave; the id of a purged entry.
    pub entry: String,
    /// File, relative to the store; empty for what was purged.
    pub file: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum SyncAction {
    Added,
    Archived,
    /// To another topic, or from the archive.
    Moved,
    /// It has another wording.
    Removed,
    Pinned,
    Unpinned,
    /// Its purge came from elsewhere, and the line can be restored for a while.
    Buried,
    Purged,
}

impl SyncAction {
    /// The word for people.
    #[must_use]
    pub fn verb(self) -> &'static str {
        match self {
            Self::Added => "Added",
            Self::Archived => "Archived",
            Self::Moved => "Moved",
            Self::Removed => "Reworded",
            Self::Pinned => "Pinned",
            Self::Unpinned => "Unpinned",
            Self::Buried => "Buried",
            Self::Purged => "Destroyed",
        }
    }
}

/// The keys by which this machine seals what it sends to a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SealKeyFile {
    /// The file, which only its owner can read.
    pub file: String,
    /// Number of keys; the last one seals, and all of them open.
    pub keys: usize,
}

documents! {
    Synced: "pimem.sync/1",
    SealKeyFile: "pimem.seal-key/1",
}

/// Maximum size in bytes.
const MAX: u64 = 1 << 30;

#[derive(Debug, Default)]
pub(super) struct BundleRead {
    pub(super) objects: SyncObjects,
    pub(super) refused: Vec<Refused>,
    /// Why it may be one of another project.
    pub(super) foreign: Option<Failure>,
}

/// The objects that were read. Repetitions are dropped; another line with the same hash is none.
#[derive(Default)]
struct Known {
    entries: HashSet<SyncEntry>,
    events: HashSet<[u8; 32]>,
}

/// Reads a bundle line by line. Lines that are no objects are refused; the others count.
pub(super) fn read(
    input: impl std::io::Read,
    name: &str,
    own: Option<&str>,
) -> Result<BundleRead, Failure> {
    let fail =
        |error| Failure::from(anyhow::Error::new(error).context(format!("cannot read {name}")));
    let mut input = BufReader::with_capacity(1 << 16, input.take(MAX));
    let (mut line, mut read) = (Vec::new(), BundleRead::default());
    let mut known = Known::default();
    for number in 1.. {
        line.clear();
        let most = LONGEST_LINE as u64 + 2;
        let length = input.by_ref().take(most).read_until(b'\n', &mut line).map_err(fail)?;
        if length == 0 && number > 1 {
            break;
        }
        if length as u64 == most && !line.ends_with(b"\n") {
            input.skip_until(b'\n').map_err(fail)?;
        }
        let text = line.trim_ascii();
        if number == 1 {
            read.foreign = begins(text, name, own)?;
            continue;
        }
        if text.is_empty() {
            continue;
        }
        match pimem_core::sync::wire::read(text, number) {
            Ok(object) => take(&mut read, object, number, &mut known),
            Err(refused) => read.refused.push(refused),
        }
    }
    Ok(read)
}

/// Checks the first line. Returns the failure that the bundle is of another project.
fn begins(text: &[u8], name: &str, own: Option<&str>) -> Result<Option<Failure>, Failure> {
    let Some(header) = Header::read(text) else {
        let message = format!("{name} is not a bundle");
        let hint = "pimem sync --bundle FILE writes one";
        return Err(Failure::new(FailureKind::Refused, message, hint));
    };
    match (header.project.as_deref(), own) {
        (Some(theirs), Some(own)) if theirs != own => {
            let theirs: String = theirs.chars().filter(|c| !c.is_control()).take(64).collect();
            let message = format!("{name} is of another project: {theirs}, and this is {own}");
            let hint = "sync.project in memory.json names the project that a store belongs to, \
                        whatever its folder is called";
            Ok(Some(Failure::new(FailureKind::Refused, message, hint)))
        }
        _ => Ok(None),
    }
}

fn take(read: &mut BundleRead, object: SyncObject, number: usize, known: &mut Known) {
    match (object.kind, object.entry(), object.event) {
        (Of::Entry, Some(entry), None) => {
            if known.entries.insert(entry.clone()) {
                read.objects.entries.push(entry);
            }
        }
        (Of::Event, None, Some(event)) => {
            if known.events.insert(wire::digest(event.get())) {
                read.objects.events.push(event.get().to_owned());
            }
        }
        _ => read.refused.push(Refused {
            kind: "line".to_owned(),
            id: number.to_string(),
            reason: Reason::BadLine,
            detail: "the line is neither an entry nor an event".to_owned(),
        }),
    }
}

pub(super) fn write(project: Option<String>, objects: &SyncObjects) -> String {
    let mut text = line(&Header::new(project));
    for entry in &objects.entries {
        text.push_str(&line(&SyncObject::of_entry(entry.clone())));
    }
    for event in objects.events.iter().filter_map(|event| wire::raw(event)) {
        text.push_str(&line(&SyncObject::of_event(event)));
    }
    text
}

/// Writes a bundle, readable by its owner only.
pub(super) fn keep(path: &Path, text: &[u8], now: SystemTime) -> Result<(), Failure> {
    selector::writable_file(path, "- writes to standard output")?;
    let target = discover::real(path);
    atomic::write_output(&target, text, Sync::PrivateFull, now)?;
    Ok(())
}
