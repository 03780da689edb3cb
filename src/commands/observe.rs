//! `pimem observe`: condenses a session into observations.

use std::path::PathBuf;

use pimem_engine::{
    error::Failure,
    memory::observe::{ObserveView, Observing},
};

use crate::{
    shell::{self, Exit, Shell},
    ui::{Human, Ui},
};

/// Note what happened in a session
///
/// Reads what is new of a transcript, notes in observations/SESSION.md what the user said, wanted and
/// asked, by the first sentence of each message, and what the agent reported, and prints what was
/// written. What was pasted is left out. With `observer.provider` set, a
/// language model does that; without one, or where it fails, rules do. When the file has more tokens
/// than `reflector.observationTokenThreshold`, it is reflected upon.
///
/// The transcript of Claude Code, Codex, Gemini or pi is told by its content. Of plain text, each block
/// between empty lines is a message of the user, or of the agent where it begins with Assistant:. With
/// nothing new to note, the exit code is 1.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  pimem observe ~/.claude/projects/-src-harbor/3c9d1e52.jsonl\n  \
    pimem observe --if-due --session \"$SESSION\" session.jsonl\n  pimem observe --print - < notes.txt"
)]
pub(crate) struct ObserveArgs {
    /// The transcript (`-` reads standard input)
    #[arg(value_name = "FILE", default_value = "-")]
    file: PathBuf,
    /// The session's id [default: the transcript's, or `PIMEM_SESSION`]
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Do nothing while what is new has fewer tokens than `observer.messageTokenThreshold`
    #[arg(long)]
    if_due: bool,
    /// Print observations of the whole transcript, and write nothing
    #[arg(long, conflicts_with = "if_due")]
    print: bool,
}

pub(crate) fn run(ctx: &Shell, args: &ObserveArgs) -> Result<Exit, Failure> {
    let observing = match args {
        ObserveArgs { print: true, .. } => Observing::Anew,
        ObserveArgs { if_due: true, .. } => Observing::IfDue,
        _ => Observing::News,
    };
    let session = args.session.as_deref();
    let view = ctx.observe(shell::transcript(&args.file)?, session, observing)?;
    ctx.ui.show(&view);
    let due = view.session.as_ref().is_none_or(|session| session.due);
    Ok(Exit::Done.unless_empty(due && view.observations == 0))
}

impl Human for ObserveView {
    fn human(&self, ui: &Ui) {
        ui.lines(&self.text);
    }
}
