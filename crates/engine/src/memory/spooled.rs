//! Learning of what the prompt hook has put into the spool of a store.

use std::time::Duration;

use super::{
    Memory,
    learn::{self, HookSpeaker, Learned, LearnedAs},
    lock, of_system,
};
use crate::{
    error::Failure,
    store::{Store, hook_ledger, lock::StoreLock, spool::Said, undo},
};
use pimem_core::{model::entry::EntryId, score::ranking::Scope};

/// Maximum number of statements learned per session; pasted text may look like preferences.
const MOST: usize = 20;
/// Maximum number of spools learned by one call: others may go on writing.
const BATCHES: usize = 8;
/// Maximum wait of a reader for the lock, that is, for another process.
const PATIENCE: Duration = Duration::from_millis(100);
/// Characters of the id by which a step is taken back.
const ID: usize = 8;

/// A statement that was learned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct News {
    pub text: String,
    pub entry: Option<EntryId>,
    /// What `pimem undo` takes it back by, if it can be taken back.
    pub undo: Option<String>,
}

impl News {
    /// Returns the line for the person who said it.
    pub fn told(&self) -> String {
        match &self.undo {
            Some(id) => format!("learned: {} (pimem undo {id})", self.text),
            None => format!("learned: {}", self.text),
        }
    }
}

impl Memory {
    /// Learns what waits in the spools of some stores. Whatever fails leaves it for the next call.
    /// With `haste`, a lock that another process holds is not waited for: it may be learning it.
    pub fn take_in(&self, stores: &[Store], haste: bool) {
        for store in stores.iter().filter(|store| store.has_spool()) {
            let patience = if haste { store.patience.min(PATIENCE) } else { store.patience };
            if let Err(failure) = lock(self, &Store { patience, ..store.clone() }) {
                self.notices.detail(&format!("the spool waits: {}", failure.message));
            }
        }
    }

    /// The same before a command reads stores, once. Hooks learn after they have answered.
    pub(super) fn take_in_before(&self, stores: &[Store]) {
        if !self.unasked && !self.took_in.replace(true) {
            self.take_in(stores, true);
        }
    }

    /// Learns sentences that could not be put into the spool.
    ///
    /// # Errors
    /// Fails if the store cannot be written, and returns what is not learned.
    pub fn hear<'a>(&self, store: &Store, all: &'a [Said]) -> Result<(), (Failure, &'a [Said])> {
        let lock = lock(self, store).map_err(|failure| (failure, all))?;
        for (at, said) in all.iter().enumerate() {
            let rest = all.get(at..).unwrap_or_default();
            self.learn_said(store, &lock, said).map_err(|failure| (failure, rest))?;
        }
        Ok(())
    }

    /// Returns what was learned since this was last asked.
    pub fn news(&self) -> Vec<News> {
        self.news.take()
    }

    /// Learns the spool of a store whose lock was just taken.
    pub(super) fn take_in_locked(&self, store: &Store, lock: &StoreLock) {
        if self.is_background() {
            return;
        }
        self.took_in.set(true);
        if let Err(failure) = self.take_batches(store, lock) {
            self.notices.detail(&format!("the spool waits: {}", failure.message));
        }
        if !self.unasked {
            for news in self.news.take() {
                self.notices.note(&format!("From a prompt {}", news.told()));
            }
        }
    }

    fn take_batches(&self, store: &Store, lock: &StoreLock) -> Result<(), Failure> {
        for _ in 0..BATCHES {
            let Some(batch) = store.take_spool(lock)? else { return Ok(()) };
            let mut failed = Vec::new();
            let mut failure = None;
            for said in &batch.said {
                if let Err(error) = self.learn_said(store, lock, said) {
                    failed.push(said.clone());
                    failure = Some(error);
                }
            }
            if failed.len() == batch.said.len()
                && let Some(failure) = failure
            {
                return Err(failure);
            }
            store.spool(&failed)?;
            store.drop_spool(&batch, lock)?;
            if let Some(failure) = failure {
                return Err(failure);
            }
        }
        Ok(())
    }

    /// Learns a sentence, in the store that it is for.
    fn learn_said(&self, store: &Store, lock: &StoreLock, said: &Said) -> Result<(), Failure> {
        let Some(dir) = said.store.as_ref().filter(|dir| **dir != store.dir) else {
            return self.learn_here(store, (store, lock), said);
        };
        let there = self.store(dir.clone(), Scope::Project).strict();
        let there = Store { patience: store.patience, ..there };
        there.init()?;
        let lock = super::lock(self, &there)?;
        self.learn_here(store, (&there, &lock), said)
    }

    /// Learns a sentence in a store; `home` is the one that has the session's ledger.
    fn learn_here(
        &self,
        home: &Store,
        (store, lock): (&Store, &StoreLock),
        said: &Said,
    ) -> Result<(), Failure> {
        let ledger = said.ledger.as_deref();
        if ledger.is_some_and(|ledger| hook_ledger::known(home, ledger).learned >= MOST) {
            return Ok(());
        }
        // A clock that was set back since must not give events a time to come.
        let now = said.time().filter(|then| then.0 < self.now.0).unwrap_or(self.now);
        // Taken back by itself, whatever else this command does.
        let run = undo::learning(said.mark(), now.0.to_string(), of_system(self.real_now).0);
        let id = run.id.get(..ID).map(str::to_owned);
        let store = &Store { run: Some(run), ..store.clone() };
        let speaker = HookSpeaker { now, who: said.who(), marked: true };
        let done = learn::learn(self, store, Some(lock), std::slice::from_ref(said), speaker)?;
        let news: Vec<&Learned> = done.iter().filter(|learned| learned.what.is_news()).collect();
        let entries: Vec<String> =
            news.iter().filter_map(|learned| learned.id).map(|id| id.to_string()).collect();
        let learned = news.iter().filter(|learned| learned.what == LearnedAs::Learned);
        let told = learned.map(|learned| News {
            text: learned.text.clone(),
            entry: learned.id,
            undo: id.clone().filter(|_| store.can_take_back()),
        });
        let told: Vec<News> = told.collect();
        if let Some(ledger) = ledger.filter(|_| !entries.is_empty()) {
            hook_ledger::note_learned(home, ledger, entries, told.iter().map(News::told).collect());
        }
        self.news.borrow_mut().extend(told);
        Ok(())
    }
}
