//! Recall: search for a prompt, without what the report shows anyway. Under the policy `ebbinghaus` it
//! is the most relevant memories, in the order of their kinds, within a number of characters.

use std::mem;

use pimem_core::{
    guard::glob,
    language::sketch::Gist,
    markdown::{passages, topic::TopicDoc},
    model::{
        category::{Knowledge, Traits},
        entry::{self, EntryId},
        hash::IdSet,
        mirror,
        rules::{self, LineRule, LineRules},
        time::{Age, Timestamp},
    },
    report::{budget::Tokens, team},
    safe,
    safety::safe_text::SafeText,
    score::{
        clock::Clock,
        ledger::Ledger,
        policy::{Policy, PolicyParts, ebbinghaus},
        ranking::{Ranking, ScoredEntry},
        stability::Standing,
    },
    search::{
        bm25::Query,
        documents::{self, SourceKind},
        parts,
    },
};

use super::{
    Memory,
    handles::Reading,
    search::{
        FoundHit, Relevance, SearchResult,
        embedding::QueriesAhead,
        find_each,
        request::{Pace, SearchRequest},
    },
};
use crate::store::{
    Store, notes,
    snapshot::{self, Snapshot},
};

/// Tokens of the entries that are recalled for a prompt.
const TOKENS: usize = 120;
/// Maximum number of past sessions per prompt.
const SESSIONS: usize = 3;
/// Maximum number of notes and log items per prompt; twice as many are read.
const NOTES: usize = 2;
/// Maximum number of characters of a note or log item.
const NOTE: usize = 400;
/// Number of summaries read in addition to those shown. Summaries are long, and the first ranking
/// is good enough.
const READ: usize = 8;
/// Maximum number of extra passages read because others were shown before.
const PASSED: usize = 16;

/// Kinds of files from which entries are recalled.
const ENTRIES: &[SourceKind] = &[SourceKind::Topic, SourceKind::Archive];

#[derive(Default)]
pub struct Recalled {
    /// Entries in force.
    pub entries: SearchResult,
    pub notes: Vec<FoundHit>,
    pub sessions: Vec<FoundHit>,
}

impl Recalled {
    /// Joins what the queries of a prompt found, without what counts elsewhere. Each hit has passed the
    /// bar of its own query, and the best of each come first: a question in company finds what it finds
    /// alone.
    pub fn joined(memory: &Memory, mut all: Vec<Self>) -> Self {
        for one in &mut all {
            one.entries.hits.retain(|hit| memory.work_area().has(&hit.rules));
        }
        if all.len() < 2 {
            return all.pop().unwrap_or_default();
        }
        let hits = |of: fn(&mut Self) -> &mut Vec<FoundHit>, all: &mut [Self]| {
            let lists = all.iter_mut().map(|one| mem::take(of(one)));
            let mut hits: Vec<(usize, FoundHit)> =
                lists.flat_map(|list| list.into_iter().enumerate()).collect();
            hits.sort_by(|(place, one), (other_place, other)| {
                place.cmp(other_place).then(other.score.total_cmp(&one.score))
            });
            let mut joined: Vec<FoundHit> = Vec::with_capacity(hits.len());
            for (_, hit) in hits {
                if !joined.iter().any(|known| known.entry == hit.entry && known.text == hit.text) {
                    joined.push(hit);
                }
            }
            joined
        };
        let notes = hits(|one| &mut one.notes, &mut all);
        let sessions = hits(|one| &mut one.sessions, &mut all);
        let found = hits(|one| &mut one.entries.hits, &mut all);
        let first = all.swap_remove(0).entries;
        Self { entries: SearchResult { hits: found, ..first }, notes, sessions }
    }
}

/// The searches for a prompt, one for each of its sentences.
pub struct PromptQueries {
    queries: Vec<Query>,
    ahead: QueriesAhead,
}

