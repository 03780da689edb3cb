//! Import of memories from the formats of other programs.

mod history;
pub mod source;

use crate::memory::handles::Writing;
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::PathBuf,
};

use crate::memory::diff::Period;
use pimem_core::model::{questions::Questions, rules::LineAsides};
use pimem_core::{
    exchange::{
        ExchangeItem, LeftLine,
        pi::{self, Piece},
    },
    markdown::{checklist, patch, topic},
    model::{
        category::CategoryId,
        entry::{EntryId, EventId, Markers, Wording},
        event::{Author, Cue, Event, EventKind, Provenance},
        hash::{IdMap, IdSet},
        time::Date,
    },
    safety::{
        secret,
        text::{EntryText, TextError},
    },
    score::{
        adopt,
        evidence::Evidence,
        ledger::Ledger,
        ranking::{self, LocatedEntry},
    },
};
use serde::Serialize;

use self::source::ImportSource;
use super::{
    Answer, Effect, Memory, added,
    guards::GuardProposal,
    intake::{self, NewText},
    pins::PinAction,
};
use crate::{
    error::Failure,
    local_time,
    store::{Store, StoreLock, notes, transaction::Txn, trust::TextKey, trust_ledger},
    view,
};

/// Maximum length in characters of a heading that is kept.
const TITLE: usize = 200;
/// Author of events derived from counts.
const BY: &str = "import";

#[derive(Debug, Clone)]
pub struct ImportRequest {
    pub from: From,
    /// Category of items without one; `None` means `lesson`.
    pub category: Option<String>,
    pub dry_run: bool,
}

#[derive(Debug, Clone)]
pub enum From {
    /// Entries with their evidence, one JSON object per line.
    Jsonl(Lines),
    /// A store, a directory that contains one, or a topic file.
    Pi(PathBuf),
    PiMemory(PathBuf),
    Claude(PathBuf),
    /// Files such as `AGENTS.md`.
    Agents(Vec<PathBuf>),
    History(HistoryRequest),
}

/// What is read of the past of a project.
#[derive(Debug, Clone, Default)]
pub struct HistoryRequest {
    /// Directories in which agents keep transcripts.
    pub transcripts: Vec<PathBuf>,
    /// The database in which OpenCode keeps its sessions, if there is one.
    pub opencode: Option<PathBuf>,
    /// From when on, as git reads it.
    pub since: Option<String>,
    pub period: Period,
}

/// Lines of JSON.
#[derive(Debug, Clone)]
pub enum Lines {
    Text(String),
    File(PathBuf),
}

/// An item that may become an entry, with its result.
struct Taken {
    fate: Fate,
    id: EntryId,
    place: String,
    line: String,
    /// Key of a line that awaits review.
    waits: Option<TextKey>,
    /// True if it is new and the import vouches for it.
    vouched: bool,
}

impl Writing<'_> {
    /// Imports memories of another program; in a dry run, only reports what would happen.
    ///
    /// # Errors
    /// Fails if the source cannot be read, the category is unknown, or the store cannot be read or
    /// written.
    pub fn import(self, request: &ImportRequest) -> Result<Answer<Imported>, Failure> {
        let mut source = source::read(self.memory, &request.from)?;
        let named = request.category.as_deref();
        let category = intake::category(self.memory, named.unwrap_or(intake::CATEGORY))?;
        if named.is_some() {
            source.found.items.iter_mut().for_each(|item| item.likely = None);
        }
        run(self.memory, source, category, Effect::of(request.dry_run))
    }
}

