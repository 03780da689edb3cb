//! Searching stores: what `search` and the report's recall have in common.

pub mod embedding;
pub mod request;
pub mod segments;
pub mod standing;
pub mod texts;

use std::{
    cell::RefCell,
    cmp::Reverse,
    collections::{HashMap, HashSet},
};

use super::{
    Memory,
    archived::{self, Archived},
    intake,
    search::{
        embedding::QueryEmbedding,
        request::{MinScore, Order, SearchRequest},
        segments::Segments,
        texts::Texts,
    },
    stale::{self, Stale},
    trust::Notes,
};
use crate::{
    error::Failure,
    index::corpus::{Corpus, Freshness},
    store::{
        read::Problem,
        snapshot::Store,
        trust::{Key, Kind},
    },
};
use pimem_core::{
    model::{entry::EntryId, hash::IdSet, time::Timestamp},
    score::{ranking::Scope, stability::Standing},
    search::{
        bm25, candidates,
        documents::{self, Doc, SourceKind},
        near_words::Meaning,
        rank::{self, Candidate, Mode},
    },
};

/// Something found.
#[derive(Debug, Clone)]
pub struct Hit {
    /// Fused score.
    pub score: f64,
    /// What it is made of.
    pub candidate: Candidate,
    /// What standing multiplied it by.
    pub factor: f64,
    /// The entry, unless it is a passage.
    pub entry: Option<EntryId>,
    /// Hash of its category's name.
    pub category: u32,
    /// The kind of file.
    pub kind: SourceKind,
    /// Whose it is.
    pub scope: Scope,
    /// The file, relative to the store.
    pub source: String,
    /// Line number in it.
    pub line: u32,
    /// The text.
    pub text: String,
    /// When a passage was, by what it says.
    pub when: Option<Timestamp>,
    /// Whether it was written or reviewed on this machine.
    pub reviewed: bool,
}

impl Hit {
    /// Whether it is an entry that was taken out of service.
    pub fn is_archived(&self) -> bool {
        self.kind == SourceKind::Archive
    }
}

/// Hits, and what there was to say about the search.
#[derive(Default)]
pub struct SearchResult {
    /// Best first.
    pub hits: Vec<Hit>,
    /// The best of what did not make it, for lack of score or of room.
    pub near: Vec<Hit>,
    /// What was gone by in the end.
    pub mode: Option<Mode>,
    /// Documents that were searched.
    pub docs: u64,
    /// The model whose vectors were used.
    pub model: Option<String>,
    /// Why the chosen model was not.
    pub degraded: Option<String>,
    /// Files that could not be read.
    pub problems: Vec<Problem>,
    /// Stores whose index should be refreshed afterwards.
    pub stale: Vec<Stale>,
}

/// Near misses that are told of.
const NEAR: usize = 5;

/// A candidate with its place and standing.
struct LocatedCandidate<'a> {
    candidate: Candidate,
    store: usize,
    source: &'a str,
    kind: SourceKind,
    doc: Doc,
    factor: f64,
    stability: f64,
    last: Option<Timestamp>,
    text: String,
    reviewed: bool,
    score: f64,
}

impl Memory {
    /// Searches the stores that are read.
    ///
    /// # Errors
    /// When a store was named that is not there. What cannot be read is among the result's problems.
    pub fn search(&self, request: &SearchRequest<'_>) -> Result<SearchResult, Failure> {
        let stores = self.readers()?;
        let found = find(self, &stores, request);
        for store in stores.iter().filter(|_| request.touch) {
            let here = found.hits.iter().filter(|hit| hit.scope == store.scope);
            self.note_access(store, here.filter_map(|hit| hit.entry));
        }
        Ok(found)
    }
}

/// Searches `stores`. The answer is the same whatever state their indexes are in.
pub fn find(memory: &Memory, stores: &[Store], wanted: &SearchRequest<'_>) -> SearchResult {
    find_each(memory, stores, std::slice::from_ref(wanted)).pop().unwrap_or_default()
}

