//! From postings and vectors to the order of hits.
//!
//! In two steps: all documents are scored by what an index knows (BM25, cosine), then the text of
//! the best few dozen is read more closely. Everything here is a function of the corpus alone, not
//! of how it is split into parts, so that the state of an index never shows.

use super::{bm25::Part, soft::Reading};
use crate::{
    embed::vector::{Vector, hamming},
    score::stability::Standing,
};

/// BM25 at which the keyword part of the score reaches half of its weight.
const SATURATION: f64 = 8.0;
/// Weight of the cosine; the rest is for words.
const COSINE: f64 = 0.3;
/// Weight of coverage, once the text is read.
const COVERAGE: f64 = 0.2;
/// How much of what is missing to 1 a neighbour's score fills.
const CONTEXT: f64 = 0.3;
/// A hybrid score below this is chance.
const FLOOR: f64 = 0.2;
/// A cosine below this is chance.
const COSINE_FLOOR: f64 = 0.25;
/// A stability multiplies a score by at least and at most this.
const FACTOR: std::ops::RangeInclusive<f64> = 0.9..=1.1;
/// Corpora of more documents are looked through by sign bits first.
const EXACT: u64 = 4096;
/// How many the sign bits, and BM25, let through each.
const SIEVED: usize = 1000;

/// What a search goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Words and vectors.
    Hybrid,
    /// Words.
    Keyword,
    /// Vectors.
    Semantic,
}

impl Mode {
    /// The word in output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Hybrid => "hybrid",
            Self::Keyword => "keyword",
            Self::Semantic => "semantic",
        }
    }
}

/// The vectors of one part's documents.
pub trait Dense {
    /// A document's vector: numbers and scale.
    fn vector(&self, doc: u32) -> (&[u8], f32);
    /// The signs of its numbers.
    fn signs(&self, doc: u32) -> &[u8];
}

/// A document that may be a hit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// Number of the part.
    pub part: usize,
    /// Number of the document in it.
    pub doc: u32,
    /// BM25.
    pub bm25: f64,
    /// Cosine with the query, -1 to 1; 0 without vectors.
    pub cosine: f64,
    /// What its text says.
    pub reading: Reading,
    /// What its neighbours add.
    pub context: f64,
}

impl Candidate {
    /// The score before standing, 0 to 1.
    #[must_use]
    pub fn score(&self, mode: Mode) -> f64 {
        let own = self.own(mode);
        (own + self.context * (1.0 - own)).clamp(0.0, 1.0)
    }

    /// Whether that is more than chance.
    #[must_use]
    pub fn counts(&self, mode: Mode) -> bool {
        match mode {
            Mode::Keyword => self.bm25 > 0.0,
            Mode::Semantic => self.cosine >= COSINE_FLOOR,
            Mode::Hybrid => self.own(mode) >= FLOOR,
        }
    }

    fn own(&self, mode: Mode) -> f64 {
        let cosine = self.cosine.max(0.0);
        match mode {
            Mode::Keyword => keyword(self.bm25),
            Mode::Semantic => cosine,
            Mode::Hybrid => {
                let words = half_at(self.bm25 + self.reading.near);
                COSINE * cosine
                    + (1.0 - COSINE - COVERAGE) * words
                    + COVERAGE * self.reading.coverage
            }
        }
    }

    /// What is known before the text is read.
    fn first(&self, mode: Mode) -> f64 {
        match mode {
            Mode::Hybrid => COSINE * self.cosine.max(0.0) + keyword(self.bm25),
            _ => self.own(mode),
        }
    }
}

/// The keyword part of the fused score: 0.7 × B / (B + 8), in 0 to 0.7.
#[must_use]
pub fn keyword(bm25: f64) -> f64 {
    (1.0 - COSINE) * half_at(bm25)
}

fn half_at(bm25: f64) -> f64 {
    bm25 / (bm25 + SATURATION)
}

/// What standing multiplies relevance by: 0.9 for a stability of 0, 1 for a stability of 1 and for
/// what has none, up to 1.1 when pinned. It breaks near ties and never swamps relevance.
#[must_use]
pub fn factor(standing: Option<Standing>) -> f64 {
    let span = FACTOR.end() - FACTOR.start();
    match standing {
        None => 1.0,
        Some(Standing::Pinned) => *FACTOR.end(),
        Some(Standing::Forgotten) => *FACTOR.start(),
        Some(Standing::Scored(stability)) => {
            let score = stability.get();
            FACTOR.start() + span * score / (1.0 + score)
        }
    }
}

