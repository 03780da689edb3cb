//! Export of the vectors of entries.

use std::{collections::BTreeMap, path::Path};

use serde::Serialize;

use super::{Output, STDOUT};
use crate::{
    error::{Failure, FailureKind},
    index::{
        corpus, manifest,
        vectors::{self, KnownVectors},
    },
    memory::{
        Answer, Memory, fill, model, named_file,
        search::embedding,
        stale::{Refresh, Stale},
    },
    models::built_in,
    store::{
        Store,
        atomic::{self, Sync},
        read::ReadProblem,
    },
};
use pimem_core::{
    embed::{
        self,
        catalog::{self, Embedder, Model, Unavailable},
        table,
        vector::Vector,
    },
    search::documents::{SourceKind, category_name, documents},
};

impl Memory {
    /// Exports the vectors of all entries as JSON, to a file if one is named. Missing vectors are
    /// computed. Also returns the indices that should store the new vectors.
    ///
    /// # Errors
    /// Fails if no model is chosen, the model cannot run, or the file cannot be written.
    pub fn export_vectors(
        &self,
        output: Option<&Path>,
    ) -> Result<(Answer<Output<ExportedVectors>>, Vec<Stale>), Failure> {
        let model = chosen(self)?;
        if let Some(path) = output {
            named_file::writable(path, STDOUT)?;
        }
        let mut embedder: Option<Box<dyn Embedder>> = None;
        let mut all = BTreeMap::new();
        let (mut stale, mut problems) = (Vec::new(), Vec::new());
        for store in self.readers()? {
            let (texts, unread) = entries(self, &store);
            problems.extend(unread);
            let dir = self.cache_dir(&store).filter(|_| model.id != table::NAME);
            let mut known = dir
                .map(|dir| corpus::known_vectors(&dir, (model.key(), model.dimension)))
                .unwrap_or_default();
            let made = missing(self, &model, &texts, &mut known, &mut embedder)?;
            all.extend(texts.into_keys().filter_map(|key| Some((key, known.remove(&key)?))));
            if !made.is_empty() {
                let fresh = Some((model.space(), made));
                stale.push(Stale { fresh, ..Stale::of(&store, Refresh::Nothing) });
            }
        }
        let text = object(&all);
        let view = match output {
            None => Output::Text(text),
            Some(path) => {
                atomic::write_output(path, text.as_bytes(), Sync::None, self.real_now)?;
                Output::Files(ExportedVectors {
                    model: model.id,
                    dimension: model.dimension,
                    exported: all.len(),
                    file: path.display().to_string(),
                })
            }
        };
        Ok((Answer { view, problems }, stale))
    }
}

/// Returns the chosen model, which need not be able to run.
pub(in crate::memory) fn chosen(memory: &Memory) -> Result<Model, Failure> {
    match model::in_force(memory).as_str() {
        embedding::NONE => {
            let hint = "pimem model use static chooses the built-in model";
            Err(Failure::new(
                FailureKind::Refused,
                "embedding.model is none: there are no vectors",
                hint,
            ))
        }
        table::NAME => Ok(table::model()),
        name if built_in::is_it(name) => {
            built_in::describe().map(|(model, _)| model).map_err(embedding::failure)
        }
        name if catalog::of_ollama(name).is_some() => {
            let known = embedding::remote(memory, name).and_then(|remote| remote.known());
            let why = format!("the model {name} was never asked (pimem rebuild does it)");
            known.ok_or_else(|| embedding::failure(Unavailable(why)))
        }
        name => {
            let manifest = memory.models()?.manifest(name);
            manifest.map(|manifest| manifest.model).map_err(|why| {
                let mut failure = model::unknown(name, why.0);
                failure.hints.push("vectors belong to an installed model's very files".to_owned());
                failure
            })
        }
    }
}

/// Returns the embedded texts of a store's entries, by key.
pub(in crate::memory) fn entries(
    memory: &Memory,
    store: &Store,
) -> (BTreeMap<u64, String>, Vec<ReadProblem>) {
    let categories = &memory.config.categories;
    let (sources, mut problems) = manifest::sources(store);
    problems.retain(|problem| problem.path.starts_with(store.topics_dir()));
    let mut found = BTreeMap::new();
    for source in sources.iter().filter(|source| source.kind == SourceKind::Topic) {
        match store.file(&source.name) {
            Ok(Some(bytes)) => {
                documents(source.kind, &source.name, bytes, categories, |doc, text, _| {
                    let key = vectors::key(category_name(categories, doc.category), text);
                    found.insert(key, embed::passage(text).into_owned());
                });
            }
            Ok(None) => {}
            Err(problem) => problems.push(problem),
        }
    }
    (found, problems)
}

/// Computes missing vectors, and returns those worth storing.
fn missing(
    memory: &Memory,
    model: &Model,
    texts: &BTreeMap<u64, String>,
    known: &mut KnownVectors,
    embedder: &mut Option<Box<dyn Embedder>>,
) -> Result<KnownVectors, Failure> {
    let missing: Vec<(u64, &str)> = texts
        .iter()
        .filter(|(key, _)| !known.contains_key(key))
        .map(|(key, text)| (*key, text.as_str()))
        .collect();
    if missing.is_empty() {
        return Ok(KnownVectors::default());
    }
    let cannot = || embedding::failure(Unavailable(format!("the model {} cannot serve", model.id)));
    let embedder = match embedder {
        Some(embedder) => embedder,
        none => none.insert(embedding::embedder(memory, &model.id)?.ok_or_else(cannot)?),
    };
    let mut made = KnownVectors::default();
    let mut progress = memory.notices.progress("embedding");
    fill::make(embedder.as_mut(), &missing, &mut progress, &mut |some| made.extend(some))
        .map_err(embedding::failure)?;
    known.extend(made.iter().map(|(key, vector)| (*key, vector.clone())));
    // Vectors of the built-in model are fast to compute, so they are not stored.
    Ok(if model.id == table::NAME { KnownVectors::default() } else { made })
}

/// Returns the JSON document, with one vector per line.
fn object(vectors: &BTreeMap<u64, Vector>) -> String {
    let line = |(key, vector): (&u64, &Vector)| {
        let numbers = serde_json::to_string(&vector.unit()).unwrap_or_default();
        format!("\n\"{key:016x}\":{numbers}")
    };
    let lines: Vec<String> = vectors.iter().map(line).collect();
    format!("{{{}\n}}\n", lines.join(","))
}

/// The result of an export of vectors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExportedVectors {
    /// Model that made the vectors.
    pub model: String,
    /// Dimensions of each vector.
    pub dimension: usize,
    /// Number of vectors.
    pub exported: usize,
    /// Path of the file.
    pub file: String,
}

documents! {
    ExportedVectors: "pimem.export/1",
}
