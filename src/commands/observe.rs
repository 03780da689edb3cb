//! `pimem observe`: what a session was like, in observations.

use std::{
    io::{self, IsTerminal},
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::{exit::Exit, shell::Shell};
use pimem_core::{observe::document::Document, view};
use pimem_engine::{
    error::{Failure, Kind},
    memory::{
        observe::{self, ObserveRequest, Observed},
        reflect::{self, How},
        sessions,
    },
    store::observation_files,
};

/// Make observations of a session
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
pub(crate) struct Args {
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

pub(crate) fn run(ctx: &Shell, args: &Args) -> Result<Exit, Failure> {
    let least = ctx.config.settings.observer.message_tokens;
    let wanted = ObserveRequest {
        session: args.session.as_deref(),
        due: args.if_due.then_some(least),
        anew: args.print,
    };
    let observed = if args.file == Path::new("-") {
        let stdin = io::stdin();
        if stdin.is_terminal() {
            let message = "- reads standard input, and that is a terminal";
            return Err(Failure::new(Kind::Usage, message, "name a transcript, or pipe one in"));
        }
        observe::observe(ctx, stdin.lock(), "standard input", wanted)?
    } else {
        let name = args.file.display().to_string();
        observe::observe(ctx, sessions::open(&args.file)?, &name, wanted)?
    };
    let Some(observed) = observed else {
        ctx.ui.note("There is nothing to observe: nobody said anything");
        return Ok(nothing(ctx, None));
    };
    if observed.dropped > 0 {
        ctx.ui.note(&format!(
            "Lines of the answer that are no observations, left out: {}",
            observed.dropped
        ));
    }
    if !observed.due {
        let (tokens, least) = (observed.tokens, least);
        ctx.ui.note(&format!("Not due: what is new has {tokens} of {least} tokens"));
        nothing(ctx, Some(&observed));
        return Ok(Exit::Done);
    }
    if args.print {
        show(ctx, &observed, &observed.found, None);
        return Ok(if observed.found.is_empty() { Exit::Nothing } else { Exit::Done });
    }
    keep(ctx, &observed)
}

fn keep(ctx: &Shell, observed: &Observed) -> Result<Exit, Failure> {
    let target = ctx.target()?;
    // What says nothing makes no store.
    if observed.found.is_empty() && !target.2 {
        ctx.ui.note("There is nothing new to note");
        return Ok(nothing(ctx, Some(observed)));
    }
    let Some((store, written)) = observe::write(ctx, target, observed)? else {
        ctx.ui.note("Another process has observed this session meanwhile: nothing was written");
        return Ok(nothing(ctx, Some(observed)));
    };
    if observed.more {
        ctx.ui.note("The transcript goes on: the same call again observes more of it");
    }
    if written.is_empty() {
        ctx.ui.note("There is nothing new to note");
        return Ok(nothing(ctx, Some(observed)));
    }
    let due = reflect::due(ctx);
    let long = reflect::tokens(&store, &observed.stem)? > due;
    let how = How { aggressive: false, due, trial: false };
    let reflect = || reflect::file(ctx, &store, &observed.stem, how);
    let done = long.then(reflect).transpose()?;
    let reflected = done.as_ref().map(reflect::Done::json);
    show(ctx, observed, &written, reflected);
    let (items, file) = (written.items().count(), observation_files::file(&observed.stem));
    ctx.ui.note(&format!(
        "Observed {} in {file}: {}",
        view::count(usize::try_from(observed.messages).unwrap_or(usize::MAX), "message"),
        view::count(items, "observation")
    ));
    if let Some(done) = done {
        ctx.ui.note(&done.line());
    }
    Ok(Exit::Done)
}

fn nothing(ctx: &Shell, observed: Option<&Observed>) -> Exit {
    if ctx.ui.json {
        let none = || json!({"schema": "pimem.observe/1", "observations": 0, "text": ""});
        ctx.ui.document(
            &observed.map_or_else(none, |observed| document(observed, &Document::default(), None)),
        );
    }
    Exit::Nothing
}

fn show(ctx: &Shell, observed: &Observed, written: &Document, reflected: Option<Value>) {
    if ctx.ui.json {
        ctx.ui.document(&document(observed, written, reflected));
    } else {
        ctx.ui.text(&written.to_string());
    }
}

fn document(observed: &Observed, written: &Document, reflected: Option<Value>) -> Value {
    let mut document = json!({
        "schema": "pimem.observe/1",
        "file": observation_files::file(&observed.stem),
        "messages": observed.messages,
        "tokens": observed.tokens.0,
        "due": observed.due,
        "more": observed.more,
        "by": observed.model.as_deref().unwrap_or("rules"),
        "dropped": observed.dropped,
        "observations": written.items().count(),
        "text": written.to_string(),
    });
    if let (Some(fields), Some(reflected)) = (document.as_object_mut(), reflected) {
        fields.insert("reflected".to_owned(), reflected);
    }
    document
}
