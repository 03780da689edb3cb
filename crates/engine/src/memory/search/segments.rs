//! The corpora of several stores as one: their segments, numbered through.

use super::embedding::QueryEmbedding;
use crate::index::corpus::Corpus;
use pimem_core::search::{
    bm25::{Segment, Size},
    candidates,
    documents::{Doc, SourceKind},
};

/// Where a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocRef {
    /// Number of the store.
    pub store: usize,
    /// Number of the segment in the corpus of that store.
    pub segment: usize,
    /// Number of the document in the segment.
    pub number: u32,
}

/// A document and its file.
#[derive(Debug, Clone, Copy)]
pub struct Document<'a> {
    /// Where it is.
    pub at: DocRef,
    /// What the index knows of it.
    pub doc: Doc,
    /// The file, relative to the store.
    pub source: &'a str,
    /// The kind of the file.
    pub kind: SourceKind,
}

impl<'a> Document<'a> {
    /// The document of a store's corpus.
    pub fn find(corpora: &'a [Corpus], at: DocRef) -> Option<Self> {
        let (doc, source, kind) = corpora.get(at.store)?.doc(at.segment, at.number)?;
        Some(Self { at, doc, source, kind })
    }
}

/// The segments of all corpora.
pub struct Segments<'a> {
    /// One a store.
    pub corpora: &'a [Corpus],
    /// Size of everything.
    pub size: Size,
    /// Postings, for scoring.
    pub postings: Vec<&'a dyn Segment>,
    /// The store of each segment, and the segment's number there.
    origins: Vec<Origin>,
}

#[derive(Clone, Copy)]
struct Origin {
    store: usize,
    segment: usize,
}

impl<'a> Segments<'a> {
    /// Numbers the segments of `corpora` through, in their order.
    pub fn new(corpora: &'a [Corpus]) -> Self {
        let (mut size, mut postings, mut origins) = (Size::default(), Vec::new(), Vec::new());
        for (store, corpus) in corpora.iter().enumerate() {
            size += corpus.size;
            for (segment, view) in corpus.segments().into_iter().enumerate() {
                origins.push(Origin { store, segment });
                postings.push(view);
            }
        }
        Self { corpora, size, postings, origins }
    }

    /// Whether there are files of an archive.
    pub fn has_archive(&self) -> bool {
        let mut sources = self.corpora.iter().flat_map(|corpus| &corpus.sources);
        sources.any(|source| source.kind == SourceKind::Archive)
    }

    /// Has `use_it` look at all documents with their scores, those that `keep` lets through.
    pub fn with_scores<T>(
        &self,
        bm25: &[Vec<f64>],
        embedding: Option<&QueryEmbedding>,
        keep: Option<&dyn Fn(usize, u32) -> bool>,
        use_it: impl FnOnce(&candidates::Corpus<'_>) -> T,
    ) -> T {
        let views = embedding.map(QueryEmbedding::views).unwrap_or_default();
        let dense = embedding.map(|embedding| embedding.vectors(&views));
        let docs = self.size.docs;
        use_it(&candidates::Corpus { segments: &self.postings, bm25, dense, docs, keep })
    }

    /// A document by the number of its segment among all, and its own.
    pub fn locate(&self, segment: usize, number: u32) -> Option<Document<'a>> {
        let Origin { store, segment } = *self.origins.get(segment)?;
        Document::find(self.corpora, DocRef { store, segment, number })
    }
}
