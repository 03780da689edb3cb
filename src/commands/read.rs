//! `pimem read`: prints notes, scratchpad and logs.

use pimem_core::model::time::Date;
use pimem_engine::{
    error::{Failure, FailureKind},
    local_time,
    memory::{
        diff,
        notes::{LogDays, NoteFiles, NotesFile},
    },
};

use crate::{
    shell::{Exit, Shell},
    ui::{Human, Ui},
};

/// Show notes, the scratchpad or a daily log
///
/// Files are shown as they are, but for secrets, the project's first. Exit code 1 says that a day
/// which was named has no log.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  pimem read daily\n  pimem read daily 2026-06-30\n  pimem read list"
)]
pub(crate) struct ReadArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Long-term notes: MEMORY.md
    Memory,
    /// The checklist: SCRATCHPAD.md
    Scratchpad,
    /// The log of a day
    Daily {
        /// The day: a date, yesterday, or an age as in 3d [default: today]
        #[arg(value_name = "DAY")]
        date: Option<String>,
    },
    /// The days that have a log, newest first
    List,
}

pub(crate) fn run(ctx: &Shell, args: &ReadArgs) -> Result<Exit, Failure> {
    let file = match &args.what {
        What::List => {
            ctx.ui.show(&ctx.logged_days()?);
            return Ok(Exit::Done);
        }
        What::Memory => NotesFile::Notes,
        What::Scratchpad => NotesFile::Scratchpad,
        What::Daily { date } => {
            NotesFile::Log(date.as_deref().map_or(Ok(today(ctx)), |text| day(ctx, text))?)
        }
    };
    // Whoever names a day asks for that log.
    let is_named = matches!(&args.what, What::Daily { date: Some(_) });
    let is_empty = show(ctx, file)?;
    Ok(Exit::Done.unless_empty(is_named && is_empty))
}

pub(super) fn today(ctx: &Shell) -> Date {
    local_time::local(ctx.now.0).date
}

/// Shows a file of notes, and returns true if it has nothing.
pub(super) fn show(ctx: &Shell, file: NotesFile) -> Result<bool, Failure> {
    let view = ctx.read_notes(file)?;
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
    let moment = || Some(local_time::local(diff::when(ctx.now, text, |_| None).ok()?).date);
    named.or_else(|| Date::parse(text)).or_else(moment).ok_or_else(|| {
        let message = format!("{text:?} is not a date");
        let hint = "write it as in 2026-12-31, yesterday or 3d; pimem read list has them";
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