/// What is searched.
pub struct Corpus<'a> {
    /// Its parts.
    pub parts: &'a [&'a dyn Part],
    /// The BM25 of every document.
    pub bm25: &'a [Vec<f64>],
    /// The query's vector, and the vectors of every part.
    pub dense: Option<(&'a Vector, &'a [&'a dyn Dense])>,
    /// Documents in all.
    pub docs: u64,
    /// Which documents may be hits; `None` for all.
    pub keep: Option<&'a dyn Fn(usize, u32) -> bool>,
}

/// The best `n` documents by what is known before their text is read, and those level with the
/// last of them; in order of part and document.
#[must_use]
pub fn candidates(corpus: &Corpus<'_>, mode: Mode, n: usize) -> Vec<Candidate> {
    let mut found = match (mode, corpus.dense) {
        (Mode::Hybrid | Mode::Semantic, Some((query, dense))) => with_cosines(corpus, query, dense),
        _ => of_words(corpus).collect(),
    };
    found.retain(|candidate| candidate.first(mode) > 0.0);
    best(&mut found, n, |candidate| candidate.first(mode));
    found
}

fn of_words<'a>(corpus: &'a Corpus<'_>) -> impl Iterator<Item = Candidate> + 'a {
    documents(corpus).filter(|(_, _, bm25)| *bm25 > 0.0).map(candidate)
}

/// Every document that may be a hit: part, number and BM25.
fn documents<'a>(corpus: &'a Corpus<'_>) -> impl Iterator<Item = (usize, u32, f64)> + 'a {
    let of_part = |(part, (view, sums)): (usize, (&&'a dyn Part, &'a Vec<f64>))| {
        let docs = view.alive().iter().cloned().flatten();
        docs.map(move |doc| (part, doc, sums.get(doc as usize).copied().unwrap_or(0.0)))
    };
    let all = corpus.parts.iter().zip(corpus.bm25).enumerate().flat_map(of_part);
    all.filter(|(part, doc, _)| corpus.keep.is_none_or(|keep| keep(*part, *doc)))
}

fn candidate((part, doc, bm25): (usize, u32, f64)) -> Candidate {
    Candidate { part, doc, bm25, cosine: 0.0, reading: Reading::default(), context: 0.0 }
}

fn with_cosines(corpus: &Corpus<'_>, query: &Vector, dense: &[&dyn Dense]) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = if corpus.docs <= EXACT {
        documents(corpus).map(candidate).collect()
    } else {
        let signs = query.signs();
        let differ = |(part, doc, _): (usize, u32, f64)| {
            dense.get(part).map_or(u32::MAX, |part| hamming(&signs, part.signs(doc)))
        };
        let distances: Vec<u32> = documents(corpus).map(differ).collect();
        let far = nth(&distances, SIEVED);
        let mut words: Vec<Candidate> = of_words(corpus).collect();
        best(&mut words, SIEVED, |candidate| candidate.bm25);
        let least = words.iter().map(|candidate| candidate.bm25).fold(f64::INFINITY, f64::min);
        let passes = |((_, _, bm25), distance): &((usize, u32, f64), u32)| {
            *distance <= far || *bm25 >= least
        };
        documents(corpus).zip(distances).filter(passes).map(|(doc, _)| candidate(doc)).collect()
    };
    for candidate in &mut found {
        if let Some(part) = dense.get(candidate.part) {
            let (numbers, scale) = part.vector(candidate.doc);
            candidate.cosine = f64::from(query.cosine(numbers, scale));
        }
    }
    found
}

/// The `n`-th smallest.
fn nth(distances: &[u32], n: usize) -> u32 {
    let mut sorted = distances.to_vec();
    if sorted.len() <= n {
        return u32::MAX;
    }
    *sorted.select_nth_unstable(n.saturating_sub(1)).1
}

/// Keeps the best `n` by what is known before texts are read, and those level with the last.
pub fn cut(candidates: &mut Vec<Candidate>, mode: Mode, n: usize) {
    best(candidates, n, |candidate| candidate.first(mode));
}

