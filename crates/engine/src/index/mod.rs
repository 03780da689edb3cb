//! Derived data in the cache directory: building and refreshing the index. Deleting or damaging it costs
//! time but changes no result; writers never build it or wait for it.
//!
//! Installed models are stored there too. They can be installed again; without them, the built-in
//! table and keywords are used.

pub mod container;
pub mod corpus;
pub mod manifest;
pub mod postings;
pub mod strengths;
pub mod vector_files;
pub mod vectors;

use std::{
    fs,
    path::Path,
    time::{Duration, SystemTime},
};

use anyhow::Result;
use pimem_core::{
    embed::{self, table, vector::Vector},
    model::{category::Categories, shares::in_shares},
    search::{
        bm25::FieldSize,
        documents::{HeadingTokens, SourceKind, category_name, documents},
        learned_questions::LearnedQuestions,
        tokens::Tokenizer,
    },
};

use self::{
    container::Cache,
    corpus::{BASE, DELTA},
    manifest::{Indexed, IndexedSource, Manifest},
    postings::PostingsBuilder,
    vector_files::KeptVectors,
};
use crate::store::{
    Store, StoreLock,
    atomic::{self, Sync},
};

/// Age from which temporary files of models are taken for those of a killed process: a download may
/// take long.
const MODELS: Duration = Duration::from_hours(24);
/// A delta larger than this percentage of its base is replaced by a new base.
const DELTA_SHARE: u64 = 25;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Built {
    pub files: usize,
    pub docs: u64,
}

/// Deletes what killed processes have left in the cache directory that `dir` is in, and beside it.
fn sweep_around(dir: &Path, now: SystemTime) {
    let Some(cache) = dir.parent() else { return };
    atomic::sweep_old(cache, now, atomic::OLD);
    let beside = fs::read_dir(cache).into_iter().flatten().flatten();
    for folder in beside.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        atomic::sweep_old(&folder.path(), now, MODELS);
    }
}

