//! BM25 over any source of postings (Robertson and Zaragoza 2009, with Lucene's idf).
//!
//! The index and the in-memory scan both feed this function, so that the same corpus gives the same
//! scores with either.

use std::{
    collections::{BTreeSet, HashMap},
    ops::Range,
};

use super::tokens::{self, Language, Tokenizer};

/// Term-frequency saturation. With `B`, chosen on retrieval sets: see docs/building/decisions.md.
const K1: f64 = 1.2;
/// Length normalisation.
const B: f64 = 0.5;
/// Weight of an exact form relative to the words that it consists of.
const EXACT_WEIGHT: f64 = 0.5;

/// Maximum number of terms of a query.
const TERMS: usize = 256;
/// Maximum number of bytes of a query.
const BYTES: usize = 16 * 1024;

fn cut(text: &str) -> &str {
    text.get(..text.floor_char_boundary(BYTES)).unwrap_or(text)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// Distinct tokens, in order of first appearance.
    pub terms: Vec<String>,
    /// The text of the terms, without question words.
    pub content: String,
    /// The text as given, cut to the maximum length.
    pub text: String,
}

impl Query {
    /// Parses a query. Question words are dropped, unless there are no others.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let content = Self::all_of(&without_question_words(text));
        let query = if content.is_empty() { Self::all_of(text) } else { content };
        Self { text: cut(text).to_owned(), ..query }
    }

    /// Parses a prompt. Question words are dropped, even if nothing is left.
    #[must_use]
    pub fn from_prompt(text: &str) -> Self {
        let query = Self::all_of(&without_question_words(text));
        Self { text: cut(text).to_owned(), ..query }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Returns the distinct terms of several queries.
    #[must_use]
    pub fn terms_of<'a>(queries: impl IntoIterator<Item = &'a Self>) -> BTreeSet<&'a str> {
        queries.into_iter().flat_map(|query| &query.terms).map(String::as_str).collect()
    }

    /// Returns the index of a token in the terms.
    #[must_use]
    pub fn position(&self, token: &str) -> Option<usize> {
        self.terms.iter().position(|term| term == token)
    }

    fn all_of(text: &str) -> Self {
        let mut terms = Vec::new();
        let mut seen = std::collections::HashSet::new();
        // A query is stated in its first few pages; what follows may be a pasted log.
        Tokenizer::default().each(cut(text), |token, _| {
            if terms.len() < TERMS && seen.insert(token.to_owned()) {
                terms.push(token.to_owned());
            }
        });
        Self { terms, content: cut(text).to_owned(), text: String::new() }
    }
}

/// Returns the words of a query that are about its subject.
fn without_question_words(text: &str) -> String {
    let language = Language::of(cut(text));
    let is_about = |word: &&str| {
        !tokens::is_question_word(word) && language.is_none_or(|language| !language.drops(word))
    };
    text.split_whitespace().filter(is_about).collect::<Vec<_>>().join(" ")
}

/// Size of the whole corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FieldSize {
    pub docs: u64,
    pub words: u64,
}

impl FieldSize {
    /// Average number of words per document, at least 1.
    #[must_use]
    pub fn average(self) -> f64 {
        (self.words as f64 / (self.docs.max(1)) as f64).max(1.0)
    }
}

impl std::ops::AddAssign for FieldSize {
    fn add_assign(&mut self, other: Self) {
        self.docs += other.docs;
        self.words += other.words;
    }
}

/// The documents that contain a term, ascending, each with its frequency; by term.
pub type TermPostings = HashMap<String, Vec<(u32, u32)>>;

/// A segment of the corpus: documents `0..n`, with postings for the terms that are searched.
pub trait Segment {
    /// One past the highest document number.
    fn end(&self) -> u32;
    fn words(&self, doc: u32) -> u32;
    /// Ranges of existing documents; all others were deleted.
    fn alive(&self) -> &[Range<u32>];
    /// Documents that contain a term, ascending, each with its frequency.
    fn postings(&self, term: &str) -> &[(u32, u32)];
}

