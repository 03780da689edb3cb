//! Search: from a request to its hits.
//!
//! [`find_each`] scores every document of the stores' indexes for the query; each request then goes
//! through the steps of `Search::answer`. [`pimem_core::gate`] decides what may be a hit.

pub mod embedding;
mod fate;
pub mod hits;
pub mod request;
pub mod segments;
pub mod standing;

use crate::memory::handles::Reading;
use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
    mem, ptr, slice,
};

use pimem_core::{
    embed::table,
    gate::{Facts, Verdict, Withheld, WithheldCounts},
    model::{entry::EntryId, rules::LineRules, time::Timestamp},
    score::{ranking::Scope, stability::Standing},
    search::{
        bm25::{self, Query},
        candidates,
        documents::{self, SourceKind},
        near_words::QueryWords,
        rank::{self, Judged, Mode, RankCandidate, RankWeights, RecallBar},
    },
};

pub use self::hits::{FoundHit, Relevance};
use self::{
    embedding::{EmbeddedSearch, QueriesAhead, QueryEmbedding, Unjudged},
    request::{Filter, HitOrder, MinScore, Pace, SearchRequest, files_of},
    segments::{IndexedDocument, Segments, Texts},
    standing::{Adopted, Standings},
};
use super::{
    Memory,
    archived::{self, Archived},
    background::{self, Stale},
    trust::TrustNotes,
};
use crate::{
    error::Failure,
    index::corpus::{Corpus, ELSEWHERE},
    store::{Store, read::ReadProblem},
};

#[derive(Default)]
pub struct SearchResult {
    /// Hits, best first.
    pub hits: Vec<FoundHit>,
    /// The best documents that were not hits, because of their score or the limit.
    pub near: Vec<FoundHit>,
    /// Lines that would be hits and are withheld, if the request counts them.
    pub withheld: WithheldCounts,
    /// The mode used: keyword mode if there are no vectors.
    pub mode: Option<Mode>,
    pub docs: u64,
    /// Name of the model whose vectors were used.
    pub model: Option<String>,
    /// Why the chosen model was not used, or not for all of the best lines.
    pub degraded: Option<String>,
    pub problems: Vec<ReadProblem>,
    /// Stores whose index should be refreshed afterwards.
    pub stale: Vec<Stale>,
}

/// Maximum number of near misses in a result.
pub(super) const NEAR: usize = 5;

/// Number of candidates beyond those that are read, because some turn out to be forgotten or
/// copies.
const SPARE: usize = 16;

impl Reading<'_> {
    /// Searches the stores, and mirrors.
    ///
    /// # Errors
    /// Fails if the named store does not exist. Files that cannot be read are among the result's
    /// problems.
    pub fn search(self, request: &SearchRequest<'_>) -> Result<SearchResult, Failure> {
        // The mirrors are asked the same.
        let begun = begin(self.memory, slice::from_ref(request));
        let request = &SearchRequest { ahead: request.ahead.or(Some(&begun)), ..*request };
        let stores = self.memory.readers()?;
        let mut found = if self.memory.sharing().asks_for_team_alone() {
            SearchResult::default()
        } else {
            self.find_own(&stores, request)
        };
        for store in stores.iter().filter(|_| request.touch) {
            let here = found.hits.iter().filter(|hit| hit.scope == store.scope);
            let here = here.filter(|hit| !hit.is_faint);
            let here: Vec<EntryId> = here.filter_map(|hit| hit.entry).collect();
            self.memory.learning().note_access(store, &here);
        }
        self.memory.sharing().join_team(&stores, request, &mut found);
        Ok(found)
    }
}

