//! Search: the database finds candidates by words and vectors, and [`rank`] orders them as the
//! program orders lines.

pub mod candidates;
pub mod rank;

use deadpool_postgres::Transaction;
use pimem_core::{
    embed::catalog::{STATIC, TextRole, Thresholds, Unavailable},
    model::time::Now,
    search::{
        bm25::{FieldSize, Query},
        near_words::QueryWords,
        rank::Mode,
    },
};
use pimem_engine::models::built_in;
use uuid::Uuid;

use self::{
    candidates::{QueryVectors, WantedRows},
    rank::{Cosines, FoundRow, RankedCorpus, SearchRow},
};
use crate::{db::error::Error, memories::row::MemoryRow, seal::vault::Vault};

/// What is searched for.
#[derive(Debug, Clone)]
pub struct Request {
    pub text: String,
    pub mode: Mode,
    pub limit: usize,
    /// Hits with less are left out, 0 to 1.
    pub min_score: f64,
    pub category: Option<String>,
    /// True if the archive is searched too.
    pub archived: bool,
    pub projects: Vec<Uuid>,
}

/// A hit with what it was ranked by.
#[derive(Debug)]
pub struct RankedHit {
    pub memory: MemoryRow,
    pub found: FoundRow,
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
    let found = candidates::find(transaction, wanted).await?;
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
    let order = rank::rank(&query, &mut words, &corpus, mode, thresholds, &rows, request.limit);
    let mut memories: Vec<Option<MemoryRow>> =
        found.into_iter().map(|(memory, _)| Some(memory)).collect();
    let hits = order.into_iter().filter(|found| found.judged.score >= request.min_score);
    let hits = hits.filter_map(|found| {
        let memory = memories.get_mut(found.at)?.take()?;
        Some(RankedHit { memory, found })
    });
    Ok((mode, hits.collect()))
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