impl PromptQueries {
    /// Begins to embed them, while other work is done. There are none where recall is off.
    pub fn begin(memory: &Memory, prompt: &str) -> Self {
        let is_on = memory.config.settings.recall.enabled;
        let parts = if is_on { parts::parts(prompt) } else { Vec::new() };
        let queries: Vec<Query> = parts.iter().map(|part| Query::from_prompt(part)).collect();
        let none = Self { queries, ahead: QueriesAhead::default() };
        let embedded = none.each().filter_map(|(query, embeds)| embeds.then_some(query));
        let ahead = QueriesAhead::begin(memory, embedded);
        Self { ahead, ..none }
    }

    /// Returns each, and whether the chosen model embeds it. What the sentences of a prompt say is
    /// embedded with them: all of it goes by words and the table.
    fn each(&self) -> impl Iterator<Item = (&Query, bool)> {
        let is_embedded = |at| self.queries.len() == 1 || (1..=EMBEDDED).contains(&at);
        self.queries.iter().enumerate().map(move |(at, query)| (query, is_embedded(at)))
    }

    /// Returns the searches for entries, except those in `except`.
    pub fn requests<'a>(
        &'a self,
        memory: &Memory,
        kinds: &'a [SourceKind],
        except: &'a IdSet<EntryId>,
    ) -> Vec<SearchRequest<'a>> {
        let request = |query| SearchRequest {
            except: Some(except),
            ..self.request(memory, query, 2 * limit(memory), kinds)
        };
        self.each().map(request).collect()
    }

    fn request<'a>(
        &'a self,
        memory: &Memory,
        (query, embeds): (&'a Query, bool),
        limit: usize,
        kinds: &'a [SourceKind],
    ) -> SearchRequest<'a> {
        let wanted = SearchRequest::recall(memory, query, limit, kinds);
        let pace = if embeds { wanted.pace } else { Pace::Change };
        SearchRequest { pace, ahead: Some(&self.ahead), ..wanted }
    }
}

/// Recalls entries, except those in `except`, and passages for a prompt. `shown` is the number of
/// passages shown before, for which more are read; `None` if it is unknown, and then no notes are
/// recalled.
pub fn search(
    memory: &Memory,
    stores: &[Store],
    asked: &PromptQueries,
    except: &IdSet<EntryId>,
    shown: Option<usize>,
) -> Recalled {
    let kinds = RecallKinds::of(stores, shown);
    let wanted = |query| kinds.requests(memory, asked, query, except);
    let wanted: Vec<SearchRequest<'_>> = asked.each().flat_map(wanted).collect();
    let mut found = find_each(memory, stores, &wanted).into_iter();
    let all = asked.queries.iter().map(|_| kinds.recalled(&mut found)).collect();
    Recalled::joined(memory, all)
}

/// Number of sentences of a prompt that the chosen model embeds.
const EMBEDDED: usize = 4;

/// What is recalled beside entries.
struct RecallKinds {
    /// Number of passages that were shown before.
    passed: usize,
    notes: bool,
    sessions: bool,
}

impl RecallKinds {
    /// Most stores have no summaries.
    fn of(stores: &[Store], shown: Option<usize>) -> Self {
        let has_some = |store: &Store| store.place(snapshot::SESSIONS).1.is_file();
        let has_notes = |store: &Store| {
            store.dir.join(notes::NOTES).is_file() || store.dir.join(notes::DAILY).is_dir()
        };
        Self {
            passed: shown.unwrap_or(0).min(PASSED),
            notes: shown.is_some() && stores.iter().any(has_notes),
            sessions: stores.iter().any(has_some),
        }
    }