fn run(
    memory: &Memory,
    mut source: ImportSource,
    category: CategoryId,
    effect: Effect,
) -> Result<Answer<Imported>, Failure> {
    let items = std::mem::take(&mut source.found.items);
    let (mut news, items) = checked(memory, items, category, &mut source.found.left);
    let (mut taken, mut pages) = (Vec::new(), BTreeMap::new());
    let brings = !news.is_empty() || !source.pages.is_empty() || !source.tasks.is_empty();
    // A file that states nothing any more takes back what it has stated.
    let may_take = || !source.stated.is_empty() && memory.target().is_ok_and(|known| known.exists);
    if brings || may_take() {
        let store = memory.opened(memory.target()?, effect)?;
        let lock = super::lock_for(memory, &store, effect)?;
        let categories = &memory.config.categories;
        let who = match source.format {
            "history" => Provenance { by: "history".to_owned(), ..Provenance::default() },
            _ => memory.who(),
        };
        let mut txn = store.begin_adding(lock.as_ref(), categories, memory.now, who);
        txn.read_evidence();
        intake::refuse_if_unreadable(&txn)?;
        added::find(memory, &mut txn, &mut news);
        let waits = source.waits && !store.trust.is_whole();
        let left = &mut source.found.left;
        taken = take(memory, &mut txn, &news, (items, waits), left)?;
        let forgotten =
            source::follow(memory, &store, &mut txn, (&news, &mut taken), &source.stated)?;
        let waiting: Vec<TextKey> = taken.iter().filter_map(|taken| taken.waits).collect();
        if effect == Effect::Write && !waiting.is_empty() {
            // Recorded first, so that no imported line passes for one of the user's.
            trust_ledger::note_waiting(&store.trust, &waiting)?;
        }
        let outgrown = intake::outgrown(&txn);
        let written = txn.commit_seen()?;
        if effect == Effect::Write {
            intake::say_written(memory, &outgrown, written.kept());
        }
        // The ledger has what was vouched for only once it was written.
        let vouched: IdSet<EntryId> =
            taken.iter().filter(|taken| taken.vouched).map(|taken| taken.id).collect();
        let unsure = news.iter().filter(|new| !vouched.contains(&new.id(memory)));
        let said = unsure.map(|new| (new.category, new.text.as_str()));
        intake::say_orders(memory, &store, said);
        pages = keep(memory, &store, lock.as_ref(), &source)?;
        drop(lock);
        if effect == Effect::Write && !forgotten.is_empty() {
            memory.writing().curate(PinAction::Forgot, &forgotten)?;
        }
        if !waiting.is_empty() {
            let wait = if waiting.len() == 1 { "waits" } else { "wait" };
            let count = view::count(waiting.len(), "line");
            let why = if source.format == "history" {
                format!("{count} {wait} for you")
            } else {
                format!("{count} came with a clone")
            };
            memory
                .notices
                .note(&format!("{why}: agents are not shown them before pimem trust --review"));
        }
    }
    let mut results: Vec<ImportedMemory> = taken.iter().map(shown).collect();
    propose(memory, &news, &mut results);
    let count = |fate: Fate| taken.iter().filter(|taken| taken.fate == fate).count();
    let left = source.found.left.into_iter();
    let view = Imported {
        format: source.format,
        dry_run: effect == Effect::DryRun,
        added: count(Fate::Added),
        updated: count(Fate::Updated),
        known: count(Fate::Known),
        repeated: count(Fate::Repeated),
        replaced: count(Fate::Replaced),
        forgotten: count(Fate::Forgotten),
        results,
        left_out: left.map(|LeftLine { place, reason }| LeftOut { place, reason }).collect(),
        notes: pages,
    };
    Ok(Answer { view, problems: source.problems })
}

fn shown(Taken { fate, id, place, line, .. }: &Taken) -> ImportedMemory {
    let (place, entry) = (place.clone(), line.clone());
    ImportedMemory { action: *fate, place, id: id.to_string(), entry, check: None }
}

/// Proposes checks for what was added and states one.
fn propose(memory: &Memory, news: &[NewText], results: &mut [ImportedMemory]) {
    let texts: HashMap<String, &str> =
        news.iter().map(|new| (new.id(memory).to_string(), new.text.as_str())).collect();
    let of = |one: &ImportedMemory| {
        let text = texts.get(&one.id).filter(|_| one.action == Fate::Added)?;
        Some((one.id.get(..7)?.to_owned(), *text))
    };
    let stated: Vec<(String, &str)> =
        results.iter().map(|one| of(one).unwrap_or_default()).collect();
    let stated = stated.iter().map(|(id, text)| (id.as_str(), *text));
    for (one, check) in results.iter_mut().zip(memory.reading().proposals(stated)) {
        one.check = check;
    }
}

