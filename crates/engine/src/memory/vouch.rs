//! Trust given and taken back: in single texts, in all that is there, or in a store.
//!
//! What is trusted is a text as it was shown, so nothing has to be locked meanwhile: a line that
//! changes between question and answer is another text.

use super::{
    Answer, Memory, problems,
    review::{self, Held, Item},
    selector,
};
use crate::{
    error::{Failure, Kind},
    store::{
        snapshot::Store,
        trust::{self, Key},
    },
};
use pimem_core::{
    model::hash::IdMap,
    view::{
        self,
        trust::{Act, Action, Awaiting, Done, Review},
    },
};

/// What a person says about a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply {
    /// Agents may see it.
    Trust,
    /// It awaits review further on.
    Leave,
    /// So does it, and all that follows.
    Stop,
}

/// The key of an entry, and the one that says that git brought it.
type Pair = (Key, Key);

impl Memory {
    /// What awaits review.
    ///
    /// # Errors
    /// When the store that was named does not exist.
    pub fn review(&self) -> Result<Answer<Review>, Failure> {
        Ok(answer(&self.held()?, Vec::new()))
    }

    /// Asks about one text after the other. Each answer is kept at once.
    ///
    /// # Errors
    /// When the store that was named does not exist or belongs to another user, the ledger cannot be
    /// written, or nobody can be asked.
    pub fn review_each(
        &self,
        mut ask: impl FnMut(&Store, &Awaiting) -> Result<Reply, Failure>,
    ) -> Result<Answer<Review>, Failure> {
        let mut held = self.held()?;
        for Held { store, items, .. } in held.iter_mut().filter(|held| !held.items.is_empty()) {
            refuse_foreign(store)?;
            let mut left = Vec::new();
            let mut waiting = std::mem::take(items).into_iter();
            while let Some(item) = waiting.next() {
                match ask(store, &item.view)? {
                    Reply::Trust => store.trust.record(&item.keys)?,
                    Reply::Leave => left.push(item),
                    Reply::Stop => {
                        left.push(item);
                        left.extend(waiting.by_ref());
                    }
                }
            }
            if left.is_empty() {
                store.trust.record(&[made(store)])?;
            }
            *items = left;
        }
        Ok(answer(&held, Vec::new()))
    }

    /// Trusts everything that was read, the archive too.
    ///
    /// # Errors
    /// When the store that was named does not exist or belongs to another user, or the ledger cannot
    /// be written.
    pub fn trust_all(&self) -> Result<Answer<Review>, Failure> {
        let (mut held, mut done) = (self.held()?, Vec::new());
        for Held { store, items, problems, .. } in
            held.iter_mut().filter(|held| !held.store.trust.is_whole())
        {
            refuse_foreign(store)?;
            let archive = store.read_archive(&self.config.categories);
            problems.extend(archive.problems.iter().cloned());
            let archive = archive.placed(store, &self.config.categories);
            let name = |category| &self.config.categories.spec(category).name;
            let archived = archive.iter().map(|e| store.trust.entry(name(e.category), &e.text));
            let keys: Vec<Key> =
                items.iter().flat_map(|item| item.keys.clone()).chain(archived).collect();
            store.trust.record(&[keys, vec![made(store)]].concat())?;
            let entries = items.iter().filter(|item| item.view.is_entry()).count();
            done.push(of(store, Act::Trusted(entries), std::mem::take(items)));
        }
        Ok(answer(&held, done))
    }

    /// Vouches for stores, whatever they will hold. What that does not cover still awaits review.
    ///
    /// # Errors
    /// When the store that was named does not exist, or the ledger cannot be written.
    pub fn trust_always(&self) -> Result<Answer<Review>, Failure> {
        let (mut held, mut done) = (self.held()?, Vec::new());
        for Held { store, items, .. } in held.iter_mut().filter(|held| !held.store.trust.is_own()) {
            store.trust.record(&[store.trust.text(trust::Kind::Always, "")])?;
            done.push(of(store, Act::Always, std::mem::take(items)));
        }
        for held in &mut held {
            let store = Store { trust: held.store.trust.anew(), ..held.store.clone() };
            *held = review::look(self, store);
        }
        Ok(answer(&held, done))
    }

