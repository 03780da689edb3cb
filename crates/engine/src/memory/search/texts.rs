//! Reads the texts of documents.

use std::collections::HashMap;

use super::segments::IndexedDocument;
use crate::{
    index::corpus::Corpus,
    store::{Store, read::ReadProblem},
};
use pimem_core::search::documents;

/// Texts of documents; each file is read once.
pub struct Texts<'a> {
    stores: &'a [Store],
    corpora: &'a [Corpus],
    files: HashMap<(usize, String), Vec<u8>>,
    /// Files that could not be read.
    pub problems: Vec<ReadProblem>,
}

impl<'a> Texts<'a> {
    /// Creates a reader for documents in the corpora of these stores.
    pub fn new(stores: &'a [Store], corpora: &'a [Corpus]) -> Self {
        Self { stores, corpora, files: HashMap::new(), problems: Vec::new() }
    }

    /// Returns the text of a document; empty if its file cannot be read.
    pub fn of(&mut self, document: &IndexedDocument<'_>) -> String {
        let IndexedDocument { at, doc, source, kind } = document;
        let corpus = self.corpora.get(at.store);
        if let Some(text) = corpus.and_then(|corpus| corpus.scanned(at.segment, at.number)) {
            return text.to_owned();
        }
        let Self { stores, files, problems, .. } = self;
        let bytes = files.entry((at.store, (*source).to_owned())).or_insert_with(|| {
            let read = stores.get(at.store).map(|store| store.listed(source)).transpose();
            read.unwrap_or_else(|problem| {
                problems.push(problem);
                None
            })
            .flatten()
            .unwrap_or_default()
        });
        let start = usize::try_from(doc.start).unwrap_or(usize::MAX);
        let end = start.saturating_add(usize::try_from(doc.len).unwrap_or(0));
        documents::text_of(*kind, bytes.get(start..end).unwrap_or_default())
    }
}