/// Updates the index: indexes the changed files, or all files if `whole` is true or much has
/// changed. Vectors of the table are made, known ones of other models are kept. `Ok(None)` if
/// another process is updating it. `progress` is called for each file.
pub fn refresh(
    store: &Store,
    dir: &Cache,
    categories: &Categories,
    real_now: SystemTime,
    whole: bool,
    kept: KeptVectors,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Option<Built>> {
    atomic::create_dir(dir, Sync::Private)?;
    let Some(_lock) = StoreLock::try_acquire(&dir.join("lock")) else { return Ok(None) };
    atomic::sweep(dir);
    sweep_around(dir, real_now);
    let (sources, _) = manifest::sources(store);
    let topics = sources.iter().filter(|source| source.kind == SourceKind::Topic);
    dir.keep_texts(store, topics.map(|source| source.name.clone()))?;
    let recipe = manifest::recipe(categories);
    let base = if whole { None } else { corpus::open_files(dir, categories).ok() };
    let base = base.and_then(|files| files.into_iter().next());
    let base = base
        .filter(|(packed, manifest)| !kept.table || vector_files::has_all(dir, packed, manifest));
    let learned = store.learned_questions();
    let base = base.and_then(|(packed, manifest)| {
        let touched = corpus::touched(&packed, &manifest, &learned).ok()?;
        Some((manifest, touched))
    });
    let models = vector_files::models(dir, kept, real_now);
    let id = u64::try_from(atomic::random()? & u128::from(u64::MAX)).unwrap_or(0);
    let mut build = |base: u64, sources: &[&IndexedSource], name: &str| -> Result<Built> {
        let manifest = Manifest { base, id, recipe, sources: Vec::new() };
        let (bytes, texts, built) =
            index(store, sources, (categories, &learned), real_now, manifest, kept, progress)?;
        // Vectors are written first, because they are looked up only through the index that names
        // them.
        vector_files::write(dir, id, &texts, &embed_all(&texts), &models, real_now)?;
        dir.replace(name, &bytes)?;
        Ok(built)
    };
    if let Some((base, touched)) = base {
        let changed: Vec<&IndexedSource> = sources
            .iter()
            .filter(|source| {
                let known = base.find(&source.name);
                touched.contains(&source.name)
                    || !known.is_some_and(|indexed| corpus::same_stamp(source, indexed))
            })
            .collect();
        let bytes =
            |sources: &[&IndexedSource]| sources.iter().map(|source| source.stamp.len).sum::<u64>();
        let all: u64 = sources.iter().map(|source| source.stamp.len).sum();
        if bytes(&changed) * 100 <= all * DELTA_SHARE {
            let built = build(base.base, &changed, DELTA)?;
            vector_files::drop_others(dir, &[base.id, id]);
            vector_files::settle(dir, categories, kept, real_now)?;
            return Ok(Some(built));
        }
    }
    let all: Vec<&IndexedSource> = sources.iter().collect();
    let built = build(id, &all, BASE)?;
    atomic::remove_derived(&dir.join(DELTA));
    // Nothing is left of texts that are in the store no longer.
    vector_files::drop_others(dir, &[id]);
    vector_files::remove_all_recent(dir);
    Ok(Some(built))
}

/// Number of texts from which they are shared out among processors.
const MANY: usize = 1_000;

/// Embeds texts by the built-in model.
pub fn embed_all(texts: &[IndexText]) -> Vec<Vector> {
    let some = |texts: &[IndexText]| -> Vec<Vector> {
        let mut model = table::Static::default();
        texts.iter().map(|(_, text)| Vector::quantize(&model.vector(text))).collect()
    };
    in_shares(texts, MANY, some)
}

/// A text that is embedded, with its key or number.
pub type IndexText = (u64, String);

/// Reads and indexes files into the bytes of a packed file.
fn index(
    store: &Store,
    sources: &[&IndexedSource],
    known: (&Categories, &LearnedQuestions),
    real_now: SystemTime,
    mut manifest: Manifest,
    kept: KeptVectors,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<(Vec<u8>, Vec<IndexText>, Built)> {
    let mut texts = Vec::new();
    let mut builder = PostingsBuilder::new()?;
    let mut tokenizer = Tokenizer::default();
    let mut above = HeadingTokens::default();
    let mut built = Built::default();
    let mut tokens = String::new();
    for (done, source) in sources.iter().enumerate() {
        progress(done, sources.len());
        // A file that cannot be read is left to the search, which reports it.
        let Ok(Some(bytes)) = store.listed(&source.name) else { continue };
        let first = builder.count();
        let mut indexed =
            Indexed::of(store, source, &bytes, real_now, (first, FieldSize::default()));
        let size = &mut indexed.size;
        let mut failed = None;
        documents(source.kind, &source.name, bytes, known, |mut doc, text, headings| {
            tokens.clear();
            let text = text.searched();
            tokenizer.each(&text, |token, counts| {
                doc.words += u32::from(counts);
                postings::join(&mut tokens, token);
            });
            for token in above.of(headings, &mut tokenizer, |token| Some(token.to_owned())) {
                postings::join(&mut tokens, token);
            }
            *size += FieldSize { docs: 1, words: u64::from(doc.words) };
            failed = failed.take().or(builder.add(&doc, &tokens).err());
            let key = vectors::key(category_name(known.0, doc.category), &text);
            let text = embed::passage(&text);
            if kept.table {
                texts.push((key, text.into_owned()));
            }
        });
        if let Some(error) = failed {
            return Err(error);
        }
        built.files += 1;
        built.docs += size.docs;
        manifest.sources.push(indexed);
    }
    progress(sources.len(), sources.len());
    let mut sections = builder.finish()?;
    sections.insert("manifest".to_owned(), manifest.write());
    sections.insert(corpus::LEARNED.to_owned(), known.1.write().into_bytes());
    sections.insert(strengths::SECTION.to_owned(), strengths::write(store, real_now));
    Ok((container::pack(&sections, container::LONG), texts, built))
}
