//! `pimem telemetry`: shows what was put into prompts, and what of it was used.

use pimem_core::{
    report::budget::thousands,
    usage::record::{Record, RecordKindOf},
};
use pimem_engine::{
    error::{Failure, FailureKind},
    local_time,
    memory::{
        diff::Period,
        telemetry::{
            LogRequest, RecordKind, SESSIONS, UsageOrder,
            summary::{
                ClearedLogs, EntryUse, GONE, HeldBy, LogFile, LogRecord, LogView, NamedUse,
                NeverUsed, TelemetrySummary, Unused, Usage, Use, Uses, percent,
            },
        },
    },
    view::{count, counted},
};

use crate::{
    globals::choices,
    shell::{self, Exit, Shell},
    ui::{Column, Human, Style, Styled, Ui, table},
};

/// Show which memories were put into prompts, and which of them were used
///
/// Hooks note what they put into a prompt and which of it the answer used: it quotes the beginning of
/// an entry, or has 60 % of its content words. A search notes what it found. The notes stay on this
/// machine, in git's directory or in data/ beside the store, and hold no answers; telemetry.enabled =
/// false switches them off.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pimem telemetry\n  pimem telemetry --by category\n  \
    pimem telemetry --never-used 5")]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct TelemetryArgs {
    #[command(subcommand)]
    action: Option<Action>,
    /// Show in how many of the sessions that had it each was used
    #[arg(long, value_name = "WHAT", group = "table", value_parser = choices(ORDERS))]
    by: Option<UsageOrder>,
    /// List entries that so many sessions had and none used [default: 3]
    ///
    /// That is no proof that they are useless: a rule can be heeded without a word of it in the
    /// answer. Sessions of which no answer was seen do not count.
    #[arg(long, value_name = "SESSIONS", num_args = 0..=1, default_missing_value = "3", group = "table")]
    never_used: Option<usize>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List records, newest last
    Log(LogArgs),
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
    #[arg(long = "type", hide_short_help = true, value_name = "TYPE", value_parser = choices(TYPES))]
    types: Vec<RecordKind>,
}

const ORDERS: &[(&str, &str, UsageOrder)] = &[
    ("entry", "By entry", UsageOrder::Entry),
    ("category", "By category", UsageOrder::Category),
    ("agent", "By agent", UsageOrder::Agent),
];

const TYPES: &[(&str, &str, RecordKind)] = &[
    ("injection", "Entries were put into a context", RecordKind::Injection),
    ("usage", "An answer was seen", RecordKind::Usage),
    (
        "session-inject",
        "Summaries of past sessions were put into a context",
        RecordKind::SessionInject,
    ),
    ("access", "A search found entries", RecordKind::Access),
];

pub(crate) fn run(ctx: &Shell, args: &TelemetryArgs) -> Result<Exit, Failure> {
    Ok(match &args.action {
        Some(Action::Log(args)) => {
            let period = Period::new(ctx.memory.now, args.since.as_deref(), args.until.as_deref())?;
            let request = LogRequest { period, kinds: args.types.clone(), limit: args.limit };
            ctx.show(&ctx.memory.learning().telemetry_log(&request)?)
        }
        Some(Action::Clear { yes }) => return clear(ctx, *yes),
        None => match (args.by, args.never_used) {
            (Some(by), _) => ctx.show(&ctx.memory.learning().telemetry_usage(by)?),
            (_, Some(least)) => ctx.show(&ctx.memory.learning().telemetry_never_used(least)?),
            _ => ctx.show(&ctx.memory.learning().telemetry_summary()?),
        },
    })
}

fn clear(ctx: &Shell, yes: bool) -> Result<Exit, Failure> {
    let held = ctx.memory.learning().telemetry_files()?.files;
    let lines: Vec<String> = held.iter().map(line).collect();
    if !held.is_empty() && !yes && !shell::confirm(ctx, &lines, "Delete them?")? {
        let message = "nothing was deleted";
        return Err(Failure::new(FailureKind::Refused, message, "--yes does it without asking"));
    }
    let cleared = ctx.memory.learning().clear_telemetry()?;
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
        RecordKindOf::Lifted { entries: list } => format!("{} lifted", entries(list.len())),
        RecordKindOf::Unknown => String::new(),
    }
}

/// Columns of the names of fields.
const LABEL: usize = 17;
/// Characters of an entry's text in the summary.
const TEXT: usize = 56;
/// Entries of a kind in the summary, which is to fit a screen of 24 lines.
const NAMED: usize = 3;

impl Human for TelemetrySummary {
    fn human(&self, ui: &Ui) {
        used(self, ui);
        if !self.held_by.is_empty() {
            if self.records > 0 {
                ui.line("");
            }
            let row = |one: &HeldBy| {
                let last = one.last.first().map(|last| date(last)).unwrap_or_default();
                let numbers = [one.held.to_string(), one.lifted.to_string(), last.to_owned()];
                let mut row: Vec<Styled> = numbers.map(Styled::from).into();
                row.extend([Styled::new(Style::Id, &one.short), shortened(&one.text).into()]);
                row
            };
            let header = ["held back", "lifted", "last", "id", "text"];
            ui.table(&header, self.held_by.iter().take(NAMED).map(row).collect());
        }
    }

    fn when_empty(&self) -> Option<&'static str> {
        (self.records == 0 && self.held_by.is_empty())
            .then_some("Nothing was recorded; agents are once pimem hooks install was run")
    }
}

