//! `pimem import`: memories and vectors from the formats of other programs.

mod embeddings;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::{exit::Exit, input, shell::Shell};
use pimem_core::{
    exchange::{Left, Parsed, agents, claude, jsonl},
    score::ranking::Scope,
};
use pimem_engine::{
    error::{Failure, Kind},
    memory::{
        export,
        import::{self, Fate, Imported, Source, Taken},
        named_file,
    },
    store::{
        foreign_store::{Holdings, Pages},
        gitlink, notes, read,
    },
};

/// Take over what other programs remember
///
/// What is there already is left as it is, so importing twice adds nothing. What may not be stored
/// (secrets, invisible characters), says what an entry says in other words, or was removed here, is
/// left out with the reason.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  pimem import claude ~/.claude/projects/-home-me-app/memory --dry-run\n  \
    pimem import agents AGENTS.md CLAUDE.md -c pattern\n  pimem --dir OLD export jsonl | pimem import jsonl -"
)]
pub(crate) struct Args {
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

/// Take over entries with their evidence, as pimem export jsonl writes them
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

/// Take over the entries of another store, as pi and pimem keep them
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

/// Take over MEMORY.md, SCRATCHPAD.md and daily/, as pi-memory keeps them
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

/// Take over Claude Code's memory directory
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

/// Take over the bullets of AGENTS.md, CLAUDE.md and the like
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

/// Take over the vectors of entries from pi's embeddings.json
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

/// The largest file of entries that is read.
const MAX: u64 = 256 << 20;
/// Places of a store below the directory that is named.
const STORES: [&str; 3] = ["", ".pi/memory", ".pi/agent/memory"];
/// Which files of agents are meant.
const AGENTS: &str = "give the AGENTS.md or CLAUDE.md of a project";

pub(crate) fn run(ctx: &Shell, args: &Args) -> Result<Exit, Failure> {
    match &args.what {
        What::Embeddings(args) => embeddings::run(ctx, &args.file),
        What::Jsonl(JsonlArgs { file, unsaid, how }) => {
            done(ctx, lines(file)?, unsaid.category.as_deref(), how.dry_run)
        }
        What::Pi(PiArgs { path, how }) => done(ctx, pi(ctx, path)?, None, how.dry_run),
        What::PiMemory(DirArgs { path, how }) => {
            done(ctx, pi_memory(ctx, path)?, None, how.dry_run)
        }
        What::Claude(ClaudeArgs { path, unsaid, how }) => {
            let hint = "Claude Code's memories are in ~/.claude/projects/PROJECT/memory";
            is_dir(path, hint)?;
            let mut pages = Pages::default();
            pages.folder(path, "");
            let found = claude::read(&pages.files, &ctx.config.categories);
            let source = Source { format: "claude", found, ..Source::default() };
            let category = unsaid.category.as_deref();
            done(ctx, with(source, pages), category, how.dry_run)
        }
        What::Agents(AgentsArgs { files, unsaid, how }) => {
            let mut pages = Pages::default();
            let mut waits = false;
            for path in files {
                let place = ctx.places.cwd.join(path);
                let root = place.parent().and_then(|dir| ctx.places.work_tree(dir));
                waits |= root.is_some_and(gitlink::is_clone);
                let bytes = named_file::named(path, read::MAX_FILE, AGENTS)?;
                pages.page(&path.display().to_string(), bytes);
            }
            let mut source = Source { format: "agents", waits, ..Source::default() };
            for page in &pages.files {
                let found = agents::read(&page.name, &page.text, &ctx.config.categories);
                source.found.items.extend(found.items);
                source.found.left.extend(found.left);
            }
            let category = unsaid.category.as_deref();
            done(ctx, with(source, pages), category, how.dry_run)
        }
    }
}

/// A source with what could not be used of its pages.
fn with(mut source: Source, pages: Pages) -> Source {
    source.found.left.extend(pages.left);
    source.problems.extend(pages.problems);
    source
}

fn lines(path: &Path) -> Result<Source, Failure> {
    let text = if path == Path::new("-") {
        input::read_stdin()?
    } else {
        let bytes = named_file::named(path, MAX, "give what pimem export jsonl wrote")?;
        String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            let message = format!("{} is not UTF-8 (byte {at})", path.display());
            Failure::new(Kind::Refused, message, "convert it first, as with iconv")
        })?
    };
    let items = jsonl::parse(&text).map_err(|(number, wrong)| {
        let from = if path == Path::new("-") {
            "standard input".into()
        } else {
            path.display().to_string()
        };
        let message = format!("line {number} of {from}: {}", wrong.message);
        Failure::new(Kind::Refused, message, wrong.hint)
    })?;
    let found = Parsed { items, ..Parsed::default() };
    Ok(Source { format: "jsonl", found, ..Source::default() })
}

