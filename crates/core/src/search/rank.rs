//! Scores of candidates, combined from words, vectors and standing; past sessions that only repeat the
//! query come later.

use std::collections::HashSet;

use super::{documents::SourceKind, near_words::QueryReading};
use crate::{embed::catalog::Thresholds, score::stability::Standing};

/// BM25 at which its part reaches half of its weight.
const SATURATION: f64 = 8.0;
/// Weight of the cosine in a rank, where a document covers the whole query and where none covers any
/// of it. The rest is for words.
const COSINE: (f64, f64) = (0.3, 0.55);
/// Weight of the cosine before texts are read.
const FIRST_COSINE: f64 = 0.5;
/// The same for neighbours, whose words say more than their meaning.
const BESIDE_COSINE: f64 = 0.3;
/// Weight of coverage within the part for words.
const COVERAGE: f64 = 0.4;
/// Weight of the chosen model in the mean of its cosine and the table's, for the rank.
const MODEL: f64 = 0.4;
/// The same for the score.
const SCORED_MODEL: f64 = 0.65;
/// Weight of the share of the query's words in a score; the rest is for the cosine.
const SHARE: f64 = 0.5;
/// What is recalled has at least this share of the best rank: where the context holds all documents,
/// and where it holds next to none.
const NEAR_BEST: (f64, f64) = (0.85, 0.7);
/// Share of the least score by which recall asks for less where the context holds next to nothing.
const LENIENCE: f64 = 0.1;
/// Number of documents outside of the context at which half of that counts.
const OUTSIDE: f64 = 600.0;
/// How much better than an entry a note or an item of a log has to answer: most tell of a day, not of
/// the project.
const NOTE_BAR: f64 = 1.25;
/// A hit reaches one of these.
const SURE: Floor = Floor { rank: 0.15, meaning: 0.18 };
/// The first [`FEW`] hits for a question of [`WORDS`] words or more need only reach one of these: in a
/// small store an answer in other words is often no better. Of 80 questions to rule files
/// (`fixtures/eval/rules.json`), 92 % find their line instead of 84 %.
const FAINT: Floor = Floor { rank: 0.1, meaning: 0.08 };
const FEW: usize = 5;
const WORDS: usize = 4;
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
///
/// Two questions are answered apart. Its *rank* orders the documents of one search: BM25 is the best
/// order among documents that share words with the query, but its weights are those of the store.
/// Its *score* says how well it answers the query, and depends on nothing but the two: a threshold
/// means the same in every store.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RankCandidate {
    pub segment: usize,
    pub doc: u32,
    pub bm25: f64,
    /// Cosine with the query by the chosen model, -1 to 1, not calibrated, or by the table; 0 without
    /// vectors.
    pub cosine: f64,
    /// Cosine by the table, where rare words of the query weigh more; 0 without vectors.
    pub table: f64,
    /// Cosine by the table, where all words weigh alike.
    pub plain: f64,
    /// Cosine by the chosen model on the table's scale; `None` if that is the table, or it has not
    /// embedded the document yet.
    pub model: Option<f64>,
    /// The match of its text with the query words.
    pub reading: QueryReading,
    /// Contribution of its neighbours.
    pub context: f64,
}

impl RankCandidate {
    /// Sets the cosine by the chosen model, which has these thresholds.
    pub fn set_model(&mut self, cosine: f64, thresholds: Thresholds) {
        self.cosine = cosine;
        self.model = Some(thresholds.calibrate(cosine));
    }

    /// Returns the rank, 0 to 1.
    fn rank(&self, mode: Mode, weights: RankWeights) -> f64 {
        let own = self.own(mode, weights);
        (own + self.context * (1.0 - own)).clamp(0.0, 1.0)
    }

    /// Returns the score, 0 to 1: what of the query the document covers by meaning and by words.
    #[must_use]
    pub fn score(&self, mode: Mode) -> f64 {
        match mode {
            Mode::Keyword => self.reading.share,
            Mode::Semantic => self.likeness().max(0.0),
            Mode::Hybrid => SHARE * self.reading.share + (1.0 - SHARE) * self.meaning(),
        }
    }

    /// Returns the cosine of a score, 0 to 1.
    #[must_use]
    pub fn meaning(&self) -> f64 {
        mean(self.plain, self.model, SCORED_MODEL).max(0.0)
    }

    fn reaches(&self, floor: &Floor, mode: Mode, weights: RankWeights) -> bool {
        match mode {
            Mode::Keyword => self.bm25 > 0.0,
            Mode::Semantic => self.meaning() >= floor.meaning,
            Mode::Hybrid => {
                self.own(mode, weights) >= floor.rank || self.meaning() >= floor.meaning
            }
        }
    }

