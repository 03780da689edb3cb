//! Index segments of all searched stores under one numbering, and the texts of their documents.

use std::collections::{BTreeSet, HashMap};

use pimem_core::{
    search::learned_questions::LearnedQuestions,
    search::{
        bm25::{FieldSize, Segment},
        candidates,
        documents::{self, Doc, DocText, SourceKind},
    },
};

use super::embedding::QueryEmbedding;
use crate::{
    index::corpus::{Corpus, Freshness},
    memory::Memory,
    store::{Store, read::ReadProblem},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocRef {
    pub store: usize,
    /// Number of the segment in the corpus of that store.
    pub segment: usize,
    pub number: u32,
}

#[derive(Debug, Clone, Copy)]
pub struct IndexedDocument<'a> {
    pub at: DocRef,
    pub doc: Doc,
    /// Path of the file relative to the store.
    pub source: &'a str,
    pub kind: SourceKind,
}

impl<'a> IndexedDocument<'a> {
    pub fn find(corpora: &'a [Corpus], at: DocRef) -> Option<Self> {
        let (doc, source, kind) = corpora.get(at.store)?.doc(at.segment, at.number)?;
        Some(Self { at, doc, source, kind })
    }
}

pub struct Segments<'a> {
    /// One corpus per store.
    pub corpora: &'a [Corpus],
    /// Total size.
    pub size: FieldSize,
    pub postings: Vec<&'a dyn Segment>,
    /// Store of each segment, and its number there.
    origins: Vec<Origin>,
}

#[derive(Clone, Copy)]
struct Origin {
    store: usize,
    segment: usize,
}

impl<'a> Segments<'a> {
    /// Numbers the segments of `corpora` consecutively.
    pub fn new(corpora: &'a [Corpus]) -> Self {
        let (mut size, mut postings, mut origins) = (FieldSize::default(), Vec::new(), Vec::new());
        for (store, corpus) in corpora.iter().enumerate() {
            size += corpus.size;
            for (segment, view) in corpus.segments().into_iter().enumerate() {
                origins.push(Origin { store, segment });
                postings.push(view);
            }
        }
        Self { corpora, size, postings, origins }
    }

    pub fn has_archive(&self) -> bool {
        let mut sources = self.corpora.iter().flat_map(|corpus| &corpus.sources);
        sources.any(|source| source.kind == SourceKind::Archive)
    }

    /// Calls `use_it` with all documents that `keep` accepts, with their scores.
    pub fn with_scores<T>(
        &self,
        bm25: &[Vec<f64>],
        embedding: Option<&QueryEmbedding>,
        keep: Option<&dyn Fn(usize, u32) -> bool>,
        use_it: impl FnOnce(&candidates::CandidateCorpus<'_>) -> T,
    ) -> T {
        let views = embedding.map(QueryEmbedding::views);
        let dense = embedding.zip(views.as_deref());
        let dense = dense.map(|(embedding, views)| embedding.vectors(views));
        let docs = self.size.docs;
        use_it(&candidates::CandidateCorpus { segments: &self.postings, bm25, dense, docs, keep })
    }

    /// Returns a document by the global number of its segment and its own number.
    pub fn locate(&self, segment: usize, number: u32) -> Option<IndexedDocument<'a>> {
        let Origin { store, segment } = *self.origins.get(segment)?;
        IndexedDocument::find(self.corpora, DocRef { store, segment, number })
    }
}

/// Texts of documents; each file is read once.
pub struct Texts<'a> {
    stores: &'a [Store],
    corpora: &'a [Corpus],
    files: HashMap<(usize, String), Vec<u8>>,
    pub problems: Vec<ReadProblem>,
}

impl<'a> Texts<'a> {
    /// Creates a reader for documents in the corpora of these stores.
    pub fn new(stores: &'a [Store], corpora: &'a [Corpus]) -> Self {
        Self { stores, corpora, files: HashMap::new(), problems: Vec::new() }
    }

    /// Returns the text of a document; empty if its file cannot be read.
    pub fn of(&mut self, document: &IndexedDocument<'_>) -> DocText {
        let IndexedDocument { at, doc, source, kind } = document;
        let corpus = self.corpora.get(at.store);
        if let Some(text) = corpus.and_then(|corpus| corpus.scanned(at.segment, at.number)) {
            return text.clone();
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
        let raw = bytes.get(start..end).unwrap_or_default();
        let nothing = LearnedQuestions::default();
        let learned = corpus.map_or(&nothing, |corpus| &corpus.learned);
        documents::text_of(*kind, raw, doc.id, learned)
    }
}

/// Opens the stores' indexes, and scans what is not indexed.
pub fn open(memory: &Memory, stores: &[Store], terms: &BTreeSet<&str>) -> Vec<Corpus> {
    let open = |store: &Store| {
        let dir = memory.cache_dir(store);
        let corpus = Corpus::open(store, dir.as_ref(), terms, &memory.config.categories);
        if let Freshness::Broken(why) = &corpus.freshness {
            let dir = store.dir.display();
            memory.notices.detail(&format!("index of {dir}: {why}; answered without it"));
        }
        corpus
    };
    stores.iter().map(open).collect()
}