/// Returns the inverse document frequency of each term of a query over all segments.
#[must_use]
pub fn frequencies(query: &Query, segments: &[&dyn Segment], size: FieldSize) -> Vec<f64> {
    let found = |term: &String| segments.iter().map(|one| one.postings(term).len()).sum::<usize>();
    query.terms.iter().map(|term| idf(found(term) as f64, size.docs as f64)).collect()
}

/// Returns the BM25 of every document, by segment and number; 0 for documents without any term of
/// the query.
#[must_use]
pub fn score(query: &Query, idf: &[f64], segments: &[&dyn Segment], average: f64) -> Vec<Vec<f64>> {
    let weight = |(term, idf): (&String, &f64)| {
        if tokens::is_exact(term) { idf * EXACT_WEIGHT } else { *idf }
    };
    let weights: Vec<f64> = query.terms.iter().zip(idf).map(weight).collect();
    let of = |segment: &&dyn Segment| {
        let mut sums = vec![0.0_f64; segment.end() as usize];
        for (term, weight) in query.terms.iter().zip(&weights) {
            for (doc, frequency) in segment.postings(term) {
                let words = segment.words(*doc);
                if let Some(sum) = sums.get_mut(*doc as usize) {
                    *sum += weight * saturated(f64::from(*frequency), words, average);
                }
            }
        }
        sums
    };
    segments.iter().map(of).collect()
}

/// Returns the contribution of a term that occurs `frequency` times in a document of `words` words.
#[must_use]
pub fn saturated(frequency: f64, words: u32, average: f64) -> f64 {
    let length = f64::from(words) / average;
    frequency * (K1 + 1.0) / (frequency + K1 * (1.0 - B + B * length))
}

/// Inverse document frequency, never negative: ln(1 + (N − n + ½) / (n + ½)).
#[must_use]
pub fn idf(found: f64, docs: f64) -> f64 {
    (((docs - found).max(0.0) + 0.5) / (found + 0.5)).ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of each document, and the postings of the terms `berth` and `lock`.
    struct Fixed(Vec<u32>, [Vec<(u32, u32)>; 2]);

    impl Segment for Fixed {
        fn end(&self) -> u32 {
            u32::try_from(self.0.len()).unwrap()
        }
        fn alive(&self) -> &[Range<u32>] {
            &[]
        }
        fn words(&self, doc: u32) -> u32 {
            self.0[doc as usize]
        }
        fn postings(&self, term: &str) -> &[(u32, u32)] {
            &self.1[usize::from(term == "lock")]
        }
    }

    fn scores(query: &str, segments: &[&dyn Segment], size: FieldSize) -> Vec<f64> {
        let query = Query::new(query);
        let idf = frequencies(&query, segments, size);
        score(&query, &idf, segments, size.average()).concat()
    }

    #[test]
    fn by_hand() {
        // Two documents of 4 words; a term once in one: ln(1 + 1.5 / 1.5) × 2.2 / 2.2.
        let segment = Fixed(vec![4, 4], [vec![], vec![(1, 1)]]);
        let got = scores("lock", &[&segment], FieldSize { docs: 2, words: 8 });
        assert!(got[0].abs() < 1e-12 && (got[1] - 2.0_f64.ln()).abs() < 1e-12, "{got:?}");
    }

    #[test]
    fn splitting_the_corpus_changes_nothing() {
        let whole = Fixed(vec![3, 5, 9], [vec![(0, 1), (2, 2)], vec![(1, 1), (2, 1)]]);
        let left = Fixed(vec![3, 5], [vec![(0, 1)], vec![(1, 1)]]);
        let right = Fixed(vec![9], [vec![(0, 2)], vec![(0, 1)]]);
        let size = FieldSize { docs: 3, words: 17 };
        let query = "berth lock";
        assert_eq!(scores(query, &[&whole], size), scores(query, &[&left, &right], size));
    }

    #[test]
    fn queries() {
        for (text, want) in [
            ("What did we do about the berth lock?", "berth lock"),
            ("what is it", "what is it"),
            ("lock lock locks", "lock"),
            ("", ""),
            ("👍", ""),
        ] {
            assert_eq!(Query::new(text).terms.join(" "), want, "{text}");
        }
        assert!(Query::from_prompt("what is it").is_empty());
    }
}
