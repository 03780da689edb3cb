//! Purge of entries: the only way in which pimem destroys user text.
//!
//! The tombstones are written first, then texts are removed, then what the log has of them. After
//! an interruption the purge can be requested again for any text left, and an exchange with another
//! store completes it. Copies in other branches and clones are not reached.

use anyhow::Result;

use super::{
    Store, evidence_log,
    lock::StoreLock,
    machine_local::{ACCESSES, TELEMETRY},
    read,
    snapshot::EVIDENCE,
};
use pimem_core::{
    markdown::topic::{TopicDoc, TopicEntry},
    model::{
        category::Categories,
        entry::{EntryId, Wording},
        event::Order,
        hash::{IdMap, IdSet},
    },
};

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
        let twins: Vec<&Wording> = others.iter().filter(|other| ids.contains(&other.id)).collect();
        for folder in ["topics", "archive"] {
            let names = read::markdown_names(&self.dir, &self.dir.join(folder));
            for name in names? {
                let name = format!("{folder}/{name}");
                let without = |bytes: &[u8]| {
                    let doc = TopicDoc::parse(bytes.to_vec(), categories);
                    let gone = |entry: &&TopicEntry| {
                        ids.contains(&entry.id) && !twins.iter().any(|twin| entry.is(twin))
                    };
                    let lines = doc.entries.iter().filter(gone);
                    let edits: Vec<_> = lines.map(|entry| doc.remove(entry)).collect();
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
        self.forget_steps()?;
        if self.purge_telemetry(ids)? {
            changed.push(format!("../data/{TELEMETRY}"));
        }
        if self.purge_accesses(ids)? {
            changed.push(format!("../data/{ACCESSES}"));
        }
        Ok(changed)
    }
}
