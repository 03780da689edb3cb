//! Learned preferences that await review, because they may have been pasted or lead out of the
//! project. They are in the project's store, never in the user's.

use super::{
    Effect, Memory,
    intake::{self, New},
    learn::{self, Learned, What},
    lock_for, near_duplicates,
};
use crate::{
    error::Failure,
    store::{Store, discover, pending, transaction::Txn, trust::Key},
};
use pimem_core::{
    language::preference::Preference,
    model::{entry::Markers, event::Provenance},
    score::ranking::Scope,
};

/// Maximum number of waiting preferences in a store: nobody reviews more, and a topic has a size
/// limit.
const MOST: usize = 50;

/// Returns the project's store and whether it exists. `None` if there can be none, if it is also
/// the user's store, or if another user owns it.
pub fn place(memory: &Memory) -> Option<(Store, bool)> {
    let known = memory.places.project().filter(|dir| dir.is_dir());
    let there = known.is_some();
    let dir = known.or_else(|| memory.places.new_project())?;
    let own =
        memory.places.user().is_some_and(|user| discover::real(&user) == discover::real(&dir));
    let store = memory.store(dir, Scope::Project).strict();
    (!(own || there && store.trust.is_foreign())).then_some((store, there))
}

/// Stores up to `most` preferences for review. A dry run changes nothing.
pub fn hold(
    memory: &Memory,
    store: &Store,
    stated: &[Preference],
    most: usize,
    who: Provenance,
    effect: Effect,
) -> Result<Vec<Learned>, Failure> {
    let (mut done, mut news) = learn::sorted(memory, stated)?;
    news.truncate(most);
    if news.is_empty() {
        return Ok(done);
    }
    let lock = lock_for(memory, store, effect)?;
    let categories = &memory.config.categories;
    let mut txn = match &lock {
        Some(lock) => store.begin(lock, categories, memory.now, who),
        None => store.rehearse(categories, memory.now, who),
    };
    intake::refuse_if_unreadable(&txn)?;
    near_duplicates::find(memory, &mut txn, &mut news);
    let others: Vec<Store> =
        memory.readers()?.into_iter().filter(|other| other.dir != store.dir).collect();
    let others: Vec<_> = others.iter().map(|other| other.read_topics(categories)).collect();
    let mut keys: Vec<Key> = Vec::new();
    for new in &news {
        let wording = new.wording(memory);
        let key = store.trust.entry(&categories.spec(new.category).name, new.text.as_str());
        let what = if learn::is_over(memory, &txn, new) {
            What::Forgotten
        } else if !txn.snapshot().holders(&wording).is_empty()
            || others.iter().any(|other| !other.holders(&wording).is_empty())
            || keys.contains(&key)
        {
            What::Known
        } else if waiting(&txn, new) + keys.len() >= MOST {
            What::Doubtful("is one of too many that wait")
        } else {
            new.begin(memory, &mut txn)?;
            new.place_unreviewed(memory, &mut txn, Markers::default());
            keys.push(key);
            What::Waiting(reason(stated, new))
        };
        done.push(learn::result(memory, new, what));
    }
    if effect == Effect::Write && !keys.is_empty() {
        // Recorded first, so that no line passes for one of the user's.
        pending::note(&store.trust, &keys)?;
    }
    txn.commit()?;
    Ok(done)
}

fn reason(stated: &[Preference], new: &New) -> &'static str {
    let same = |found: &&Preference| new.text.as_str() == found.text;
    stated.iter().find(same).or(stated.first()).and_then(|found| found.waits).unwrap_or_default()
}

/// Returns the number of waiting entries in its category.
fn waiting(txn: &Txn<'_>, new: &New) -> usize {
    let all = txn.snapshot().entries().filter(|(_, entry)| entry.category == new.category);
    all.filter(|(_, entry)| !txn.reviewed(new.category, &entry.text)).count()
}
