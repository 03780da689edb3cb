//! Search: the database finds candidates by words and vectors, the rows with the nearest vectors and
//! those with the rarest words of the query; they are ordered as the program orders lines, by the same
//! words, vectors and standing.

use std::{cmp::Reverse, collections::HashMap, ops::Range};

use deadpool_postgres::Transaction;
use pgvector::HalfVector;
use pimem_core::{
    embed::{
        catalog::{STATIC, TextRole, Thresholds, Unavailable},
        passage,
    },
    gate::Verdict,
    model::{category::Traits, entry::EntryId, time::Now},
    report::replaced,
    score::stability::Standing,
    search::{
        bm25::{self, FieldSize, Query, Segment, TermPostings},
        candidates,
        documents::TermCounts,
        near_words::QueryWords,
        rank::{self, Judged, Mode, RankCandidate, RankWeights},
    },
};
use pimem_engine::models::built_in;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use crate::{
    db::Error,
    index::{self, fold},
    memories::row::{COLUMNS, JOINED, MemoryRow},
    seal::Vault,
};

#[derive(Debug, Clone)]
pub struct Request {
    pub text: String,
    pub mode: Mode,
    pub limit: usize,
    /// Hits with less are left out, 0 to 1.
    pub min_score: f64,
    pub category: Option<String>,
    /// True for the archive too, and for what is replaced or past its date.
    pub archived: bool,
    pub projects: Vec<Uuid>,
}

#[derive(Debug)]
pub struct RankedHit {
    pub memory: MemoryRow,
    pub found: FoundRow,
    /// A newer choice of its project that seems to replace it.
    pub newer: Option<EntryId>,
}

/// Searches, best first, and returns by what. Without vectors that is by words.
///
/// # Errors
/// The database is away or too slow.
pub async fn search(
    transaction: &Transaction<'_>,
    vault: &Vault,
    request: &Request,
    now: Now,
) -> Result<(Mode, Vec<RankedHit>), Error> {
    // Vectors give the words away, so that a sealed organisation has none.
    let mode = if vault.is_sealed() { Mode::Keyword } else { request.mode };
    let query = Query::new(&request.text);
    if query.is_empty() || request.projects.is_empty() {
        return Ok((mode, Vec::new()));
    }
    let corpus = corpus(transaction, vault, &request.projects, &query).await?;
    let idf = corpus.idf();
    let words = QueryWords::new(&query, &idf);
    let mut words = if mode == Mode::Keyword { words.exact() } else { words };
    let vectors = match mode {
        Mode::Keyword => None,
        Mode::Hybrid | Mode::Semantic => {
            let (model, thresholds) = embed(query.text.clone()).await?;
            let (table, plain) = (words.vector().unit(), words.plain_vector().unit());
            Some((QueryVectors { table, plain, model }, thresholds))
        }
    };
    let (vectors, thresholds) = vectors.unzip();
    let thresholds = thresholds.unwrap_or(STATIC);
    let has_model = vectors.as_ref().is_some_and(|vectors| vectors.model.is_some());
    let wanted = WantedRows {
        vault,
        request,
        terms: query.terms.iter().zip(&idf).zip(&corpus.found),
        docs: corpus.size.docs,
        vectors: vectors.as_ref(),
    };
    let mut found = find(transaction, wanted).await?;
    found.retain(|(memory, _)| request.archived || memory.verdict(now).is_given());
    let rows: Vec<SearchRow> = found
        .iter()
        .map(|(memory, cosines)| SearchRow {
            text: memory.text.clone(),
            topic: memory.topic.clone(),
            standing: memory.standing(now),
            cosines: cosines.map(|[table, plain, model]| Cosines {
                table,
                plain,
                model: Some(model).filter(|_| has_model && memory.has_model_vector),
            }),
        })
        .collect();
    let mut order = rank(&query, &mut words, &corpus, mode, thresholds, &rows, request.limit);
    order.retain(|found| found.judged.score >= request.min_score);
    let mut memories: Vec<Option<MemoryRow>> =
        found.into_iter().map(|(memory, _)| Some(memory)).collect();
    let hits = order.into_iter().filter_map(|found| {
        let memory = memories.get_mut(found.at)?.take()?;
        Some(RankedHit { memory, found, newer: None })
    });
    let mut hits: Vec<RankedHit> = hits.collect();
    mark(transaction, vault, &mut hits, request.limit, now).await?;
    let id = |hit: &RankedHit| (hit.memory.project, hit.memory.id);
    let place = |newer| hits.iter().position(|hit| id(hit) == newer);
    let above: Vec<Option<usize>> =
        hits.iter().map(|hit| place((hit.memory.project, hit.newer?))).collect();
    let shown = replaced::below_successors(&above, request.limit);
    let mut hits: Vec<Option<RankedHit>> = hits.into_iter().map(Some).collect();
    let mut hits: Vec<RankedHit> =
        shown.into_iter().filter_map(|at| hits.get_mut(at)?.take()).collect();
    rank::level(hits.iter_mut().map(|hit| &mut hit.found.judged), 0);
    Ok((mode, hits))
}

