//! Selects the few candidates whose text is worth reading, from postings and vectors.
//!
//! All documents are scored by BM25 and by their cosine in the table, which gives every document a
//! vector in microseconds; a large corpus is prefiltered by the sign bits of vectors. A slower model
//! judges only what was selected: if it took part here, the result would depend on what it has
//! embedded so far. The result depends on the corpus alone, not on its division into segments, so
//! that the state of an index never shows.

use std::ops::Range;

use super::{
    bm25::Segment,
    rank::{Mode, RankCandidate},
};
use crate::embed::vector::{Vector, hamming};

/// Corpora with more documents are prefiltered by sign bits.
const EXACT: u64 = 4096;
/// Number of documents that pass the prefilter by sign bits, and by BM25.
const SIEVED: usize = 1000;
/// Distance of a document without a vector.
const FARTHEST: u32 = u32::MAX;
/// Weights of the neighbours of a line, by distance.
pub const NEXT: &[f64] = &[0.2];
/// Weights of the neighbours of a passage of a conversation or a log, whose subject often spans
/// several.
pub const WITHIN: &[f64] = &[0.3, 0.2, 0.1];

/// The vectors of one segment's documents.
pub trait Dense {
    /// Returns a document's vector: numbers and scale.
    fn vector(&self, doc: u32) -> (&[u8], f32);
    fn signs(&self, doc: u32) -> &[u8];
}

pub struct CandidateCorpus<'a> {
    pub segments: &'a [&'a dyn Segment],
    /// The BM25 of every document.
    pub bm25: &'a [Vec<f64>],
    /// Vectors; `None` for a search by words only.
    pub dense: Option<CandidateVectors<'a>>,
    pub docs: u64,
    /// Returns true for documents that may be hits; `None` for all.
    pub keep: Option<&'a dyn Fn(usize, u32) -> bool>,
}

/// The vectors of the query and of all documents by the table.
#[derive(Clone, Copy)]
pub struct CandidateVectors<'a> {
    /// The query, where rare words weigh more.
    pub query: &'a Vector,
    /// The query, where all words weigh alike.
    pub plain: &'a Vector,
    pub segments: &'a [&'a dyn Dense],
}

impl CandidateVectors<'_> {
    /// Sets the cosine by which a candidate is found.
    fn set(&self, candidate: &mut RankCandidate) {
        candidate.table = self.cosine(self.query, candidate);
        candidate.cosine = candidate.table;
    }

    /// Sets the cosine of a candidate for its score.
    pub fn set_plain(&self, candidate: &mut RankCandidate) {
        candidate.plain = self.cosine(self.plain, candidate);
    }

    fn cosine(&self, query: &Vector, candidate: &RankCandidate) -> f64 {
        let segment = self.segments.get(candidate.segment);
        let (numbers, scale) =
            segment.map(|segment| segment.vector(candidate.doc)).unwrap_or_default();
        if numbers.is_empty() { 0.0 } else { f64::from(query.cosine(numbers, scale)) }
    }
}

/// Returns the best `n` documents by their score before the text is read, with ties for the last
/// place, ordered by segment and document.
#[must_use]
pub fn candidates(corpus: &CandidateCorpus<'_>, mode: Mode, n: usize) -> Vec<RankCandidate> {
    let mut found = match (mode, corpus.dense) {
        (Mode::Hybrid | Mode::Semantic, Some(vectors)) => with_cosines(corpus, vectors),
        _ => pick(corpus, |bm25| bm25 > 0.0),
    };
    found.retain(|candidate| candidate.first(mode) > 0.0);
    cut(&mut found, mode, n);
    found
}

/// Visits every document that may be a hit, with segment, number and BM25.
fn each(corpus: &CandidateCorpus<'_>, mut visit: impl FnMut(usize, u32, f64)) {
    for (segment, (view, sums)) in corpus.segments.iter().zip(corpus.bm25).enumerate() {
        for doc in view.alive().iter().flat_map(Range::clone) {
            if corpus.keep.is_none_or(|keep| keep(segment, doc)) {
                visit(segment, doc, sums.get(doc as usize).copied().unwrap_or(0.0));
            }
        }
    }
}

/// Returns the documents whose BM25 is `wanted`.
fn pick(corpus: &CandidateCorpus<'_>, mut wanted: impl FnMut(f64) -> bool) -> Vec<RankCandidate> {
    let mut found = Vec::new();
    each(corpus, |segment, doc, bm25| {
        if wanted(bm25) {
            found.push(RankCandidate { segment, doc, bm25, ..RankCandidate::default() });
        }
    });
    found
}

