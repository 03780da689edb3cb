//! Sealing a store, giving it another key, and making it plain again.

use super::Memory;
use crate::{
    error::{Failure, Kind},
    index::cache::Cache,
    store::{
        Store, atomic,
        cover::{Cover, Covered},
        lock::StoreLock,
        seal::{Seal, steps},
    },
};
use pimem_core::view::encrypt::{Encryption, Kept};

impl Memory {
    /// Seals the store that a writing command would use. If that was begun before, ends it.
    ///
    /// # Errors
    /// Fails if the key file cannot be made or used, or the store cannot be written.
    pub fn encrypt_init(&self) -> Result<Encryption, Failure> {
        let store = self.made(self.target()?)?;
        let lock = super::lock(self, &store)?;
        if let Some(problem) = store.read_topics(&self.config.categories).problems.first() {
            return Err(Failure::from(problem));
        }
        if !matches!(&store.seal, Seal::Sealed(sealed) if !sealed.is_opening()) {
            steps::begin(&store.dir, |id| self.key_place(id), store.sync)?;
        }
        let store = self.anew(store);
        self.drop_cache(&store)?;
        let Covered { files } = store.make_whole(&lock)?;
        self.encryption(&store, files)
    }

    /// Describes how a store is kept. Nothing is written.
    ///
    /// # Errors
    /// Fails if the store cannot be opened or read.
    pub fn encrypt_status(&self) -> Result<Encryption, Failure> {
        let target = self.target()?;
        if !target.exists {
            let (message, hint) = super::target::no_store(&target.dir);
            return Err(Failure::new(Kind::Usage, message, hint));
        }
        self.encryption(&self.store(target.dir, target.scope), 0)
    }

    /// Seals a store under a new key. If that was begun before, ends it.
    ///
    /// # Errors
    /// Fails if the store is not sealed, or cannot be written.
    pub fn encrypt_rotate(&self) -> Result<Encryption, Failure> {
        let (store, lock) = self.sealed_store()?;
        if matches!(&store.seal, Seal::Sealed(sealed) if sealed.is_opening()) {
            let message = "the store is being made plain";
            return Err(Failure::new(
                Kind::Refused,
                message,
                "end that first: pimem encrypt decrypt",
            ));
        }
        if store.cover()?.former == 0 {
            steps::rotate(&store.dir, |id| self.key_place(id), store.sync)?;
        }
        let store = self.anew(store);
        let Covered { files } = store.make_whole(&lock)?;
        steps::promote(&store.dir, |id| self.key_place(id))?;
        self.encryption(&store, files)
    }

    /// Makes a sealed store plain again. If that was begun before, ends it.
    ///
    /// # Errors
    /// Fails if the store is not sealed, has lines that cannot be opened, or cannot be written.
    pub fn encrypt_decrypt(&self) -> Result<Encryption, Failure> {
        let (store, lock) = self.sealed_store()?;
        let closed = store.cover()?.closed;
        if closed > 0 {
            let files: Vec<String> =
                store.seal.closed().into_iter().map(|(path, _)| path).collect();
            let message = format!("lines that cannot be opened: {closed}, in {}", files.join(", "));
            let hint = "bring the key that they are sealed under, or take them out by hand";
            return Err(Failure::new(Kind::Refused, message, hint));
        }
        steps::begin_opening(&store.dir, store.sync)?;
        let store = self.anew(store);
        self.drop_cache(&store)?;
        let Covered { files } = store.make_whole(&lock)?;
        steps::end_opening(&store.dir, store.sync)?;
        self.encryption(&self.anew(store), files)
    }

    fn sealed_store(&self) -> Result<(Store, StoreLock), Failure> {
        let target = self.target()?;
        let store = self.store(target.dir, target.scope);
        if !target.exists || !store.seal.is_sealed() {
            let message = format!("{} is not sealed", store.dir.display());
            return Err(Failure::new(Kind::Usage, message, "pimem encrypt init seals it"));
        }
        let lock = super::lock(self, &store)?;
        Ok((store, lock))
    }

    /// Reads again how a store is kept.
    fn anew(&self, store: Store) -> Store {
        self.forget_seal(&store.dir);
        self.store(store.dir, store.scope)
    }

    /// Deletes the index of a store, which has its words and vectors in the form that the store had.
    fn drop_cache(&self, store: &Store) -> Result<(), Failure> {
        let Some(cache) = self.env.cache.as_deref() else { return Ok(()) };
        let dir = Cache::new(cache, store);
        if dir.is_dir() {
            let _lock = StoreLock::acquire(&dir, store.patience)?;
            atomic::remove_dir(&dir)?;
        }
        Ok(())
    }

    fn encryption(&self, store: &Store, written: usize) -> Result<Encryption, Failure> {
        store.seal.check().map_err(|problem| Failure::from(&problem))?;
        let kept = match &store.seal {
            Seal::Sealed(sealed) if sealed.is_opening() => Kept::Opening,
            Seal::Plain => Kept::Plain,
            Seal::Sealed(_) | Seal::Locked(_) => Kept::Sealed,
        };
        let Cover { files, plain, former, closed } = store.cover()?;
        let id = steps::store_id(&store.dir);
        let place = id.as_deref().and_then(|id| self.key_place(id));
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
            in_git: self.places.in_work_tree(&store.dir),
        })
    }
}
