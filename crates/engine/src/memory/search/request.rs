//! What a search looks for.

use crate::memory::{Memory, period::Period};
use pimem_core::{
    model::{entry::EntryId, hash::IdSet},
    search::{bm25::Query, documents::SourceKind, rank::Mode},
};

/// What to look for.
pub struct Wanted<'a> {
    /// The words.
    pub query: &'a Query,
    /// What to go by.
    pub mode: Mode,
    /// Order by seed 0's formula, similarity × 100 + stability.
    pub seed: bool,
    /// How many hits.
    pub limit: usize,
    /// Least score.
    pub min_score: Least,
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
}

impl<'a> Wanted<'a> {
    /// What a prompt brings to mind: by words and meaning, and only what is much like it.
    pub fn recall(
        memory: &Memory,
        query: &'a Query,
        limit: usize,
        kinds: &'a [SourceKind],
    ) -> Self {
        Self {
            query,
            mode: Mode::Hybrid,
            seed: false,
            limit,
            min_score: Least::Recall(memory.config.number("recall.minScore")),
            kinds,
            categories: &[],
            topic: None,
            period: Period::default(),
            except: None,
            pool: None,
            reviewed: true,
            whole_archive: false,
        }
    }
}

/// The least score of a hit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Least {
    /// By the score as it is shown.
    Score(f64),
    /// By a hybrid score, or what is like it in another mode.
    Recall(f64),
}