    /// Takes back all trust in the stores that need any.
    ///
    /// # Errors
    /// When the store that was named does not exist, or the ledger cannot be written.
    pub fn revoke_all(&self) -> Result<Review, Failure> {
        let mut done = Vec::new();
        for store in self.strict_readers()?.iter().filter(|store| !store.trust.is_own()) {
            let texts = store.trust.forget(None)?;
            done.push(of(store, Act::Revoked(texts), Vec::new()));
        }
        // Nobody but programs wants to know what awaits review then.
        let held = if self.notices.for_programs() { self.held()? } else { Vec::new() };
        Ok(answer(&held, done).view)
    }

    /// Trusts single entries, or no longer.
    ///
    /// # Errors
    /// When a selector fits no entry or several, its store is trusted as a whole or belongs to another
    /// user, or the ledger cannot be written.
    pub fn trust_entries(
        &self,
        selectors: &[String],
        action: Action,
    ) -> Result<Answer<view::trust::Entries>, Failure> {
        let stores = self.strict_readers()?;
        let (ranking, snapshots) = self.ranking(&stores);
        let unread = problems(&snapshots);
        let entries = view::Entries::new(self.now, &self.config.categories, &ranking);
        let mut keys: IdMap<u64, (&Store, Vec<Pair>)> = IdMap::default();
        let mut results = Vec::new();
        for selector in selectors {
            let row = selector::entry(self, &ranking, &unread, selector)?;
            let (at, store) = (0..)
                .zip(&stores)
                .find(|(_, store)| store.scope == row.entry.scope && !store.trust.is_whole())
                .ok_or_else(|| {
                    let message =
                        format!("{} is in a store that is trusted as a whole", entries.line(row));
                    let hint = "pimem trust --revoke ends that, but for your own";
                    Failure::new(Kind::Refused, message, hint)
                })?;
            refuse_foreign(store)?;
            let (category, text) = (entries.category(row), row.entry.text.as_str());
            let pair = (store.trust.entry(category, text), store.trust.brought(category, text));
            keys.entry(at).or_insert((store, Vec::new())).1.push(pair);
            results.push(entries.entry(row));
        }
        for (store, keys) in keys.values() {
            let (keys, brought): (Vec<Key>, Vec<Key>) = keys.iter().copied().unzip();
            match action {
                Action::Trusted => store.trust.record(&keys)?,
                Action::Revoked => {
                    // Or else it would be found to have been typed here.
                    store.trust.record(&brought)?;
                    store.trust.forget(Some(&keys))?;
                }
            }
        }
        Ok(Answer { view: view::trust::Entries { action, results }, problems: unread })
    }

    fn held(&self) -> Result<Vec<Held>, Failure> {
        let stores = self.strict_readers()?;
        Ok(stores.into_iter().map(|store| review::look(self, store)).collect())
    }
}

fn answer(held: &[Held], done: Vec<Done>) -> Answer<Review> {
    let store = |held: &Held| {
        let Held { store, entries, items, .. } = held;
        view::trust::Store {
            scope: store.scope.name(),
            store: store.dir.display().to_string(),
            whole: store.trust.is_whole(),
            foreign: store.trust.is_foreign(),
            ledger: store.trust.ledger().map(|path| path.display().to_string()),
            texts: store.trust.texts(),
            entries: *entries,
            awaiting: items.iter().map(|item| item.view.clone()).collect(),
            in_words: held.in_words(),
        }
    };
    Answer {
        view: Review { stores: held.iter().map(store).collect(), done },
        problems: held.iter().flat_map(|held| held.problems.clone()).collect(),
    }
}

/// That something was done about a store, with what was odd about the texts that nobody looked at.
fn of(store: &Store, act: Act, items: Vec<Item>) -> Done {
    let views = items.into_iter().map(|item| item.view);
    let odd = views.filter(|view| !view.warnings.is_empty()).collect();
    Done { act, scope: store.scope, dir: store.dir.display().to_string(), odd }
}

/// That all of a store was reviewed, so that what is written in it from now on can be told from it.
fn made(store: &Store) -> Key {
    store.trust.text(trust::Kind::Made, "")
}

fn refuse_foreign(store: &Store) -> Result<(), Failure> {
    if !store.trust.is_foreign() {
        return Ok(());
    }
    let message = format!("{} belongs to another user", store.dir.display());
    let hint = "vouch for it with pimem trust --always, or make it yours with chown";
    Err(Failure::new(Kind::Refused, message, hint))
}