    /// Returns the searches for one of the queries of a prompt.
    fn requests<'a>(
        &self,
        memory: &Memory,
        asked: &'a PromptQueries,
        query: (&'a Query, bool),
        except: &'a IdSet<EntryId>,
    ) -> Vec<SearchRequest<'a>> {
        let request = |limit, kinds| asked.request(memory, query, limit, kinds);
        let pool = if is_used(memory) { POOL } else { limit(memory).saturating_mul(2) };
        let entries = SearchRequest { except: Some(except), ..request(pool, ENTRIES) };
        let limit = NOTES + self.passed;
        let kinds = &[SourceKind::Notes, SourceKind::Daily];
        let notes = SearchRequest { pool: Some(limit + NOTES), ..request(limit, kinds) };
        let more = SESSIONS + self.passed;
        let kinds = &[SourceKind::Session];
        let sessions = SearchRequest { pool: Some(READ + more), ..request(more, kinds) };
        let wanted =
            [Some(entries), self.notes.then_some(notes), self.sessions.then_some(sessions)];
        wanted.into_iter().flatten().collect()
    }

    /// Returns what the next query of a prompt found.
    fn recalled(&self, found: &mut impl Iterator<Item = SearchResult>) -> Recalled {
        let mut next = |wanted: bool| wanted.then(|| found.next()).flatten().unwrap_or_default();
        Recalled {
            entries: next(true),
            notes: next(self.notes).hits,
            sessions: next(self.sessions).hits,
        }
    }
}

/// Returns the first notes and log items that score at least as well as the hits beside them,
/// without those shown before.
pub fn notes(
    hits: Vec<FoundHit>,
    beside: &[FoundHit],
    known: impl Fn(&str) -> bool,
) -> Vec<FoundHit> {
    let best = beside.iter().map(|hit| hit.score).fold(0.0, f64::max);
    let beside: Vec<Gist> = beside.iter().map(|hit| Gist::of(&hit.text)).collect();
    let untimed = |hit: &FoundHit| Gist::of(passages::timed(&note_text(hit)).1);
    let is_new = |hit: &FoundHit| {
        let gist = untimed(hit);
        hit.score >= best && !known(said(hit)) && !beside.iter().any(|known| known.repeats(&gist))
    };
    distinct(hits.into_iter().filter(is_new), NOTES, untimed)
}

/// Returns the first past sessions, without those shown before.
pub fn sessions(hits: Vec<FoundHit>, known: impl Fn(&str) -> bool) -> Vec<FoundHit> {
    hits.into_iter().filter(|hit| !known(&hit.text)).take(SESSIONS).collect()
}

impl Reading<'_> {
    /// Returns the entries in force whose place is that of some files, best first, except those in
    /// `except`.
    pub fn of_place(
        self,
        stores: &[Store],
        files: &[String],
        except: &IdSet<EntryId>,
    ) -> Vec<PlacedEntry> {
        let memory = self.memory;
        if files.is_empty() {
            return Vec::new();
        }
        let files = memory.area_of(files.iter().map(String::as_str)).files;
        let is_here = |rules: &LineRules| {
            rules.places().any(|glob| files.iter().any(|file| glob::matches(glob, file)))
        };
        let held = stores.iter().map(|store| read_placed(memory, store, is_here)).collect();
        let (ranking, _) = memory.ranking_of(stores, held);
        let own = |row: &&ScoredEntry| row.withheld().is_none() && is_here(&row.entry.asides.rules);
        let own = ranking.rows.iter().filter(own).cloned();
        let mut found: Vec<PlacedEntry> = own.map(|row| PlacedEntry { row, whose: None }).collect();
        for theirs in memory.sharing().of_place(stores, is_here) {
            if found.iter().all(|known| known.row.entry.text != theirs.row.entry.text) {
                found.push(theirs);
            }
        }
        found.retain(|one| !except.contains(&one.row.entry.id));
        found
    }
}

/// An entry that counts where somebody works.
pub struct PlacedEntry {
    pub row: ScoredEntry,
    /// Whose it is; `None` for one's own.
    pub whose: Option<String>,
}

