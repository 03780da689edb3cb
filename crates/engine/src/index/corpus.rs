//! The corpus of one store for one query: what the index knows, and a scan of what it does not.
//!
//! Whatever state the index is in, the documents and their scores are the same; only the time
//! differs.

use std::{
    fs,
    ops::Range,
    panic::{self, AssertUnwindSafe},
    path::Path,
};

use anyhow::Result;

use super::{
    container::Packed,
    manifest::{self, Indexed, Manifest, Source},
    postings::{self, Lexical},
    strengths::Folded,
    vectors::{self, Known, Vectors},
};
use crate::store::{read::Problem, snapshot::Store};
use pimem_core::{
    model::category::Categories,
    search::{
        bm25::{Query, Segment, Size},
        documents::{Doc, Scan, SourceKind},
    },
};

/// Name of the main index file.
pub const BASE: &str = "base.idx";
/// Name of the index of what changed since.
pub const DELTA: &str = "delta.idx";
/// Documents that a query scans rather than having them indexed.
const SCAN_DOCS: u64 = 300;
/// Files that a query compares by content rather than having their stamps renewed.
const SCAN_FILES: usize = 48;

/// How an index file relates to the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Freshness {
    /// There is none.
    Absent,
    /// It cannot be used, and why.
    Broken(String),
    /// So many files have changed since, or are new.
    Stale(usize),
    /// It is as the store is.
    Fresh,
}

/// A store's documents that matter to a query.
pub struct Corpus {
    /// The files.
    pub sources: Vec<Source>,
    /// Size of all that is searched.
    pub size: Size,
    /// State of the index.
    pub freshness: Freshness,
    /// Whether the index should be brought up to date when there is time.
    pub wants_refresh: bool,
    /// Files that could not be read.
    pub problems: Vec<Problem>,
    /// Folded evidence, if the index has some.
    pub folded: Option<Folded>,
    indexed: Vec<(Lexical, Manifest, Packed)>,
    scan: Scan,
}

impl Corpus {
    /// Looks at the store and its index. `dir` is `None` where there is no cache directory.
    pub fn open(store: &Store, dir: Option<&Path>, query: &Query, categories: &Categories) -> Self {
        let (sources, problems) = manifest::sources(store);
        let mut corpus = Self {
            sources,
            size: Size::default(),
            freshness: Freshness::Absent,
            wants_refresh: false,
            problems,
            folded: None,
            indexed: Vec::new(),
            scan: Scan::default(),
        };
        let files = match dir.map(|dir| open_files(dir, categories)) {
            None => Vec::new(),
            Some(Ok(files)) => files,
            Some(Err(error)) => {
                corpus.freshness = Freshness::Broken(format!("{error:#}"));
                Vec::new()
            }
        };
        let known = corpus.problems.len();
        if let Err(error) = corpus.fill(store, files, query, categories) {
            corpus.problems.truncate(known);
            corpus.freshness = Freshness::Broken(format!("{error:#}"));
            corpus.indexed.clear();
            corpus.folded = None;
            // Without an index this reads files only, and cannot fail.
            drop(corpus.fill(store, Vec::new(), query, categories));
        }
        corpus
    }

    fn fill(
        &mut self,
        store: &Store,
        files: Vec<(Packed, Manifest)>,
        query: &Query,
        categories: &Categories,
    ) -> Result<()> {
        let mut alive: Vec<Vec<Range<u32>>> = vec![Vec::new(); files.len()];
        let mut pending = Vec::new();
        let mut compared = 0;
        self.size = Size::default();
        for (number, source) in (0_u32..).zip(&self.sources) {
            // A file that the delta knows has changed since the base was built.
            let mut newest = files.iter().enumerate().rev();
            let known = newest.find_map(|(at, (_, m))| Some((at, m.find(&source.name)?)));
            let by_stamp = known.filter(|(_, indexed)| same_stamp(source, indexed));
            if let Some((at, indexed)) = by_stamp {
                self.size += indexed.size;
                alive.get_mut(at).map(|ranges| ranges.push(indexed.docs())).unwrap_or_default();
                continue;
            }
            match store.listed(&source.name) {
                Ok(Some(bytes)) => match known.filter(|(_, indexed)| same_content(&bytes, indexed))
                {
                    Some((at, indexed)) => {
                        compared += 1;
                        self.size += indexed.size;
                        alive
                            .get_mut(at)
                            .map(|ranges| ranges.push(indexed.docs()))
                            .unwrap_or_default();
                    }
                    None => pending.push((number, source.kind, source.name.as_str(), bytes)),
                },
                Ok(None) => {}
                Err(problem) => self.problems.push(problem),
            }
        }
        if !files.is_empty() {
            self.freshness = match pending.len() {
                0 => Freshness::Fresh,
                stale => Freshness::Stale(stale),
            };
        }
        // The newest file has the newest evidence.
        self.folded = files.last().and_then(|(packed, _)| Folded::open(packed).ok());
        for ((packed, manifest), mut ranges) in files.into_iter().zip(alive) {
            ranges.sort_unstable_by_key(|range| range.start);
            let opened = catch(|| Lexical::open(&packed, query, ranges))?;
            self.indexed.push((opened, manifest, packed));
        }
        self.scan = Scan::new(query, pending, categories);
        self.size += self.scan.size;
        self.wants_refresh = self.scan.size.docs > SCAN_DOCS || compared > SCAN_FILES;
        Ok(())
    }

