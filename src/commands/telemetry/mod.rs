//! `pimem telemetry`: what was put into prompts, and what of it was used. Showing and deleting the
//! records is here.

use std::mem::ManuallyDrop;

use clap::ValueEnum;
use serde_json::{Value, json};

use crate::{exit::Exit, input, shell::Shell};
use pimem_core::{
    score::ranking::Ranking,
    usage::{
        record::{Record, What},
        sums::Log,
    },
};
use pimem_engine::{
    error::{Failure, Kind},
    local_time,
    memory::{self, period::Period, telemetry},
    store::{
        machine_local::TELEMETRY,
        read::Problem,
        snapshot::{Snapshot, Store},
    },
};
mod replay;
mod sums;

/// Show which memories were put into prompts, and which of them were used
///
/// Hooks note what they put into a prompt and which of it the answer used: it quotes the beginning of
/// an entry, or has 60 % of its content words. A search notes what it found. The notes stay on this
/// machine, in data/ beside the store, and hold no answers; telemetry.enabled = false switches them
/// off. Exit code 1 says that there are none.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pimem telemetry\n  pimem telemetry usage --by category\n  \
    pimem telemetry never-used --min 5\n  pimem telemetry replay --min-score 0.4 --min-score 0.5\n  \
    pimem telemetry tune --apply")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Sum up: volume, rate of use by category and agent, sizes (the default)
    Summary,
    /// List records, newest last
    Log(LogArgs),
    /// Show how often each entry was used, of the sessions that had it
    Usage {
        /// Sum up by
        #[arg(long, value_enum, value_name = "WHAT", default_value = "entry")]
        by: By,
    },
    /// List entries that many sessions had and none used
    ///
    /// That is no proof that they are useless: a rule can be heeded without a word of it in the
    /// answer. Sessions of which no answer was seen do not count.
    NeverUsed {
        /// In at least so many sessions
        #[arg(long = "min", value_name = "N", default_value_t = 3)]
        least: usize,
    },
    /// Run recorded prompts against today's store with other thresholds
    ///
    /// kept says how many of the entries that were used would still have been there, used which
    /// share of all that is put into prompts that is. What a lower threshold adds was in no prompt,
    /// so nobody knows whether it would have been used. Only the first 200 characters of a prompt
    /// are on record.
    Replay(replay::Args),
    /// Propose recall.minScore and recall.limit by what was used
    ///
    /// Proposed is the highest threshold, and then the lowest limit, that keeps 95 % of the entries
    /// that were used. It takes 50 prompts and 30 used entries; with fewer the exit code is 1.
    Tune {
        /// Change the settings: the project's, or yours with --user
        #[arg(long)]
        apply: bool,
    },
    /// Delete all records
    Clear {
        /// Do not ask
        #[arg(long, short)]
        yes: bool,
    },
}

/// How rates are broken down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum By {
    /// By entry
    Entry,
    /// By category
    Category,
    /// By agent
    Agent,
}

#[derive(Debug, clap::Args)]
struct LogArgs {
    /// At most so many, the newest
    #[arg(long = "limit", short = 'n', value_name = "N", default_value_t = 20)]
    limit: usize,
    /// Only those from this time or later: a date, yesterday, a time (RFC 3339) or an age as in 7d
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Only those from this time or earlier; a date counts with the whole day
    #[arg(long, value_name = "WHEN")]
    until: Option<String>,
    /// Only those of this type (repeatable)
    #[arg(long = "type", value_enum, value_name = "TYPE")]
    types: Vec<Type>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Type {
    /// Entries were put into a context
    Injection,
    /// An answer was seen
    Usage,
    /// Summaries of past sessions were put into a context
    SessionInject,
    /// A search found entries
    Access,
}

impl Type {
    fn is(self, what: &What) -> bool {
        match self {
            Self::Injection => matches!(what, What::Injection { .. }),
            Self::Usage => matches!(what, What::Usage { .. }),
            Self::SessionInject => matches!(what, What::SessionInject { .. }),
            Self::Access => matches!(what, What::Access { .. }),
        }
    }
}

/// Telemetry of some stores, and their entries.
pub(crate) struct Noted {
    pub(crate) stores: Vec<Store>,
    pub(crate) log: Log,
    pub(crate) board: ManuallyDrop<Ranking>,
    snapshots: ManuallyDrop<Vec<Snapshot>>,
    problems: Vec<Problem>,
}

impl Noted {
    fn read(ctx: &Shell) -> Result<Self, Failure> {
        let stores = ctx.readers()?;
        let (log, problems) = telemetry::log(ctx, &stores);
        let (board, snapshots) = ctx.board(&stores);
        Ok(Self { stores, log, board, snapshots, problems })
    }

