//! `pimem report`: what an agent should know, within a budget of tokens.

use std::mem::ManuallyDrop;

use serde_json::{Value, json};

use super::{search, why};
use crate::{
    exit::{Exit, Outcome},
    input,
    shell::Shell,
};
use pimem_core::{
    report::{
        budget::{self, Tokens},
        explain::Arithmetic,
    },
    score::ranking::ScoredEntry,
    view::Entries,
};
use pimem_engine::{
    error::{Failure, Kind},
    memory::{
        self, named_file, recall,
        report::{ReportRequest, Reported},
    },
    store::read,
};
pub(crate) mod working;

/// Print what an agent should know, for a prompt
///
/// Entries are chosen by score, section by section; what that leaves of the budget is filled with
/// the others, in the order of their lasting value. Pinned ones are always there. Prints nothing
/// when there is nothing to say.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pimem report\n  pimem report --budget 800 --explain\n  \
    pimem report --prompt 'why do berths overlap?'")]
pub(crate) struct Args {
    /// Tokens that the report may take [default: 1700]
    #[arg(long, value_name = "TOKENS")]
    budget: Option<u32>,
    /// Tokens that the system prompt takes already
    #[arg(long, value_name = "TOKENS", conflicts_with = "system_prompt")]
    system_prompt_tokens: Option<u32>,
    /// The system prompt, to be measured
    #[arg(long, value_name = "FILE")]
    system_prompt: Option<std::path::PathBuf>,
    /// Add memories that fit this prompt (`-` reads it from standard input)
    #[arg(long, value_name = "TEXT")]
    prompt: Option<String>,
    /// What the report is made of
    #[arg(long, value_enum, value_name = "LAYOUT", default_value = "memories")]
    layout: Layout,
    /// Say of every entry why it is in or out, on standard error or in the JSON
    #[arg(long)]
    explain: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Layout {
    /// Entries by their score
    Memories,
    /// Open items, logs of today and yesterday, what fits the prompt, and long-term notes
    Working,
}

pub(crate) fn run(ctx: &Shell, args: &Args) -> Result<Outcome, Failure> {
    let prompt = match args.prompt.as_deref() {
        Some("-") => Some(input::read_stdin()?),
        prompt => prompt.map(str::to_owned),
    };
    let system_prompt = system_prompt(args)?;
    if args.layout == Layout::Working {
        if args.explain {
            let message = "--explain says why entries are in a report, and this layout has none";
            return Err(Failure::new(Kind::Usage, message, "leave out --explain or --layout"));
        }
        let most = Tokens(args.budget.unwrap_or(u32::MAX));
        let room = budget::available(most, ctx.config.settings.report.context, system_prompt);
        let stores = ctx.readers()?;
        return Ok(working::run(ctx, &stores, prompt.as_deref(), room.chars()));
    }
    let request = ReportRequest { budget: args.budget.map(Tokens), system_prompt, prompt };
    let Reported { report, recalled, sessions, ranking: board, snapshots, stores, stale } =
        ctx.report(&request)?;
    // The process ends soon, which is quicker than giving thousands of strings back.
    let (board, snapshots) = (ManuallyDrop::new(board), ManuallyDrop::new(snapshots));
    let entries = Entries::new(ctx.now, &ctx.config.categories, &board);
    let arithmetic =
        |row: &ScoredEntry| Arithmetic::of(row, ctx.config.categories.spec(row.entry.category));
    let unreviewed = board.unreviewed();
    let waiting = ctx.unreviewed(&stores, board.rows.iter().map(|row| &row.entry));
    ctx.say_left_out(&stores, waiting);
    if ctx.ui.json {
        let explained = || {
            report.judged(&board).map(|(row, verdict)| {
                let mut value = entries.judged(row, verdict);
                if let Some(fields) = value.as_object_mut().filter(|_| args.explain) {
                    fields.extend(why::factors(arithmetic(row)));
                }
                value
            })
        };
        let keep = |value: &Value| args.explain || value.get("shown") == Some(&json!(true));
        let mut document = json!({
            "schema": "pimem.report/1",
            "text": report.text,
            "tokens": report.tokens.0,
            "budget": report.budget.0,
            "entries": explained().filter(keep).collect::<Vec<_>>(),
            "recalled": recalled.iter().map(|hit| search::json_of(hit, args.explain)).collect::<Vec<_>>(),
            "sessions": sessions.iter().map(recall::session).collect::<Vec<_>>(),
        });
        if let Some(fields) = document.as_object_mut().filter(|_| unreviewed > 0) {
            fields.insert("unreviewed".to_owned(), json!(unreviewed));
        }
        ctx.ui.document(&document);
    } else {
        ctx.ui.text(&report.text);
        let more = recall::lines(ctx, &recalled, &[], &sessions);
        let more: String = more.into_iter().map(|line| line.text).collect();
        ctx.ui.text(if report.text.is_empty() || more.is_empty() { "" } else { "\n" });
        ctx.ui.text(&more);
        if args.explain {
            for (row, verdict) in report.judged(&board) {
                let (state, line) = (Entries::state(row), entries.line(row));
                let score = why::score(row, arithmetic(row));
                ctx.ui.explain(&format!("{verdict}; {state}, {score}: {line}"));
            }
        }
    }
    Ok((ctx.complain(&memory::problems(&snapshots), Exit::Done), stale))
}

/// What the system prompt takes.
fn system_prompt(args: &Args) -> Result<Tokens, Failure> {
    let Some(path) = &args.system_prompt else {
        return Ok(Tokens(args.system_prompt_tokens.unwrap_or(0)));
    };
    let hint = "--system-prompt-tokens takes a number instead";
    let bytes = named_file::named(path, read::MAX_FILE, hint)?;
    Ok(Tokens::of(&String::from_utf8_lossy(&bytes)))
}
