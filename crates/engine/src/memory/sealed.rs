//! Sealed stores: whether a store is one, where its key is, and what is said of those that stay
//! closed.

use std::path::{Path, PathBuf};

use super::Memory;
use crate::{
    config::env::Env,
    error::{Failure, Kind},
    index::cache::Cache,
    store::{
        Store,
        seal::{KeyPlace, Seal},
    },
};

impl Memory {
    /// Returns how the store in a directory is kept.
    pub(super) fn seal(&self, dir: &Path) -> Seal {
        let known = self.seals.borrow().iter().find(|(known, _)| known == dir).cloned();
        if let Some((_, seal)) = known {
            return seal;
        }
        let names = || {
            let known = self.config.categories.known();
            known.map(|(_, spec)| spec.name.clone().into_owned()).collect()
        };
        let shelf = || Some(Cache::dir_of(self.env.cache.as_deref()?, dir));
        let seal = Seal::of(dir, |id| self.key_place(id), names, shelf);
        self.seals.borrow_mut().push((dir.to_path_buf(), seal.clone()));
        seal
    }

    /// Has [`Memory::seal`] read again how a store is kept.
    pub(super) fn forget_seal(&self, dir: &Path) {
        self.seals.borrow_mut().retain(|(known, _)| known != dir);
    }

    /// Returns where the key files of a store are; `None` if there is no configuration directory.
    pub(super) fn key_place(&self, id: &str) -> Option<KeyPlace> {
        let set = &*self.config.settings.encryption.key_path;
        let path = match (set, set.strip_prefix("~/")) {
            ("", _) => Env::config_dir()?.join("pimem/keys").join(format!("{id}.key")),
            (_, Some(below)) => self.places.home.as_ref()?.join(below),
            _ => self.places.cwd.join(PathBuf::from(set)),
        };
        Some(KeyPlace::new(path))
    }

    /// Leaves out stores that are sealed and whose key is not here, and says so.
    ///
    /// # Errors
    /// Fails if a person asked and no store is left.
    pub(super) fn unlocked(&self, stores: Vec<Store>) -> Result<Vec<Store>, Failure> {
        let (open, locked): (Vec<Store>, Vec<Store>) =
            stores.into_iter().partition(|store| store.seal.check().is_ok());
        let mut problems = locked.iter().filter_map(|store| store.seal.check().err());
        if !self.unasked
            && open.is_empty()
            && let Some(problem) = problems.next()
        {
            return Err(locked_failure(&problem));
        }
        problems.for_each(|problem| self.warn(problem.to_string()));
        Ok(open)
    }

    /// Returns the one-line message for an agent that a store stays closed. It names no path.
    pub fn locked_for_agents(&self) -> Option<&'static str> {
        let seals = self.seals.borrow();
        seals.iter().any(|(_, seal)| seal.check().is_err()).then_some(
            "> Memory: a store of this project is sealed, and cannot be opened on this machine. The \
             user can look at it with `pimem encrypt status`.",
        )
    }

    /// Reports lines that could not be opened.
    pub fn say_closed(&self) {
        for (_, seal) in self.seals.borrow().iter() {
            for (path, lines) in seal.closed() {
                self.notices.note(&format!(
                    "warning: {path}: lines that cannot be opened, damaged or sealed under another \
                     key: {lines}; left as they are"
                ));
            }
        }
    }
}

fn locked_failure(problem: &crate::store::read::Problem) -> Failure {
    Failure::new(Kind::Refused, problem.to_string(), problem.hint())
}
