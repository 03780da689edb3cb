//! Searches a retrieval set like a store, with the same terms, headings, vectors and ranking.

use std::ops::Range;

use crate::{
    embed::{catalog::Thresholds, vector::Vector},
    search::{
        bm25::{self, FieldSize, Query, Segment, TermPostings},
        candidates::{self, CandidateVectors, Dense},
        documents::HeadingTokens,
        near_words::QueryWords,
        rank::{self, Judged, Mode, RankCandidate, RankWeights},
        tokens::Tokenizer,
    },
};

/// The documents of a set, indexed in memory. They count as the lines of one log.
#[derive(Debug, Default)]
pub struct Collection {
    texts: Vec<String>,
    words: Vec<u32>,
    size: FieldSize,
    pub(super) postings: TermPostings,
    /// Vectors of the built-in table.
    table: Rows,
    /// Vectors of another model; empty without one.
    model: Rows,
}

/// A vector of every document, with its signs.
#[derive(Debug, Default)]
struct Rows(Vec<(Vector, Vec<u8>)>);

impl Rows {
    fn new(vectors: Vec<Vector>) -> Self {
        let signed = |vector: Vector| {
            let signs = vector.signs();
            (vector, signs)
        };
        Self(vectors.into_iter().map(signed).collect())
    }
}

impl Collection {
    #[must_use]
    pub fn new(texts: Vec<String>) -> Self {
        let mut collection = Self::default();
        let mut tokenizer = Tokenizer::default();
        for (number, text) in (0_u32..).zip(&texts) {
            let mut words = 0;
            tokenizer.each(text, |token, counts| {
                words += u32::from(counts);
                match collection.postings.get_mut(token) {
                    Some(list) => match list.last_mut() {
                        Some((latest, frequency)) if *latest == number => *frequency += 1,
                        _ => list.push((number, 1)),
                    },
                    None => {
                        collection.postings.insert(token.to_owned(), vec![(number, 1)]);
                    }
                }
            });
            collection.size += FieldSize { docs: 1, words: u64::from(words) };
            collection.words.push(words);
        }
        collection.texts = texts;
        collection
    }

    /// Sets the vectors of all documents by the built-in table, in order, and by another model.
    pub fn embed(&mut self, table: Vec<Vector>, model: Option<Vec<Vector>>) {
        self.table = Rows::new(table);
        self.model = Rows::new(model.unwrap_or_default());
    }

    /// Returns the best `limit` documents. `vector` is the query's by the other model, if it has
    /// embedded the documents.
    #[must_use]
    pub fn search(
        &self,
        query: &Query,
        mode: Mode,
        vector: Option<(&Vector, Thresholds)>,
        limit: usize,
    ) -> Vec<FoundPassage> {
        if query.is_empty() {
            return Vec::new();
        }
        let view = View {
            collection: self,
            alive: vec![Range { start: 0, end: u32::try_from(self.texts.len()).unwrap_or(0) }],
        };
        let segments: [&dyn Segment; 1] = [&view];
        let idf = bm25::frequencies(query, &segments, self.size);
        let average = self.size.average();
        let sums = bm25::score(query, &idf, &segments, average);
        let words = QueryWords::new(query, &idf);
        let mut words = if mode == Mode::Keyword { words.exact() } else { words };
        let (own, plain) = (words.vector(), words.plain_vector());
        let table: [&dyn Dense; 1] = [&self.table];
        let dense = (mode != Mode::Keyword).then_some(CandidateVectors {
            query: &own,
            plain: &plain,
            segments: &table,
        });
        let docs = self.size.docs;
        let corpus = candidates::CandidateCorpus {
            segments: &segments,
            bm25: &sums,
            dense,
            docs,
            keep: None,
        };
        let mut found = candidates::candidates(&corpus, mode, candidates::pool(limit, mode));
        for candidate in &mut found {
            let at = candidate.doc as usize;
            let text = self.texts.get(at).map(String::as_str).unwrap_or_default();
            let length = view.words(candidate.doc);
            candidate.reading = words.read(&crate::embed::passage(text), length, average);
            if let Some(vectors) = dense {
                let (numbers, scale) = self.model.vector(candidate.doc);
                if let Some((query, thresholds)) = vector.filter(|_| !numbers.is_empty()) {
                    candidate.set_model(f64::from(query.cosine(numbers, scale)), thresholds);
                }
                vectors.set_plain(candidate);
                let beside = |doc| doc < view.end();
                candidate.context =
                    candidates::context(&corpus, mode, candidate, candidates::WITHIN, beside);
            }
        }
        let weights = RankWeights::of(&found);
        let judged = |candidate: &RankCandidate| FoundPassage {
            at: candidate.doc as usize,
            judged: Judged::new(candidate, mode, weights, 1.0),
        };
        let mut found: Vec<FoundPassage> = found.iter().map(judged).collect();
        found.sort_by(|a, b| b.judged.rank.total_cmp(&a.judged.rank).then_with(|| a.at.cmp(&b.at)));
        let few = rank::few(&query.text);
        rank::level(found.iter_mut().map(|found| &mut found.judged), few);
        found.retain(|found| found.judged.counts);
        found.truncate(limit);
        found
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FoundPassage {
    /// Its place in the set.
    pub at: usize,
    pub judged: Judged,
}

/// A collection as seen by one query.
struct View<'a> {
    collection: &'a Collection,
    alive: Vec<Range<u32>>,
}

impl Segment for View<'_> {
    fn end(&self) -> u32 {
        self.alive.last().map_or(0, |range| range.end)
    }

