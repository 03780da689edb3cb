//! Collects the unreviewed texts of a store, with warnings about them.

use std::{collections::HashSet, ops::Range};

use memchr::memmem;
use pimem_core::{
    gate,
    lint::lines,
    model::{
        entry::{EntryId, Wording},
        event::{Author, Event, EventKind},
        rules::LineRules,
    },
    review::{self, OrderFound, passages, said},
    score::ranking::{self, Ranking, Scope, ScoredEntry},
    session::summaries,
};
use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    Memory, guards,
    mirrors::Mirrored,
    pins,
    trust::{Came, Unreviewed},
};
use crate::{
    config::layers,
    local_time,
    store::{
        Store, evidence, provenance,
        read::ReadProblem,
        snapshot::{SESSIONS, Snapshot},
        trust::{self, TextKey},
        trust_ledger,
    },
    view::{Entries, EntryView},
};

pub struct ReviewItem {
    /// Keys that trusting it adds to the ledger.
    pub keys: Vec<TextKey>,
    /// The entry that trusting it pins.
    pub pin: Option<String>,
    /// The entry whose guards trusting it puts in force.
    pub guard: Option<(Wording, LineRules)>,
    pub view: AwaitingText,
}

/// An entry or a passage that an agent has added and that no person has looked at since.
pub struct ByAgent {
    /// The keys that say so.
    pub keys: Vec<TextKey>,
    pub place: AddedPlace,
    pub view: AwaitingText,
}

/// Where an agent has added something.
pub enum AddedPlace {
    Entry(String),
    /// A passage of a file of notes, a list or a log, with what it says.
    Passage(String, String),
}

/// A store with its unreviewed texts.
pub struct Held {
    pub store: Store,
    pub entries: usize,
    /// Unreviewed texts, entries first.
    pub items: Vec<ReviewItem>,
    /// What agents have added and are told.
    pub by_agents: Vec<ByAgent>,
    /// Counts of unreviewed entries, and how they came here.
    pub unreviewed: Unreviewed,
    pub problems: Vec<ReadProblem>,
}

/// Why a preference learned by a hook awaits review.
const PASTED: &str =
    "; it may be no rule, pasted, written by a program, or lead out of the project";

pub fn look(memory: &Memory, store: Store) -> Held {
    let snapshot = store.read(memory.now, &memory.config.categories);
    let mut held = held(memory, store, &snapshot, lines::warnings, None);
    propose(memory, &mut held.items);
    held.items.sort_by_cached_key(|item| item.view.worth());
    held
}

/// Says of entries which state what can be checked how it would be.
fn propose(memory: &Memory, items: &mut [ReviewItem]) {
    let of = |item: &ReviewItem| match &item.view.what {
        ReviewText::Entry(entry) if !entry.rules.iter().any(|rule| !rule.starts_with("place")) => {
            (entry.short.clone(), entry.text.clone())
        }
        _ => Default::default(),
    };
    let texts: Vec<(String, String)> = items.iter().map(of).collect();
    let texts = texts.iter().map(|(id, text)| (id.as_str(), text.as_str()));
    for (item, check) in items.iter_mut().zip(memory.reading().proposals(texts)) {
        item.view.lines.extend(check.map(|check| format!("    could hold: {}", check.in_words())));
    }
}

/// Returns what an entry replaces as soon as it is trusted, a line each.
fn instead_of(entries: &Entries<'_>, ranking: &Ranking, by: EntryId) -> Vec<String> {
    let rows = ranking.rows.iter().filter(|row| row.evidence.superseded_by.contains(&by));
    rows.map(|row| format!("    instead of {}", entries.line(row))).collect()
}

