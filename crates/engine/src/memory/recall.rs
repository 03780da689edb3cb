//! What a prompt brings to mind, besides what a report says anyway.

use std::cell::LazyCell;

use super::{
    Memory,
    search::{Hit, SearchResult, find_each, request::SearchRequest},
};
use crate::store::{
    notes,
    snapshot::{self, Store},
};
use pimem_core::{
    language::{injection, sketch::Sketch},
    model::{entry::EntryId, hash::IdSet, time::Timestamp},
    safety::safe_text,
    score::ranking::Ranking,
    search::{
        bm25::Query,
        documents::{self, SourceKind},
    },
};

/// Past sessions that a prompt brings to mind.
const SESSIONS: usize = 3;
/// Notes and items of logs that a prompt brings to mind. Twice as many are read.
const NOTES: usize = 2;
/// Characters of one of them.
const NOTE: usize = 400;
/// Summaries that are read beyond those shown. They are long, and the first look ranks them well.
const READ: usize = 8;
/// Summaries that are looked past because they were shown before, at most.
const PASSED: usize = 16;

/// Where entries are recalled from.
const ENTRIES: &[SourceKind] = &[SourceKind::Topic, SourceKind::Archive];

/// What a prompt brings to mind.
pub struct Recalled {
    /// Entries; whether they still hold is the caller's to ask.
    pub entries: SearchResult,
    /// Notes and items of logs.
    pub notes: Vec<Hit>,
    /// Past sessions.
    pub sessions: Vec<Hit>,
}

/// What a prompt brings to mind: entries but for some, and passages, more of them when some were shown
/// before (`None` where nothing is known of that, and notes are not wanted). One search finds all.
pub fn search(
    memory: &Memory,
    stores: &[Store],
    prompt: &str,
    except: &IdSet<EntryId>,
    shown: Option<usize>,
) -> Recalled {
    let query = Query::from_prompt(prompt);
    let entries = SearchRequest {
        except: Some(except),
        ..SearchRequest::recall(memory, &query, limit(memory).saturating_mul(2), ENTRIES)
    };
    let passed = shown.unwrap_or(0).min(PASSED);
    let more = SESSIONS + passed;
    let sessions = SearchRequest {
        pool: Some(READ + more),
        ..SearchRequest::recall(memory, &query, more, &[SourceKind::Session])
    };
    let kinds = &[SourceKind::Notes, SourceKind::Daily];
    let notes = SearchRequest {
        pool: Some(2 * NOTES + passed),
        ..SearchRequest::recall(memory, &query, NOTES + passed, kinds)
    };
    // Most stores have none.
    let has_some = |store: &Store| store.place(snapshot::SESSIONS).1.is_file();
    let has_notes = |store: &Store| {
        store.dir.join(notes::NOTES).is_file() || store.dir.join(notes::DAILY).is_dir()
    };
    let with_notes = shown.is_some() && stores.iter().any(has_notes);
    let with_sessions = stores.iter().any(has_some);
    let mut wanted = vec![entries];
    wanted.extend(with_notes.then_some(notes));
    wanted.extend(with_sessions.then_some(sessions));
    let mut found = find_each(memory, stores, &wanted).into_iter();
    let entries = found.next().unwrap_or_default();
    let mut hits = |wanted: bool| wanted.then(|| found.next()).flatten().map(|found| found.hits);
    let notes = hits(with_notes).unwrap_or_default();
    Recalled { entries, notes, sessions: hits(with_sessions).unwrap_or_default() }
}

/// The first notes and items of logs that are nearer to the prompt than the entries beside them, but
/// for those that were shown before.
pub fn notes(hits: Vec<Hit>, beside: &[Hit], known: impl Fn(&str) -> bool) -> Vec<Hit> {
    let best = beside.iter().map(|hit| hit.score).fold(0.0, f64::max);
    let beside: Vec<Sketch> = beside.iter().map(|hit| Sketch::of(&hit.text)).collect();
    let is_new = |hit: &Hit| {
        let sketch = Sketch::of(&note_text(hit));
        hit.score >= best
            && !known(said(hit))
            && beside.iter().all(|known| known.similarity(&sketch) < ALIKE)
    };
    distinct(hits.into_iter().filter(is_new), NOTES)
}