/// Marks those of the first `shown` hits that a newer choice among all of them seems to replace.
async fn mark(
    transaction: &Transaction<'_>,
    vault: &Vault,
    hits: &mut [RankedHit],
    shown: usize,
    now: Now,
) -> Result<(), Error> {
    let texts = hits.iter().enumerate().filter_map(|(at, RankedHit { memory, .. })| {
        let is_compared =
            memory.verdict(now) == Verdict::Given && !Traits::of(&memory.category).is_done;
        is_compared.then_some(((memory.project, &memory.category), at, memory.text.as_str()))
    });
    let pairs = replaced::pairs(texts, |at| at < shown);
    let mut known = HashMap::new();
    let mut ids: HashMap<Uuid, Vec<EntryId>> = HashMap::new();
    for hit in pairs.iter().flat_map(|(older, newer)| [older, newer]).filter_map(|at| hits.get(*at))
    {
        ids.entry(hit.memory.project).or_default().push(hit.memory.id);
    }
    for (project, ids) in ids {
        let found = fold::evidence(transaction, vault, project, &ids, now).await?;
        known.extend(found.into_iter().map(|(id, evidence)| ((project, id), evidence)));
    }
    for (older, newer) in pairs {
        let Some(by) = hits.get(newer).map(|hit| hit.memory.id) else { continue };
        let Some(hit) = hits.get_mut(older) else { continue };
        let of = |id: EntryId| known.get(&(hit.memory.project, id));
        let Some((old, new)) = of(hit.memory.id).zip(of(by)) else { continue };
        let best = hit.newer.and_then(of);
        if replaced::is_newer((new, 0), (old, 0))
            && best.is_none_or(|best| new.choice() > best.choice())
        {
            hit.newer = Some(by);
        }
    }
    Ok(())
}

/// Counts lines and words, and the lines with each word of the query.
async fn corpus(
    transaction: &Transaction<'_>,
    vault: &Vault,
    projects: &[Uuid],
    query: &Query,
) -> Result<RankedCorpus, Error> {
    let org = vault.org();
    let size = "select coalesce(sum(docs), 0)::int8, coalesce(sum(words), 0)::int8 from pimem.corpora \
        where org_id = $1 and project_id = any ($2)";
    let statement = transaction.prepare_cached(size).await?;
    let row = transaction.query_one(&statement, &[&org, &projects]).await?;
    let number = |at| u64::try_from(row.get::<_, i64>(at)).unwrap_or_default();
    let size = FieldSize { docs: number(0), words: number(1) };
    let counts = "select t.at, coalesce(sum(l.docs), 0)::int8 \
        from unnest($3::text[]) with ordinality as t (lexeme, at) \
        join pimem.lexemes l on l.org_id = $1 and l.project_id = any ($2) and l.lexeme = t.lexeme \
        group by t.at";
    let statement = transaction.prepare_cached(counts).await?;
    let mut found = vec![0_u64; query.terms.len()];
    let lexemes: Vec<_> = query.terms.iter().map(|term| vault.word(term)).collect();
    for row in transaction.query(&statement, &[&org, &projects, &lexemes]).await? {
        let at = usize::try_from(row.get::<_, i64>(0) - 1).unwrap_or(usize::MAX);
        if let Some(count) = found.get_mut(at) {
            *count = u64::try_from(row.get::<_, i64>(1)).unwrap_or_default();
        }
    }
    Ok(RankedCorpus { size, found })
}

