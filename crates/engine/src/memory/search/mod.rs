//! Search: from a request to its hits.
//!
//! [`find_each`] opens the stores' indexes and scores every document for the query. Each request
//! then goes through the steps of `Search::answer` in order.

pub mod embedding;
pub mod filter;
pub mod hits;
pub mod request;
pub mod segments;
pub mod standing;
pub mod texts;

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
    sync::Arc,
};

use self::{
    embedding::{Missing, QueryEmbedding, Rows, Searched},
    filter::Filter,
    request::{MinScore, Order, Pace, SearchRequest},
    segments::{Document, Segments},
    standing::Standings,
    texts::Texts,
};
use super::{
    Memory,
    archived::{self, Archived},
    mirrors,
    stale::{self, Stale},
    trust::Notes,
};
use crate::{
    error::Failure,
    index::corpus::{Corpus, Freshness},
    store::{
        Store,
        read::Problem,
        trust::{Key, Kind},
    },
};
use pimem_core::{
    embed::table,
    model::{
        entry::EntryId,
        mirror::Mirror,
        time::{Age, Timestamp},
    },
    score::{ranking::Scope, stability::Standing},
    search::{
        bm25::{self, Query},
        candidates,
        documents::{self, SourceKind},
        near_words::QueryWords,
        past_sessions,
        rank::{self, Candidate, Judged, Mode, Weights},
    },
};

#[derive(Debug, Clone)]
pub struct Hit {
    /// How well it, or a hit below it, answers the query.
    pub score: f64,
    /// How well it answers the query.
    pub own: f64,
    /// What it is ordered by.
    pub rank: f64,
    /// Parts of rank and score.
    pub candidate: Candidate,
    /// Factor on the score by the entry's standing.
    pub factor: f64,
    pub relevance: Option<Relevance>,
    /// The entry; `None` for a passage.
    pub entry: Option<EntryId>,
    /// Hash of its category's name.
    pub category: u32,
    pub kind: SourceKind,
    pub scope: Scope,
    /// Path of the file relative to the store.
    pub source: String,
    /// Line number in the file.
    pub line: u32,
    pub text: String,
    /// Time of a passage, as stated in it.
    pub when: Option<Timestamp>,
    /// True if it was written or reviewed on this machine, or is of a mirror and not withheld.
    pub reviewed: bool,
    /// The mirror that it is from.
    pub mirror: Option<Arc<Mirror>>,
}

/// The relevance of a recalled entry under the policy `ebbinghaus`, with its parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Relevance {
    pub score: f64,
    pub similarity: f64,
    pub importance: f64,
    /// Time since the last access.
    pub idle: Age,
}

impl Hit {
    /// Returns true if it is an archived entry.
    pub fn is_archived(&self) -> bool {
        self.kind == SourceKind::Archive
    }
}

#[derive(Default)]
pub struct SearchResult {
    /// Hits, best first.
    pub hits: Vec<Hit>,
    /// The best documents that were not hits, because of their score or the limit.
    pub near: Vec<Hit>,
    /// The mode used: keyword mode if there are no vectors.
    pub mode: Option<Mode>,
    /// Number of documents searched.
    pub docs: u64,
    /// Name of the model whose vectors were used.
    pub model: Option<String>,
    /// Why the chosen model was not used.
    pub degraded: Option<String>,
    /// Files that could not be read.
    pub problems: Vec<Problem>,
    /// Stores whose index should be refreshed afterwards.
    pub stale: Vec<Stale>,
}

/// Maximum number of near misses in a result.
pub(super) const NEAR: usize = 5;

/// Number of candidates beyond those that are read, because some turn out to be forgotten or
/// copies.
const SPARE: usize = 16;

impl Memory {
    /// Searches the stores, and mirrors.
    ///
    /// # Errors
    /// Fails if the named store does not exist. Files that cannot be read are among the result's
    /// problems.
    pub fn search(&self, request: &SearchRequest<'_>) -> Result<SearchResult, Failure> {
        let stores = self.readers()?;
        let mut found = if self.asks_for_team_alone() {
            SearchResult::default()
        } else {
            find(self, &stores, request)
        };
        for store in stores.iter().filter(|_| request.touch) {
            let here = found.hits.iter().filter(|hit| hit.scope == store.scope);
            let here: Vec<EntryId> = here.filter_map(|hit| hit.entry).collect();
            self.note_access(store, &here);
        }
        self.join_team(&stores, request, &mut found);
        Ok(found)
    }
}

