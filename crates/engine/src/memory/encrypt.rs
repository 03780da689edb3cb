//! Sealing a store, giving it another key, and making it plain again; whether a store is sealed, where
//! its key is, and what is said of those that stay closed.

use crate::memory::handles::Tending;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::Memory;
use crate::{
    config::env::Env,
    error::{Failure, FailureKind},
    store::{
        Store, StoreLock,
        cover::{Cover, Covered},
        git,
        read::ReadProblem,
        seal::{KeyPlaces, KeySource, Seal, SealKept, store_file},
    },
};

impl Tending<'_> {
    /// Seals the store that a writing command would use. If that was begun before, ends it. What is
    /// left beside the store of a key that is lost is set aside.
    ///
    /// # Errors
    /// Fails if the key file cannot be made or used, or the store cannot be written.
    pub fn encrypt_init(self) -> Result<Encryption, Failure> {
        let store = self.memory.made(self.memory.target()?)?;
        let lock = super::lock(self.memory, &store)?;
        if let Some(problem) = store.read_topics(&self.memory.config.categories).problems.first() {
            return Err(Failure::from(problem));
        }
        if !matches!(store.seal.kept(), SealKept::Sealed(sealed) if !sealed.is_opening()) {
            store_file::begin(source(&store)?, store.sync)?;
            store.seal.reread();
        }
        store.seal.check().map_err(|problem| Failure::from(&problem))?;
        store.seal.accept()?;
        store.drop_cache()?;
        let aside = store.set_aside_lost()?;
        if aside > 0 {
            self.memory.notices.note(&format!(
                "Set aside what only a lost key opens: {aside} files beside the store and in the \
                 state directory"
            ));
        }
        let Covered { files } = store.make_whole(&lock)?;
        let view = self.encryption(&store, files)?;
        let in_git = view.in_git && git::has_plain_history(&store.dir).unwrap_or(true);
        Ok(Encryption { in_git, ..view })
    }

    /// Describes how a store is kept. Nothing is written.
    ///
    /// # Errors
    /// Fails if the store cannot be opened or read.
    pub fn encrypt_status(self) -> Result<Encryption, Failure> {
        let target = self.memory.target()?;
        if !target.exists {
            let (message, hint) = super::target::no_store(&target.dir);
            return Err(Failure::new(FailureKind::Usage, message, hint));
        }
        let store = self.memory.store(target.dir, target.scope);
        if !store.seal.is_sealed() {
            // Topics may have sealed lines where the log has none.
            store.read(self.memory.now, &self.memory.config.categories);
        }
        self.encryption(&store, 0)
    }

    /// Seals a store under a new key. If that was begun before, ends it.
    ///
    /// # Errors
    /// Fails if the store is not sealed, or cannot be written.
    pub fn encrypt_rotate(self) -> Result<Encryption, Failure> {
        let (store, lock) = self.sealed_store()?;
        if matches!(store.seal.kept(), SealKept::Sealed(sealed) if sealed.is_opening()) {
            let message = "the store is being made plain";
            return Err(Failure::new(
                FailureKind::Refused,
                message,
                "end that first: pimem encrypt decrypt",
            ));
        }
        if store.cover()?.former == 0 {
            store_file::rotate(source(&store)?, store.sync)?;
            store.seal.reread();
        }
        let Covered { files } = store.make_whole(&lock)?;
        store_file::promote(source(&store)?)?;
        store.seal.accept()?;
        self.encryption(&store, files)
    }

    /// Makes a sealed store plain again. If that was begun before, ends it. For a store that says
    /// that it is plain already, this machine takes its word.
    ///
    /// # Errors
    /// Fails if the store is not sealed, has lines that cannot be opened, or cannot be written.
    pub fn encrypt_decrypt(self) -> Result<Encryption, Failure> {
        let target = self.memory.target()?;
        let store = self.memory.store(target.dir, target.scope);
        if store.seal.disputed().is_some() && !store.seal.is_sealed() {
            let _lock = super::lock(self.memory, &store)?;
            store.set_aside_lost()?;
            store.seal.accept()?;
            return self.encryption(&store, 0);
        }
        let (store, lock) = self.sealed_store()?;
        let closed = store.cover()?.closed;
        if closed > 0 {
            let files: Vec<String> =
                store.seal.closed().into_iter().map(|(path, _)| path).collect();
            let message = format!("lines that cannot be opened: {closed}, in {}", files.join(", "));
            let hint = "bring the key that they are sealed under, or take them out by hand";
            return Err(Failure::new(FailureKind::Refused, message, hint));
        }
        store_file::begin_opening(source(&store)?, store.sync)?;
        store.seal.reread();
        store.drop_cache()?;
        let Covered { files } = store.make_whole(&lock)?;
        store_file::end_opening(&store.dir, store.sync)?;
        store.seal.reread();
        store.seal.accept()?;
        self.encryption(&store, files)
    }

    /// Writes `store.json` again, if a key of this machine opens the store's sealed lines. If the
    /// store says already how it is sealed, nothing is written.
    ///
    /// # Errors
    /// Fails if there are no sealed lines, no key opens any, or the store cannot be written.
    pub fn encrypt_repair(self) -> Result<Encryption, Failure> {
        let target = self.memory.target()?;
        let store = self.memory.store(target.dir, target.scope);
        let fail = |message, hint: &str| Err(Failure::new(FailureKind::Refused, message, hint));
        if !target.exists {
            let (message, hint) = super::target::no_store(&store.dir);
            return Err(Failure::new(FailureKind::Usage, message, hint));
        }
        let _lock = StoreLock::acquire(&store.dir, store.patience)?;
        store.seal.reread();
        if matches!(store.seal.kept(), SealKept::Sealed(_)) {
            return self.encryption(&store, 0);
        }
        let places = store.sealed_places().map_err(|problem| Failure::from(&problem))?;
        if let Some(found) = store.seal.find_key(&places)? {
            store.seal.describe(&found, store.sync)?;
            store.seal.check().map_err(|problem| Failure::from(&problem))?;
            return self.encryption(&store, 1);
        }
        match store.seal.check().err().or_else(|| store.seal.undescribed()) {
            Some(problem) => fail(
                format!("{problem}; no key on this machine opens them"),
                "copy the key file from the machine that sealed the store, or from its backup",
            ),
            None => fail(format!("no line in {} is sealed", store.dir.display()), "nothing to do"),
        }
    }

    fn sealed_store(self) -> Result<(Store, StoreLock), Failure> {
        let target = self.memory.target()?;
        let store = self.memory.store(target.dir, target.scope);
        if !target.exists || !store.seal.is_sealed() {
            let message = format!("{} is not sealed", store.dir.display());
            return Err(Failure::new(FailureKind::Usage, message, "pimem encrypt init seals it"));
        }
        let lock = super::lock(self.memory, &store)?;
        Ok((store, lock))
    }

    fn encryption(self, store: &Store, written: usize) -> Result<Encryption, Failure> {
        let undescribed = store.seal.undescribed();
        if undescribed.is_none() {
            store.seal.check().map_err(|problem| Failure::from(&problem))?;
        }
        let kept = match store.seal.kept() {
            _ if undescribed.is_some() => KeptAs::Undescribed,
            SealKept::Sealed(sealed) if sealed.is_opening() => KeptAs::Opening,
            SealKept::Plain => KeptAs::Plain,
            SealKept::Sealed(_) | SealKept::Locked(_) | SealKept::Undescribed(_) => KeptAs::Sealed,
        };
        let problem = undescribed.or_else(|| store.seal.disputed());
        let Cover { files, plain, former, closed } = store.cover()?;
        let id = store_file::store_id(&store.dir);
        let place = store.seal.source().zip(id.as_deref()).and_then(|(at, id)| at.keys.of(id));
        Ok(Encryption {
            store: store.dir.display().to_string(),
            scope: store.scope.name(),
            kept: kept.name(),
            store_id: id,
            key_id: store.seal.key().map(|key| key.to_string()),
            key_file: place.map(|place| place.path().display().to_string()),
            files,
            written,
            due: plain + former,
            closed,
            in_git: self.memory.places.in_work_tree(&store.dir),
            problem: problem.as_ref().map(ToString::to_string),
            hint: problem.map(|problem| problem.hint().to_owned()),
        })
    }
}

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
                 The user can look at it with `pimem encrypt`.",
            );
        }
        seals.iter().any(|(_, seal)| seal.check_write().is_err()).then_some(
            "> Memory: a store of this project is not kept as this machine remembers it, so that \
             nothing is noted. The user can look at it with `pimem encrypt`.",
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

fn source(store: &Store) -> Result<&KeySource, Failure> {
    store.seal.source().ok_or_else(|| {
        let message = format!("{} cannot be sealed", store.dir.display());
        Failure::new(
            FailureKind::Usage,
            message,
            "pimem encrypt init --dir DIR seals another store",
        )
    })
}

pimem_core::named! {
    pub enum KeptAs {
        /// As plain text.
        Plain = "plain",
        Sealed = "sealed",
        /// Encrypted, and being made plain.
        Opening = "opening",
        /// Encrypted, and nothing says under which key.
        Undescribed = "undescribed",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Encryption {
    /// Directory of the store.
    pub store: String,
    /// `project` or `user`.
    pub scope: &'static str,
    /// `plain`, `sealed`, `opening`, or `undescribed`, which has sealed lines and no `store.json` that
    /// says so.
    pub kept: &'static str,
    /// Id of the store, 32 hexadecimal digits; `null` for a store that was never sealed.
    pub store_id: Option<String>,
    /// Id of the key that seals, 8 hexadecimal digits.
    pub key_id: Option<String>,
    pub key_file: Option<String>,
    /// Number of files that hold what was remembered.
    pub files: usize,
    /// Number of files that were written by this call.
    pub written: usize,
    /// Number of lines that are not sealed, or under a former key; the next command that writes
    /// seals them.
    pub due: usize,
    /// Number of lines that cannot be opened: damaged, or sealed under a key that is not here.
    pub closed: usize,
    /// True if git may have plain text of the store in its history.
    pub in_git: bool,
    /// What is wrong: the store does not say that it is sealed, or says so otherwise than this machine
    /// remembers it; then hooks write nothing.
    pub problem: Option<String>,
    pub hint: Option<String>,
}

documents! {
    Encryption: "pimem.encrypt/1",
}

fn locked_failure(problem: &ReadProblem) -> Failure {
    Failure::new(FailureKind::Refused, problem.to_string(), problem.hint())
}
