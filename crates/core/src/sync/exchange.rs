//! What leaves a store, and what it does with objects that it receives.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::{
    check::{Gate, Purges, Reason, Refused},
    place::{FoldedEvents, HandLine, Place},
    wire::SyncEntry,
};
use crate::model::{
    category::Categories,
    entry::EntryId,
    event::{Event, EventKind, Order},
    hash::{IdMap, IdSet},
    rules::LineAsides,
    time::Now,
};

/// A store as values: its lines, and the lines of its log.
#[derive(Debug, Clone, Default)]
pub struct HeldObjects {
    pub lines: Vec<HandLine>,
    pub events: Vec<String>,
}

/// Objects without the parts of their documents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SyncObjects {
    pub entries: Vec<SyncEntry>,
    /// Events with their bytes unchanged.
    pub events: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExchangeChange {
    /// The line is added to the file that it names.
    Append(HandLine),
    /// The line is removed from the file that it names.
    Remove(HandLine),
    /// The line gets the marker that it says.
    Mark(HandLine),
}

/// What a store does with what it received.
#[derive(Debug, Clone, Default)]
pub struct ExchangePlan {
    /// Lines to be appended to the log.
    pub events: Vec<String>,
    /// Changes to files, the gaining file of a line before the losing one.
    pub changes: Vec<ExchangeChange>,
    /// Entries whose purge is to be carried out, with its position.
    pub purged: IdMap<EntryId, Order>,
    /// Those of them whose purge says that the text held a secret.
    pub secrets: IdSet<EntryId>,
    pub refused: Vec<Refused>,
}

impl ExchangePlan {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.events.is_empty() && self.changes.is_empty() && self.purged.is_empty()
    }
}

/// Returns what may leave a store, and what stays with the reason.
#[must_use]
pub fn outgoing(
    now: Now,
    categories: &Categories,
    held: &HeldObjects,
) -> (SyncObjects, Vec<Refused>) {
    let purges = purges(held.events.iter().filter_map(|line| Event::read(line)));
    let gate = Gate { now, categories: Some(categories), purges: &purges };
    let (mut objects, mut refused) = (SyncObjects::default(), Vec::new());
    let (mut kept, mut known) = (BTreeSet::new(), HashSet::new());
    for line in &held.lines {
        let entry = object_of(line);
        if !known.insert(entry.hash.clone()) {
            continue;
        }
        match gate.entry(&entry) {
            Ok(_) => objects.entries.push(entry),
            Err(refusal) => {
                kept.insert(line.id);
                refused.extend(Some(refusal).filter(|refusal| refusal.reason != Reason::Purged));
            }
        }
    }
    let mut known = HashSet::new();
    for line in held.events.iter().filter(|line| known.insert(line.as_str())) {
        match gate.event(line) {
            Ok(event) if kept.contains(&event.entry) => {}
            Ok(_) => objects.events.push(line.clone()),
            Err(refusal) if refusal.reason == Reason::Purged => {}
            Err(refusal) => refused.push(refusal),
        }
    }
    objects.entries.sort_by(|a, b| a.hash.cmp(&b.hash));
    (objects, refused)
}

#[must_use]
pub fn object_of(line: &HandLine) -> SyncEntry {
    SyncEntry::of(&line.category, &line.text)
}

/// Returns what `there` lacks of `here`.
#[must_use]
pub fn missing(here: &SyncObjects, there: &SyncObjects) -> SyncObjects {
    let entries: HashSet<&str> = there.entries.iter().map(|entry| &*entry.hash).collect();
    let events: HashSet<&str> = there.events.iter().map(String::as_str).collect();
    let entry = |entry: &&SyncEntry| !entries.contains(&*entry.hash);
    let event = |event: &&String| !events.contains(event.as_str());
    SyncObjects {
        entries: here.entries.iter().filter(entry).cloned().collect(),
        events: here.events.iter().filter(event).cloned().collect(),
    }
}

