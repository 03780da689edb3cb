//! `pimem model status`: what a model is, and whether it can serve.

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::{exit::Exit, shell::Shell};
use pimem_core::embed::{
    catalog,
    model::{Model, Role, Unavailable},
    table,
};
use pimem_engine::{
    config::settings::Embedding,
    error::Failure,
    memory::model,
    models::installed::{Manifest, Models, TRIAL},
};

/// What is embedded for `--try`.
const SENTENCE: &str = "How do we roll back a deployment?";

/// Show a model, and whether it can serve
///
/// Reads all of its files. Exit code 1 when it cannot serve.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Its name; the model in force when it is left out
    name: Option<String>,
    /// Embed a sentence and say how long that takes, from the start of a process on
    #[arg(long = "try")]
    trial: bool,
}

/// What was found out, in the order in which it is shown: name in JSON, label, value.
struct Sheet(Vec<(&'static str, &'static str, Value)>);

impl Sheet {
    fn add(&mut self, key: &'static str, label: &'static str, value: impl Into<Value>) {
        self.0.push((key, label, value.into()));
    }

    fn describe(&mut self, model: &Model) {
        self.add("revision", "revision", model.revision.as_str());
        self.add("dimension", "dimension", model.dimension);
        self.add("pooling", "pooling", model.pooling.name());
        self.add("queryPrefix", "query prefix", model.query_prefix.as_str());
        self.add("passagePrefix", "passage prefix", model.passage_prefix.as_str());
        let thresholds = model.thresholds;
        self.add("recall", "recalled from", thresholds.recall);
        self.add("reminder", "reminded of from", thresholds.reminder);
        self.add("duplicate", "duplicates from", thresholds.duplicate);
    }
}

pub(crate) fn run(ctx: &Shell, args: &Args) -> Result<Exit, Failure> {
    let current = model::in_force(ctx);
    let name = args.name.as_deref().map_or_else(|| current.clone(), catalog::canonical);
    let mut sheet = Sheet(Vec::new());
    sheet.add("name", "model", name.as_str());
    if name == current {
        let origin = ctx.config.origin(&Embedding::model);
        sheet.add("chosenBy", "chosen by", origin.to_string());
    }
    let trouble = match name.as_str() {
        "static" => {
            sheet.describe(&table::model());
            None
        }
        "none" => None,
        _ => installed(ctx, &mut sheet, &name, args.trial)?,
    };
    sheet.add("serves", "serves", trouble.is_none() && name != "none");
    if let Some(trouble) = &trouble {
        sheet.add("trouble", "trouble", trouble.0.as_str());
    }
    print(ctx, sheet);
    Ok(if trouble.is_some() { Exit::Nothing } else { Exit::Done })
}

/// Looks at an installed model; gives what keeps it from serving.
fn installed(
    ctx: &Shell,
    sheet: &mut Sheet,
    name: &str,
    trial: bool,
) -> Result<Option<Unavailable>, Failure> {
    let models = ctx.models()?;
    let manifest = match models.manifest(name) {
        Ok(manifest) => manifest,
        Err(why) => return Ok(Some(why)),
    };
    sheet.add("source", "source", manifest.source.as_str());
    sheet.describe(&manifest.model);
    sheet.add("maxTokens", "tokens read", manifest.max_tokens);
    let damage = damage(&models, &manifest);
    sheet.add("files", "files", files(&manifest, damage.as_deref()));
    let runtime = runtime(&models, sheet);
    if let Some(damage) = damage {
        return Ok(Some(Unavailable(damage)));
    }
    if let Err(why) = runtime {
        return Ok(Some(why));
    }
    if !trial {
        return Ok(None);
    }
    let (done, took) = ctx.ui.timed(|| {
        let mut model = models.open(name, Some(TRIAL))?;
        model.embed(Role::Query, &[SENTENCE], &mut |_| ())
    });
    if let Err(why) = done {
        return Ok(Some(why));
    }
    let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let (took, deadline) = (millis(took), millis(ctx.config.settings.embedding.deadline));
    sheet.add("tookMs", "took, ms", took);
    sheet.add("deadlineMs", "deadline, ms", deadline);
    Ok((took > deadline).then(|| {
        Unavailable(format!("a search waits for {deadline} ms only (embedding.deadlineMs)"))
    }))
}

fn damage(models: &Models, manifest: &Manifest) -> Option<String> {
    let dir = models.dir(&manifest.model.id);
    manifest.files.iter().find_map(|file| file.deep_damage(&dir))
}

fn files(manifest: &Manifest, damage: Option<&str>) -> Value {
    let bytes: u64 = manifest.files.iter().map(|file| file.size).sum();
    json!({"count": manifest.files.len(), "bytes": bytes, "whole": damage.is_none()})
}

/// Finds the library, and has another process load it.
fn runtime(models: &Models, sheet: &mut Sheet) -> Result<(), Unavailable> {
    let library = models.library()?;
    sheet.add("runtime", "runtime", library.path.display().to_string());
    sheet.add("runtimeFrom", "runtime from", library.origin.name());
    sheet.add("runtimeVersion", "runtime version", models.version(&library)?);
    Ok(())
}

fn print(ctx: &Shell, sheet: Sheet) {
    if ctx.ui.json {
        let mut document = Map::new();
        document.insert("schema".to_owned(), json!("pimem.model/1"));
        document.extend(sheet.0.into_iter().map(|(key, _, value)| (key.to_owned(), value)));
        ctx.ui.document(&Value::Object(document));
        return;
    }
    for (key, label, value) in sheet.0 {
        let value = match value {
            Value::String(text) if key.ends_with("Prefix") => format!("{text:?}"),
            Value::String(text) => text,
            Value::Bool(yes) => if yes { "yes" } else { "no" }.to_owned(),
            Value::Object(files) => {
                let part = |key: &str| files.get(key).map(ToString::to_string).unwrap_or_default();
                let whole = files.get("whole") == Some(&json!(true));
                let state = if whole { "whole" } else { "damaged" };
                format!("{}, {} bytes, {state}", part("count"), part("bytes"))
            }
            other => other.to_string(),
        };
        ctx.ui.line(&format!("{label:<17}{value}"));
    }
}