/// Searches `stores`. The result does not depend on the state of their indexes.
pub fn find(memory: &Memory, stores: &[Store], request: &SearchRequest<'_>) -> SearchResult {
    find_each(memory, stores, std::slice::from_ref(request)).pop().unwrap_or_default()
}

/// Searches `stores` for several requests with the same query and mode: indexes are opened and a
/// model is started only once. Problems and stale indexes are in the first result.
pub fn find_each(
    memory: &Memory,
    stores: &[Store],
    requests: &[SearchRequest<'_>],
) -> Vec<SearchResult> {
    let Some(first) = requests.first() else { return Vec::new() };
    if first.query.is_empty() {
        let nothing = || SearchResult { mode: Some(first.mode), ..SearchResult::default() };
        return requests.iter().map(|_| nothing()).collect();
    }
    let corpora = open(memory, stores, first.query);
    let mut search = Search::new(memory, stores, &corpora, first);
    if requests.iter().any(|request| request.may_find(SourceKind::Archive)) {
        search.archived = Archived::of(memory, stores, &corpora);
    }
    let mut results: Vec<SearchResult> =
        requests.iter().map(|request| search.answer(request)).collect();
    for result in &mut results {
        result.mode = Some(search.mode);
        result.docs = search.segments.size.docs;
        result.model = search.embedding.as_ref().map(|embedding| embedding.model().to_owned());
        result.degraded = search.degraded(first.mode);
    }
    if let Some(result) = results.first_mut() {
        result.problems = corpora.iter().flat_map(|corpus| corpus.problems.clone()).collect();
        for problem in search.unread {
            if !result.problems.contains(&problem) {
                result.problems.push(problem);
            }
        }
        result.stale = stale::of(stores, &corpora, search.embedding);
    }
    results
}

/// Opens the stores' indexes, and scans what is not indexed.
fn open(memory: &Memory, stores: &[Store], query: &Query) -> Vec<Corpus> {
    let open = |store: &Store| {
        let dir = memory.cache_dir(store);
        let corpus = Corpus::open(store, dir.as_ref(), query, &memory.config.categories);
        if let Freshness::Broken(why) = &corpus.freshness {
            let dir = store.dir.display();
            memory.notices.detail(&format!("index of {dir}: {why}; answered without it"));
        }
        corpus
    };
    stores.iter().map(open).collect()
}

/// Shared state of all requests for one query.
struct Search<'a> {
    memory: &'a Memory,
    stores: &'a [Store],
    query: &'a Query,
    segments: Segments<'a>,
    /// BM25 score of every document, by segment and number.
    bm25: Vec<Vec<f64>>,
    /// The query's words; similar ones count too unless the mode is keyword.
    words: QueryWords,
    /// Vectors of the query and documents; `None` in keyword mode, or without a model.
    embedding: Option<QueryEmbedding>,
    /// Why the chosen model was not used.
    model_fails: Option<String>,
    mode: Mode,
    pace: Pace,
    /// Archived entries that are searched by default.
    archived: Archived,
    /// Decides which notes, lists and logs may be shown.
    notes: Notes<'a>,
    /// Files that could not be read after they were listed.
    unread: Vec<Problem>,
}

/// A candidate on its way to a hit; each step fills in fields.
struct Ranked<'a> {
    candidate: Candidate,
    document: Document<'a>,
    /// Factor on the score by the entry's standing.
    factor: f64,
    stability: f64,
    last: Option<Timestamp>,
    text: String,
    reviewed: bool,
    judged: Judged,
}

impl<'a> Search<'a> {
    /// Scores every document for the query, and opens vectors unless the mode needs none.
    fn new(
        memory: &'a Memory,
        stores: &'a [Store],
        corpora: &'a [Corpus],
        request: &SearchRequest<'a>,
    ) -> Self {
        let SearchRequest { query, mode, pace, .. } = *request;
        let segments = Segments::new(corpora);
        let idf = bm25::frequencies(query, &segments.postings, segments.size);
        let bm25 = bm25::score(query, &idf, &segments.postings, segments.size.average());
        let notes = Notes::new(memory, stores);
        let mut search = Self {
            memory,
            stores,
            query,
            segments,
            bm25,
            words: QueryWords::new(query, &idf),
            embedding: None,
            model_fails: None,
            mode,
            pace,
            archived: Archived::default(),
            notes,
            unread: Vec::new(),
        };
        if mode != Mode::Keyword {
            search.embed(Rows::Stored);
        }
        if search.embedding.is_none() {
            search.mode = Mode::Keyword;
            search.words = search.words.exact();
        }
        search
    }

