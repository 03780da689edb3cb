//! The statement that finds candidates: the rows with the nearest vectors, and those with the rarest
//! words of the query.

use std::cmp::Reverse;

use deadpool_postgres::Transaction;
use pgvector::HalfVector;
use tokio_postgres::types::ToSql;

use super::Request;
use crate::{
    db::error::Error,
    index::words,
    memories::row::{COLUMNS, JOINED, MemoryRow},
    seal::vault::Vault,
};

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

/// The query as vectors.
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
    let candidates = rows.iter().filter_map(|row| {
        let memory = MemoryRow::of(row, vault)?;
        let cosines: Option<[Option<f64>; 3]> = halves
            .as_ref()
            .map(|_| [row.get("table_cosine"), row.get("plain_cosine"), row.get("model_cosine")]);
        // A text without words has no direction.
        let number =
            |cosine: Option<f64>| cosine.filter(|cosine| cosine.is_finite()).unwrap_or(0.0);
        let is_embedded = cosines.is_some_and(|[table, ..]| table.is_some());
        let cosines = cosines.filter(|_| is_embedded).map(|cosines| cosines.map(number));
        Some((memory, cosines))
    });
    let mut candidates: Vec<CandidateRow> = candidates.collect();
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
    known.into_iter().map(|((term, idf), _)| (words::query(&vault.word(term)), *idf)).unzip()
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