/// Prints what was recorded, if anything was.
fn used(summary: &TelemetrySummary, ui: &Ui) {
    let (Some(first), Some(last)) = (&summary.from, &summary.to) else { return };
    let (first, last) = (date(first), date(last));
    let days: Vec<usize> = summary.days.iter().map(|day| day.entries).collect();
    let most = format!("{} at most, {first} to {last}", days.iter().max().unwrap_or(&0));
    let room = ui.width().saturating_sub(LABEL + most.len() + 5);
    let damaged = match summary.damaged {
        0 => String::new(),
        damaged => format!("; {damaged} damaged, left out"),
    };
    let fields = [
        ("days", format!("{} {} {most}", days.len(), table::sparkline(&days, room))),
        (
            "sessions",
            format!(
                "{}, {} of them with an answer; {}, {} {}",
                summary.sessions,
                summary.measured_sessions,
                count(summary.prompts, "prompt"),
                thousands(summary.searches),
                if summary.searches == 1 { "search" } else { "searches" }
            ),
        ),
        (
            "injected",
            format!(
                "{}, {}, {} a session",
                count(summary.entries, "time"),
                counted(summary.different_entries, "different entry", "different entries"),
                count(summary.tokens / summary.sessions.max(1), "token")
            ),
        ),
        (
            "past sessions",
            format!("{} in {}", summary.past_sessions, count(summary.session_injects, "prompt")),
        ),
        (
            "used",
            format!(
                "{} of {} ({}), each entry counted once a session",
                summary.usage.used,
                summary.usage.seen,
                percent(summary.usage.rate)
            ),
        ),
        ("by category", shares(&summary.categories)),
        ("by agent", shares(&summary.agents)),
        (
            "never used",
            format!(
                "{} (in {SESSIONS} sessions or more: pimem telemetry --never-used)",
                summary.never_used
            ),
        ),
        (
            "on record",
            format!(
                "{}, {} bytes{damaged}",
                count(summary.records, "line"),
                thousands(summary.bytes)
            ),
        ),
    ];
    // Searches alone have neither category nor agent.
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_empty()) {
        ui.field(LABEL, name, value);
    }
    named_entries(ui, "used most", &summary.most_used);
    named_entries(ui, "never used", &summary.least_used);
}

/// Says what each used of what it was given: `lesson 16 of 65, decision 11 of 51`.
fn shares(rows: &[NamedUse]) -> String {
    let share = |NamedUse { name, usage }: &NamedUse| match usage.seen {
        0 => format!("{name} not seen"),
        seen => format!("{name} {} of {seen}", usage.used),
    };
    rows.iter().map(share).collect::<Vec<_>>().join(", ")
}

/// Returns the beginning of a text.
fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(TEXT).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

fn named_entries(ui: &Ui, title: &str, entries: &[EntryUse]) {
    if entries.is_empty() {
        return;
    }
    ui.line("");
    let row = |entry: &EntryUse| {
        let used = format!("{} of {}", entry.usage.used, entry.usage.seen);
        vec![used.into(), Styled::new(Style::Id, &entry.short), shortened(&entry.text).into()]
    };
    ui.table(&[title, "id", "text"], entries.iter().take(NAMED).map(row).collect());
}

impl Human for Usage {
    fn human(&self, ui: &Ui) {
        let rows = match &self.usage {
            Uses::Named(rows) => return named(ui, self.by, rows),
            Uses::Entries(rows) => rows,
        };
        let row = |EntryUse { short, category, text, usage, .. }: &EntryUse| {
            let category = category.as_deref().unwrap_or(GONE);
            let mut row = vec![Styled::new(Style::Id, short), category.into()];
            row.extend(numbers(usage).map(Styled::from));
            row.push(text.as_str().into());
            row
        };
        let header = [
            "id".into(),
            Column::spare(3, "category"),
            Column::spare(2, "injected"),
            "seen".into(),
            "used".into(),
            "rate".into(),
            Column::spare(1, "last used"),
            "text".into(),
        ];
        ui.table(&header, rows.iter().map(row).collect());
    }

    fn when_empty(&self) -> Option<&'static str> {
        self.is_empty()
            .then_some("Nothing was recorded; agents are once pimem hooks install was run")
    }
}

impl Human for NeverUsed {
    fn human(&self, ui: &Ui) {
        if self.entries.is_empty() {
            return;
        }
        let row = |Unused { entry, usage, state, score, .. }: &Unused| {
            let last = usage.last_injected.as_deref().map(date).unwrap_or_default();
            let (category, text) = (entry.category.as_str().into(), entry.text.as_str().into());
            let (id, seen) = (Styled::new(Style::Id, &entry.short), usage.seen.to_string().into());
            vec![id, seen, last.into(), category, ui.state(state), score.as_str().into(), text]
        };
        let header = [
            "id".into(),
            "seen".into(),
            Column::spare(2, "last"),
            Column::spare(3, "category"),
            "state".into(),
            Column::spare(1, "score"),
            "text".into(),
        ];
        ui.table(&header, self.entries.iter().map(row).collect());
        ui.note("pimem forget ID keeps an entry out of prompts, unpin lets a pinned one fade");
    }

    fn when_empty(&self) -> Option<&'static str> {
        self.entries.is_empty().then_some("No entry was in so many sessions without being used")
    }
}

fn named(ui: &Ui, title: &str, rows: &[NamedUse]) {
    let row = |NamedUse { name, usage }: &NamedUse| {
        std::iter::once(name.clone()).chain(numbers(usage)).collect()
    };
    let header = [title, "injected", "seen", "used", "rate", "last used"];
    ui.table(&header, rows.iter().map(row).collect());
}

fn numbers(Use { injected, seen, used, rate, last_used, .. }: &Use) -> [String; 5] {
    let last = last_used.as_deref().map_or("-", date).to_owned();
    [injected.to_string(), seen.to_string(), used.to_string(), percent(*rate), last]
}

/// Returns the date of an RFC 3339 time.
fn date(time: &str) -> &str {
    time.split('T').next().unwrap_or_default()
}