/// Returns what a store does with received objects. Objects in any order and number lead to the
/// same store in the end.
#[must_use]
pub fn apply(
    now: Now,
    categories: &Categories,
    held: &HeldObjects,
    received: &SyncObjects,
) -> ExchangePlan {
    let known: HashSet<&str> = held.events.iter().map(String::as_str).collect();
    let own: Vec<Event> = held.events.iter().filter_map(|line| Event::read_whole(line)).collect();
    let said = received.events.iter().filter_map(|line| Event::read_whole(line));
    // A purge that is dated in the future is refused like any other event.
    let said = said.filter(|event| event.ts <= now.horizon());
    let purges = purges(own.iter().cloned().chain(said));
    let gate = Gate { now, categories: Some(categories), purges: &purges };
    let mut plan = ExchangePlan::default();
    let mut refuse = |refusal: Refused| {
        if refusal.reason != Reason::Purged {
            plan.refused.push(refusal);
        }
    };
    let mut texts: BTreeMap<EntryId, (String, String)> = BTreeMap::new();
    for line in &held.lines {
        texts.entry(line.id).or_insert((line.category.clone(), line.text.clone()));
    }
    let own_texts: BTreeSet<EntryId> = texts.keys().copied().collect();
    for entry in &received.entries {
        match gate.entry(entry) {
            Err(refusal) => refuse(refusal),
            Ok(None) => refuse(refused(entry, Reason::BadLine, "the line is sealed")),
            Ok(Some(line)) => {
                let text = (line.category.to_owned(), line.text.to_owned());
                if *texts.entry(line.id).or_insert_with(|| text.clone()) != text {
                    refuse(refused(entry, Reason::BadLine, "another line here has the same id"));
                }
            }
        }
    }
    let mut fresh: Vec<(Event, &String)> = Vec::new();
    let mut new = HashSet::new();
    for line in &received.events {
        if !known.contains(line.as_str()) && new.insert(line.as_str()) {
            match gate.event(line) {
                Ok(event) => fresh.push((event, line)),
                Err(refusal) => refuse(refusal),
            }
        }
    }
    // A purge is obeyed whatever follows from it.
    let is_purge = |event: &Event| matches!(event.kind, EventKind::Purge { .. });
    let at_once = fresh.iter().map(|(event, _)| event).filter(|event| is_purge(event));
    let before = FoldedEvents::of(own.iter().chain(at_once));
    let mut folded = before.clone();
    for (event, _) in &fresh {
        folded.fold(event);
    }
    // Without the line of an entry, events that put it into a topic would look like a deletion.
    let lacks =
        |folded: &FoldedEvents, id: EntryId, has: bool| !has && folded.place(id) == Place::Topic;
    let has_line = |id: EntryId| texts.contains_key(&id);
    let incomplete: BTreeSet<EntryId> = folded
        .ledger
        .entries()
        .filter(|id| lacks(&folded, *id, has_line(*id)))
        .filter(|id| !lacks(&before, *id, own_texts.contains(id)))
        .collect();
    if !incomplete.is_empty() {
        let events = own.iter().chain(fresh.iter().map(|(event, _)| event));
        let waiting = family(events, incomplete);
        let (kept, left): (Vec<_>, Vec<_>) = fresh
            .into_iter()
            .partition(|(event, _)| is_purge(event) || !waiting.contains(&event.entry));
        plan.refused.extend(left.iter().map(|(event, _)| Refused {
            kind: "event".to_owned(),
            id: event.id.to_string(),
            reason: Reason::Incomplete,
            detail: "the line of the entry did not come with it".to_owned(),
        }));
        fresh = kept;
        folded = before;
        for (event, _) in &fresh {
            folded.fold(event);
        }
    }
    plan.purged = due(&folded, held, &own);
    let said = own.iter().chain(fresh.iter().map(|(event, _)| event));
    let said = said.filter(|event| matches!(event.kind, EventKind::Purge { secret: true, .. }));
    plan.secrets =
        said.map(|event| event.entry).filter(|id| plan.purged.contains_key(id)).collect();
    plan.events = fresh.into_iter().map(|(_, line)| line.clone()).collect();
    plan.changes = changes(categories, &folded, held, texts);
    plan
}

fn refused(entry: &SyncEntry, reason: Reason, detail: &str) -> Refused {
    let (kind, id) = ("entry".to_owned(), entry.hash.clone());
    Refused { kind, id, reason, detail: detail.to_owned() }
}

