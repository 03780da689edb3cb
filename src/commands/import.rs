//! `pimem import`: reads memories and vectors from the formats of other programs.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    path::{Path, PathBuf},
};

use clap::{
    ValueEnum,
    builder::{PossibleValue, TypedValueParser},
};
use pimem_engine::{
    error::{Failure, FailureKind},
    memory::{
        diff::Period,
        guards::GuardProposal,
        import::{
            Fate, From, HistoryRequest, ImportRequest, Imported, ImportedMemory, LeftOut, Lines,
            source::ImportedVectors,
        },
    },
};

use crate::{
    agents::Agent,
    shell::{self, Exit, Shell},
    ui::{Human, Ui},
};

/// Import what other programs remember, or a backup
///
/// With one file and no format, it makes a store of a backup by pimem export --all, where there is none.
/// What waited for a review waits again, and so does what is worded as an order to an agent.
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
    /// What is read; a file alone is a backup
    #[arg(value_name = "FORMAT", value_parser = SourceParser)]
    source: Source,
    /// From where; one place, but for agents
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Category of what does not say its own [default: lesson]
    #[arg(long, short, value_name = "CATEGORY")]
    category: Option<String>,
    /// Of history: only from this date, or this age, on
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Show what would be added, and write nothing
    #[arg(long, short = 'n')]
    dry_run: bool,
}

/// What is read.
#[derive(Debug, Clone)]
enum Source {
    Of(Format),
    Backup(PathBuf),
}

/// Parses a format, or else the path of a backup.
#[derive(Clone)]
struct SourceParser;

impl TypedValueParser for SourceParser {
    type Value = Source;