    fn alive(&self) -> &[Range<u32>] {
        &self.alive
    }

    fn words(&self, doc: u32) -> u32 {
        self.collection.words.get(doc as usize).copied().unwrap_or(0)
    }

    fn postings(&self, term: &str) -> &[(u32, u32)] {
        self.collection.postings.get(term).map_or(&[], Vec::as_slice)
    }
}

impl Dense for Rows {
    fn vector(&self, doc: u32) -> (&[u8], f32) {
        let found = self.0.get(doc as usize);
        found.map(|(vector, _)| (vector.numbers.as_slice(), vector.scale)).unwrap_or_default()
    }

    fn signs(&self, doc: u32) -> &[u8] {
        self.0.get(doc as usize).map_or(&[], |(_, signs)| signs.as_slice())
    }
}

/// Maximum number of characters of long-term notes and of the logs of today and yesterday in a
/// prompt.
const BUDGETS: [(&str, usize); 3] = [("long_term", 4000), ("today", 3000), ("yesterday", 3000)];
/// Maximum number of characters of search results in a prompt.
const SEARCHED: usize = 2500;

/// Returns which documents a prompt contains without a search: notes with their middle cut out,
/// logs with their start cut off.
#[must_use]
pub fn injected(docs: &[(Option<&str>, &str)]) -> Vec<bool> {
    let mut shown = vec![false; docs.len()];
    for (source, budget) in BUDGETS {
        let of_source = || (0..).zip(docs).filter(move |(_, (from, _))| *from == Some(source));
        let mut fill = |order: &mut dyn Iterator<Item = (usize, &(Option<&str>, &str))>, budget| {
            let mut left: usize = budget;
            for (at, (_, text)) in order {
                // Plus the line break after each.
                let Some(rest) = left.checked_sub(text.chars().count() + 1) else { break };
                left = rest;
                if let Some(shown) = shown.get_mut(at) {
                    *shown = true;
                }
            }
        };
        let all: Vec<_> = of_source().collect();
        if source == "long_term" {
            fill(&mut all.iter().copied(), budget / 2);
            fill(&mut all.iter().rev().copied(), budget / 2);
        } else {
            fill(&mut all.iter().rev().copied(), budget);
        }
    }
    shown
}

/// Adds search results, best first, to the documents shown.
pub fn inject(shown: &mut [bool], docs: &[(Option<&str>, &str)], found: &[usize]) {
    let mut left = SEARCHED;
    for at in found {
        let Some((_, text)) = docs.get(*at) else { continue };
        let Some(rest) = left.checked_sub(text.chars().count() + 1) else { break };
        left = rest;
        if let Some(shown) = shown.get_mut(*at) {
            *shown = true;
        }
    }
}