/// Embeds a query by the transformer; `None` in a build without it.
async fn embed(text: String) -> Result<(Option<Vec<f32>>, Thresholds), Error> {
    let embedded = tokio::task::spawn_blocking(move || {
        let mut model = built_in::embedder(None)?;
        let thresholds = model.model().thresholds;
        let vector = model.embed(TextRole::Query, &[&text], &mut |_| ())?.pop();
        Ok::<_, Unavailable>((vector, thresholds))
    });
    let embedded = embedded.await.map_err(|error| Error::Wrong(error.to_string()))?;
    Ok(embedded.unwrap_or((None, STATIC)))
}

/// Up to so many visible rows, every vector is compared: the recall is 1, at about 0.6 µs a row.
const EXACT: u64 = 10_000;
/// Number of candidates by each vector.
const NEAREST: usize = 200;
/// Number of rows near by bits of which they are the nearest; `hnsw.ef_search` is as large.
const NEAR_BY_BITS: usize = 1000;
/// Number of candidates by words.
const WORDED: usize = 300;
/// Maximum number of terms whose rows are read.
const TERMS: usize = 16;
/// Beyond the exact scan, rarer terms go first, and no further ones once so many rows are read.
const READ: u64 = 20_000;

/// What a search looks for.
pub struct WantedRows<'a, T> {
    pub vault: &'a Vault,
    pub request: &'a Request,
    /// Each term with its inverse document frequency, and the number of rows that have it.
    pub terms: T,
    /// Number of visible rows.
    pub docs: u64,
    pub vectors: Option<&'a QueryVectors>,
}

#[derive(Debug, Clone)]
pub struct QueryVectors {
    /// By the table, where rare words weigh more.
    pub table: Vec<f32>,
    /// By the table, where all words weigh alike.
    pub plain: Vec<f32>,
    /// By the transformer; `None` in a build without it.
    pub model: Option<Vec<f32>>,
}

/// A candidate, with the cosines by table, plain table and transformer.
pub type CandidateRow = (MemoryRow, Option<[f64; 3]>);