    /// The end of a command that has, or has not, found something.
    pub(crate) fn exit(&self, ctx: &Shell, found: bool) -> Exit {
        if self.log.records.is_empty() {
            let off = !ctx.config.settings.telemetry.enabled;
            let why = if off { " (telemetry.enabled is false)" } else { "" };
            ctx.ui.note(&format!("Nothing was noted yet{why}"));
        }
        let mut problems = self.problems.clone();
        problems.extend(memory::problems(&self.snapshots));
        ctx.complain(&problems, if found { Exit::Done } else { Exit::Nothing })
    }
}

pub(crate) fn run(ctx: &Shell, args: &Args) -> Result<Exit, Failure> {
    match args.action.as_ref().unwrap_or(&Action::Summary) {
        Action::Summary => Ok(sums::summary(ctx, &Noted::read(ctx)?)),
        Action::Log(args) => log(ctx, args),
        Action::Usage { by } => Ok(sums::usage(ctx, &Noted::read(ctx)?, *by)),
        Action::NeverUsed { least } => Ok(sums::never_used(ctx, &Noted::read(ctx)?, *least)),
        Action::Replay(args) => Ok(replay::replay(ctx, &Noted::read(ctx)?, args)),
        Action::Tune { apply } => replay::tune(ctx, &Noted::read(ctx)?, *apply),
        Action::Clear { yes } => clear(ctx, *yes),
    }
}

fn log(ctx: &Shell, args: &LogArgs) -> Result<Exit, Failure> {
    let period = Period::new(ctx.now, args.since.as_deref(), args.until.as_deref())?;
    let (log, problems) = telemetry::log(ctx, &ctx.readers()?);
    let mut records: Vec<_> = log
        .records
        .iter()
        .filter(|(at, _)| period.contains(Some(*at)))
        .filter(|(_, record)| {
            args.types.is_empty() || args.types.iter().any(|kind| kind.is(&record.what))
        })
        .collect();
    records.drain(..records.len().saturating_sub(args.limit));
    if ctx.ui.json {
        let list: Vec<&Record> = records.iter().map(|(_, record)| record).collect();
        ctx.ui.document(&json!({
            "schema": "pimem.telemetry-log/1", "records": list, "damaged": log.damaged,
        }));
    } else if !records.is_empty() {
        let cells = |(at, record): &&(_, Record)| {
            let time = local_time::local(*at);
            let session = record.session.as_deref().unwrap_or("-").chars().take(8).collect();
            let (kind, what) = told(record);
            vec![
                format!("{} {}", time.date, time.clock()),
                record.agent.clone(),
                session,
                kind,
                what,
            ]
        };
        let header = ["time", "agent", "session", "type", "what"];
        ctx.ui.table(&header, records.iter().map(cells).collect());
    }
    let exit = if records.is_empty() { Exit::Nothing } else { Exit::Done };
    Ok(ctx.complain(&problems, exit))
}

/// What a record says, in a few words.
fn told(record: &Record) -> (String, String) {
    let entries = |n: usize| if n == 1 { "1 entry".to_owned() } else { format!("{n} entries") };
    let behind =
        |prompt: &str| if prompt.is_empty() { String::new() } else { format!(": {prompt}") };
    let what = match &record.what {
        What::Injection { event, prompt, entries: list } => {
            format!("{}, {event}{}", entries(list.len()), behind(prompt))
        }
        What::Usage { injected, used, .. } => format!("{} of {} used", used.len(), injected.len()),
        What::SessionInject { prompt, count } => format!("{count} past sessions{}", behind(prompt)),
        What::Access { entries: list } => format!("{} found", entries(list.len())),
        What::Unknown => String::new(),
    };
    (record.what.name().to_owned(), what)
}

fn clear(ctx: &Shell, yes: bool) -> Result<Exit, Failure> {
    let stores = ctx.readers()?;
    let mut held = Vec::new();
    for store in &stores {
        let bytes = store.local(TELEMETRY).map_err(|problem| Failure::from(&problem))?;
        let bytes = bytes.unwrap_or_default();
        if !bytes.is_empty() {
            let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count();
            held.push((store, lines));
        }
    }
    let place = |store: &Store| store.data_dir().join(TELEMETRY).display().to_string();
    let lines: Vec<String> =
        held.iter().map(|(store, lines)| format!("{lines} records in {}", place(store))).collect();
    if !held.is_empty() && !yes && !input::confirm(ctx, &lines, "Delete them?")? {
        let message = "nothing was deleted";
        return Err(Failure::new(Kind::Refused, message, "--yes does it without asking"));
    }
    for (store, _) in &held {
        store.rewrite_local(TELEMETRY, |_| Some(Vec::new()))?;
    }
    if ctx.ui.json {
        let json =
            |(store, lines): &(&Store, usize)| json!({"file": place(store), "records": lines});
        let files: Vec<Value> = held.iter().map(json).collect();
        ctx.ui.document(&json!({"schema": "pimem.telemetry-clear/1", "files": files}));
    } else {
        for line in &lines {
            ctx.ui.line(&format!("Deleted: {line}"));
        }
    }
    Ok(if held.is_empty() { Exit::Nothing } else { Exit::Done })
}
