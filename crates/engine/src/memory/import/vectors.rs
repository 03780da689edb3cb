//! Import of vectors computed by another program.

use std::{collections::BTreeMap, path::Path};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::{
    error::{Failure, FailureKind},
    index::{self, vector_files, vectors::KnownVectors},
    memory::{Answer, Memory, export, named_file, search::embedding},
    store::Store,
};
use pimem_core::embed::{catalog::Model, table, vector::Vector};

/// Maximum size of the file in bytes.
const MAX: u64 = 1 << 30;
/// Hint with the expected file.
const WHERE: &str = "pi keeps its vectors in .pi/memory/embeddings.json";
/// Fields in which other programs may nest the vectors.
const WRAPPERS: [&str; 3] = ["embeddings", "entries", "vectors"];

impl Memory {
    /// Imports the vectors of existing entries. They must be of the chosen model.
    ///
    /// # Errors
    /// Fails if the model accepts no vectors, the file cannot be read or has vectors of another
    /// model, or the index cannot be written.
    pub fn import_vectors(&self, path: &Path) -> Result<Answer<ImportedVectors>, Failure> {
        let model = export::chosen(self)?;
        if model.id == table::NAME {
            let message = "the model static makes its own vectors and takes no others";
            let hint = "pimem model use NAME chooses the model that they are of";
            return Err(Failure::new(FailureKind::Refused, message, hint));
        }
        let found = parse(&named_file::named(path, MAX, WHERE)?, &model)
            .map_err(|why| refused(&format!("{}: {why}", path.display())))?;
        let vectors = found.len();
        let mut imported = KnownVectors::default();
        let mut problems = Vec::new();
        for store in self.readers()? {
            let (entries, unread) = export::entries(self, &store);
            problems.extend(unread);
            let fresh: KnownVectors =
                entries.keys().filter_map(|key| Some((*key, found.get(key)?.clone()))).collect();
            if !fresh.is_empty() {
                imported.extend(fresh.iter().map(|(key, vector)| (*key, vector.clone())));
                keep(self, &store, &fresh)?;
            }
        }
        let imported = imported.len();
        let (dimension, unknown) = (model.dimension, vectors - imported);
        let view = ImportedVectors { model: model.id, dimension, vectors, imported, unknown };
        Ok(Answer { view, problems })
    }
}

fn refused(message: &str) -> Failure {
    Failure::new(
        FailureKind::Refused,
        message,
        "pimem export embeddings writes the format that is read",
    )
}

/// Stores vectors in the index of a store.
fn keep(memory: &Memory, store: &Store, fresh: &KnownVectors) -> Result<(), Failure> {
    let Some(dir) = memory.cache_dir(store) else {
        return Err(Failure::new(FailureKind::Usage, "there is no cache directory", "set HOME"));
    };
    let kept = embedding::kept(memory);
    if let Some(space) = kept.model {
        vector_files::append_recent(&dir, space, fresh)?;
    }
    let mut progress = memory.notices.progress("indexing");
    let (categories, when) = (&memory.config.categories, memory.real_now);
    index::refresh(store, &dir, categories, when, true, kept, &mut progress)?.ok_or_else(|| {
        let message = format!("another process is at the index of {}", store.dir.display());
        Failure::new(FailureKind::Locked, message, "try again in a moment")
    })?;
    Ok(())
}

/// A vector in an object.
#[derive(Deserialize)]
struct Holder {
    #[serde(alias = "embedding")]
    vector: Vec<f64>,
}

/// Values are parsed one by one; a tree of all would take several times the size of the file.
type Values<'a> = BTreeMap<String, &'a RawValue>;

/// Parses the vectors of a file, by key.
fn parse(bytes: &[u8], model: &Model) -> Result<BTreeMap<u64, Vector>, String> {
    let no_object = |error: serde_json::Error| match error.classify() {
        serde_json::error::Category::Data => "not a JSON object of vectors".to_owned(),
        _ => format!("not whole JSON: {error}"),
    };
    let mut values: Values<'_> = serde_json::from_slice(bytes).map_err(no_object)?;
    if !values.keys().any(|name| key(name).is_some())
        && let Some(inner) = WRAPPERS.iter().find_map(|name| values.get(*name))
    {
        values = serde_json::from_str(inner.get()).map_err(no_object)?;
    }
    let mut found = BTreeMap::new();
    for (name, value) in values {
        // Other keys are metadata of the file.
        let Some(key) = key(&name) else { continue };
        let numbers = numbers(value).map_err(|error| format!("the value of {name} {error}"))?;
        if numbers.len() != model.dimension {
            let (got, want) = (numbers.len(), model.dimension);
            return Err(format!(
                "the vector of {name} has {got} numbers, and those of {} have {want}",
                model.id
            ));
        }
        found.insert(key, Vector::quantize(&numbers));
    }
    if found.is_empty() {
        return Err("holds no vectors under keys of 16 hexadecimal digits".to_owned());
    }
    Ok(found)
}

