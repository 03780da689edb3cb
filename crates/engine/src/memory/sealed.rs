//! Sealed stores: whether a store is one, where its key is, and what is said of those that stay
//! closed.

use std::path::{Path, PathBuf};

use super::Memory;
use crate::{
    config::env::Env,
    error::{Failure, FailureKind},
    store::{
        Store,
        read::ReadProblem,
        seal::{KeyPlaces, KeySource, Seal},
    },
};

impl Memory {
    /// Returns how the store in a directory is kept.
    pub(super) fn seal(&self, dir: &Path) -> Seal {
        let known = self.seals.borrow().iter().find(|(known, _)| known == dir).cloned();
        if let Some((_, seal)) = known {
            return seal;
        }
        let known = self.config.categories.known();
        let seal = Seal::of(KeySource {
            dir: dir.to_path_buf(),
            keys: self.key_places(),
            categories: known.map(|(_, spec)| spec.name.clone().into_owned()).collect(),
            cache: self.env.cache.clone(),
            state: self.env.state.clone(),
            unasked: self.unasked || self.by_agent,
        });
        if let Some(problem) = seal.disputed() {
            self.warn(problem.to_string());
        }
        self.seals.borrow_mut().push((dir.to_path_buf(), seal.clone()));
        seal
    }

    /// Has [`Memory::seal`] read again how a store is kept.
    pub(super) fn forget_seal(&self, dir: &Path) {
        self.seals.borrow_mut().retain(|(known, _)| known != dir);
    }

    /// Returns where the key files of stores are.
    fn key_places(&self) -> KeyPlaces {
        let set = &*self.config.settings.encryption.key_path;
        let named = match (set, set.strip_prefix("~/")) {
            ("", _) => None,
            (_, Some(below)) => self.places.home.as_ref().map(|home| home.join(below)),
            _ => Some(self.places.cwd.join(PathBuf::from(set))),
        };
        let dir = || Env::config_dir().map(|dir| dir.join("pimem/keys"));
        KeyPlaces { dir: if set.is_empty() { dir() } else { None }, named }
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

    /// Returns the one-line message for an agent that a store stays closed, or is not as this
    /// machine remembers it. It names no path.
    pub fn locked_for_agents(&self) -> Option<&'static str> {
        let seals = self.seals.borrow();
        if seals.iter().any(|(_, seal)| seal.check().is_err()) {
            return Some(
                "> Memory: a store of this project is sealed, and cannot be opened on this machine. \
                 The user can look at it with `pimem encrypt status`.",
            );
        }
        seals.iter().any(|(_, seal)| seal.check_write().is_err()).then_some(
            "> Memory: a store of this project is not kept as this machine remembers it, so that \
             nothing is noted. The user can look at it with `pimem encrypt status`.",
        )
    }

    /// Returns true if the store at hand, which is opened before others, may not be written to. What
    /// belongs to it must not be written into another one either.
    pub fn is_shut(&self) -> bool {
        self.seals.borrow().first().is_some_and(|(_, seal)| seal.check_write().is_err())
    }

    /// Returns what is wrong with how stores are kept.
    pub(super) fn seal_problems(&self) -> Vec<ReadProblem> {
        let seals = self.seals.borrow();
        let wrong = |seal: &Seal| {
            seal.check().err().or_else(|| seal.undescribed()).or_else(|| seal.disputed())
        };
        seals.iter().filter_map(|(_, seal)| wrong(seal)).collect()
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

fn locked_failure(problem: &ReadProblem) -> Failure {
    Failure::new(FailureKind::Refused, problem.to_string(), problem.hint())
}
