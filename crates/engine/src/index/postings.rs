//! The inverted index: postings in tantivy, documents in a table of our own.
//!
//! tantivy stores no text and does no scoring here: its postings go to the same BM25 as the
//! in-memory scan, so that results do not depend on the source of the postings.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    path::Path,
};

use anyhow::{Context, Result};
use tantivy::{
    DocSet, Index, SegmentReader, TERMINATED, TantivyDocument, Term,
    directory::{Directory, OwnedBytes, RamDirectory},
    postings::Postings,
    schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions},
    tokenizer::{Token, TokenStream, Tokenizer as TantivyTokenizer},
};

use super::container::{ContainerReader, Packed, Writer};
use pimem_core::model::{entry::EntryId, hash::IdSet};
use pimem_core::search::{
    bm25::{Segment, TermPostings},
    documents::Doc,
};

/// Bytes of a document in the table.
const DOC: usize = 36;
/// Memory budget of tantivy's term table in bytes.
const MEMORY: usize = 15_000_000;
/// Separator of tokens in a tokenised text.
const CUT: char = '\u{1}';
const TOKENIZER: &str = "cut";

fn schema() -> (Schema, Field) {
    let mut schema = Schema::builder();
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(TOKENIZER)
        .set_fieldnorms(false)
        .set_index_option(IndexRecordOption::WithFreqs);
    let field = schema.add_text_field("t", TextOptions::default().set_indexing_options(indexing));
    (schema.build(), field)
}

/// Collects documents into the sections of a packed file.
pub struct PostingsBuilder {
    writer: tantivy::indexer::SingleSegmentIndexWriter,
    ram: RamDirectory,
    field: Field,
    docs: Writer,
    count: u32,
}

impl PostingsBuilder {
    pub fn new() -> Result<Self> {
        let (schema, field) = schema();
        let ram = RamDirectory::create();
        let tokenizers = tantivy::tokenizer::TokenizerManager::new();
        tokenizers.register(TOKENIZER, Cut);
        let index = Index::builder().schema(schema).tokenizers(tokenizers);
        let writer = index.single_segment_index_writer(ram.clone(), MEMORY)?;
        Ok(Self { writer, ram, field, docs: Writer::default(), count: 0 })
    }

    /// Adds a document; `tokens` are joined by [`join`].
    pub fn add(&mut self, doc: &Doc, tokens: &str) -> Result<()> {
        let mut document = TantivyDocument::default();
        document.add_text(self.field, tokens);
        self.writer.add_document(document)?;
        self.docs.u64(doc.id);
        let pinned = u32::from(doc.pinned);
        for number in [doc.category, doc.words, doc.start, doc.len, doc.line, pinned, doc.when] {
            self.docs.u32(number);
        }
        self.count += 1;
        Ok(())
    }

    pub fn count(&self) -> u32 {
        self.count
    }

    pub fn finish(self) -> Result<BTreeMap<String, Vec<u8>>> {
        let index = self.writer.finalize()?;
        let mut sections = BTreeMap::from([("docs".to_owned(), self.docs.0)]);
        let mut names = index.directory().list_managed_files();
        names.insert("meta.json".into());
        for name in names {
            let Some(text) = name.to_str().map(str::to_owned) else { continue };
            // The doc store and similar files are empty, but tantivy requires them.
            sections.insert(text, self.ram.atomic_read(&name)?);
        }
        Ok(sections)
    }
}

/// Appends a token to a text for [`PostingsBuilder::add`].
pub fn join(text: &mut String, token: &str) {
    if !text.is_empty() {
        text.push(CUT);
    }
    text.push_str(token);
}

/// An opened index: the postings of some terms, and the table of documents.
pub struct Lexical {
    docs: OwnedBytes,
    alive: Vec<Range<u32>>,
    postings: TermPostings,
}

