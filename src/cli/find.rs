//! Searching stores: what `search` and the report's recall have in common.

use std::{cmp::Reverse, collections::HashSet};

use super::{context::Context, period::Period};
use crate::{
    index::{
        build,
        corpus::{Corpus, Freshness},
    },
    model::{
        entry::EntryId,
        hash::{IdMap, IdSet},
        time::Timestamp,
    },
    recall::{
        bm25::{self, Query, Size},
        corpus::{self, Doc, SourceKind},
        rank,
    },
    score::{
        board::{Board, Scope},
        evidence::Strength,
        stability::{self, Standing},
    },
    store::{
        read::Problem,
        vault::{self, Store},
    },
};

/// What to look for.
pub(crate) struct Wanted<'a> {
    /// The words.
    pub(crate) query: &'a Query,
    /// How many hits.
    pub(crate) limit: usize,
    /// Least score.
    pub(crate) min_score: f64,
    /// Only these kinds of files; empty for all.
    pub(crate) kinds: &'a [SourceKind],
    /// Only entries of these categories; empty for all.
    pub(crate) categories: &'a [String],
    /// Only what is from then: an entry by its last reinforcement, a passage by what it says.
    pub(crate) period: Period,
    /// Only what holds so many of the terms.
    pub(crate) terms: usize,
}

/// Something found.
#[derive(Debug, Clone)]
pub(crate) struct Hit {
    /// Fused score.
    pub(crate) score: f64,
    /// Its keyword part: plain BM25.
    pub(crate) bm25: f64,
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
}

/// Hits, and what there was to say about the search.
#[derive(Default)]
pub(crate) struct Found {
    /// Best first.
    pub(crate) hits: Vec<Hit>,
    /// Files that could not be read.
    pub(crate) problems: Vec<Problem>,
    /// Stores whose index should be refreshed afterwards.
    pub(crate) stale: Vec<Store>,
}

/// One candidate, before its text is read.
struct Candidate {
    score: f64,
    bm25: f64,
    factor: f64,
    last: Option<Timestamp>,
    store: usize,
    source: String,
    kind: SourceKind,
    doc: Doc,
}

/// Searches `stores`. The answer is the same whatever state their indexes are in.
pub(crate) fn find(ctx: &Context, stores: &[Store], wanted: &Wanted<'_>) -> Found {
    let mut found = Found::default();
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
        if corpus.wants_refresh {
            found.stale.push(store.clone());
        }
        if let Freshness::Broken(why) = &corpus.freshness {
            ctx.ui.detail(&format!("index of {}: {why}; answered without it", store.dir.display()));
        }
    }
    let mut size = Size::default();
    for corpus in &corpora {
        size += corpus.size;
    }
    let mut origin: Vec<(usize, usize)> = Vec::new();
    let mut parts = Vec::new();
    for (number, corpus) in corpora.iter().enumerate() {
        for (part, view) in corpus.parts().into_iter().enumerate() {
            origin.push((number, part));
            parts.push(view);
        }
    }
    let scored = bm25::score(wanted.query, &parts, size);
    let allowed: Vec<u32> =
        wanted.categories.iter().map(|name| corpus::category_hash(name)).collect();
    let locate = |hit: &bm25::Scored| {
        let (store, part) = *origin.get(hit.part)?;
        let (doc, source, kind) = corpora.get(store)?.doc(part, hit.doc)?;
        let kept = (wanted.kinds.is_empty() || wanted.kinds.contains(&kind))
            && (allowed.is_empty() || allowed.contains(&doc.category))
            && (wanted.terms <= 1
                || parts.get(hit.part).is_some_and(|part| {
                    bm25::terms_in(wanted.query, *part, hit.doc) >= wanted.terms
                }));
        kept.then_some((store, doc, source, kind))
    };
    let filtered = !wanted.kinds.is_empty() || !allowed.is_empty() || wanted.terms > 1;
    let scored = if filtered {
        scored.into_iter().filter(|hit| locate(hit).is_some()).collect()
    } else {
        scored
    };
    // Forgotten entries and second copies fall out later, so a few more have to stay in; of entries
    // from another time there may be any number.
    let bounded = wanted.period.is_bounded();
    let kept = if bounded { usize::MAX } else { wanted.limit.saturating_add(SPARE) };
    let located: Vec<_> = rank::contenders(scored, kept)
        .into_iter()
        .filter_map(|hit| locate(&hit).map(|place| (hit.score, place)))
        .collect();
    let standings =
        standings(ctx, stores, &corpora, located.iter().map(|(_, (store, doc, ..))| (*store, doc)));
    let mut candidates: Vec<Candidate> = located
        .into_iter()
        .zip(standings)
        .filter(|(_, (standing, _))| *standing != Some(Standing::Forgotten))
        .filter(|(_, (_, last))| wanted.period.contains(*last))
        .map(|((bm25, (store, doc, source, kind)), (standing, last))| {
            let factor = rank::factor(standing);
            let (score, source) = (rank::keyword(bm25) * factor, source.to_owned());
            Candidate { score, bm25, factor, last, store, source, kind, doc }
        })
        .filter(|candidate| candidate.score >= wanted.min_score)
        .collect();
    candidates.sort_by(|a, b| {
        let tie = |c: &Candidate| (Reverse(c.last), c.doc.id, c.store);
        b.score
            .total_cmp(&a.score)
            .then_with(|| tie(a).cmp(&tie(b)))
            .then_with(|| (&a.source, a.doc.line).cmp(&(&b.source, b.doc.line)))
    });
    let mut seen = HashSet::new();
    candidates.retain(|candidate| seen.insert((candidate.kind, candidate.doc.id)));
    candidates.truncate(wanted.limit);
    found.hits = candidates.into_iter().map(|candidate| hit(stores, candidate)).collect();
    found
}

