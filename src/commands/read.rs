//! `pimem read`: prints notes, scratchpad and logs unchanged.

use crate::{
    exit::Exit,
    shell::Shell,
    ui::{Human, Ui},
};
use pimem_core::{
    model::calendar::Date,
    view::notes::{Days, Files},
};
use pimem_engine::{
    error::{Failure, Kind},
    local_time,
    memory::notes::NotesFile,
};

/// Show notes, the scratchpad or a daily log
///
/// Files are shown as they are, the project's first. Exit code 1 says that there is none.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  pimem read daily\n  pimem read daily 2026-06-30\n  pimem read list"
)]
pub(crate) struct Args {
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
        /// The day [default: today]
        #[arg(value_name = "YYYY-MM-DD")]
        date: Option<String>,
    },
    /// The days that have a log, newest first
    List,
}

pub(crate) fn run(ctx: &Shell, args: &Args) -> Result<Exit, Failure> {
    let file = match &args.what {
        What::List => {
            let view = ctx.logged_days()?;
            ctx.ui.show(&view);
            return Ok(Exit::Done.unless_empty(view.days.is_empty()));
        }
        What::Memory => NotesFile::Notes,
        What::Scratchpad => NotesFile::Scratchpad,
        What::Daily { date } => {
            let today = local_time::local(ctx.now.0).date;
            NotesFile::Log(date.as_deref().map_or(Ok(today), day)?)
        }
    };
    let view = ctx.read_notes(file)?;
    ctx.ui.show(&view);
    if view.files.is_empty() {
        ctx.ui.note(&format!("there is no {}", file.name()));
    }
    Ok(Exit::Done.unless_empty(view.files.is_empty()))
}

fn day(text: &str) -> Result<Date, Failure> {
    Date::parse(text).ok_or_else(|| {
        let message = format!("{text:?} is not a date");
        Failure::new(Kind::Usage, message, "write it as in 2026-12-31; pimem read list has them")
    })
}

impl Human for Files {
    fn human(&self, ui: &Ui) {
        for file in &self.files {
            let text = file.text.trim_start_matches('\u{feff}').replace('\t', "    ");
            text.lines().for_each(|line| ui.line(line));
        }
    }
}

impl Human for Days {
    fn human(&self, ui: &Ui) {
        let rows = self.days.iter().map(|day| vec![day.date.to_string(), day.scope.to_owned()]);
        ui.table(&["date", "store"], rows.collect());
    }
}
