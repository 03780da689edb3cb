//! What a search over several stores goes through: the parts of their corpora, numbered through.

use super::space::Space;
use crate::{
    index::corpus::Corpus,
    recall::{
        bm25::{Part, Size},
        corpus::{Doc, SourceKind},
        sieve::{self, Dense},
    },
};

/// The corpora of several stores, their parts numbered through.
pub(super) struct Parts<'a> {
    pub(super) corpora: &'a [Corpus],
    pub(super) views: Vec<&'a dyn Part>,
    /// Store and part in it, of each part.
    pub(super) origin: Vec<(usize, usize)>,
    pub(super) size: Size,
}

impl<'a> Parts<'a> {
    pub(super) fn new(corpora: &'a [Corpus]) -> Self {
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
    pub(super) fn has_archive(&self) -> bool {
        let mut sources = self.corpora.iter().flat_map(|corpus| &corpus.sources);
        sources.any(|source| source.kind == SourceKind::Archive)
    }

    /// What the ranking sees.
    pub(super) fn searched<'b>(
        &'b self,
        bm25: &'b [Vec<f64>],
        space: Option<&'b Space>,
        views: &'b [&'b dyn Dense],
        keep: Option<&'b dyn Fn(usize, u32) -> bool>,
    ) -> sieve::Corpus<'b> {
        let dense = space.map(|space| space.vectors(views));
        sieve::Corpus { parts: &self.views, bm25, dense, docs: self.size.docs, keep }
    }

    /// A document with its store, file and kind.
    pub(super) fn locate(
        &self,
        part: usize,
        doc: u32,
    ) -> Option<(usize, Doc, &'a str, SourceKind)> {
        let (store, part) = *self.origin.get(part)?;
        let (doc, source, kind) = self.corpora.get(store)?.doc(part, doc)?;
        Some((store, doc, source, kind))
    }
}
