//! Filter of documents by a request, using the index only.

use std::collections::BTreeSet;

use super::{
    request::SearchRequest,
    segments::{IndexedDocument, Segments},
};
use crate::{
    memory::{Memory, archived::Archived},
    store::{Store, snapshot::TopicFile},
};
use pimem_core::{
    model::time::Timestamp,
    search::documents::{self, SourceKind},
};

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

/// The filter of a request.
pub struct Filter<'a> {
    pub request: &'a SearchRequest<'a>,
    /// All segments.
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

    /// Returns true if the filter accepts a document.
    pub fn keeps(&self, segment: usize, number: u32) -> bool {
        let Some(document) = self.segments.locate(segment, number) else { return false };
        let IndexedDocument { at, doc, source, kind } = document;
        let SearchRequest { categories, period, except, .. } = self.request;
        let entry = documents::entry_id(&doc);
        let may_be_found = || {
            entry.is_some_and(|id| {
                self.archived.strength(at.store, id).is_some()
                    || self.request.counts_withheld && self.archived.is_replaced(at.store, id)
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
