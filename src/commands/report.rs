//! `pimem report`: prints the report for an agent within a token budget.

use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use pimem_core::{report::budget::Tokens, safety::safe_text::SafeText};
use pimem_engine::{
    error::{Failure, FailureKind},
    memory::{
        Answer,
        page::{PageGiven, html},
        report::{ReportListing, ReportRequest, ReportView, Reported, WorkingView},
        selector,
    },
    store::read,
    view,
};

use super::{
    PageTarget,
    diff::{self, Times},
    status,
};
use crate::{
    agents::Agent,
    hook,
    shell::{self, Exit, Outcome, Shell},
    ui::{Human, Ui},
};

/// Print what an agent should know, for a prompt
///
/// Entries are chosen by score, section by section; what that leaves of the budget is filled with
/// the others, in the order of their lasting value. Pinned ones are always there. Lines that others
/// have shared follow in a budget of their own (report.team). Prints nothing when there is nothing
/// to say. Hooks give agents the same text when a session starts; --layout start has what they add.
///
/// With --since: which entries came into the report (`>`) and left it (`<`), which are new (`+`) or
/// gone (`-`), and which changed their state or evidence (`~`), each with its score at both times and
/// the reason. The past is taken from the log, the future is what happens if nobody does anything.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pimem report\n  pimem report --budget 800 --explain\n  \
    pimem report --prompt 'why do berths overlap?'\n  pimem report --since 7d\n  \
    pimem report --since 0d --until 2026-12-31")]
pub(crate) struct ReportArgs {
    /// Tokens that the report may take, or none for no limit [default: 1700]
    #[arg(long, value_name = "TOKENS", value_parser = budget)]
    budget: Option<Tokens>,
    /// Tokens that the system prompt takes already
    #[arg(long, value_name = "TOKENS", conflicts_with = "system_prompt")]
    system_prompt_tokens: Option<u32>,
    /// The system prompt, to be measured
    #[arg(long, value_name = "FILE")]
    system_prompt: Option<PathBuf>,
    /// Add memories that fit this prompt (`-` reads it from standard input)
    #[arg(long, value_name = "TEXT")]
    prompt: Option<String>,
    /// What the report is made of
    #[arg(long, value_enum, value_name = "LAYOUT", default_value = "memories")]
    layout: Layout,
    /// The agent whose text the layout start is [default: generic]
    #[arg(long, value_name = "AGENT", value_parser = PossibleValuesParser::new(Agent::ALL.map(Agent::name)))]
    agent: Option<String>,
    /// Explain for every entry why it is in or out, on standard error or in the JSON
    #[arg(long)]
    explain: bool,
    /// Show what changed since this time instead: a date, a time (RFC 3339) or an age as in 7d, 12h
    #[arg(long, value_name = "WHEN",
        conflicts_with_all = ["explain", "layout", "agent", "prompt", "budget", "system_prompt", "system_prompt_tokens", "redact"])]
    since: Option<String>,
    /// Until this time, which may be ahead [default: now]
    #[arg(long, value_name = "WHEN", requires = "since")]
    until: Option<String>,
    /// Write a page for people instead: health, what agents see and what is just outside, what
    /// fades and when, use, all entries; with --since both reports [default: to standard output]
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-",
        conflicts_with_all = ["explain", "layout", "agent", "prompt", "budget", "system_prompt", "system_prompt_tokens"])]
    html: Option<PathBuf>,
    /// Leave out of the page what people have written: ids stand for texts
    #[arg(long, requires = "html")]
    redact: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Layout {
    /// Entries by their score
    Memories,
    /// Open items, logs of today and yesterday, what fits the prompt, and long-term notes
    Working,
    /// What an agent is given when a new session starts: the memories, and the day at hand
    Start,
}

pub(crate) fn run(ctx: &Shell, args: &ReportArgs) -> Result<Outcome, Failure> {
    if let Some(since) = &args.since {
        let times = Times { since, until: args.until.as_deref() };
        return diff::run(ctx, &times, args.html.as_deref()).map(Outcome::from);
    }
    if let Some(path) = &args.html {
        return Ok((html(ctx, path, args)?, Vec::new()));
    }
    let prompt = match args.prompt.as_deref() {
        Some("-") => Some(shell::read_stdin()?),
        prompt => prompt.map(str::to_owned),
    };
    let request = ReportRequest {
        budget: args.budget,
        system_prompt: system_prompt(args)?,
        prompt,
        listed: match (args.explain, ctx.ui.json) {
            (true, _) => ReportListing::Explained,
            (false, true) => ReportListing::Shown,
            (false, false) => ReportListing::None,
        },
    };
    let agent = args.agent.as_deref().and_then(Agent::find);
    if args.layout == Layout::Start {
        return start(ctx, args, agent.unwrap_or(Agent::Generic));
    }
    if agent.is_some() {
        let message = "--agent is of the layout start";
        return Err(Failure::new(
            FailureKind::Usage,
            message,
            "add --layout start, or leave it out",
        ));
    }
    if args.layout == Layout::Working {
        if args.explain {
            let message = "--explain says why entries are in a report, and this layout has none";
            return Err(Failure::new(
                FailureKind::Usage,
                message,
                "leave out --explain or --layout",
            ));
        }
        let (answer, stale) = ctx.memory.reading().working_report(&request)?;
        return Ok((ctx.show(&answer), stale));
    }
    // The process exits soon, which is faster than freeing thousands of strings.
    let Reported { view, problems, stale } = ctx.memory.reading().report(&request)?;
    ctx.ui.show(&view);
    Ok((ctx.complain(&problems, Exit::Done), stale))
}

