//! Searching stores: what `search` and the report's recall have in common.

use std::{cmp::Reverse, collections::HashSet};

use super::{
    context::Context,
    parts::Parts,
    period::Period,
    space::{self, Space},
    standing,
    texts::Texts,
};
use crate::{
    index::{
        build::{self, Embedding},
        corpus::{Corpus, Freshness},
        vectors::Known,
    },
    model::{entry::EntryId, time::Timestamp},
    recall::{
        bm25::{self, Query},
        corpus::{self, Doc, SourceKind},
        rank::{self, Candidate, Mode},
        sieve,
        soft::Meaning,
    },
    score::{board::Scope, stability::Standing},
    store::{read::Problem, trust::Kind, vault::Store},
};

/// What to look for.
pub(crate) struct Wanted<'a> {
    /// The words.
    pub(crate) query: &'a Query,
    /// What to go by.
    pub(crate) mode: Mode,
    /// Order by seed 0's formula, similarity × 100 + stability.
    pub(crate) seed: bool,
    /// How many hits.
    pub(crate) limit: usize,
    /// Least score.
    pub(crate) min_score: Least,
    /// Only these kinds of files; empty for all.
    pub(crate) kinds: &'a [SourceKind],
    /// Only entries of these categories; empty for all.
    pub(crate) categories: &'a [String],
    /// Only what is from then: an entry by its last reinforcement, a passage by what it says.
    pub(crate) period: Period,
    /// Only what was written or reviewed on this machine.
    pub(crate) reviewed: bool,
}

impl<'a> Wanted<'a> {
    /// What a prompt brings to mind: by words and meaning, and only what is much like it.
    pub(crate) fn recall(
        ctx: &Context,
        query: &'a Query,
        limit: usize,
        kinds: &'a [SourceKind],
    ) -> Self {
        Self {
            query,
            mode: Mode::Hybrid,
            seed: false,
            limit,
            min_score: Least::Recall(ctx.config.number("recall.minScore")),
            kinds,
            categories: &[],
            period: Period::default(),
            reviewed: true,
        }
    }
}

/// The least score of a hit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Least {
    /// By the score as it is shown.
    Score(f64),
    /// By a hybrid score, or what is like it in another mode.
    Recall(f64),
}

/// Something found.
#[derive(Debug, Clone)]
pub(crate) struct Hit {
    /// Fused score.
    pub(crate) score: f64,
    /// What it is made of.
    pub(crate) candidate: Candidate,
    /// What standing multiplied it by.
    pub(crate) factor: f64,
    /// The entry, unless it is a passage.
    pub(crate) entry: Option<EntryId>,
    /// The kind of file.
    pub(crate) kind: SourceKind,
    /// Whose it is.
    pub(crate) scope: Scope,
    /// The file, relative to the store.
    pub(crate) source: String,
    /// Line number in it.
    pub(crate) line: u32,
    /// The text.
    pub(crate) text: String,
    /// When a passage was, by what it says.
    pub(crate) when: Option<Timestamp>,
    /// Whether it was written or reviewed on this machine.
    pub(crate) reviewed: bool,
}

/// Hits, and what there was to say about the search.
#[derive(Default)]
pub(crate) struct Found {
    /// Best first.
    pub(crate) hits: Vec<Hit>,
    /// The best of what did not make it, for lack of score or of room.
    pub(crate) near: Vec<Hit>,
    /// What was gone by in the end.
    pub(crate) mode: Option<Mode>,
    /// The model whose vectors were used.
    pub(crate) model: Option<String>,
    /// Why the chosen model was not.
    pub(crate) degraded: Option<String>,
    /// Files that could not be read.
    pub(crate) problems: Vec<Problem>,
    /// Stores whose index should be refreshed afterwards.
    pub(crate) stale: Vec<Stale>,
}

/// A store whose index should be brought up to date.
pub(crate) struct Stale {
    /// The store.
    pub(crate) store: Store,
    /// The whole index, not only what changed.
    pub(crate) whole: bool,
    /// Vectors that were made for the answer.
    pub(crate) fresh: Known,
}

/// Near misses that are told of.
const NEAR: usize = 5;

/// A candidate with its place and standing.
struct Placed<'a> {
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