    /// Returns the cosine by both models. A document that the chosen model has not embedded is
    /// judged by the table.
    #[must_use]
    pub fn likeness(&self) -> f64 {
        mean(self.table, self.model, MODEL)
    }

    fn own(&self, mode: Mode, RankWeights { cosine }: RankWeights) -> f64 {
        let likeness = self.likeness().max(0.0);
        match mode {
            Mode::Keyword => half_at(self.bm25),
            Mode::Semantic => likeness,
            Mode::Hybrid => {
                let QueryReading { near, coverage, .. } = self.reading;
                let words = (1.0 - COVERAGE) * half_at(self.bm25 + near) + COVERAGE * coverage;
                cosine * likeness + (1.0 - cosine) * words
            }
        }
    }

    /// Returns the rank before the text is read and the chosen model asked.
    #[must_use]
    pub fn first(&self, mode: Mode) -> f64 {
        self.unread(mode, FIRST_COSINE)
    }

    /// Returns what it counts as a neighbour.
    pub(super) fn beside(&self, mode: Mode) -> f64 {
        self.unread(mode, BESIDE_COSINE)
    }

    fn unread(&self, mode: Mode, cosine: f64) -> f64 {
        let likeness = self.table.max(0.0);
        match mode {
            Mode::Keyword => half_at(self.bm25),
            Mode::Semantic => likeness,
            Mode::Hybrid => cosine * likeness + (1.0 - cosine) * half_at(self.bm25),
        }
    }
}

fn mean(table: f64, model: Option<f64>, weight: f64) -> f64 {
    model.map_or(table, |model| (1.0 - weight) * table + weight * model)
}

fn half_at(bm25: f64) -> f64 {
    bm25 / (bm25 + SATURATION)
}

struct Floor {
    /// Of a hybrid rank.
    rank: f64,
    /// Of the cosine of a score.
    meaning: f64,
}

#[derive(Debug, Clone, Copy)]
pub struct RankWeights {
    cosine: f64,
}

impl RankWeights {
    /// Returns the weights for a search with these candidates: the less of the query any of them
    /// covers by words, the more vectors count.
    pub fn of<'a>(candidates: impl IntoIterator<Item = &'a RankCandidate>) -> Self {
        let shares = candidates.into_iter().map(|candidate| candidate.reading.share);
        let covered = shares.fold(0.0, f64::max);
        Self { cosine: COSINE.1 + (COSINE.0 - COSINE.1) * covered }
    }
}

/// A candidate's place among the others, and its score.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Judged {
    /// Orders the candidates of a search.
    pub rank: f64,
    pub own: f64,
    /// The score of this one or of a better one below it.
    pub score: f64,
    /// True if it may be a hit: it was found by more than chance or, after [`level`], is among the
    /// first few and not wholly unlike the query.
    pub counts: bool,
    /// True if it is hardly better than chance.
    pub is_faint: bool,
}

impl Judged {
    /// Judges a candidate with the factor of its standing.
    #[must_use]
    pub fn new(candidate: &RankCandidate, mode: Mode, weights: RankWeights, factor: f64) -> Self {
        let counts = candidate.reaches(&SURE, mode, weights);
        Self {
            rank: candidate.rank(mode, weights) * factor,
            own: candidate.score(mode) * factor,
            score: candidate.score(mode) * factor,
            counts,
            is_faint: !counts && candidate.reaches(&FAINT, mode, weights),
        }
    }

    /// Returns true if it is recalled for a prompt: its score is at least `least`, and its rank is
    /// near that of the best.
    #[must_use]
    pub fn is_recalled(&self, bar: RecallBar, best: f64) -> bool {
        self.score >= bar.least && self.rank >= bar.near * best
    }
}

/// What a document has to reach to be recalled for a prompt.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RecallBar {
    /// Of the score.
    pub least: f64,
    /// Of the rank, as a share of the best one.
    pub near: f64,
}

impl RecallBar {
    /// Returns the bar where this number of documents is not in the context. It only falls with that
    /// number: more documents never hide one that was recalled.
    #[must_use]
    pub fn new(least: f64, outside: u64) -> Self {
        let outside = outside as f64 / (outside as f64 + OUTSIDE);
        let (all, none) = NEAR_BEST;
        Self { least: least * (1.0 - LENIENCE * outside), near: all - (all - none) * outside }
    }

