//! `pimem note` and `pimem log`: append to the long-term notes and to the log of the day.

use pimem_core::safety::text::{EntryText, NoteText};
use pimem_engine::{
    error::Failure,
    memory::notes::{Noted, NotedIn, NotesFile},
};

use super::read;
use crate::{
    shell::{self, Exit, Shell},
    ui::{Human, Ui},
};

/// Add to the long-term notes in MEMORY.md, or show them
///
/// Notes are free markdown. One line becomes an item of a list, several are added as they are.
/// Without a text, the notes are shown, as by pimem read memory.
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

/// Add to today's log, or show it
///
/// A log has an item for each call, with the local time. Later lines of a text are indented below
/// its first. Without a text, today's log is shown, as by pimem read daily.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pimem log Found the leak: the pool never closes\n  \
    git log -1 --format=%s | pimem log -")]
pub(crate) struct LogArgs {
    /// What happened (`-` reads standard input)
    #[arg(value_name = "TEXT")]
    text: Vec<String>,
}

pub(crate) fn note(ctx: &Shell, args: &NoteArgs) -> Result<Exit, Failure> {
    if args.text.is_empty() {
        read::show(ctx, NotesFile::Notes)?;
        return Ok(Exit::Done);
    }
    let text = NoteText::new(&shell::text(&args.text)?)?;
    // A heading is one line, with the rules of an entry's text.
    let heading = |raw: &str| EntryText::new(raw.trim_start_matches('#'));
    let heading = args.section.as_deref().map(heading).transpose()?;
    ctx.ui.show(&ctx.memory.note(&text, heading.as_ref().map(EntryText::as_str))?);
    Ok(Exit::Done)
}

pub(crate) fn log(ctx: &Shell, args: &LogArgs) -> Result<Exit, Failure> {
    if args.text.is_empty() {
        read::show(ctx, NotesFile::Log(read::today(ctx)))?;
        return Ok(Exit::Done);
    }
    let text = NoteText::new(&shell::text(&args.text)?)?;
    ctx.ui.show(&ctx.memory.log(&text)?);
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
