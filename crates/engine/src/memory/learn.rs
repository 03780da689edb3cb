//! Learning of typed preferences. Prints nothing.

use std::collections::BTreeMap;

use super::{
    Effect, Memory,
    intake::{self, New},
    lock_for, near_duplicates,
};
use crate::{
    error::Failure,
    store::{Store, transaction::Txn},
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

/// Local file with the time at which each preference was last learned, for an hour, by id.
const COOLDOWN: &str = "preferences-cooldown.json";
/// Time for which a repeated preference does not count as evidence.
const HOUR_MS: i64 = 3_600_000;

/// Result for a preference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// A new entry was added.
    Learned,
    /// A known entry was reinforced.
    Reinforced,
    /// It was learned less than an hour ago.
    Recent,
    /// A new entry was added that agents do not see before a review; holds the reason.
    Waiting(&'static str),
    /// It would await review but is known, so nothing was done.
    Known,
    /// The user has forgotten it; that outweighs a guess.
    Forgotten,
    /// It is worded as an instruction to an agent, as in an injection; holds the effect.
    Doubtful(&'static str),
    /// It may not be stored; holds the reason.
    Refused(String),
}

/// A preference that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Learned {
    /// Text without secrets.
    pub text: String,
    pub id: Option<EntryId>,
    pub what: What,
}

/// Learns up to `most` typed preferences. If there are none, nothing is read or locked. A dry run
/// changes nothing.
pub fn take(
    memory: &Memory,
    store: &Store,
    stated: &[Preference],
    most: usize,
    who: Provenance,
    effect: Effect,
) -> Result<Vec<Learned>, Failure> {
    let (mut done, mut news) = sorted(memory, stated)?;
    news.truncate(most);
    if news.is_empty() {
        return Ok(done);
    }
    let now = memory.now;
    let heard = recent(now, store.local(COOLDOWN).ok().flatten().as_deref());
    // If all were learned just before in the same words, the lock is not needed.
    if news.iter().all(|new| heard.contains_key(&new.id(memory).to_string())) {
        done.extend(news.iter().map(|new| result(memory, new, What::Recent)));
        return Ok(done);
    }
    let lock = lock_for(memory, store, effect)?;
    let categories = &memory.config.categories;
    let mut txn = store.begin_adding(lock.as_ref(), categories, now, who);
    intake::refuse_if_unreadable(&txn)?;
    near_duplicates::find(memory, &mut txn, &mut news);
    let held = |new: &New| !txn.snapshot().holders(&new.wording(memory)).is_empty();
    if news.iter().any(|new| held(new) || txn.mentions(new.id(memory))) {
        txn.read_evidence();
    }
    // Another process may have learned it while this one waited for the lock.
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
    if effect == Effect::Write && !learned.is_empty() {
        let note = |bytes: Option<&[u8]>| {
            let mut all = recent(now, bytes);
            all.extend(learned.into_iter().map(|id| (id, now.0.to_string())));
            serde_json::to_vec(&all).ok()
        };
        // An error here is harmless: the preference may count twice within the hour.
        if let Err(error) = store.rewrite_local(COOLDOWN, note) {
            memory.notices.detail(&format!("{COOLDOWN}: {error:#}"));
        }
    }
    Ok(done)
}

/// Splits preferences into new entries and results for those that are not valid.
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

/// Validates a preference as a new entry.
fn checked(category: CategoryId, found: &preference::Preference) -> Result<New, What> {
    if let Some(kind) = found.secret {
        return Err(What::Refused(TextError::Secret(kind).to_string()));
    }
    if let Some((_, does)) = injection::find(&found.text) {
        return Err(What::Doubtful(does));
    }
    // Parsed twice to drop a trailing marker: automatic learning never pins.
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
    // The exact text counts as written here, whatever brought the line.
    if new.known.is_none() {
        txn.say(new.category, new.text.as_str());
    }
    txn.record(id, EventKind::Reinforce(1))?;
    Ok(What::Reinforced)
}

/// Returns true if a person put it out of force; then only a command of a person restores it.
pub fn is_over(memory: &Memory, txn: &Txn<'_>, new: &New) -> bool {
    let (id, held) = (new.id(memory), txn.snapshot());
    let known = !held.holders(&new.wording(memory)).is_empty();
    let stands_over = || {
        intake::ranking(memory, txn).find(&new.wording(memory)).is_some_and(ScoredEntry::is_over)
    };
    let over = held.ledger.is_over(memory.now, id) && (!known || stands_over());
    over || !known && held.ledger.archived(id)
}

pub fn result(memory: &Memory, new: &New, what: What) -> Learned {
    Learned { text: new.text.as_str().to_owned(), id: Some(new.id(memory)), what }
}

/// Returns what was learned within the last hour. A damaged file counts as empty.
fn recent(now: Now, bytes: Option<&[u8]>) -> BTreeMap<String, String> {
    let all: BTreeMap<String, String> =
        bytes.and_then(|bytes| serde_json::from_slice(bytes).ok()).unwrap_or_default();
    // A time in the future, as after the clock was set back, is ignored.
    let since = now.0.0.saturating_sub(HOUR_MS);
    let within =
        |when: &String| Timestamp::parse(when).is_some_and(|at| at.0 > since && at <= now.0);
    all.into_iter().filter(|(_, when)| within(when)).collect()
}