/// Searches `stores`. The answer is the same whatever state their indexes are in.
pub(crate) fn find(ctx: &Context, stores: &[Store], wanted: &Wanted<'_>) -> Found {
    let mut found = Found { mode: Some(wanted.mode), ..Found::default() };
    if wanted.query.is_empty() {
        return found;
    }
    let categories = &ctx.config.categories;
    let open = |store: &Store| {
        Corpus::open(store, ctx.cache_dir(store).as_deref(), wanted.query, categories)
    };
    let corpora: Vec<Corpus> = stores.iter().map(open).collect();
    for (store, corpus) in stores.iter().zip(&corpora) {
        found.problems.extend(corpus.problems.iter().cloned());
        if let Freshness::Broken(why) = &corpus.freshness {
            ctx.ui.detail(&format!("index of {}: {why}; answered without it", store.dir.display()));
        }
    }
    let parts = Parts::new(&corpora);
    let idf = bm25::frequencies(wanted.query, &parts.views, parts.size);
    let sums = bm25::score(wanted.query, &idf, &parts.views, parts.size.average());
    let mut meaning = Meaning::default();
    let mut space = None;
    let open = |meaning: &Meaning, stored, degraded: &mut Option<String>| {
        space::open(ctx, stores, &corpora, (wanted.query, meaning), stored, degraded)
    };
    if wanted.mode != Mode::Keyword {
        meaning = Meaning::new(wanted.query, &idf);
        space = open(&meaning, true, &mut found.degraded);
        if space.is_none() && wanted.mode == Mode::Semantic {
            found.degraded = Some("embedding.model is none".to_owned());
        }
    }
    let mode = if space.is_some() { wanted.mode } else { Mode::Keyword };
    let keep = |part, doc| keeps(wanted, &parts, part, doc);
    let filtered =
        !wanted.kinds.is_empty() || !wanted.categories.is_empty() || wanted.period.is_bounded();
    let pool = sieve::pool(wanted.limit);
    // Entries of another time and forgotten ones fall out later, so all have to stay in.
    let n = if wanted.period.is_bounded() { usize::MAX } else { pool.saturating_add(SPARE) };
    let keep: Option<&dyn Fn(usize, u32) -> bool> = if filtered { Some(&keep) } else { None };
    let candidates = |space: &Option<Space>| {
        let views = space.as_ref().map(Space::views).unwrap_or_default();
        sieve::candidates(&parts.searched(&sums, space.as_ref(), &views, keep), mode, n)
    };
    let mut first = candidates(&space);
    if space.as_ref().is_some_and(Space::damaged) {
        // Rows are checked when they are used; without them, their texts are embedded again.
        space = open(&meaning, false, &mut found.degraded);
        first = candidates(&space);
    }
    let mut placed = place(ctx, stores, &parts, wanted, first);
    let mut kept: Vec<Candidate> = placed.iter().map(|placed| placed.candidate).collect();
    sieve::cut(&mut kept, mode, pool);
    placed.retain(|placed| kept.binary_search_by_key(&at(&placed.candidate), at).is_ok());
    read(stores, &corpora, &parts, &mut placed, (mode == Mode::Hybrid).then_some(&mut meaning));
    let views = space.as_ref().map(Space::views).unwrap_or_default();
    let searched = parts.searched(&sums, space.as_ref(), &views, keep);
    for placed in &mut placed {
        placed.reviewed = reviewed(ctx, stores, placed);
    }
    if wanted.reviewed {
        let mut seen = HashSet::new();
        placed.retain(|p| p.reviewed && seen.insert((p.kind, p.doc.id)));
    }
    for placed in &mut placed {
        let candidate = &mut placed.candidate;
        if mode != Mode::Keyword {
            let file = |doc| parts.locate(candidate.part, doc).map(|(_, _, source, _)| source);
            let here = file(candidate.doc);
            candidate.context = sieve::context(&searched, mode, candidate, |doc| file(doc) == here);
        }
        placed.score = if wanted.seed {
            candidate.cosine.max(0.0) * 100.0 + placed.stability
        } else {
            candidate.score(mode) * placed.factor
        };
    }
    sort(&mut placed);
    let least = match wanted.min_score {
        Least::Score(score) => score,
        Least::Recall(score) => rank::threshold(mode, score),
    };
    let counts = |placed: &Placed<'_>| placed.candidate.counts(mode) && placed.score >= least;
    let (hits, misses): (Vec<_>, Vec<_>) = placed.into_iter().partition(counts);
    let mut hits = hits.into_iter().map(|placed| hit(stores, placed));
    found.hits = hits.by_ref().take(wanted.limit).collect();
    let misses = misses.into_iter().map(|placed| hit(stores, placed));
    found.near = hits.chain(misses).take(NEAR).collect();
    found.mode = Some(mode);
    found.model = space.as_ref().map(|space| space.model.clone());
    found.stale = stale(stores, &corpora, space);
    found
}

/// Places kept for candidates that turn out to be forgotten, or copies.
const SPARE: usize = 16;

/// Whether a document is of a wanted kind, category and time, as far as the index knows.
fn keeps(wanted: &Wanted<'_>, parts: &Parts<'_>, part: usize, number: u32) -> bool {
    let Some((_, doc, _, kind)) = parts.locate(part, number) else { return false };
    let of_category = |name: &String| {
        corpus::entry_id(&doc).is_some() && corpus::category_hash(name) == doc.category
    };
    let in_time = || {
        corpus::entry_id(&doc).is_some()
            || wanted.period.contains(Timestamp::from_seconds(doc.when))
    };
    (wanted.kinds.is_empty() || wanted.kinds.contains(&kind))
        && (wanted.categories.is_empty() || wanted.categories.iter().any(of_category))
        && in_time()
}

fn at(candidate: &Candidate) -> (usize, u32) {
    (candidate.part, candidate.doc)
}