impl PlacedEntry {
    /// Returns it as a line of a prompt.
    pub fn line(&self, memory: &Memory) -> SafeText {
        let entry = &self.row.entry;
        let name = &memory.config.categories.spec(entry.category).name;
        let line = match &self.whose {
            Some(whose) => team::line(name, &entry.told(), whose),
            None => SafeText::entry(name, &entry.told()),
        };
        safe!("{}\n", line)
    }
}

/// Reads the entries of a store whose place is that of some files. All of the store is read where they
/// cannot be judged alone.
pub(super) fn read_placed(
    memory: &Memory,
    store: &Store,
    is_here: impl Fn(&LineRules) -> bool,
) -> Snapshot {
    let categories = &memory.config.categories;
    let mut held = store.read_topics_with(LineRule::PLACE, categories);
    for topic in &mut held.topics {
        topic.doc.entries.retain(|entry| is_here(&entry.markers.asides.rules));
    }
    held.topics.retain(|topic| !topic.doc.entries.is_empty());
    let is_elsewhere = store.text_elsewhere().into_values().any(|lines| {
        let found = TopicDoc::parse(lines, categories).entries;
        found.iter().any(|entry| is_here(&entry.markers.asides.rules))
    });
    if is_elsewhere {
        let mut held = store.read(memory.now, categories);
        store.add_elsewhere(categories, &mut held);
        return held;
    }
    let ids: IdSet<EntryId> = held.entries().map(|(_, entry)| entry.id).collect();
    if ids.is_empty() {
        return held;
    }
    let is_unreplaced = |ledger: &Ledger| {
        let evidence = |id: &EntryId| ledger.evidence(memory.now, *id);
        ids.iter().filter_map(evidence).all(|evidence| evidence.superseded_by.is_empty())
    };
    // The days of use are those of all events.
    let is_plain = memory.rules().clock == Clock::Calendar;
    let alone = is_plain.then(|| store.evidence_of(memory.now, &ids)).flatten();
    let Some(ledger) = alone.filter(is_unreplaced) else {
        return store.read(memory.now, categories);
    };
    held.ledger = ledger;
    held
}

/// Returns the number of entries to recall.
pub fn limit(memory: &Memory) -> usize {
    memory.config.settings.recall.limit
}

/// Returns the entries to recall among those found.
pub fn chosen(memory: &Memory, stores: &[Store], hits: Vec<FoundHit>) -> Vec<FoundHit> {
    if is_used(memory) {
        return of_stores(memory, stores, hits);
    }
    affordable(memory, hits)
}

/// Like [`chosen`], by a ranking.
pub fn chosen_on(memory: &Memory, ranking: &Ranking, hits: Vec<FoundHit>) -> Vec<FoundHit> {
    if is_used(memory) {
        return most_relevant(memory, ranking, entries(hits, POOL));
    }
    affordable(memory, hits)
}

fn affordable(memory: &Memory, hits: Vec<FoundHit>) -> Vec<FoundHit> {
    let mut hits = entries(hits, limit(memory));
    fit(memory, &[], &mut hits);
    hits
}

/// Returns up to `limit` entries without near duplicates.
pub fn entries(hits: Vec<FoundHit>, limit: usize) -> Vec<FoundHit> {
    let hits = hits.into_iter().filter(|hit| hit.entry.is_some());
    distinct(hits, limit, |hit| Gist::of(&hit.text))
}

/// Returns the first `limit` hits without those that repeat one before.
fn distinct(
    hits: impl Iterator<Item = FoundHit>,
    limit: usize,
    gist_of: impl Fn(&FoundHit) -> Gist,
) -> Vec<FoundHit> {
    let mut kept: Vec<(FoundHit, Gist)> = Vec::new();
    for hit in hits {
        if kept.len() >= limit {
            break;
        }
        let gist = gist_of(&hit);
        if !kept.iter().any(|(_, known)| known.repeats(&gist)) {
            kept.push((hit, gist));
        }
    }
    kept.into_iter().map(|(hit, _)| hit).collect()
}

