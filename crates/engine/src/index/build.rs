//! Building and refreshing the index. Writers never build or wait for it.

use std::{num::NonZero, panic::resume_unwind, path::Path, thread, time::SystemTime};

use anyhow::Result;

use super::{
    container::{self, Packed},
    corpus::{self, BASE, DELTA},
    manifest::{self, Indexed, Manifest, Source},
    postings::{self, Builder},
    strengths,
    vectors::{self, Known},
};
use crate::store::{
    Store,
    atomic::{self, Sync},
    lock::StoreLock,
};
use pimem_core::{
    embed::{
        self,
        model::{Embedder, Role, Unavailable},
        table,
        vector::Vector,
    },
    model::{category::Categories, hash::IdSet},
    search::{
        bm25::Size,
        documents::{category_name, documents},
        tokens::Tokenizer,
    },
};

/// A delta larger than this percentage of its base is replaced by a new base.
const DELTA_SHARE: u64 = 25;

/// Which vectors to build.
#[derive(Default)]
pub struct Embedding<'a> {
    /// True if vectors of the built-in model are built.
    pub built_in: bool,
    /// Key and dimension of another model whose vectors are kept.
    pub model: Option<(u64, usize)>,
    /// Known vectors of that model, including new ones.
    pub fresh: Known,
    /// Computes the missing vectors of that model.
    pub embedder: Option<&'a mut dyn Embedder>,
    /// Progress callback: number of vectors computed, and total.
    pub progress: Option<&'a mut dyn FnMut(usize, usize)>,
}

/// Result of a refresh.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Built {
    /// Number of files read.
    pub files: usize,
    /// Number of documents indexed.
    pub docs: u64,
    /// Number of documents with a vector of the other model.
    pub vectors: usize,
    /// Number of documents without one.
    pub missing: usize,
    /// Why missing vectors could not be computed.
    pub trouble: Option<Unavailable>,
}

/// Updates the index: indexes the changed files, or all files if `whole` is true or much has
/// changed. `Ok(None)` if another process is updating it. `progress` is called for each file.
pub fn refresh(
    store: &Store,
    dir: &Path,
    categories: &Categories,
    real_now: SystemTime,
    whole: bool,
    mut embedding: Embedding<'_>,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Option<Built>> {
    atomic::create_dir(dir, Sync::Private)?;
    let Some(_lock) = StoreLock::try_acquire(&dir.join("lock")) else { return Ok(None) };
    atomic::sweep(dir);
    let (sources, _) = manifest::sources(store);
    let recipe = manifest::recipe(categories);
    let base = if whole { None } else { corpus::open_files(dir, categories).ok() };
    let base = base.and_then(|files| files.into_iter().next());
    let base = base.filter(|(packed, manifest)| embedding.is_whole(dir, packed, manifest));
    let base = base.map(|(_, manifest)| manifest);
    embedding.take_over(dir);
    let id = u64::try_from(atomic::random()? & u128::from(u64::MAX)).unwrap_or(0);
    let mut build = |base: u64, sources: &[&Source], name: &str| -> Result<Built> {
        let manifest = Manifest { base, id, recipe, sources: Vec::new() };
        let (bytes, vectors, built) =
            index(store, sources, categories, real_now, manifest, &mut embedding, progress)?;
        // Vectors are written first, because they are looked up only through the index that names
        // them.
        for (model, bytes) in vectors {
            let path = dir.join(vectors::file_name(id, model));
            atomic::replace_file(&path, &bytes, Sync::Private, || Ok(true))?;
        }
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
            let built = build(base.base, &changed, DELTA)?;
            drop_vectors(dir, &[base.id, id]);
            return Ok(Some(built));
        }
    }
    let all: Vec<&Source> = sources.iter().collect();
    let built = build(id, &all, BASE)?;
    atomic::remove_derived(&dir.join(DELTA));
    drop_vectors(dir, &[id]);
    Ok(Some(built))
}

/// Deletes the vectors of index files that no longer exist.
fn drop_vectors(dir: &Path, kept: &[u64]) {
    let Ok(found) = std::fs::read_dir(dir) else { return };
    for entry in found.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let of_kept = kept.iter().any(|id| name.starts_with(&format!("{id:016x}-")));
        if name.ends_with(vectors::SUFFIX) && !of_kept {
            atomic::remove_derived(&entry.path());
        }
    }
}

impl Embedding<'_> {
    /// Adds existing vectors, so that a slow model embeds no text twice.
    fn take_over(&mut self, dir: &Path) {
        let Some(model) = self.model else { return };
        for (key, vector) in corpus::known_vectors(dir, model) {
            self.fresh.entry(key).or_insert(vector);
        }
    }

    /// Returns true if an index file has all vectors that can be built for it.
    fn is_whole(&self, dir: &Path, packed: &Packed, manifest: &Manifest) -> bool {
        let has_all = |model: (u64, usize)| {
            let vectors = corpus::vectors_of(dir, packed, manifest, model);
            let docs = manifest.sources.iter().flat_map(Indexed::docs);
            vectors.is_some_and(|vectors| docs.into_iter().all(|doc| !vectors.lacks(doc)))
        };
        let own = table::model();
        let further = self.model.filter(|_| self.embedder.is_some());
        (!self.built_in || has_all(own.space())) && further.is_none_or(has_all)
    }

    /// Computes the missing vectors of some texts by the other model, if it is available.
    fn make(&mut self, texts: &[(u64, String)]) -> Option<Unavailable> {
        let Self { fresh, embedder, progress, .. } = self;
        let texts: Vec<(u64, &str)> = texts.iter().map(|(key, text)| (*key, &**text)).collect();
        let mut progress = progress.take();
        let mut told = |done, all| {
            if let Some(progress) = &mut progress {
                progress(done, all);
            }
        };
        make(&mut **embedder.as_mut()?, &texts, fresh, &mut told).err()
    }
}

