//! The models of semantic search, and the one that the settings choose.

use crate::memory::handles::Modeling;
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use pimem_core::{
    embed::{
        catalog::{self, Embedder, Model, Pooling, TextRole, Unavailable},
        table,
    },
    model::names,
};
use serde::Serialize;

use super::{Memory, search::embedding, settings};
use crate::{
    config::settings::Embedding,
    error::{Failure, FailureKind},
    memory::settings::ChangedSetting,
    models::{
        built_in,
        download::{Archive, Hub},
        fastembed, install,
        installed::{ModelManifest, Models, TRIAL},
        staging::{Directory, ModelSource},
    },
    store::read,
};

/// What is embedded to try a model.
const SENTENCE: &str = "How do we roll back a deployment?";

#[derive(Debug, Clone)]
pub struct PullRequest {
    pub name: String,
    /// Directory or archive of its files; they are downloaded without it.
    pub from: Option<PathBuf>,
    /// How its tokens become one vector, when its files do not tell.
    pub pooling: Option<Pooling>,
    pub query_prefix: Option<String>,
    pub passage_prefix: Option<String>,
}

/// Says how much time has passed since some moment.
pub type Stopwatch<'a> = &'a dyn Fn() -> Duration;

impl Modeling<'_> {
    /// The models: built in, installed, and those that can be downloaded.
    ///
    /// # Errors
    /// When there is no cache directory.
    pub fn list_models(self) -> Result<ModelList, Failure> {
        let (models, current) = (self.memory.models()?, in_force(self.memory));
        let listed = |name: &str, state, model: Option<&Model>, source: &str| ListedModel {
            name: name.to_owned(),
            state,
            in_use: name == current,
            dimension: model.map(|model| model.dimension),
            source: source.to_owned(),
        };
        let mut list = vec![
            listed("static", "built in", Some(&table::model()), ""),
            listed("none", "off", None, ""),
        ];
        if let Ok((model, _)) = built_in::describe() {
            list.insert(1, listed(&model.id, "built in", Some(&model), ""));
        }
        if let Some(remote) = embedding::remote(self.memory, &current) {
            list.push(listed(&current, "served", remote.known().as_ref(), remote.address()));
        }
        for name in models.installed() {
            let manifest = models.manifest(&name).ok();
            let manifest = manifest.as_ref();
            let source = manifest.map_or("", |manifest| manifest.source.as_str());
            let model = manifest.map(|manifest| &manifest.model);
            list.push(listed(&name, "installed", model, source));
        }
        for known in fastembed::supported() {
            let name = built_in::resolve(&known.model.id);
            if list.iter().all(|line| line.name != name) {
                let model = Some(&known.model);
                let source = known.weights.map_or(&*known.repository, |it| it.repository);
                list.push(listed(&known.model.id, "available", model, source));
            }
        }
        Ok(ModelList { models: list })
    }

    /// Chooses the model of semantic search, in the user's own settings.
    ///
    /// # Errors
    /// When it is not installed, or the settings cannot be changed.
    pub fn choose_model(self, name: &str) -> Result<ChangedSetting, Failure> {
        let name = built_in::resolve(name);
        if let Some(remote) = embedding::remote(self.memory, &name) {
            let model = remote.measure(Some(TRIAL)).map_err(|why| unasked(&name, why))?;
            self.memory.notices.detail(&format!("{name} gives {} numbers", model.dimension));
        } else if !is_included(&name)
            && let Err(why) = self.memory.models()?.manifest(&name)
        {
            return Err(unknown(&name, why.0));
        }
        let key = settings::find("embedding.model")?;
        let changed = self.memory.tending().change_setting(key, &name, self.memory.users()?)?;
        if self.memory.env.get(key.env).is_some() {
            self.memory.notices.note(&format!("warning: {} is set, and goes before it", key.env));
        }
        Ok(changed)
    }

    /// Deletes an installed model.
    ///
    /// # Errors
    /// When it is in use or not installed, or cannot be deleted.
    pub fn remove_model(self, name: &str) -> Result<RemovedModel, Failure> {
        let name = catalog::canonical(name);
        if name == in_force(self.memory) && catalog::is_usable(&name) {
            let message = format!("the model {name} is in use");
            let hint = "pimem model use static chooses another";
            return Err(Failure::new(FailureKind::Refused, message, hint));
        }
        if !install::remove(&self.memory.models()?, &name)? {
            let message = format!("the model {name} is not installed");
            let hint = "pimem model names those that are";
            return Err(Failure::new(FailureKind::NotFound, message, hint));
        }
        Ok(RemovedModel { model: name })
    }

    /// Installs the ONNX Runtime library from a file, or from the directory it is in. Gives its
    /// version.
    ///
    /// # Errors
    /// When there is none, or it does not fit.
    pub fn install_runtime(self, path: &Path) -> Result<String, Failure> {
        refuse_without_models()?;
        let mut progress = self.memory.notices.transfer("Copying");
        let version =
            install::library(&self.memory.models()?, path, self.memory.real_now, &mut progress)?;
        self.memory.notices.detail(&format!("from {}", path.display()));
        Ok(version)
    }

    /// Installs a model, tried first where that is possible.
    ///
    /// # Errors
    /// When it is unknown, cannot be read or downloaded, or does not fit.
    pub fn pull_model(self, request: &PullRequest) -> Result<PulledModel, Failure> {
        refuse_without_models()?;
        let installed = pull(self.memory, request)?;
        if let Some(why) = &installed.untried {
            self.memory.notices.note(&format!("warning: the model was not tried: {why}"));
        }
        let model = installed.manifest.model;
        if model.id != in_force(self.memory) {
            self.memory.notices.note(&format!("pimem model use {} chooses it", model.id));
        }
        Ok(PulledModel { model, tried: installed.untried.is_none() })
    }

    /// What a model is, and whether it can serve; the one in force without a name. With a clock, it
    /// embeds a sentence.
    ///
    /// # Errors
    /// When there is no cache directory.
    pub fn model_status(
        self,
        name: Option<&str>,
        clock: Option<Stopwatch<'_>>,
    ) -> Result<ModelStatus, Failure> {
        let current = in_force(self.memory);
        let name = name.map_or_else(|| current.clone(), built_in::resolve);
        let origin = || self.memory.config.origin(&Embedding::model).to_string();
        let chosen_by = (name == current).then(origin);
        let mut view = ModelStatus { name, chosen_by, ..ModelStatus::default() };
        match view.name.as_str() {
            "static" => view.properties = Some(Properties::from(&table::model())),
            "none" => {}
            name if catalog::of_ollama(name).is_some() => {
                let trouble = examine_remote(self.memory, &mut view, clock);
                view.trouble = trouble.err().map(|Unavailable(why)| why);
            }
            name if built_in::is_it(name) => {
                let trouble = examine_built_in(self.memory, &mut view, clock);
                view.trouble = trouble.err().map(|Unavailable(why)| why);
            }
            _ => {
                let trouble = examine(self.memory, &mut view, clock)?;
                view.trouble = trouble.err().map(|Unavailable(why)| why);
            }
        }
        if let Some(properties) = &mut view.properties {
            properties.recall = self.memory.config.settings.recall.min_score;
        }
        view.serves = view.trouble.is_none() && view.name != "none";
        Ok(view)
    }
}

