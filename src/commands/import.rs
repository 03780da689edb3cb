//! `pimem import`: reads memories and vectors from the formats of other programs.

use std::path::{Path, PathBuf};

use pimem_engine::{
    error::Failure,
    memory::import::{
        Fate, From, ImportRequest, Imported, ImportedMemory, LeftOut, Lines,
        source::ImportedVectors,
    },
};

use crate::{
    shell::{self, Exit, Shell},
    ui::{Human, Ui},
};

/// Import what other programs remember
///
/// What is there already is left as it is, so importing twice adds nothing. What may not be stored
/// (secrets, invisible characters), says what an entry says in other words, or was removed here, is
/// left out with the reason.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  pimem import claude ~/.claude/projects/-home-me-app/memory --dry-run\n  \
    pimem import agents AGENTS.md CLAUDE.md -c pattern\n  pimem --dir OLD export jsonl | pimem import jsonl -"
)]
pub(crate) struct ImportArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Jsonl(JsonlArgs),
    Pi(PiArgs),
    PiMemory(DirArgs),
    Claude(ClaudeArgs),
    Agents(AgentsArgs),
    Embeddings(EmbeddingsArgs),
}

/// Import entries with their evidence, as pimem export jsonl writes them
///
/// A JSON object a line: the keys of pimem add, and id, topic, firstSeen, lastReinforced,
/// evidenceCount, userState and events, which are lines of a log and say more than the others. When
/// a line is no such object, nothing is imported.
#[derive(Debug, clap::Args)]
struct JsonlArgs {
    /// The file (`-` reads standard input)
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    unsaid: Unsaid,
    #[command(flatten)]
    how: How,
}

/// Import the entries of another store, as pi and pimem keep them
///
/// Evidence comes along: from evidence.jsonl, and from pi's memory-scores.json. A project's or a
/// home directory stands for the store in it. Notes and logs: pimem import pi-memory.
#[derive(Debug, clap::Args)]
struct PiArgs {
    /// The store, the directory that holds it, or one topic file
    #[arg(value_name = "DIR|FILE")]
    path: PathBuf,
    #[command(flatten)]
    how: How,
}

/// Import MEMORY.md, SCRATCHPAD.md and daily/, as pi-memory keeps them
///
/// Notes and logs are added to those of the store where they are missing, and open items to the
/// checklist. A line of MEMORY.md that begins with a category's tag, as in `#decision [[db]] Chose
/// PostgreSQL`, becomes an entry instead.
#[derive(Debug, clap::Args)]
struct DirArgs {
    /// The directory
    #[arg(value_name = "DIR")]
    path: PathBuf,
    #[command(flatten)]
    how: How,
}

/// Import Claude Code's memory directory
///
/// A file with front matter is a memory: of type user or feedback a preference, project a decision,
/// reference a lesson. In other files and in MEMORY.md each bullet is one, but for links to files.
#[derive(Debug, clap::Args)]
struct ClaudeArgs {
    /// The directory, as in ~/.claude/projects/PROJECT/memory
    #[arg(value_name = "DIR")]
    path: PathBuf,
    #[command(flatten)]
    unsaid: Unsaid,
    #[command(flatten)]
    how: How,
}

/// Import the bullets of AGENTS.md, CLAUDE.md and the like
///
/// Headings tell the category: Preferences, Conventions, Lessons, Decisions, Never, Pitfalls and
/// some more. A bullet takes along those nested below it; one that ends in a colon introduces them.
#[derive(Debug, clap::Args)]
struct AgentsArgs {
    /// The files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    unsaid: Unsaid,
    #[command(flatten)]
    how: How,
}

#[derive(Debug, clap::Args)]
struct Unsaid {
    /// Category of what does not say its own [default: lesson]
    #[arg(long, short, value_name = "CATEGORY")]
    category: Option<String>,
}

#[derive(Debug, clap::Args)]
struct How {
    /// Show what would be added, and write nothing
    #[arg(long, short = 'n')]
    dry_run: bool,
}

/// Import the vectors of entries from pi's embeddings.json
///
/// Reads what pimem export embeddings writes. The vectors have to be those of the chosen model
/// (embedding.model), which has to be installed, and are then not made again. Whether they are can
/// only be told by how many numbers they have. Vectors of entries that are not there are ignored.
/// Exit code 1 when none was of use.
#[derive(Debug, clap::Args)]
struct EmbeddingsArgs {
    /// The file
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

pub(crate) fn run(ctx: &Shell, args: &ImportArgs) -> Result<Exit, Failure> {
    let (from, unsaid, how) = match &args.what {
        What::Embeddings(args) => {
            let answer = ctx.import_vectors(&args.file)?;
            return Ok(ctx.show_found(&answer, |view| view.imported > 0));
        }
        What::Jsonl(JsonlArgs { file, unsaid, how }) => {
            let lines = if file == Path::new("-") {
                Lines::Text(shell::read_stdin()?)
            } else {
                Lines::File(file.clone())
            };
            (From::Jsonl(lines), Some(unsaid), how)
        }
        What::Pi(PiArgs { path, how }) => (From::Pi(path.clone()), None, how),
        What::PiMemory(DirArgs { path, how }) => (From::PiMemory(path.clone()), None, how),
        What::Claude(ClaudeArgs { path, unsaid, how }) => {
            (From::Claude(path.clone()), Some(unsaid), how)
        }
        What::Agents(AgentsArgs { files, unsaid, how }) => {
            (From::Agents(files.clone()), Some(unsaid), how)
        }
    };
    let category = unsaid.and_then(|unsaid| unsaid.category.clone());
    let answer = ctx.import(&ImportRequest { from, category, dry_run: how.dry_run })?;
    // Nothing was found when there was nothing, or nothing of it may be an entry.
    Ok(ctx.show_found(&answer, |view| !(view.results.is_empty() && view.notes.is_empty())))
}

impl Human for Imported {
    fn human(&self, ui: &Ui) {
        for ImportedMemory { action, entry, .. } in &self.results {
            let line = format!("{}: {entry}", verb(*action, self.dry_run));
            if *action == Fate::Known { ui.detail(&line) } else { ui.line(&line) }
        }
        for (name, fresh) in self.notes.iter().filter(|(_, fresh)| **fresh > 0) {
            let verb = if self.dry_run { "Would add to" } else { "Added to" };
            let s = if *fresh == 1 { "" } else { "s" };
            ui.line(&format!("{verb} {name}: {fresh} item{s}"));
        }
        for LeftOut { place, reason } in &self.left_out {
            ui.line(&format!("Left out: {place}: {reason}"));
        }
        let verb = if self.dry_run { "Would import" } else { "Imported" };
        let (new, there) = (self.added + self.updated, self.known + self.repeated);
        let left = self.left_out.len();
        let total = self.results.len() + left;
        ui.line(&format!("{verb} {new} of {total} ({there} already there, {left} left out)"));
    }
}

fn verb(fate: Fate, dry_run: bool) -> &'static str {
    match (fate, dry_run) {
        (Fate::Added, false) => "Added",
        (Fate::Added, true) => "Would add",
        (Fate::Updated, false) => "Added evidence for",
        (Fate::Updated, true) => "Would add evidence for",
        (Fate::Known, _) => "Already there",
        (Fate::Repeated, _) => "Already there in other words",
    }
}

impl Human for ImportedVectors {
    fn human(&self, ui: &Ui) {
        let Self { model, vectors, imported, unknown, .. } = self;
        ui.line(&format!(
            "Imported {imported} of {vectors} vectors for {model} ({unknown} of no present entry)"
        ));
    }
}