/// Parses a key: a SHA-256 in hexadecimal, possibly truncated to 16 digits or more.
fn key(name: &str) -> Option<u64> {
    let is_hex = name.len() <= 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    u64::from_str_radix(name.get(..16).filter(|_| is_hex)?, 16).ok()
}

fn numbers(value: &RawValue) -> Result<Vec<f32>, String> {
    let text = value.get();
    let numbers: Vec<f64> = if text.starts_with('{') {
        let holder: Holder = serde_json::from_str(text)
            .map_err(|_| "has no array of numbers \"vector\" or \"embedding\"")?;
        holder.vector
    } else {
        serde_json::from_str(text).map_err(|_| "is not an array of numbers")?
    };
    #[expect(clippy::cast_possible_truncation, reason = "what becomes infinite is refused")]
    let numbers: Vec<f32> = numbers.into_iter().map(|number| number as f32).collect();
    if numbers.iter().all(|number| number.is_finite()) {
        return Ok(numbers);
    }
    Err("holds a number that is too large".to_owned())
}

/// The result of an import of vectors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ImportedVectors {
    /// Model that made the vectors.
    pub model: String,
    /// Dimensions of each vector.
    pub dimension: usize,
    /// Vectors in the file.
    pub vectors: usize,
    /// Vectors of entries in the store.
    pub imported: usize,
    /// Vectors of other texts, which are skipped.
    pub unknown: usize,
}

documents! {
    ImportedVectors: "pimem.import/1",
}

#[cfg(test)]
mod tests {
    use super::*;
    use pimem_core::embed::catalog::{self, Pooling};

    const A: &str = "0123456789abcdef";

    fn read(text: &str) -> Result<Vec<u64>, String> {
        let model = catalog::model("two", 2, Pooling::Mean);
        parse(text.as_bytes(), &model).map(|found| found.into_keys().collect())
    }

    #[test]
    fn forms() {
        let (all, upper) = (format!("{A}{A}"), A.to_uppercase());
        for text in [
            format!(r#"{{"{A}": [1, -2.5e-3]}}"#),
            format!(r#" {{ "{upper}" : [0,0] }} "#),
            format!(r#"{{"{all}": [1, 2], "model": "x", "version": 1}}"#),
            format!(r#"{{"model": "x", "entries": {{"{A}": [1, 2]}}}}"#),
            format!(r#"{{"embeddings": {{"{A}": {{"text": "t", "vector": [1, 2]}}}}}}"#),
            format!(r#"{{"vectors": {{"{A}": {{"embedding": [1, 2], "model": "x"}}}}}}"#),
        ] {
            assert_eq!(read(&text), Ok(vec![0x0123_4567_89ab_cdef]), "{text}");
        }
    }

    #[test]
    fn what_is_no_file_of_vectors() {
        let of_a = |value: &str| format!(r#"{{"{A}": {value}}}"#);
        let whole = of_a("[1, 2]");
        for at in 0..whole.len() {
            assert!(read(&whole[..at]).unwrap_err().contains("not whole JSON"), "{at}");
        }
        for (text, want) in [
            ("[1, 2]".to_owned(), "not a JSON object of vectors"),
            ("null".to_owned(), "not a JSON object of vectors"),
            (format!("{whole} {whole}"), "not whole JSON"),
            ("{}".to_owned(), "holds no vectors"),
            (r#"{"some text": [1, 2]}"#.to_owned(), "holds no vectors"),
            (r#"{"entries": []}"#.to_owned(), "not a JSON object of vectors"),
            (r#"{"entries": {}}"#.to_owned(), "holds no vectors"),
            (of_a("[1]"), "has 1 numbers, and those of two have 2"),
            (of_a("[]"), "has 0 numbers"),
            (of_a("[1, 2, 3]"), "has 3 numbers"),
            (of_a("[1, null]"), "is not an array of numbers"),
            (of_a("[1, \"2\"]"), "is not an array of numbers"),
            (of_a("[1, [2]]"), "is not an array of numbers"),
            (of_a("[1, 1e999]"), "is not an array of numbers"),
            (of_a("[1, 1e39]"), "holds a number that is too large"),
            (of_a("[1, NaN]"), "not whole JSON"),
            (of_a("7"), "is not an array of numbers"),
            (of_a("{}"), "has no array of numbers"),
            (of_a("{\"vector\": 1}"), "has no array of numbers"),
            (of_a(&format!("{}{}", "[".repeat(100_000), "]".repeat(100_000))), "is not "),
        ] {
            let error = read(&text).unwrap_err();
            assert!(error.contains(want), "{error} does not say {want}");
        }
    }
}