impl Lexical {
    /// Reads the postings of `terms`. Documents outside the ranges of `alive`, which are in
    /// ascending order, are left out.
    pub fn open(packed: &Packed, terms: &BTreeSet<&str>, alive: Vec<Range<u32>>) -> Result<Self> {
        let docs = packed.section("docs")?;
        if docs.is_empty() {
            // For a field without postings, tantivy builds an empty dictionary in a megabyte of memory.
            return Ok(Self { docs, alive, postings: TermPostings::new() });
        }
        let index = Index::open(packed.clone())?;
        let segment = index.searchable_segments()?.into_iter().next();
        let mut postings = TermPostings::new();
        if let Some(segment) = segment {
            let reader = SegmentReader::open(&segment)?;
            let field = index.schema().get_field("t").context("schema")?;
            let inverted = reader.inverted_index(field)?;
            for text in terms {
                let term = Term::from_field_text(field, text);
                let list = inverted.read_postings(&term, IndexRecordOption::WithFreqs)?;
                let Some(mut list) = list else { continue };
                let found: &mut Vec<_> = postings.entry((*text).to_owned()).or_default();
                let mut ranges = alive.iter();
                let mut range = ranges.next();
                while list.doc() != TERMINATED {
                    while range.is_some_and(|range| range.end <= list.doc()) {
                        range = ranges.next();
                    }
                    if range.is_some_and(|range| range.start <= list.doc()) {
                        found.push((list.doc(), list.term_freq()));
                    }
                    list.advance();
                }
            }
        }
        Ok(Self { docs, alive, postings })
    }

    pub fn doc(&self, number: u32) -> Option<Doc> {
        let start = usize::try_from(number).ok()? * DOC;
        let mut reader = ContainerReader(self.docs.get(start..start + DOC)?);
        Some(Doc {
            id: reader.u64()?,
            category: reader.u32()?,
            words: reader.u32()?,
            start: reader.u32()?,
            len: reader.u32()?,
            line: reader.u32()?,
            pinned: reader.u32()? != 0,
            when: reader.u32()?,
        })
    }
}

impl Segment for Lexical {
    fn end(&self) -> u32 {
        u32::try_from(self.docs.len() / DOC).unwrap_or(u32::MAX)
    }

    fn alive(&self) -> &[Range<u32>] {
        &self.alive
    }

    fn words(&self, doc: u32) -> u32 {
        self.doc(doc).map_or(0, |doc| doc.words)
    }

    fn postings(&self, term: &str) -> &[(u32, u32)] {
        self.postings.get(term).map_or(&[], Vec::as_slice)
    }
}

/// Returns the numbers of the documents of some entries.
pub fn holders(packed: &Packed, ids: &IdSet<EntryId>) -> Result<Vec<u32>> {
    let docs = packed.section("docs")?;
    let id = |doc: &[u8]| ContainerReader(doc).u64();
    let numbers = (0_u32..).zip(docs.chunks_exact(DOC));
    let held = numbers.filter(|(_, doc)| id(doc).is_some_and(|id| ids.contains(&EntryId(id))));
    Ok(held.map(|(number, _)| number).collect())
}

/// Returns the number of documents in an index file.
pub fn count(packed: &Packed) -> Result<usize> {
    Ok(packed.unverified("docs")?.0.len() / DOC)
}

/// Returns the total size of the files in `dir`, in bytes.
pub fn size_on_disk(dir: &Path) -> u64 {
    let Ok(found) = std::fs::read_dir(dir) else { return 0 };
    found.flatten().filter_map(|entry| entry.metadata().ok()).map(|meta| meta.len()).sum()
}

/// Tokenizer that splits at [`CUT`].
#[derive(Clone)]
struct Cut;

struct CutStream<'a> {
    rest: std::str::Split<'a, char>,
    token: Token,
}

impl TantivyTokenizer for Cut {
    type TokenStream<'a> = CutStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> CutStream<'a> {
        CutStream { rest: text.split(CUT), token: Token::default() }
    }
}

impl TokenStream for CutStream<'_> {
    fn advance(&mut self) -> bool {
        let Some(next) = self.rest.next() else { return false };
        self.token.text.clear();
        self.token.text.push_str(next);
        self.token.position = self.token.position.wrapping_add(1);
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}
