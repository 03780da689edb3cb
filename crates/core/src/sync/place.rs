//! Where an entry stands, which follows from the events alone.

use crate::{
    model::{
        entry::EntryId,
        event::{Event, EventKind, Order},
        hash::IdMap,
        operation::UserState,
    },
    score::ledger::Ledger,
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
        let known = self.topics.get(&entry)?.iter();
        let counts = known.filter(|(at, _)| !self.ledger.is_void(entry, *at));
        counts.max().map(|(_, topic)| topic.as_str())
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
