//! Where an entry stands, which follows from the events alone; and events for what people did to the
//! lines by hand, before an exchange.
//!
//! New and edited lines are adopted by every reader ([`crate::score::adopt`]). These events tell
//! other stores what readers of this one see in its files: lines that were moved, deleted, marked,
//! or typed again.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    model::{
        category::Categories,
        entry::EntryId,
        event::{ArchiveReason, Cue, Event, EventKind, Order, Origin},
        hash::IdMap,
        operation::UserState,
        questions::Questions,
        rules::{LineAsides, LineRules},
    },
    score::{adopt, ledger::Ledger},
};

/// Where the line of an entry stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Topic,
    Archive,
    /// In no file: it has another wording now.
    Reworded,
    /// In no file: it was purged.
    Purged,
    /// The events do not say: it was never added.
    Unknown,
}

/// Events folded into evidence and places.
#[derive(Debug, Clone, Default)]
pub struct FoldedEvents {
    pub ledger: Ledger,
    /// The topics that events name, with the positions of these events.
    topics: IdMap<EntryId, Vec<(Order, String)>>,
    /// What entries are asked for as, likewise.
    asked: IdMap<EntryId, Vec<(Order, String)>>,
    /// The rules that entries carry, likewise.
    rules: IdMap<EntryId, Vec<(Order, String)>>,
}

impl FoldedEvents {
    /// Folds events that were read with their origins.
    pub fn of<'a>(events: impl IntoIterator<Item = &'a Event>) -> Self {
        let mut folded = Self::default();
        events.into_iter().for_each(|event| folded.fold(event));
        folded
    }

    /// Folds an event, as [`Ledger::fold`] does.
    pub fn fold(&mut self, event: &Event) {
        self.ledger.fold(event);
        let aside = match &event.kind {
            EventKind::Ask(asked) => Some((&mut self.asked, asked)),
            EventKind::Rule(rules) => Some((&mut self.rules, rules)),
            _ => None,
        };
        if let Some((of, text)) = aside {
            of.entry(event.entry).or_default().push((event.order(), text.to_string()));
        }
        let topic = match &event.kind {
            EventKind::Add(_, Some(origin)) | EventKind::Edit(_, Some(origin)) => &*origin.topic,
            EventKind::Move(topic) => topic,
            _ => return,
        };
        if is_stem(topic) {
            let known = self.topics.entry(event.entry).or_default();
            known.push((event.order(), topic.to_owned()));
        }
    }

    /// Returns the topic of an entry, from the latest event that names one.
    #[must_use]
    pub fn topic(&self, entry: EntryId) -> Option<&str> {
        self.latest(&self.topics, entry)
    }

    /// Returns what stands behind the text of an entry, from the latest event that says so of each
    /// kind; of a kind of which none says it, that of `unsaid`.
    #[must_use]
    pub fn asides(&self, entry: EntryId, unsaid: LineAsides) -> LineAsides {
        let (asked, rules) = (self.latest(&self.asked, entry), self.latest(&self.rules, entry));
        LineAsides {
            asked: asked.map_or(unsaid.asked, Questions::read),
            rules: rules.map_or(unsaid.rules, LineRules::read),
        }
    }

    fn latest<'a>(
        &self,
        of: &'a IdMap<EntryId, Vec<(Order, String)>>,
        entry: EntryId,
    ) -> Option<&'a str> {
        let known = of.get(&entry)?.iter();
        let counts = known.filter(|(at, _)| !self.ledger.is_void(entry, *at));
        counts.max().map(|(_, text)| text.as_str())
    }

    #[must_use]
    pub fn place(&self, entry: EntryId) -> Place {
        let ledger = &self.ledger;
        if ledger.is_gone(entry) {
            Place::Purged
        } else if !ledger.is_begun(entry) {
            Place::Unknown
        } else if ledger.archived(entry) {
            Place::Archive
        } else if ledger.is_used(entry) {
            Place::Reworded
        } else {
            Place::Topic
        }
    }

    /// Returns true if the line of an entry has the pinned marker.
    #[must_use]
    pub fn is_pinned(&self, entry: EntryId) -> bool {
        self.ledger.decided(entry) == Some(UserState::Pinned)
    }
}

/// Returns true if a name may be that of a topic file, without `.md`, on any machine.
#[must_use]
pub fn is_stem(name: &str) -> bool {
    let fits = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.');
    (1..=64).contains(&name.len())
        && name.chars().all(fits)
        && !name.starts_with(['.', ' '])
        && !name.ends_with(['.', ' '])
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct HandLine {
    pub id: EntryId,
    /// True if it is in the archive, false if it is in a topic.
    pub archived: bool,
    /// Name of the file without `.md`.
    pub stem: String,
    pub category: String,
    pub text: String,
    pub pinned: bool,
    pub asides: LineAsides,
}

/// Returns what happened to the lines since the events. `origins` are those of entries without a
/// line: one whose category is unknown here may have a line that cannot be read.
#[must_use]
pub fn changes(
    folded: &FoldedEvents,
    lines: &[HandLine],
    origins: &[(EntryId, Origin)],
    categories: &Categories,
) -> Vec<(EntryId, EventKind)> {
    let mut standing: BTreeMap<EntryId, Vec<&HandLine>> = BTreeMap::new();
    for line in lines.iter().filter(|line| !line.archived) {
        standing.entry(line.id).or_default().push(line);
    }
    let mut changes = Vec::new();
    for (id, lines) in &standing {
        let Some(first) = lines.iter().min_by_key(|line| &line.stem) else { continue };
        let pinned = lines.iter().any(|line| line.pinned);
        match folded.place(*id) {
            Place::Purged => continue,
            Place::Reworded => {
                let is_elsewhere = |of| standing.contains_key(&of);
                // Git has brought the old wording back.
                if folded.ledger.is_reworded(*id, is_elsewhere) {
                    continue;
                }
                changes.push((*id, EventKind::Restore));
            }
            Place::Topic => {
                let topic = folded.topic(*id);
                let is_there = lines.iter().any(|line| Some(&*line.stem) == topic);
                if !is_there && is_stem(&first.stem) {
                    changes.push((*id, EventKind::Move(first.stem.as_str().into())));
                }
            }
            Place::Archive | Place::Unknown => {
                let (category, topic, text) = (&*first.category, &*first.stem, &*first.text);
                let line = adopt::AdoptedLine { id: *id, category, topic, text, pinned };
                let cue = if pinned { Cue::Explicit } else { Cue::Behavioral };
                changes.push((*id, EventKind::Add(cue, Some(adopt::origin(&line)))));
            }
        }
        if pinned && !folded.is_pinned(*id) {
            changes.push((*id, EventKind::Pin));
        }
        let said = folded.asides(*id, LineAsides::default());
        if lines.iter().all(|line| line.asides != said) {
            changes.extend(first.asides.since(&said).into_iter().map(|kind| (*id, kind)));
        }
    }
    let present = standing.keys().copied().collect();
    let readable: BTreeSet<EntryId> = origins
        .iter()
        .filter(|(_, origin)| categories.find(&origin.category).is_some())
        .map(|(id, _)| *id)
        .collect();
    let vanished = folded.ledger.vanished(&present).into_iter();
    let vanished = vanished.filter(|id| readable.contains(id) && !folded.ledger.is_gone(*id));
    changes.extend(vanished.map(|id| (id, EventKind::Archive(ArchiveReason::Person))));
    changes
}
