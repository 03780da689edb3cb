//! Building and refreshing the index. Never on the way of a writer, never waited for.

use std::{path::Path, time::SystemTime};

use anyhow::Result;

use super::{
    corpus::{self, BASE, DELTA},
    folded,
    lexical::{self, Builder},
    manifest::{self, Indexed, Manifest, Source},
    packed,
    vectors::{self, Known},
};
use crate::{
    model::category::Categories,
    recall::{bm25::Size, corpus::documents, tokens::Tokenizer},
    store::{
        atomic::{self, Sync},
        lock::StoreLock,
        vault::Store,
    },
};

/// A delta larger than this share of its base (in per cent) makes a new base.
const DELTA_SHARE: u64 = 25;

/// What to do about vectors.
#[derive(Default)]
pub(crate) struct Embedding<'a> {
    /// The built-in model's are made.
    pub(crate) built_in: bool,
    /// The key and dimension of a further model, whose vectors are kept.
    pub(crate) model: Option<(u64, usize)>,
    /// Vectors of that model that were just made.
    pub(crate) fresh: Known,
    /// Makes those that are still missing.
    pub(crate) embedder: Option<&'a mut dyn Embedder>,
}

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Built {
    /// Files read.
    pub(crate) files: usize,
    /// Documents indexed.
    pub(crate) docs: u64,
    /// Vectors of the chosen model that are missing, because it could not serve.
    pub(crate) missing: usize,
}

/// Brings the index up to date: changed files only, or everything when `whole` or when much has
/// changed. `Ok(None)` when another process is at it. `progress` is told of each file.
pub(crate) fn refresh(
    store: &Store,
    dir: &Path,
    categories: &Categories,
    real_now: SystemTime,
    whole: bool,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Option<Built>> {
    atomic::create_dir(dir, true)?;
    let Some(_lock) = StoreLock::try_acquire(&dir.join("lock")) else { return Ok(None) };
    atomic::sweep(dir);
    let (sources, _) = manifest::sources(store);
    let recipe = manifest::recipe(categories);
    let base = if whole { None } else { corpus::open_files(dir, categories).ok() };
    let base = base.and_then(|files| files.into_iter().next()).map(|(_, manifest)| manifest);
    let mut build = |number: u64, sources: &[&Source], name: &str| -> Result<Built> {
        let (bytes, built) = index(
            store,
            sources,
            categories,
            real_now,
            Manifest { base: number, recipe, sources: Vec::new() },
            progress,
        )?;
        atomic::replace_file(&dir.join(name), &bytes, Sync::Private, || Ok(true))?;
        Ok(built)
    };
    if let Some(base) = base {
        let changed: Vec<&Source> = sources
            .iter()
            .filter(|source| {
                let known = base.find(&source.name);
                !known.is_some_and(|indexed| corpus::same_stamp(source, indexed))
            })
            .collect();
        let bytes =
            |sources: &[&Source]| sources.iter().map(|source| source.stamp.len).sum::<u64>();
        let all: u64 = sources.iter().map(|source| source.stamp.len).sum();
        if bytes(&changed) * 100 <= all * DELTA_SHARE {
            return build(base.base, &changed, DELTA).map(Some);
        }
    }
    let number = u64::try_from(atomic::random()? & u128::from(u64::MAX)).unwrap_or(0);
    let all: Vec<&Source> = sources.iter().collect();
    let built = build(number, &all, BASE)?;
    atomic::remove_derived(&dir.join(DELTA));
    Ok(Some(built))
}

/// Reads and indexes files into the bytes of a packed file.
fn index(
    store: &Store,
    sources: &[&Source],
    categories: &Categories,
    real_now: SystemTime,
    mut manifest: Manifest,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<(Vec<u8>, Built)> {
    let mut builder = Builder::new()?;
    let mut tokenizer = Tokenizer::default();
    let mut built = Built::default();
    let mut tokens = String::new();
    for (done, source) in sources.iter().enumerate() {
        progress(done, sources.len());
        // What cannot be read now is read, and complained about, by the search.
        let Ok(Some(bytes)) = store.file(&source.name) else { continue };
        let first = builder.count();
        let hash = manifest::content_hash(&bytes);
        // The stamp was taken before reading; a file that changed between has another length or a
        // stamp so young that its content is compared.
        let stamp = manifest::Stamp { len: bytes.len() as u64, ..source.stamp };
        let racy = stamp.racy(real_now) || stamp != source.stamp;
        let mut size = Size::default();
        let mut failed = None;
        documents(source.kind, &source.name, bytes, categories, |mut doc, text| {
            tokens.clear();
            tokenizer.each(text, |token, counts| {
                doc.words += u32::from(counts);
                lexical::join(&mut tokens, token);
            });
            size += Size { docs: 1, words: u64::from(doc.words) };
            failed = failed.take().or(builder.add(&doc, &tokens).err());
        });
        if let Some(error) = failed {
            return Err(error);
        }
        built.files += 1;
        built.docs += size.docs;
        let (name, kind) = (source.name.clone(), source.kind);
        manifest.sources.push(Indexed { name, kind, stamp, racy, hash, first, size });
    }
    progress(sources.len(), sources.len());
    let mut sections = builder.finish()?;
    sections.insert("manifest".to_owned(), manifest.write());
    sections.insert(folded::SECTION.to_owned(), folded::write(store, real_now));
    Ok((packed::pack(&sections), built))
}
