//! `pimem reflect`: observations in fewer words.

use serde_json::json;

use crate::{exit::Exit, shell::Shell};
use pimem_engine::{
    error::{Failure, Kind},
    memory::reflect::{self, Done, How},
    store::observation_files,
};

/// Consolidate observations
///
/// What informs only goes after two days, what might matter after three; older items are put on one
/// line, what is said twice is said once, and a newer state takes the place of an older one. What is
/// important and of the last two days stays word for word. When less than a tenth would go, it is done
/// once more and more strictly. With `reflector.provider` set, a language model does that; rules check
/// its answer, and do it themselves where there is none.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pimem reflect --dry-run\n  pimem reflect --if-due\n  \
    pimem reflect 3c9d1e52-7a40-4f1b-9d1e-0f6a2b7c8d90 --aggressive")]
pub(crate) struct Args {
    /// Sessions, by id or by file [default: all that have observations]
    #[arg(value_name = "SESSION")]
    sessions: Vec<String>,
    /// Cut everything that is older than two days down to a line
    #[arg(long)]
    aggressive: bool,
    /// Leave files alone that have no more tokens than `reflector.observationTokenThreshold`
    #[arg(long)]
    if_due: bool,
    /// Say what would happen, and write nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(ctx: &Shell, args: &Args) -> Result<Exit, Failure> {
    let (dir, scope, known) = ctx.target()?;
    let store = ctx.store(dir, scope);
    let all = if known {
        store.observed().map_err(|problem| Failure::from(&problem))?
    } else {
        Vec::new()
    };
    let stems = if args.sessions.is_empty() {
        all
    } else {
        let named = args.sessions.iter().map(|name| find(&all, name));
        named.collect::<Result<_, _>>()?
    };
    let due = reflect::due(ctx);
    let how = How { aggressive: args.aggressive, due, trial: args.dry_run };
    let mut done: Vec<Done> = Vec::new();
    for stem in &stems {
        if args.if_due && reflect::tokens(&store, stem)? <= due {
            continue;
        }
        done.push(reflect::file(ctx, &store, stem, how)?);
    }
    if ctx.ui.json {
        let files: Vec<_> = done.iter().map(Done::json).collect();
        ctx.ui.document(&json!({"schema": "pimem.reflect/1", "files": files}));
    } else {
        for done in &done {
            ctx.ui.line(&done.line());
        }
    }
    if stems.is_empty() {
        ctx.ui.note("There are no observations");
        return Ok(Exit::Nothing);
    }
    if done.is_empty() {
        ctx.ui.note(&format!("Not due: no file has more than {due} tokens"));
    }
    Ok(Exit::Done)
}

/// The file of a session that somebody named: by its id, its name or its path in the store.
fn find(all: &[String], name: &str) -> Result<String, Failure> {
    let short = name.rsplit('/').next().unwrap_or(name);
    let short = short.strip_suffix(".md").unwrap_or(short);
    let exact = [name.to_owned(), short.to_owned(), observation_files::stem(name)];
    if let Some(stem) = all.iter().find(|stem| exact.contains(stem)) {
        return Ok(stem.clone());
    }
    let starting: Vec<&String> =
        all.iter().filter(|stem| !short.is_empty() && stem.starts_with(short)).collect();
    match starting.as_slice() {
        [one] => Ok((*one).clone()),
        [] => {
            let message = format!("there are no observations of a session {name}");
            Err(Failure::new(
                Kind::NotFound,
                message,
                "pimem reflect --dry-run lists those there are",
            ))
        }
        several => {
            let hints = several.iter().map(|stem| (*stem).clone()).collect();
            let message = format!("{name} begins several sessions");
            Err(Failure { kind: Kind::Ambiguous, message, hints })
        }
    }
}