/// Collects the unreviewed texts of a snapshot. `warnings` are those about the text of an entry, which
/// take most of the time and which nobody needs who counts; `known` is the ranking of the store, if
/// there is one.
pub fn held(
    memory: &Memory,
    store: Store,
    snapshot: &Snapshot,
    warnings: fn(&str) -> Vec<String>,
    known: Option<&Ranking>,
) -> Held {
    let own = known.is_none().then(|| {
        memory.note_own(
            provenance::LIMIT,
            std::slice::from_ref(&store),
            std::slice::from_ref(snapshot),
        );
        let placed = snapshot.placed(&store, &memory.config.categories);
        Ranking::new(memory.now, memory.rules(), vec![(placed, &snapshot.ledger)])
    });
    let own = own.unwrap_or_default();
    let ranking = known.unwrap_or(&own);
    let entries = memory.entries_of(ranking);
    let rows = ranking::by_line(&ranking.rows);
    let (reviewed, rows): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.entry.reviewed);
    let by_agent =
        |row: &&ScoredEntry| store.trust.by_agent(entries.category(row), &row.entry.text);
    let all: Vec<TextKey> = reviewed.iter().map(by_agent).collect();
    let of_agents = store.trust.held(&all);
    let log = match rows.as_slice() {
        [] if of_agents.is_empty() => None,
        _ => store.log().ok(),
    };
    let log = evidence::by_entry(&log.unwrap_or_default());
    let key = |row: &ScoredEntry| store.trust.entry(entries.category(row), &row.entry.text);
    let keys: Vec<TextKey> = rows.iter().map(|row| key(row)).collect();
    let pasted = trust_ledger::waiting_of(&store.trust, &keys);
    let view = |row: &ScoredEntry, why: &str| {
        let place = format!("topics/{}.md:{}", row.entry.topic, row.entry.line);
        let events = log.get(&row.entry.id);
        let origin = events.and_then(|events| added(events));
        let origin = origin.unwrap_or_else(|| "not in the log".to_owned());
        // What was imported from the past says itself where it is from.
        let why = if events.is_some_and(|events| source(events).is_some()) { "" } else { why };
        let mut lines = vec![format!("+ {}", entries.line(row))];
        lines.extend(instead_of(&entries, ranking, row.entry.id));
        lines.push(format!("    {place}, {origin}{why}"));
        let what = ReviewText::Entry(Box::new(entries.entry(row)));
        AwaitingText { what, warnings: warnings(&row.entry.text), lines }
    };
    let item = |row: &&ScoredEntry| {
        let key = key(row);
        let why = if pasted.contains(&key) { PASTED } else { "" };
        ReviewItem { keys: vec![key], pin: None, guard: None, view: view(row, why) }
    };
    let mut items: Vec<ReviewItem> = rows.iter().map(item).collect();
    let of_agent = |(row, key): (&&ScoredEntry, &TextKey)| ByAgent {
        keys: vec![*key],
        place: AddedPlace::Entry(row.entry.id.to_string()),
        view: view(row, ""),
    };
    let by_agents = reviewed.iter().zip(&all).filter(|(_, key)| of_agents.contains(key));
    let mut by_agents: Vec<ByAgent> = by_agents.map(of_agent).collect();
    let pin = |row: &ScoredEntry| {
        let line = format!("+ pin of {}", entries.line(row));
        let asked = "    an agent asked for it: it would be in every report".to_owned();
        let what = ReviewText::Pin { pin: Box::new(entries.entry(row)) };
        let view = AwaitingText { what, warnings: Vec::new(), lines: vec![line, asked] };
        ReviewItem { keys: Vec::new(), pin: Some(row.entry.id.to_string()), guard: None, view }
    };
    let sanctions = guards::sanctions(&store);
    let guard = |row: &&ScoredEntry| {
        let rules = &row.entry.asides.rules;
        let of = sanctions.of(&row.entry.wording());
        let is_waiting = !row.is_over() && of.awaits(rules);
        let mut lines = vec![format!("+ what {} forbids", entries.line(row))];
        lines.extend(rules.guards().map(|rule| format!("    {rule}")));
        lines.extend(of.taken_off(rules).map(|rule| format!("    no more: {rule}")));
        lines.push("    that keeps the tools of agents from running".to_owned());
        let what = ReviewText::Guard { guard: Box::new(entries.entry(row)) };
        let view = AwaitingText { what, warnings: Vec::new(), lines };
        let guard = Some((row.entry.wording(), rules.clone()));
        is_waiting.then_some(ReviewItem { keys: Vec::new(), pin: None, guard, view })
    };
    items.extend(rows.iter().chain(&reviewed).filter_map(guard).collect::<Vec<_>>());
    items.extend(pins::waiting(memory, &store, &ranking.rows).into_iter().map(pin));
    let mut unread = Vec::new();
    let (withheld, added) = passages_of_others(&store);
    items.extend(withheld);
    by_agents.extend(added);
    items.extend(notes(&store, &mut unread));
    items.extend(past_sessions(&store));
    if store.scope == Scope::Project {
        items.extend(memory.headings.iter().map(|heading| {
            let what = ReviewText::Heading { heading: heading.clone() };
            text(&store, trust::TrustedKind::Heading, heading, what)
        }));
        items.extend(settings(&store, &memory.config.awaiting));
    }
    let placed = ranking.rows.iter().map(|row| &row.entry);
    let unreviewed = memory.unreviewed(std::slice::from_ref(&store), placed);
    let problems = snapshot.problems.iter().cloned();
    let problems = problems.chain(unread).chain(store.trust.problem().cloned()).collect();
    Held { entries: ranking.rows.len(), items, by_agents, unreviewed, problems, store }
}

