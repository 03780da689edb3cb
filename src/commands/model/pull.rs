//! `pimem model pull`: install a model or the ONNX Runtime library.

use std::path::PathBuf;

use clap::ValueEnum;
use serde_json::{Map, Value, json};

use crate::{exit::Exit, shell::Shell};
use pimem_core::embed::{catalog, model::Pooling};
use pimem_engine::{
    error::{Failure, Kind},
    memory::model,
    models::{
        download::Hub,
        fastembed,
        install::{self, Installed, Wish},
        staging::Directory,
    },
};

/// Install a model, or the ONNX Runtime library
///
/// Downloads from Hugging Face, or from `HF_ENDPOINT`, a mirror with the same paths. Whatever is
/// installed is tried first where that is possible, and interrupted at any point nothing is.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Its name; pimem model list names those that can be downloaded
    #[arg(required_unless_present = "runtime")]
    name: Option<String>,
    /// Take its files from this directory
    #[arg(long, value_name = "DIR", requires = "name")]
    from: Option<PathBuf>,
    /// How its tokens become one vector, when its files do not tell
    #[arg(long, value_enum, value_name = "HOW", requires = "from")]
    pooling: Option<PoolingChoice>,
    /// What it wants in front of a query
    #[arg(long, value_name = "TEXT", requires = "from", allow_hyphen_values = true)]
    query_prefix: Option<String>,
    /// What it wants in front of a passage
    #[arg(long, value_name = "TEXT", requires = "from", allow_hyphen_values = true)]
    passage_prefix: Option<String>,
    /// Install the ONNX Runtime library from this file, or from the directory it is in
    #[arg(long, value_name = "PATH")]
    runtime: Option<PathBuf>,
}

/// Kinds of pooling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PoolingChoice {
    /// Their mean
    Mean,
    /// The first one
    Cls,
}

pub(crate) fn run(ctx: &Shell, args: &Args) -> Result<Exit, Failure> {
    if !fastembed::INCLUDED {
        let hint = "build it with its default features";
        return Err(Failure::new(Kind::Refused, "this build has no models but static", hint));
    }
    let models = ctx.models()?;
    let mut document = Map::new();
    document.insert("schema".to_owned(), json!("pimem.pull/1"));
    if let Some(path) = &args.runtime {
        let mut progress = ctx.ui.transfer("Copying");
        let version = install::library(&models, path, ctx.real_now, &mut progress)?;
        ctx.ui.detail(&format!("from {}", path.display()));
        if ctx.ui.json {
            document.insert("runtime".to_owned(), json!(version));
        } else {
            ctx.ui.line(&format!("Installed: ONNX Runtime {version}"));
        }
    }
    if let Some(name) = &args.name {
        let installed = pull(ctx, args, name)?;
        let model = &installed.manifest.model;
        if let Some(why) = &installed.untried {
            ctx.ui.note(&format!("warning: the model was not tried: {why}"));
        }
        if ctx.ui.json {
            document.insert("model".to_owned(), json!(model));
            document.insert("tried".to_owned(), json!(installed.untried.is_none()));
        } else {
            ctx.ui.line(&format!(
                "Installed: {} ({} numbers, {} pooling)",
                model.id,
                model.dimension,
                model.pooling.name()
            ));
        }
        if model.id != model::in_force(ctx) {
            ctx.ui.note(&format!("pimem model use {} chooses it", model.id));
        }
    }
    if ctx.ui.json {
        ctx.ui.document(&Value::Object(document));
    }
    Ok(Exit::Done)
}

fn pull(ctx: &Shell, args: &Args, name: &str) -> Result<Installed, Failure> {
    let name = catalog::canonical(name);
    if !catalog::is_usable(&name) {
        let message = format!("{name:?} cannot be the name of a model");
        let hint = "names are 1 to 64 of a-z, 0-9, ., _ and -, and not static or none";
        return Err(Failure::new(Kind::Usage, message, hint));
    }
    let models = ctx.models()?;
    let known = fastembed::supported().into_iter().find(|known| known.model.id == name);
    let wish = Wish {
        name: name.clone(),
        pinned: args.from.is_none(),
        pooling: args.pooling.map(|choice| match choice {
            PoolingChoice::Mean => Pooling::Mean,
            PoolingChoice::Cls => Pooling::Cls,
        }),
        query_prefix: args.query_prefix.clone(),
        passage_prefix: args.passage_prefix.clone(),
        known,
    };
    let mut progress = ctx.ui.transfer(if args.from.is_some() { "Copying" } else { "Downloading" });
    if let Some(dir) = &args.from {
        let dir = std::fs::canonicalize(dir).map_err(|error| {
            let message = format!("cannot read {}: {error}", dir.display());
            Failure::new(Kind::Usage, message, "--from takes the directory of a model's files")
        })?;
        let source = Directory(dir);
        return Ok(install::model(&models, &wish, &source, ctx.real_now, &mut progress)?);
    }
    let Some(known) = &wish.known else {
        return Err(model::unknown(&name, format!("no model {name} is known")));
    };
    let endpoint = ctx.env.text("HF_ENDPOINT").unwrap_or_default();
    let hub = Hub::new(endpoint, ctx.env.text("HTTPS_PROXY"), &known.repository)?;
    ctx.ui.detail(&format!("from {}", known.repository));
    Ok(install::model(&models, &wish, &hub, ctx.real_now, &mut progress)?)
}
