//! Learning of what a person said: at a prompt, by way of the spool of a store, or to `extract`. Prints
//! nothing.
//!
//! What was typed is learned as said. What may have been pasted, or leads out of the project, waits
//! for a review in the project's store, never in the user's. A dry run goes the same way, without a
//! lock.

use crate::memory::handles::Learning;
use std::{collections::BTreeMap, time::Duration};

use pimem_core::{
    language::{importance::MemoryKind, injection, preference::Preference},
    markdown::topic::TopicEntry,
    model::{
        entry::{EntryId, Markers, Share},
        event::{Cue, EventKind, Provenance},
        time::{Now, Timestamp},
    },
    safety::{
        secret,
        text::{EntryText, TextError},
    },
    score::ranking::{Scope, ScoredEntry},
};

use super::{
    Memory, added,
    intake::{self, NewText},
    lock, of_system,
};
use crate::{
    error::Failure,
    store::{
        Store, StoreLock, discover, hook_ledger, snapshot::Snapshot, spool::Said, transaction::Txn,
        trust::TextKey, trust_ledger, undo,
    },
};

/// Local file with the time at which each preference was last learned, for an hour, by id.
const COOLDOWN: &str = "preferences-cooldown.json";
/// Time for which a repeated preference does not count as evidence.
const HOUR_MS: i64 = 3_600_000;
/// Maximum number of waiting statements in a store: nobody reviews more.
const MOST: usize = 50;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LearnedAs {
    /// A new entry was added.
    Learned,
    Reinforced,
    /// It was learned less than an hour ago.
    Recent,
    /// A new entry was added that agents do not see before a review.
    Waiting,
    /// It would await review but is known, so nothing was done.
    Known,
    /// The user has forgotten it; that outweighs a guess.
    Forgotten,
    /// It is worded as an instruction to an agent, as in an injection; holds the effect.
    Doubtful(&'static str),
    /// It may not be stored; holds the reason.
    Refused(String),
}

impl LearnedAs {
    /// Returns true if there is an entry of it.
    fn is_kept(&self) -> bool {
        !matches!(self, Self::Forgotten | Self::Doubtful(_) | Self::Refused(_))
    }

    /// Returns true unless nothing came of it.
    pub fn is_news(&self) -> bool {
        !matches!(self, Self::Recent | Self::Known)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Learned {
    /// Text without secrets.
    pub text: String,
    pub id: Option<EntryId>,
    pub what: LearnedAs,
}

/// Who said something, and when.
pub struct HookSpeaker {
    pub now: Now,
    pub who: Provenance,
    /// True if the ids of the events are made of what was said, so that it counts once.
    pub marked: bool,
}

/// Returns a statement as it is learned; the reason, if it may not be kept at all.
pub fn said(found: &Preference) -> Result<Said, Learned> {
    if let Some(kind) = found.secret {
        let what = LearnedAs::Refused(TextError::Secret(kind).to_string());
        let text = secret::redact(&found.text).into_owned();
        return Err(Learned { text, id: None, what });
    }
    Ok(Said { text: found.text.clone(), waits: found.waits.is_some(), ..Said::default() })
}

/// Returns the project's store for what waits, and whether it exists. `None` if there can be none,
/// if it is also the user's store, if another user owns it, or if it leads away from the project.
pub fn place(memory: &Memory) -> Option<(Store, bool)> {
    let known =
        memory.places.found().filter(|found| found.as_ref().map_or(true, |dir| dir.is_dir()));
    let there = known.is_some();
    let dir = known.or_else(|| memory.places.new_project())?.ok()?;
    let own =
        memory.places.user().is_some_and(|user| discover::real(&user) == discover::real(&dir));
    let store = memory.store(dir, Scope::Project).strict();
    (!(own || there && store.trust.is_foreign())).then_some((store, there))
}

/// Learns statements. Without a lock it is a dry run, which says the same and changes nothing.
pub fn learn(
    memory: &Memory,
    store: &Store,
    lock: Option<&StoreLock>,
    all: &[Said],
    speaker: HookSpeaker,
) -> Result<Vec<Learned>, Failure> {
    let HookSpeaker { now, who, marked } = speaker;
    let mut done = Vec::new();
    let (mut heard, mut news) = (Vec::new(), Vec::new());
    for said in all {
        match checked(memory, said) {
            Ok(new) => {
                heard.push(said);
                news.push(new);
            }
            Err(what) => done.push(Learned { text: said.text.clone(), id: None, what }),
        }
    }
    if news.is_empty() {
        return Ok(done);
    }
    let mut txn = store.begin_adding(lock, &memory.config.categories, now, who);
    intake::refuse_if_unreadable(&txn)?;
    for new in &mut news {
        as_held(memory, &txn, new);
    }
    added::find(memory, &mut txn, &mut news);
    let held = |new: &NewText| !txn.snapshot().holders(&new.wording(memory)).is_empty();
    if news.iter().any(held) || store.mentions(news.iter().map(|new| new.id(memory))) {
        txn.read_evidence();
    }
    let waits = heard.iter().any(|said| said.waits);
    let others = if waits { elsewhere(memory, store)? } else { Vec::new() };
    let recent = recent(now, store.local(COOLDOWN).ok().flatten().as_deref());
    let mut learned: Vec<EntryId> = Vec::new();
    let mut keys: Vec<TextKey> = Vec::new();
    for (said, new) in heard.into_iter().zip(&news) {
        let id = new.id(memory);
        if marked {
            txn.mark(said.mark())?;
        }
        let held = !txn.snapshot().holders(&new.wording(memory)).is_empty();
        let entries = txn.snapshot().entries().map(|(_, entry)| entry);
        let what = if let Some(twin) = intake::twin(entries, &new.wording(memory)) {
            LearnedAs::Refused(intake::is_twin(&new.wording(memory), &twin.text))
        } else if is_over(memory, &txn, new) {
            LearnedAs::Forgotten
        } else if said.waits {
            let key = txn.key(new.category, new.text.as_str());
            let is_known = |other: &Snapshot| !other.holders(&new.wording(memory)).is_empty();
            let is_here = held || was_reworded(&txn, said, id) || keys.contains(&key);
            if is_here || others.iter().any(is_known) {
                LearnedAs::Known
            } else if said.category.is_none() && waiting(&txn, new) + keys.len() >= MOST {
                LearnedAs::Doubtful("is one of too many that wait")
            } else {
                new.begin(memory, &mut txn)?;
                // What it replaced stands until somebody has looked at it.
                for old in said.replaces.iter().filter_map(|id| id.parse().ok()) {
                    if !txn.snapshot().lines_of(old).is_empty() {
                        txn.record(old, EventKind::Supersede(id))?;
                    }
                }
                new.put(memory, &mut txn, new.markers(), false);
                if said.category.is_some() && lock.is_some() {
                    // It was typed there, and is to be looked at here.
                    store.trust.forget(Some(&[key]))?;
                }
                keys.push(key);
                LearnedAs::Waiting
            }
        } else if learned.contains(&id) || held && recent.contains_key(&id.to_string()) {
            LearnedAs::Recent
        } else {
            learned.push(id);
            typed(memory, &mut txn, new, held)?
        };
        done.push(Learned { text: new.text.as_str().to_owned(), id: Some(id), what });
    }
    if lock.is_some() && !keys.is_empty() {
        // Recorded first, so that no line passes for one of the user's.
        trust_ledger::note_waiting(&store.trust, &keys)?;
    }
    txn.commit()?;
    if lock.is_some() && !learned.is_empty() {
        note(memory, store, now, &learned);
    }
    Ok(done)
}

/// Adds or reinforces what was typed.
fn typed(
    memory: &Memory,
    txn: &mut Txn<'_>,
    new: &NewText,
    held: bool,
) -> Result<LearnedAs, Failure> {
    if !held {
        new.begin(memory, txn)?;
        new.place(memory, txn);
        return Ok(LearnedAs::Learned);
    }
    // The exact text counts as written here, whatever brought the line.
    if new.known.is_none() {
        txn.say(new.category, new.text.as_str());
    }
    if txn.is_recorded() {
        return Ok(LearnedAs::Recent);
    }
    txn.record(new.id(memory), EventKind::Reinforce(1))?;
    Ok(LearnedAs::Reinforced)
}

fn checked(memory: &Memory, said: &Said) -> Result<NewText, LearnedAs> {
    // What was added in another work tree waits in any case.
    let is_added = said.category.is_some();
    if let Some((_, does)) = injection::find(&said.text).filter(|_| !is_added) {
        return Err(LearnedAs::Doubtful(does));
    }
    let kind = said.kind.as_deref().and_then(MemoryKind::find).unwrap_or(MemoryKind::Preference);
    let refused = |failure: Failure| LearnedAs::Refused(failure.message);
    let named =
        said.category.as_deref().map(|name| intake::category(memory, name).map_err(refused));
    let category = match named.transpose()? {
        Some(named) => named,
        None => match memory.writing().category_of(kind).filter(|_| kind != MemoryKind::Preference)
        {
            Some(category) => category,
            None => intake::category(memory, "preference").map_err(refused)?,
        },
    };
    // Parsed twice to drop a trailing marker: automatic learning never pins.
    let text = EntryText::new(&said.text).and_then(|text| EntryText::new(text.as_str()));
    let text = text.map_err(|error| LearnedAs::Refused(error.to_string()))?;
    let mut new = NewText::plain(category, text, Cue::Explicit);
    new.importance = said.importance.map(Share::clamped);
    new.source = said.source();
    if is_added {
        let Markers { pinned, asides, .. } = said.markers();
        (new.pin, new.asides) = (pinned, asides);
        new.until = said.expiry();
    }
    Ok(new)
}

/// Takes a text that an entry of another category has for that entry: a sentence is learned once,
/// whatever the settings said of its kind when it was first said.
fn as_held(memory: &Memory, txn: &Txn<'_>, new: &mut NewText) {
    let wording = new.wording(memory);
    if !txn.snapshot().holders(&wording).is_empty() {
        return;
    }
    let same = |entry: &&TopicEntry| {
        entry.text == wording.text && txn.reviewed(entry.category, &entry.text)
    };
    let held = txn.snapshot().entries().map(|(_, entry)| entry).find(same);
    new.known = held.map(TopicEntry::wording);
}

/// Returns true if a person put it out of force; then only a command of a person restores it.
pub fn is_over(memory: &Memory, txn: &Txn<'_>, new: &NewText) -> bool {
    let (id, held) = (new.id(memory), txn.snapshot());
    let known = !held.holders(&new.wording(memory)).is_empty();
    let stands_over = || {
        intake::ranking(memory, txn).find(&new.wording(memory)).is_some_and(ScoredEntry::is_over)
    };
    let over = held.ledger.is_over(memory.now, id) && (!known || stands_over());
    over || !known && held.ledger.archived(id)
}

/// Returns true if a line that was added in another work tree was given up since for another wording.
fn was_reworded(txn: &Txn<'_>, said: &Said, id: EntryId) -> bool {
    let held = txn.snapshot();
    let is_before = |at: Timestamp| said.time().is_none_or(|said| said.0 < at);
    let made = held.ledger.made_into(id).filter(|((at, _), _)| is_before(*at));
    said.category.is_some()
        && made.is_some()
        && held.ledger.is_reworded(id, |of| !held.lines_of(of).is_empty())
}

/// Reads the topics of the other stores.
fn elsewhere(memory: &Memory, store: &Store) -> Result<Vec<Snapshot>, Failure> {
    let others = memory.readers()?.into_iter().filter(|other| other.dir != store.dir);
    Ok(others.map(|other| other.read_topics(&memory.config.categories)).collect())
}

/// Returns the number of waiting entries in its category.
fn waiting(txn: &Txn<'_>, new: &NewText) -> usize {
    let all = txn.snapshot().entries().filter(|(_, entry)| entry.category == new.category);
    all.filter(|(_, entry)| !txn.reviewed(new.category, &entry.text)).count()
}

/// Notes when statements were learned.
fn note(memory: &Memory, store: &Store, now: Now, learned: &[EntryId]) {
    let note = |bytes: Option<&[u8]>| {
        let mut all = recent(now, bytes);
        all.extend(learned.iter().map(|id| (id.to_string(), now.0.to_string())));
        serde_json::to_vec(&all).ok()
    };
    // An error here is harmless: the preference may count twice within the hour.
    if let Err(error) = store.rewrite_local(COOLDOWN, note) {
        memory.notices.detail(&format!("{COOLDOWN}: {error:#}"));
    }
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

/// Maximum number of statements learned per session; pasted text may look like preferences.
const MOST_OF_SESSION: usize = 20;
/// Maximum number of spools learned by one call: others may go on writing.
const BATCHES: usize = 8;
/// Maximum wait of a reader for the lock, that is, for another process.
const PATIENCE: Duration = Duration::from_millis(100);
/// Characters of the id by which a step is taken back.
const ID: usize = 8;

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

impl Learning<'_> {
    /// Learns what waits in the spools of some stores. Whatever fails leaves it for the next call.
    /// With `haste`, a lock that another process holds is not waited for: it may be learning it.
    pub fn take_in(self, stores: &[Store], haste: bool) {
        for store in stores.iter().filter(|store| store.has_spool()) {
            let patience = if haste { store.patience.min(PATIENCE) } else { store.patience };
            if let Err(failure) = lock(self.memory, &Store { patience, ..store.clone() }) {
                self.memory.notices.detail(&format!("the spool waits: {}", failure.message));
            }
        }
    }

    /// Learns what waits before a command reads its stores, once a call. Hooks do that after their answer.
    pub(super) fn take_in_before(self, stores: &[Store]) {
        if !self.memory.unasked && !self.memory.took_in.replace(true) {
            self.take_in(stores, true);
        }
    }

    /// Puts lines back whose files git has taken away, to be looked at; the store too, if it went with
    /// them.
    pub(super) fn take_in_gone(self, stores: &[Store]) {
        for store in stores {
            let waits = !discover::is_there(&store.dir) && store.has_spool();
            if !waits && self.gone(store).is_empty() {
                continue;
            }
            let made = store.init().map_err(Failure::from);
            if let Err(failure) =
                made.and_then(|_| self.put_back(store, &lock(self.memory, store)?))
            {
                self.memory.notices.detail(&format!("what is gone waits: {}", failure.message));
            }
        }
    }

    pub(super) fn put_back(self, store: &Store, lock: &StoreLock) -> Result<(), Failure> {
        self.gone(store).iter().try_for_each(|said| self.learn_here(store, (store, lock), said))
    }

    fn gone(self, store: &Store) -> Vec<Said> {
        store.gone(self.memory.now, &self.memory.config.categories)
    }

    /// Learns sentences that could not be put into the spool.
    ///
    /// # Errors
    /// Fails if the store cannot be written, and returns what is not learned.
    pub fn hear<'a>(self, store: &Store, all: &'a [Said]) -> Result<(), (Failure, &'a [Said])> {
        let lock = lock(self.memory, store).map_err(|failure| (failure, all))?;
        for (at, said) in all.iter().enumerate() {
            let rest = all.get(at..).unwrap_or_default();
            self.learn_said(store, &lock, said).map_err(|failure| (failure, rest))?;
        }
        Ok(())
    }

    /// Returns what was learned since this was last asked.
    pub fn news(self) -> Vec<News> {
        self.memory.news.take()
    }

    /// Learns the spool of a store whose lock was just taken.
    pub(super) fn take_in_locked(self, store: &Store, lock: &StoreLock) {
        if self.memory.is_background() {
            return;
        }
        self.memory.took_in.set(true);
        if let Err(failure) = self.take_batches(store, lock) {
            self.memory.notices.detail(&format!("the spool waits: {}", failure.message));
        }
        if !self.memory.unasked {
            for news in self.memory.news.take() {
                self.memory.notices.note(&format!("From a prompt {}", news.told()));
            }
        }
    }

    fn take_batches(self, store: &Store, lock: &StoreLock) -> Result<(), Failure> {
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
    fn learn_said(self, store: &Store, lock: &StoreLock, said: &Said) -> Result<(), Failure> {
        let Some(dir) = said.store.as_ref().filter(|dir| **dir != store.dir) else {
            return self.learn_here(store, (store, lock), said);
        };
        let there = self.memory.store(dir.clone(), Scope::Project).strict();
        let there = Store { patience: store.patience, ..there };
        there.init()?;
        let lock = super::lock(self.memory, &there)?;
        self.learn_here(store, (&there, &lock), said)
    }

    /// Learns a sentence in a store; `home` is the one that has the session's ledger.
    fn learn_here(
        self,
        home: &Store,
        (store, lock): (&Store, &StoreLock),
        said: &Said,
    ) -> Result<(), Failure> {
        let ledger = said.ledger.as_deref();
        if ledger.is_some_and(|ledger| hook_ledger::known(home, ledger).learned >= MOST_OF_SESSION)
        {
            return Ok(());
        }
        // A clock that was set back since must not give events a time to come.
        let now = said.time().filter(|then| then.0 < self.memory.now.0).unwrap_or(self.memory.now);
        // Taken back by itself, whatever else this command does.
        let run = undo::learning(said.mark(), now.0.to_string(), of_system(self.memory.real_now).0);
        let id = run.id.get(..ID).map(str::to_owned);
        let store = &Store { run: Some(run), ..store.clone() };
        let speaker = HookSpeaker { now, who: said.who(), marked: true };
        let done = learn(self.memory, store, Some(lock), std::slice::from_ref(said), speaker)?;
        for learned in done.iter().filter(|learned| learned.what.is_kept()) {
            let Some((id, asked)) = learned.id.zip(said.asked.as_deref()) else { continue };
            self.change_questions(store, |all| all.used(id, asked, now.0));
        }
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
        self.memory.news.borrow_mut().extend(told);
        Ok(())
    }
}
