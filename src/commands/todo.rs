//! `pimem todo`: the scratchpad, a checklist of short-term items.

use pimem_engine::{
    error::{Failure, FailureKind},
    memory::notes::{ClearedItems, Items, Tick, Todo, TodoChange, TodoItem},
    store::notes,
};

use crate::{
    shell::{self, Exit, Shell},
    ui::{Human, Ui},
};

/// Keep a checklist in SCRATCHPAD.md
///
/// Open items are in the working report and in handoffs. Without a command, they are listed.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  pimem todo add Ask for the API quota\n  pimem todo done quota\n  \
    pimem todo --json"
)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct TodoArgs {
    /// List done items too
    #[arg(long)]
    all: bool,
    #[command(subcommand)]
    act: Option<Act>,
}

#[derive(Debug, clap::Subcommand)]
enum Act {
    /// Add an open item
    Add {
        /// What is to be done (`-` reads standard input, one item a line)
        #[arg(required = true, value_name = "TEXT")]
        text: Vec<String>,
    },
    /// Tick the first open item that contains the text, in any case
    Done {
        /// A part of its text
        #[arg(required = true, value_name = "TEXT")]
        text: Vec<String>,
    },
    /// Open the first done item that contains the text again
    Undo {
        /// A part of its text
        #[arg(required = true, value_name = "TEXT")]
        text: Vec<String>,
    },
    #[command(hide = true)]
    List {
        #[arg(long)]
        all: bool,
    },
    /// Move done items to archive/SCRATCHPAD.md
    Clear,
}

pub(crate) fn run(ctx: &Shell, args: &TodoArgs) -> Result<Exit, Failure> {
    match args.act.as_ref().unwrap_or(&Act::List { all: args.all }) {
        Act::Add { text } => {
            let piped = text == &["-"];
            let given = if piped { shell::read_stdin()? } else { text.join(" ") };
            let lines: Vec<&str> = if piped {
                given.lines().filter(|line| !line.trim().is_empty()).collect()
            } else {
                vec![&given]
            };
            if lines.is_empty() {
                let message = "standard input is empty";
                return Err(Failure::new(FailureKind::Refused, message, "give one item a line"));
            }
            ctx.ui.show(&ctx.memory.writing().add_todo(&lines)?);
            Ok(Exit::Done)
        }
        Act::Done { text } => tick(ctx, text, Tick::Done),
        Act::Undo { text } => tick(ctx, text, Tick::Open),
        Act::List { all } => {
            ctx.ui.show(&ctx.memory.reading().todo(if *all { Items::All } else { Items::Open })?);
            Ok(Exit::Done)
        }
        Act::Clear => {
            ctx.ui.show(&ctx.memory.writing().clear_todo()?);
            Ok(Exit::Done)
        }
    }
}

fn tick(ctx: &Shell, words: &[String], tick: Tick) -> Result<Exit, Failure> {
    let text = words.join(" ");
    let view = ctx.memory.writing().tick_todo(&text, tick)?;
    if ctx.ui.json || !view.items.is_empty() {
        ctx.ui.show(&view);
    } else {
        let state = match tick {
            Tick::Done => "open",
            Tick::Open => "done",
        };
        let text = text.trim();
        ctx.ui.note(&format!("no {state} item contains {text:?} (pimem todo --all)"));
    }
    Ok(Exit::Done.unless_empty(view.items.is_empty()))
}

impl Human for Todo {
    fn human(&self, ui: &Ui) {
        for TodoItem { text, done, change } in &self.items {
            ui.line(&match change {
                TodoChange::Unchanged => format!("- [{}] {text}", if *done { 'x' } else { ' ' }),
                TodoChange::Added => format!("Added: {text}"),
                TodoChange::AlreadyOpen => format!("Already open: {text}"),
                TodoChange::Done => format!("Done: {text}"),
                TodoChange::Reopened => format!("Open again: {text}"),
            });
        }
    }

    fn when_empty(&self) -> Option<&'static str> {
        self.items.is_empty().then_some("Nothing to do; pimem todo add TEXT lists something")
    }
}

impl Human for ClearedItems {
    fn human(&self, ui: &Ui) {
        ui.line(&match self.cleared.len() {
            0 => "Nothing is done".to_owned(),
            1 => format!("Moved 1 line to {}", notes::DONE),
            n => format!("Moved {n} lines to {}", notes::DONE),
        });
    }
}