    fn parse_ref(
        &self,
        _: &clap::Command,
        _: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Source, clap::Error> {
        let format = value.to_str().and_then(|name| Format::from_str(name, false).ok());
        Ok(format.map_or_else(|| Source::Backup(value.into()), Source::Of))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(Format::value_variants().iter().filter_map(Format::to_possible_value)))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Entries with their evidence, as pimem export jsonl writes them (`-` reads standard input): a
    /// JSON object a line with the keys of pimem add, and id, topic, firstSeen, lastReinforced,
    /// evidenceCount, userState and events, which are lines of a log and say more than the others.
    /// When a line is no such object, nothing is imported
    Jsonl,
    /// The entries of another store, as pi and pimem keep them: the store, the directory that holds
    /// it, or one topic file. Evidence comes along, from evidence.jsonl or memory-scores.json
    Pi,
    /// A directory with MEMORY.md, SCRATCHPAD.md and daily/, as pi-memory keeps them. Notes and logs
    /// are added where they are missing, and open items to the checklist; a line of MEMORY.md that
    /// begins with a category's tag, as in `#decision [[db]] Chose PostgreSQL`, becomes an entry
    PiMemory,
    /// Claude Code's memory directory, ~/.claude/projects/PROJECT/memory. A file with front matter is
    /// a memory: of type user or feedback a preference, project a decision, reference a lesson. In
    /// others and in MEMORY.md each bullet is one, but for links to files
    Claude,
    /// AGENTS.md, CLAUDE.md and the like, with the files that they include: bullets, sentences, rows
    /// of tables, commands and up to five lines of other code with the sentence before them, and what
    /// a drawing of files remarks of each. Headings tell the category (Preferences, Conventions,
    /// Lessons, Decisions, Never, Pitfalls and some more), or else what a line says; one that forbids
    /// or names an occasion stands before each of its lines. A bullet takes along those nested below
    /// it; one that ends in a colon introduces them; numbered steps below a heading such as "Adding a
    /// page" are one entry. Imported again after a change, what the file says otherwise replaces what
    /// it said, what it says no longer is forgotten, and the rest is confirmed; --dry-run shows that
    Agents,
    /// What the history of this project says: what you stated in the transcripts that Claude Code,
    /// Codex, Gemini CLI, OpenCode and pi keep on this machine, why commits were reverted, decisions
    /// in commit messages, and records of decisions (docs/adr). Nothing of a model is taken, and all
    /// of it waits for pimem trust --review
    History,
    /// The vectors of entries from what pimem export embeddings or pi wrote. They have to be those of
    /// the chosen model, which has to be installed, and are then not made again; whether they are can
    /// only be told by how many numbers they have. Exit code 1 when none was of use
    Embeddings,
}

pub(crate) fn run(ctx: &Shell, args: &ImportArgs) -> Result<Exit, Failure> {
    let ImportArgs { source, paths, category, dry_run, since } = args;
    let refuse = |message: &str, hint: &str| Err(Failure::new(FailureKind::Usage, message, hint));
    let format = match source {
        Source::Of(format) => format,
        Source::Backup(path) if paths.is_empty() && category.is_none() && !dry_run => {
            let view = ctx.memory.tending().restore_backup(path)?;
            ctx.ui.show(&view);
            return Ok(Exit::Done);
        }
        Source::Backup(path) => {
            let hint = "pimem help import lists them; a backup stands alone";
            return refuse(&format!("there is no format {:?}", path.display().to_string()), hint);
        }
    };
    let path = match paths.as_slice() {
        [_] if *format == Format::History => {
            let hint = "go to the project: cd PROJECT";
            return refuse("history is that of the project of this directory", hint);
        }
        [one] => one.clone(),
        [] if *format == Format::History => PathBuf::new(),
        [] => return refuse("import needs a path after the format", "pimem help import"),
        _ if *format == Format::Agents => PathBuf::new(),
        _ => return refuse("only agents takes more than one file", "import one after the other"),
    };
    if since.is_some() && *format != Format::History {
        return refuse("--since is for history", "leave it out");
    }
    let says_its_own =
        matches!(format, Format::Pi | Format::PiMemory | Format::Embeddings | Format::History);
    if category.is_some() && says_its_own {
        return refuse("what is imported says its own category", "leave out --category");
    }
    let from = match format {
        Format::Embeddings if *dry_run => {
            return refuse("vectors are imported or not", "leave out --dry-run");
        }
        Format::Embeddings => {
            return Ok(ctx.show_found(&ctx.memory.writing().import_vectors(&path)?, |view| {
                view.imported > 0
            }));
        }
        Format::Jsonl if path == Path::new("-") => From::Jsonl(Lines::Text(shell::read_stdin()?)),
        Format::Jsonl => From::Jsonl(Lines::File(path)),
        Format::Pi => From::Pi(path),
        Format::PiMemory => From::PiMemory(path),
        Format::Claude => From::Claude(path),
        Format::Agents => From::Agents(paths.clone()),
        Format::History => From::History(HistoryRequest {
            transcripts: transcripts(ctx),
            opencode: opencode(ctx),
            period: Period::new(ctx.memory.now, since.as_deref(), None)?,
            since: since.clone(),
        }),
    };
    let request = ImportRequest { from, category: category.clone(), dry_run: *dry_run };
    // Nothing was found when there was nothing, or nothing of it may be an entry.
    Ok(ctx.show_found(&ctx.memory.writing().import(&request)?, |view| {
        !(view.results.is_empty() && view.notes.is_empty())
    }))
}

/// Returns the directories in which agents keep transcripts.
fn transcripts(ctx: &Shell) -> Vec<PathBuf> {
    let dirs = Agent::ALL.into_iter().filter_map(|agent| {
        let folder = agent.record().transcripts?;
        Some(ctx.config_dir(agent).ok()?.join(folder))
    });
    dirs.collect()
}

/// Returns the database in which OpenCode keeps its sessions.
fn opencode(ctx: &Shell) -> Option<PathBuf> {
    let env = &ctx.memory.env;
    let named = env.get("XDG_DATA_HOME").map(PathBuf::from).filter(|dir| dir.is_absolute());
    let data = named.or_else(|| Some(env.home.as_ref()?.join(".local/share")))?;
    Some(data.join("opencode/opencode.db")).filter(|path| path.is_file())
}

/// Files of rules of other programs.
const OTHER_RULES: &[&str] = &[".windsurfrules", ".github/copilot-instructions.md"];

/// Says what could be imported into the store of a project that has just begun.
pub(crate) fn offer(ctx: &Shell) {
    let Some(root) = ctx.memory.places.root() else { return };
    let own = Agent::ALL.into_iter().flat_map(|agent| agent.record().rule_files);
    let mut files: Vec<&str> = own.chain(OTHER_RULES).copied().collect();
    files.sort_unstable();
    files.dedup();
    files.retain(|name| root.join(name).is_file());
    if !files.is_empty() {
        let (files, has) = (files.join(" "), if files.len() == 1 { "has" } else { "have" });
        ctx.ui.note(&format!("{files} {has} rules: pimem import agents {files}"));
    }
    // Claude Code names the folder of a project by its path.
    let named: String = root
        .to_string_lossy()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    let has_past =
        |dir: &PathBuf| dir.join(&named).is_dir() || dir.ends_with("sessions") && dir.is_dir();
    if transcripts(ctx).iter().any(has_past) || opencode(ctx).is_some() {
        ctx.ui.note("Agents have worked on this machine: pimem import history --dry-run");
    }
}

/// How often a reason is given line by line.
const SAID_EACH: usize = 3;

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
        // The same reason over and over is said once.
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        self.left_out.iter().for_each(|left| *reasons.entry(&left.reason).or_default() += 1);
        for LeftOut { place, reason } in &self.left_out {
            let line = format!("Left out: {place}: {reason}");
            let is_frequent = reasons.get(&**reason).is_some_and(|count| *count > SAID_EACH);
            if is_frequent { ui.detail(&line) } else { ui.line(&line) }
        }
        for (reason, count) in reasons.iter().filter(|(_, count)| **count > SAID_EACH) {
            ui.line(&format!("Left out: {count} lines: {reason} (-v says where)"));
        }
        let verb = if self.dry_run { "Would import" } else { "Imported" };
        let (new, there) = (self.added + self.updated, self.known + self.repeated);
        let left = self.left_out.len();
        let gone = self.replaced + self.forgotten;
        let total = self.results.len() - gone + left;
        let gone = if gone == 0 {
            String::new()
        } else {
            format!(", {} replaced, {} forgotten", self.replaced, self.forgotten)
        };
        ui.line(&format!("{verb} {new} of {total} ({there} already there, {left} left out{gone})"));
        let checks = self.results.iter().filter_map(|one| one.check.as_ref());
        let checks: Vec<&GuardProposal> = checks.filter(|_| !self.dry_run).collect();
        if !checks.is_empty() {
            ui.note("These lines state what can be checked; tools are held to it once you say so:");
            for check in checks {
                ui.note(&format!("    {}", check.in_words()));
            }
        }
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
        (Fate::Replaced, false) => "Replaced",
        (Fate::Replaced, true) => "Would replace",
        (Fate::Forgotten, false) => "Forgotten, as it is there no longer",
        (Fate::Forgotten, true) => "Would forget, as it is there no longer",
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