/// Searches `stores` for one query in one mode, and for several things: indexes are opened once,
/// and a model is started once. Problems and what is stale are told with the first answer.
pub fn find_each(
    memory: &Memory,
    stores: &[Store],
    all: &[SearchRequest<'_>],
) -> Vec<SearchResult> {
    let Some(&SearchRequest { query, mode: wished, .. }) = all.first() else { return Vec::new() };
    let nothing = || SearchResult { mode: Some(wished), ..SearchResult::default() };
    if query.is_empty() {
        return all.iter().map(|_| nothing()).collect();
    }
    let mut problems = Vec::new();
    let categories = &memory.config.categories;
    let open =
        |store: &Store| Corpus::open(store, memory.cache_dir(store).as_deref(), query, categories);
    let corpora: Vec<Corpus> = stores.iter().map(open).collect();
    for (store, corpus) in stores.iter().zip(&corpora) {
        problems.extend(corpus.problems.iter().cloned());
        if let Freshness::Broken(why) = &corpus.freshness {
            memory
                .notices
                .detail(&format!("index of {}: {why}; answered without it", store.dir.display()));
        }
    }
    let parts = Segments::new(&corpora);
    let idf = bm25::frequencies(query, &parts.views, parts.size);
    let sums = bm25::score(query, &idf, &parts.views, parts.size.average());
    let mut meaning = Meaning::default();
    let mut space = None;
    let mut degraded = None;
    let mut open = |meaning: &Meaning, stored| {
        embedding::open(memory, stores, &corpora, (query, meaning), stored, &mut degraded)
    };
    if wished != Mode::Keyword {
        meaning = Meaning::new(query, &idf);
        space = open(&meaning, true);
    }
    let mode = if space.is_some() { wished } else { Mode::Keyword };
    let docs = parts.size.docs;
    let looks = |wanted: &SearchRequest<'_>| {
        wanted.kinds.is_empty() || wanted.kinds.contains(&SourceKind::Archive)
    };
    let archived = if all.iter().any(looks) {
        Archived::of(memory, stores, &corpora)
    } else {
        Archived::default()
    };
    let unread = RefCell::default();
    let notes = Notes::new(memory, stores);
    let search = Search { memory, stores, parts, archived, notes, sums, mode, unread };
    let mut each = Vec::with_capacity(all.len());
    for wanted in all {
        let (hits, near) = search.look(wanted, &mut space, &mut meaning, &mut open);
        each.push(SearchResult { hits, near, ..nothing() });
    }
    if space.is_none() && wished == Mode::Semantic {
        degraded = Some("embedding.model is none".to_owned());
    }
    for problem in search.unread.into_inner() {
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
    for found in &mut each {
        found.mode = Some(mode);
        found.docs = docs;
        found.model = space.as_ref().map(|space| space.model.clone());
        found.degraded.clone_from(&degraded);
    }
    if let Some(found) = each.first_mut() {
        found.problems = problems;
        found.stale = stale::of(stores, &corpora, space);
    }
    each
}

/// What is open while something is looked for.
struct Search<'a> {
    memory: &'a Memory,
    stores: &'a [Store],
    parts: Segments<'a>,
    /// What of the archive may be found.
    archived: Archived,
    /// Which notes, lists and logs may be shown.
    notes: Notes<'a>,
    /// BM25 of every document of every part.
    sums: Vec<Vec<f64>>,
    mode: Mode,
    /// What could not be read any more when it was looked up.
    unread: RefCell<Vec<Problem>>,
}