/// Returns a recalled entry as a line of a prompt.
pub fn line(memory: &Memory, hit: &FoundHit) -> SafeText {
    let mut categories = memory.config.categories.known().map(|(_, spec)| &spec.name);
    let name = categories.find(|name| documents::category_hash(name) == hit.category);
    let name = name.map_or("", |name| name.as_ref());
    let mark = match hit.verdict.state() {
        Some(state) => format!(" ({state})"),
        None => String::new(),
    };
    let mark = rules::place_mark(hit.rules.told_places())
        + &entry::on_branch(hit.branch.as_deref())
        + &mark;
    let line = match (&hit.mirror, hit.entry) {
        (Some(mirror), Some(id)) => {
            let label = mirror::label(mirror.author(id).as_deref(), &mirror.project);
            team::line(name, &hit.text, &label)
        }
        _ => SafeText::entry(name, &hit.text),
    };
    safe!("{}{}\n", line, mark)
}

/// Returns the first line of a note or log item that is not a heading.
fn said(hit: &FoundHit) -> &str {
    let mut lines = hit.text.lines().map(str::trim);
    lines.find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or_default()
}

/// Returns the text of a note or log item on one line.
fn note_text(hit: &FoundHit) -> String {
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

/// Returns a note with its file, or a log item with its day.
fn note(hit: &FoundHit) -> SafeText {
    let from = match (hit.kind, hit.when) {
        (SourceKind::Daily, Some(when)) => when.date(),
        _ => hit.source.clone(),
    };
    safe!("- {}: {}\n", from, note_text(hit))
}

/// Returns the date and summary of a past session.
pub fn session(hit: &FoundHit) -> String {
    let date = hit.when.map(Timestamp::date).unwrap_or_default();
    format!("{date} {}", hit.text).trim().to_owned()
}

pub struct RecalledLine<'a> {
    /// The line with its terminator, safe for a model.
    pub text: SafeText,
    /// The hit that the line shows; `None` for a heading.
    pub hit: Option<&'a FoundHit>,
}

/// Returns what was recalled as lines of a prompt.
pub fn lines<'a>(
    memory: &Memory,
    entries: &'a [FoundHit],
    notes: &'a [FoundHit],
    sessions: &'a [FoundHit],
) -> Vec<RecalledLine<'a>> {
    let mut lines: Vec<RecalledLine<'_>> = Vec::new();
    let preamble = is_used(memory).then(|| SafeText::fixed(PREAMBLE));
    let mut section = |heading: &str,
                       preamble: Option<SafeText>,
                       hits: &'a [FoundHit],
                       line: &dyn Fn(&FoundHit) -> SafeText| {
        if hits.is_empty() {
            return;
        }
        let gap = (!lines.is_empty()).then(|| SafeText::fixed("\n"));
        let head = gap.into_iter().chain([safe!("# {}\n", heading), SafeText::fixed("\n")]);
        lines.extend(head.chain(preamble).map(|text| RecalledLine { text, hit: None }));
        lines.extend(hits.iter().map(|hit| RecalledLine { text: line(hit), hit: Some(hit) }));
    };
    section("Contextually Relevant Memories", preamble, entries, &|hit| line(memory, hit));
    section("Relevant Notes and Logs", None, notes, &note);
    section("Relevant Past Sessions", None, sessions, &|hit| safe!("- {}\n", session(hit)));
    lines
}

pub fn text(
    memory: &Memory,
    entries: &[FoundHit],
    notes: &[FoundHit],
    sessions: &[FoundHit],
) -> SafeText {
    lines(memory, entries, notes, sessions).iter().map(|line| &line.text).collect()
}

/// Returns true if a hit is a past session.
pub fn is_session(hit: &FoundHit) -> bool {
    hit.kind == SourceKind::Session
}

