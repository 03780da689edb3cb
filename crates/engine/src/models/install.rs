//! Installation of models and of the ONNX Runtime library. They are prepared and tried in a
//! separate directory, then renamed into place; an interrupted installation installs nothing.

use std::{fs::File, io, iter, path::Path, time::SystemTime};

use anyhow::Context as _;
use pimem_core::embed::{
    catalog::{self, Embedder, Known, Model, Pin, Pooling, TextRole, Thresholds, Unavailable},
    transformer::{Original, PackedPooling},
    vector,
};

use super::{
    bert::{self, PackingOutcome, SAFETENSORS},
    installed::{
        self, FileRecord, MANIFEST, MAX_TOKENS, ModelManifest, Models, RUNTIME, RuntimeRecord,
    },
    onnx, runtime,
    staging::{Directory, InstallError, ModelSource, OpenedSource, Progress, Stage, small},
};
use crate::store::{atomic, read};

/// Names of a model's files in its directory.
pub const MODEL: &str = "model.onnx";
pub const TOKENIZER: &str = "tokenizer.json";
pub const CONFIG: &str = "config.json";
pub const SPECIAL: &str = "special_tokens_map.json";
pub const TOKENIZER_CONFIG: &str = "tokenizer_config.json";

/// A sentence of everyday words, for which every model has a vector.
const SENTENCE: &str = "A short sentence, to see whether the model gives an answer.";

pub struct Wish {
    /// Canonical name.
    pub name: String,
    pub known: Option<Known>,
    /// True if its files are downloaded: then they are those that the catalogue names.
    pub downloaded: bool,
    pub pooling: Option<Pooling>,
    pub query_prefix: Option<String>,
    pub passage_prefix: Option<String>,
}

pub struct Installed {
    pub manifest: ModelManifest,
    pub untried: Option<Unavailable>,
}

impl Wish {
    /// Returns the pooling: the user's, else that of the files, else that of the catalogue.
    pub fn pooling(&self, source: &dyn ModelSource) -> Result<Pooling, InstallError> {
        let said = match self.pooling {
            None if !self.downloaded => small(source, "1_Pooling/config.json")?,
            _ => None,
        };
        let said = said.map(|text| onnx::pooling(&text)).transpose();
        let said = said.map_err(|wrong| unfit(source, &wrong.to_string()))?;
        let known = self.known.as_ref().map(|known| known.model.pooling);
        self.pooling.or(said).or(known).ok_or_else(|| {
            let message = format!("nothing says how {} pools its tokens", self.name);
            let hint = "say it with --pooling mean or --pooling cls; its model card tells which";
            InstallError::refused(message, hint)
        })
    }

    /// Returns the description of a model with this pooling, without a revision.
    fn model(&self, dimension: usize, pooling: Pooling) -> Model {
        let mut model = catalog::model(&self.name, dimension, pooling);
        if let Some(prefix) = &self.query_prefix {
            model.query_prefix.clone_from(prefix);
        }
        if let Some(prefix) = &self.passage_prefix {
            model.passage_prefix.clone_from(prefix);
        }
        model
    }

    /// Refuses a model with vectors of another dimension than the catalogue has.
    fn check_dimension(&self, given: usize) -> Result<(), InstallError> {
        match self.known.as_ref().map(|known| known.model.dimension) {
            Some(known) if known != given => Err(other_dimension(given, known)),
            _ => Ok(()),
        }
    }

    /// Refuses a file of a known model that has not the known SHA-256. `file` was copied from
    /// `name`.
    pub fn check_pin(
        &self,
        pin: Option<Pin>,
        name: &str,
        file: Option<&FileRecord>,
    ) -> Result<(), InstallError> {
        match (pin, file) {
            (Some(pin), Some(file)) if file.sha256 != pin.sha256 => {
                let message = format!(
                    "{name} is not the file that was expected: its SHA-256 is {}, not {}",
                    file.sha256, pin.sha256
                );
                let own = &self.name;
                let hint = format!("nothing was installed; what is not {own} needs another name");
                Err(InstallError::refused(message, hint))
            }
            _ => Ok(()),
        }
    }
}