impl Search<'_> {
    /// Hits and near misses. A space with a damaged row is opened again without what is stored.
    fn look(
        &self,
        wanted: &SearchRequest<'_>,
        space: &mut Option<QueryEmbedding>,
        meaning: &mut Meaning,
        reopen: &mut dyn FnMut(&Meaning, bool) -> Option<QueryEmbedding>,
    ) -> (Vec<Hit>, Vec<Hit>) {
        let Self { memory, stores, parts, archived, notes, sums, mode, unread } = self;
        let mode = *mode;
        let keep = |part, doc| keeps(wanted, (parts, archived), part, doc);
        let filtered = !wanted.kinds.is_empty()
            || parts.has_archive()
            || !wanted.categories.is_empty()
            || wanted.topic.is_some()
            || wanted.period.is_bounded()
            || wanted.except.is_some();
        let pool = wanted.pool.unwrap_or_else(|| candidates::pool(wanted.limit));
        // Entries of another time and forgotten ones fall out later, so all have to stay in.
        let n = if wanted.period.is_bounded() { usize::MAX } else { pool.saturating_add(SPARE) };
        let keep: Option<&dyn Fn(usize, u32) -> bool> = if filtered { Some(&keep) } else { None };
        let candidates = |space: &Option<QueryEmbedding>| {
            let views = space.as_ref().map(QueryEmbedding::views).unwrap_or_default();
            candidates::candidates(&parts.searched(sums, space.as_ref(), &views, keep), mode, n)
        };
        let mut first = candidates(space);
        if space.as_ref().is_some_and(QueryEmbedding::damaged) {
            // Rows are checked when they are used; without them, their texts are embedded again.
            *space = reopen(meaning, false);
            first = candidates(space);
        }
        let mut unread = unread.borrow_mut();
        let mut placed = place(memory, stores, (parts, archived), wanted, first, &mut unread);
        let mut kept: Vec<Candidate> = placed.iter().map(|placed| placed.candidate).collect();
        candidates::cut(&mut kept, mode, pool);
        placed.retain(|placed| kept.binary_search_by_key(&at(&placed.candidate), at).is_ok());
        let meaning = (mode == Mode::Hybrid).then_some(meaning);
        unread.extend(read(stores, parts.corpora, parts, &mut placed, meaning));
        let views = space.as_ref().map(QueryEmbedding::views).unwrap_or_default();
        let searched = parts.searched(sums, space.as_ref(), &views, keep);
        review(memory, stores, &mut placed);
        memory.warn_of_ledgers(stores.iter().filter(|_| !placed.is_empty()));
        if wanted.reviewed {
            for placed in &mut placed {
                placed.reviewed |= notes.shown(placed.kind, placed.store, placed.source);
            }
            let mut seen = HashSet::new();
            placed.retain(|p| p.reviewed && seen.insert((p.kind, p.doc.id, p.text.clone())));
        }
        for placed in &mut placed {
            let candidate = &mut placed.candidate;
            if mode != Mode::Keyword {
                let file = |doc| parts.locate(candidate.part, doc).map(|(_, _, source, _)| source);
                let here = file(candidate.doc);
                candidate.context =
                    candidates::context(&searched, mode, candidate, |doc| file(doc) == here);
            }
            placed.score = if wanted.order == Order::Seed {
                candidate.cosine.max(0.0) * 100.0 + placed.stability
            } else {
                candidate.score(mode) * placed.factor
            };
        }
        sort(&mut placed);
        let least = match wanted.min_score {
            MinScore::Score(score) => score,
            MinScore::Recall(score) => rank::threshold(mode, score, parts.size.docs),
        };
        let counts =
            |placed: &LocatedCandidate<'_>| placed.candidate.counts(mode) && placed.score >= least;
        let (hits, misses): (Vec<_>, Vec<_>) = placed.into_iter().partition(counts);
        // Their files are read only for what is shown.
        let hit = |mut placed: LocatedCandidate<'_>| {
            placed.reviewed |= notes.shown(placed.kind, placed.store, placed.source);
            hit(stores, placed)
        };
        let (mut hits, mut misses) = (hits.into_iter(), misses.into_iter());
        let found = hits.by_ref().take(wanted.limit).map(&hit).collect();
        (found, hits.chain(misses.by_ref()).take(NEAR).map(hit).collect())
    }
}