/// Looks at an installed model; what keeps it from serving is the inner error.
fn examine(
    memory: &Memory,
    view: &mut ModelStatus,
    clock: Option<Stopwatch<'_>>,
) -> Result<Result<(), Unavailable>, Failure> {
    let models = memory.models()?;
    Ok(models.manifest(&view.name).and_then(|manifest| {
        view.source = Some(manifest.source.clone());
        view.properties = Some(Properties::from(&manifest.model));
        view.max_tokens = Some(manifest.max_tokens);
        let damage = damage(&models, &manifest);
        view.files = Some(ModelFiles {
            count: manifest.files.len(),
            bytes: manifest.files.iter().map(|file| file.size).sum(),
            whole: damage.is_none(),
        });
        let runtime = if manifest.is_native() { Ok(()) } else { runtime(&models, view) };
        damage.map_or(Ok(()), |damage| Err(Unavailable(damage)))?;
        runtime?;
        attempt(memory, view, clock, |name| models.open(name, Some(TRIAL)))
    }))
}

/// Looks at the built-in transformer.
fn examine_built_in(
    memory: &Memory,
    view: &mut ModelStatus,
    clock: Option<Stopwatch<'_>>,
) -> Result<(), Unavailable> {
    let (model, max_tokens) = built_in::describe()?;
    view.properties = Some(Properties::from(&model));
    view.max_tokens = Some(max_tokens);
    built_in::verify()?;
    attempt(memory, view, clock, |_| built_in::embedder(Some(TRIAL)))
}

/// Asks Ollama for the vector of a sentence.
fn examine_remote(
    memory: &Memory,
    view: &mut ModelStatus,
    clock: Option<Stopwatch<'_>>,
) -> Result<(), Unavailable> {
    let remote = embedding::remote(memory, &view.name);
    let remote = remote.ok_or_else(|| Unavailable("there is no cache directory".to_owned()))?;
    view.source = Some(remote.address().to_owned());
    view.properties = remote.known().as_ref().map(Properties::from);
    let limit = if clock.is_some() { TRIAL } else { memory.config.settings.embedding.deadline };
    let asked = attempt(memory, view, Some(clock.unwrap_or(&|| Duration::ZERO)), |_| {
        remote.open(Some(limit))
    });
    view.properties = remote.known().as_ref().map(Properties::from);
    view.trial = view.trial.take().filter(|_| clock.is_some());
    asked
}