    fn embed(&mut self, rows: Rows) {
        let Self { memory, stores, query, words, model_fails, pace, .. } = self;
        let searched = Searched { memory, stores, corpora: self.segments.corpora };
        self.embedding = embedding::open(searched, query, words, *pace, rows, model_fails);
    }

    /// Returns why the search is worse than requested.
    fn degraded(&self, wished: Mode) -> Option<String> {
        let without = self.embedding.is_none() && wished == Mode::Semantic;
        let none = without.then(|| "embedding.model is none".to_owned());
        none.or_else(|| self.model_fails.clone())
    }

    /// Answers a request.
    fn answer(&mut self, request: &SearchRequest<'_>) -> SearchResult {
        let candidates = self.candidates(request);
        let mut ranked = self.locate(request, candidates);
        self.read(&mut ranked);
        self.review(request, &mut ranked);
        self.complete(&mut ranked);
        self.rank(request, &mut ranked);
        self.hits(request, ranked)
    }

    /// Returns the documents with the best scores by postings and vectors, before their text is
    /// read.
    fn candidates(&mut self, request: &SearchRequest<'_>) -> Vec<Candidate> {
        let found = self.best(request);
        if !self.embedding.as_ref().is_some_and(QueryEmbedding::damaged) {
            return found;
        }
        // Rows of the index are verified on use.
        self.embed(Rows::Remade);
        self.best(request)
    }

    fn best(&self, request: &SearchRequest<'_>) -> Vec<Candidate> {
        let Self { segments, archived, bm25, embedding, mode, .. } = self;
        let filter = Filter { request, segments, archived };
        let keep = |segment, number| filter.keeps(segment, number);
        let keep: Option<&dyn Fn(usize, u32) -> bool> =
            if filter.is_open() { None } else { Some(&keep) };
        // Entries outside the period are removed only when they are located, so all candidates are
        // needed.
        let most = if request.period.is_bounded() {
            usize::MAX
        } else {
            request.pool().saturating_add(SPARE)
        };
        segments.with_scores(bm25, embedding.as_ref(), keep, |corpus| {
            candidates::candidates(corpus, *mode, most)
        })
    }

