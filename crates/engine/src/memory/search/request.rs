//! Search request: query, mode, filters and limits; and the filter of documents by it, using the index
//! only.

use std::collections::BTreeSet;

use pimem_core::{
    model::{entry::EntryId, hash::IdSet, time::Timestamp},
    search::{
        bm25::Query,
        candidates,
        documents::{self, SourceKind},
        rank::Mode,
    },
};

use super::{
    embedding::QueriesAhead,
    segments::{IndexedDocument, Segments},
};
use crate::{
    memory::{Memory, archived::Archived, diff::Period},
    store::{Store, snapshot::TopicFile},
};

#[derive(Clone, Copy)]
pub struct SearchRequest<'a> {
    pub query: &'a Query,
    /// The query's vector, where it was begun before.
    pub ahead: Option<&'a QueriesAhead>,
    pub mode: Mode,
    pub order: HitOrder,
    /// Maximum number of hits.
    pub limit: usize,
    pub min_score: MinScore,
    /// Kinds of files; empty for all.
    pub kinds: &'a [SourceKind],
    /// Categories of entries; empty for all.
    pub categories: &'a [String],
    pub topic: Option<&'a str>,
    /// Period of hits: an entry by its last reinforcement, a passage by the time stated in it.
    pub period: Period,
    pub except: Option<&'a IdSet<EntryId>>,
    /// Number of candidates to read; `None` for the default of the limit.
    pub pool: Option<usize>,
    /// True to find what is withheld otherwise, whatever file it stands in, beside the archive: a
    /// person asks for it.
    pub whole_archive: bool,
    /// True if somebody asks, rather than a hook: lines that match and are withheld are counted, and
    /// hits may be hardly better than chance.
    pub is_explicit: bool,
    /// How long the search may take for the vectors that are missing.
    pub pace: Pace,
    /// True to record an access of each hit, in [`Reading::search`](crate::memory::handles::Reading::search).
    pub touch: bool,
}

impl<'a> SearchRequest<'a> {
    /// Creates a request for the best ten hits by words and meaning, in everything that is searched
    /// by default.
    pub fn new(query: &'a Query) -> Self {
        Self {
            query,
            ahead: None,
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
            is_explicit: true,
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
            is_explicit: false,
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

    /// Returns true if a model may have to embed the query, which nobody has begun.
    pub(super) fn is_unbegun(&self) -> bool {
        self.ahead.is_none() && self.mode != Mode::Keyword && self.pace != Pace::Change
    }

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

/// Returns the files of a topic in each store.
pub fn files_of(memory: &Memory, stores: &[Store], topic: Option<&str>) -> Vec<BTreeSet<String>> {
    let Some(topic) = topic else { return Vec::new() };
    let of = |store: &Store| {
        let files = store.read_topics(&memory.config.categories).topics;
        let is_part = |file: &TopicFile| file.stem == topic || file.subject() == topic;
        files.into_iter().filter(is_part).map(|file| file.stem).collect()
    };
    stores.iter().map(of).collect()
}

pub struct Filter<'a> {
    pub request: &'a SearchRequest<'a>,
    pub segments: &'a Segments<'a>,
    /// Archived entries that are searched by default.
    pub archived: &'a Archived,
    /// Per store, the names of the files of the requested topic, without `.md`.
    pub files: &'a [BTreeSet<String>],
}

impl Filter<'_> {
    /// Returns true if the filter accepts every document.
    pub fn is_open(&self) -> bool {
        let SearchRequest { kinds, categories, topic, period, except, .. } = self.request;
        kinds.is_empty()
            && categories.is_empty()
            && topic.is_none()
            && except.is_none()
            && !period.is_bounded()
            && !self.segments.has_archive()
    }

    pub fn keeps(&self, segment: usize, number: u32) -> bool {
        let Some(document) = self.segments.locate(segment, number) else { return false };
        let IndexedDocument { at, doc, source, kind } = document;
        let SearchRequest { categories, period, except, .. } = self.request;
        let entry = documents::entry_id(&doc);
        let may_be_found = || {
            entry.is_some_and(|id| {
                self.archived.strength(at.store, id).is_some()
                    || self.request.is_explicit && self.archived.is_replaced(at.store, id)
            })
        };
        if kind == SourceKind::Archive && !self.request.whole_archive && !may_be_found() {
            return false;
        }
        let is_of_topic = || {
            let stem = source.strip_prefix("topics/").and_then(|name| name.strip_suffix(".md"));
            let files = self.files.get(at.store);
            entry.is_some() && stem.zip(files).is_some_and(|(stem, files)| files.contains(stem))
        };
        let is_of_category =
            |name: &String| entry.is_some() && documents::category_hash(name) == doc.category;
        // The time of an entry is in the log, not in the index, and is checked later.
        let is_in_period = || entry.is_some() || period.contains(Timestamp::from_seconds(doc.when));
        // What is out of force may stand in a topic too.
        let may_find =
            self.request.may_find(kind) || self.request.whole_archive && kind == SourceKind::Topic;
        may_find
            && !except.is_some_and(|except| entry.is_some_and(|id| except.contains(&id)))
            && (categories.is_empty() || categories.iter().any(is_of_category))
            && (self.request.topic.is_none() || is_of_topic())
            && is_in_period()
    }
}
