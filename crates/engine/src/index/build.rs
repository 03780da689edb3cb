//! Building and refreshing the index. Never on the way of a writer, never waited for.

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
    atomic::{self, Sync},
    lock::StoreLock,
    snapshot::Store,
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

/// A delta larger than this share of its base (in per cent) makes a new base.
const DELTA_SHARE: u64 = 25;

/// What to do about vectors.
#[derive(Default)]
pub struct Embedding<'a> {
    /// The built-in model's are made.
    pub built_in: bool,
    /// The key and dimension of a further model, whose vectors are kept.
    pub model: Option<(u64, usize)>,
    /// Vectors of that model that were just made.
    pub fresh: Known,
    /// Makes those that are still missing.
    pub embedder: Option<&'a mut dyn Embedder>,
    /// Is told how many of them are made.
    pub progress: Option<&'a mut dyn FnMut(usize, usize)>,
}

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Built {
    /// Files read.
    pub files: usize,
    /// Documents indexed.
    pub docs: u64,
    /// Vectors of the further model, for as many of the documents.
    pub vectors: usize,
    /// Those that are missing.
    pub missing: usize,
    /// Why they could not be made.
    pub trouble: Option<Unavailable>,
}

/// Brings the index up to date: changed files only, or everything when `whole` or when much has
/// changed. `Ok(None)` when another process is at it. `progress` is told of each file.
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
        // Vectors first: nobody looks for them before the index that names them is there.
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

/// Deletes the vectors of index files that are gone.
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
    /// Adds the vectors that are there already, so that no text is embedded twice by a model that
    /// takes its time.
    fn take_over(&mut self, dir: &Path) {
        let Some(model) = self.model else { return };
        for (key, vector) in corpus::known_vectors(dir, model) {
            self.fresh.entry(key).or_insert(vector);
        }
    }

    /// Whether an index file has all the vectors that can be made for it.
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

    /// Makes the missing ones of these texts' vectors by the further model, if it can serve.
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

/// Texts from which it pays to embed on all processors.
const MANY: usize = 2_000;

/// The vectors of texts by the built-in model.
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

/// Texts that a model is given at once.
const BATCH: usize = 64;

/// Makes the vectors of those texts that are not `known` yet. What was made before the model
/// failed is kept.
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

/// A model's key, and the bytes of its file of vectors.
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
        // What cannot be read now is read, and complained about, by the search.
        let Ok(Some(bytes)) = store.listed(&source.name) else { continue };
        let first = builder.count();
        let hash = manifest::content_hash(&bytes);
        // The stamp was taken before reading; a file that changed between has another length or a
        // stamp so young that its content is compared.
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
