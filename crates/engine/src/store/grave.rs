//! The grave of a store: lines whose purge came by an exchange, beside the store on this machine.

use std::collections::BTreeSet;

use anyhow::{Result, bail};

use super::{
    Store, atomic,
    snapshot::Snapshot,
    transaction::{Change, Target, Txn},
};
use pimem_core::{
    model::{
        category::Categories,
        entry::{EntryId, Markers},
        event::{Author, Cue, Event, EventKind, MOST_PROOFS, Provenance},
        hash::IdSet,
        time::Now,
    },
    score::{adopt, ranking::LocatedEntry},
    sync::grave::{Buried, Grave, MOST_BYTES},
};

/// File in `data/`.
const NAME: &str = "grave.jsonl";

impl Store {
    /// Returns the lines in the grave that are gone from the store: neither a topic nor the archive
    /// has them, and nobody has typed them again.
    pub fn buried(
        &self,
        snapshot: &Snapshot,
        archive: &Snapshot,
        categories: &Categories,
    ) -> Vec<(LocatedEntry, Buried)> {
        let Ok(Some(bytes)) = self.local(NAME) else { return Vec::new() };
        let ledger = &snapshot.ledger;
        let located = |one: &Buried| {
            let (id, category) = (one.id()?, categories.find(&one.category)?);
            let topic = Some(one.topic.clone()).filter(|topic| !topic.is_empty());
            let entry = LocatedEntry {
                id,
                category,
                text: one.text.clone(),
                pinned: one.pinned,
                enforced: one.enforced,
                topic: topic.unwrap_or_else(|| categories.spec(category).topic.to_string()),
                continues: None,
                line: 0,
                scope: self.scope,
                reviewed: self.trust.holds_entry(&one.category, &one.text),
                secret: self.trust.secret_in(&one.category, &one.text),
            };
            let of = entry.wording();
            let is_gone = (ledger.is_gone(id) || !ledger.has(id))
                && [snapshot, archive].iter().all(|held| held.holders(&of).is_empty());
            is_gone.then(|| (entry, one.clone()))
        };
        Grave::read(&bytes).lines().iter().filter_map(located).collect()
    }

    /// Puts lines into the grave, synced. Returns how many older ones left it for want of room.
    ///
    /// # Errors
    /// Fails if the grave cannot be read or written; then nothing is in it, and the lines must stay.
    pub fn bury(&self, lines: Vec<Buried>) -> Result<usize> {
        let mut dropped = 0;
        self.keep_local(NAME, |bytes| {
            let mut grave = Grave::read(bytes.unwrap_or_default());
            dropped = grave.bury(lines, MOST_BYTES);
            Some(grave.write())
        })?;
        Ok(dropped)
    }

    /// Destroys the lines of entries that are in the grave. Returns true if it had any.
    pub fn empty_grave(&self, ids: &IdSet<EntryId>) -> Result<bool> {
        self.change_grave(|grave| {
            let before = grave.lines().len();
            grave.empty(ids);
            grave.lines().len() < before
        })
    }

    /// Destroys the lines whose time is over. Errors are for the next writer.
    pub fn sweep_grave(&self, now: Now) {
        drop(self.change_grave(|grave| grave.sweep(now)));
    }

    fn change_grave(&self, change: impl Fn(&mut Grave) -> bool) -> Result<bool> {
        // The common case, no grave, needs no lock.
        let Some(held) = self.local(NAME)? else { return Ok(false) };
        if !change(&mut Grave::read(&held)) {
            return Ok(false);
        }
        self.keep_local(NAME, |bytes| {
            let mut grave = Grave::read(bytes?);
            change(&mut grave).then(|| grave.write())
        })
    }
}

impl Txn<'_> {
    /// Brings a line back from the grave. That a person asks for it again is what makes it outlive the
    /// purge, here and wherever the events go.
    ///
    /// # Errors
    /// Fails if an event about the entry is dated at the end of time.
    pub fn exhume(&mut self, entry: &LocatedEntry, one: &Buried) -> Result<()> {
        let LocatedEntry { category, text, pinned, enforced, topic, .. } = entry.clone();
        let named = adopt::Line {
            id: entry.id,
            category: &one.category,
            topic: &topic,
            text: &text,
            pinned,
        };
        let cue = Cue::find(&one.cue).unwrap_or(Cue::Explicit);
        let more = u32::try_from(one.count - 1).unwrap_or(MOST_PROOFS).min(MOST_PROOFS);
        let add = EventKind::Add(cue, Some(adopt::origin(&named)));
        let reinforce = (more > 0).then_some(EventKind::Reinforce(more));
        let pin = pinned.then_some(EventKind::Pin);
        for kind in [Some(add), reinforce, pin].into_iter().flatten() {
            // Dated as a decision is: the clock of whoever purged it may be ahead.
            let ledger = &self.snapshot().ledger;
            let place = ledger.place(self.now, entry.id, &EventKind::Restore, atomic::random()?);
            let Some((ts, id)) = place else {
                bail!("an event about entry {} is dated at the end of time", entry.id)
            };
            let event = Event { id, ts, entry: entry.id, by: Author::Person, kind };
            let who = Provenance { by: Provenance::USER.to_owned(), ..Provenance::default() };
            self.take_over(&event, &event.write(&who), &BTreeSet::new());
        }
        let markers = Markers { pinned, enforced };
        self.change(
            Target::Topic(topic),
            Change::Append { category, text, markers, heading: None },
        );
        Ok(())
    }
}