/// Maximum number of characters of the sentence and the memories.
const CHARS: usize = 2_000;
/// Number of hits that are compared by relevance.
pub const POOL: usize = 64;
/// The sentence before the memories.
pub const PREAMBLE: &str = "These are known facts from earlier conversations: answer by them, corrections before the rest.\n";

/// Returns true if memories are recalled by their relevance.
pub fn is_used(memory: &Memory) -> bool {
    matches!(memory.policy(), Policy::Ebbinghaus(_))
}

/// Returns the most relevant hits that are in force.
pub fn of_stores(memory: &Memory, stores: &[Store], hits: Vec<FoundHit>) -> Vec<FoundHit> {
    let hits = entries(hits, POOL);
    if hits.is_empty() {
        return hits;
    }
    let (ranking, _) = memory.ranking(stores);
    most_relevant(memory, &ranking, hits)
}

/// Returns the most relevant of the hits, which are in force.
pub fn most_relevant(memory: &Memory, ranking: &Ranking, hits: Vec<FoundHit>) -> Vec<FoundHit> {
    let mut judged: Vec<(Knowledge, FoundHit)> = hits
        .into_iter()
        .map(|mut hit| {
            let (kind, relevance) = judge(memory, ranking, &hit);
            hit.relevance = Some(relevance);
            (kind, hit)
        })
        .collect();
    let of = |hit: &FoundHit| hit.relevance.map_or(0.0, |relevance| relevance.score);
    // Hits are sorted by similarity, which decides among equals.
    judged.sort_by(|(_, a), (_, b)| of(b).total_cmp(&of(a)));
    judged.truncate(limit(memory));
    judged.sort_by_key(|(kind, _)| *kind);
    let mut hits = judged.into_iter().map(|(_, hit)| hit).collect();
    fit(memory, &[], &mut hits);
    hits
}

/// Removes the hits for which those before them leave no room. By tokens, one is always given.
pub fn fit(memory: &Memory, before: &[FoundHit], hits: &mut Vec<FoundHit>) {
    let by_chars = is_used(memory);
    let size = |hit: &FoundHit| {
        let line = line(memory, hit);
        if by_chars { line.chars().count() } else { Tokens::of(&line).0 as usize }
    };
    let (head, room) = if by_chars { (PREAMBLE.chars().count(), CHARS) } else { (0, TOKENS) };
    let mut used = head + before.iter().map(size).sum::<usize>();
    hits.retain(|hit| {
        let size = size(hit);
        let fits = used == 0 || used + size <= room;
        used += if fits { size } else { 0 };
        fits
    });
}

/// Returns the kind of a hit and its relevance.
fn judge(memory: &Memory, ranking: &Ranking, hit: &FoundHit) -> (Knowledge, Relevance) {
    let mut categories = memory.config.categories.known().map(|(_, spec)| spec);
    let spec = categories.find(|spec| documents::category_hash(&spec.name) == hit.category);
    let kind = spec.map_or(Traits::OTHER, |spec| spec.traits).knowledge;
    let row = hit.entry.and_then(|id| ranking.get(id)).filter(|_| !hit.is_archived());
    let parts = row.and_then(|row| row.judged.as_ref()).map(|judged| judged.parts);
    let (importance, idle) = match parts {
        // What is pinned never fades.
        Some(PolicyParts::Ebbinghaus(parts)) => match row.map(|row| row.standing) {
            Some(Standing::Pinned) => (1.0, parts.idle),
            _ => (parts.importance(), parts.idle),
        },
        // What was archived has faded as far as it can.
        _ => (kind.floor(), Age(u64::MAX)),
    };
    // The standing counts as importance here.
    let similarity = if hit.factor > 0.0 { hit.score / hit.factor } else { hit.score };
    let similarity = similarity.clamp(0.0, 1.0);
    let score = ebbinghaus::relevance(similarity, importance, idle);
    (kind, Relevance { score, similarity, importance, idle })
}
