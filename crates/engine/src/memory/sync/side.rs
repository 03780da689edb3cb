//! One store of an exchange: read under its lock, and written by one transaction.

use std::collections::{BTreeSet, HashSet};

use pimem_core::{
    markdown::topic::{self, TopicEntry},
    model::{
        entry::{EntryId, Markers, Wording},
        event::{Event, EventKind, Provenance},
        hash::IdSet,
    },
    sync::{
        check::{Reason, Refused},
        exchange::{self, ExchangeChange, ExchangePlan, HeldObjects, SyncObjects},
        grave::Buried,
        place::{self, FoldedEvents, HandLine},
    },
};

use crate::{
    error::Failure,
    memory::{
        Memory,
        dream::gather,
        sync::{SyncAction, SyncPart, SyncedLine},
    },
    store::{
        Store, StoreLock, evidence,
        transaction::{Change as FileChange, NewMarkers, Target, Txn},
        trust::TextKey,
    },
    view::count,
};

/// A store that takes part in an exchange.
pub(super) struct Side<'a> {
    store: &'a Store,
    lock: Option<&'a StoreLock>,
    txn: Txn<'a>,
    held: HeldObjects,
    /// True if what is purged elsewhere is destroyed here at once.
    destroys: bool,
}

/// What carrying out a plan came to.
#[derive(Default)]
pub(super) struct SideDone {
    /// Number of new lines that await review.
    pub(super) waiting: usize,
    /// Lines whose purge put them into the grave.
    pub(super) buried: Vec<Buried>,
}

impl<'a> Side<'a> {
    /// Reads a store, and records what was done to it by hand. Without a lock, it is a rehearsal.
    pub(super) fn open(
        memory: &'a Memory,
        store: &'a Store,
        lock: Option<&'a StoreLock>,
    ) -> Result<Self, Failure> {
        Self::begin(memory, store, lock, true)
    }

    fn begin(
        memory: &'a Memory,
        store: &'a Store,
        lock: Option<&'a StoreLock>,
        adopts: bool,
    ) -> Result<Self, Failure> {
        let categories = &memory.config.categories;
        let who = Provenance::adoption();
        let mut txn = store.begin_adding(lock, categories, memory.now, who);
        txn.read_evidence();
        let archive = store.read_archive(categories);
        // A line in a file that could not be read would look like one that was deleted.
        if let Some(problem) = txn.snapshot().problems.iter().chain(&archive.problems).next() {
            return Err(Failure::from(problem));
        }
        if adopts {
            txn.adopt(None);
        }
        let line = |archived: bool, stem: &str, entry: &TopicEntry| HandLine {
            id: entry.id,
            archived,
            stem: stem.to_owned(),
            category: categories.spec(entry.category).name.clone().into_owned(),
            text: entry.text.clone(),
            pinned: entry.markers.pinned,
            asides: entry.markers.asides.clone(),
        };
        let files = [(false, txn.snapshot()), (true, &archive)];
        let lines = files.into_iter().flat_map(|(archived, held)| {
            held.entries().map(move |(file, entry)| {
                // Which file of a topic has room is different everywhere.
                line(archived, file.subject(), entry)
            })
        });
        let mut held = HeldObjects { lines: lines.collect(), events: Vec::new() };
        let log = store.log().map_err(|problem| Failure::from(&problem))?;
        let mut known = BTreeSet::new();
        let said = evidence::lines(&log).filter_map(|line| str::from_utf8(line).ok());
        for line in said.map(str::trim).chain(txn.recorded().iter().map(String::as_str)) {
            if Event::read(line).is_some() && known.insert(line) {
                held.events.push(line.to_owned());
            }
        }
        if !adopts {
            return Ok(Self { store, lock, txn, held, destroys: true });
        }
        let events: Vec<Event> = held.events.iter().filter_map(|l| Event::read_whole(l)).collect();
        let folded = FoldedEvents::of(&events);
        let present = held.lines.iter().filter(|line| !line.archived).map(|line| line.id);
        let vanished = folded.ledger.vanished(&present.collect());
        let mut origins = evidence::origins(&log, &vanished);
        // Who takes a line out of a file means it; git does not.
        let lost = if origins.is_empty() { Vec::new() } else { store.gone(memory.now, categories) };
        origins.retain(|(id, _)| !lost.iter().any(|said| said.id() == Some(*id)));
        let before = txn.recorded().len();
        for (entry, kind) in place::changes(&folded, &held.lines, &origins, categories) {
            txn.record(entry, kind)?;
        }
        let accesses = memory.accesses(std::slice::from_ref(store)).sorted();
        let device = match lock {
            _ if accesses.is_empty() || !memory.config.settings.telemetry.enabled => None,
            Some(_) => Some(store.make_device()?),
            None => store.device(),
        };
        for (entry, access) in accesses {
            let Some(device) = device.filter(|_| folded.ledger.is_begun(entry)) else { continue };
            if folded.ledger.accessed_on(entry, device) < access.count {
                txn.record(entry, EventKind::Access { device, n: access.count })?;
            }
        }
        held.events.extend(txn.recorded().iter().skip(before).cloned());
        Ok(Self { store, lock, txn, held, destroys: false })
    }