impl Collection {
    /// Adds the words of the headings above each document, in order.
    #[must_use]
    pub fn below<'a>(mut self, headings: impl Iterator<Item = &'a str>) -> Self {
        let mut tokenizer = Tokenizer::default();
        let mut above = HeadingTokens::default();
        for (number, headings) in (0_u32..).zip(headings) {
            for token in above.of(headings, &mut tokenizer, |token| Some(token.to_owned())) {
                let list = self.postings.entry(token.clone()).or_default();
                let at = list.binary_search_by_key(&number, |(doc, _)| *doc);
                match at.map(|at| list.get_mut(at)) {
                    Ok(Some((_, frequency))) => *frequency += 1,
                    Ok(None) => {}
                    Err(at) => list.insert(at, (number, 1)),
                }
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        embed::table,
        model::category::Categories,
        search::{
            bm25::{self, FieldSize, Query, Segment},
            documents::{Scan, SourceKind},
            learned_questions::LearnedQuestions,
            rank::Mode,
        },
    };

    fn collection() -> Collection {
        let texts = [
            "Chose PostgreSQL for all backend services because of its JSON support",
            "Prefers tabs to spaces in Go files",
            "Releases are tagged on Fridays after the nightly build is green",
            "The scheduler retries failed jobs three times with back-off",
        ];
        let vectors = texts.map(|text| Vector::quantize(&table::embed(text)));
        let mut collection = Collection::new(texts.map(str::to_owned).to_vec());
        collection.embed(vectors.to_vec(), None);
        collection
    }

    #[test]
    fn what_is_meant_is_found_in_other_words() {
        let collection = collection();
        let first = |query: &str, mode| {
            collection.search(&Query::new(query), mode, None, 3).first().map(|found| found.at)
        };
        assert_eq!(first("indentation style for golang", Mode::Keyword), None);
        assert_eq!(first("indentation style for golang", Mode::Hybrid), Some(1));
        assert_eq!(first("indentation style for golang", Mode::Semantic), Some(1));
        assert_eq!(first("scheduler", Mode::Hybrid), Some(3));
        assert_eq!(first("chocolate cake", Mode::Hybrid), None);
        assert_eq!(first("", Mode::Hybrid), None);
    }

    #[test]
    fn what_is_injected_anyway() {
        let long = "x".repeat(1500);
        let mut docs = vec![(Some("long_term"), long.as_str()); 5];
        docs.push((Some("older_daily"), "old"));
        docs.extend([(Some("today"), long.as_str()); 3]);
        let mut shown = injected(&docs);
        // One from each end of the notes, nothing old, the last of the log.
        let want = [true, false, false, false, true, false, false, false, true];
        assert_eq!(shown, want);
        inject(&mut shown, &docs, &[5, 1, 2]);
        assert_eq!(shown, [true, true, false, false, true, true, false, false, true]);
    }

    /// A set and a store of the same lines give the same ranks.
    #[test]
    fn a_set_scores_like_a_store() {
        let lines =
            ["Imperative, at most 60 characters", "Commits are squashed", "Kafka for events"];
        let headings = ["git\nCommits", "git\nCommits", "git\nMessaging"];
        let collection =
            Collection::new(lines.map(str::to_owned).to_vec()).below(headings.into_iter());
        let [first, second, third] = lines.map(|line| format!("- [preference] {line}\n"));
        let file = format!("# Git\n## Commits\n{first}{second}## Messaging\n{third}");
        for query in ["format of commits", "messaging in git", "commits git events"] {
            let query = Query::new(query);
            let source = (0, SourceKind::Topic, "topics/git.md", file.clone().into_bytes());
            let scan = Scan::new(
                &Query::terms_of([&query]),
                vec![source],
                (&Categories::default(), &LearnedQuestions::default()),
            );
            let segments: [&dyn Segment; 1] = [&scan];
            let size = FieldSize { docs: 3, ..scan.size };
            let idf = bm25::frequencies(&query, &segments, size);
            let scores = bm25::score(&query, &idf, &segments, size.average()).concat();
            let mut want: Vec<(usize, f64)> =
                scores.iter().map(|bm25| bm25 / (bm25 + 8.0)).enumerate().collect();
            want.retain(|(_, score)| *score > 0.0);
            want.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            let found = collection.search(&query, Mode::Keyword, None, 10);
            let found: Vec<_> = found.iter().map(|one| (one.at, one.judged.rank)).collect();
            assert_eq!(found, want);
        }
    }
}