/// Looks up where candidates are and how they stand, and leaves out forgotten ones, those of
/// another time, and second copies.
fn place<'a>(
    ctx: &Context,
    stores: &[Store],
    parts: &Parts<'a>,
    wanted: &Wanted<'_>,
    candidates: Vec<Candidate>,
) -> Vec<Placed<'a>> {
    let located: Vec<_> = candidates
        .into_iter()
        .filter_map(|found| Some((found, parts.locate(found.part, found.doc)?)))
        .collect();
    let docs = located.iter().map(|(_, (store, doc, ..))| (*store, doc));
    let standings = standing::standings(ctx, stores, parts.corpora, docs);
    let mut seen = HashSet::new();
    located
        .into_iter()
        .zip(standings)
        .filter(|(_, (standing, _))| *standing != Some(Standing::Forgotten))
        .filter(|(_, (_, last))| wanted.period.contains(*last))
        // The project's store is the first. Where only what was reviewed counts, that may not be the
        // copy that stays.
        .filter(|((_, (_, doc, _, kind)), _)| wanted.reviewed || seen.insert((*kind, doc.id)))
        .map(|((candidate, (store, doc, source, kind)), (standing, last))| Placed {
            candidate,
            store,
            source,
            kind,
            doc,
            factor: rank::factor(standing),
            stability: standing.map_or(0.0, Standing::shown),
            last,
            text: String::new(),
            reviewed: false,
            score: 0.0,
        })
        .collect()
}

/// Reads the texts of candidates, and what they say about the query.
fn read(
    stores: &[Store],
    corpora: &[Corpus],
    parts: &Parts<'_>,
    placed: &mut [Placed<'_>],
    mut meaning: Option<&mut Meaning>,
) {
    let mut texts = Texts::new(stores, corpora);
    let average = parts.size.average();
    for placed in placed {
        let Some(part) = parts.origin.get(placed.candidate.part) else { continue };
        placed.text =
            texts.of(*part, placed.candidate.doc, (placed.source, placed.kind, &placed.doc));
        if let Some(meaning) = &mut meaning {
            let text = crate::embed::passage(&placed.text);
            placed.candidate.reading = meaning.read(&text, placed.doc.words, average);
        }
    }
}

/// Whether what was found was written or reviewed on this machine.
fn reviewed(ctx: &Context, stores: &[Store], placed: &Placed<'_>) -> bool {
    let Some(store) = stores.get(placed.store) else { return false };
    let trust = &store.trust;
    match placed.kind {
        SourceKind::Topic => corpus::category_name(&ctx.config.categories, placed.doc.category)
            .is_some_and(|name| trust.holds_entry(name, &placed.text)),
        SourceKind::Session => trust.holds_text(Kind::Session, &placed.text),
        _ => trust.holds_text(Kind::Notes, "") || store.file_reviewed(placed.source),
    }
}

fn sort(placed: &mut [Placed<'_>]) {
    placed.sort_by(|a, b| {
        let tie = |c: &Placed<'_>| (Reverse(c.last), c.doc.id, c.store);
        b.score
            .total_cmp(&a.score)
            .then_with(|| tie(a).cmp(&tie(b)))
            .then_with(|| (a.source, a.doc.line).cmp(&(b.source, b.doc.line)))
    });
}

fn hit(stores: &[Store], placed: Placed<'_>) -> Hit {
    Hit {
        score: placed.score,
        candidate: placed.candidate,
        factor: placed.factor,
        entry: corpus::entry_id(&placed.doc),
        kind: placed.kind,
        scope: stores.get(placed.store).map_or(Scope::Project, |store| store.scope),
        source: placed.source.to_owned(),
        line: placed.doc.line,
        text: placed.text,
        when: Timestamp::from_seconds(placed.doc.when),
        reviewed: placed.reviewed,
    }
}

/// Which indexes should be brought up to date: those much behind, and those without vectors.
fn stale(stores: &[Store], corpora: &[Corpus], space: Option<Space>) -> Vec<Stale> {
    let mut behind = space.map(|space| space.behind).unwrap_or_default().into_iter();
    stores
        .iter()
        .zip(corpora)
        .filter_map(|(store, corpus)| {
            let space::Behind { whole, fresh } = behind.next().unwrap_or_default();
            let wanted = corpus.wants_refresh || whole || !fresh.is_empty();
            wanted.then(|| Stale { store: store.clone(), whole, fresh })
        })
        .collect()
}

/// Brings stale indexes up to date, after the answer was given. What fails here costs time later
/// and nothing else.
pub(crate) fn refresh(ctx: &Context, stores: Vec<Stale>) {
    for Stale { store, whole, fresh } in stores {
        let Some(dir) = ctx.cache_dir(&store) else { continue };
        let mut progress = ctx.ui.progress("indexing");
        let (categories, when) = (&ctx.config.categories, ctx.real_now);
        let embedding = Embedding { fresh, ..space::kept(ctx) };
        let done = build::refresh(&store, &dir, categories, when, whole, embedding, &mut progress);
        if let Err(error) = done {
            ctx.ui.detail(&format!("index not refreshed: {error:#}"));
        }
    }
}