    /// Has what is purged elsewhere destroyed here at once, if so.
    pub(super) fn destroying(self, destroys: bool) -> Self {
        Self { destroys, ..self }
    }

    /// Reads a mirror, whose files nobody is to edit and whose lines the server has.
    pub(super) fn read(
        memory: &'a Memory,
        store: &'a Store,
        lock: Option<&'a StoreLock>,
    ) -> Result<Self, Failure> {
        Self::begin(memory, store, lock, false)
    }

    /// Returns what may leave the store, and what stays.
    pub(super) fn outgoing(&self, memory: &Memory) -> (SyncObjects, Vec<Refused>) {
        exchange::outgoing(memory.now, &memory.config.categories, &self.held)
    }

    /// Returns what may leave the store for a server: only what was reviewed here, because the
    /// user's other machines take it as theirs.
    pub(super) fn reviewed(&self, memory: &Memory) -> (SyncObjects, Vec<Refused>) {
        let (mut objects, mut kept) = self.outgoing(memory);
        let trusted = self.trusted();
        let is_kept =
            |line: &&HandLine| !trusted.contains(&topic::canonical(&line.category, &line.text));
        let unreviewed: Vec<&HandLine> = self.held.lines.iter().filter(is_kept).collect();
        if unreviewed.is_empty() {
            return (objects, kept);
        }
        let ids: IdSet<EntryId> = unreviewed.iter().map(|line| line.id).collect();
        let hashes: HashSet<String> =
            unreviewed.iter().map(|line| exchange::object_of(line).hash).collect();
        objects.entries.retain(|entry| !hashes.contains(&entry.hash));
        objects.events.retain(|line| Event::read(line).is_none_or(|e| !ids.contains(&e.entry)));
        let mut hashes: Vec<String> = hashes.into_iter().collect();
        hashes.sort_unstable();
        hashes.retain(|hash| kept.iter().all(|kept| kept.id != *hash));
        kept.extend(hashes.into_iter().map(|id| Refused {
            kind: "entry".to_owned(),
            id,
            reason: Reason::Unreviewed,
            detail: "nobody has reviewed the entry on this machine".to_owned(),
        }));
        (objects, kept)
    }

    /// Carries out a plan in a mirror, whose lines are not this machine's to trust.
    pub(super) fn mirror(self, memory: &Memory, plan: &ExchangePlan) -> Result<(), Failure> {
        self.write(memory, plan, &HashSet::new(), true).map(drop)
    }

    /// Returns the lines of the log.
    pub(super) fn events(&self) -> &[String] {
        &self.held.events
    }

    /// Returns what the store does with received objects.
    pub(super) fn plan(&self, memory: &Memory, received: &SyncObjects) -> ExchangePlan {
        exchange::apply(memory.now, &memory.config.categories, &self.held, received)
    }

    /// Returns the lines and events that are new to the store.
    pub(super) fn gains(&self, plan: &ExchangePlan) -> SyncPart {
        let known: BTreeSet<EntryId> = self.held.lines.iter().map(|line| line.id).collect();
        let new = plan.changes.iter().filter_map(|change| match change {
            ExchangeChange::Append(line) if !known.contains(&line.id) => {
                exchange::object_of(line).line
            }
            _ => None,
        });
        SyncPart { entries: new.collect(), events: plan.events.len() }
    }

    /// Returns the lines that agents may see, whoever named the store.
    pub(super) fn trusted(&self) -> HashSet<String> {
        let trust = self.store.trust.clone().strict();
        let lines = self.held.lines.iter();
        let known = lines.filter(|line| trust.holds_entry(&line.category, &line.text));
        known.map(|line| topic::canonical(&line.category, &line.text)).collect()
    }

    /// Carries out a plan. Agents may see the `trusted` lines here too.
    pub(super) fn carry_out(
        self,
        memory: &Memory,
        plan: &ExchangePlan,
        trusted: &HashSet<String>,
    ) -> Result<SideDone, Failure> {
        self.write(memory, plan, trusted, false)
    }