    /// The segments, for scoring.
    pub fn segments(&self) -> Vec<&dyn Segment> {
        let indexed = self.indexed.iter().map(|(lexical, ..)| lexical as &dyn Segment);
        indexed.chain([&self.scan as &dyn Segment]).collect()
    }

    /// The vectors of the segments by one model, as far as there are any; the last are for what was
    /// scanned. Nothing is read where `dir` is `None`.
    pub fn vectors(&self, dir: Option<&Path>, model: (u64, usize)) -> Vec<Vectors> {
        let stored = self.indexed.iter().map(|(_, manifest, packed)| {
            let found = dir.and_then(|dir| vectors_of(dir, packed, manifest, model));
            found.unwrap_or_else(|| Vectors::none(model.1))
        });
        stored.chain([Vectors::none(model.1)]).collect()
    }

    /// The text of a scanned document; others have to be read from their file.
    pub fn scanned(&self, segment: usize, number: u32) -> Option<&str> {
        let at = usize::try_from(number).ok()?;
        (segment == self.indexed.len()).then(|| self.scan.texts.get(at).map(String::as_str))?
    }

    /// The documents of files of a kind.
    pub fn docs_of(&self, kind: SourceKind) -> impl Iterator<Item = Doc> + '_ {
        let indexed = self.indexed.iter().flat_map(move |(lexical, manifest, _)| {
            // A range is one file's.
            let of_kind = move |range: &&Range<u32>| {
                let end = |source: &Indexed| source.docs().end;
                let at = manifest.sources.partition_point(|source| end(source) <= range.start);
                manifest.sources.get(at).is_some_and(|source| source.kind == kind)
            };
            let ranges = lexical.alive().iter().filter(of_kind);
            ranges.cloned().flatten().filter_map(|number| lexical.doc(number))
        });
        let of_kind = move |(source, _): &&(u32, Doc)| {
            let source = usize::try_from(*source).ok().and_then(|at| self.sources.get(at));
            source.is_some_and(|source| source.kind == kind)
        };
        indexed.chain(self.scan.docs.iter().filter(of_kind).map(|(_, doc)| *doc))
    }

    /// A document with the name and kind of its file.
    pub fn doc(&self, segment: usize, number: u32) -> Option<(Doc, &str, SourceKind)> {
        if let Some((lexical, manifest, _)) = self.indexed.get(segment) {
            let at = manifest.sources.partition_point(|source| source.docs().end <= number);
            let source = manifest.sources.get(at)?;
            return Some((lexical.doc(number)?, &source.name, source.kind));
        }
        let (source, doc) = self.scan.docs.get(usize::try_from(number).ok()?)?;
        let source = self.sources.get(usize::try_from(*source).ok()?)?;
        Some((*doc, &source.name, source.kind))
    }
}

/// The vectors of an index file; none when there are none, or they are damaged.
pub fn vectors_of(
    dir: &Path,
    packed: &Packed,
    manifest: &Manifest,
    model: (u64, usize),
) -> Option<Vectors> {
    let docs = postings::count(packed).ok()?;
    catch(|| Vectors::open(dir, manifest.id, docs, model)).ok().flatten()
}

/// All vectors of a model that are kept for a store, by the key of their text. They are good even
/// where the index that they were made for is damaged, gone, or of other categories.
pub fn known_vectors(dir: &Path, model: (u64, usize)) -> Known {
    let end = vectors::end_of_name(model.0);
    let found = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        found.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.retain(|name| name.ends_with(&end));
    names.sort_unstable();
    names.iter().flat_map(|name| catch(|| Vectors::known_in(dir, name, model))).flatten().collect()
}

/// The base, and the delta if it belongs to it.
pub fn open_files(dir: &Path, categories: &Categories) -> Result<Vec<(Packed, Manifest)>> {
    let recipe = manifest::recipe(categories);
    let open = |name: &str| -> Result<Option<(Packed, Manifest)>> {
        let Some(packed) = catch(|| Packed::open(dir, name))? else { return Ok(None) };
        let manifest = Manifest::read(&packed.section("manifest")?)?;
        Ok((manifest.recipe == recipe).then_some((packed, manifest)))
    };
    let Some(base) = open(BASE)? else { return Ok(Vec::new()) };
    // A delta of another base, or a damaged one, is as good as none: its files are read again.
    let delta = open(DELTA).ok().flatten().filter(|(_, delta)| delta.base == base.1.base);
    Ok([Some(base), delta].into_iter().flatten().collect())
}

pub fn same_stamp(source: &Source, indexed: &Indexed) -> bool {
    !indexed.racy && source.stamp == indexed.stamp && source.kind == indexed.kind
}

pub fn same_content(bytes: &[u8], indexed: &Indexed) -> bool {
    bytes.len() as u64 == indexed.stamp.len && manifest::content_hash(bytes) == indexed.hash
}

/// Runs code that reads derived data; a panic in a library becomes an error, without a word.
fn catch<T>(run: impl FnOnce() -> Result<T>) -> Result<T> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let result = panic::catch_unwind(AssertUnwindSafe(run));
    panic::set_hook(hook);
    result.unwrap_or_else(|_| Err(anyhow::anyhow!("the index made its reader panic")))
}