/// Places kept for candidates that turn out to be forgotten, or copies.
const SPARE: usize = 16;

/// Standing and time of last reinforcement for each document; for passages none, and their time.
fn standings<'a>(
    ctx: &Context,
    stores: &[Store],
    corpora: &[Corpus],
    docs: impl Iterator<Item = (usize, &'a Doc)>,
) -> Vec<(Option<Standing>, Option<Timestamp>)> {
    let docs: Vec<(usize, &Doc)> = docs.collect();
    let strengths: Vec<IdMap<EntryId, Strength>> = stores
        .iter()
        .zip(corpora)
        .enumerate()
        .map(|(number, (store, corpus))| {
            let here = docs.iter().filter(|(store, _)| *store == number);
            let wanted = here.filter_map(|(_, doc)| corpus::entry_id(doc)).collect();
            strengths(ctx, store, corpus, &wanted)
        })
        .collect();
    let taus: Vec<(u32, f64)> = ctx
        .config
        .categories
        .iter()
        .map(|(_, spec)| (corpus::category_hash(&spec.name), spec.tau_days))
        .collect();
    docs.iter()
        .map(|(store, doc)| {
            let id = corpus::entry_id(doc);
            let strength = id.and_then(|id| strengths.get(*store)?.get(&id).copied());
            let Some(mut strength) = strength else {
                return (None, Timestamp::from_seconds(doc.when));
            };
            strength.last_reinforced = ctx.now.cap(strength.last_reinforced);
            let tau = taus.iter().find(|(hash, _)| *hash == doc.category).map(|(_, tau)| *tau);
            let standing =
                stability::standing_of(ctx.now, strength, tau.unwrap_or(1.0), doc.pinned);
            (Some(standing), Some(strength.last_reinforced))
        })
        .collect()
}

/// The strength of some entries: from the index, else from the log, else from the whole store,
/// because an entry without evidence is adopted, and that takes all of the markdown.
fn strengths(
    ctx: &Context,
    store: &Store,
    corpus: &Corpus,
    wanted: &IdSet<EntryId>,
) -> IdMap<EntryId, Strength> {
    if wanted.is_empty() {
        return IdMap::default();
    }
    let folded = corpus.folded.as_ref().and_then(|folded| folded.lookup(store, wanted));
    folded.unwrap_or_else(|| {
        let ledger = store
            .evidence_of(wanted)
            .unwrap_or_else(|| store.read(ctx.now, &ctx.config.categories).ledger);
        wanted.iter().filter_map(|id| Some((*id, ledger.evidence(*id)?.strength()))).collect()
    })
}