    fn write(
        mut self,
        memory: &Memory,
        plan: &ExchangePlan,
        trusted: &HashSet<String>,
        is_mirror: bool,
    ) -> Result<SideDone, Failure> {
        let categories = &memory.config.categories;
        let wording = |line: &HandLine| {
            let category = categories.find(&line.category)?;
            Some(Wording { id: line.id, category, text: line.text.clone() })
        };
        let known: IdSet<EntryId> = self.held.lines.iter().map(|line| line.id).collect();
        let marked = self.txn.snapshot().entries().filter(|(_, entry)| entry.markers.enforced);
        let enforced: IdSet<EntryId> = marked.map(|(_, entry)| entry.id).collect();
        let mut buried = self.doomed(memory, plan);
        self.txn.as_received();
        for line in &plan.events {
            self.txn.receive(line);
        }
        let ledger = &self.txn.snapshot().ledger;
        let gone: IdSet<EntryId> =
            plan.purged.keys().copied().filter(|id| ledger.is_gone(*id)).collect();
        buried.retain(|one| one.id().is_some_and(|id| gone.contains(&id)));
        let trust = &self.store.trust;
        let is_trusted =
            |line: &HandLine| trusted.contains(&topic::canonical(&line.category, &line.text));
        let mut waiting: Vec<TextKey> = Vec::new();
        for line in self.held.lines.iter().filter(|line| !line.archived) {
            if !trust.holds_entry(&line.category, &line.text) && is_trusted(line) {
                self.txn.vouch(trust.entry(&line.category, &line.text));
            }
        }
        for change in &plan.changes {
            let (ExchangeChange::Append(line)
            | ExchangeChange::Remove(line)
            | ExchangeChange::Mark(line)) = change;
            let Some(of) = wording(line) else { continue };
            let stem = line.stem.clone();
            let target = if line.archived { Target::Archive(stem) } else { Target::Topic(stem) };
            let file_change = match change {
                ExchangeChange::Append(_) => {
                    if !known.contains(&line.id) && !trust.holds_entry(&line.category, &line.text) {
                        if is_trusted(line) {
                            self.txn.vouch(trust.entry(&line.category, &line.text));
                        } else if !line.archived {
                            waiting.push(trust.brought(&line.category, &line.text));
                        }
                    }
                    let (pinned, asides) = (line.pinned, line.asides.clone());
                    let markers = Markers { pinned, enforced: enforced.contains(&line.id), asides };
                    let Wording { category, text, .. } = of;
                    FileChange::Append { category, text, markers, heading: None }
                }
                ExchangeChange::Remove(_) => FileChange::Remove(of),
                ExchangeChange::Mark(HandLine { pinned, asides, .. }) => {
                    let asides = NewMarkers::asides(asides.clone());
                    FileChange::Mark(of, NewMarkers { pinned: Some(*pinned), ..asides })
                }
            };
            let files: Vec<Target> = match (&file_change, target) {
                (FileChange::Remove(of) | FileChange::Mark(of, _), Target::Topic(topic)) => {
                    let held = self.txn.snapshot();
                    let stems = held.holders(of).into_iter();
                    let stems = stems.filter(|stem| held.subject(stem) == topic);
                    stems.map(|stem| Target::Topic(stem.to_owned())).collect()
                }
                (_, target) => vec![target],
            };
            for target in files {
                self.txn.change(target, file_change.clone());
            }
        }
        let Some(lock) = self.lock else { return Ok(SideDone { waiting: waiting.len(), buried }) };
        if !waiting.is_empty() && !trust.is_whole() && !is_mirror {
            // Recorded first, so that no line passes for one that was typed here.
            trust.record(&waiting)?;
        }
        match self.store.journal().filter(|_| !plan.changes.is_empty()) {
            Some(journal) => self.txn.commit_as_one(&journal)?,
            None => self.txn.commit()?,
        };
        if !plan.purged.is_empty() {
            let kept: IdSet<EntryId> = buried.iter().filter_map(Buried::id).collect();
            let is_destroyed = |id: &EntryId| self.destroys || plan.secrets.contains(id);
            let destroyed: IdSet<EntryId> = gone.iter().copied().filter(is_destroyed).collect();
            // Before the lines go: whoever is interrupted here has them twice, and buries them again.
            let dropped = if kept.is_empty() { 0 } else { self.store.bury(buried.clone())? };
            if dropped > 0 {
                let lines = count(dropped, "line");
                memory
                    .notices
                    .note(&format!("The grave was full: {lines} left it, the oldest first"));
            }
            if !is_mirror {
                self.store.empty_grave(&destroyed)?;
            }
            gather::purge(self.store, &gone)?;
            self.store.purge(lock, &gone, &plan.purged, &[], categories)?;
            let lines = self.held.lines.iter().filter(|line| destroyed.contains(&line.id));
            let keys = lines.flat_map(|HandLine { category, text, .. }| {
                [trust.entry(category, text), trust.brought(category, text)]
            });
            let keys: Vec<TextKey> = keys.filter(|key| trust.holds(*key)).collect();
            if !keys.is_empty() {
                trust.forget(Some(&keys))?;
            }
        }
        Ok(SideDone { waiting: waiting.len(), buried })
    }