/// A candidate with its store, document, file and kind.
type Located<'a> = (Candidate, (usize, Doc, &'a str, SourceKind));

/// Places kept for candidates that turn out to be forgotten, or copies.
const SPARE: usize = 16;

/// Whether a document is of a wanted kind, category and time, as far as the index knows.
fn keeps(
    wanted: &SearchRequest<'_>,
    (parts, archived): (&Segments<'_>, &Archived),
    part: usize,
    number: u32,
) -> bool {
    let Some((store, doc, source, kind)) = parts.locate(part, number) else { return false };
    let may = || documents::entry_id(&doc).is_some_and(|id| archived.strength(store, id).is_some());
    if kind == SourceKind::Archive && !wanted.whole_archive && !may() {
        return false;
    }
    let of_topic = |topic: &str| {
        let stem = source.strip_prefix("topics/").and_then(|name| name.strip_suffix(".md"));
        let entry = documents::entry_id(&doc).is_some();
        entry && stem.is_some_and(|stem| intake::is_of_topic(stem, topic))
    };
    let of_category = |name: &String| {
        documents::entry_id(&doc).is_some() && documents::category_hash(name) == doc.category
    };
    let in_time = || {
        documents::entry_id(&doc).is_some()
            || wanted.period.contains(Timestamp::from_seconds(doc.when))
    };
    let excepted =
        |except: &IdSet<EntryId>| documents::entry_id(&doc).is_some_and(|id| except.contains(&id));
    (wanted.kinds.is_empty() || wanted.kinds.contains(&kind))
        && !wanted.except.is_some_and(excepted)
        && (wanted.categories.is_empty() || wanted.categories.iter().any(of_category))
        && wanted.topic.is_none_or(of_topic)
        && in_time()
}

fn at(candidate: &Candidate) -> (usize, u32) {
    (candidate.part, candidate.doc)
}

/// Looks up where candidates are and how they stand, and leaves out forgotten ones, those of
/// another time, and second copies.
fn place<'a>(
    memory: &Memory,
    stores: &[Store],
    (parts, archived): (&Segments<'a>, &Archived),
    wanted: &SearchRequest<'_>,
    candidates: Vec<Candidate>,
    unread: &mut Vec<Problem>,
) -> Vec<LocatedCandidate<'a>> {
    let located: Vec<Located<'_>> = candidates
        .into_iter()
        .filter_map(|found| Some((found, parts.locate(found.part, found.doc)?)))
        .collect();
    let docs = located.iter().map(|(_, (store, doc, _, kind))| (*store, doc, *kind));
    let standings = standing::standings(memory, stores, parts.corpora, archived, docs, unread);
    let mut texts = Texts::new(stores, parts.corpora);
    let mut text = |at: usize| {
        let (found, (_, doc, source, kind)) = located.get(at)?;
        let origin = parts.origin.get(found.part)?;
        Some(texts.of(*origin, found.doc, (source, *kind, doc)))
    };
    let mut seen: HashMap<(SourceKind, u64), Vec<usize>> = HashMap::new();
    // The project's store is the first. Where only what was reviewed counts, that may not be the copy
    // that stays. Ids can be made to collide: where one comes again, the texts tell.
    let mut is_copy = |at: usize, key| {
        let known = seen.entry(key).or_default();
        let copy = !known.is_empty() && known.iter().any(|first| text(*first) == text(at));
        known.extend((!copy).then_some(at));
        copy
    };
    // After a merge a line may stand in the archive and in its topic.
    let live =
        |(_, (_, doc, _, kind)): &Located<'_>| (*kind == SourceKind::Topic).then_some(doc.id);
    let live: HashSet<u64> = located.iter().filter_map(live).collect();
    let mut placed = Vec::new();
    for ((at, located), (standing, last)) in located.iter().enumerate().zip(standings) {
        let (candidate, (store, doc, source, kind)) = *located;
        let in_archive = kind == SourceKind::Archive;
        if !in_archive && standing == Some(Standing::Forgotten)
            || in_archive && !wanted.whole_archive && live.contains(&doc.id)
            || !wanted.period.contains(last)
            || !wanted.reviewed && is_copy(at, (kind, doc.id))
        {
            continue;
        }
        placed.push(LocatedCandidate {
            candidate,
            store,
            source,
            kind,
            doc,
            factor: rank::factor(standing) * if in_archive { archived::SHARE } else { 1.0 },
            stability: standing.map_or(0.0, Standing::shown),
            last,
            text: String::new(),
            reviewed: false,
            score: 0.0,
        });
    }
    placed
}

