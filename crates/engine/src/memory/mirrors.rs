//! Mirrors: stores of other projects and people that are only read. Which there are, and what of
//! them is withheld until somebody has looked at it.

use crate::memory::handles::Sharing;
use std::sync::Arc;

use super::{Memory, Reach};
use crate::{
    config::env::Env,
    store::{
        Store,
        foreign_store::{self, MIRRORS},
        read::ReadProblem,
        snapshot::Snapshot,
    },
};
use pimem_core::{
    lint::lines,
    model::{
        entry::EntryId,
        event::{Author, Event, EventKind},
        hash::IdSet,
        mirror::Mirror,
        operation::UserState,
    },
    score::{
        ledger::Ledger,
        ranking::{LocatedEntry, Ranking, Scope, ScoredEntry},
    },
};

/// Bytes of mirrors that a hook reads at most; the mirrors beyond are left out, so that one that is
/// too large costs only itself.
const UNASKED: u64 = 8 << 20;

/// A mirror as it was read, with its own ranking.
pub struct Mirrored {
    pub store: Store,
    pub ranking: Ranking,
    pub snapshot: Snapshot,
    /// Entries that others have pinned, which does not count here.
    pub unpinned: IdSet<EntryId>,
}

impl Sharing<'_> {
    /// Returns true if the command line asks for the team by name, and not only by default.
    pub fn asks_for_team(self) -> bool {
        matches!(self.memory.wish.stores, Some(Reach::Team | Reach::All))
    }

    /// Returns true if the command line names a scope.
    pub fn is_scoped(self) -> bool {
        self.memory.wish.stores.is_some()
    }

    /// Returns true if the command line asks for the team and nothing else.
    pub fn asks_for_team_alone(self) -> bool {
        self.memory.wish.stores == Some(Reach::Team)
    }

    /// Returns the mirrors to read, that of the project at hand first. Those that cannot be used are
    /// left out with a warning.
    pub fn mirrors(self) -> Vec<Store> {
        let alone = self.memory.wish.user || self.memory.places.named.is_some();
        if !self.asks_for_team() && (alone || self.memory.wish.stores.is_some()) {
            return Vec::new();
        }
        let (stores, problems) = self.all_mirrors();
        for problem in problems {
            self.memory.warn(problem.to_string());
        }
        stores
    }

    /// Returns all mirrors of this machine that can be used, and what is wrong with the others.
    pub(super) fn all_mirrors(self) -> (Vec<Store>, Vec<ReadProblem>) {
        let Some(data) = Env::data_dir() else { return (Vec::new(), Vec::new()) };
        let foreign_store::Mirrors { mut mirrors, mut problems } =
            foreign_store::find_mirrors(&data.join(MIRRORS));
        if mirrors.is_empty() {
            return (Vec::new(), problems);
        }
        let home = self.project_name();
        mirrors.sort_by_key(|(_, mirror)| !is_home(mirror, home.as_deref()));
        let mut left = UNASKED;
        let mut stores = Vec::new();
        for (dir, mirror) in mirrors {
            if self.memory.unasked {
                let Some(rest) = left.checked_sub(foreign_store::mirror_bytes(&dir)) else {
                    continue;
                };
                left = rest;
            }
            let store = self.memory.store(dir, Scope::Team);
            if let Err(problem) = store.seal.check() {
                // Nothing else is said of it than of other mirrors that cannot be used.
                self.memory.forget_seal(&store.dir);
                problems.push(problem);
                continue;
            }
            stores.push(Store { mirror: Some(Arc::new(mirror)), strict: true, ..store });
        }
        (stores, problems)
    }

    /// Returns the name of the project at hand: that of its directory.
    pub(super) fn project_name(self) -> Option<String> {
        let name = self.memory.places.root()?.file_name()?.to_str()?;
        Some(name.to_lowercase())
    }

    /// Reads mirrors, and scores the entries of each. Files that cannot be read cost a warning.
    pub fn mirrored(self, stores: Vec<Store>) -> Vec<Mirrored> {
        let read = |store: Store| {
            let held = store.read(self.memory.now, &self.memory.config.categories);
            Mirrored::new(self.memory, store, held)
        };
        let mirrors: Vec<Mirrored> = stores.into_iter().map(read).collect();
        for problem in mirrors.iter().flat_map(|mirror| &mirror.snapshot.problems) {
            self.memory.warn(problem.to_string());
        }
        mirrors
    }

    /// Returns the mirrors that the command line asks for by name, with what is withheld marked.
    pub(super) fn listed_mirrors(self) -> Vec<Mirrored> {
        if !self.asks_for_team() {
            return Vec::new();
        }
        let mut mirrors = self.mirrored(self.mirrors());
        for mirror in &mut mirrors {
            mirror.mark_withheld(self.memory);
        }
        mirrors
    }
}

