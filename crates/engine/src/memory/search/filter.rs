//! Filter of documents by a request, using the index only.

use super::{
    request::SearchRequest,
    segments::{Document, Segments},
};
use crate::memory::{archived::Archived, intake};
use pimem_core::{
    model::time::Timestamp,
    search::documents::{self, SourceKind},
};

/// The filter of a request.
pub struct Filter<'a> {
    pub request: &'a SearchRequest<'a>,
    /// All segments.
    pub segments: &'a Segments<'a>,
    /// Archived entries that are searched by default.
    pub archived: &'a Archived,
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

    /// Returns true if the filter accepts a document.
    pub fn keeps(&self, segment: usize, number: u32) -> bool {
        let Some(document) = self.segments.locate(segment, number) else { return false };
        let Document { at, doc, source, kind } = document;
        let SearchRequest { categories, topic, period, except, .. } = self.request;
        let entry = documents::entry_id(&doc);
        let may_be_found =
            || entry.is_some_and(|id| self.archived.strength(at.store, id).is_some());
        if kind == SourceKind::Archive && !self.request.whole_archive && !may_be_found() {
            return false;
        }
        let is_of_topic = |topic: &str| {
            let stem = source.strip_prefix("topics/").and_then(|name| name.strip_suffix(".md"));
            entry.is_some() && stem.is_some_and(|stem| intake::is_of_topic(stem, topic))
        };
        let is_of_category =
            |name: &String| entry.is_some() && documents::category_hash(name) == doc.category;
        // The time of an entry is in the log, not in the index, and is checked later.
        let is_in_period = || entry.is_some() || period.contains(Timestamp::from_seconds(doc.when));
        self.request.may_find(kind)
            && !except.is_some_and(|except| entry.is_some_and(|id| except.contains(&id)))
            && (categories.is_empty() || categories.iter().any(is_of_category))
            && topic.is_none_or(is_of_topic)
            && is_in_period()
    }
}
