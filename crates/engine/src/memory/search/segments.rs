//! What a search over several stores goes through: the parts of their corpora, numbered through.

use super::embedding::QueryEmbedding;
use crate::index::corpus::Corpus;
use pimem_core::search::{
    bm25::{Part, Size},
    candidates::{self, Dense},
    documents::{Doc, SourceKind},
};

/// The corpora of several stores, their parts numbered through.
pub struct Segments<'a> {
    pub corpora: &'a [Corpus],
    pub views: Vec<&'a dyn Part>,
    /// Store and part in it, of each part.
    pub origin: Vec<(usize, usize)>,
    pub size: Size,
}

impl<'a> Segments<'a> {
    pub fn new(corpora: &'a [Corpus]) -> Self {
        let mut parts =
            Self { corpora, views: Vec::new(), origin: Vec::new(), size: Size::default() };
        for (number, corpus) in corpora.iter().enumerate() {
            parts.size += corpus.size;
            for (part, view) in corpus.parts().into_iter().enumerate() {
                parts.origin.push((number, part));
                parts.views.push(view);
            }
        }
        parts
    }

    /// Whether there are files of an archive.
    pub fn has_archive(&self) -> bool {
        let mut sources = self.corpora.iter().flat_map(|corpus| &corpus.sources);
        sources.any(|source| source.kind == SourceKind::Archive)
    }

    /// What the ranking sees.
    pub fn searched<'b>(
        &'b self,
        bm25: &'b [Vec<f64>],
        space: Option<&'b QueryEmbedding>,
        views: &'b [&'b dyn Dense],
        keep: Option<&'b dyn Fn(usize, u32) -> bool>,
    ) -> candidates::Corpus<'b> {
        let dense = space.map(|space| space.vectors(views));
        candidates::Corpus { parts: &self.views, bm25, dense, docs: self.size.docs, keep }
    }

    /// A document with its store, file and kind.
    pub fn locate(&self, part: usize, doc: u32) -> Option<(usize, Doc, &'a str, SourceKind)> {
        let (store, part) = *self.origin.get(part)?;
        let (doc, source, kind) = self.corpora.get(store)?.doc(part, doc)?;
        Some((store, doc, source, kind))
    }
}