/// Collects the lines of a mirror that are withheld.
pub fn of_mirror(memory: &Memory, mut mirror: Mirrored) -> Held {
    let others = mirror.mark_withheld(memory);
    let entries = memory.entries_of(&mirror.ranking);
    let rows = ranking::by_line(mirror.ranking.rows.iter().filter(|row| !row.entry.reviewed));
    let item = |row: &&ScoredEntry| {
        let entry = mirror.view(&entries, row);
        let by = entry.author.as_deref().unwrap_or("you");
        let (topic, line, from) = (&row.entry.topic, row.entry.line, mirror.mirror());
        let place = format!("topics/{topic}.md:{line}, by {by}, from {}", from.server);
        let lines = vec![format!("+ {}", entries.line(row)), format!("    {place}")];
        let warnings = lines::warnings(&row.entry.text);
        let key = mirror.store.trust.entry(entries.category(row), &row.entry.text);
        ReviewItem {
            keys: vec![key],
            pin: None,
            guard: None,
            view: AwaitingText { what: ReviewText::Entry(Box::new(entry)), warnings, lines },
        }
    };
    let items: Vec<ReviewItem> = rows.iter().map(item).collect();
    Held {
        entries: mirror.ranking.rows.len(),
        items,
        by_agents: Vec::new(),
        unreviewed: Unreviewed { waiting: 0, preferences: 0, others, came: Came::Mirror },
        problems: mirror.store.trust.problem().cloned().into_iter().collect(),
        store: mirror.store,
    }
}

/// Returns when and by which agent or program an entry was added, or where it was said; `None` if a
/// person wrote it.
pub fn added_by(store: &Store, id: EntryId) -> Option<String> {
    let log = store.log().ok()?;
    let id = id.to_string();
    let lines = evidence::lines(&log).filter(|line| memmem::find(line, id.as_bytes()).is_some());
    let events = lines.filter_map(|line| {
        let line = str::from_utf8(line).ok()?;
        Some((Event::read(line)?, line.to_owned()))
    });
    let events: Vec<(Event, String)> =
        events.filter(|(event, _)| event.entry.to_string() == id).collect();
    let is_of_program = worded(&events)?.0.by == Author::Program;
    added(&events).filter(|_| is_of_program || source(&events).is_some())
}

/// Returns the last event that gave an entry its text.
fn worded(events: &[(Event, String)]) -> Option<&(Event, String)> {
    let is_text = |kind: &EventKind| matches!(kind, EventKind::Add(..) | EventKind::Edit(..));
    events.iter().rev().find(|(event, _)| is_text(&event.kind))
}

/// Returns where the text of an entry was said, according to the log.
pub fn source(events: &[(Event, String)]) -> Option<String> {
    let (_, line) = worded(events)?;
    let fields: Value = serde_json::from_str(line).ok()?;
    let source = fields.get("source").and_then(Value::as_str)?;
    Some(gate::masked(source).into_owned())
}

/// Returns when and by whom an entry was added, according to the log.
fn added(events: &[(Event, String)]) -> Option<String> {
    if let Some(source) = source(events) {
        return Some(source);
    }
    let (event, line) = worded(events)?;
    let fields: Value = serde_json::from_str(line).ok()?;
    let text = |key: &str| fields.get(key).and_then(Value::as_str);
    let date = local_time::local(event.ts).date;
    let by = text("by").map_or_else(String::new, |by| format!(" by {by}"));
    let session = text("session").map_or_else(String::new, |id| format!(" in session {id}"));
    Some(format!("added on {date}{by}{session}, as the log says"))
}

