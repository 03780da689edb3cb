//! Purge of entries: the only way in which pimem destroys user text.
//!
//! The tombstones are written first, then texts are removed, then what the log has of them. After
//! an interruption the purge can be requested again for any text left, and an exchange with another
//! store completes it. Copies in other branches and clones are not reached.

use std::collections::BTreeSet;

use anyhow::Result;
use memchr::memmem;
use serde_json::Value;

use super::{
    Store, evidence_log,
    lock::StoreLock,
    machine_local::{ACCESSES, TELEMETRY},
    read,
    snapshot::EVIDENCE,
};
use pimem_core::{
    markdown::{
        entry_line,
        topic::{TopicDoc, TopicEntry},
    },
    model::{
        category::Categories,
        entry::{EntryId, Wording},
        event::Order,
        hash::{IdMap, IdSet, pi32},
    },
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
                        format!("{:08x}", pi32(&entry_line::canonical(name, &entry.text)))
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
            let kept = evidence_log::without(bytes, purged);
            (kept.len() < bytes.len()).then_some(kept)
        };
        if self.rewrite(lock, EVIDENCE, without)? {
            changed.push(EVIDENCE.to_owned());
        }
        if self.purge_local_log(purged)? {
            changed.push(self.local_log_name());
        }
        self.purge_steps(ids, categories)?;
        let scores = |bytes: &[u8]| without_scores(bytes, ids, &gone_texts);
        if self.rewrite(lock, SCORES, scores)? {
            changed.push(SCORES.to_owned());
        }
        if self.purge_telemetry(ids)? {
            changed.push(format!("../data/{TELEMETRY}"));
        }
        if self.purge_accesses(ids)? {
            changed.push(format!("../data/{ACCESSES}"));
        }
        Ok(changed)
    }
}
