//! The searched documents of one store for some terms: the indexed ones, and a scan of changed
//! files.
//!
//! Results and scores do not depend on the state of the index; only the time does.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    fs,
    ops::Range,
    panic::{self, AssertUnwindSafe},
};

use anyhow::Result;

use super::{
    container::{Cache, Packed},
    manifest::{self, Indexed, IndexedSource, Manifest, Stamp},
    postings::{self, Lexical},
    strengths::FoldedStrengths,
    vector_files,
    vectors::{self, KnownVectors, Vectors},
};
use crate::store::{Store, read::ReadProblem};
use pimem_core::search::documents::DocText;
use pimem_core::{
    model::category::Categories,
    search::{
        bm25::{FieldSize, Segment},
        documents::{Doc, Scan, SourceKind},
        learned_questions::LearnedQuestions,
    },
};

/// Name of the main index file.
pub const BASE: &str = "base.idx";
/// Name of the index of files changed since.
pub const DELTA: &str = "delta.idx";
/// Names that stand for the lines of other branches, which are in no file here, are this and the branch.
pub const ELSEWHERE: &str = "worktrees/";
/// Name of the section with the learned questions by which an index was built.
pub const LEARNED: &str = "learned";
/// Number of scanned documents above which a refresh is requested.
const SCAN_DOCS: u64 = 300;
/// Number of files compared by content above which a refresh is requested.
const SCAN_FILES: usize = 48;

/// State of an index file relative to the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Freshness {
    /// There is no index file.
    Absent,
    /// The file cannot be used; holds the reason.
    Broken(String),
    /// Number of files changed or added since.
    Stale(usize),
    Fresh,
}

/// The documents of a store that are searched for some terms.
pub struct Corpus {
    pub sources: Vec<IndexedSource>,
    pub size: FieldSize,
    pub freshness: Freshness,
    /// True if the index should be refreshed in the background.
    pub wants_refresh: bool,
    pub problems: Vec<ReadProblem>,
    /// Folded evidence, if the index has it.
    pub folded: Option<FoldedStrengths>,
    /// The questions that were learned from use.
    pub learned: LearnedQuestions,
    indexed: Vec<(Lexical, Manifest, Packed)>,
    scan: Scan,
}