/// Embeds a sentence, if there is a clock.
fn attempt(
    memory: &Memory,
    view: &mut ModelStatus,
    clock: Option<Stopwatch<'_>>,
    open: impl Fn(&str) -> Result<Box<dyn Embedder>, Unavailable>,
) -> Result<(), Unavailable> {
    let Some(clock) = clock else { return Ok(()) };
    let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let deadline_ms = millis(memory.config.settings.embedding.deadline);
    let start = clock();
    open(&view.name)?.embed(TextRole::Query, &[SENTENCE], &mut |_| ())?;
    let took_ms = millis(clock().saturating_sub(start));
    view.trial = Some(TrialView { took_ms, deadline_ms });
    if took_ms > deadline_ms {
        let why = format!("a search waits for {deadline_ms} ms only (embedding.deadlineMs)");
        return Err(Unavailable(why));
    }
    Ok(())
}

/// Returns true for names of models that need no installation, and for `none`.
fn is_included(name: &str) -> bool {
    [table::NAME, embedding::NONE].contains(&name) || built_in::is_it(name)
}

fn damage(models: &Models, manifest: &ModelManifest) -> Option<String> {
    let dir = models.dir(&manifest.model.id);
    manifest.files.iter().find_map(|file| file.deep_damage(&dir))
}

/// Finds the library, and has another process load it.
fn runtime(models: &Models, view: &mut ModelStatus) -> Result<(), Unavailable> {
    let library = models.library()?;
    view.library = Some(RuntimeLibrary {
        runtime: library.path.display().to_string(),
        runtime_from: library.origin.name(),
    });
    view.runtime_version = Some(models.version(&library)?);
    Ok(())
}

fn refuse_without_models() -> Result<(), Failure> {
    if fastembed::INCLUDED {
        return Ok(());
    }
    let hint = "build it with its default features";
    Err(Failure::new(FailureKind::Refused, "this build has no models but those built in", hint))
}

fn pull(memory: &Memory, request: &PullRequest) -> Result<install::Installed, Failure> {
    let name = built_in::resolve(&request.name);
    if let Some(own) = catalog::of_ollama(&name) {
        let message = format!("{name} is installed by Ollama");
        let hint = format!("ollama pull {own} does it; pimem model use {name} chooses it");
        return Err(Failure::new(FailureKind::Refused, message, hint));
    }
    if built_in::is_it(&name) {
        let message = format!("the model {name} is a part of the program");
        let hint = format!("pimem model use {name} chooses it; other files need another name");
        return Err(Failure::new(FailureKind::Refused, message, hint));
    }
    if !catalog::is_usable(&name) {
        let message = format!("{name:?} cannot be the name of a model");
        let hint = "names are 1 to 64 of a-z, 0-9, ., _ and -, and not static, minilm or none";
        return Err(Failure::new(FailureKind::Usage, message, hint));
    }
    let models = memory.models()?;
    let known = fastembed::supported().into_iter().find(|known| known.model.id == name);
    let wish = install::Wish {
        name: name.clone(),
        downloaded: request.from.is_none(),
        pooling: request.pooling,
        query_prefix: request.query_prefix.clone(),
        passage_prefix: request.passage_prefix.clone(),
        known,
    };
    let what = if request.from.is_some() { "Copying" } else { "Downloading" };
    let mut progress = memory.notices.transfer(what);
    let mut install = |original: &dyn ModelSource, exported: &dyn ModelSource| {
        let sources = (original, exported);
        install::model(&models, &wish, sources, memory.real_now, &mut progress)
    };
    if let Some(path) = &request.from {
        let path = read::canonical(path).map_err(|error| {
            let message = format!("cannot read {}: {error}", path.display());
            let hint = "--from takes the directory of a model's files, or an archive of them";
            Failure::new(FailureKind::Usage, message, hint)
        })?;
        let source: &dyn ModelSource =
            if path.is_file() { &Archive::open(&path)? } else { &Directory(path) };
        return Ok(install(source, source)?);
    }
    let Some(known) = &wish.known else {
        return Err(unknown(&name, format!("no model {name} is known")));
    };
    let hub = |repository: &str| {
        let endpoint = memory.env.text("HF_ENDPOINT").unwrap_or_default();
        memory.notices.detail(&format!("from {repository}"));
        Hub::new(endpoint, memory.env.text("HTTPS_PROXY"), repository)
    };
    let exported = hub(&known.repository)?;
    Ok(match &known.weights {
        Some(weights) => install(&hub(weights.repository)?, &exported)?,
        None => install(&exported, &exported)?,
    })
}