/// Returns the passages of notes, lists and logs that are withheld, because they are worded as orders or
/// because an agent wrote them, and those that an agent wrote and agents are told.
fn passages_of_others(store: &Store) -> (Vec<ReviewItem>, Vec<ByAgent>) {
    // Files that cannot be read are reported with their notes.
    let (names, _) = store.note_files_there();
    let (mut withheld, mut added) = (Vec::new(), Vec::new());
    // A handoff repeats lines, which are looked at once.
    let mut seen: HashSet<Vec<TextKey>> = HashSet::new();
    for name in names {
        let Ok(Some(bytes)) = store.file(&name) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let shown = |span: &Range<usize>| {
            let passage = text.get(span.clone()).unwrap_or_default();
            let line = 1 + text.get(..span.start).map_or(0, |text| text.matches('\n').count());
            (passage, said(passage), format!("{name}:{line}"))
        };
        let found = store.trust.withheld(&text);
        for OrderFound { span, does } in &found {
            let (passage, order, place) = shown(span);
            let kind = if review::order(passage).is_some() { "order" } else { "passage" };
            let lines = vec![format!("+ {kind}: {order}"), format!("    {place}")];
            let mut keys = store.trust.lines(trust::TrustedKind::Order, passage);
            if !seen.insert(keys.clone()) {
                continue;
            }
            keys.push(store.trust.order(passage));
            let what = ReviewText::Order { order, place };
            let view = AwaitingText { what, warnings: vec![(*does).to_owned()], lines };
            withheld.push(ReviewItem { keys, pin: None, guard: None, view });
        }
        let mut passages = passages(&text);
        passages.retain(|span| found.iter().all(|one| one.span != *span));
        let keys = |span: &Range<usize>| {
            store
                .trust
                .lines(trust::TrustedKind::ByAgent, text.get(span.clone()).unwrap_or_default())
        };
        let all: Vec<TextKey> = passages.iter().flat_map(keys).collect();
        let held = store.trust.held(&all);
        for span in passages {
            let keys: Vec<TextKey> =
                keys(&span).into_iter().filter(|key| held.contains(key)).collect();
            if keys.is_empty() || !seen.insert(keys.clone()) {
                continue;
            }
            let (_, passage, place) = shown(&span);
            let lines = vec![format!("+ {passage}"), format!("    {place}")];
            let warnings = lines::warnings(&passage);
            let added_to = AddedPlace::Passage(name.clone(), passage.clone());
            let what = ReviewText::Passage { passage, place };
            let view = AwaitingText { what, warnings, lines };
            added.push(ByAgent { keys, place: added_to, view });
        }
    }
    (withheld, added)
}

/// Returns notes, lists and logs, which are reviewed in an editor because they may be long. Adds
/// read problems to `unread`.
fn notes(store: &Store, unread: &mut Vec<ReadProblem>) -> Option<ReviewItem> {
    if store.trust.is_whole() {
        return None;
    }
    let all = store.trust.text(trust::TrustedKind::Notes, "");
    let (mut files, mut keys, mut warnings) = (Vec::new(), vec![all], Vec::new());
    let (names, problems) = store.note_files_there();
    unread.extend(problems);
    for name in names {
        let bytes = match store.file(&name) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => continue,
            Err(problem) => {
                unread.push(problem);
                continue;
            }
        };
        let key = store.trust.file(&name, &bytes);
        if store.trust.holds(key) {
            continue;
        }
        for (number, line) in (1..).zip(String::from_utf8_lossy(&bytes).lines()) {
            let says = lines::warnings(line).into_iter();
            warnings.extend(says.map(|says| format!("{name}:{number} {says}")));
        }
        files.push(name);
        keys.push(key);
    }
    let lines =
        vec!["+ notes and logs, to be read".to_owned(), format!("    {}", files.join(", "))];
    let is_any = !files.is_empty();
    let view = AwaitingText { what: ReviewText::Notes { notes: files }, warnings, lines };
    is_any.then_some(ReviewItem { keys, pin: None, guard: None, view })
}

/// Returns the settings of the project's file, which are reviewed together.
fn settings(store: &Store, awaiting: &[layers::AwaitingSettings]) -> Option<ReviewItem> {
    let whole = layers::AwaitingSettings::text(awaiting);
    let mut warnings = vec!["it decides what is run, what is sent, and to whom".to_owned()];
    warnings.extend(lines::warnings(&whole.replace('\n', " ")));
    let file = awaiting.first()?.place.rsplit_once(':').map_or("", |(file, _)| file);
    let mut lines = vec![format!("+ settings of {file}")];
    lines.extend(whole.lines().map(|line| format!("    {line}")));
    let of =
        |setting: &layers::AwaitingSettings| (setting.key.name.to_owned(), setting.value.clone());
    let what = ReviewText::Settings { settings: awaiting.iter().map(of).collect() };
    let keys = vec![store.trust.text(trust::TrustedKind::Settings, &whole)];
    Some(ReviewItem { keys, pin: None, guard: None, view: AwaitingText { what, warnings, lines } })
}

