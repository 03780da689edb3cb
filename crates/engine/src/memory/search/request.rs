//! What a search looks for.

use crate::memory::{Memory, period::Period};
use pimem_core::{
    model::{entry::EntryId, hash::IdSet},
    search::{bm25::Query, candidates, documents::SourceKind, rank::Mode},
};

/// What to look for.
pub struct SearchRequest<'a> {
    /// The words.
    pub query: &'a Query,
    /// What to go by.
    pub mode: Mode,
    /// How they are ordered.
    pub order: Order,
    /// How many hits.
    pub limit: usize,
    /// Least score.
    pub min_score: MinScore,
    /// Only these kinds of files; empty for all.
    pub kinds: &'a [SourceKind],
    /// Only entries of these categories; empty for all.
    pub categories: &'a [String],
    /// Only entries of this topic.
    pub topic: Option<&'a str>,
    /// Only what is from then: an entry by its last reinforcement, a passage by what it says.
    pub period: Period,
    /// None of these entries.
    pub except: Option<&'a IdSet<EntryId>>,
    /// How many candidates are read, when not as many as so many hits are worth.
    pub pool: Option<usize>,
    /// Only what was written or reviewed on this machine.
    pub reviewed: bool,
    /// All of the archive, and not only what went there for its age.
    pub whole_archive: bool,
    /// Being found counts as an access, in [`Memory::search`].
    pub touch: bool,
}

impl<'a> SearchRequest<'a> {
    /// The best ten hits for a query by words and meaning, in everything that is searched by default.
    pub fn new(query: &'a Query) -> Self {
        Self {
            query,
            mode: Mode::Hybrid,
            order: Order::Fused,
            limit: 10,
            min_score: MinScore::Score(0.0),
            kinds: &[],
            categories: &[],
            topic: None,
            period: Period::default(),
            except: None,
            pool: None,
            reviewed: false,
            whole_archive: false,
            touch: true,
        }
    }

    /// What a prompt brings to mind: by words and meaning, and only what is much like it.
    pub fn recall(
        memory: &Memory,
        query: &'a Query,
        limit: usize,
        kinds: &'a [SourceKind],
    ) -> Self {
        Self {
            limit,
            min_score: MinScore::Recall(memory.config.settings.recall.min_score),
            kinds,
            reviewed: true,
            ..Self::new(query)
        }
    }

    /// Whether files of a kind are looked at.
    pub fn may_find(&self, kind: SourceKind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }

    /// How many candidates are read.
    pub(super) fn pool(&self) -> usize {
        self.pool.unwrap_or_else(|| candidates::pool(self.limit))
    }
}

/// The order of hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Relevance, moderated by standing.
    Fused,
    /// Similarity × 100 + stability, as pi did.
    Seed,
}

/// The least score of a hit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MinScore {
    /// By the score as it is shown.
    Score(f64),
    /// By a hybrid score, or what is like it in another mode.
    Recall(f64),
}