impl Mirrored {
    /// Scores what was read of a mirror.
    pub fn new(memory: &Memory, store: Store, mut snapshot: Snapshot) -> Self {
        let categories = &memory.config.categories;
        let mut placed = snapshot.placed(&store, categories);
        let mut unpinned = IdSet::default();
        placed.retain_mut(|entry| {
            let ledger = &mut snapshot.ledger;
            let is_decided = |ledger: &Ledger, id| ledger.decided(id) == Some(UserState::Pinned);
            let name = &categories.spec(entry.category).name;
            if !entry.pinned && !is_decided(ledger, entry.id)
                || keeps_pin(&store, entry.id, name, &entry.text)
            {
                return true;
            }
            entry.pinned = false;
            unpinned.insert(entry.id);
            if let Some((ts, id)) = ledger.place(memory.now, entry.id, &EventKind::Unpin, 0) {
                let (entry, kind) = (entry.id, EventKind::Unpin);
                ledger.fold(&Event { id, ts, entry, by: Author::Person, kind });
            }
            // What is pinned at the end of time cannot be unpinned.
            !is_decided(ledger, entry.id)
        });
        let ranking = Ranking::new(memory.now, memory.rules(), vec![(placed, &snapshot.ledger)]);
        Self { store, ranking, snapshot, unpinned }
    }

    pub fn placed(&self) -> (Vec<LocatedEntry>, &Ledger) {
        let entries = self.ranking.rows.iter().map(|row| row.entry.clone());
        (entries.collect(), &self.snapshot.ledger)
    }

    pub fn mirror(&self) -> &Mirror {
        // Only mirrors are read so.
        self.store.mirror.as_deref().unwrap_or(&NOBODY)
    }

    /// Returns why a row is withheld, if it is.
    pub fn withheld(&self, memory: &Memory, row: &ScoredEntry) -> Option<String> {
        let name = &memory.config.categories.spec(row.entry.category).name;
        withheld(&self.store, name, &row.entry.text)
    }

    /// Marks all rows that are withheld as not reviewed. Returns the number of them.
    pub fn mark_withheld(&mut self, memory: &Memory) -> usize {
        let mut rows = std::mem::take(&mut self.ranking.rows);
        let mut count = 0;
        for row in &mut rows {
            if self.withheld(memory, row).is_some() {
                row.entry.reviewed = false;
                count += 1;
            }
        }
        self.ranking.rows = rows;
        count
    }
}

/// Returns true if a mirror is of the project with this name, which is in lower case.
pub fn is_home(mirror: &Mirror, name: Option<&str>) -> bool {
    name.is_some_and(|name| name == mirror.project.to_lowercase())
}

/// The mirror of nothing.
static NOBODY: std::sync::LazyLock<Mirror> = std::sync::LazyLock::new(Mirror::default);

/// Returns why a line of a mirror is withheld: what looks like an order, a secret, or hostile text,
/// until somebody on this machine has looked at it.
pub fn withheld(store: &Store, category: &str, text: &str) -> Option<String> {
    let why = lines::warnings(text).into_iter().next()?;
    (!store.trust.holds_entry(category, text)).then_some(why)
}

/// Returns true if a pinned line of a mirror is pinned here too: the user pinned it, or has reviewed
/// it.
fn keeps_pin(store: &Store, id: EntryId, category: &str, text: &str) -> bool {
    store.mirror.as_ref().is_some_and(|mirror| mirror.is_own(id))
        || store.trust.holds_entry(category, text)
}