/// The first past sessions of some hits, but for those that were shown before and those that are worded
/// as orders to an agent, as an earlier version may have kept them.
pub fn sessions(hits: Vec<Hit>, known: impl Fn(&str) -> bool) -> Vec<Hit> {
    let fits = |hit: &Hit| !known(&hit.text) && !orders(hit);
    hits.into_iter().filter(fits).take(SESSIONS).collect()
}

/// Whether a past session is worded as an order to an agent.
pub fn orders(hit: &Hit) -> bool {
    is_session(hit) && injection::find(&hit.text).is_some()
}

/// How many entries are recalled.
pub fn limit(memory: &Memory) -> usize {
    memory.config.settings.recall.limit
}

/// Those of some hits that hold by a ranking.
pub fn on_board(board: &Ranking, hits: Vec<Hit>, limit: usize) -> Vec<Hit> {
    let holds = |hit: &Hit| {
        // Of what was archived, the search has asked.
        if hit.is_archived() {
            return true;
        }
        let row = hit.entry.and_then(|id| board.get(id));
        row.is_some_and(|row| {
            // The text of a hit is that of some line; of the entry, the ranking knows what was reviewed.
            let same = row.entry.text == hit.text;
            same && !row.expired && row.superseded_by.is_none()
        })
    };
    distinct(hits.into_iter().filter(holds), limit)
}

/// Those of some hits that still hold, at most `limit`, without near repetitions. Unlike
/// [`on_board`] it needs no board, which would take longer to make than the search takes.
pub fn alive(memory: &Memory, stores: &[Store], hits: Vec<Hit>, limit: usize) -> Vec<Hit> {
    let holds = hold(memory, stores, &hits);
    let entries = hits.into_iter().zip(holds).filter(|(hit, holds)| hit.entry.is_some() && *holds);
    distinct(entries.map(|(hit, _)| hit), limit)
}

/// For each of some hits, whether it still holds. What is no entry does.
pub fn hold(memory: &Memory, stores: &[Store], hits: &[Hit]) -> Vec<bool> {
    let ids: IdSet<EntryId> = hits.iter().filter_map(|hit| hit.entry).collect();
    let mut ledgers = Vec::new();
    for store in stores.iter().filter(|_| !ids.is_empty()) {
        let of = |scope| hits.iter().filter(move |hit| hit.scope == scope);
        let here = of(store.scope).filter_map(|hit| hit.entry).collect();
        let known = store.evidence_of(memory.now, &here);
        let ledger =
            known.unwrap_or_else(|| store.read(memory.now, &memory.config.categories).ledger);
        ledgers.push((store.scope, ledger));
    }
    // What replaced an entry may be gone itself, which only the whole store can tell.
    let board = LazyCell::new(|| memory.ranking(stores).0);
    let replaced = |id| board.get(id).is_none_or(|row| row.superseded_by.is_some());
    let holds = |hit: &Hit| {
        if hit.is_archived() {
            return true;
        }
        let ledger =
            ledgers.iter().find(|(scope, _)| *scope == hit.scope).map(|(_, ledger)| ledger);
        let Some(id) = hit.entry else { return true };
        let evidence = ledger.and_then(|ledger| ledger.evidence(memory.now, id));
        evidence.is_some_and(|evidence| {
            evidence.until.is_none_or(|until| until >= memory.now.0)
                && (evidence.superseded_by.is_empty() || !replaced(id))
        })
    };
    hits.iter().map(holds).collect()
}