    /// Returns the lines that a plan purges and that go to the grave if nobody has typed them since.
    fn doomed(&self, memory: &Memory, plan: &ExchangePlan) -> Vec<Buried> {
        let is_kept = |id: EntryId| {
            !self.destroys && plan.purged.contains_key(&id) && !plan.secrets.contains(&id)
        };
        let mut doomed: Vec<Buried> = Vec::new();
        let mut lines: Vec<&HandLine> = self.held.lines.iter().filter(|l| is_kept(l.id)).collect();
        // Of a line that stands in several files, the one in a topic.
        lines.sort_by_key(|line| line.archived);
        if lines.is_empty() {
            return doomed;
        }
        // An interrupted burial may have left the purge in the log, and what was said before.
        let said = self.held.events.iter().filter_map(|line| Event::read(line));
        let said: Vec<Event> =
            said.filter(|event| !matches!(event.kind, EventKind::Purge { .. })).collect();
        let ledger = FoldedEvents::of(&said).ledger;
        let snapshot = self.txn.snapshot();
        for line in lines {
            let HandLine { id, category, text, stem, pinned, asides, .. } = line;
            let is_same = |one: &&mut Buried| (&one.category, &one.text) == (category, text);
            if let Some(known) = doomed.iter_mut().find(is_same) {
                known.pinned |= pinned;
                continue;
            }
            let mut one = Buried::new(memory.now, *id, category, text, stem);
            let marked = snapshot.entries().filter(|(_, entry)| entry.id == *id);
            one.enforced = marked.into_iter().any(|(_, entry)| entry.markers.enforced);
            one.pinned = *pinned;
            one.asked = asides.asked.to_string();
            one.rules = asides.rules.to_string();
            if let Some(evidence) = ledger.evidence(memory.now, *id) {
                evidence.cue.name().clone_into(&mut one.cue);
                one.count = evidence.count.max(1);
            }
            doomed.push(one);
        }
        doomed
    }
}

/// Returns the changes of a plan as people see them.
pub(super) fn shown(plan: &ExchangePlan, buried: &[Buried]) -> Vec<SyncedLine> {
    let ids = |of: fn(&ExchangeChange) -> Option<EntryId>| -> IdSet<EntryId> {
        plan.changes.iter().filter_map(of).collect()
    };
    let appended = ids(|change| match change {
        ExchangeChange::Append(line) => Some(line.id),
        _ => None,
    });
    let removed = ids(|change| match change {
        ExchangeChange::Remove(line) => Some(line.id),
        _ => None,
    });
    let mut shown: Vec<SyncedLine> = Vec::new();
    for change in &plan.changes {
        let (action, line) = match change {
            ExchangeChange::Append(line) => match (removed.contains(&line.id), line.archived) {
                (false, false) => (SyncAction::Added, line),
                (_, true) => (SyncAction::Archived, line),
                (true, false) => (SyncAction::Moved, line),
            },
            ExchangeChange::Remove(line) if appended.contains(&line.id) => continue,
            ExchangeChange::Remove(line) => (SyncAction::Removed, line),
            ExchangeChange::Mark(line) if line.pinned => (SyncAction::Pinned, line),
            ExchangeChange::Mark(line) => (SyncAction::Unpinned, line),
        };
        let folder = if line.archived { "archive" } else { "topics" };
        shown.push(SyncedLine {
            action,
            entry: format!("[{}] {}", line.category, line.text),
            file: format!("{folder}/{}.md", line.stem),
        });
    }
    let kept: IdSet<EntryId> = buried.iter().filter_map(Buried::id).collect();
    shown.extend(buried.iter().map(|one| SyncedLine {
        action: SyncAction::Buried,
        entry: format!(
            "[{}] {} ({:.7})",
            one.category,
            one.text,
            one.id().unwrap_or_default().to_string()
        ),
        file: String::new(),
    }));
    let mut purged: Vec<&EntryId> = plan.purged.keys().filter(|id| !kept.contains(id)).collect();
    purged.sort_unstable();
    shown.extend(purged.into_iter().map(|id| SyncedLine {
        action: SyncAction::Purged,
        entry: id.to_string(),
        file: String::new(),
    }));
    shown
}
