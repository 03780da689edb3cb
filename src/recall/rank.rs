//! Fused score and order of hits.

use super::bm25::Scored;
use crate::score::stability::Standing;

/// BM25 at which the keyword part of the score reaches half of its weight.
const SATURATION: f64 = 8.0;
/// Share of the keyword part; the rest is for vectors.
const KEYWORD: f64 = 0.7;
/// A stability multiplies a score by at least and at most this.
const FACTOR: std::ops::RangeInclusive<f64> = 0.9..=1.1;

/// The keyword part of the fused score: 0.7 × B / (B + 8), in 0 to 0.7.
#[must_use]
pub fn keyword(bm25: f64) -> f64 {
    KEYWORD * bm25 / (bm25 + SATURATION)
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

/// Keeps what can still be among the best `n` whatever the factors turn out to be, so that
/// standing has to be looked up for those only.
#[must_use]
pub fn contenders(mut scored: Vec<Scored>, n: usize) -> Vec<Scored> {
    if n == 0 {
        return Vec::new();
    }
    if scored.len() > n {
        let (_, nth, _) = scored.select_nth_unstable_by(n - 1, |a, b| b.score.total_cmp(&a.score));
        let least = keyword(nth.score) * FACTOR.start() / FACTOR.end();
        scored.retain(|hit| keyword(hit.score) >= least);
    }
    scored
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn nobody_with_a_chance_is_dropped() {
        let hit = |doc: u32, score: f64| Scored { part: 0, doc, score };
        let all = vec![hit(0, 10.0), hit(1, 9.9), hit(2, 0.5), hit(3, 8.0), hit(4, 5.0)];
        let mut kept: Vec<u32> = contenders(all, 1).iter().map(|hit| hit.doc).collect();
        kept.sort_unstable();
        assert_eq!(kept, [0, 1, 3]);
    }
}
