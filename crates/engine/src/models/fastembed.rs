//! Interface to fastembed and ONNX Runtime, which are used only here. It runs in the model's own
//! process.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use ::fastembed::{
    EmbeddingModel, InitOptionsUserDefined, OutputKey, TextEmbedding, TokenizerFiles,
    UserDefinedEmbeddingModel,
};

use super::{install, installed::ModelManifest};
use crate::store::read;
use pimem_core::embed::catalog::{self, Known, Pooling, Unavailable};

/// True if the build supports ONNX models.
pub const INCLUDED: bool = true;

pub struct FastembedSession(TextEmbedding);

impl FastembedSession {
    /// Returns the vector of a text. Texts are embedded one at a time: with dynamic quantisation a
    /// vector depends on the rest of the batch, and small batches are the fastest.
    pub fn embed(&mut self, text: &str) -> Result<Vec<f32>, Unavailable> {
        let vectors =
            self.0.embed([text], Some(1)).map_err(|error| Unavailable(error.to_string()))?;
        vectors.into_iter().next().ok_or_else(|| Unavailable("the model gave nothing".to_owned()))
    }
}

/// Returns the version of a library, as numbers.
#[expect(clippy::cast_precision_loss, reason = "versions are small")]
pub fn version(library: &Path) -> Result<Vec<f32>, Unavailable> {
    drop(ort::init_from(absolute(library)?).map_err(|error| cannot_load(library, &error))?);
    // The call above succeeds with versions 1.x only.
    let minor = ort::util::probe(library).unwrap_or_default();
    Ok(vec![1.0, minor as f32])
}

pub fn load(library: &Path, dir: &Path) -> Result<FastembedSession, Unavailable> {
    let manifest = ModelManifest::read(dir)?
        .ok_or_else(|| Unavailable(format!("there is no model in {}", dir.display())))?;
    // Without this step, fastembed panics if there is no library.
    let environment = ort::init_from(absolute(library)?)
        .map_err(|error| cannot_load(library, &error))?
        .with_name("pimem")
        .with_telemetry(false)
        .build()
        .map_err(|error| cannot_load(library, &error))?;
    let read = |name: &str| {
        let path = dir.join(name);
        fs::read(&path).map_err(|error| cannot_read(&path, &error))
    };
    let files = TokenizerFiles {
        tokenizer_file: read(install::TOKENIZER)?,
        config_file: read(install::CONFIG)?,
        special_tokens_map_file: read(install::SPECIAL)?,
        tokenizer_config_file: read(install::TOKENIZER_CONFIG)?,
    };
    let mut model = UserDefinedEmbeddingModel::new(read(install::MODEL)?, files);
    // Always set, because fastembed's default is the first token.
    model.pooling = Some(match manifest.model.pooling {
        Pooling::Mean | Pooling::Sum => ::fastembed::Pooling::Mean,
        Pooling::Cls => ::fastembed::Pooling::Cls,
    });
    // The leak is harmless: the process ends with the model.
    model.output_key = manifest.output.map(|name| OutputKey::ByName(name.leak()));
    let own = [
        install::MODEL,
        install::TOKENIZER,
        install::CONFIG,
        install::SPECIAL,
        install::TOKENIZER_CONFIG,
    ];
    for file in manifest.files.iter().filter(|file| !own.contains(&file.name.as_str())) {
        model = model.with_external_initializer(file.name.clone(), read(&file.name)?);
    }
    // More threads do not help for one short text, and much of the time is spent elsewhere.
    let options = InitOptionsUserDefined::new()
        .with_environment(environment)
        .with_max_length(manifest.max_tokens)
        .with_intra_threads(1);
    let session = TextEmbedding::try_new_from_user_defined(model, options)
        .map_err(|error| Unavailable(format!("cannot load the model: {error}")))?;
    Ok(FastembedSession(session))
}

fn absolute(library: &Path) -> Result<PathBuf, Unavailable> {
    // A relative path would be searched for beside the program first.
    read::canonical(library).map_err(|error| cannot_read(library, &error))
}

fn cannot_read(path: &Path, error: &io::Error) -> Unavailable {
    Unavailable(format!("cannot read {}: {error}", path.display()))
}

fn cannot_load(library: &Path, error: &dyn std::error::Error) -> Unavailable {
    let error = error.to_string();
    // The text before repeats the path and has versions of ort that users do not know.
    let reason = match error.split_once("; expected version ") {
        Some((_, versions)) => format!("its version should be {versions}"),
        None => error,
    };
    Unavailable(format!("cannot load {}: {reason}", library.display()))
}

/// Returns all text models that fastembed supports, those of the documentation first.
pub fn supported() -> Vec<Known> {
    let mut all = catalog::all();
    let mut more: Vec<Known> =
        TextEmbedding::list_supported_models().into_iter().map(of_fastembed).collect();
    more.retain(|known| all.iter().all(|other| other.model.id != known.model.id));
    more.sort_by(|a, b| a.model.id.cmp(&b.model.id));
    all.append(&mut more);
    all
}

fn of_fastembed(info: ::fastembed::ModelInfo<EmbeddingModel>) -> Known {
    let variant = info.model.to_string();
    let mut name = catalog::canonical(&info.model_code);
    // Most quantised variants share a repository with the others.
    if variant.ends_with("Q4") {
        name.push_str("-q4");
    } else if variant.ends_with('Q') && !name.ends_with("-q") {
        name.push_str("-q");
    }
    let pooling = match TextEmbedding::get_default_pooling_method(&info.model) {
        Some(::fastembed::Pooling::Cls) => Pooling::Cls,
        _ => Pooling::Mean,
    };
    let output = info.output_key.and_then(|key| match key {
        OutputKey::ByName(name) => Some(name.to_owned()),
        _ => None,
    });
    Known {
        model: catalog::model(&name, info.dim, pooling),
        repository: info.model_code,
        file: info.model_file,
        external: info.additional_files,
        output,
        pin: None,
        weights: None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_usable_and_differ() {
        let all = supported();
        let names: BTreeSet<&str> = all.iter().map(|known| known.model.id.as_str()).collect();
        assert_eq!(names.len(), all.len());
        assert!(names.iter().all(|name| catalog::is_usable(name)), "{names:?}");
        for name in ["multilingual-e5-small", "nomic-embed-text-v1.5-q", "embeddinggemma-300m-q4"] {
            assert!(names.contains(name), "{names:?}");
        }
    }

    #[test]
    fn what_we_say_is_what_fastembed_says() {
        for info in TextEmbedding::list_supported_models() {
            let theirs = of_fastembed(info);
            let ours = catalog::all().into_iter().find(|known| known.model.id == theirs.model.id);
            let Some(ours) = ours else { continue };
            assert_eq!(Known { pin: None, weights: None, ..ours }, theirs);
        }
    }
}
