//! `pimem dream`: consolidates a store, using its entries and the sessions since the last dream.

use std::{ffi::OsString, path::PathBuf};

use pimem_core::{
    dream::step::PlannedBy,
    model::entry::EntryId,
    observe::summary::{LEAST_CHARS, LEAST_MESSAGES},
};
use pimem_engine::{
    config::settings::PolicyName,
    error::Failure,
    memory::{
        dream::{
            Dream, DreamAction, Dreamed, NamedEntry, StepView,
            run::{DreamMode, DreamOutcome, DreamRequest, ScriptInput},
        },
        sessions::{Named, SessionIndexed},
    },
    view::count,
};

use super::{
    extract::{self, ExtractArgs},
    list,
    observe::{self, ObserveArgs, ReflectArgs},
};
use crate::{
    shell::{self, Exit, Shell},
    ui::{Human, Ui},
};

/// Maximum number of characters of an entry quoted in a proposal.
const QUOTED: usize = 40;

/// Tend the store: merge, archive, and learn from past sessions
///
/// Merges entries that say the same, archives what has faded and nobody asked to have remembered, and
/// learns from sessions and daily logs since the last dream: corrections, preferences, conventions,
/// choices, finished work, and what comes up in session after session.
/// Nothing is deleted, and what is pinned or enforced is left alone. What else has faded, was replaced
/// or is past its date is left to you: --plan lists it. It tends the project's store; with --user,
/// your own.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pimem dream                      do it now
  pimem dream --plan > plan.txt    see what could be done, one act a line
  pimem dream --apply plan.txt     do what is left of the plan
  pimem dream --llm                let a language model propose more
  pimem dream index SESSION.jsonl  sum a session up, for searches")]
#[command(args_conflicts_with_subcommands = true)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches of the command line")]
pub(crate) struct DreamArgs {
    /// Print the plan, and change nothing
    #[arg(long, conflicts_with_all = ["apply", "detach"])]
    plan: bool,
    /// Do what a plan says (`-` reads it from standard input; without a name, the plan that the
    /// language model left or, where scoring.policy is ebbinghaus, archive what has faded)
    #[arg(
        long,
        value_name = "PLAN",
        num_args = 0..=1,
        default_missing_value = "",
        conflicts_with_all = ["detach", "llm"]
    )]
    apply: Option<OsString>,
    /// Do it in the background, if it is due
    #[arg(long, hide_short_help = true, conflicts_with_all = ["from", "force"])]
    detach: bool,
    /// Ask the language model of the setting llm.provider too
    #[arg(long)]
    llm: bool,
    /// Learn from this transcript instead of those that wait
    #[arg(long, value_name = "TRANSCRIPT")]
    from: Vec<PathBuf>,
    /// Do it although the last dream was not long ago
    #[arg(long)]
    force: bool,
    /// Be the process that was detached
    #[arg(long, hide = true)]
    detached_run: bool,
    #[command(subcommand)]
    act: Option<Act>,
}

#[derive(Debug, clap::Subcommand)]
enum Act {
    Index(IndexArgs),
    Observe(ObserveArgs),
    Reflect(ReflectArgs),
    Extract(ExtractArgs),
}

/// Sum up a session, in place of its earlier summary
///
/// The summary is made of the first sentences of what the user typed, without what was pasted, secrets,
/// orders to the agent, and what stands in <private>…</private>. The newest 500 are kept, on this
/// machine only; pimem search --in sessions finds them, and pimem list --sessions lists them.
///
/// The transcript of Claude Code, Codex, Gemini or pi is told by its content. Plain text is
/// taken from standard input: a message for each block of lines between empty ones or, where
/// there are none, for each line. A session in which the user said less than three things of 15
/// characters is left out, with exit code 1.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  pimem dream index ~/.claude/projects/-src-harbor/3c9d1e52.jsonl"
)]
struct IndexArgs {
    /// The transcript (`-` reads standard input)
    #[arg(value_name = "FILE", default_value = "-")]
    file: PathBuf,
    /// The session's id [default: the transcript's, or `PIMEM_SESSION`]
    #[arg(long, hide_short_help = true, value_name = "ID")]
    session: Option<String>,
    /// The session's agent [default: the one that wrote the transcript, or `PIMEM_AGENT`]
    #[arg(long, hide_short_help = true, value_name = "NAME")]
    agent: Option<String>,
}

impl DreamArgs {
    /// Returns true if it is one of the commands below this one, which `undo` does not know.
    pub(crate) fn is_apart(&self) -> bool {
        self.act.is_some()
    }
}

pub(crate) fn run(ctx: &Shell, args: &DreamArgs) -> Result<Exit, Failure> {
    match &args.act {
        Some(Act::Index(args)) => return index(ctx, args),
        Some(Act::Observe(args)) => return observe::run(ctx, args),
        Some(Act::Reflect(args)) => return observe::reflect(ctx, args),
        Some(Act::Extract(args)) => return extract::run(ctx, args),
        None => {}
    }
    let mode = match &args.apply {
        _ if args.detach => DreamMode::Detach,
        _ if args.detached_run => DreamMode::Detached,
        _ if args.plan => DreamMode::Plan,
        None => DreamMode::Dream,
        Some(path) if path.is_empty() => {
            let fades = ctx.memory.config.settings.scoring.policy == PolicyName::Ebbinghaus;
            if fades && !ctx.memory.tending().has_plan_left()? {
                return Ok(ctx.show(&ctx.memory.reading().decay(true)?));
            }
            DreamMode::Apply(ScriptInput::Left)
        }
        Some(path) if path == "-" => DreamMode::Apply(ScriptInput::Text(shell::read_stdin()?)),
        Some(path) => DreamMode::Apply(ScriptInput::File(path.into())),
    };
    let request = DreamRequest { mode, llm: args.llm, from: args.from.clone(), force: args.force };
    let DreamOutcome { view, failure } = ctx.memory.tending().dream(&request)?;
    ctx.ui.show(&view);
    failure.map_or(Ok(Exit::Done), Err)
}