/// Keeps the best `n` and those level with the last of them, in their order.
fn best(found: &mut Vec<Candidate>, n: usize, score: impl Fn(&Candidate) -> f64) {
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

/// The score that a hybrid score of `score` is like in another mode.
#[must_use]
pub fn threshold(mode: Mode, score: f64) -> f64 {
    // Without vectors, their share of the score is missing.
    if mode == Mode::Keyword { (1.0 - COSINE) * score } else { score }
}

/// How many candidates are worth reading for so many hits.
#[must_use]
pub fn pool(limit: usize) -> usize {
    limit.saturating_add(16).max(32)
}

/// Lets neighbours speak for each other: what stands beside a good passage is likelier to be one.
/// `beside` tells whether the document after this one, in the same part, is of the same file.
pub fn neighbours(candidates: &mut [Candidate], mode: Mode, beside: impl Fn(&Candidate) -> bool) {
    let mut before: Option<(usize, u32, f64)> = None;
    let mut contexts = vec![0.0_f64; candidates.len()];
    for (at, candidate) in candidates.iter().enumerate() {
        let own = candidate.own(mode);
        if let Some((part, doc, other)) = before
            && part == candidate.part
            && doc + 1 == candidate.doc
            && candidates.get(at.wrapping_sub(1)).is_some_and(&beside)
        {
            for (at, score) in [(at, other), (at - 1, own)] {
                if let Some(context) = contexts.get_mut(at) {
                    *context = context.max(CONTEXT * score);
                }
            }
        }
        before = Some((candidate.part, candidate.doc, own));
    }
    for (candidate, context) in candidates.iter_mut().zip(contexts) {
        candidate.context = context;
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;
    use crate::{model::time::Age, score::stability::Stability};

    #[test]
    fn factors_stay_in_their_range() {
        let scored = |count| Some(Standing::Scored(Stability::new(1.0, Age(0), 1.0, count)));
        let all = [scored(0), scored(1), scored(1_000_000), Some(Standing::Pinned), None];
        assert!(all.iter().all(|standing| FACTOR.contains(&factor(*standing))));
        assert!((factor(scored(0)) - 0.9).abs() < 1e-12);
        assert!(factor(scored(3)) > factor(scored(2)));
    }

    /// Documents `first..first + n` of a made-up corpus, all alive.
    struct Made(Vec<Range<u32>>, Vec<(Vector, Vec<u8>)>);

    impl Made {
        #[expect(clippy::cast_possible_truncation, reason = "small numbers")]
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

    impl Part for Made {
        fn end(&self) -> u32 {
            u32::try_from(self.1.len()).unwrap()
        }
        fn alive(&self) -> &[Range<u32>] {
            &self.0
        }
        fn words(&self, _: u32) -> u32 {
            1
        }
        fn postings(&self, _: usize) -> &[(u32, u32)] {
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

    fn search(parts: &[&Made], docs: u64, n: usize) -> Vec<(u64, f64)> {
        let bm25: Vec<Vec<f64>> = parts
            .iter()
            .scan(0_u32, |first, part| {
                let from = *first;
                *first += part.end();
                Some((from..*first).map(|n| f64::from(n % 7 / 6) * 5.0).collect())
            })
            .collect();
        let query = Vector::quantize(&(0..64).map(|n| (n as f32).cos()).collect::<Vec<_>>());
        let views: Vec<&dyn Part> = parts.iter().map(|part| *part as &dyn Part).collect();
        let dense: Vec<&dyn Dense> = parts.iter().map(|part| *part as &dyn Dense).collect();
        let corpus =
            Corpus { parts: &views, bm25: &bm25, dense: Some((&query, &dense)), docs, keep: None };
        let ends: Vec<u32> = parts.iter().map(|part| part.end()).collect();
        candidates(&corpus, Mode::Hybrid, n)
            .iter()
            .map(|c| {
                let before: u32 = ends.iter().take(c.part).sum();
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
        let candidate = |doc, bm25| Candidate {
            part: 0,
            doc,
            bm25,
            cosine: 0.0,
            reading: Reading::default(),
            context: 0.0,
        };
        let mut all = [candidate(1, 1.0), candidate(2, 9.0), candidate(3, 1.0), candidate(5, 1.0)];
        // The file ends after document 2.
        neighbours(&mut all, Mode::Hybrid, |candidate| candidate.doc != 2);
        let contexts = all.map(|candidate| candidate.context);
        assert!(contexts[0] > 0.05 && contexts[2].abs() < 1e-12 && contexts[3].abs() < 1e-12);
        assert!(all[0].score(Mode::Hybrid) < all[1].score(Mode::Hybrid));
    }

    #[test]
    fn scores_stay_between_zero_and_one() {
        let best = Candidate {
            part: 0,
            doc: 0,
            bm25: 1e9,
            cosine: 1.0,
            reading: Reading { near: 0.0, coverage: 1.0 },
            context: CONTEXT,
        };
        for mode in [Mode::Hybrid, Mode::Keyword, Mode::Semantic] {
            assert!((0.7..=1.0).contains(&best.score(mode)));
            let none = Candidate {
                bm25: 0.0,
                cosine: -1.0,
                reading: Reading::default(),
                context: 0.0,
                ..best
            };
            assert!(none.score(mode).abs() < 1e-12 && !none.counts(mode));
        }
    }
}
