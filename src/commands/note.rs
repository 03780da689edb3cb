//! `pimem note` and `pimem log`: append to the long-term notes and to the log of the day, or show them.

use pimem_core::{
    model::time::Date,
    safety::text::{EntryText, NoteText},
};
use pimem_engine::{
    error::{Failure, FailureKind},
    local_time,
    memory::{
        diff,
        notes::{LogDays, NoteFiles, Noted, NotedIn, NotesFile},
    },
};

use crate::{
    shell::{self, Exit, Shell},
    ui::{Human, Ui},
};

/// Add to the long-term notes in MEMORY.md, or show them
///
/// Notes are free markdown. One line becomes an item of a list, several are added as they are.
/// Without a text, the notes are shown as they are, but for secrets, the project's first.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pimem note --section Deployment Staging has two replicas\n  \
    pimem note - < decision.md")]
pub(crate) struct NoteArgs {
    /// What to note (`-` reads standard input)
    #[arg(value_name = "TEXT")]
    text: Vec<String>,
    /// Add it to the section with this heading, which is made when there is none
    #[arg(long, short, value_name = "HEADING", requires = "text")]
    section: Option<String>,
}

/// Add to today's log, or show a log
///
/// A log has an item for each call, with the local time. Later lines of a text are indented below
/// its first. Without a text, today's log is shown as it is, but for secrets, the project's first.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pimem log Found the leak: the pool never closes\n  \
    git log -1 --format=%s | pimem log -\n  pimem log --date yesterday")]
pub(crate) struct LogArgs {
    /// What happened (`-` reads standard input)
    #[arg(value_name = "TEXT")]
    text: Vec<String>,
    /// Show the log of this day: a date, yesterday, or an age as in 3d; exit code 1 without one
    #[arg(long, value_name = "DAY", conflicts_with = "text")]
    date: Option<String>,
    /// List the days that have a log, newest first
    #[arg(long, conflicts_with_all = ["text", "date"])]
    days: bool,
}

pub(crate) fn note(ctx: &Shell, args: &NoteArgs) -> Result<Exit, Failure> {
    if args.text.is_empty() {
        show(ctx, NotesFile::Notes)?;
        return Ok(Exit::Done);
    }
    let text = NoteText::new(&shell::text(&args.text)?)?;
    // A heading is one line, with the rules of an entry's text.
    let heading = |raw: &str| EntryText::new(raw.trim_start_matches('#'));
    let heading = args.section.as_deref().map(heading).transpose()?;
    ctx.ui.show(&ctx.memory.writing().note(&text, heading.as_ref().map(EntryText::as_str))?);
    Ok(Exit::Done)
}

pub(crate) fn log(ctx: &Shell, args: &LogArgs) -> Result<Exit, Failure> {
    if args.days {
        ctx.ui.show(&ctx.memory.reading().logged_days()?);
        return Ok(Exit::Done);
    }
    if args.text.is_empty() {
        let day = args.date.as_deref().map_or(Ok(today(ctx)), |text| day(ctx, text))?;
        let is_empty = show(ctx, NotesFile::Log(day))?;
        // Whoever names a day asks for that log.
        return Ok(Exit::Done.unless_empty(args.date.is_some() && is_empty));
    }
    let text = NoteText::new(&shell::text(&args.text)?)?;
    ctx.ui.show(&ctx.memory.writing().log(&text)?);
    Ok(Exit::Done)
}

impl Human for Noted {
    fn human(&self, ui: &Ui) {
        let verb = match self.into {
            NotedIn::Notes => "Noted in",
            NotedIn::Log => "Logged in",
        };
        let (first, more) = match self.text.split_once('\n') {
            Some((first, _)) => (first, " …"),
            None => (self.text.as_str(), ""),
        };
        ui.line(&format!("{verb} {}: {first}{more}", self.file));
    }
}

fn today(ctx: &Shell) -> Date {
    local_time::local(ctx.memory.now.0).date
}

/// Shows a file of notes, and returns true if it has nothing.
fn show(ctx: &Shell, file: NotesFile) -> Result<bool, Failure> {
    let view = ctx.memory.reading().read_notes(file)?;
    ctx.ui.show(&view);
    Ok(view.files.is_empty())
}

fn day(ctx: &Shell, text: &str) -> Result<Date, Failure> {
    let today = today(ctx);
    let named = match text {
        "today" => Some(today),
        "yesterday" => Some(today.yesterday()),
        _ => None,
    };
    let moment = || Some(local_time::local(diff::when(ctx.memory.now, text, |_| None).ok()?).date);
    named.or_else(|| Date::parse(text)).or_else(moment).ok_or_else(|| {
        let message = format!("{text:?} is not a date");
        let hint = "write it as in 2026-12-31, yesterday or 3d; pimem log --days has them";
        Failure::new(FailureKind::Usage, message, hint)
    })
}

impl Human for NoteFiles {
    fn human(&self, ui: &Ui) {
        for file in &self.files {
            let text = file.text.trim_start_matches('\u{feff}').replace('\t', "    ");
            text.lines().for_each(|line| ui.line(line));
        }
    }

    fn when_empty(&self) -> Option<&'static str> {
        self.files
            .is_empty()
            .then_some("Nothing was written there; pimem log, todo add and note do")
    }
}

impl Human for LogDays {
    fn human(&self, ui: &Ui) {
        let rows = self.days.iter().map(|day| vec![day.date.to_string(), day.scope.to_owned()]);
        ui.table(&["date", "store"], rows.collect());
    }

    fn when_empty(&self) -> Option<&'static str> {
        self.days.is_empty().then_some("No day has a log; pimem log TEXT begins one")
    }
}