fn past_sessions(store: &Store) -> Vec<ReviewItem> {
    if store.trust.is_whole() {
        return Vec::new();
    }
    let bytes = store.file(SESSIONS).ok().flatten().unwrap_or_default();
    let found = summaries::sessions(&bytes);
    let object = |span: &Range<usize>| bytes.get(span.clone()).unwrap_or_default();
    let texts = found.iter().map(|found| summaries::text(object(&found.span)));
    texts
        .filter(|text| !store.trust.holds_text(trust::TrustedKind::Session, text))
        .map(|session| {
            let what = ReviewText::Session { session: session.clone() };
            text(store, trust::TrustedKind::Session, &session, what)
        })
        .collect()
}

/// Returns a text that is not an entry.
fn text(store: &Store, kind: trust::TrustedKind, text: &str, what: ReviewText) -> ReviewItem {
    let view = AwaitingText {
        what,
        warnings: lines::warnings(text),
        lines: vec![format!("+ {}: {text}", kind.name())],
    };
    ReviewItem { keys: vec![store.trust.text(kind, text)], pin: None, guard: None, view }
}

impl Held {
    /// Returns the number of unreviewed texts that are not entries.
    pub fn others(&self) -> usize {
        self.items.iter().filter(|item| !item.view.is_entry()).count()
    }

    pub fn in_words(&self) -> String {
        let others = match self.others() {
            0 => String::new(),
            1 => ", and one other text".to_owned(),
            others => format!(", and {others} other texts"),
        };
        // Otherwise that is said of the entries.
        let is_said = self.unreviewed.others > 0;
        let is_foreign = self.store.trust.is_foreign() && !is_said;
        let whose = if is_foreign { "; it belongs to another user" } else { "" };
        format!("{}{others}{whose}", self.unreviewed.told(Some(self.entries)))
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AwaitingText {
    #[serde(flatten)]
    pub what: ReviewText,
    /// Warnings about unusual content.
    pub warnings: Vec<String>,
    /// Text and origin, formatted for people.
    #[serde(skip)]
    pub lines: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ReviewText {
    Entry(Box<EntryView>),
    /// Notes, lists and logs.
    Notes {
        notes: Vec<String>,
    },
    /// Settings in the project's file.
    Settings {
        settings: Map<String, Value>,
    },
    /// A heading that the project sets for a category.
    Heading {
        heading: String,
    },
    /// A passage of notes, a log or a list that an agent has added.
    Passage {
        /// The passage, on one line.
        passage: String,
        /// Place of its first line.
        place: String,
    },
    /// Such a passage that is worded as an order to an agent, or waits because an agent wrote it.
    Order {
        /// The passage, on one line.
        order: String,
        /// Place of its first line.
        place: String,
    },
    /// A pin that an agent asked for.
    Pin {
        pin: Box<EntryView>,
    },
    /// What an entry forbids: its text, and a rule each line.
    Guard {
        guard: Box<EntryView>,
    },
    Session {
        session: String,
    },
}

impl AwaitingText {
    /// Returns the lines for people, warnings last.
    pub fn in_words(&self) -> impl Iterator<Item = String> {
        let warnings = self.warnings.iter().map(|warning| format!("    warning: {warning}"));
        self.lines.iter().cloned().chain(warnings)
    }

    pub fn is_guard(&self) -> bool {
        matches!(self.what, ReviewText::Guard { .. })
    }

    /// Returns what entries are reviewed together, in the order in which it is worth it: what was said
    /// more than once, what went wrong, and the rest by category; other texts come last.
    fn worth(&self) -> (u8, String) {
        match &self.what {
            ReviewText::Entry(entry) if entry.evidence > 1 => (0, "said more than once".to_owned()),
            ReviewText::Entry(entry) if entry.category == "mistake" => (1, entry.category.clone()),
            ReviewText::Entry(entry) => (2, entry.category.clone()),
            _ => (3, String::new()),
        }
    }

    /// Returns the name of what it is reviewed together with.
    pub fn group(&self) -> Option<String> {
        Some(self.worth().1).filter(|name| !name.is_empty())
    }

    pub fn is_entry(&self) -> bool {
        self.entry().is_some()
    }

    pub(super) fn entry(&self) -> Option<&EntryView> {
        match &self.what {
            ReviewText::Entry(entry) => Some(entry),
            _ => None,
        }
    }
}
