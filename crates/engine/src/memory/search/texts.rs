//! The texts of what a search found.

use std::collections::HashMap;

use crate::{
    index::corpus::Corpus,
    store::{read::Problem, snapshot::Store},
};
use pimem_core::search::documents::{self, Doc, SourceKind};

/// Texts of documents; each file is read once.
pub struct Texts<'a> {
    stores: &'a [Store],
    corpora: &'a [Corpus],
    files: HashMap<(usize, String), Vec<u8>>,
    /// Files that could not be read.
    pub problems: Vec<Problem>,
}

impl<'a> Texts<'a> {
    pub fn new(stores: &'a [Store], corpora: &'a [Corpus]) -> Self {
        Self { stores, corpora, files: HashMap::new(), problems: Vec::new() }
    }

    /// The text of a document of a store's part.
    pub fn of(
        &mut self,
        (store, part): (usize, usize),
        number: u32,
        (source, kind, doc): (&str, SourceKind, &Doc),
    ) -> String {
        let scanned = self.corpora.get(store).and_then(|corpus| corpus.scanned(part, number));
        if let Some(text) = scanned {
            return text.to_owned();
        }
        let Self { stores, files, problems, .. } = self;
        let bytes = files.entry((store, source.to_owned())).or_insert_with(|| {
            let read = stores.get(store).map(|store| store.listed(source)).transpose();
            read.unwrap_or_else(|problem| {
                problems.push(problem);
                None
            })
            .flatten()
            .unwrap_or_default()
        });
        let start = usize::try_from(doc.start).unwrap_or(usize::MAX);
        let end = start.saturating_add(usize::try_from(doc.len).unwrap_or(0));
        documents::text_of(kind, bytes.get(start..end).unwrap_or_default())
    }
}