fn with_cosines(corpus: &CandidateCorpus<'_>, vectors: CandidateVectors<'_>) -> Vec<RankCandidate> {
    let mut found =
        if corpus.docs <= EXACT { pick(corpus, |_| true) } else { sieve(corpus, vectors) };
    for candidate in &mut found {
        vectors.set(candidate);
    }
    found
}

/// Returns the documents that are nearest to the query by sign bits, or best by BM25.
fn sieve(corpus: &CandidateCorpus<'_>, vectors: CandidateVectors<'_>) -> Vec<RankCandidate> {
    let signs = vectors.query.signs();
    let mut distances = Vec::new();
    each(corpus, |segment, doc, _| {
        let stored = vectors.segments.get(segment).map_or(&[][..], |segment| segment.signs(doc));
        distances.push(if stored.is_empty() { FARTHEST } else { hamming(&signs, stored) });
    });
    let far = nth(&distances, SIEVED).min(FARTHEST - 1);
    let mut distances = distances.into_iter();
    let mut words = pick(corpus, |bm25| bm25 > 0.0);
    best(&mut words, SIEVED, |candidate| candidate.bm25);
    let least = words.iter().map(|candidate| candidate.bm25).fold(f64::INFINITY, f64::min);
    pick(corpus, |bm25| {
        let near = distances.next().is_some_and(|distance| distance <= far);
        near || bm25 >= least
    })
}

/// Returns what the neighbours of a candidate add to its rank: a passage near a good one is more
/// likely to be good. `weights` are those of the neighbours at distance 1, 2 and so on, of which the
/// best counts. `beside` returns true for document numbers in the same file.
#[must_use]
pub fn context(
    corpus: &CandidateCorpus<'_>,
    mode: Mode,
    candidate: &RankCandidate,
    weights: &[f64],
    beside: impl Fn(u32) -> bool,
) -> f64 {
    let (segment, doc) = (candidate.segment, candidate.doc);
    let first = |doc: u32| {
        let bm25 = corpus.bm25.get(segment).and_then(|sums| sums.get(doc as usize));
        let bm25 = bm25.copied().unwrap_or(0.0);
        let mut candidate = RankCandidate { segment, doc, bm25, ..RankCandidate::default() };
        if let Some(vectors) = corpus.dense {
            vectors.set(&mut candidate);
        }
        candidate.beside(mode)
    };
    let at = |(distance, weight): (u32, &f64)| {
        let both = [doc.checked_sub(distance), doc.checked_add(distance)].into_iter().flatten();
        both.filter(|doc| beside(*doc)).map(first).fold(0.0, f64::max) * weight
    };
    (1..).zip(weights).map(at).fold(0.0, f64::max)
}

/// Returns how many candidates to read for `limit` hits. Where meaning alone counts, the table by
/// itself is no good judge of the first.
#[must_use]
pub fn pool(limit: usize, mode: Mode) -> usize {
    let least = if mode == Mode::Semantic { 64 } else { 24 };
    limit.saturating_add(8).max(least)
}

/// Returns the `n`-th smallest distance.
fn nth(distances: &[u32], n: usize) -> u32 {
    let mut sorted = distances.to_vec();
    if sorted.len() <= n {
        return u32::MAX;
    }
    *sorted.select_nth_unstable(n.saturating_sub(1)).1
}

/// Keeps the best `n` candidates by their score before texts are read, with ties for the last
/// place.
pub fn cut(candidates: &mut Vec<RankCandidate>, mode: Mode, n: usize) {
    best(candidates, n, |candidate| candidate.first(mode));
}