/// Begins to embed the queries of requests, unless that was begun before.
fn begin(memory: &Memory, requests: &[SearchRequest<'_>]) -> QueriesAhead {
    let unbegun = requests.iter().filter(|request| request.is_unbegun());
    QueriesAhead::begin(memory, unbegun.map(|request| request.query))
}

/// Searches `stores`. The result does not depend on the state of their indexes.
pub fn find(memory: &Memory, stores: &[Store], request: &SearchRequest<'_>) -> SearchResult {
    find_each(memory, stores, slice::from_ref(request)).pop().unwrap_or_default()
}

/// Searches `stores` for several requests: indexes are opened, changed files read and a model
/// started only once. Problems and stale indexes are in the first result.
pub fn find_each(
    memory: &Memory,
    stores: &[Store],
    requests: &[SearchRequest<'_>],
) -> Vec<SearchResult> {
    let nothing = |request: &SearchRequest<'_>| {
        let mode = Some(request.mode);
        SearchResult { mode, ..SearchResult::default() }
    };
    let Some(first) = requests.iter().find(|request| !request.query.is_empty()) else {
        return requests.iter().map(nothing).collect();
    };
    let begun = begin(memory, requests);
    let ahead = first.ahead.unwrap_or(&begun);
    let terms = Query::terms_of(requests.iter().map(|request| request.query));
    let corpora = segments::open(memory, stores, &terms);
    let mut search = Search::new(memory, stores, &corpora, requests, (first, ahead));
    if requests.iter().any(|request| request.may_find(SourceKind::Archive)) {
        search.archived = Archived::of(memory, stores, &corpora);
    }
    let mut results = Vec::with_capacity(requests.len());
    for request in requests {
        let is_empty = request.query.is_empty();
        results.push(if is_empty { nothing(request) } else { search.answer(request) });
    }
    if let Some(result) = results.first_mut() {
        result.problems = corpora.iter().flat_map(|corpus| corpus.problems.clone()).collect();
        for problem in search.unread {
            if !result.problems.contains(&problem) {
                result.problems.push(problem);
            }
        }
        result.stale = background::stale(stores, &corpora, search.embedding);
    }
    let waiting = results.first().and_then(|first| background::waiting(&first.stale));
    if let Some(why) = waiting {
        memory.notices.detail(&format!("{why}; judged by the table"));
        for result in &mut results {
            result.degraded = Some(why.clone());
        }
    }
    results
}

/// Shared state of all requests.
struct Search<'a> {
    memory: &'a Memory,
    stores: &'a [Store],
    segments: Segments<'a>,
    /// The query of the current request.
    asked: Asked<'a>,
    ahead: &'a QueriesAhead,
    /// Vectors of the query and documents; `None` in keyword mode, or without a model.
    embedding: Option<QueryEmbedding>,
    /// Why the chosen model was not used.
    model_fails: Option<String>,
    mode: Mode,
    /// Archived entries that are searched by default.
    archived: Archived,
    adopted: Adopted,
    /// Decides which notes, lists and logs may be shown.
    notes: TrustNotes<'a>,
    texts: Texts<'a>,
    /// Files that could not be read after they were listed.
    unread: Vec<ReadProblem>,
}

/// A query, and what it is in the searched documents.
struct Asked<'a> {
    query: &'a Query,
    pace: Pace,
    /// BM25 score of every document, by segment and number.
    bm25: Vec<Vec<f64>>,
    /// The query's words; similar ones count too unless the mode is keyword.
    words: QueryWords,
}

/// A candidate on its way to a hit; each step fills in fields.
struct Ranked<'a> {
    candidate: RankCandidate,
    document: IndexedDocument<'a>,
    /// Factor on the score by the entry's standing.
    factor: f64,
    stability: f64,
    last: Option<Timestamp>,
    text: String,
    /// What the text is asked for as besides.
    asked: String,
    rules: LineRules,
    facts: Facts,
    verdict: Verdict,
    judged: Judged,
}

impl<'a> Asked<'a> {
    /// Scores every document for the query of a request.
    fn new(segments: &Segments<'_>, request: &SearchRequest<'a>, words: QueryWords) -> Self {
        let SearchRequest { query, pace, .. } = *request;
        let idf = bm25::frequencies(query, &segments.postings, segments.size);
        let bm25 = bm25::score(query, &idf, &segments.postings, segments.size.average());
        Self { query, pace, bm25, words: words.then(query, &idf) }
    }
}