    /// Looks up location and standing of candidates. Removes forgotten entries, those outside the
    /// period, and copies, then all beyond the request's pool.
    fn locate(
        &mut self,
        request: &SearchRequest<'_>,
        candidates: Vec<Candidate>,
    ) -> Vec<Ranked<'a>> {
        let Self { memory, stores, segments, archived, unread, .. } = self;
        let corpora = segments.corpora;
        let located = |candidate: Candidate| {
            Some((candidate, segments.locate(candidate.segment, candidate.doc)?))
        };
        let located: Vec<(Candidate, Document<'_>)> =
            candidates.into_iter().filter_map(located).collect();
        let documents = located.iter().map(|(_, document)| document);
        // After a merge, a line may be both in the archive and in its topic.
        let live: HashSet<u64> = documents
            .clone()
            .filter(|document| document.kind == SourceKind::Topic)
            .map(|document| document.doc.id)
            .collect();
        let standings =
            standing::standings(memory, stores, corpora, archived, documents.clone(), unread);
        let mut texts = Texts::new(stores, corpora);
        let mut seen: HashMap<(SourceKind, u64), Vec<usize>> = HashMap::new();
        // The project's store comes first. Ids can be made to collide, so equal ids are compared by
        // text.
        let mut is_copy = |at: usize, document: &Document<'_>| {
            let known = seen.entry((document.kind, document.doc.id)).or_default();
            let mut text = |at: usize| located.get(at).map(|(_, document)| texts.of(document));
            let copy = known.iter().any(|first| text(*first) == text(at));
            known.extend((!copy).then_some(at));
            copy
        };
        let mut ranked = Vec::new();
        for (at, ((candidate, document), standings)) in located.iter().zip(standings).enumerate() {
            let Standings { standing, last } = standings;
            let in_archive = document.kind == SourceKind::Archive;
            if !in_archive && standing == Some(Standing::Forgotten)
                || in_archive && !request.whole_archive && live.contains(&document.doc.id)
                || !request.period.contains(last)
                // If only reviewed text counts, it is not known yet which copy was reviewed.
                || !request.reviewed && is_copy(at, document)
            {
                continue;
            }
            ranked.push(Ranked {
                candidate: *candidate,
                document: *document,
                factor: rank::factor(standing) * if in_archive { archived::SHARE } else { 1.0 },
                stability: standing.map_or(0.0, Standing::shown),
                last,
                text: String::new(),
                reviewed: false,
                judged: Judged::default(),
            });
        }
        let place = |candidate: &Candidate| (candidate.segment, candidate.doc);
        let mut kept: Vec<Candidate> = ranked.iter().map(|ranked| ranked.candidate).collect();
        candidates::cut(&mut kept, self.mode, request.pool());
        ranked.retain(|one| kept.binary_search_by_key(&place(&one.candidate), place).is_ok());
        ranked
    }

    /// Reads the texts, and what of the query they cover. Texts that cannot be read are removed.
    fn read(&mut self, ranked: &mut Vec<Ranked<'_>>) {
        let mut texts = Texts::new(self.stores, self.segments.corpora);
        let average = self.segments.size.average();
        for Ranked { candidate, document, text, .. } in ranked.iter_mut() {
            *text = texts.of(document);
            if self.mode != Mode::Semantic {
                let passage = pimem_core::embed::passage(text);
                candidate.reading = self.words.read(&passage, document.doc.words, average);
            }
        }
        if !texts.problems.is_empty() {
            ranked.retain(|ranked| !ranked.text.is_empty());
        }
        self.unread.append(&mut texts.problems);
    }

    /// Finds what was written or reviewed on this machine. If the request wants only that, removes
    /// the rest, and copies.
    fn review(&self, request: &SearchRequest<'_>, ranked: &mut Vec<Ranked<'_>>) {
        for (number, store) in self.stores.iter().enumerate() {
            let trust = &store.trust;
            let here = |ranked: &&mut Ranked<'_>| ranked.document.at.store == number;
            let here: Vec<&mut Ranked<'_>> = ranked.iter_mut().filter(here).collect();
            if store.mirror.is_some() {
                let categories = &self.memory.config.categories;
                for ranked in here {
                    let name = documents::category_name(categories, ranked.document.doc.category);
                    let why = mirrors::withheld(store, name.unwrap_or_default(), &ranked.text);
                    ranked.reviewed = why.is_none();
                }
                continue;
            }
            if trust.is_whole() {
                for ranked in here {
                    ranked.reviewed = true;
                }
                continue;
            }
            let keys: Vec<Option<Key>> =
                here.iter().map(|ranked| self.trust_key(store, ranked)).collect();
            let held = trust.held(&keys.iter().copied().flatten().collect::<Vec<_>>());
            for (ranked, key) in here.into_iter().zip(keys) {
                ranked.reviewed = key.is_some_and(|key| held.contains(&key));
            }
        }
        self.memory.warn_of_ledgers(self.stores.iter().filter(|_| !ranked.is_empty()));
        if request.reviewed {
            for one in ranked.iter_mut() {
                one.reviewed |= self.is_shown_note(&one.document);
            }
            let mut seen = HashSet::new();
            ranked.retain(|one| {
                let Document { kind, doc, .. } = one.document;
                one.reviewed && seen.insert((kind, doc.id, one.text.clone()))
            });
        }
    }

    /// Returns the key of an entry or summary in a store's ledger of trust.
    fn trust_key(&self, store: &Store, ranked: &Ranked<'_>) -> Option<Key> {
        let Ranked { document: Document { kind, doc, .. }, text, .. } = ranked;
        match kind {
            SourceKind::Topic | SourceKind::Archive => {
                let categories = &self.memory.config.categories;
                let name = documents::category_name(categories, doc.category)?;
                Some(store.trust.entry(name, text))
            }
            SourceKind::Session => Some(store.trust.text(Kind::Session, text)),
            _ => None,
        }
    }

    fn is_shown_note(&self, document: &Document<'_>) -> bool {
        self.notes.shown(document.kind, document.at.store, document.source)
    }

    /// Has the chosen model embed candidates that it has not embedded, best first.
    fn complete(&mut self, ranked: &mut [Ranked<'_>]) {
        let Some(embedding) = self.embedding.as_mut().filter(|one| one.model() != table::NAME)
        else {
            return;
        };
        let mut missing: Vec<&mut Ranked<'_>> =
            ranked.iter_mut().filter(|one| one.candidate.model.is_none()).collect();
        let mode = self.mode;
        missing.sort_by(|a, b| b.candidate.first(mode).total_cmp(&a.candidate.first(mode)));
        let categories = &self.memory.config.categories;
        let missing = missing.into_iter().map(|one| Missing {
            candidate: &mut one.candidate,
            store: one.document.at.store,
            category: documents::category_name(categories, one.document.doc.category),
            text: &one.text,
        });
        embedding.complete(&mut missing.collect::<Vec<_>>(), self.pace);
    }

    /// Judges the candidates, and sorts by rank.
    fn rank(&self, request: &SearchRequest<'_>, ranked: &mut [Ranked<'_>]) {
        let Self { segments, bm25, embedding, mode, .. } = self;
        let weights = Weights::of(ranked.iter().map(|one| &one.candidate));
        segments.with_scores(bm25, embedding.as_ref(), None, |corpus| {
            for one in ranked.iter_mut() {
                let Ranked { candidate, document, judged, factor, stability, text, .. } = one;
                *factor *=
                    past_sessions::factor(&self.query.text, document.kind, request.kinds, text);
                if let Some(vectors) = corpus.dense {
                    let here = Some(document.source);
                    let source = |number| Some(segments.locate(candidate.segment, number)?.source);
                    let is_beside = |number| source(number) == here;
                    let weights = document.kind.neighbours();
                    candidate.context =
                        candidates::context(corpus, *mode, candidate, weights, is_beside);
                    vectors.set_plain(candidate);
                }
                *judged = Judged::new(candidate, *mode, weights, *factor);
                if request.order == Order::Seed {
                    judged.rank = candidate.cosine.max(0.0) * 100.0 + *stability;
                    (judged.own, judged.score) = (judged.rank, judged.rank);
                }
            }
        });
        let tie =
            |one: &Ranked<'_>| (Reverse(one.last), one.document.doc.id, one.document.at.store);
        ranked.sort_by(|a, b| {
            b.judged
                .rank
                .total_cmp(&a.judged.rank)
                .then_with(|| tie(a).cmp(&tie(b)))
                .then_with(|| a.document.source.cmp(b.document.source))
                .then_with(|| a.document.doc.line.cmp(&b.document.doc.line))
        });
        rank::level(ranked.iter_mut().map(|one| &mut one.judged));
    }

    /// Returns the best candidates that are better than chance and reach the minimum score, and the
    /// next best.
    fn hits(&self, request: &SearchRequest<'_>, ranked: Vec<Ranked<'_>>) -> SearchResult {
        let best = ranked.first().map_or(0.0, |one| one.judged.rank);
        let enough = |judged: Judged| match request.min_score {
            MinScore::Score(least) => judged.score >= least,
            MinScore::Recall(least) => judged.is_recalled(least, best),
        };
        let counts = |one: &Ranked<'_>| one.judged.counts && enough(one.judged);
        let (found, missed): (Vec<_>, Vec<_>) = ranked.into_iter().partition(counts);
        let (mut found, missed) = (found.into_iter(), missed.into_iter());
        let hits = found.by_ref().take(request.limit).map(|one| self.hit(one)).collect();
        let near = found.chain(missed).take(NEAR).map(|one| self.hit(one)).collect();
        SearchResult { hits, near, ..SearchResult::default() }
    }

    fn hit(&self, ranked: Ranked<'_>) -> Hit {
        let Ranked { candidate, document, factor, text, reviewed, judged, .. } = ranked;
        // Files of notes are checked only for what is shown.
        let reviewed = reviewed || self.is_shown_note(&document);
        let Document { at, doc, source, kind } = document;
        let store = self.stores.get(at.store);
        Hit {
            score: judged.score,
            own: judged.own,
            rank: judged.rank,
            candidate,
            factor,
            relevance: None,
            entry: documents::entry_id(&doc),
            category: doc.category,
            kind,
            scope: store.map_or(Scope::Project, |store| store.scope),
            source: source.to_owned(),
            line: doc.line,
            text,
            when: Timestamp::from_seconds(doc.when),
            reviewed,
            mirror: store.and_then(|store| store.mirror.clone()),
        }
    }
}
