//! Preferences that somebody typed, and what becomes of them. Prints nothing.

use std::collections::BTreeMap;

use super::{
    Memory,
    intake::{self, New},
    lock,
};
use crate::{
    error::Failure,
    store::{snapshot::Store, transaction::Txn},
};
use pimem_core::{
    language::{
        injection,
        preference::{self, Preference},
    },
    model::{
        category::CategoryId,
        entry::EntryId,
        event::{Cue, EventKind, Provenance},
        time::{Now, Timestamp},
    },
    safety::{
        entry_text::{EntryText, TextError},
        secret,
    },
    score::ranking::ScoredEntry,
};

/// When each preference was last learned, by its id: on this machine, and for an hour.
const COOLDOWN: &str = "preferences-cooldown.json";
/// For how long the same preference is not evidence again.
const HOUR_MS: i64 = 3_600_000;

/// What became of a preference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// It is a new entry.
    Learned,
    /// It was known, and has one more piece of evidence.
    Reinforced,
    /// It was said less than an hour ago.
    Recent,
    /// It is a new entry that no agent is shown before a review, and why.
    Waiting(&'static str),
    /// It would have to wait, and is known: nothing became of it.
    Known,
    /// The user has forgotten it, which counts for more than a guess.
    Forgotten,
    /// It is worded as an order to an agent, as planted ones are; what it does.
    Doubtful(&'static str),
    /// It may not be stored, and why.
    Refused(String),
}

/// A preference that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Learned {
    /// Its text, without secrets.
    pub text: String,
    /// The entry.
    pub id: Option<EntryId>,
    /// What became of it.
    pub what: What,
}

/// Learns preferences that were typed, at most so many. When there are none, nothing is read and nothing
/// is locked; a dry run changes nothing.
pub fn take(
    memory: &Memory,
    store: &Store,
    stated: &[Preference],
    most: usize,
    who: Provenance,
    dry: bool,
) -> Result<Vec<Learned>, Failure> {
    let (mut done, mut news) = sorted(memory, stated)?;
    news.truncate(most);
    if news.is_empty() {
        return Ok(done);
    }
    let now = memory.now;
    let heard = recent(now, store.local(COOLDOWN).ok().flatten().as_deref());
    // What was said just now, in the same words, does not even need the lock.
    if news.iter().all(|new| heard.contains_key(&new.id(memory).to_string())) {
        done.extend(news.iter().map(|new| result(memory, new, What::Recent)));
        return Ok(done);
    }
    let lock = if dry { None } else { Some(lock(memory, store)?) };
    let categories = &memory.config.categories;
    let mut txn = match &lock {
        Some(lock) => store.begin_adding(lock, categories, now, who),
        None => store.rehearse(categories, now, who),
    };
    intake::refuse_if_unreadable(&txn)?;
    intake::find_repeated(memory, &mut txn, &mut news);
    let held = |new: &New| !txn.snapshot().holders(&new.wording(memory)).is_empty();
    if news.iter().any(|new| held(new) || txn.mentions(new.id(memory))) {
        txn.read_evidence();
    }
    // Another process may have heard it while this one waited.
    let heard = recent(now, store.local(COOLDOWN).ok().flatten().as_deref());
    let mut learned: Vec<String> = Vec::new();
    for new in &news {
        let id = new.id(memory).to_string();
        let what = if heard.contains_key(&id) || learned.contains(&id) {
            What::Recent
        } else {
            apply(memory, &mut txn, new)?
        };
        if matches!(what, What::Learned | What::Reinforced) {
            learned.push(id);
        }
        done.push(result(memory, new, what));
    }
    txn.commit()?;
    if !dry && !learned.is_empty() {
        let note = |bytes: Option<&[u8]>| {
            let mut all = recent(now, bytes);
            all.extend(learned.into_iter().map(|id| (id, now.0.to_string())));
            serde_json::to_vec(&all).ok()
        };
        // What was learned is learned; without this it may count once more within the hour.
        if let Err(error) = store.rewrite_local(COOLDOWN, note) {
            memory.notices.detail(&format!("{COOLDOWN}: {error:#}"));
        }
    }
    Ok(done)
}

/// Preferences as new entries, and what became of those that are none.
pub fn sorted(memory: &Memory, stated: &[Preference]) -> Result<(Vec<Learned>, Vec<New>), Failure> {
    let (mut done, mut news) = (Vec::new(), Vec::new());
    for found in stated {
        let category = intake::category(memory, "preference")?;
        match checked(category, found) {
            Ok(new) => news.push(new),
            Err(what) => {
                let text = secret::redact(&found.text).into_owned();
                done.push(Learned { text, id: None, what });
            }
        }
    }
    Ok((done, news))
}

/// A preference as a new entry, or why it is none.
fn checked(category: CategoryId, found: &preference::Preference) -> Result<New, What> {
    if let Some(kind) = found.secret {
        return Err(What::Refused(TextError::Secret(kind).to_string()));
    }
    if let Some((_, does)) = injection::find(&found.text) {
        return Err(What::Doubtful(does));
    }
    // A marker at its end is taken off: what is learned by itself is never pinned.
    let text = EntryText::new(&found.text).and_then(|text| EntryText::new(text.as_str()));
    let text = text.map_err(|error| What::Refused(error.to_string()))?;
    Ok(New::plain(category, text, Cue::Explicit))
}

fn apply(memory: &Memory, txn: &mut Txn<'_>, new: &New) -> Result<What, Failure> {
    let (id, held) = (new.id(memory), txn.snapshot());
    if let Some(twin) = intake::twin(held.entries().map(|(_, entry)| entry), &new.wording(memory)) {
        return Ok(What::Refused(intake::is_twin(&new.wording(memory), &twin.text)));
    }
    if is_over(memory, txn, new) {
        return Ok(What::Forgotten);
    }
    if held.holders(&new.wording(memory)).is_empty() {
        new.begin(memory, txn)?;
        new.place(memory, txn);
        return Ok(What::Learned);
    }
    // Who types the very words says them, whatever brought the line here.
    if new.known.is_none() {
        txn.say(new.category, new.text.as_str());
    }
    txn.record(id, EventKind::Reinforce(1))?;
    Ok(What::Reinforced)
}

/// Whether somebody has put it out of force: they knew better, and only a person's command brings it
/// back.
pub fn is_over(memory: &Memory, txn: &Txn<'_>, new: &New) -> bool {
    let (id, held) = (new.id(memory), txn.snapshot());
    let known = !held.holders(&new.wording(memory)).is_empty();
    let stands_over =
        || intake::board(memory, txn).find(&new.wording(memory)).is_some_and(ScoredEntry::is_over);
    let over = held.ledger.is_over(memory.now, id) && (!known || stands_over());
    over || !known && held.ledger.archived(id)
}

pub fn result(memory: &Memory, new: &New, what: What) -> Learned {
    Learned { text: new.text.as_str().to_owned(), id: Some(new.id(memory)), what }
}

/// What was learned within the last hour. A damaged file says nothing.
fn recent(now: Now, bytes: Option<&[u8]>) -> BTreeMap<String, String> {
    let all: BTreeMap<String, String> =
        bytes.and_then(|bytes| serde_json::from_slice(bytes).ok()).unwrap_or_default();
    // A time to come, by a clock that was set back since, says nothing either.
    let since = now.0.0.saturating_sub(HOUR_MS);
    let within =
        |when: &String| Timestamp::parse(when).is_some_and(|at| at.0 > since && at <= now.0);
    all.into_iter().filter(|(_, when)| within(when)).collect()
}
