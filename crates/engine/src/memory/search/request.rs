//! Search request: query, mode, filters and limits.

use crate::memory::{Memory, period::Period};
use pimem_core::{
    model::{entry::EntryId, hash::IdSet},
    search::{bm25::Query, candidates, documents::SourceKind, rank::Mode},
};

pub struct SearchRequest<'a> {
    pub query: &'a Query,
    pub mode: Mode,
    pub order: HitOrder,
    /// Maximum number of hits.
    pub limit: usize,
    pub min_score: MinScore,
    /// Kinds of files; empty for all.
    pub kinds: &'a [SourceKind],
    /// Categories of entries; empty for all.
    pub categories: &'a [String],
    /// Topic of entries.
    pub topic: Option<&'a str>,
    /// Period of hits: an entry by its last reinforcement, a passage by the time stated in it.
    pub period: Period,
    /// Entries to leave out.
    pub except: Option<&'a IdSet<EntryId>>,
    /// Number of candidates to read; `None` for the default of the limit.
    pub pool: Option<usize>,
    /// True to find what is withheld otherwise, whatever file it stands in, beside the archive: a
    /// person asks for it.
    pub whole_archive: bool,
    /// True to count the lines that match and are withheld.
    pub counts_withheld: bool,
    /// How long the search may take for the vectors that are missing.
    pub pace: Pace,
    /// True to record an access of each hit, in [`Memory::search`].
    pub touch: bool,
}

impl<'a> SearchRequest<'a> {
    /// Creates a request for the best ten hits by words and meaning, in everything that is searched
    /// by default.
    pub fn new(query: &'a Query) -> Self {
        Self {
            query,
            mode: Mode::Hybrid,
            order: HitOrder::Fused,
            limit: 10,
            min_score: MinScore::Score(0.0),
            kinds: &[],
            categories: &[],
            topic: None,
            period: Period::default(),
            except: None,
            pool: None,
            whole_archive: false,
            counts_withheld: true,
            pace: Pace::Typed,
            touch: true,
        }
    }

    /// Creates a request for recall: by words and meaning, with the minimum score of recall.
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
            counts_withheld: false,
            pace: if memory.unasked { Pace::Hook } else { Pace::Typed },
            ..Self::new(query)
        }
    }

    /// Returns true if the request includes files of a kind.
    pub fn may_find(&self, kind: SourceKind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }

    /// Returns true if the request includes files whose documents are embedded before they are found.
    pub(super) fn may_find_embedded(&self) -> bool {
        SourceKind::ALL.iter().any(|kind| kind.is_embedded() && self.may_find(*kind))
    }

    /// Returns the number of candidates to read.
    pub(super) fn pool(&self, mode: Mode) -> usize {
        self.pool.unwrap_or_else(|| candidates::pool(self.limit, mode))
    }
}

/// Who waits for a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Whoever has typed the command, or asked a server.
    Typed,
    /// An agent, whose prompt waits for a hook with a deadline.
    Hook,
    /// A change of a file, whose name means little to a transformer.
    Change,
}

impl Pace {
    /// Returns how many bytes of text without vectors a search has embedded before it answers: of two
    /// dozen usual lines, all of them. The built-in model takes some 20 ms for 1,000 bytes; a limit by
    /// time would make answers depend on the machine.
    pub(super) fn bytes(self) -> usize {
        match self {
            Self::Typed => 12_000,
            Self::Hook => 2_400,
            Self::Change => 0,
        }
    }

    /// Returns how many items of logs and lists the chosen model judges where other documents are
    /// searched too. Most of them have no vector yet, and cost as much as the query.
    pub(super) fn passages(self) -> usize {
        match self {
            Self::Typed => 4,
            Self::Hook => 2,
            Self::Change => 0,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HitOrder {
    /// Relevance, weighted by standing.
    Fused,
    /// Similarity × 100 + stability, as in pi.
    Seed,
}

/// The minimum score of a hit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MinScore {
    Score(f64),
    /// What is recalled: what also ranks near the best.
    Recall(f64),
}