impl<'a> Search<'a> {
    /// Opens vectors unless the mode needs none. All requests have the mode of the first.
    fn new(
        memory: &'a Memory,
        stores: &'a [Store],
        corpora: &'a [Corpus],
        requests: &[SearchRequest<'a>],
        (first, ahead): (&SearchRequest<'a>, &'a QueriesAhead),
    ) -> Self {
        let segments = Segments::new(corpora);
        let searched = EmbeddedSearch { memory, stores, corpora };
        let has_vectors = first.mode != Mode::Keyword;
        let embedding = has_vectors.then(|| QueryEmbedding::open(searched)).flatten();
        let mode = if embedding.is_some() { first.mode } else { Mode::Keyword };
        let is_one = requests.iter().all(|request| ptr::eq(request.query, first.query));
        let words = if is_one { QueryWords::default() } else { QueryWords::of_several() };
        let asked = Asked::new(&segments, first, words);
        let mut search = Self {
            memory,
            stores,
            segments,
            asked,
            ahead,
            embedding,
            model_fails: None,
            mode,
            archived: Archived::default(),
            adopted: Adopted::new(stores),
            notes: TrustNotes::new(memory, stores),
            texts: Texts::new(stores, corpora),
            unread: Vec::new(),
        };
        search.prepare();
        search
    }

    /// Asks what a request asks.
    fn ask(&mut self, request: &SearchRequest<'a>) {
        if !ptr::eq(self.asked.query, request.query) || self.asked.pace != request.pace {
            let words = mem::take(&mut self.asked.words);
            self.asked = Asked::new(&self.segments, request, words);
            self.prepare();
        }
    }

    fn prepare(&mut self) {
        let Self { embedding, asked, .. } = self;
        match embedding {
            Some(embedding) => embedding.ask(&asked.words),
            None => asked.words = mem::take(&mut asked.words).exact(),
        }
    }

    fn searched(&self) -> EmbeddedSearch<'a> {
        let Self { memory, stores, .. } = self;
        EmbeddedSearch { memory, stores, corpora: self.segments.corpora }
    }

    fn degraded(&self, wished: Mode) -> Option<String> {
        let without = self.embedding.is_none() && wished == Mode::Semantic;
        let none = without.then(|| "embedding.model is none".to_owned());
        none.or_else(|| self.model_fails.clone())
    }

    fn answer(&mut self, request: &SearchRequest<'a>) -> SearchResult {
        self.ask(request);
        let mut extra = 0;
        let (mut ranked, mut aside) = loop {
            let most = self.most(request, extra);
            let candidates = self.candidates(request, most);
            let are_all = candidates.len() < most;
            let (mut ranked, mut aside) = self.locate(request, candidates, extra);
            self.read(&mut ranked);
            self.read(&mut aside);
            self.review(request, &mut ranked, &mut aside);
            // What is withheld takes no place from what is given.
            if are_all || ranked.len() >= request.pool(self.mode) {
                break (ranked, aside);
            }
            extra = (4 * extra).max(4 * SPARE);
        };
        if extra > 0 || request.whole_archive {
            self.cut(&mut ranked, request.pool(self.mode));
        }
        self.complete(request, &mut ranked);
        let weights = RankWeights::of(ranked.iter().map(|one| &one.candidate));
        self.rank(request, &mut ranked, weights);
        let few = if request.is_explicit { rank::few(&request.query.text) } else { 0 };
        rank::level(ranked.iter_mut().map(|one| &mut one.judged), few);
        self.rank(request, &mut aside, weights);
        SearchResult {
            mode: Some(self.mode),
            docs: self.segments.size.docs,
            model: self.embedding.as_ref().map(|embedding| embedding.model().to_owned()),
            degraded: self.degraded(request.mode),
            ..self.hits(request, ranked, &aside)
        }
    }

    /// Returns the number of candidates to look at, where `extra` were too few.
    fn most(&self, request: &SearchRequest<'_>, extra: usize) -> usize {
        // Entries outside the period are removed only when they are located, and those in force are
        // when the others are asked for, so all candidates are needed.
        if request.period.is_bounded() || request.whole_archive {
            return usize::MAX;
        }
        request.pool(self.mode).saturating_add(SPARE).saturating_add(extra)
    }

    /// Returns the documents with the best scores by postings and vectors, before their text is
    /// read.
    fn candidates(&mut self, request: &SearchRequest<'_>, most: usize) -> Vec<RankCandidate> {
        let found = self.best(request, most);
        let searched = self.searched();
        let Some(embedding) = self.embedding.as_mut().filter(|all| all.damaged()) else {
            return found;
        };
        // Rows of the index are verified on use.
        embedding.remake(searched);
        self.best(request, most)
    }

    fn best(&self, request: &SearchRequest<'_>, most: usize) -> Vec<RankCandidate> {
        let Self { segments, archived, asked, embedding, mode, .. } = self;
        let files = files_of(self.memory, self.stores, request.topic);
        let filter = Filter { request, segments, archived, files: &files };
        let keep = |segment, number| filter.keeps(segment, number);
        let keep: Option<&dyn Fn(usize, u32) -> bool> =
            if filter.is_open() { None } else { Some(&keep) };
        segments.with_scores(&asked.bm25, embedding.as_ref(), keep, |corpus| {
            candidates::candidates(corpus, *mode, most)
        })
    }

