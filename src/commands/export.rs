//! `pimem export`: memories and vectors in the formats of other programs.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde_json::json;

use crate::{
    exit::{Exit, Outcome},
    shell::Shell,
};
use pimem_core::{
    embed::{
        self,
        model::{Embedder, Model, Unavailable},
        table,
        vector::Vector,
    },
    search::documents::{SourceKind, category_name, documents},
};
use pimem_engine::{
    error::{Failure, Kind},
    index::{
        build, corpus, manifest,
        vectors::{self, Known},
    },
    memory::{
        export::{self, Exported},
        model, named_file,
        search::embedding,
        stale::Stale,
    },
    store::{
        atomic::{self, Sync},
        read::Problem,
        snapshot::Store,
    },
};

/// Write entries, notes or vectors for other programs
///
/// Entries and notes are those of one store, to which pimem add would write. The same store gives
/// the same bytes.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pimem export jsonl > memories.jsonl\n  \
    pimem export agents --output AGENTS.md\n  pimem --user export claude --output memories")]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Jsonl(FileArgs),
    Pi(PiArgs),
    PiMemory(PiMemoryArgs),
    Claude(ClaudeArgs),
    Agents(AgentsArgs),
    Embeddings(EmbeddingsArgs),
}

/// Write all entries with their evidence, a JSON object a line
///
/// pimem import jsonl makes the same of it: into an empty store, every report is the same.
#[derive(Debug, clap::Args)]
struct FileArgs {
    /// Write to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Write topics/ and memory-scores.json, as pi keeps them
///
/// Superseded and expired entries are left out, which pi does not know.
#[derive(Debug, clap::Args)]
struct PiArgs {
    /// A directory that is empty or not there yet
    #[arg(long, short, value_name = "DIR")]
    output: PathBuf,
}

/// Write MEMORY.md, SCRATCHPAD.md and daily/, as pi-memory keeps them
///
/// Entries stand in MEMORY.md below the heading Memories, with their category as a tag.
#[derive(Debug, clap::Args)]
struct PiMemoryArgs {
    /// A directory that is empty or not there yet
    #[arg(long, short, value_name = "DIR")]
    output: PathBuf,
}

/// Write a memory directory as Claude Code keeps it
///
/// A file an entry, and MEMORY.md, which lists them.
#[derive(Debug, clap::Args)]
struct ClaudeArgs {
    /// A directory that is empty or not there yet
    #[arg(long, short, value_name = "DIR")]
    output: PathBuf,
}

/// Write entries as a block for AGENTS.md or CLAUDE.md
///
/// With --output, the block in the file is replaced, or added at its end; everything else stays.
#[derive(Debug, clap::Args)]
struct AgentsArgs {
    /// Write into this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
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

pub(crate) fn run(ctx: &Shell, args: &Args) -> Result<Outcome, Failure> {
    let exported = match &args.what {
        What::Jsonl(args) => export::jsonl(ctx, args.output.as_deref()),
        What::Pi(args) => export::pi(ctx, &args.output),
        What::PiMemory(args) => export::pi_memory(ctx, &args.output),
        What::Claude(args) => export::claude(ctx, &args.output),
        What::Agents(args) => export::agents(ctx, args.output.as_deref()),
        What::Embeddings(args) => return embeddings(ctx, args),
    }?;
    show(ctx, &exported);
    Ok((ctx.complain(&exported.problems, Exit::Done), Vec::new()))
}

fn show(ctx: &Shell, exported: &Exported) {
    let Exported { format, entries, files, output, text, .. } = exported;
    if let Some(text) = text {
        ctx.ui.text(text);
    }
    let Some(output) = output else { return };
    if ctx.ui.json {
        ctx.ui.document(&json!({
            "schema": "pimem.export-memories/1", "format": format, "exported": entries,
            "files": files, "output": output.display().to_string(),
        }));
        return;
    }
    let noun = if *entries == 1 { "entry" } else { "entries" };
    ctx.ui.line(&format!("Exported {entries} {noun} to {}", output.display()));
}

fn embeddings(ctx: &Shell, args: &EmbeddingsArgs) -> Result<Outcome, Failure> {
    let model = chosen(ctx)?;
    if let Some(path) = &args.output {
        named_file::writable(path, export::STDOUT)?;
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

fn report(ctx: &Shell, model: &Model, count: usize, path: &Path) {
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
pub(crate) fn chosen(ctx: &Shell) -> Result<Model, Failure> {
    match model::in_force(ctx).as_str() {
        embedding::NONE => {
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
pub(crate) fn entries(ctx: &Shell, store: &Store) -> (BTreeMap<u64, String>, Vec<Problem>) {
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
    ctx: &Shell,
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
    let cannot = || embedding::failure(Unavailable(format!("the model {} cannot serve", model.id)));
    let embedder = match embedder {
        Some(embedder) => embedder,
        none => none.insert(embedding::embedder(ctx, &model.id)?.ok_or_else(cannot)?),
    };
    let mut made = Known::default();
    let mut progress = ctx.ui.progress("embedding");
    build::make(embedder.as_mut(), &missing, &mut made, &mut progress)
        .map_err(embedding::failure)?;
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
