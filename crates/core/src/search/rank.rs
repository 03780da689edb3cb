//! Scores of candidates, combined from words, vectors and standing.

use super::near_words::Reading;
use crate::score::stability::Standing;

/// BM25 at which the keyword part reaches half of its weight.
const SATURATION: f64 = 8.0;
/// Weight of the cosine; the rest is for words.
const COSINE: f64 = 0.3;
/// Weight of coverage, once the text is read.
const COVERAGE: f64 = 0.2;
/// The share of the difference to 1 that a neighbour's score adds.
pub(super) const CONTEXT: f64 = 0.2;
/// Number of documents up to which the recall threshold is not raised.
const FEW: f64 = 600.0;
/// Increase of the threshold with the logarithm of further documents. It keeps needless recall at 3
/// of 100 prompts in stores of 1,000 and of 3,000 (`benches/worth.py`), instead of 6 and 15.
const CROWD: f64 = 0.07;
/// Hybrid scores below this are chance.
const FLOOR: f64 = 0.15;
/// Cosines below this are chance.
const COSINE_FLOOR: f64 = 0.25;
/// Range of the factor by which stability multiplies a score.
const FACTOR: std::ops::RangeInclusive<f64> = 0.9..=1.1;

crate::named! {
    /// The scoring method of a search.
    pub enum Mode {
        /// Words and vectors.
        Hybrid = "hybrid",
        /// Words only.
        Keyword = "keyword",
        /// Vectors only.
        Semantic = "semantic",
    }
}

/// A document that may be a hit.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Candidate {
    /// Index of the segment.
    pub segment: usize,
    /// Number of the document in the segment.
    pub doc: u32,
    pub bm25: f64,
    /// Cosine with the query, -1 to 1; 0 without vectors.
    pub cosine: f64,
    /// Cosine on the built-in model's scale.
    pub likeness: f64,
    /// The match of its text with the query words.
    pub reading: Reading,
    /// Contribution of its neighbours.
    pub context: f64,
}

impl Candidate {
    /// Returns the score before standing is applied, 0 to 1.
    #[must_use]
    pub fn score(&self, mode: Mode) -> f64 {
        let own = self.own(mode);
        (own + self.context * (1.0 - own)).clamp(0.0, 1.0)
    }

    /// Returns true if the score is more than chance.
    #[must_use]
    pub fn counts(&self, mode: Mode) -> bool {
        match mode {
            Mode::Keyword => self.bm25 > 0.0,
            Mode::Semantic => self.likeness >= COSINE_FLOOR,
            Mode::Hybrid => self.own(mode) >= FLOOR,
        }
    }

    fn own(&self, mode: Mode) -> f64 {
        let cosine = self.likeness.max(0.0);
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

    /// Returns the score before the text is read.
    pub(super) fn first(&self, mode: Mode) -> f64 {
        match mode {
            Mode::Hybrid => COSINE * self.likeness.max(0.0) + keyword(self.bm25),
            _ => self.own(mode),
        }
    }
}

/// Returns the keyword part of the hybrid score: 0.7 × B / (B + 8), in 0 to 0.7.
#[must_use]
pub fn keyword(bm25: f64) -> f64 {
    (1.0 - COSINE) * half_at(bm25)
}

fn half_at(bm25: f64) -> f64 {
    bm25 / (bm25 + SATURATION)
}

/// Returns the factor for standing: 0.9 for a stability of 0, 1 for a stability of 1 and for
/// documents without standing, up to 1.1 when pinned. It breaks near ties and never outweighs
/// relevance.
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

/// Returns the minimum score for recall from a store of `docs` documents, where `score` is the
/// minimum in hybrid mode and a small store. The weight of a word grows with the logarithm of the
/// number of documents, and with it the score of chance matches: the threshold grows by 7 % each
/// time the number of documents is multiplied by e.
#[must_use]
pub fn threshold(mode: Mode, score: f64, docs: u64) -> f64 {
    let crowd = 1.0 + CROWD * (docs as f64 / FEW).ln().max(0.0);
    // Without vectors, their share of the score is missing.
    let share = if mode == Mode::Keyword { 1.0 - COSINE } else { 1.0 };
    share * score * crowd
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{model::time::Age, score::stability::Score};

    #[test]
    fn factors_stay_in_their_range() {
        let scored = |count| Some(Standing::Scored(Score::new(1.0, Age(0), 1.0, count)));
        let all = [scored(0), scored(1), scored(1_000_000), Some(Standing::Pinned), None];
        assert!(all.iter().all(|standing| FACTOR.contains(&factor(*standing))));
        assert!((factor(scored(0)) - 0.9).abs() < 1e-12);
        assert!(factor(scored(3)) > factor(scored(2)));
    }

    #[test]
    fn the_bar_of_recall_rises_with_large_stores_only() {
        let bar = |docs| threshold(Mode::Hybrid, 0.4, docs);
        assert!([0, 1, 600].iter().all(|docs| (bar(*docs) - 0.4).abs() < 1e-12));
        assert!((bar(3_000) - 0.4 * (1.0 + 0.07 * 5.0_f64.ln())).abs() < 1e-12);
        assert!(bar(1_000_000) < 0.65);
        assert!((threshold(Mode::Keyword, 0.4, 3_000) / bar(3_000) - 0.7).abs() < 1e-12);
    }

    #[test]
    fn scores_stay_between_zero_and_one() {
        let best = Candidate {
            segment: 0,
            doc: 0,
            bm25: 1e9,
            cosine: 1.0,
            likeness: 1.0,
            reading: Reading { near: 0.0, coverage: 1.0 },
            context: CONTEXT,
        };
        for mode in [Mode::Hybrid, Mode::Keyword, Mode::Semantic] {
            assert!((0.7..=1.0).contains(&best.score(mode)));
            let none = Candidate {
                bm25: 0.0,
                cosine: -1.0,
                likeness: -1.0,
                reading: Reading::default(),
                context: 0.0,
                ..best
            };
            assert!(none.score(mode).abs() < 1e-12 && !none.counts(mode));
        }
    }
}