    /// Looks up location and standing of candidates. Removes those outside the period and copies,
    /// then all beyond the request's pool and `extra`. What is out of force is removed too, or put
    /// aside if it is counted.
    fn locate(
        &mut self,
        request: &SearchRequest<'_>,
        candidates: Vec<RankCandidate>,
        extra: usize,
    ) -> (Vec<Ranked<'a>>, Vec<Ranked<'a>>) {
        let whole = request.whole_archive;
        let Self { memory, stores, segments, archived, adopted, texts, unread, .. } = self;
        let corpora = segments.corpora;
        let located = |candidate: RankCandidate| {
            Some((candidate, segments.locate(candidate.segment, candidate.doc)?))
        };
        let mut located: Vec<(RankCandidate, IndexedDocument<'_>)> =
            candidates.into_iter().filter_map(located).collect();
        // Which of two copies comes first does not depend on how the index is divided.
        located.sort_by_key(|(_, IndexedDocument { at, doc, source, .. })| {
            (at.store, *source, doc.line)
        });
        let documents = located.iter().map(|(_, document)| document);
        // After a merge, a line may be both in the archive and in its topic.
        let live: HashSet<u64> = documents
            .clone()
            .filter(|document| document.kind == SourceKind::Topic)
            .map(|document| document.doc.id)
            .collect();
        let there = documents.clone();
        let aged = (&*archived, whole);
        let standings = standing::standings(memory, stores, corpora, aged, there, adopted, unread);
        let mut seen: HashMap<(SourceKind, u64), Vec<usize>> = HashMap::new();
        // The project's store comes first. Ids can be made to collide, so equal ids are compared by
        // text.
        let mut is_copy = |at: usize, document: &IndexedDocument<'_>| {
            let known = seen.entry((document.kind, document.doc.id)).or_default();
            let mut text = |at: usize| located.get(at).map(|(_, document)| texts.of(document).text);
            let copy = known.iter().any(|first| text(*first) == text(at));
            known.extend((!copy).then_some(at));
            copy
        };
        let (mut ranked, mut aside) = (Vec::new(), Vec::new());
        for (at, ((candidate, document), standings)) in located.iter().zip(standings).enumerate() {
            let Standings { standing, last, facts } = standings;
            let in_archive = document.kind == SourceKind::Archive;
            if standing::is_unjudged(stores, document, standing)
                || in_archive && !whole && live.contains(&document.doc.id)
                || !request.period.contains(last)
                // If only reviewed text counts, it is not known yet which copy was reviewed.
                || whole && is_copy(at, document)
            {
                continue;
            }
            let one = Ranked {
                candidate: *candidate,
                document: *document,
                factor: rank::factor(standing) * if in_archive { archived::SHARE } else { 1.0 },
                stability: standing.map_or(0.0, Standing::shown),
                last,
                text: String::new(),
                asked: String::new(),
                rules: LineRules::default(),
                facts,
                verdict: Verdict::Given,
                judged: Judged::default(),
            };
            // The text is not known yet, nor whether it was reviewed.
            let verdict = Facts { reviewed: true, ..facts }.verdict();
            match verdict.withheld().filter(|_| documents::entry_id(&document.doc).is_some()) {
                Some(why) if !whole => {
                    let is_counted = request.is_explicit && matches!(why, Withheld::Replaced(_));
                    aside.extend(is_counted.then_some(Ranked { verdict, ..one }));
                }
                _ => ranked.push(one),
            }
        }
        let most = if whole { usize::MAX } else { request.pool(self.mode).saturating_add(extra) };
        self.cut(&mut ranked, most);
        self.cut(&mut aside, request.pool(self.mode));
        (ranked, aside)
    }

    /// Removes the candidates beyond the best ones, by what is known before their texts are read.
    fn cut(&self, ranked: &mut Vec<Ranked<'_>>, most: usize) {
        candidates::best(ranked, most, |one| one.candidate.first(self.mode));
    }

    /// Reads the texts, and what of the query they cover. Texts that cannot be read are removed.
    fn read(&mut self, ranked: &mut Vec<Ranked<'_>>) {
        let average = self.segments.size.average();
        for one in ranked.iter_mut() {
            let found = self.texts.of(&one.document);
            if self.mode != Mode::Semantic {
                let searched = found.searched();
                let passage = pimem_core::embed::passage(&searched);
                one.candidate.reading =
                    self.asked.words.read(&passage, one.document.doc.words, average);
            }
            documents::DocText { text: one.text, asked: one.asked, rules: one.rules } = found;
        }
        self.unread.append(&mut self.texts.problems);
        if !self.unread.is_empty() {
            ranked.retain(|ranked| !ranked.text.is_empty());
        }
    }

