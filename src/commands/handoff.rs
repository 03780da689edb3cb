//! `pimem handoff`: writes a handoff for the next session to the log of the day.

use pimem_core::safety::text::NoteText;
use pimem_engine::{
    error::Failure,
    memory::handoff::{HandoffView, Leave},
};

use crate::{
    shell::{self, Exit, Shell},
    ui::{Human, Ui},
};

/// Leave in today's log what the next session should start from
///
/// The open items of the checklist and the last lines of the log are written to its end, between
/// two comments; a text is logged first. Earlier handoffs are not repeated. With nothing open and
/// nothing logged, nothing is written.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "Examples:\n  pimem handoff 'The parser is done; next are its errors'\n  \
    pimem handoff --session \"$SESSION\" --git\n  pimem handoff --show")]
pub(crate) struct HandoffArgs {
    /// A message to the next session (`-` reads standard input)
    #[arg(value_name = "TEXT")]
    text: Vec<String>,
    /// The session that leaves it [default: `PIMEM_SESSION`]
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Add branch, changed files and last commits
    #[arg(long)]
    git: bool,
    /// Show the newest handoff instead
    #[arg(long, conflicts_with_all = ["session", "git", "text"])]
    show: bool,
    #[command(subcommand)]
    act: Option<Act>,
}

#[derive(Debug, clap::Subcommand)]
enum Act {
    #[command(hide = true)]
    Show,
}

pub(crate) fn run(ctx: &Shell, args: &HandoffArgs) -> Result<Exit, Failure> {
    if args.show || args.act.is_some() {
        let view = ctx.memory.reading().newest_handoff()?;
        ctx.ui.show(&view);
        if view.file.is_none() {
            ctx.ui.note("there is no handoff");
        }
        return Ok(Exit::Done.unless_empty(view.file.is_none()));
    }
    if !args.text.is_empty() {
        ctx.memory.writing().log(&NoteText::new(&shell::text(&args.text)?)?)?;
    }
    let session = args.session.clone().or_else(|| ctx.memory.who().session);
    let view = ctx.memory.writing().hand_off(&Leave { session, git: args.git, unasked: false })?;
    ctx.ui.show(&view);
    if view.file.is_none() {
        ctx.ui.note("Nothing is open and nothing was logged today: nothing to hand off");
    }
    Ok(Exit::Done)
}

impl Human for HandoffView {
    fn human(&self, ui: &Ui) {
        match &self.file {
            Some(file) if self.written => ui.line(&format!("Handed off in {file}")),
            _ => self.text.lines().for_each(|line| ui.line(line)),
        }
    }
}
