//! Purge: destroys entries, which cannot be undone.

use crate::memory::handles::Writing;
use std::collections::BTreeSet;

use pimem_core::{
    markdown::topic,
    model::{
        entry::{EntryId, Wording},
        hash::{IdMap, IdSet},
    },
    score::{
        evidence,
        ranking::{Ranking, ScoredEntry},
    },
    sync::wire::content_hash,
};
use serde::Serialize;

use super::{
    Memory,
    background::{Refresh, Stale},
    dream::gather,
    pins, problems, selector,
};
use crate::{
    error::Failure,
    store::{Store, trust_ledger},
};

impl Writing<'_> {
    /// Destroys the text, evidence and index of entries, including forgotten and archived ones,
    /// after `confirm` has agreed to their lines. Returns the stores whose index should be
    /// refreshed.
    ///
    /// # Errors
    /// Fails if a selector does not match exactly one entry, the purge is not confirmed, or a store
    /// cannot be written.
    pub fn purge(
        self,
        selectors: &[String],
        confirm: impl FnOnce(&[String]) -> Result<(), Failure>,
    ) -> Result<(Purged, Vec<Stale>), Failure> {
        // A line of a mirror would live on at the server and with everybody else.
        let stores = self.memory.readers()?;
        let (live, snapshots) = self.memory.ranking(&stores);
        let archives: Vec<_> =
            stores.iter().map(|store| store.read_archive(&self.memory.config.categories)).collect();
        let gone = archives.iter().zip(&stores).zip(snapshots.iter());
        let gone = gone.map(|((archive, store), snapshot)| {
            let buried =
                store.buried(snapshot, archive, &self.memory.config.categories).into_iter();
            let mut placed = archive.placed(store, &self.memory.config.categories);
            placed.extend(buried.map(|(entry, _)| entry));
            (placed, &snapshot.ledger)
        });
        let gone = Ranking::new(self.memory.now, self.memory.rules(), gone.collect());
        let mut rows = live.rows.clone();
        rows.extend(gone.rows.into_iter().filter(|row| live.find(&row.entry.wording()).is_none()));
        let former = live.former.clone();
        let all = Ranking { rows, policy: live.policy, former, ..Ranking::default() };
        let unread = [problems(&snapshots), problems(&archives)].concat();
        let chosen = selector::entries(self.memory, &all, &unread, selectors)?;
        let entries = self.memory.entries_of(&all);
        let lines: Vec<String> = chosen.iter().map(|row| entries.line(row)).collect();
        confirm(&lines)?;
        let is_chosen =
            |row: &&ScoredEntry| chosen.iter().any(|known| known.entry.is_copy(&row.entry));
        let others: Vec<Wording> =
            all.rows.iter().filter(|row| !is_chosen(row)).map(|row| row.entry.wording()).collect();
        let mut files = BTreeSet::new();
        let mut stale = Vec::new();
        for ((store, snapshot), archive) in stores.iter().zip(snapshots.iter()).zip(&archives) {
            // Earlier wordings are purged too, unless they are entries of their own again.
            let own: IdSet<EntryId> = chosen.iter().map(|row| row.entry.id).collect();
            let mut ids: IdSet<EntryId> =
                chosen.iter().flat_map(|row| snapshot.ledger.family(row.entry.id)).collect();
            ids.retain(|id| own.contains(id) || others.iter().all(|other| other.id != *id));
            store.empty_grave(&ids)?;
            let named: IdMap<EntryId, String> = chosen
                .iter()
                .map(|row| {
                    let name = &self.memory.config.categories.spec(row.entry.category).name;
                    let line = topic::canonical(name, &row.entry.text);
                    (row.entry.id, content_hash(&line))
                })
                .collect();
            let is_archived = |id: EntryId| archive.entries().any(|(_, entry)| entry.id == id);
            ids.retain(|id| snapshot.ledger.has(*id) || is_archived(*id));
            let secret = |row: &&&ScoredEntry| row.entry.secret.is_some();
            let secrets = chosen.iter().filter(secret);
            let secrets = secrets.flat_map(|row| snapshot.ledger.family(row.entry.id)).collect();
            let changed = destroy(self.memory, store, (&ids, &named, &secrets), &others)?;
            // A stored hash could reveal that a known text was in the store.
            let name =
                |row: &ScoredEntry| &self.memory.config.categories.spec(row.entry.category).name;
            let key = |row: &ScoredEntry| store.trust.entry(name(row), &row.entry.text);
            trust_ledger::forget_waiting(
                &store.trust,
                &chosen.iter().map(|row| key(row)).collect::<Vec<_>>(),
            )?;
            pins::settle_in(self.memory, store, chosen.iter().copied())?;
            let keys = chosen.iter().flat_map(|row| {
                let text = row.entry.text.as_str();
                let (brought, no_secret) =
                    (store.trust.brought(name(row), text), store.trust.no_secret(name(row), text));
                [key(row), brought, no_secret]
            });
            let keys: Vec<_> = keys.filter(|key| store.trust.holds(*key)).collect();
            if !keys.is_empty() {
                store.trust.forget(Some(&keys))?;
            }
            if !changed.is_empty() {
                stale.push(Stale::of(store, Refresh::Whole));
            }
            files.extend(changed);
        }
        self.memory.notices.note("What git, other clones and daily logs hold of it is not touched");
        let ids = chosen.iter().map(|row| row.entry.id.to_string()).collect();
        Ok((Purged { ids, files: files.into_iter().collect(), entries: lines }, stale))
    }
}

fn destroy(
    memory: &Memory,
    store: &Store,
    (ids, named, secrets): (&IdSet<EntryId>, &IdMap<EntryId, String>, &IdSet<EntryId>),
    others: &[Wording],
) -> Result<Vec<String>, Failure> {
    let lock = super::lock(memory, store)?;
    gather::purge(store, ids)?;
    let categories = &memory.config.categories;
    let mut txn = store.begin(&lock, categories, memory.now, memory.who());
    let mut sorted: Vec<EntryId> = ids.iter().copied().collect();
    sorted.sort_unstable();
    let mut purged = IdMap::default();
    for id in sorted {
        // A tombstone would bury the other text that has the id, too.
        let is_shared = others.iter().any(|other| other.id == id);
        let hash = named.get(&id).map(String::as_str);
        let mut at = || txn.bury(id, hash, secrets.contains(&id));
        purged.insert(id, if is_shared { evidence::END } else { at()? });
    }
    txn.commit()?;
    Ok(store.purge(&lock, ids, &purged, others, categories)?)
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Purged {
    /// Ids, 16 hexadecimal digits each.
    pub ids: Vec<String>,
    /// Changed files, relative to their store, sorted.
    pub files: Vec<String>,
    #[serde(skip)]
    pub entries: Vec<String>,
}

documents! {
    Purged: "pimem.purge/1",
}