pub fn in_force(memory: &Memory) -> String {
    embedding::name(memory)
}

/// Returns why the model in force cannot run, as far as is known without starting it.
pub fn lacking(memory: &Memory) -> Option<Failure> {
    let name = in_force(memory);
    if catalog::of_ollama(&name).is_some() {
        return None;
    }
    if is_included(&name) {
        return built_in::is_it(&name)
            .then(|| built_in::describe().err().map(embedding::failure))
            .flatten();
    }
    let models = match memory.models() {
        Ok(models) => models,
        Err(failure) => return Some(failure),
    };
    match models.manifest(&name) {
        Ok(_) => models.open(&name, None).err().map(embedding::failure),
        Err(why) => Some(unknown(&name, why.0)),
    }
}

/// Returns the failure for a model of Ollama's that does not answer.
fn unasked(name: &str, Unavailable(why): Unavailable) -> Failure {
    let own = catalog::of_ollama(name).unwrap_or_default();
    let hint = "is Ollama running? embedding.endpoint says where";
    let mut failure = Failure::new(FailureKind::Io, why, hint);
    failure.hints.push(format!("ollama pull {own} installs the model"));
    failure
}

/// Returns the failure for a model that is not installed, with the closest known name.
pub fn unknown(name: &str, why: String) -> Failure {
    let all = fastembed::supported();
    let is_known = all.iter().any(|known| known.model.id == name);
    let near = names::closest(name, all.iter().map(|known| known.model.id.as_str()));
    let hint = match near.filter(|_| !is_known) {
        Some(near) => format!("did you mean {near}?"),
        None if is_known => format!("pimem model pull {name} installs it"),
        None => format!("pimem model pull {name} --from DIR installs one from files"),
    };
    Failure::new(FailureKind::NotFound, why, hint)
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModelList {
    /// Built in, installed, and those that can be downloaded.
    pub models: Vec<ListedModel>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedModel {
    pub name: String,
    /// `built in`, `off`, `served` (by Ollama), `installed` or `available`.
    pub state: &'static str,
    /// Whether the settings choose it.
    pub in_use: bool,
    /// Numbers in a vector; null where there are none, or that is not known.
    pub dimension: Option<usize>,
    pub source: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RemovedModel {
    pub model: String,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct PullResult {
    /// Version of the ONNX Runtime library.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runtime: Option<String>,
    #[serde(flatten)]
    pub model: Option<PulledModel>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PulledModel {
    pub model: Model,
    pub tried: bool,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelStatus {
    pub name: String,
    /// The setting that chooses it; absent when none does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen_by: Option<String>,
    /// Where it is from; absent unless it is installed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// What it is, as far as that is known.
    #[serde(flatten)]
    pub properties: Option<Properties>,
    /// Tokens of a text that it looks at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<ModelFiles>,
    /// The library that computes it.
    #[serde(flatten)]
    pub library: Option<RuntimeLibrary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runtime_version: Option<String>,
    /// How long a query takes.
    #[serde(flatten)]
    pub trial: Option<TrialView>,
    /// Whether it can serve.
    pub serves: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Properties {
    /// Tells versions of the same name apart.
    pub revision: String,
    /// Numbers in a vector.
    pub dimension: usize,
    /// How tokens become one vector.
    pub pooling: &'static str,
    /// What it wants in front of a query.
    pub query_prefix: String,
    /// What it wants in front of a passage.
    pub passage_prefix: String,
    /// Score from which a memory is recalled, which is `recall.minScore` for every model.
    pub recall: f64,
    /// Cosine from which an agent is reminded of one.
    pub reminder: f64,
    /// Cosine from which two may be the same.
    pub duplicate: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ModelFiles {
    pub count: usize,
    pub bytes: u64,
    /// Whether all are as they were installed.
    pub whole: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RuntimeLibrary {
    pub runtime: String,
    pub runtime_from: &'static str,
}

/// A query as it was tried, from the start of a process on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TrialView {
    /// Milliseconds that it took.
    pub took_ms: u64,
    /// Milliseconds for which a search waits.
    pub deadline_ms: u64,
}

impl From<&Model> for Properties {
    fn from(model: &Model) -> Self {
        Self {
            revision: model.revision.clone(),
            dimension: model.dimension,
            pooling: model.pooling.name(),
            query_prefix: model.query_prefix.clone(),
            passage_prefix: model.passage_prefix.clone(),
            recall: model.thresholds.recall,
            reminder: model.thresholds.reminder,
            duplicate: model.thresholds.duplicate,
        }
    }
}

documents! {
    ModelList: "pimem.models/1",
    RemovedModel: "pimem.uninstall/1",
    PullResult: "pimem.pull/1",
    ModelStatus: "pimem.model/1",
}