fn index(ctx: &Shell, IndexArgs { file, session, agent }: &IndexArgs) -> Result<Exit, Failure> {
    let named = Named { agent: agent.as_deref(), session: session.as_deref() };
    let view = ctx.memory.learning().index_session(shell::transcript(file)?, named)?;
    ctx.ui.show(&view);
    if !view.indexed {
        ctx.ui.note(&format!(
            "Nothing to sum up: fewer than {LEAST_MESSAGES} messages of {LEAST_CHARS} characters"
        ));
    }
    Ok(Exit::Done.unless_empty(!view.indexed))
}

impl Human for SessionIndexed {
    fn human(&self, ui: &Ui) {
        if let Some(session) = &self.session {
            ui.line(&format!("Indexed: {}", list::session_cells(session).join(" ")));
        }
    }
}

impl Human for Dreamed {
    fn human(&self, ui: &Ui) {
        let Self::Here(dream) = self else { return };
        if let Some(script) = &dream.script {
            return ui.lines(script);
        }
        let steps = |by: PlannedBy| dream.steps.iter().filter(move |step| step.by == by);
        for step in steps(PlannedBy::Rules) {
            ui.line(&line(step));
        }
        let numbers = numbers(&dream.steps);
        let Some(read) = dream.read else {
            if dream.store.is_some() {
                ui.line(&format!("Applied: {numbers}"));
            }
            return;
        };
        let (sessions, logs) = (count(read.sessions, "session"), count(read.logs, "daily log"));
        let mut told = format!("{sessions} and {logs} read");
        if read.sessions_left > 0 {
            told.push_str(&format!(", {} for the next time", count(read.sessions_left, "session")));
        }
        let offered = steps(PlannedBy::Offer).count();
        if offered > 0 {
            let lines = count(offered, "line");
            ui.line(&format!("Left to you: {lines} out of use (pimem dream --plan)"));
        }
        ui.line(&format!("Dreamed: {numbers}; {told}"));
        proposed(ui, dream);
    }
}

/// Prints the steps that a language model carried out or proposes, and the path of its plan.
fn proposed(ui: &Ui, dream: &Dream) {
    let steps = || dream.steps.iter().filter(|step| step.by == PlannedBy::Model);
    if let (Some(path), Some(name)) = (&dream.plan_file, &dream.model) {
        let acts = count(steps().count(), "act");
        return ui.line(&format!(
            "Proposed by {name}: {acts} in {path} (pimem dream --apply does them)"
        ));
    }
    for step in steps() {
        ui.line(&line(step));
    }
}

fn line(step: &StepView) -> String {
    let reason = &step.reason;
    let named = |NamedEntry { line, short, .. }: &NamedEntry| format!("{line} ({short})");
    let all = |entries: &[NamedEntry]| {
        entries.iter().map(|entry| entry.short.as_str()).collect::<Vec<_>>().join(", ")
    };
    match &step.act {
        DreamAction::Merge { entry, .. } => format!("Merged: {}: {reason}", named(entry)),
        DreamAction::Archive { entry } => format!("Archived: {}: {reason}", named(entry)),
        DreamAction::Add { category, text, .. } => {
            format!("Added: [{category}] {text} ({}): {reason}", short(category, text))
        }
        DreamAction::Reinforce { entry, .. } => format!("Reinforced: {}: {reason}", named(entry)),
        DreamAction::Combine { category, text, from } => {
            let (id, from) = (short(category, text), all(from));
            format!("Combined: [{category}] {text} ({id}) of {from}: {reason}")
        }
        DreamAction::Ask { entry, questions } => {
            format!("Asked for as: {}: {}: {reason}", named(entry), questions.join("; "))
        }
        DreamAction::Propose { from } => {
            let texts: Vec<String> = from.iter().map(quoted).collect();
            format!("To combine: {reason}: {}", texts.join(", "))
        }
    }
}

fn quoted(entry: &NamedEntry) -> String {
    let text = entry.line.split_once("] ").map_or(entry.line.as_str(), |(_, text)| text);
    let start: String = text.chars().take(QUOTED).collect();
    let dots = if start.len() < text.len() { "…" } else { "" };
    format!("{} {:?}", entry.short, format!("{start}{dots}"))
}

fn short(category: &str, text: &str) -> String {
    EntryId::of(category, text.as_bytes()).to_string().chars().take(7).collect()
}

/// Formats the steps that the rules carried out: `2 merged, 1 added`.
fn numbers(steps: &[StepView]) -> String {
    type Is = fn(&DreamAction) -> bool;
    let kinds: [(&str, Is); 6] = [
        ("merged", |act| matches!(act, DreamAction::Merge { .. })),
        ("archived", |act| matches!(act, DreamAction::Archive { .. })),
        ("combined", |act| matches!(act, DreamAction::Combine { .. })),
        ("added", |act| matches!(act, DreamAction::Add { .. })),
        ("reinforced", |act| matches!(act, DreamAction::Reinforce { .. })),
        ("given questions", |act| matches!(act, DreamAction::Ask { .. })),
    ];
    let of =
        |is: Is| steps.iter().filter(|step| step.by == PlannedBy::Rules && is(&step.act)).count();
    let numbers = kinds.into_iter().map(|(name, is)| (of(is), name));
    let told: Vec<String> = numbers
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| format!("{count} {name}"))
        .collect();
    if told.is_empty() { "nothing to do".to_owned() } else { told.join(", ") }
}
