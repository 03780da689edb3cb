//! `pimem model`: the models of semantic search. Listing, choosing and removing them is here.

mod pull;
mod status;

use std::{io, path::PathBuf};

use serde_json::{Value, json};

use crate::{exit::Exit, shell::Shell};
use pimem_core::embed::{catalog, model::Model, table};
use pimem_engine::{
    error::{Failure, Kind},
    memory::{model, settings},
    models::{fastembed, install, installed},
};

/// Install and choose models of semantic search
///
/// The model `static` is built in and needs nothing. Others are files in ONNX, which an ONNX
/// Runtime library computes; both are installed into the cache directory with pull, the only
/// command that ever downloads. When a model cannot serve, or not in time, search goes on without
/// it.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List the models: built in, installed, and those that can be downloaded
    List,
    /// Install a model, or the ONNX Runtime library
    Pull(pull::Args),
    /// Show a model, and whether it can serve
    Status(status::Args),
    /// Choose the model of semantic search, in your own settings
    Use {
        /// Its name; none turns semantic search off
        name: String,
    },
    /// Delete an installed model
    Remove {
        /// Its name
        name: String,
    },
    /// Serve texts from standard input: a JSON string a line, answered by an array of numbers.
    /// Without DIR, the answer is the library's version
    #[command(hide = true)]
    Embed {
        /// The ONNX Runtime library
        #[arg(long, value_name = "PATH")]
        runtime: PathBuf,
        /// The model's directory
        files: Option<PathBuf>,
    },
}

pub(crate) fn run(ctx: &Shell, args: &Args) -> Result<Exit, Failure> {
    match &args.action {
        Action::List => list(ctx),
        Action::Pull(args) => pull::run(ctx, args),
        Action::Status(args) => status::run(ctx, args),
        Action::Use { name } => choose(ctx, name),
        Action::Remove { name } => remove(ctx, name),
        Action::Embed { runtime, files } => {
            let mut write = |line: &str| ctx.ui.answer(line);
            installed::serve(runtime, files.as_deref(), &mut io::stdin().lock(), &mut write)?;
            Ok(Exit::Done)
        }
    }
}

/// A line of the list.
struct Line {
    name: String,
    state: &'static str,
    model: Option<Model>,
    source: String,
}

fn lines(ctx: &Shell) -> Result<Vec<Line>, Failure> {
    let models = ctx.models()?;
    let line = |name: &str, state, model, source: &str| Line {
        name: name.to_owned(),
        state,
        model,
        source: source.to_owned(),
    };
    let mut lines =
        vec![line("static", "built in", Some(table::model()), ""), line("none", "off", None, "")];
    for name in models.installed() {
        let manifest = models.manifest(&name).ok();
        let source = manifest.as_ref().map(|manifest| manifest.source.clone()).unwrap_or_default();
        lines.push(line(&name, "installed", manifest.map(|manifest| manifest.model), &source));
    }
    for known in fastembed::supported() {
        if lines.iter().all(|line| line.name != known.model.id) {
            let name = known.model.id.clone();
            lines.push(line(&name, "available", Some(known.model), &known.repository));
        }
    }
    Ok(lines)
}

fn list(ctx: &Shell) -> Result<Exit, Failure> {
    let lines = lines(ctx)?;
    let current = model::in_force(ctx);
    if ctx.ui.json {
        let models: Vec<Value> = lines
            .iter()
            .map(|line| {
                json!({
                    "name": line.name, "state": line.state, "inUse": line.name == current,
                    "dimension": line.model.as_ref().map(|model| model.dimension),
                    "source": line.source,
                })
            })
            .collect();
        ctx.ui.document(&json!({"schema": "pimem.models/1", "models": models}));
        return Ok(Exit::Done);
    }
    let rows = lines
        .into_iter()
        .map(|line| {
            let used = if line.name == current { "*" } else { "" };
            let dimension = line.model.map(|model| model.dimension.to_string());
            let dimension = dimension.unwrap_or_default();
            vec![used.to_owned(), line.name, line.state.to_owned(), dimension, line.source]
        })
        .collect();
    ctx.ui.table(&["", "model", "state", "dimension", "source"], rows);
    Ok(Exit::Done)
}

fn choose(ctx: &Shell, name: &str) -> Result<Exit, Failure> {
    let name = catalog::canonical(name);
    if !["static", "none"].contains(&name.as_str())
        && let Err(why) = ctx.models()?.manifest(&name)
    {
        return Err(model::unknown(&name, why.0));
    }
    let key = settings::find("embedding.model")?;
    ctx.ui.show(&ctx.change_setting(key, &name, ctx.users()?)?);
    if ctx.env.get(key.env).is_some() {
        ctx.ui.note(&format!("warning: {} is set, and goes before it", key.env));
    }
    Ok(Exit::Done)
}

fn remove(ctx: &Shell, name: &str) -> Result<Exit, Failure> {
    let name = catalog::canonical(name);
    if name == model::in_force(ctx) && catalog::is_usable(&name) {
        let message = format!("the model {name} is in use");
        return Err(Failure::new(Kind::Refused, message, "pimem model use static chooses another"));
    }
    if !install::remove(&ctx.models()?, &name)? {
        let message = format!("the model {name} is not installed");
        return Err(Failure::new(Kind::NotFound, message, "pimem model list names those that are"));
    }
    if ctx.ui.json {
        ctx.ui.document(&json!({"schema": "pimem.uninstall/1", "model": name}));
    } else {
        ctx.ui.line(&format!("Removed: {name}"));
    }
    Ok(Exit::Done)
}