/// Installs a model by its original weights in `original`, if they are there and this program can
/// compute it, or else in ONNX from `exported`.
pub fn model(
    models: &Models,
    wish: &Wish,
    (original, exported): (&dyn ModelSource, &dyn ModelSource),
    now: SystemTime,
    progress: Progress<'_>,
) -> Result<Installed, InstallError> {
    let mut stage = Stage::new(&models.root(), now)?;
    let source = exported;
    let onnx = match bert::prepare(&mut stage, wish, original, progress)? {
        PackingOutcome::Packed(bert) => {
            wish.check_dimension(bert.shape.hidden)?;
            return finish_packed(models, stage, wish, original, &bert);
        }
        PackingOutcome::Absent => onnx_file(wish, source),
        PackingOutcome::Unsupported(why) => {
            onnx_file(wish, source).map_err(|missing| match missing {
                InstallError::Refused(..) => {
                    let message = format!("{} cannot be computed: {why}", wish.name);
                    let hint =
                        format!("nothing was installed; its files in ONNX, {MODEL}, will do");
                    InstallError::refused(message, hint)
                }
                io @ InstallError::Io(_) => io,
            })
        }
    };
    let (path, opened) = onnx?;
    let name = opened.name.clone();
    stage.copy(MODEL, opened, progress)?;
    check_onnx(&stage, wish, &name)?;
    for (file, is_needed) in external_files(wish, &path) {
        match source.open(&file)? {
            Some(opened) => {
                stage.copy(file.rsplit('/').next().unwrap_or(&file), opened, progress)?;
            }
            None if is_needed => return Err(missing(source, &file)),
            None => {}
        }
    }
    let needed = |file: &str| small(source, file)?.ok_or_else(|| missing(source, file));
    let files = onnx::TokenizerFiles {
        tokenizer: needed(TOKENIZER)?,
        config: needed(CONFIG)?,
        special: small(source, SPECIAL)?,
        tokenizer_config: small(source, TOKENIZER_CONFIG)?,
    };
    let parts = onnx::complete(files).map_err(|wrong| unfit(source, &wrong.to_string()))?;
    stage.write(TOKENIZER, &parts.tokenizer)?;
    stage.write(CONFIG, &parts.config)?;
    stage.write(SPECIAL, &parts.special)?;
    stage.write(TOKENIZER_CONFIG, &parts.tokenizer_config)?;
    let model = wish.model(0, wish.pooling(source)?);
    if let Some(said) = parts.dimension {
        wish.check_dimension(said)?;
    }
    let known = wish.known.as_ref();
    let said = parts.dimension.or(known.map(|known| known.model.dimension));
    let output = known.and_then(|known| known.output.as_ref());
    finish(models, stage, model, said, &source.name(), output)
}

/// Tries a packed model, and moves it into place.
fn finish_packed(
    models: &Models,
    mut stage: Stage,
    wish: &Wish,
    source: &dyn ModelSource,
    original: &Original,
) -> Result<Installed, InstallError> {
    let pooling = match original.shape.pooling {
        PackedPooling::Mean => Pooling::Mean,
        PackedPooling::First => Pooling::Cls,
    };
    let mut model = wish.model(original.shape.hidden, pooling);
    let (files, tokens) = (stage.files.clone(), original.shape.positions);
    let manifest =
        |model: Model| ModelManifest::new(model, source.name(), None, tokens, files.clone());
    let failed = |Unavailable(why)| {
        let message = format!("{} does not work: {why}", wish.name);
        let hint = "nothing was installed; its files may be damaged, or not belong together";
        InstallError::refused(message, hint)
    };
    // The samples have their prefixes already.
    let plain =
        Model { query_prefix: String::new(), passage_prefix: String::new(), ..model.clone() };
    let mut native = manifest(plain).native(&stage.dir, None).map_err(failed)?;
    let samples = vector::samples(&model);
    let texts = iter::once(SENTENCE).chain(samples.iter().map(String::as_str));
    let texts: Vec<&str> = texts.collect();
    let vectors = native.embed(TextRole::Passage, &texts, &mut |_| ()).map_err(failed)?;
    if vectors.iter().flatten().any(|number| !number.is_finite()) {
        return Err(failed(Unavailable("its vectors have what is no number".to_owned())));
    }
    if vectors.first().is_none_or(|first| first.iter().all(|number| *number == 0.0)) {
        return Err(failed(Unavailable("its vectors are all zeros".to_owned())));
    }
    if !catalog::is_reference(&model) {
        let measured = vector::thresholds(vectors.get(1..).unwrap_or_default());
        model.thresholds = measured.unwrap_or(model.thresholds);
    }
    let manifest = manifest(model);
    let bytes = serde_json::to_vec_pretty(&manifest).map_err(anyhow::Error::from)?;
    stage.write(MANIFEST, &bytes)?;
    stage.install(&models.dir(&wish.name))?;
    Ok(Installed { manifest, untried: None })
}

