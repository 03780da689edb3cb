//! `pimem dream observe` and `reflect`: condense a session into observations, and these into fewer words.

use std::path::PathBuf;

use pimem_engine::{
    error::Failure,
    memory::{
        observe::{ObserveView, Observing},
        reflect::{ReflectRequest, Reflected},
    },
};

use crate::{
    shell::{self, Exit, Shell},
    ui::{Human, Ui},
};

/// Note what happened in a session
///
/// Reads what is new of a transcript, notes in observations/SESSION.md what the user said, wanted and
/// asked, by the first sentence of each message, and what the agent reported, and prints what was
/// written. What was pasted is left out. With `llm.provider` set, a
/// language model does that; without one, or where it fails, rules do. When the file has more tokens
/// than `reflector.observationTokenThreshold`, it is reflected upon.
///
/// The transcript of Claude Code, Codex, Gemini or pi is told by its content. Of plain text, each block
/// between empty lines is a message of the user, or of the agent where it begins with Assistant:. With
/// nothing new to note, the exit code is 1.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  pimem dream observe ~/.claude/projects/-src-harbor/3c9d1e52.jsonl\n  \
    pimem dream observe --if-due --session \"$SESSION\" session.jsonl\n  pimem dream observe --print - < notes.txt"
)]
pub(crate) struct ObserveArgs {
    /// The transcript (`-` reads standard input)
    #[arg(value_name = "FILE", default_value = "-")]
    file: PathBuf,
    /// The session's id [default: the transcript's, or `PIMEM_SESSION`]
    #[arg(long, hide_short_help = true, value_name = "ID")]
    session: Option<String>,
    /// Do nothing while what is new has fewer tokens than `observer.messageTokenThreshold`
    #[arg(long, hide_short_help = true)]
    if_due: bool,
    /// Print observations of the whole transcript, and write nothing
    #[arg(long, conflicts_with = "if_due")]
    print: bool,
}

/// Consolidate observations
///
/// What informs only goes after two days, what might matter after three; older items are put on one
/// line, what is said twice is said once, and a newer state takes the place of an older one. What is
/// important and of the last two days stays word for word. When less than a tenth would go, it is done
/// once more and more strictly. With `llm.provider` set, a language model does that; rules check
/// its answer, and do it themselves where there is none.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  pimem dream reflect --dry-run\n  pimem dream reflect --if-due\n  \
    pimem dream reflect 3c9d1e52-7a40-4f1b-9d1e-0f6a2b7c8d90 --aggressive"
)]
pub(crate) struct ReflectArgs {
    /// Sessions, by id or by file [default: all that have observations]
    #[arg(value_name = "SESSION")]
    sessions: Vec<String>,
    /// Cut everything that is older than two days down to a line
    #[arg(long, hide_short_help = true)]
    aggressive: bool,
    /// Leave files alone that have no more tokens than `reflector.observationTokenThreshold`
    #[arg(long, hide_short_help = true)]
    if_due: bool,
    /// Show what would happen, and write nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(ctx: &Shell, args: &ObserveArgs) -> Result<Exit, Failure> {
    let observing = match args {
        ObserveArgs { print: true, .. } => Observing::Anew,
        ObserveArgs { if_due: true, .. } => Observing::IfDue,
        _ => Observing::News,
    };
    let session = args.session.as_deref();
    let view = ctx.memory.tending().observe(shell::transcript(&args.file)?, session, observing)?;
    ctx.ui.show(&view);
    let due = view.session.as_ref().is_none_or(|session| session.due);
    Ok(Exit::Done.unless_empty(due && view.observations == 0))
}

impl Human for ObserveView {
    fn human(&self, ui: &Ui) {
        ui.lines(&self.text);
    }
}

pub(crate) fn reflect(ctx: &Shell, args: &ReflectArgs) -> Result<Exit, Failure> {
    let view = ctx.memory.tending().reflect(&ReflectRequest {
        sessions: &args.sessions,
        aggressive: args.aggressive,
        if_due: args.if_due,
        dry_run: args.dry_run,
    })?;
    ctx.ui.show(&view);
    Ok(Exit::Done.unless_empty(view.sessions == 0))
}

impl Human for Reflected {
    fn human(&self, ui: &Ui) {
        for file in &self.files {
            ui.line(&file.line());
        }
    }
}