fn hit(stores: &[Store], candidate: Candidate) -> Hit {
    let store = stores.get(candidate.store);
    let bytes =
        store.and_then(|store| store.file(&candidate.source).ok().flatten()).unwrap_or_default();
    let start = usize::try_from(candidate.doc.start).unwrap_or(usize::MAX);
    let end = start.saturating_add(usize::try_from(candidate.doc.len).unwrap_or(0));
    Hit {
        score: candidate.score,
        bm25: candidate.bm25,
        factor: candidate.factor,
        entry: corpus::entry_id(&candidate.doc),
        kind: candidate.kind,
        scope: store.map_or(Scope::Project, |store| store.scope),
        when: Timestamp::from_seconds(candidate.doc.when),
        source: candidate.source,
        line: candidate.doc.line,
        text: corpus::text_of(candidate.kind, bytes.get(start..end).unwrap_or_default()),
    }
}

/// Brings stale indexes up to date, after the answer was given. What fails here costs time later
/// and nothing else.
pub(crate) fn refresh(ctx: &Context, stores: &[Store]) {
    for store in stores {
        let Some(dir) = ctx.cache_dir(store) else { continue };
        let mut progress = ctx.ui.progress("indexing");
        let (categories, when) = (&ctx.config.categories, ctx.real_now);
        let done = build::refresh(store, &dir, categories, when, false, &mut progress);
        if let Err(error) = done {
            ctx.ui.detail(&format!("index not refreshed: {error:#}"));
        }
    }
}

/// The line of a passage that says most about the query: its first line, then the one with the most
/// query words.
pub(crate) fn snippet(text: &str, query: &Query) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let Some((first, rest)) = lines.split_first() else { return String::new() };
    let matches = |line: &&&str| {
        let found = Query::from_prompt(line).terms;
        query.terms.iter().filter(|term| found.contains(term)).count()
    };
    // `max_by_key` gives the last of equals; the first is wanted.
    let best = rest.iter().rev().max_by_key(matches).filter(|line| matches(line) > 0);
    best.map_or_else(|| (*first).to_owned(), |best| format!("{first} … {best}"))
}

/// What a prompt brings to mind: entries that the report does not show already.
pub(crate) fn recall(
    ctx: &Context,
    stores: &[Store],
    prompt: &str,
    board: &Board,
    shown: &HashSet<EntryId>,
) -> Found {
    let query = Query::from_prompt(prompt);
    let limit = usize::try_from(ctx.config.whole("recall.limit")).unwrap_or(usize::MAX);
    let wanted = Wanted {
        query: &query,
        limit: limit.saturating_mul(4).saturating_add(shown.len()),
        min_score: ctx.config.number("recall.minScore"),
        kinds: &[SourceKind::Topic],
        categories: &[],
        period: Period::default(),
        terms: 1,
    };
    let mut kept: Vec<(Hit, crate::recall::similar::Sketch)> = Vec::new();
    let mut found = find(ctx, stores, &wanted);
    for hit in std::mem::take(&mut found.hits) {
        let Some(row) = hit.entry.and_then(|id| board.get(id)) else { continue };
        let dead = row.expired || row.superseded_by.is_some();
        if kept.len() >= limit || dead || shown.contains(&row.entry.id) {
            continue;
        }
        let sketch = crate::recall::similar::Sketch::of(&hit.text);
        if kept.iter().all(|(_, known)| known.similarity(&sketch) < ALIKE) {
            kept.push((hit, sketch));
        }
    }
    found.hits = kept.into_iter().map(|(hit, _)| hit).collect();
    found
}

/// Past sessions that a prompt brings to mind. Those that share but one term with it do so by
/// chance.
pub(crate) fn sessions(ctx: &Context, stores: &[Store], prompt: &str, limit: usize) -> Vec<Hit> {
    // Most stores have none, and a search opens the index.
    let has_some = |store: &Store| store.place(vault::SESSIONS).1.is_file();
    if !stores.iter().any(has_some) {
        return Vec::new();
    }
    let wanted = Wanted {
        query: &Query::from_prompt(prompt),
        limit,
        min_score: 0.0,
        kinds: &[SourceKind::Session],
        categories: &[],
        period: Period::default(),
        terms: 2,
    };
    find(ctx, stores, &wanted).hits
}

/// Two recalled entries that share this much of their words are shown once.
const ALIKE: f64 = 0.8;