/// Tries a prepared model, and moves it into place.
fn finish(
    models: &Models,
    mut stage: Stage,
    mut model: Model,
    said: Option<usize>,
    source: &str,
    output: Option<&String>,
) -> Result<Installed, InstallError> {
    let files = stage.files.clone();
    let record = |model: &Model| {
        let manifest = ModelManifest::new(
            model.clone(),
            source.to_owned(),
            output.cloned(),
            MAX_TOKENS,
            files.clone(),
        );
        serde_json::to_vec_pretty(&manifest)
            .map(|bytes| (manifest, bytes))
            .map_err(anyhow::Error::from)
    };
    // The trial reads pooling and output from the manifest, and determines the dimension.
    model.dimension = said.unwrap_or_default();
    let (first, bytes) = record(&model)?;
    stage.write(MANIFEST, &bytes)?;
    let untried = match trial(models, &first.model, &stage.dir) {
        Ok((given, thresholds)) => {
            model.thresholds = thresholds.unwrap_or(model.thresholds);
            model.dimension = match said {
                Some(said) if said != given => return Err(other_dimension(given, said)),
                _ => given,
            };
            None
        }
        Err(Trial::Impossible(why)) if said.is_some() => Some(why),
        Err(Trial::Impossible(why)) => {
            let message = format!("nothing says how many numbers {} gives: {why}", model.id);
            let hint = "pimem model pull --runtime PATH installs what is needed to try it";
            return Err(InstallError::refused(message, hint));
        }
        Err(Trial::Failed(why)) => {
            let message = format!("{} does not work: {why}", model.id);
            let hint = "nothing was installed; its files may be damaged, or not belong together";
            return Err(InstallError::refused(message, hint));
        }
    };
    let (manifest, bytes) = record(&model)?;
    atomic::replace_file(&stage.dir.join(MANIFEST), &bytes, atomic::Sync::Full, || Ok(true))?;
    stage.install(&models.dir(&model.id))?;
    Ok(Installed { manifest, untried })
}

/// Why a trial gave no vector.
enum Trial {
    /// The trial could not be run.
    Impossible(Unavailable),
    /// The model is not usable.
    Failed(Unavailable),
}

/// Embeds a sentence. Returns the length of the vector, and its measured thresholds.
fn trial(models: &Models, model: &Model, dir: &Path) -> Result<(usize, Option<Thresholds>), Trial> {
    let library = models.library().map_err(Trial::Impossible)?;
    // Checked first, so that a library that cannot be loaded is not taken for a fault of the model.
    models.version(&library).map_err(Trial::Impossible)?;
    let mut worker = models.worker(model.clone(), dir, &library, Some(installed::TRIAL));
    let vector = worker.raw(SENTENCE).map_err(Trial::Failed)?;
    if vector.iter().all(|number| *number == 0.0) {
        return Err(Trial::Failed(Unavailable("its vectors are all zeros".to_owned())));
    }
    let mut thresholds = None;
    if !catalog::is_reference(model) {
        let texts = vector::samples(model);
        let vectors: Result<Vec<_>, _> = texts.iter().map(|text| worker.raw(text)).collect();
        thresholds = vector::thresholds(&vectors.map_err(Trial::Failed)?);
    }
    Ok((vector.len(), thresholds))
}

