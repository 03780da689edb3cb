//! `pimem export`: writes memories and vectors in the formats of other programs.

use std::path::PathBuf;

use pimem_engine::{
    error::Failure,
    memory::{
        Answer,
        export::{ExportExtent, ExportFormat, Exported, ExportedVectors, Output},
    },
};

use crate::{
    shell::{Exit, Outcome, Shell},
    ui::{Human, Ui},
};

/// Write entries, notes or vectors for other programs
///
/// Entries and notes are those of one store, to which pimem add would write. The same store gives
/// the same bytes.
///
/// Entries that no agent is told are left out and counted: forgotten, replaced, expired, not
/// reviewed, with a secret, of another preset. With --all they are written too, each with the
/// reason, and with secrets masked.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pimem export jsonl > memories.jsonl\n  \
    pimem export agents --output AGENTS.md\n  pimem --user export claude --output memories")]
pub(crate) struct ExportArgs {
    /// Write also what no agent is told, with the reason, and with secrets masked
    #[arg(long, global = true)]
    all: bool,
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

/// Write entries with their evidence, a JSON object a line
///
/// pimem import jsonl makes the same of it: into an empty store, every report is the same. With
/// --all, so is what was forgotten, replaced or expired.
#[derive(Debug, clap::Args)]
struct FileArgs {
    /// Write to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Write topics/ and memory-scores.json, as pi keeps them
///
/// Replaced and expired entries are always left out: pi does not know them.
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

pub(crate) fn run(ctx: &Shell, args: &ExportArgs) -> Result<Outcome, Failure> {
    let format = match &args.what {
        What::Jsonl(args) => ExportFormat::Jsonl(args.output.clone()),
        What::Pi(args) => ExportFormat::Pi(args.output.clone()),
        What::PiMemory(args) => ExportFormat::PiMemory(args.output.clone()),
        What::Claude(args) => ExportFormat::Claude(args.output.clone()),
        What::Agents(args) => ExportFormat::Agents(args.output.clone()),
        What::Embeddings(args) => {
            let (answer, stale) = ctx.export_vectors(args.output.as_deref())?;
            return Ok((show(ctx, &answer), stale));
        }
    };
    let extent = if args.all { ExportExtent::All } else { ExportExtent::Given };
    Ok((show(ctx, &ctx.export(&format, extent)?), Vec::new()))
}

/// Reports the written files, or writes the export to standard output.
fn show(ctx: &Shell, answer: &Answer<Output<impl Human>>) -> Exit {
    match &answer.view {
        Output::Files(view) => ctx.ui.show(view),
        Output::Text(text) => ctx.ui.lines(text),
    }
    ctx.complain(&answer.problems, Exit::Done)
}

impl Human for Exported {
    fn human(&self, ui: &Ui) {
        let Self { exported, output, .. } = self;
        let noun = if *exported == 1 { "entry" } else { "entries" };
        ui.line(&format!("Exported {exported} {noun} to {output}"));
    }
}

impl Human for ExportedVectors {
    fn human(&self, ui: &Ui) {
        let Self { model, exported, file, .. } = self;
        ui.line(&format!("Exported {exported} vectors of {model} to {file}"));
    }
}