    /// Has the chosen model judge the candidates. What it has not embedded is embedded, best first: of
    /// logs and lists, which are embedded only as they are found, no more than a few.
    fn complete(&mut self, request: &SearchRequest<'_>, ranked: &mut [Ranked<'_>]) {
        let searched = self.searched();
        let Self { embedding, asked, ahead, model_fails, .. } = self;
        let Some(embedding) = embedding else { return };
        embedding.ask_model(searched, asked.query, ahead, asked.pace, model_fails);
        if embedding.model() == table::NAME {
            return;
        }
        let mode = self.mode;
        let mut all: Vec<&mut Ranked<'_>> = ranked.iter_mut().collect();
        all.sort_by(|a, b| b.candidate.first(mode).total_cmp(&a.candidate.first(mode)));
        let mut passages =
            if request.may_find_embedded() { self.asked.pace.passages() } else { usize::MAX };
        all.retain(|one| {
            let is_passage = !one.document.kind.is_embedded();
            let judged = !is_passage || passages > 0;
            passages -= usize::from(is_passage && judged);
            judged
        });
        let categories = &self.memory.config.categories;
        let unjudged = all.into_iter().map(|one| Unjudged {
            candidate: &mut one.candidate,
            at: one.document.at,
            category: documents::category_name(categories, one.document.doc.category),
            text: documents::searched(&one.text, &one.asked),
        });
        embedding.judge(unjudged.collect());
    }

    /// Judges the candidates, and sorts by rank.
    fn rank(&self, request: &SearchRequest<'_>, ranked: &mut [Ranked<'_>], weights: RankWeights) {
        let Self { segments, asked, embedding, mode, .. } = self;
        segments.with_scores(&asked.bm25, embedding.as_ref(), None, |corpus| {
            for one in ranked.iter_mut() {
                let Ranked { candidate, document, judged, factor, stability, text, .. } = one;
                *factor *= rank::past_session_factor(
                    &asked.query.text,
                    document.kind,
                    request.kinds,
                    text,
                );
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
                if request.order == HitOrder::Seed {
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
    }

    /// Returns the best candidates that are better than chance and reach the minimum score, and the
    /// next best. Counts what was put aside and would be among them.
    fn hits(
        &self,
        request: &SearchRequest<'_>,
        mut ranked: Vec<Ranked<'_>>,
        aside: &[Ranked<'_>],
    ) -> SearchResult {
        let best = ranked.first().map_or(0.0, |one| one.judged.rank);
        let (MinScore::Score(least) | MinScore::Recall(least)) = request.min_score;
        let bar = if request.kinds.contains(&SourceKind::Topic) {
            let held = request.except.map_or(0, |except| except.len() as u64);
            RecallBar::new(least, self.segments.size.docs.saturating_sub(held))
        } else if request.kinds.contains(&SourceKind::Notes) {
            RecallBar::of_notes(least)
        } else {
            RecallBar::new(least, 0)
        };
        let enough = |judged: Judged| match request.min_score {
            MinScore::Score(_) => judged.score >= least,
            MinScore::Recall(_) => judged.is_recalled(bar, best),
        };
        let counts = |one: &Ranked<'_>| one.judged.counts && enough(one.judged);
        let mut withheld = WithheldCounts::default();
        aside.iter().filter(|one| counts(one)).for_each(|one| {
            if let Some(why) = one.verdict.withheld() {
                withheld.add(why);
            }
        });
        self.mark(request, &mut ranked);
        let (found, missed): (Vec<_>, Vec<_>) = ranked.into_iter().partition(counts);
        let (found, over) = fate::shown(found, request.limit);
        let hits = found.into_iter().map(|one| self.hit(one)).collect();
        let near = over.into_iter().chain(missed).take(NEAR).map(|one| self.hit(one)).collect();
        SearchResult { hits, near, withheld, ..SearchResult::default() }
    }

    fn hit(&self, ranked: Ranked<'_>) -> FoundHit {
        let Ranked { candidate, document, factor, text, rules, facts, verdict, judged, .. } =
            ranked;
        let IndexedDocument { at, doc, source, kind } = document;
        let store = self.stores.get(at.store);
        FoundHit {
            score: judged.score,
            own: judged.own,
            rank: judged.rank,
            is_faint: judged.is_faint,
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
            rules,
            when: Timestamp::from_seconds(doc.when),
            reviewed: facts.reviewed,
            verdict,
            mirror: store.and_then(|store| store.mirror.clone()),
            branch: source.strip_prefix(ELSEWHERE).map(str::to_owned),
        }
    }
}
