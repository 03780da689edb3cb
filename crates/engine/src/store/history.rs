//! A store at an earlier moment, reconstructed from its log: its entries and their strength. Texts
//! are the current ones; the old wording of an entry reworded since is lost.

use super::{Store, evidence_log, read::Problem, snapshot::Snapshot};
use pimem_core::{
    model::{
        category::Categories,
        entry::EntryId,
        hash::{IdMap, IdSet},
        time::{Now, Timestamp},
    },
    score::{evidence::UserState, ledger::Ledger, ranking::LocatedEntry},
};

/// The content of a store at an earlier moment.
pub struct Past {
    pub placed: Vec<LocatedEntry>,
    pub ledger: Ledger,
    /// Ids at that moment of current entries whose id differs.
    pub former: IdMap<EntryId, EntryId>,
    /// Problems with reading the archive.
    pub problems: Vec<Problem>,
}

impl Store {
    /// Returns the store at `moment`, which is in the past; `today` is its current content.
    pub fn at(&self, moment: Timestamp, today: &Snapshot, categories: &Categories) -> Past {
        let bytes = self.log().unwrap_or_default();
        let adopted = today.adopted.iter().filter(|event| event.ts <= moment);
        let mut ledger = evidence_log::fold_until(&bytes, moment);
        adopted.for_each(|event| ledger.fold(event));
        let archived = self.read_archive(categories);
        let archive = archived.placed(self, categories);
        let (former, problems) = (IdMap::default(), archived.problems);
        let mut past = Past { placed: Vec::new(), ledger, former, problems };
        let mut seen = IdSet::default();
        for entry in today.placed(self, categories).into_iter().chain(archive) {
            let Some(then) = wording(&past.ledger, &today.ledger, entry.id) else { continue };
            if past.ledger.archived(then) || !seen.insert(then) {
                continue;
            }
            if then != entry.id {
                past.former.insert(then, entry.id);
            }
            let user =
                |ledger: &Ledger, id| ledger.evidence(Now(moment), id).map(|known| known.user);
            // A marker that an event explains has the time of the event.
            let explained = user(&today.ledger, entry.id) == Some(UserState::Pinned);
            let pinned =
                entry.pinned && (!explained || user(&past.ledger, then) == Some(UserState::Pinned));
            past.placed.push(LocatedEntry { id: then, pinned, ..entry });
        }
        past
    }
}

/// Returns the id that a current entry had in a past ledger: its own, or that of the wording that
/// it was made from since.
fn wording(past: &Ledger, today: &Ledger, id: EntryId) -> Option<EntryId> {
    if past.knows(id) {
        return Some(id);
    }
    let known: Vec<EntryId> =
        today.sources(id).into_iter().filter(|source| past.knows(*source)).collect();
    let is_last = |id: &&EntryId| known.iter().all(|other| !past.sources(*other).contains(*id));
    known.iter().find(is_last).copied()
}