/// Number of texts from which all processors are used.
const MANY: usize = 2_000;

/// Embeds texts by the built-in model.
fn embed_all(texts: &[(u64, String)]) -> Vec<Vector> {
    let some = |texts: &[(u64, String)]| -> Vec<Vector> {
        let mut model = table::Static::default();
        texts.iter().map(|(_, text)| Vector::quantize(&model.vector(text))).collect()
    };
    if texts.len() < MANY {
        return some(texts);
    }
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        let parts = texts.chunks(texts.len().div_ceil(processors));
        let parts: Vec<_> = parts.map(|part| scope.spawn(move || some(part))).collect();
        let joined = parts.into_iter().map(|part| part.join().unwrap_or_else(|p| resume_unwind(p)));
        joined.flatten().collect()
    })
}

/// Number of texts per call of the model.
const BATCH: usize = 64;

/// Computes the vectors of the texts that are not in `known`. If the model fails, the vectors
/// computed before stay in `known`.
pub fn make(
    embedder: &mut dyn Embedder,
    texts: &[(u64, &str)],
    known: &mut Known,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<(), Unavailable> {
    let mut seen = IdSet::default();
    let missing = texts.iter().filter(|(key, _)| !known.contains_key(key) && seen.insert(*key));
    let (keys, passages): (Vec<u64>, Vec<&str>) = missing.copied().unzip();
    let all = passages.len();
    for (number, (batch, keys)) in passages.chunks(BATCH).zip(keys.chunks(BATCH)).enumerate() {
        let before = number * BATCH;
        let made =
            embedder.embed(Role::Passage, batch, &mut |done| progress(before + done, all))?;
        known.extend(keys.iter().copied().zip(made.iter().map(|made| Vector::quantize(made))));
    }
    progress(all, all);
    Ok(())
}

/// A model's key, and the content of its vector file.
type VectorFile = (u64, Vec<u8>);

/// Reads and indexes files into the bytes of a packed file.
fn index(
    store: &Store,
    sources: &[&Source],
    categories: &Categories,
    real_now: SystemTime,
    mut manifest: Manifest,
    embedding: &mut Embedding<'_>,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<(Vec<u8>, Vec<VectorFile>, Built)> {
    let mut texts = Vec::new();
    let mut builder = Builder::new()?;
    let mut tokenizer = Tokenizer::default();
    let mut built = Built::default();
    let mut tokens = String::new();
    for (done, source) in sources.iter().enumerate() {
        progress(done, sources.len());
        // A file that cannot be read is left to the search, which reports it.
        let Ok(Some(bytes)) = store.listed(&source.name) else { continue };
        let first = builder.count();
        let hash = manifest::content_hash(&bytes);
        // The stamp was taken before reading. A file that changed in between has another length, or
        // a stamp so recent that its content is compared.
        let stamp = source.stamp.of_read(&bytes);
        let racy = stamp.racy(real_now) || stamp != source.stamp;
        let mut size = Size::default();
        let mut failed = None;
        documents(source.kind, &source.name, bytes, categories, |mut doc, text| {
            tokens.clear();
            tokenizer.each(text, |token, counts| {
                doc.words += u32::from(counts);
                postings::join(&mut tokens, token);
            });
            size += Size { docs: 1, words: u64::from(doc.words) };
            failed = failed.take().or(builder.add(&doc, &tokens).err());
            let key = vectors::key(category_name(categories, doc.category), text);
            let text = embed::passage(text);
            if embedding.built_in || embedding.model.is_some() {
                texts.push((key, text.into_owned()));
            }
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
    sections.insert(strengths::SECTION.to_owned(), strengths::write(store, real_now));
    let mut files = Vec::new();
    if embedding.built_in {
        let key = table::model().key();
        let mut own = vectors::Builder::new(key, table::DIMENSION);
        for ((key, _), vector) in texts.iter().zip(embed_all(&texts)) {
            own.push(*key, Some(&vector));
        }
        files.push((key, own.finish(manifest.id)));
    }
    if let Some((model, dimension)) = embedding.model {
        let mut further = vectors::Builder::new(model, dimension);
        built.trouble = embedding.make(&texts);
        for (key, _) in &texts {
            let vector = embedding.fresh.get(key);
            further.push(*key, vector);
            built.vectors += usize::from(vector.is_some());
        }
        built.missing = texts.len() - built.vectors;
        files.push((model, further.finish(manifest.id)));
    }
    Ok((container::pack(&sections, container::LONG), files, built))
}