fn pi(ctx: &Shell, path: &Path) -> Result<Source, Failure> {
    let hint = "give the directory that holds topics/, as .pi/memory of a project";
    let store = |dir: &Path| ctx.store(dir.to_path_buf(), Scope::Project);
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let (held, only) = if path.is_dir() {
        let dirs = STORES.map(|below| path.join(below));
        let dir = dirs.iter().find(|dir| dir.join("topics").is_dir()).ok_or_else(|| {
            let message = format!("there is no store in {}", path.display());
            Failure::new(Kind::Usage, message, hint)
        })?;
        (store(dir).holdings(export::reader(ctx)), None)
    } else {
        let bytes = named_file::named(path, read::MAX_FILE, hint)?;
        let stem = stem.unwrap_or_default();
        let dir = path.parent().filter(|dir| dir.file_name().is_some_and(|name| name == "topics"));
        if let Some(dir) = dir.and_then(Path::parent) {
            // Its evidence stands beside the topics.
            (store(dir).holdings(export::reader(ctx)), Some(stem))
        } else {
            let mut held = store(path).topic_alone(&stem, bytes, export::reader(ctx));
            // Its name is nobody's choice of a topic.
            held.items.iter_mut().for_each(|item| item.topic = None);
            (held, None)
        }
    };
    let Holdings { mut items, left, snapshot } = held;
    items.retain(|item| only.as_ref().is_none_or(|stem| item.topic.as_ref() == Some(stem)));
    let found = Parsed { items, left };
    Ok(Source { format: "pi", found, problems: snapshot.problems, ..Source::default() })
}

fn pi_memory(ctx: &Shell, dir: &Path) -> Result<Source, Failure> {
    let hint = "pi-memory keeps MEMORY.md and daily/ in ~/.pi/agent/memory";
    is_dir(dir, hint)?;
    let dirs = STORES.map(|below| dir.join(below));
    let holds = |dir: &&PathBuf| {
        [notes::NOTES, notes::SCRATCHPAD, "daily"].iter().any(|name| dir.join(name).exists())
    };
    let dir = dirs.iter().find(holds).map_or(dir, PathBuf::as_path);
    let mut pages = Pages::default();
    pages.file(dir, notes::NOTES);
    pages.file(dir, notes::SCRATCHPAD);
    pages.folder(dir, "daily");
    let mut source = Source { format: "pi-memory", ..Source::default() };
    for page in &pages.files {
        import::note(ctx, &mut source, &page.name, &page.text);
    }
    Ok(with(source, pages))
}

fn is_dir(dir: &Path, hint: &str) -> Result<(), Failure> {
    let what = match (dir.is_dir(), dir.exists()) {
        (true, _) => return Ok(()),
        (_, true) => format!("{} is not a directory", dir.display()),
        _ => format!("there is no directory {}", dir.display()),
    };
    Err(Failure::new(Kind::Usage, what, hint))
}

fn done(ctx: &Shell, source: Source, category: Option<&str>, dry: bool) -> Result<Exit, Failure> {
    let imported = import::run(ctx, source, category, dry)?;
    Ok(show(ctx, &imported, dry))
}

/// Nothing was found when there was nothing, or nothing of it may be an entry.
fn imported_exit(ctx: &Shell, imported: &Imported) -> Exit {
    let Imported { source, taken, pages } = imported;
    let nothing = taken.is_empty() && pages.is_empty();
    ctx.complain(&source.problems, if nothing { Exit::Nothing } else { Exit::Done })
}

/// Says what was taken over, and how the command ends.
fn show(ctx: &Shell, imported: &Imported, dry: bool) -> Exit {
    let Imported { source, taken, pages } = imported;
    let count = |name: &str| taken.iter().filter(|taken| taken.fate.name() == name).count();
    let (added, updated) = (count("added"), count("updated"));
    let (known, repeated) = (count("known"), count("repeated"));
    let left = &source.found.left;
    if ctx.ui.json {
        let result = |taken: &Taken| {
            let Taken { fate, id, place, line, .. } = taken;
            json!({"action": fate.name(), "place": place, "id": id.to_string(), "entry": line})
        };
        let results: Vec<Value> = taken.iter().map(result).collect();
        let reason = |left: &Left| json!({"place": left.place, "reason": left.reason});
        let left: Vec<Value> = left.iter().map(reason).collect();
        ctx.ui.document(&json!({
            "schema": "pimem.import-memories/1", "format": source.format, "dryRun": dry,
            "added": added, "updated": updated, "known": known, "repeated": repeated,
            "results": results, "leftOut": left, "notes": pages,
        }));
        return imported_exit(ctx, imported);
    }
    for Taken { fate, line, .. } in taken {
        let line = format!("{}: {line}", fate.verb(dry));
        if matches!(fate, Fate::Known) { ctx.ui.detail(&line) } else { ctx.ui.line(&line) }
    }
    for (name, fresh) in pages.iter().filter(|(_, fresh)| **fresh > 0) {
        let verb = if dry { "Would add to" } else { "Added to" };
        let (items, s) = (fresh, if *fresh == 1 { "" } else { "s" });
        ctx.ui.line(&format!("{verb} {name}: {items} item{s}"));
    }
    for Left { place, reason } in left {
        ctx.ui.line(&format!("Left out: {place}: {reason}"));
    }
    let verb = if dry { "Would import" } else { "Imported" };
    let total = taken.len() + left.len();
    let (new, there) = (added + updated, known + repeated);
    let left = left.len();
    ctx.ui.line(&format!("{verb} {new} of {total} ({there} already there, {left} left out)"));
    imported_exit(ctx, imported)
}