    /// Returns the bar for notes and logs.
    #[must_use]
    pub fn of_notes(least: f64) -> Self {
        Self::new(least * NOTE_BAR, 0)
    }
}

/// Returns how many hits of a search may be hardly better than chance. What is looked for by fewer
/// words is looked for by these words.
#[must_use]
pub fn few(query: &str) -> usize {
    if query.split_whitespace().nth(WORDS - 1).is_some() { FEW } else { 0 }
}

/// Lets the first `few` candidates count, though they are hardly better than chance, and raises scores to
/// those below them: what stands before an answer is at least as good. The best rank comes first.
pub fn level<'a>(judged: impl Iterator<Item = &'a mut Judged>, few: usize) {
    let mut judged: Vec<&mut Judged> = judged.collect();
    let few = judged.iter_mut().filter(|one| one.counts || one.is_faint).take(few);
    few.for_each(|one| one.counts = true);
    let mut best: f64 = 0.0;
    for one in judged.into_iter().rev().filter(|one| one.counts) {
        best = best.max(one.own);
        one.score = best;
    }
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

/// The share of its score that a summary loses if it says nothing but words of the query. At 0.7 no
/// session that a query was about lost its place to an entry; at 0.8 the first did.
const REPEATED: f64 = 0.7;
/// Stands between the messages of a summary.
const JOINT: char = '|';

/// Returns the factor on the score of a document among those of `kinds`, where none means all: less
/// than 1 for a past session beside other documents, the less its message nearest to the query says
/// in other words.
#[must_use]
pub fn past_session_factor(query: &str, kind: SourceKind, kinds: &[SourceKind], text: &str) -> f64 {
    if kind != SourceKind::Session || kinds == [SourceKind::Session] {
        return 1.0;
    }
    let asked = words(query);
    let repeated = |message: &str| {
        let said = words(message);
        (said.intersection(&asked).count(), said.len())
    };
    let messages = text.split(JOINT).map(repeated);
    // Of messages that share as many words, the shorter one repeats more.
    let nearest = messages.max_by_key(|(shared, all)| (*shared, usize::MAX - all));
    let (shared, all) = nearest.unwrap_or_default();
    1.0 - REPEATED * shared as f64 / all.max(1) as f64
}

fn words(text: &str) -> HashSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
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

    fn judged(candidate: &RankCandidate, mode: Mode) -> Judged {
        Judged::new(candidate, mode, RankWeights::of([candidate]), 1.0)
    }

    #[test]
    fn ranks_and_scores_stay_between_zero_and_one() {
        let reading = QueryReading { near: 0.0, coverage: 1.0, share: 1.0 };
        let (table, plain, context) = (1.0, 1.0, 0.3);
        let model = Some(1.0);
        let best = RankCandidate { bm25: 1e9, table, plain, model, reading, context, ..none() };
        for mode in [Mode::Hybrid, Mode::Keyword, Mode::Semantic] {
            let Judged { rank, score, counts, .. } = judged(&best, mode);
            assert!((0.9..=1.0).contains(&rank) && (0.9..=1.0).contains(&score) && counts);
            let Judged { rank, score, counts, .. } = judged(&none(), mode);
            assert!(rank.abs() < 1e-12 && score.abs() < 1e-12 && !counts);
        }
    }

    /// The example of pimem-scoring(7), whose cosines are .6 in the rank and .7 in the score, by two models.
    #[test]
    fn the_formulas_are_those_of_the_manual() {
        let near_to = |got: f64, want: f64| assert!((got - want).abs() < 5e-7, "{got}, not {want}");
        let reading = QueryReading { near: 1.5, coverage: 0.8, share: 0.9 };
        let below = RankCandidate { bm25: 4.0, table: 0.5, ..none() };
        let context = 0.2 * below.beside(Mode::Hybrid);
        near_to(context, 0.076_667);
        // .6 * .4 + .4 * .9 is .6, .35 * .328_571 + .65 * .9 is .7.
        let (table, plain, model) = (0.4, 0.115 / 0.35, Some(0.9));
        let one = RankCandidate { bm25: 6.5, table, plain, model, reading, context, ..none() };
        let factor = 0.9 + 0.2 * 1.394_306 / 2.394_306;
        let found = Judged::new(&one, Mode::Hybrid, RankWeights::of([&one, &below]), factor);
        near_to(found.rank, 0.653_723);
        near_to(found.score, 0.813_175);
        let bar = RecallBar::new(0.4, 600);
        near_to(bar.least, 0.4 * (1.0 - 0.05));
        near_to(bar.near, 0.775);
        near_to(RecallBar::of_notes(0.4).least, 0.5);
    }

    fn none() -> RankCandidate {
        RankCandidate { table: -1.0, plain: -1.0, model: Some(-1.0), ..RankCandidate::default() }
    }

    #[test]
    fn a_score_does_not_depend_on_the_store() {
        let reading = QueryReading { near: 0.0, coverage: 0.1, share: 0.6 };
        let small = RankCandidate { bm25: 1.0, table: 0.2, plain: 0.3, reading, ..none() };
        let reading = QueryReading { near: 2.0, coverage: 0.9, share: 0.6 };
        let large = RankCandidate { bm25: 20.0, table: 0.4, reading, context: 0.2, ..small };
        let (small, large) = (judged(&small, Mode::Hybrid), judged(&large, Mode::Hybrid));
        assert!((small.score - large.score).abs() < 1e-12 && small.rank < large.rank);
    }

    #[test]
    fn a_document_without_a_vector_of_the_model_is_judged_by_the_table() {
        let reading = QueryReading { near: 0.0, coverage: 0.5, share: 0.5 };
        let both = RankCandidate {
            table: 0.5,
            plain: 0.5,
            model: Some(0.5),
            reading,
            ..RankCandidate::default()
        };
        let table = RankCandidate { model: None, ..both };
        assert_eq!(judged(&both, Mode::Hybrid), judged(&table, Mode::Hybrid));
    }

    #[test]
    fn vectors_count_more_where_words_do_not() {
        let reading = |share| QueryReading { near: 0.0, coverage: share, share };
        let by_words =
            RankCandidate { bm25: 8.0, reading: reading(0.3), ..RankCandidate::default() };
        let by_meaning = RankCandidate { table: 0.6, ..RankCandidate::default() };
        let covered = RankCandidate { reading: reading(1.0), ..RankCandidate::default() };
        let ahead = |others: &[&RankCandidate]| {
            let weights = RankWeights::of(others.iter().copied());
            by_meaning.rank(Mode::Hybrid, weights) > by_words.rank(Mode::Hybrid, weights)
        };
        assert!(ahead(&[&by_words, &by_meaning]) && !ahead(&[&by_words, &by_meaning, &covered]));
    }

    #[test]
    fn scores_fall_along_a_list() {
        let one = |score, counts| Judged { own: score, score, counts, ..Judged::default() };
        let mut all = [one(0.5, true), one(0.25, true), one(0.4, true), one(0.9, false)];
        level(all.iter_mut(), FEW);
        let want = [0.5, 0.4, 0.4, 0.9];
        assert!(all.iter().zip(want).all(|(one, want)| (one.score - want).abs() < 1e-12));
    }

    #[test]
    fn the_first_few_may_be_hardly_better_than_chance() {
        let like = |plain| RankCandidate { table: plain, plain, ..RankCandidate::default() };
        let mut all: Vec<Judged> = [0.5, 0.1, 0.01]
            .into_iter()
            .chain([0.1; 5])
            .map(|plain| judged(&like(plain), Mode::Semantic))
            .collect();
        assert_eq!((few("tide tables"), few("who reads the tide")), (0, FEW));
        level(all.iter_mut(), FEW);
        let counts: Vec<bool> = all.iter().map(|one| one.counts).collect();
        assert_eq!(counts, [true, true, false, true, true, true, false, false]);
        assert!(!all[0].is_faint && all[1].is_faint);
    }
}

#[cfg(test)]
mod past_sessions_tests {
    use super::*;

    #[test]
    fn table() {
        let all = &[][..];
        let query = "How often do we ship?";
        for (kind, kinds, text, want) in [
            (SourceKind::Session, all, "how often do we ship", 0.3),
            (SourceKind::Session, all, "Fix the crash | how often do we ship a release", 0.5),
            (SourceKind::Session, all, "releases are on Thursday, we ship at ten", 1.0 - 0.7 / 4.0),
            // A short message does not stand for a longer one that repeats more.
            (SourceKind::Session, all, "we do | we ship so often that no one reads", 0.7375),
            (SourceKind::Session, all, "wonderful", 1.0),
            (SourceKind::Session, all, "", 1.0),
            (SourceKind::Session, &[SourceKind::Topic, SourceKind::Session], query, 0.3),
            (SourceKind::Session, &[SourceKind::Session], query, 1.0),
            (SourceKind::Topic, all, query, 1.0),
        ] {
            let got = past_session_factor(query, kind, kinds, text);
            assert!((got - want).abs() < 1e-9, "{text}: {got} is not {want}");
        }
    }
}
