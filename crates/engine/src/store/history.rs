//! A store as it stood at an earlier moment, as far as its log tells: what was there, and how
//! strongly. Texts are those of today; of an entry that was reworded since, the old wording is gone.

use super::{
    evidence_log,
    read::Problem,
    snapshot::{Snapshot, Store},
};
use pimem_core::{
    model::{
        category::Categories,
        entry::EntryId,
        hash::{IdMap, IdSet},
        time::{Now, Timestamp},
    },
    score::{evidence::UserState, ledger::Ledger, ranking::LocatedEntry},
};

/// What a store held at a moment.
pub struct Past {
    /// Its entries.
    pub placed: Vec<LocatedEntry>,
    /// Its evidence.
    pub ledger: Ledger,
    /// Under which id an entry of today was known then, where that differs.
    pub former: IdMap<EntryId, EntryId>,
    /// What of the archive could not be read.
    pub problems: Vec<Problem>,
}

impl Store {
    /// The store at `moment`, which has passed; `today` is what it holds now.
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
            // A marker that an event explains is as old as the event.
            let explained = user(&today.ledger, entry.id) == Some(UserState::Pinned);
            let pinned =
                entry.pinned && (!explained || user(&past.ledger, then) == Some(UserState::Pinned));
            past.placed.push(LocatedEntry { id: then, pinned, ..entry });
        }
        past
    }
}

/// The id of an entry of today in a ledger of the past: its own, or that of the wording which it
/// was made from since.
fn wording(past: &Ledger, today: &Ledger, id: EntryId) -> Option<EntryId> {
    if past.knows(id) {
        return Some(id);
    }
    let known: Vec<EntryId> =
        today.sources(id).into_iter().filter(|source| past.knows(*source)).collect();
    let is_last = |id: &&EntryId| known.iter().all(|other| !past.sources(*other).contains(*id));
    known.iter().find(is_last).copied()
}