/// The first of some hits that differ from one another.
fn distinct(hits: impl Iterator<Item = Hit>, limit: usize) -> Vec<Hit> {
    let mut kept: Vec<(Hit, Sketch)> = Vec::new();
    for hit in hits {
        if kept.len() >= limit {
            break;
        }
        let sketch = Sketch::of(&hit.text);
        if kept.iter().all(|(_, known)| known.similarity(&sketch) < ALIKE) {
            kept.push((hit, sketch));
        }
    }
    kept.into_iter().map(|(hit, _)| hit).collect()
}

/// A recalled entry as a line of a prompt.
pub fn line(memory: &Memory, hit: &Hit) -> String {
    let mut categories = memory.config.categories.iter().map(|(_, spec)| &spec.name);
    let name = categories.find(|name| documents::category_hash(name) == hit.category);
    let name = name.map_or("", |name| name.as_ref());
    let mark = if hit.is_archived() { " (archived)" } else { "" };
    format!("{}{mark}\n", safe_text::entry(name, &hit.text))
}

/// The first line of a note or of an item of a log that is no heading.
fn said(hit: &Hit) -> &str {
    let mut lines = hit.text.lines().map(str::trim);
    lines.find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or_default()
}

/// The words of a note or of an item of a log, on one line.
fn note_text(hit: &Hit) -> String {
    let lines = hit.text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    let text = lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    let text = text.strip_prefix("- ").unwrap_or(&text);
    if text.chars().nth(NOTE).is_none() {
        return text.to_owned();
    }
    let start: String = text.chars().take(NOTE).collect();
    let whole = start.rsplit_once(' ').map_or(start.as_str(), |(whole, _)| whole);
    format!("{whole} …")
}

/// A note or an item of a log with its file, or its day.
fn note(hit: &Hit) -> String {
    let from = match (hit.kind, hit.when) {
        (SourceKind::Daily, Some(when)) => when.date(),
        _ => hit.source.clone(),
    };
    format!("- {from}: {}\n", safe_text::model(&note_text(hit)))
}

/// A past session: its date and its summary.
pub fn session(hit: &Hit) -> String {
    let date = hit.when.map(Timestamp::date).unwrap_or_default();
    format!("{date} {}", hit.text).trim().to_owned()
}

/// A line of what was recalled.
pub struct Line<'a> {
    /// The line with its line break, safe for a model.
    pub text: String,
    /// The hit that it shows.
    pub hit: Option<&'a Hit>,
}

/// What was recalled, as it stands in a prompt.
pub fn lines<'a>(
    memory: &Memory,
    entries: &'a [Hit],
    notes: &'a [Hit],
    sessions: &'a [Hit],
) -> Vec<Line<'a>> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    let mut section = |heading: &str, hits: &'a [Hit], line: &dyn Fn(&Hit) -> String| {
        if hits.is_empty() {
            return;
        }
        let gap = (!lines.is_empty()).then(String::new);
        let head = gap.into_iter().chain([format!("# {heading}"), String::new()]);
        lines.extend(head.map(|text| Line { text: text + "\n", hit: None }));
        lines.extend(hits.iter().map(|hit| Line { text: line(hit), hit: Some(hit) }));
    };
    section("Contextually Relevant Memories", entries, &|hit| line(memory, hit));
    section("Relevant Notes and Logs", notes, &note);
    section("Relevant Past Sessions", sessions, &|hit| {
        format!("- {}\n", safe_text::model(&session(hit)))
    });
    lines
}

/// The same as one text.
pub fn text(memory: &Memory, entries: &[Hit], notes: &[Hit], sessions: &[Hit]) -> String {
    lines(memory, entries, notes, sessions).into_iter().map(|line| line.text).collect()
}

/// Whether something found is a past session.
pub fn is_session(hit: &Hit) -> bool {
    hit.kind == SourceKind::Session
}

/// Two recalled entries that share this much of their words are shown once.
pub const ALIKE: f64 = 0.8;
