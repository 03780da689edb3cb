//! Adoption before an exchange: events for what people did to the lines by hand.
//!
//! New and edited lines are adopted by every reader ([`crate::score::adopt`]). These events tell
//! other stores what readers of this one see in its files: lines that were moved, deleted, marked,
//! or typed again.

use std::collections::{BTreeMap, BTreeSet};

use super::place::{FoldedEvents, Place, is_stem};
use crate::{
    model::{
        category::Categories,
        entry::EntryId,
        event::{ArchiveReason, Cue, EventKind, Origin},
    },
    score::adopt,
};

/// A line of a store.
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
            Place::Topic => {
                let topic = folded.topic(*id);
                let is_there = lines.iter().any(|line| Some(&*line.stem) == topic);
                if !is_there && is_stem(&first.stem) {
                    changes.push((*id, EventKind::Move(first.stem.as_str().into())));
                }
            }
            Place::Archive | Place::Reworded | Place::Unknown => {
                let (category, topic, text) = (&*first.category, &*first.stem, &*first.text);
                let line = adopt::AdoptedLine { id: *id, category, topic, text, pinned };
                let cue = if pinned { Cue::Explicit } else { Cue::Behavioral };
                changes.push((*id, EventKind::Add(cue, Some(adopt::origin(&line)))));
            }
        }
        if pinned && !folded.is_pinned(*id) {
            changes.push((*id, EventKind::Pin));
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