/// Installs a library from a file, or from a directory that contains it. Returns its version.
pub fn library(
    models: &Models,
    from: &Path,
    now: SystemTime,
    progress: Progress<'_>,
) -> Result<String, InstallError> {
    let path = if from.is_dir() { runtime::in_directory(from) } else { Some(from.to_path_buf()) };
    let hint = "it is in the package onnxruntime of PyPI, below onnxruntime/capi, and in ONNX \
                Runtime's own releases; version 1.24 or newer";
    let path = path.ok_or_else(|| {
        let message = format!("there is no ONNX Runtime library in {}", from.display());
        InstallError::refused(message, hint)
    })?;
    let unfit = |wrong: String| InstallError::refused(wrong, hint);
    runtime::check(&path).map_err(|wrong| unfit(wrong.to_string()))?;
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("libonnxruntime.so");
    let root = models.root();
    let mut stage = Stage::new(root.parent().unwrap_or(&root), now)?;
    let directory = Directory(path.parent().unwrap_or(Path::new("")).to_path_buf());
    let opened = directory.open(name)?.ok_or_else(|| missing(&directory, name))?;
    stage.copy(name, opened, progress)?;
    let file = stage.files.first().cloned();
    let file = file.with_context(|| format!("cannot copy {}", path.display()))?;
    let library =
        runtime::Library { path: stage.dir.join(name), origin: runtime::RuntimeOrigin::Installed };
    let version = models.version(&library).map_err(|why| {
        // The error names the temporary path, which the user does not know.
        let shown = why.0.replace(&*library.path.to_string_lossy(), &path.to_string_lossy());
        unfit(shown)
    })?;
    let record =
        serde_json::to_vec_pretty(&RuntimeRecord::new(file)).map_err(anyhow::Error::from)?;
    stage.write(RUNTIME, &record)?;
    stage.install(&models.runtime_dir())?;
    Ok(version)
}

/// Returns the ONNX file of the source, and its path there.
fn onnx_file(
    wish: &Wish,
    source: &dyn ModelSource,
) -> Result<(String, OpenedSource), InstallError> {
    let known = wish.known.as_ref().map(|known| known.file.as_str());
    let plain = &[MODEL, "onnx/model.onnx"][..];
    let quantised =
        &["model_optimized.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx"][..];
    let others = if wish.name.ends_with("-q") { [quantised, plain] } else { [plain, quantised] };
    let guesses = others.into_iter().flatten().copied().filter(|_| !wish.downloaded);
    for path in known.into_iter().chain(guesses) {
        if let Some(opened) = source.open(path)? {
            return Ok((path.to_owned(), opened));
        }
    }
    Err(missing(source, known.unwrap_or(MODEL)))
}

/// Returns the files with external weights of the ONNX file `path`, and whether each is required.
fn external_files(wish: &Wish, path: &str) -> Vec<(String, bool)> {
    let known = wish.known.as_ref().filter(|known| known.file == path);
    match known {
        Some(known) if !known.external.is_empty() || wish.downloaded => {
            known.external.iter().map(|file| (file.clone(), wish.downloaded)).collect()
        }
        _ => ["_data", ".data"].iter().map(|end| (format!("{path}{end}"), false)).collect(),
    }
}

fn check_onnx(stage: &Stage, wish: &Wish, name: &str) -> Result<(), InstallError> {
    let path = stage.dir.join(MODEL);
    let look = || -> io::Result<Option<&'static str>> {
        let mut file = File::open(&path)?;
        let length = file.metadata()?.len();
        onnx::problem(&mut file, length)
    };
    let hint = "nothing was installed";
    if let Some(problem) = look().with_context(|| format!("cannot read {}", path.display()))? {
        return Err(InstallError::refused(format!("{name} {problem}"), hint));
    }
    let pin = wish.known.as_ref().and_then(|known| known.pin);
    wish.check_pin(pin, name, stage.files.first())
}

fn other_dimension(given: usize, said: usize) -> InstallError {
    let message = format!("the model gives {given} numbers, and should give {said}");
    let hint = "its files do not belong together, or it is another model";
    InstallError::refused(message, hint)
}

pub fn missing(source: &dyn ModelSource, file: &str) -> InstallError {
    let hint = format!(
        "a model has {SAFETENSORS} or {MODEL} (or onnx/{MODEL}), {TOKENIZER} and {CONFIG}; pimem model \
         list names those that can be downloaded"
    );
    InstallError::refused(format!("there is no {file} in {}", source.name()), hint)
}

pub fn unfit(source: &dyn ModelSource, wrong: &str) -> InstallError {
    InstallError::refused(format!("{}: {wrong}", source.name()), "nothing was installed")
}

/// Deletes an installed model. Returns false if it does not exist.
pub fn remove(models: &Models, name: &str) -> Result<bool, InstallError> {
    let dir = models.dir(name);
    if !catalog::is_usable(name) || !dir.is_dir() {
        return Ok(false);
    }
    read::guard(&models.root(), &dir)?;
    atomic::remove_dir(&dir)?;
    Ok(true)
}