/// Finds candidates, each once.
///
/// # Errors
/// The database is away or too slow.
pub async fn find<'a, T>(
    transaction: &Transaction<'_>,
    wanted: WantedRows<'a, T>,
) -> Result<Vec<CandidateRow>, Error>
where
    T: Iterator<Item = ((&'a String, &'a f64), &'a u64)>,
{
    let WantedRows { vault, request, terms, docs, vectors } = wanted;
    let is_exact = docs <= EXACT;
    let (terms, weights) = chosen(vault, terms, is_exact);
    let org = vault.org();
    let halves = vectors.map(|QueryVectors { table, plain, model }| {
        let of = |vector: &Vec<f32>| HalfVector::from_f32_slice(vector);
        (of(table), of(plain), of(model.as_ref().unwrap_or(table)))
    });
    let statement = statement(halves.is_some(), is_exact);
    let mut parameters: Vec<&(dyn ToSql + Sync)> =
        vec![&org, &request.projects, &request.category, &request.archived, &terms, &weights];
    if let Some((table, plain, model)) = &halves {
        parameters.extend([table as &(dyn ToSql + Sync), plain, model]);
    }
    // A plan for any query would compare every vector, and so would one that takes sorting all rows
    // for cheaper than the index.
    let sort = if is_exact { "on" } else { "off" };
    let settings = format!(
        "select set_config('plan_cache_mode', 'force_custom_plan', true), \
         set_config('enable_sort', '{sort}', true), \
         set_config('hnsw.ef_search', '{NEAR_BY_BITS}', true), \
         set_config('hnsw.iterative_scan', 'strict_order', true)"
    );
    let settings = transaction.prepare_cached(&settings).await?;
    transaction.execute(&settings, &[]).await?;
    let statement = transaction.prepare_cached(&statement).await?;
    let rows = transaction.query(&statement, &parameters).await?;
    let candidate = |row| {
        let Some(memory) = MemoryRow::of(row, vault)? else { return Ok(None) };
        let cosines: Option<[Option<f64>; 3]> = halves
            .as_ref()
            .map(|_| [row.get("table_cosine"), row.get("plain_cosine"), row.get("model_cosine")]);
        // A text without words has no direction.
        let number =
            |cosine: Option<f64>| cosine.filter(|cosine| cosine.is_finite()).unwrap_or(0.0);
        let is_embedded = cosines.is_some_and(|[table, ..]| table.is_some());
        let cosines = cosines.filter(|_| is_embedded).map(|cosines| cosines.map(number));
        Ok(Some((memory, cosines)))
    };
    let candidates = rows.iter().filter_map(|row| candidate(row).transpose());
    let mut candidates = candidates.collect::<Result<Vec<CandidateRow>, Error>>()?;
    // Equal hits stay in this order, which blinded ids have not.
    candidates.sort_by_key(|(memory, _)| (Reverse(memory.last_reinforced), memory.id));
    Ok(candidates)
}

/// Returns the terms to look up, as queries, with their weights.
fn chosen<'a>(
    vault: &Vault,
    terms: impl Iterator<Item = ((&'a String, &'a f64), &'a u64)>,
    is_exact: bool,
) -> (Vec<String>, Vec<f64>) {
    let mut known: Vec<_> = terms.filter(|(_, found)| **found > 0).collect();
    known.sort_by(|((_, a), _), ((_, b), _)| b.total_cmp(a));
    known.truncate(TERMS);
    if !is_exact {
        let mut read = 0_u64;
        let mut first = true;
        known.retain(|(_, found)| {
            read = read.saturating_add(**found);
            std::mem::take(&mut first) || read <= READ
        });
    }
    known.into_iter().map(|((term, idf), _)| (index::query(&vault.word(term)), *idf)).unzip()
}

/// Writes the statement, of which there are four: each is prepared once a connection.
fn statement(has_vectors: bool, is_exact: bool) -> String {
    let mut parts =
        vec![format!("(select project_id, entry from pimem.worded($2, $5, $6, $3, $4, {WORDED}))")];
    for (column, parameter) in [("table_vec", 7), ("model_vec", 9)] {
        if !has_vectors {
            break;
        }
        let distance = format!("{column} <=> ${parameter}::halfvec");
        let rows = |what: &str, order: &str, limit| {
            format!(
                "select {what} from pimem.memories \
                 where org_id = $1 and project_id = any ($2) and place <> 'nowhere' \
                 and ($4::bool or place = 'topics') and user_state <> 'forgotten' \
                 and ($3::text is null or category = $3) and {column} is not null \
                 order by {order} limit {limit}"
            )
        };
        parts.push(if is_exact {
            format!("({})", rows("project_id, entry", &distance, NEAREST))
        } else {
            let bits = |value: &str| format!("binary_quantize({value})::bit(384)");
            let query = bits(&format!("${parameter}::halfvec(384)"));
            let by_bits = format!("{} <~> {query}", bits(column));
            let near = rows(&format!("project_id, entry, {column}"), &by_bits, NEAR_BY_BITS);
            format!(
                "(select project_id, entry from ({near}) near order by {distance} limit {NEAREST})"
            )
        });
    }
    let cosines = if has_vectors {
        ", 1 - (m.table_vec <=> $7::halfvec) as table_cosine, \
         1 - (m.table_vec <=> $8::halfvec) as plain_cosine, \
         1 - (m.model_vec <=> $9::halfvec) as model_cosine"
    } else {
        ""
    };
    format!(
        "select {COLUMNS}{cosines} from ({}) c join pimem.memories m \
         on m.org_id = $1 and m.project_id = c.project_id and m.entry = c.entry \
         {JOINED}",
        parts.join(" union ")
    )
}

/// What is ranked of a row.
#[derive(Debug, Clone)]
pub struct SearchRow {
    pub text: String,
    /// Stem of its topic file, whose words count as its own.
    pub topic: String,
    pub standing: Standing,
    /// `None` without vectors.
    pub cosines: Option<Cosines>,
}

/// The cosines of a row and the query, -1 to 1.
#[derive(Debug, Clone, Copy)]
pub struct Cosines {
    /// By the table, where rare words of the query weigh more.
    pub table: f64,
    /// By the table, where all words weigh alike.
    pub plain: f64,
    /// By the transformer; `None` if it has not embedded the row yet.
    pub model: Option<f64>,
}

/// The corpus that the rows are from.
#[derive(Debug, Clone)]
pub struct RankedCorpus {
    pub size: FieldSize,
    /// Number of documents that contain each term of the query.
    pub found: Vec<u64>,
}

impl RankedCorpus {
    /// Returns the inverse document frequency of each term.
    pub fn idf(&self) -> Vec<f64> {
        let docs = self.size.docs as f64;
        self.found.iter().map(|found| bm25::idf(*found as f64, docs)).collect()
    }
}

#[derive(Debug, Clone, Copy)]
pub struct FoundRow {
    /// Its place among the rows.
    pub at: usize,
    pub candidate: RankCandidate,
    pub judged: Judged,
    pub factor: f64,
}

/// Returns rows, best first, of which the best `limit` are sure to be there. `words` is of the same
/// query and corpus.
pub fn rank(
    query: &Query,
    words: &mut QueryWords,
    corpus: &RankedCorpus,
    mode: Mode,
    thresholds: Thresholds,
    rows: &[SearchRow],
    limit: usize,
) -> Vec<FoundRow> {
    let read = Read::new(query, rows);
    let segments: [&dyn Segment; 1] = [&read];
    let average = corpus.size.average();
    let sums = bm25::score(query, &corpus.idf(), &segments, average).pop().unwrap_or_default();
    let candidate = |((doc, row), bm25): ((u32, &SearchRow), f64)| {
        let mut candidate = RankCandidate { doc, bm25, ..RankCandidate::default() };
        if let Some(Cosines { table, plain, model }) = row.cosines {
            candidate.table = table;
            candidate.plain = plain;
            candidate.cosine = model.unwrap_or(table);
            candidate.model = model.map(|cosine| thresholds.calibrate(cosine));
        }
        candidate
    };
    let mut best: Vec<RankCandidate> = (0..).zip(rows).zip(sums).map(candidate).collect();
    best.retain(|candidate| candidate.first(mode) > 0.0);
    candidates::cut(&mut best, mode, candidates::pool(limit, mode));
    if mode != Mode::Semantic {
        for candidate in &mut best {
            let Some(row) = rows.get(candidate.doc as usize) else { continue };
            candidate.reading = words.read(&passage(&row.text), read.words(candidate.doc), average);
        }
    }
    let weights = RankWeights::of(&best);
    let judged = |candidate: RankCandidate| {
        let at = candidate.doc as usize;
        let factor = rank::factor(rows.get(at).map(|row| row.standing));
        let judged = Judged::new(&candidate, mode, weights, factor);
        FoundRow { at, candidate, judged, factor }
    };
    let mut found: Vec<FoundRow> = best.into_iter().map(judged).collect();
    found.sort_by(|a, b| b.judged.rank.total_cmp(&a.judged.rank).then_with(|| a.at.cmp(&b.at)));
    let few = rank::few(&query.text);
    rank::level(found.iter_mut().map(|found| &mut found.judged), few);
    found.retain(|found| found.judged.counts);
    found
}

/// The texts of rows with their postings for one query.
struct Read {
    words: Vec<u32>,
    alive: [Range<u32>; 1],
    postings: TermPostings,
}

impl Read {
    fn new(query: &Query, rows: &[SearchRow]) -> Self {
        let mut counts = TermCounts::new(&Query::terms_of([query]));
        let words = (0..).zip(rows).map(|(doc, row)| counts.add(doc, &row.text, &row.topic));
        Self {
            words: words.collect(),
            alive: [Range { start: 0, end: u32::try_from(rows.len()).unwrap_or(0) }],
            postings: counts.postings(),
        }
    }
}

impl Segment for Read {
    fn end(&self) -> u32 {
        u32::try_from(self.words.len()).unwrap_or(u32::MAX)
    }

    fn alive(&self) -> &[Range<u32>] {
        &self.alive
    }

    fn words(&self, doc: u32) -> u32 {
        self.words.get(doc as usize).copied().unwrap_or(0)
    }

    fn postings(&self, term: &str) -> &[(u32, u32)] {
        self.postings.get(term).map_or(&[], Vec::as_slice)
    }
}
