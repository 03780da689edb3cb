//! `pimem export`: derived data in the formats of other programs.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde_json::json;

use super::{
    Outcome,
    context::Context,
    error::{Exit, Failure, Kind},
    find::Stale,
    model, space,
};
use crate::{
    embed::{
        self,
        model::{Embedder, Model, Unavailable},
        table,
        vector::Vector,
    },
    index::{
        build, corpus, manifest,
        vectors::{self, Known},
    },
    recall::corpus::{SourceKind, category_name, documents},
    store::{
        atomic::{self, Sync},
        read::Problem,
        vault::Store,
    },
};

/// Write what is kept about entries for other programs
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Embeddings(EmbeddingsArgs),
}

/// Write the vectors of all entries as JSON, as pi's embeddings.json
///
/// An object: the first 16 hexadecimal digits of the SHA-256 of `[category] text` are the keys, in
/// their order, and arrays of numbers are the values. The vectors are those of the chosen model
/// (embedding.model), of length 1. pimem keeps them in 8 bits a number, and that is how exact they
/// are. What has no vector yet gets one, however long the model takes.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  pimem export embeddings --output embeddings.json")]
struct EmbeddingsArgs {
    /// Write to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(crate) fn run(ctx: &Context, args: &Args) -> Result<Outcome, Failure> {
    match &args.what {
        What::Embeddings(args) => embeddings(ctx, args),
    }
}

fn embeddings(ctx: &Context, args: &EmbeddingsArgs) -> Result<Outcome, Failure> {
    let model = chosen(ctx)?;
    if let Some(path) = args.output.as_deref().filter(|path| path.exists() && !path.is_file()) {
        let message = format!("{} is not a file", path.display());
        let hint = "without --output, the vectors go to standard output";
        return Err(Failure::new(Kind::Usage, message, hint));
    }
    let dir = args.output.as_deref().and_then(Path::parent);
    if let Some(dir) = dir.filter(|dir| !dir.as_os_str().is_empty() && !dir.is_dir()) {
        let message = format!("there is no directory {}", dir.display());
        return Err(Failure::new(Kind::Usage, message, "make it first, or name another file"));
    }
    let mut embedder: Option<Box<dyn Embedder>> = None;
    let mut all = BTreeMap::new();
    let (mut stale, mut problems) = (Vec::new(), Vec::new());
    for store in ctx.readers()? {
        let (texts, unread) = entries(ctx, &store);
        problems.extend(unread);
        let dir = ctx.cache_dir(&store).filter(|_| model.id != table::NAME);
        let mut known = dir
            .map(|dir| corpus::known_vectors(&dir, (model.key(), model.dimension)))
            .unwrap_or_default();
        let made = missing(ctx, &model, &texts, &mut known, &mut embedder)?;
        all.extend(texts.into_keys().filter_map(|key| Some((key, known.remove(&key)?))));
        if !made.is_empty() {
            stale.push(Stale { store, whole: true, fresh: made });
        }
    }
    let text = object(&all);
    match &args.output {
        None => ctx.ui.text(&text),
        Some(path) => {
            atomic::replace_file(path, text.as_bytes(), Sync::None, || Ok(true))?;
            report(ctx, &model, all.len(), path);
        }
    }
    Ok((ctx.complain(&problems, Exit::Done), stale))
}

fn report(ctx: &Context, model: &Model, count: usize, path: &Path) {
    let path = path.display();
    if ctx.ui.json {
        ctx.ui.document(&json!({
            "schema": "pimem.export/1", "model": model.id, "dimension": model.dimension,
            "exported": count, "file": path.to_string(),
        }));
    } else {
        ctx.ui.line(&format!("Exported {count} vectors of {} to {path}", model.id));
    }
}

/// What the chosen model is; it does not have to be able to serve.
pub(super) fn chosen(ctx: &Context) -> Result<Model, Failure> {
    match model::in_force(ctx).as_str() {
        space::NONE => {
            let hint = "pimem model use static chooses the built-in model";
            Err(Failure::new(Kind::Refused, "embedding.model is none: there are no vectors", hint))
        }
        table::NAME => Ok(table::model()),
        name => {
            let manifest = ctx.models()?.manifest(name);
            manifest.map(|manifest| manifest.model).map_err(|why| {
                let mut failure = model::unknown(name, why.0);
                failure.hints.push("vectors belong to an installed model's very files".to_owned());
                failure
            })
        }
    }
}

/// The entries of a store: what is embedded of each, by the key of its line.
pub(super) fn entries(ctx: &Context, store: &Store) -> (BTreeMap<u64, String>, Vec<Problem>) {
    let categories = &ctx.config.categories;
    let (sources, mut problems) = manifest::sources(store);
    problems.retain(|problem| problem.path.starts_with(store.topics_dir()));
    let mut found = BTreeMap::new();
    for source in sources.iter().filter(|source| source.kind == SourceKind::Topic) {
        match store.file(&source.name) {
            Ok(Some(bytes)) => {
                documents(source.kind, &source.name, bytes, categories, |doc, text| {
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

/// Makes the vectors that are missing, and gives those worth keeping.
fn missing(
    ctx: &Context,
    model: &Model,
    texts: &BTreeMap<u64, String>,
    known: &mut Known,
    embedder: &mut Option<Box<dyn Embedder>>,
) -> Result<Known, Failure> {
    let missing: Vec<(u64, &str)> = texts
        .iter()
        .filter(|(key, _)| !known.contains_key(key))
        .map(|(key, text)| (*key, text.as_str()))
        .collect();
    if missing.is_empty() {
        return Ok(Known::default());
    }
    let cannot = || space::failure(Unavailable(format!("the model {} cannot serve", model.id)));
    let embedder = match embedder {
        Some(embedder) => embedder,
        none => none.insert(space::embedder(ctx, &model.id)?.ok_or_else(cannot)?),
    };
    let mut made = Known::default();
    let mut progress = ctx.ui.progress("embedding");
    build::make(embedder.as_mut(), &missing, &mut made, &mut progress).map_err(space::failure)?;
    known.extend(made.iter().map(|(key, vector)| (*key, vector.clone())));
    // The built-in model's are made again in no time.
    Ok(if model.id == table::NAME { Known::default() } else { made })
}

/// The document: one line a vector.
fn object(vectors: &BTreeMap<u64, Vector>) -> String {
    let line = |(key, vector): (&u64, &Vector)| {
        let numbers = serde_json::to_string(&vector.unit()).unwrap_or_default();
        format!("\n\"{key:016x}\":{numbers}")
    };
    let lines: Vec<String> = vectors.iter().map(line).collect();
    format!("{{{}\n}}\n", lines.join(","))
}
