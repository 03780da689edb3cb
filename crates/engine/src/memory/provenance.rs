//! Records lines typed here before entries are shown as reviewed or not, and reports where the
//! others come from.

use std::{borrow::Cow, path::PathBuf, time::Duration};

use super::{Memory, leaky::Leaky};
use crate::store::{Store, provenance, snapshot::Snapshot};
use pimem_core::{
    language::injection,
    score::ranking::{LocatedEntry, Ranking},
};

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

    /// Returns how entries that await review came here, as far as that is known.
    pub fn came(&self, stores: &[Store], waiting: &[&LocatedEntry]) -> Came {
        let held = stores.iter().map(|store| {
            let here = waiting.iter().copied().filter(|entry| entry.scope == store.scope);
            let name =
                |entry: &LocatedEntry| self.config.categories.spec(entry.category).name.clone();
            let lines = here.map(|entry| (name(entry), entry.text.as_str()));
            (store, lines.collect::<Vec<_>>())
        });
        let mut all = held.filter(|(_, lines)| !lines.is_empty());
        let Some((first, lines)) = all.next() else { return Came::Elsewhere };
        let came = self.came_to(first, &lines);
        // What holds for all of them is less.
        let same = all.all(|(store, lines)| self.came_to(store, &lines) == came);
        if same { came } else { Came::Elsewhere }
    }

    /// Returns how lines of a store, given as category and text, came there.
    fn came_to(&self, store: &Store, lines: &[(Cow<'static, str>, &str)]) -> Came {
        let trust = &store.trust;
        if trust.is_foreign() && !trust.is_whole() {
            return Came::Foreign;
        }
        if trust.is_made() {
            let is_brought = |(category, text): &(Cow<'static, str>, &str)| {
                trust.holds(trust.brought(category, text))
            };
            let is_order = |(_, text): &(Cow<'static, str>, &str)| injection::find(text).is_some();
            return match self.places.work_tree(&store.dir) {
                _ if lines.iter().all(is_order) => Came::Order,
                None => Came::Elsewhere,
                Some(_) if lines.iter().all(is_brought) => Came::Git,
                Some(_) => Came::PerhapsGit,
            };
        }
        if let Some(former) = trust.moved_from(lines) {
            return Came::Moved(former);
        }
        let Some(root) = self.places.work_tree(&store.dir) else { return Came::Elsewhere };
        match store.is_tracked(root, provenance::LIMIT) {
            Some(true) => Came::Git,
            Some(false) => Came::NotGit,
            None => Came::PerhapsGit,
        }
    }
}

/// How entries that await review came into a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Came {
    /// Git brought them.
    Git,
    /// It may have.
    PerhapsGit,
    /// Not by git, which does not have them: a store that was made by hand or unpacked.
    NotGit,
    /// From elsewhere, where there is no git.
    Elsewhere,
    /// From this path, which is gone: the folder was moved.
    Moved(PathBuf),
    /// The store belongs to another user.
    Foreign,
    /// From a mirror, which withholds them.
    Mirror,
    /// By whichever door: they read like orders to an agent.
    Order,
}

impl Came {
    /// Returns the predicate of one entry or of several: `came by git`.
    pub fn predicate(&self, count: usize) -> String {
        let (was, is, belongs) =
            if count == 1 { ("was", "is", "belongs") } else { ("were", "are", "belong") };
        match self {
            Self::Git => "came by git".to_owned(),
            Self::PerhapsGit => "may have come by git".to_owned(),
            Self::NotGit => format!("{was} not written by pimem here"),
            Self::Elsewhere => format!("{was} not written here"),
            Self::Moved(former) => {
                format!("{was} written before the folder was moved from {}", former.display())
            }
            Self::Foreign => format!("{belongs} to another user"),
            Self::Mirror => format!("{is} withheld"),
            Self::Order if count == 1 => "reads like an order to an agent".to_owned(),
            Self::Order => "read like orders to an agent".to_owned(),
        }
    }

    /// Returns how to look at them and how to vouch for them.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Git | Self::PerhapsGit | Self::Mirror | Self::Order => "pimem trust --review",
            Self::NotGit | Self::Elsewhere | Self::Moved(_) => {
                "pimem trust --review shows them, pimem trust --all vouches for them"
            }
            Self::Foreign => {
                "pimem trust --review shows them, pimem trust --always vouches for the store"
            }
        }
    }
}