/// Keeps the best `n` with ties for the last place, in their order.
pub fn best<T>(found: &mut Vec<T>, n: usize, score: impl Fn(&T) -> f64) {
    if n == 0 {
        found.clear();
    }
    if found.len() > n {
        let mut scores: Vec<f64> = found.iter().map(&score).collect();
        let (_, least, _) = scores.select_nth_unstable_by(n - 1, |a, b| b.total_cmp(a));
        let least = *least;
        found.retain(|candidate| score(candidate) >= least);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Documents `first..first + n` of a made-up corpus, none of them deleted.
    struct Made(Vec<Range<u32>>, Vec<(Vector, Vec<u8>)>);

    impl Made {
        fn new(from: u32, to: u32) -> Self {
            let vector = |n: u32| {
                let number = |at: u32| ((n * 31 + at * 17) as f32 * 0.37).sin();
                let vector = Vector::quantize(&(0..64).map(number).collect::<Vec<_>>());
                let signs = vector.signs();
                (vector, signs)
            };
            Self(vec![Range { start: 0, end: to - from }], (from..to).map(vector).collect())
        }
    }

    impl Segment for Made {
        fn end(&self) -> u32 {
            u32::try_from(self.1.len()).unwrap()
        }
        fn alive(&self) -> &[Range<u32>] {
            &self.0
        }
        fn words(&self, _: u32) -> u32 {
            1
        }
        fn postings(&self, _: &str) -> &[(u32, u32)] {
            &[]
        }
    }

    impl Dense for Made {
        fn vector(&self, doc: u32) -> (&[u8], f32) {
            let (vector, _) = &self.1[doc as usize];
            (&vector.numbers, vector.scale)
        }
        fn signs(&self, doc: u32) -> &[u8] {
            &self.1[doc as usize].1
        }
    }

    fn search(segments: &[&Made], docs: u64, n: usize) -> Vec<(u64, f64)> {
        let bm25: Vec<Vec<f64>> = segments
            .iter()
            .scan(0_u32, |first, segment| {
                let from = *first;
                *first += segment.end();
                Some((from..*first).map(|n| f64::from(n % 7 / 6) * 5.0).collect())
            })
            .collect();
        let query = Vector::quantize(&(0..64).map(|n| (n as f32).cos()).collect::<Vec<_>>());
        let views: Vec<&dyn Segment> =
            segments.iter().map(|segment| *segment as &dyn Segment).collect();
        let dense: Vec<&dyn Dense> =
            segments.iter().map(|segment| *segment as &dyn Dense).collect();
        let dense = Some(CandidateVectors { query: &query, plain: &query, segments: &dense });
        let corpus = CandidateCorpus { segments: &views, bm25: &bm25, dense, docs, keep: None };
        let ends: Vec<u32> = segments.iter().map(|segment| segment.end()).collect();
        candidates(&corpus, Mode::Hybrid, n)
            .iter()
            .map(|c| {
                let before: u32 = ends.iter().take(c.segment).sum();
                (u64::from(before + c.doc), c.first(Mode::Hybrid))
            })
            .collect()
    }

    #[test]
    fn splitting_the_corpus_changes_nothing() {
        let (whole, left, right) = (Made::new(0, 900), Made::new(0, 333), Made::new(333, 900));
        for docs in [900, EXACT + 1] {
            let found = search(&[&whole], docs, 20);
            assert!(found.len() >= 20);
            assert_eq!(found, search(&[&left, &right], docs, 20), "{docs}");
        }
    }

    #[test]
    fn the_sieve_keeps_the_best() {
        let many = Made::new(0, 6000);
        let (exact, sieved) = (search(&[&many], 1, 10), search(&[&many], 6000, 10));
        let common = exact.iter().filter(|found| sieved.contains(found)).count();
        assert!(common >= 9, "{common} of {}", exact.len());
    }

    #[test]
    fn neighbours_speak_for_each_other() {
        let made = Made::new(0, 6);
        let segments: [&dyn Segment; 1] = [&made];
        let bm25 = [vec![0.0, 9.0, 1.0, 0.0, 5.0, 0.0]];
        let corpus =
            CandidateCorpus { segments: &segments, bm25: &bm25, dense: None, docs: 6, keep: None };
        let of = |doc: u32, weights: &[f64]| {
            let candidate = RankCandidate { doc, ..RankCandidate::default() };
            // The file ends after document 3.
            let beside = |beside: u32| (beside > 3) == (doc > 3);
            context(&corpus, Mode::Keyword, &candidate, weights, beside)
        };
        let rank = |bm25: f64| bm25 / (bm25 + 8.0);
        // The better neighbour counts, by the BM25 of the documents near it in its file.
        for (doc, best) in [(0, 9.0), (1, 1.0), (2, 9.0), (3, 1.0), (4, 0.0), (5, 5.0)] {
            let want = 0.2 * rank(best);
            assert!((of(doc, NEXT) - want).abs() < 1e-12, "{doc}");
        }
        for (doc, weight, best) in [(0, 0.3, 9.0), (3, 0.2, 9.0), (2, 0.3, 9.0), (5, 0.3, 5.0)] {
            let want = weight * rank(best);
            assert!((of(doc, WITHIN) - want).abs() < 1e-12, "{doc}");
        }
    }
}
