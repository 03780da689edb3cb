//! Purge of entries: the only way in which pimem destroys user text; and the grave of a store, lines
//! whose purge came by an exchange, beside the store on this machine.
//!
//! The tombstones are written first, then texts are removed, then what the log has of them. After
//! an interruption the purge can be requested again for any text left, and an exchange with another
//! store completes it. Copies in other branches and clones are not reached.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use memchr::memmem;
use pimem_core::model::{
    questions::Questions,
    rules::{LineAsides, LineRules},
};
use pimem_core::{
    markdown::topic::{self, TopicDoc, TopicEntry},
    model::{
        category::Categories,
        entry::{EntryId, Wording},
        event::{Author, Cue, Event, EventKind, MOST_PROOFS, Order, Provenance},
        hash::{IdMap, IdSet, pi32},
        time::Now,
    },
    score::{adopt, ranking::LocatedEntry},
    sync::grave::{Buried, Grave, MOST_BYTES},
};
use serde_json::Value;

use super::{
    Store, StoreLock, atomic, evidence,
    machine_local::{ACCESSES, LEARNED_QUESTIONS, TELEMETRY},
    read,
    snapshot::{EVIDENCE, Snapshot},
    transaction::{Change, Target, Txn},
};

/// Scores as of the last rebuild.
const SCORES: &str = "memory-scores.json";

/// Returns the scores without those of some entries, which are known by their ids, and in a file of
/// pi by keys of its own. `None` if there are none. A file that is no such document, but names one,
/// is emptied.
fn without_scores(bytes: &[u8], ids: &IdSet<EntryId>, keys: &BTreeSet<String>) -> Option<Vec<u8>> {
    let is_gone = |key: &str| keys.contains(key) || key.parse().is_ok_and(|id| ids.contains(&id));
    let document = serde_json::from_slice::<Value>(bytes).ok();
    let Some(mut document) =
        document.filter(|document| document.get("entries").is_some_and(Value::is_object))
    else {
        let named = ids.iter().any(|id| memmem::find(bytes, id.to_string().as_bytes()).is_some());
        return named.then(Vec::new);
    };
    let entries = document.get_mut("entries")?.as_object_mut()?;
    let before = entries.len();
    entries.retain(|key, _| !is_gone(key));
    (entries.len() < before)
        .then(|| serde_json::to_string_pretty(&document).unwrap_or_default() + "\n")
        .map(String::into_bytes)
}

impl Store {
    /// Removes entries from topics and archive, and from the log what is older than their purges.
    /// `purged` has at least the
    /// `ids`. Lines of `others`, which may have one of the ids too, stay. Returns the names of the changed
    /// files.
    pub fn purge(
        &self,
        lock: &StoreLock,
        ids: &IdSet<EntryId>,
        purged: &IdMap<EntryId, Order>,
        others: &[Wording],
        categories: &Categories,
    ) -> Result<Vec<String>> {
        self.take_in(self.patience)?;
        let mut changed = Vec::new();
        // Keys of pi, which has some of its own.
        let mut gone_texts: BTreeSet<String> = BTreeSet::new();
        let twins: Vec<&Wording> = others.iter().filter(|other| ids.contains(&other.id)).collect();
        for folder in ["topics", "archive"] {
            let names = read::markdown_names(&self.dir, &self.dir.join(folder));
            for name in names? {
                let name = format!("{folder}/{name}");
                let gone_texts = &mut gone_texts;
                let without = |bytes: &[u8]| {
                    let doc = TopicDoc::parse(bytes.to_vec(), categories);
                    let gone = |entry: &&TopicEntry| {
                        ids.contains(&entry.id) && !twins.iter().any(|twin| entry.is(twin))
                    };
                    let lines: Vec<&TopicEntry> = doc.entries.iter().filter(gone).collect();
                    gone_texts.extend(lines.iter().map(|entry| {
                        let name = &categories.spec(entry.category).name;
                        format!("{:08x}", pi32(&topic::canonical(name, &entry.text)))
                    }));
                    let edits: Vec<_> = lines.iter().map(|entry| doc.remove(entry)).collect();
                    (!edits.is_empty()).then(|| doc.apply(edits))
                };
                if self.rewrite(lock, &name, without)? {
                    changed.push(name);
                }
            }
        }
        let without = |bytes: &[u8]| {
            let kept = evidence::without(bytes, purged);
            (kept.len() < bytes.len()).then_some(kept)
        };
        if self.rewrite(lock, EVIDENCE, without)? {
            changed.push(EVIDENCE.to_owned());
        }
        if self.purge_local_log(purged)? {
            changed.push(self.local_log_name());
        }
        self.purge_steps(ids, categories)?;
        self.drop_kept(|said| said.id().is_some_and(|id| ids.contains(&id)))?;
        let scores = |bytes: &[u8]| without_scores(bytes, ids, &gone_texts);
        if self.rewrite(lock, SCORES, scores)? {
            changed.push(SCORES.to_owned());
        }
        if self.purge_telemetry(ids)? {
            changed.push(self.local_shown(TELEMETRY));
        }
        if self.purge_accesses(ids)? {
            changed.push(self.local_shown(ACCESSES));
        }
        if self.change_learned_questions(|all| all.forget(ids))? {
            changed.push(self.local_shown(LEARNED_QUESTIONS));
        }
        Ok(changed)
    }
}

/// File in `data/`.
const GRAVE: &str = "grave.jsonl";

impl Store {
    /// Returns the lines in the grave that are gone from the store: neither a topic nor the archive
    /// has them, and nobody has typed them again.
    pub fn buried(
        &self,
        snapshot: &Snapshot,
        archive: &Snapshot,
        categories: &Categories,
    ) -> Vec<(LocatedEntry, Buried)> {
        let Ok(Some(bytes)) = self.local(GRAVE) else { return Vec::new() };
        let ledger = &snapshot.ledger;
        let located = |one: &Buried| {
            let (id, category) = (one.id()?, categories.find(&one.category)?);
            let topic = Some(one.topic.clone()).filter(|topic| !topic.is_empty());
            let entry = LocatedEntry {
                pinned: one.pinned,
                enforced: one.enforced,
                asides: LineAsides {
                    asked: Questions::read(&one.asked),
                    rules: LineRules::read(&one.rules),
                },
                topic: topic.unwrap_or_else(|| categories.spec(category).topic.to_string()),
                scope: self.scope,
                reviewed: self.trust.holds_entry(&one.category, &one.text),
                secret: self.trust.secret_in(&one.category, &one.text),
                ..LocatedEntry::new(id, category, one.text.clone())
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
        self.keep_local(GRAVE, |bytes| {
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
        let Some(held) = self.local(GRAVE)? else { return Ok(false) };
        if !change(&mut Grave::read(&held)) {
            return Ok(false);
        }
        self.keep_local(GRAVE, |bytes| {
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
        let markers = entry.markers();
        let LocatedEntry { category, text, pinned, topic, .. } = entry.clone();
        let named = adopt::AdoptedLine {
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
        self.change(
            Target::Topic(topic),
            Change::Append { category, text, markers, heading: None },
        );
        Ok(())
    }
}
