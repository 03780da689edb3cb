//! `pimem export`: writes memories and vectors in the formats of other programs.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use pimem_engine::{
    error::{Failure, FailureKind},
    memory::{
        Answer,
        backup::BackedUp,
        export::{ExportExtent, ExportFormat, Exported, ExportedVectors, Output},
    },
    view::count,
};

use crate::{
    shell::{Exit, Outcome, Shell},
    ui::{Human, Ui},
};

/// Write entries, notes or vectors for other programs, or a backup
///
/// With --all FILE and no format, the whole store goes into one file: entries and evidence, notes, what
/// waits for a review, and what this machine has noted beside it. pimem import FILE makes a store of
/// that where there is none.
///
/// Entries and notes are those of one store, to which pimem add would write. The same store gives
/// the same bytes.
///
/// Entries that no agent is told are left out and counted: forgotten, replaced, expired, not
/// reviewed, with a secret, of another preset. With --all they are written too, each with the
/// reason, and with secrets masked.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pimem export jsonl > memories.jsonl\n  \
    pimem export agents --output AGENTS.md\n  pimem --user export claude --output memories\n  \
    pimem export --all backup.jsonl")]
pub(crate) struct ExportArgs {
    /// What is written
    #[arg(value_enum, value_name = "FORMAT", required_unless_present = "all")]
    format: Option<Format>,
    /// Write here instead of to standard output; pi, pi-memory and claude need a directory that is
    /// empty or not there yet
    #[arg(long, short, value_name = "PATH",
        required_if_eq_any = [("format", "pi"), ("format", "pi-memory"), ("format", "claude")])]
    output: Option<PathBuf>,
    /// Write also what no agent is told, with the reason, and with secrets masked; without a format a
    /// backup, into FILE or to standard output
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    all: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Entries with their evidence, a JSON object a line. pimem import jsonl makes the same of it:
    /// into an empty store, every report is the same; with --all, so is what was forgotten, replaced
    /// or expired
    Jsonl,
    /// topics/ and memory-scores.json, as pi keeps them. Replaced and expired entries are always left
    /// out: pi does not know them
    Pi,
    /// MEMORY.md, SCRATCHPAD.md and daily/, as pi-memory keeps them. Entries stand in MEMORY.md below
    /// the heading Memories, with their category as a tag
    PiMemory,
    /// A memory directory as Claude Code keeps it: a file an entry, and MEMORY.md, which lists them
    Claude,
    /// A block for AGENTS.md or CLAUDE.md. With --output, the block in the file is replaced, or added
    /// at its end; everything else stays
    Agents,
    /// The vectors of all entries, as pi's embeddings.json: the first 16 hexadecimal digits of the
    /// SHA-256 of `[category] text` are the keys, in their order, and arrays of numbers the values, of
    /// the chosen model (embedding.model), of length 1 and as exact as 8 bits a number. What has no
    /// vector yet gets one, however long the model takes
    Embeddings,
}

pub(crate) fn run(ctx: &Shell, args: &ExportArgs) -> Result<Outcome, Failure> {
    let extent = if args.all.is_some() { ExportExtent::All } else { ExportExtent::Given };
    let (format, extent) = match (args.format, &args.all) {
        (Some(format), None) => (format, extent),
        (Some(format), Some(none)) if none.as_os_str() == "-" => (format, extent),
        (None, Some(path)) => {
            match path.to_str().and_then(|name| Format::from_str(name, false).ok()) {
                // The format after the option.
                Some(format) => (format, extent),
                None => return backup(ctx, path).map(Outcome::from),
            }
        }
        _ => {
            let message = "a backup has no format";
            let hint = "pimem export --all FILE writes one, pimem export FORMAT --all a format";
            return Err(Failure::new(FailureKind::Usage, message, hint));
        }
    };
    let output = args.output.clone();
    let dir = || output.clone().unwrap_or_default();
    let format = match format {
        Format::Jsonl => ExportFormat::Jsonl(output),
        Format::Pi => ExportFormat::Pi(dir()),
        Format::PiMemory => ExportFormat::PiMemory(dir()),
        Format::Claude => ExportFormat::Claude(dir()),
        Format::Agents => ExportFormat::Agents(output),
        Format::Embeddings => {
            let (answer, stale) = ctx.memory.reading().export_vectors(output.as_deref())?;
            return Ok((show(ctx, &answer), stale));
        }
    };
    Ok((show(ctx, &ctx.memory.reading().export(&format, extent)?), Vec::new()))
}

fn backup(ctx: &Shell, path: &Path) -> Result<Exit, Failure> {
    let view = ctx.memory.tending().back_up(Some(path).filter(|path| *path != Path::new("-")))?;
    Ok(show(ctx, &Answer { view, problems: Vec::new() }))
}

impl Human for BackedUp {
    fn human(&self, ui: &Ui) {
        ui.line(&format!("{} in {}", count(self.files, "file"), self.file));
    }
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