/// Returns a heading as a topic may contain it, if it is valid.
fn title(text: &str) -> Option<String> {
    let title = EntryText::new(text.trim_matches('#')).ok()?;
    (title.as_str().chars().count() <= TITLE).then(|| title.as_str().to_owned())
}

/// Returns the items that may be stored, as new entries.
fn checked(
    memory: &Memory,
    items: Vec<ExchangeItem>,
    default: CategoryId,
    left: &mut Vec<LeftLine>,
) -> (Vec<NewText>, Vec<ExchangeItem>) {
    let (mut news, mut kept) = (Vec::new(), Vec::new());
    for item in items {
        match checked_one(memory, &item, default) {
            Ok(new) => {
                news.push(new);
                kept.push(item);
            }
            Err(why) => left.push(LeftLine { place: item.place, reason: why.to_string() }),
        }
    }
    (news, kept)
}

/// Why an item is not stored.
#[derive(Debug, thiserror::Error)]
enum ItemError {
    #[error(transparent)]
    Text(#[from] TextError),
    #[error(transparent)]
    Unfit(#[from] Failure),
    #[error("it is longer than a line may be ({} KiB)", topic::MAX_LINE >> 10)]
    TooLong,
    #[error("its evidence contains what looks like {0}")]
    SecretEvidence(&'static str),
}

fn checked_one(
    memory: &Memory,
    item: &ExchangeItem,
    default: CategoryId,
) -> Result<NewText, ItemError> {
    let named = item.category.as_ref().or(item.likely.as_ref());
    let named = named.map(|name| intake::category(memory, name));
    let category = named.unwrap_or(Ok(default))?;
    // Checked first, so that its error message is reported alone.
    let text = EntryText::new(&item.text)?;
    let text = intake::with_tags(&text, &item.tags)?;
    let name = &memory.config.categories.spec(category).name;
    let asked = Questions::read(&item.asked.join(";")).cut();
    let mut asides = LineAsides { asked, rules: item.rules.clone() };
    asides.join(text.asides());
    let markers = Markers { asides: asides.clone(), ..Markers::pinned(true) };
    if topic::render(name, text.as_str(), &markers).len() > topic::MAX_LINE {
        return Err(ItemError::TooLong);
    }
    // Log lines are copied to the log unchanged, so they must not contain secrets.
    if let Some(kind) = item.events.iter().find_map(|(_, line)| secret::find(line)) {
        return Err(ItemError::SecretEvidence(kind));
    }
    let stem = |stem: &&String| {
        (1..=64).contains(&stem.len())
            && stem.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
    };
    Ok(NewText {
        topic: item.topic.as_ref().filter(stem).cloned(),
        heading: item.heading.as_deref().and_then(title),
        pin: item.pinned,
        tags: item.tags.clone(),
        asides,
        until: item.until.map(local_time::end_of),
        source: item.source.clone(),
        often: item.often,
        told: !item.events.is_empty(),
        ..NewText::plain(category, text, item.cue.unwrap_or(Cue::Explicit))
    })
}

fn take(
    memory: &Memory,
    txn: &mut Txn<'_>,
    news: &[NewText],
    (items, waits): (Vec<ExchangeItem>, bool),
    left: &mut Vec<LeftLine>,
) -> Result<Vec<Taken>, Failure> {
    let mut placed = txn.placed();
    let mut present: IdMap<EntryId, Wording> =
        placed.iter().map(|entry| (entry.id, entry.wording())).collect();
    let mut taken = Vec::new();
    for (new, item) in news.iter().zip(items) {
        let line = new.line(memory);
        let (id, own) = (line.id, new.said(memory, line.text));
        if let Some(twin) = present.get(&id).filter(|known| **known != own) {
            let reason = intake::is_twin(&own, &twin.text);
            left.push(LeftLine { place: item.place, reason });
            continue;
        }
        let is_there = present.contains_key(&id);
        let (mut key, mut vouched) = (None, false);
        let fate = if is_there {
            let known = txn.snapshot().ledger.evidence(memory.now, id);
            let events = evidence(&line, &item, known.as_ref());
            let gone = retracted(&events);
            let fresh = events.iter().filter(|(event, line)| txn.take_over(event, line, &gone));
            let fresh = fresh.count();
            if fresh > 0 { Fate::Updated } else { Fate::Known }
        } else if new.known.is_some() {
            Fate::Repeated
        } else if txn.snapshot().ledger.archived(id) {
            let reason = "it was removed here (pimem restore brings it back)".to_owned();
            left.push(LeftLine { place: item.place, reason });
            continue;
        } else if txn.snapshot().ledger.is_over(memory.now, id) {
            let reason = "it was forgotten or replaced here, or is past its last day (pimem add brings it back)";
            left.push(LeftLine { place: item.place, reason: reason.to_owned() });
            continue;
        } else {
            let events = evidence(&line, &item, None);
            let gone = retracted(&events);
            for (event, line) in &events {
                txn.take_over(event, line, &gone);
            }
            if !txn.snapshot().ledger.knows(id) {
                new.begin(memory, txn)?;
            } else if let Some(until) = new.until.filter(|_| item.events.is_empty()) {
                txn.record(id, EventKind::Expire(until))?;
            }
            present.insert(id, own);
            if waits && !txn.reviewed(new.category, new.text.as_str()) {
                let markers = Markers { pinned: line.pinned, ..new.markers() };
                placed.push(new.put(memory, txn, markers, false));
                key = Some(txn.key(new.category, new.text.as_str()));
            } else {
                let entry = new.place(memory, txn);
                vouched = entry.reviewed;
                placed.push(entry);
            }
            Fate::Added
        };
        let id = if matches!(fate, Fate::Repeated) { new.id(memory) } else { id };
        taken.push(Taken { fate, id, place: item.place, line: String::new(), waits: key, vouched });
    }
    let short = ranking::short_ids(placed.iter().map(|entry| entry.id));
    let places: IdMap<EntryId, &LocatedEntry> =
        placed.iter().rev().map(|entry| (entry.id, entry)).collect();
    for taken in &mut taken {
        if let Some(entry) = places.get(&taken.id) {
            let name = &memory.config.categories.spec(entry.category).name;
            let short = short.get(&taken.id).map_or("", String::as_str);
            taken.line = format!("[{name}] {} ({short})", entry.text);
        }
    }
    Ok(taken)
}

/// Returns the events that others among them retract, each with the entry that it is about.
fn retracted(events: &[(Event, String)]) -> BTreeSet<(EntryId, EventId)> {
    let ids = events.iter().flat_map(|(event, _)| match &event.kind {
        EventKind::Retract(ids) => ids.iter().map(|id| (event.entry, *id)).collect(),
        _ => Vec::new(),
    });
    ids.collect()
}

/// Returns the events that come with an item, with their lines. A score is turned into events that
/// raise the `known` evidence to it.
fn evidence(
    line: &adopt::AdoptedLine<'_>,
    item: &ExchangeItem,
    known: Option<&Evidence>,
) -> Vec<(Event, String)> {
    if !item.events.is_empty() {
        let mut own = Ledger::default();
        item.events.iter().for_each(|(event, _)| own.fold(event));
        let family = own.family(line.id);
        // Events about entries outside the item's family are ignored.
        let of = |(event, _): &&(Event, String)| family.contains(&event.entry);
        return item.events.iter().filter(of).cloned().collect();
    }
    let events = match (&item.score, known) {
        (None, _) => Vec::new(),
        (Some(score), None) => adopt::from_pi(line, score),
        (Some(score), Some(known)) => adopt::raise(line, score, known),
    };
    let who = Provenance { by: BY.to_owned(), ..Provenance::default() };
    let imported = |event| {
        let event = Event { by: Author::of(BY), ..event };
        let line = event.write(&who);
        (event, line)
    };
    events.into_iter().map(imported).collect()
}

/// Adds the content of pages to those of the store. Returns the number of new pieces in each.
fn keep(
    memory: &Memory,
    store: &Store,
    lock: Option<&StoreLock>,
    source: &ImportSource,
) -> anyhow::Result<BTreeMap<String, usize>> {
    let mut added = BTreeMap::new();
    let categories = &memory.config.categories;
    let ours = |name: &str| anyhow::Ok(store.file(name)?.unwrap_or_default());
    for (name, theirs) in &source.pages {
        let day = name.strip_prefix("daily/").and_then(|name| name.strip_suffix(".md"));
        let (lines, fresh) = match day {
            Some(_) => pi::log(&ours(name)?, theirs, categories),
            None => (Vec::new(), pi::merge(&ours(name)?, theirs, categories).1),
        };
        added.insert(name.clone(), fresh);
        match (lock.filter(|_| fresh > 0), day) {
            (None, _) => {}
            (Some(lock), Some(day)) => store.append(lock, name, day, &lines)?,
            (Some(lock), None) => {
                store.rewrite(lock, name, |page| Some(pi::merge(page, theirs, categories).0))?;
            }
        }
    }
    let fresh = |page: &[u8]| -> Vec<String> {
        let known = checklist::items(page);
        let fresh = |task: &&String| known.iter().all(|item| item.text != **task);
        source.tasks.iter().filter(fresh).cloned().collect()
    };
    if !source.tasks.is_empty() {
        let count = fresh(&ours(notes::SCRATCHPAD)?).len();
        added.insert(notes::SCRATCHPAD.to_owned(), count);
        if let Some(lock) = lock.filter(|_| count > 0) {
            store.rewrite(lock, notes::SCRATCHPAD, |page| {
                Some(patch::apply(page, vec![checklist::append_items(page, &fresh(page))]))
            })?;
        }
    }
    Ok(added)
}

/// Adds a notes file, or a daily log recognised by its name, to a source.
fn note(memory: &Memory, source: &mut ImportSource, name: &str, text: &str) {
    let categories = &memory.config.categories;
    if name == notes::SCRATCHPAD {
        for item in checklist::items(text.as_bytes()).into_iter().filter(|item| !item.done) {
            match EntryText::new(&item.text) {
                Ok(text) => source.tasks.push(text.as_str().to_owned()),
                Err(error) => {
                    let place = format!("{name}:{}", item.line);
                    source.found.left.push(LeftLine { place, reason: error.to_string() });
                }
            }
        }
        return;
    }
    let day = name.strip_prefix("daily/").and_then(|name| name.strip_suffix(".md"));
    let pieces = match day {
        Some(day) if Date::parse(day).is_none() => {
            let reason = "its name is no date".to_owned();
            source.found.left.push(LeftLine { place: name.to_owned(), reason });
            return;
        }
        // The content of a log stays with its day.
        Some(_) => pi::pieces(text, categories),
        None => {
            let (found, pieces) = pi::read(name, text, categories);
            source.found.items.extend(found.items);
            source.found.left.extend(found.left);
            pieces
        }
    };
    let pieces = pi::clean(name, pieces, &mut source.found.left);
    if pieces.iter().any(|piece| matches!(piece, Piece::Block(..))) {
        source.pages.push((name.to_owned(), pieces));
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Imported {
    pub format: &'static str,
    pub dry_run: bool,
    pub added: usize,
    /// Number of known entries with new evidence.
    pub updated: usize,
    /// Number of known entries without new evidence.
    pub known: usize,
    /// Number of memories that a known entry states in other words.
    pub repeated: usize,
    /// Number of entries that the same files stated before, and state otherwise now.
    pub replaced: usize,
    /// Number of entries that they state no longer.
    pub forgotten: usize,
    /// One per memory that can be an entry.
    pub results: Vec<ImportedMemory>,
    /// Parts of the source that were not imported.
    pub left_out: Vec<LeftOut>,
    /// Number of new lines or items per file of notes, by file name.
    pub notes: BTreeMap<String, usize>,
}

/// An imported memory that can be an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ImportedMemory {
    pub action: Fate,
    /// Place in the source.
    pub place: String,
    pub id: String,
    /// `[category] text (short id)`.
    pub entry: String,
    /// The check that it states, which is not made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<GuardProposal>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Fate {
    Added,
    /// A known entry with new evidence.
    Updated,
    /// A known entry without new evidence.
    Known,
    /// A known entry states the same in other words.
    Repeated,
    /// A known entry, of which the source states something else now.
    Replaced,
    /// A known entry that the source states no longer.
    Forgotten,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Place in the source.
    pub place: String,
    pub reason: String,
}

documents! {
    Imported: "pimem.import-memories/1",
}
