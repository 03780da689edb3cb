//! Orders the rows that the database found as the program orders lines: by the same words, vectors
//! and standing.

use std::{collections::HashMap, ops::Range};

use pimem_core::{
    embed::{catalog::Thresholds, passage},
    score::stability::Standing,
    search::{
        bm25::{self, FieldSize, Query, Segment},
        candidates,
        documents::HeadingTokens,
        near_words::QueryWords,
        rank::{self, Judged, Mode, RankCandidate, RankWeights},
        tokens::Tokenizer,
    },
};

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

/// A row that was found.
#[derive(Debug, Clone, Copy)]
pub struct FoundRow {
    /// Its place among the rows.
    pub at: usize,
    pub candidate: RankCandidate,
    pub judged: Judged,
    /// The factor of its standing.
    pub factor: f64,
}

/// Returns the best `limit` rows, best first. `words` is of the same query and corpus.
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
    rank::level(found.iter_mut().map(|found| &mut found.judged));
    found.retain(|found| found.judged.counts);
    found.truncate(limit);
    found
}

/// The texts of rows with their postings for one query.
struct Read {
    words: Vec<u32>,
    alive: [Range<u32>; 1],
    postings: Vec<Vec<(u32, u32)>>,
}

impl Read {
    fn new(query: &Query, rows: &[SearchRow]) -> Self {
        let terms: HashMap<&str, usize> =
            query.terms.iter().enumerate().map(|(at, term)| (term.as_str(), at)).collect();
        let mut read = Self {
            words: Vec::with_capacity(rows.len()),
            alive: [Range { start: 0, end: u32::try_from(rows.len()).unwrap_or(0) }],
            postings: vec![Vec::new(); terms.len()],
        };
        let mut tokenizer = Tokenizer::default();
        let mut above = HeadingTokens::default();
        let term = |token: &str| terms.get(token).copied();
        for (doc, row) in (0..).zip(rows) {
            let mut words = 0;
            tokenizer.each(&row.text, |token, counts| {
                words += u32::from(counts);
                if let Some(term) = term(token) {
                    read.count(term, doc);
                }
            });
            for term in above.of(&row.topic, &mut tokenizer, term) {
                read.count(*term, doc);
            }
            read.words.push(words);
        }
        read
    }

    /// Counts a term in the last document.
    fn count(&mut self, term: usize, doc: u32) {
        let Some(list) = self.postings.get_mut(term) else { return };
        match list.last_mut() {
            Some((last, frequency)) if *last == doc => *frequency += 1,
            _ => list.push((doc, 1)),
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

    fn postings(&self, term: usize) -> &[(u32, u32)] {
        self.postings.get(term).map_or(&[], Vec::as_slice)
    }
}