fn purges(events: impl Iterator<Item = Event>) -> Purges {
    let mut purges = Purges::default();
    events.for_each(|event| purges.note(&event));
    purges
}

/// Returns the purges of which something is left: a line, or an older event.
fn due(folded: &FoldedEvents, held: &HeldObjects, own: &[Event]) -> IdMap<EntryId, Order> {
    let purges = folded.ledger.purges();
    let mut due = IdMap::default();
    for line in held.lines.iter().filter(|line| folded.ledger.is_gone(line.id)) {
        due.extend(purges.get(&line.id).map(|at| (line.id, *at)));
    }
    for event in own {
        let at = purges.get(&event.entry).filter(|at| event.order() < **at);
        due.extend(at.map(|at| (event.entry, *at)));
    }
    due
}

/// Returns the entries that are connected with some by edits and merges, in either direction.
fn family<'a>(
    events: impl Iterator<Item = &'a Event>,
    some: BTreeSet<EntryId>,
) -> BTreeSet<EntryId> {
    let mut near: HashMap<EntryId, Vec<EntryId>> = HashMap::new();
    for event in events {
        let from: &[EntryId] = match &event.kind {
            EventKind::Edit(from, _) => std::slice::from_ref(from),
            EventKind::Merge(from) => from,
            _ => continue,
        };
        for id in from {
            near.entry(event.entry).or_default().push(*id);
            near.entry(*id).or_default().push(event.entry);
        }
    }
    let mut found = some.clone();
    let mut open: Vec<EntryId> = some.into_iter().collect();
    while let Some(id) = open.pop() {
        let next = near.get(&id).into_iter().flatten();
        open.extend(next.filter(|id| found.insert(**id)));
    }
    found
}

/// Returns the changes after which every line stands where the events say.
fn changes(
    categories: &Categories,
    folded: &FoldedEvents,
    held: &HeldObjects,
    texts: BTreeMap<EntryId, (String, String)>,
) -> Vec<ExchangeChange> {
    let mut lines: BTreeMap<EntryId, Vec<&HandLine>> = BTreeMap::new();
    for line in &held.lines {
        lines.entry(line.id).or_default().push(line);
    }
    let mut changes = Vec::new();
    for (id, (category, text)) in texts {
        let here = lines.remove(&id).unwrap_or_default();
        // Of two texts with one id, neither is moved.
        if here.iter().any(|line| line.text != text || line.category != category) {
            continue;
        }
        let (archived, standing): (Vec<&HandLine>, Vec<&HandLine>) =
            here.into_iter().partition(|line| line.archived);
        let place = folded.place(id);
        let spec = categories.find(&category).map(|id| categories.spec(id));
        let named = folded.topic(id).or(spec.map(|spec| spec.topic.as_ref()));
        let line = HandLine {
            id,
            archived: place == Place::Archive,
            stem: named.unwrap_or("lessons").to_owned(),
            category,
            text,
            pinned: folded.is_pinned(id),
            asides: folded.asides(id, LineAsides::default()),
        };
        let remove = |line: &&HandLine| ExchangeChange::Remove((*line).clone());
        match place {
            Place::Topic => {
                let is_there = standing.iter().any(|known| known.stem == line.stem);
                let is_stray =
                    standing.first().is_some_and(|first| !super::place::is_stem(&first.stem));
                if is_stray && folded.topic(id).is_none() {
                    continue;
                }
                for known in standing.iter().filter(|known| known.stem == line.stem) {
                    if (known.pinned, &known.asides) != (line.pinned, &line.asides) {
                        changes.push(ExchangeChange::Mark(line.clone()));
                    }
                }
                if !is_there {
                    changes.push(ExchangeChange::Append(line.clone()));
                    changes.extend(archived.iter().map(remove));
                }
                changes.extend(standing.iter().filter(|known| known.stem != line.stem).map(remove));
            }
            Place::Archive => {
                if archived.is_empty() {
                    changes.push(ExchangeChange::Append(line));
                }
                changes.extend(standing.iter().map(remove));
            }
            Place::Reworded => changes.extend(standing.iter().map(remove)),
            // The purge takes the line away; what is unknown was never placed.
            Place::Purged | Place::Unknown => {}
        }
    }
    changes.dedup();
    changes
}