impl Corpus {
    /// Opens the store and its index for `terms`. `dir` is `None` if there is no cache directory.
    pub fn open(
        store: &Store,
        dir: Option<&Cache>,
        terms: &BTreeSet<&str>,
        categories: &Categories,
    ) -> Self {
        let (mut sources, problems) = manifest::sources(store);
        let others = store.text_elsewhere();
        sources.extend(others.keys().map(|branch| IndexedSource {
            name: format!("{ELSEWHERE}{branch}"),
            kind: SourceKind::Topic,
            stamp: Stamp::default(),
        }));
        let mut corpus = Self {
            sources,
            size: FieldSize::default(),
            freshness: Freshness::Absent,
            wants_refresh: false,
            problems,
            folded: None,
            learned: store.learned_questions(),
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
        if let Err(error) = corpus.fill((store, &others), files, terms, categories) {
            corpus.problems.truncate(known);
            corpus.freshness = Freshness::Broken(format!("{error:#}"));
            corpus.indexed.clear();
            corpus.folded = None;
            // Without an index this only reads files, and cannot fail.
            drop(corpus.fill((store, &others), Vec::new(), terms, categories));
        }
        corpus
    }

    fn fill(
        &mut self,
        (store, others): (&Store, &BTreeMap<String, Vec<u8>>),
        files: Vec<(Packed, Manifest)>,
        terms: &BTreeSet<&str>,
        categories: &Categories,
    ) -> Result<()> {
        let mut alive: Vec<Vec<Range<u32>>> = vec![Vec::new(); files.len()];
        let (mut pending, mut elsewhere) = (Vec::new(), Vec::new());
        let mut compared = 0;
        self.size = FieldSize::default();
        let touched =
            files.iter().map(|(packed, manifest)| touched(packed, manifest, &self.learned));
        let touched = touched.collect::<Result<Vec<_>>>()?;
        for (number, source) in (0_u32..).zip(&self.sources) {
            let on = source.name.strip_prefix(ELSEWHERE).and_then(|branch| others.get(branch));
            if let Some(lines) = on {
                elsewhere.push((number, source.kind, source.name.as_str(), lines.clone()));
                continue;
            }
            // A file in the delta has changed since the base was built.
            let mut newest = files.iter().enumerate().rev();
            let known = newest.find_map(|(at, (_, m))| Some((at, m.find(&source.name)?)));
            let is_touched =
                |at: usize| touched.get(at).is_some_and(|all| all.contains(&source.name));
            let known = known.filter(|(at, _)| !is_touched(*at));
            let by_stamp = known.filter(|(_, indexed)| same_stamp(source, indexed));
            if let Some((at, indexed)) = by_stamp {
                self.size += indexed.size;
                alive.get_mut(at).map(|ranges| ranges.push(indexed.docs())).unwrap_or_default();
                continue;
            }
            match store.listed(&source.name) {
                Ok(Some(bytes)) => {
                    match known.filter(|(_, indexed)| same_content(store, &bytes, indexed)) {
                        Some((at, indexed)) => {
                            compared += 1;
                            self.size += indexed.size;
                            alive
                                .get_mut(at)
                                .map(|ranges| ranges.push(indexed.docs()))
                                .unwrap_or_default();
                        }
                        None => pending.push((number, source.kind, source.name.as_str(), bytes)),
                    }
                }
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
        // The newest index file has the newest evidence.
        self.folded = files.last().and_then(|(packed, _)| FoldedStrengths::open(packed).ok());
        for ((packed, manifest), mut ranges) in files.into_iter().zip(alive) {
            ranges.sort_unstable_by_key(|range| range.start);
            let opened = catch(|| Lexical::open(&packed, terms, ranges))?;
            self.indexed.push((opened, manifest, packed));
        }
        pending.append(&mut elsewhere);
        self.scan = Scan::new(terms, pending, (categories, &self.learned));
        self.size += self.scan.size;
        self.wants_refresh = self.unindexed() > SCAN_DOCS || compared > SCAN_FILES;
        Ok(())
    }

    /// Returns the number of documents that the index lacks.
    pub fn unindexed(&self) -> u64 {
        self.scan.size.docs
    }

    pub fn segments(&self) -> Vec<&dyn Segment> {
        let indexed = self.indexed.iter().map(|(lexical, ..)| lexical as &dyn Segment);
        indexed.chain([&self.scan as &dyn Segment]).collect()
    }

    /// Returns the vectors of each segment by one model, where they exist; the last item is for the
    /// scanned documents. If `dir` is `None`, none are read.
    pub fn vectors(&self, dir: Option<&Cache>, model: (u64, usize)) -> Vec<Vectors> {
        let stored = self.indexed.iter().map(|(_, manifest, packed)| {
            let found = dir.and_then(|dir| vectors_of(dir, packed, manifest, model));
            found.unwrap_or_else(|| Vectors::none(model.1))
        });
        stored.chain([Vectors::none(model.1)]).collect()
    }

    /// Returns the text of a scanned document; `None` for an indexed one, whose text is in its
    /// file.
    pub fn scanned(&self, segment: usize, number: u32) -> Option<&DocText> {
        let at = usize::try_from(number).ok()?;
        (segment == self.indexed.len()).then(|| self.scan.texts.get(at))?
    }

    /// Iterates over the documents of files of a kind.
    pub fn docs_of(&self, kind: SourceKind) -> impl Iterator<Item = Doc> + '_ {
        let indexed = self.indexed.iter().flat_map(move |(lexical, manifest, _)| {
            // Each range covers one file.
            let of_kind = move |range: &&Range<u32>| {
                manifest.source_of(range.start).is_some_and(|source| source.kind == kind)
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

    /// Returns a document with the name and kind of its file.
    pub fn doc(&self, segment: usize, number: u32) -> Option<(Doc, &str, SourceKind)> {
        if let Some((lexical, manifest, _)) = self.indexed.get(segment) {
            let source = manifest.source_of(number)?;
            return Some((lexical.doc(number)?, &source.name, source.kind));
        }
        let (source, doc) = self.scan.docs.get(usize::try_from(number).ok()?)?;
        let source = self.sources.get(usize::try_from(*source).ok()?)?;
        Some((*doc, &source.name, source.kind))
    }
}

/// Returns the vectors of an index file; `None` if they are missing or damaged.
pub fn vectors_of(
    dir: &Cache,
    packed: &Packed,
    manifest: &Manifest,
    model: (u64, usize),
) -> Option<Vectors> {
    let docs = postings::count(packed).ok()?;
    catch(|| Vectors::open(dir, manifest.id, docs, model)).ok().flatten()
}

/// Returns all stored vectors of a model, by the key of their text. They are valid even if their
/// index is damaged, deleted, or built for other categories.
pub fn known_vectors(dir: &Cache, model: (u64, usize)) -> KnownVectors {
    let end = vectors::end_of_name(model.0);
    let found = fs::read_dir(&**dir).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        found.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.retain(|name| name.ends_with(&end));
    names.sort_unstable();
    let stored = names.iter().flat_map(|name| catch(|| Vectors::known_in(dir, name, model)));
    stored.flatten().chain(vector_files::read_recent(dir, model)).collect()
}

/// Opens the base, and the delta if it belongs to the base.
pub fn open_files(dir: &Cache, categories: &Categories) -> Result<Vec<(Packed, Manifest)>> {
    let recipe = manifest::recipe(categories);
    let open = |name: &str| -> Result<Option<(Packed, Manifest)>> {
        let Some(packed) = catch(|| Packed::open(dir, name))? else { return Ok(None) };
        let manifest = Manifest::read(&packed.section("manifest")?)?;
        Ok((manifest.recipe == recipe).then_some((packed, manifest)))
    };
    let Some(base) = open(BASE)? else { return Ok(Vec::new()) };
    // A damaged delta, or one of another base, is ignored: its files are read again.
    let delta = open(DELTA).ok().flatten().filter(|(_, delta)| delta.base == base.1.base);
    Ok([Some(base), delta].into_iter().flatten().collect())
}

/// Returns the names of the files with entries for which other questions were learned since an index
/// was built.
pub fn touched(
    packed: &Packed,
    manifest: &Manifest,
    learned: &LearnedQuestions,
) -> Result<HashSet<String>> {
    let changed = LearnedQuestions::read(&packed.section(LEARNED)?).changed(learned);
    if changed.is_empty() {
        return Ok(HashSet::new());
    }
    let numbers = postings::holders(packed, &changed)?.into_iter();
    Ok(numbers
        .filter_map(|number| manifest.source_of(number))
        .map(|one| one.name.clone())
        .collect())
}

pub fn same_stamp(source: &IndexedSource, indexed: &Indexed) -> bool {
    !indexed.racy && source.stamp == indexed.stamp && source.kind == indexed.kind
}

pub fn same_content(store: &Store, bytes: &[u8], indexed: &Indexed) -> bool {
    let is_long = store.seal.is_sealed() || bytes.len() as u64 == indexed.stamp.len;
    is_long && manifest::content_hash(bytes) == indexed.hash
}

/// Runs code that reads derived data. A panic in a library becomes an error and is not printed.
pub fn catch<T>(run: impl FnOnce() -> Result<T>) -> Result<T> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let result = panic::catch_unwind(AssertUnwindSafe(run));
    panic::set_hook(hook);
    result.unwrap_or_else(|_| Err(anyhow::anyhow!("the index made its reader panic")))
}
