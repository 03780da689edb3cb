//! `pimem telemetry`: shows what was put into prompts, and what of it was used.

mod summary;

use std::path::PathBuf;

use pimem_core::usage::record::{Record, RecordKindOf};
use pimem_engine::{
    error::{Failure, FailureKind},
    local_time,
    memory::{
        Answer,
        page::other_pages,
        period::Period,
        telemetry::{
            LogRequest, RecordKind, UsageOrder,
            summary::{ClearedLogs, LogFile, LogRecord, LogView},
        },
    },
    view::count,
};

use super::page::PageTarget;
use crate::{
    exit::Exit,
    input,
    shell::Shell,
    ui::{Column, Human, Ui},
};

/// Show which memories were put into prompts, and which of them were used
///
/// Hooks note what they put into a prompt and which of it the answer used: it quotes the beginning of
/// an entry, or has 60 % of its content words. A search notes what it found. The notes stay on this
/// machine, in data/ beside the store, and hold no answers; telemetry.enabled = false switches them
/// off.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pimem telemetry\n  pimem telemetry usage --by category\n  \
    pimem telemetry never-used --min 5\n  pimem telemetry --html used.html")]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct TelemetryArgs {
    #[command(subcommand)]
    action: Option<Action>,
    /// Write the summary as a page instead [default: to standard output]
    #[arg(long, value_name = "PAGE", num_args = 0..=1, default_missing_value = "-")]
    html: Option<PathBuf>,
    /// Leave out of the page what people have written: ids stand for texts
    #[arg(long, requires = "html")]
    redact: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Show volume, rate of use by category and agent, and sizes (the default)
    Summary,
    /// List records, newest last
    Log(LogArgs),
    /// Show in how many of the sessions that had it each entry was used
    Usage {
        /// Sum up by
        #[arg(long, value_enum, value_name = "WHAT", default_value = "entry")]
        by: UsageOrder,
    },
    /// List entries that many sessions had and none used
    ///
    /// That is no proof that they are useless: a rule can be heeded without a word of it in the
    /// answer. Sessions of which no answer was seen do not count.
    NeverUsed {
        /// In at least this many sessions
        #[arg(long = "min", value_name = "N", default_value_t = 3)]
        least: usize,
    },
    /// Delete all records
    Clear {
        /// Do not ask
        #[arg(long, short)]
        yes: bool,
    },
}

#[derive(Debug, clap::Args)]
struct LogArgs {
    /// Show at most this many, the newest
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
    types: Vec<RecordKind>,
}

pub(crate) fn run(ctx: &Shell, args: &TelemetryArgs) -> Result<Exit, Failure> {
    if let Some(path) = &args.html {
        let target = PageTarget::of(ctx, path)?;
        let Answer { view, problems } = ctx.telemetry_summary()?;
        target.write(ctx, &other_pages::used(&if args.redact { view.redacted() } else { view }))?;
        return Ok(ctx.complain(&problems, Exit::Done));
    }
    Ok(match args.action.as_ref().unwrap_or(&Action::Summary) {
        Action::Summary => ctx.show(&ctx.telemetry_summary()?),
        Action::Log(args) => {
            let period = Period::new(ctx.now, args.since.as_deref(), args.until.as_deref())?;
            let request = LogRequest { period, kinds: args.types.clone(), limit: args.limit };
            ctx.show(&ctx.telemetry_log(&request)?)
        }
        Action::Usage { by } => ctx.show(&ctx.telemetry_usage(*by)?),
        Action::NeverUsed { least } => ctx.show(&ctx.telemetry_never_used(*least)?),
        Action::Clear { yes } => return clear(ctx, *yes),
    })
}

fn clear(ctx: &Shell, yes: bool) -> Result<Exit, Failure> {
    let held = ctx.telemetry_files()?.files;
    let lines: Vec<String> = held.iter().map(line).collect();
    if !held.is_empty() && !yes && !input::confirm(ctx, &lines, "Delete them?")? {
        let message = "nothing was deleted";
        return Err(Failure::new(FailureKind::Refused, message, "--yes does it without asking"));
    }
    let cleared = ctx.clear_telemetry()?;
    ctx.ui.show(&cleared);
    Ok(if cleared.files.is_empty() { Exit::Nothing } else { Exit::Done })
}

fn line(LogFile { file, records }: &LogFile) -> String {
    format!("{} in {file}", count(*records, "record"))
}

impl Human for ClearedLogs {
    fn human(&self, ui: &Ui) {
        for file in &self.files {
            ui.line(&format!("Deleted: {}", line(file)));
        }
    }
}

impl Human for LogView {
    fn human(&self, ui: &Ui) {
        let [agent, session] = [Column::spare(2, "agent"), Column::spare(1, "session")];
        let header = ["time".into(), agent, session, "type".into(), "what".into()];
        ui.table(&header, self.records.iter().map(cells).collect());
    }

    fn when_empty(&self) -> Option<&'static str> {
        self.records
            .is_empty()
            .then_some("Nothing was recorded; agents are once pimem hooks install was run")
    }
}

fn cells(LogRecord { at, record }: &LogRecord) -> Vec<String> {
    let time = local_time::local(*at);
    let time = format!("{} {}", time.date, time.clock());
    let session = record.session.as_deref().unwrap_or("-").chars().take(8).collect();
    let kind = record.what.name().to_owned();
    vec![time, record.agent.clone(), session, kind, in_words(record)]
}

/// Describes a record in a few words.
fn in_words(record: &Record) -> String {
    let entries = |n: usize| if n == 1 { "1 entry".to_owned() } else { format!("{n} entries") };
    let behind =
        |prompt: &str| if prompt.is_empty() { String::new() } else { format!(": {prompt}") };
    match &record.what {
        RecordKindOf::Injection { event, prompt, entries: list } => {
            format!("{}, {event}{}", entries(list.len()), behind(prompt))
        }
        RecordKindOf::Usage { injected, used, .. } => {
            format!("{} of {} used", used.len(), injected.len())
        }
        RecordKindOf::SessionInject { prompt, count } => {
            format!("{count} past sessions{}", behind(prompt))
        }
        RecordKindOf::Access { entries: list } => format!("{} found", entries(list.len())),
        RecordKindOf::Unknown => String::new(),
    }
}
