//! Records lines typed here before entries are shown as reviewed or not, and reports where the
//! others come from.

use std::time::Duration;

use super::{Memory, leaky::Leaky};
use crate::store::{Store, provenance, snapshot::Snapshot};
use pimem_core::score::ranking::{LocatedEntry, Ranking};

impl Memory {
    /// The entries of stores, as [`Memory::ranking`] gives them, after those that were typed here were
    /// noted. Where nothing awaits review, nothing is asked for that.
    pub fn own_ranking(&self, stores: &[Store]) -> (Leaky<Ranking>, Leaky<Vec<Snapshot>>) {
        self.own_ranking_within(provenance::LIMIT, stores)
    }

    /// The same, with a limit to the time that git may take.
    pub fn own_ranking_within(
        &self,
        limit: Duration,
        stores: &[Store],
    ) -> (Leaky<Ranking>, Leaky<Vec<Snapshot>>) {
        let (ranking, snapshots) = self.ranking(stores);
        if ranking.unreviewed() == 0 || !self.note_own(limit, stores, &snapshots) {
            return (ranking, snapshots);
        }
        self.ranking(stores)
    }

    /// Records which lines were typed here. Returns true if there were any.
    pub fn note_own(&self, limit: Duration, stores: &[Store], snapshots: &[Snapshot]) -> bool {
        let note = |(store, snapshot): (&Store, &Snapshot)| {
            store.note_own(snapshot, &self.config.categories, &self.places, limit)
        };
        stores.iter().zip(snapshots).map(note).fold(false, |any, noted| any | noted)
    }

    /// Returns a phrase for how entries that await review came here, as far as that is known.
    pub fn came(&self, stores: &[Store], waiting: &[&LocatedEntry]) -> &'static str {
        let of = |store: &Store| {
            let scope = store.scope;
            waiting.iter().filter(move |entry| entry.scope == scope)
        };
        let is_brought = |store: &Store, entry: &LocatedEntry| {
            let name = &self.config.categories.spec(entry.category).name;
            store.trust.holds(store.trust.brought(name, &entry.text))
        };
        let mut held = stores.iter().filter(|store| of(store).next().is_some());
        if held.clone().all(|store| self.places.work_tree(&store.dir).is_none()) {
            return if waiting.len() == 1 {
                "was not written here"
            } else {
                "were not written here"
            };
        }
        let sure = |store: &Store| {
            !store.trust.is_made() || of(store).all(|entry| is_brought(store, entry))
        };
        if held.all(sure) { "came by git" } else { "may have come by git" }
    }
}
