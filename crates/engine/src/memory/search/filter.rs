//! Which documents a request asks for, as far as the index knows.

use super::{
    request::SearchRequest,
    segments::{Document, Segments},
};
use crate::memory::{archived::Archived, intake};
use pimem_core::{
    model::time::Timestamp,
    search::documents::{self, SourceKind},
};

/// The documents that a request asks for.
pub struct Filter<'a> {
    /// The request.
    pub request: &'a SearchRequest<'a>,
    /// Everything.
    pub segments: &'a Segments<'a>,
    /// What of the archive may be found unasked.
    pub archived: &'a Archived,
}

impl Filter<'_> {
    /// Whether it lets everything through.
    pub fn is_open(&self) -> bool {
        let SearchRequest { kinds, categories, topic, period, except, .. } = self.request;
        kinds.is_empty()
            && categories.is_empty()
            && topic.is_none()
            && except.is_none()
            && !period.is_bounded()
            && !self.segments.has_archive()
    }

    /// Whether it lets a document through.
    pub fn keeps(&self, segment: usize, number: u32) -> bool {
        let Some(document) = self.segments.locate(segment, number) else { return false };
        let Document { at, doc, source, kind } = document;
        let SearchRequest { kinds, categories, topic, period, except, .. } = self.request;
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
        // The time of an entry is in the log, not in the index.
        let is_in_period = || entry.is_some() || period.contains(Timestamp::from_seconds(doc.when));
        (kinds.is_empty() || kinds.contains(&kind))
            && !except.is_some_and(|except| entry.is_some_and(|id| except.contains(&id)))
            && (categories.is_empty() || categories.iter().any(is_of_category))
            && topic.is_none_or(is_of_topic)
            && is_in_period()
    }
}