/// Prints what an agent is given at the start of a new session.
fn start(ctx: &Shell, args: &ReportArgs, agent: Agent) -> Result<Outcome, Failure> {
    let is_asked = args.explain
        || args.prompt.is_some()
        || args.budget.is_some()
        || args.system_prompt.is_some()
        || args.system_prompt_tokens.is_some();
    if is_asked {
        let message = "the layout start is what an agent is given, which no other option changes";
        return Err(Failure::new(
            FailureKind::Usage,
            message,
            "leave out --layout, or the other options",
        ));
    }
    let mut given = hook::at_startup(ctx, agent)?;
    let stale = std::mem::take(&mut given.stale);
    let text = given.for_prompt();
    let characters = text.chars().count();
    ctx.ui.show(&WorkingView { text, characters, unreviewed: Vec::new(), degraded: None });
    Ok((Exit::Done, stale))
}

fn html(ctx: &Shell, path: &Path, args: &ReportArgs) -> Result<Exit, Failure> {
    let target = PageTarget::of(ctx, path)?;
    let hooks = status::agents_with_hooks(ctx);
    // Agents differ in how much they take, and in nothing else.
    let called = hooks.agents.iter().find_map(|hooks| Agent::find(hooks.agent));
    let given = hook::at_startup(ctx, called.unwrap_or(Agent::Generic))?;
    let given = PageGiven { agent: called.map(Agent::name), lines: given.lines_with_entries() };
    let Answer { view, problems } = ctx.memory.reading().page(hooks, given)?;
    let view = if args.redact { view.redacted() } else { view };
    target.write(ctx, &html::render(&view, &|number| target.name(number)))?;
    Ok(ctx.complain(&problems, Exit::Done))
}

impl Human for ReportView {
    fn human(&self, ui: &Ui) {
        let between = !self.text.is_empty() && !self.recalled_text.is_empty();
        ui.text(&self.text);
        ui.text(&SafeText::fixed(if between { "\n" } else { "" }));
        ui.text(&self.recalled_text);
        if let Some((why, is_small)) = &self.nothing
            && self.recalled_text.is_empty()
            && (*is_small || ui.is_terminal())
        {
            ui.note(why);
        }
        if let Some(crowded) = &self.crowded {
            ui.aside("");
            ui.aside(&format!("> ⚠️ {crowded}"));
        }
        for judged in &self.entries {
            if let Some(factors) = judged.factors {
                let (reason, entry) = (&judged.reason, &judged.entry);
                let (state, score) = (entry.described_state(), factors.text(entry));
                let line = view::labelled(entry.line(), entry.label());
                ui.explain(&format!("{reason}; {state}, {score}: {line}"));
            }
        }
    }

    fn when_empty(&self) -> Option<&'static str> {
        let is_empty = self.text.is_empty() && self.recalled_text.is_empty();
        (is_empty && self.nothing.is_none())
            .then_some("Nothing to report; pimem add TEXT remembers something")
    }
}

impl Human for WorkingView {
    fn human(&self, ui: &Ui) {
        ui.text(&self.text);
    }
}

/// Parses a budget: a number, or none.
fn budget(text: &str) -> Result<Tokens, String> {
    if text == "none" {
        return Ok(Tokens::UNLIMITED);
    }
    text.parse().map(Tokens).map_err(|_| "it is no whole number, and not none".to_owned())
}

fn system_prompt(args: &ReportArgs) -> Result<Tokens, Failure> {
    let Some(path) = &args.system_prompt else {
        return Ok(Tokens(args.system_prompt_tokens.unwrap_or(0)));
    };
    let hint = "--system-prompt-tokens takes a number instead";
    let bytes = selector::named_file(path, read::MAX_FILE, hint)?;
    Ok(Tokens::of(&String::from_utf8_lossy(&bytes)))
}