/// Reads the texts of candidates, and what they say about the query. Those that cannot be read are left
/// out; gives why.
fn read(
    stores: &[Store],
    corpora: &[Corpus],
    parts: &Segments<'_>,
    placed: &mut Vec<LocatedCandidate<'_>>,
    mut meaning: Option<&mut Meaning>,
) -> Vec<Problem> {
    let mut texts = Texts::new(stores, corpora);
    let average = parts.size.average();
    for placed in placed.iter_mut() {
        let Some(part) = parts.origin.get(placed.candidate.part) else { continue };
        placed.text =
            texts.of(*part, placed.candidate.doc, (placed.source, placed.kind, &placed.doc));
        if let Some(meaning) = &mut meaning {
            let text = pimem_core::embed::passage(&placed.text);
            placed.candidate.reading = meaning.read(&text, placed.doc.words, average);
        }
    }
    if !texts.problems.is_empty() {
        placed.retain(|placed| !placed.text.is_empty());
    }
    texts.problems
}

/// Finds out what of it was written or reviewed on this machine, but for notes, lists and logs.
fn review(memory: &Memory, stores: &[Store], placed: &mut [LocatedCandidate<'_>]) {
    for (number, store) in stores.iter().enumerate() {
        let trust = &store.trust;
        let key = |placed: &LocatedCandidate<'_>| match placed.kind {
            SourceKind::Topic | SourceKind::Archive => {
                let categories = &memory.config.categories;
                let name = documents::category_name(categories, placed.doc.category)?;
                Some(trust.entry(name, &placed.text))
            }
            SourceKind::Session => Some(trust.text(Kind::Session, &placed.text)),
            _ => None,
        };
        let ask = |placed: &LocatedCandidate<'_>| placed.store == number && !trust.is_whole();
        let keys: Vec<Option<Key>> =
            placed.iter().map(|placed| ask(placed).then(|| key(placed))?).collect();
        let held = trust.held(&keys.iter().copied().flatten().collect::<Vec<_>>());
        let here = placed.iter_mut().zip(keys).filter(|(placed, _)| placed.store == number);
        for (placed, key) in here {
            placed.reviewed = trust.is_whole() || key.is_some_and(|key| held.contains(&key));
        }
    }
}

fn sort(placed: &mut [LocatedCandidate<'_>]) {
    placed.sort_by(|a, b| {
        let tie = |c: &LocatedCandidate<'_>| (Reverse(c.last), c.doc.id, c.store);
        b.score
            .total_cmp(&a.score)
            .then_with(|| tie(a).cmp(&tie(b)))
            .then_with(|| (a.source, a.doc.line).cmp(&(b.source, b.doc.line)))
    });
}

fn hit(stores: &[Store], placed: LocatedCandidate<'_>) -> Hit {
    Hit {
        score: placed.score,
        candidate: placed.candidate,
        factor: placed.factor,
        entry: documents::entry_id(&placed.doc),
        category: placed.doc.category,
        kind: placed.kind,
        scope: stores.get(placed.store).map_or(Scope::Project, |store| store.scope),
        source: placed.source.to_owned(),
        line: placed.doc.line,
        text: placed.text,
        when: Timestamp::from_seconds(placed.doc.when),
        reviewed: placed.reviewed,
    }
}
