//! `pimem note` and `pimem log`: append to the long-term notes and to the log of the day.

use crate::{
    exit::Exit,
    input,
    shell::Shell,
    ui::{Human, Ui},
};
use pimem_core::{
    safety::{entry_text::EntryText, note_text::NoteText},
    view::notes::{Noted, NotedIn},
};
use pimem_engine::error::Failure;

/// Add to the long-term notes in MEMORY.md
///
/// Notes are free markdown. One line becomes an item of a list, several are added as they are.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pimem note --section Deployment Staging has two replicas\n  \
    pimem note - < decision.md")]
pub(crate) struct NoteArgs {
    /// What to note (`-` reads standard input)
    #[arg(required = true, value_name = "TEXT")]
    text: Vec<String>,
    /// Add it to the section with this heading, which is made when there is none
    #[arg(long, short, value_name = "HEADING")]
    section: Option<String>,
}

/// Add to today's log
///
/// A log has an item for each call, with the local time. Later lines of a text are indented below
/// its first.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pimem log Found the leak: the pool never closes\n  \
    git log -1 --format=%s | pimem log -")]
pub(crate) struct LogArgs {
    /// What happened (`-` reads standard input)
    #[arg(required = true, value_name = "TEXT")]
    text: Vec<String>,
}

pub(crate) fn note(ctx: &Shell, args: &NoteArgs) -> Result<Exit, Failure> {
    let text = NoteText::new(&input::text(&args.text)?)?;
    // A heading is one line, with the rules of an entry's text.
    let heading = |raw: &str| EntryText::new(raw.trim_start_matches('#'));
    let heading = args.section.as_deref().map(heading).transpose()?;
    ctx.ui.show(&ctx.memory.note(&text, heading.as_ref().map(EntryText::as_str))?);
    Ok(Exit::Done)
}

pub(crate) fn log(ctx: &Shell, args: &LogArgs) -> Result<Exit, Failure> {
    let text = NoteText::new(&input::text(&args.text)?)?;
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
