//! `pimem dream`: tend a store by what is in it and by what was said since the last time.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use crate::{exit::Exit, input, shell::Shell};
use pimem_core::{
    dream::{
        script,
        step::{By, Step},
    },
    view,
};
use pimem_engine::{
    error::{Failure, Kind},
    local_time,
    memory::{
        self,
        dream::{
            PlanRun,
            background::{self, Committing, Started},
            gather::{self, LEFT},
        },
        named_file,
    },
    store::{journal, read, snapshot::Store},
};
mod show;

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
  pimem dream --llm                let a language model propose more")]
#[expect(clippy::struct_excessive_bools, reason = "independent switches of the command line")]
pub(crate) struct Args {
    /// Print the plan, and change nothing
    #[arg(long, conflicts_with_all = ["apply", "detach"])]
    plan: bool,
    /// Do what a plan says (`-` reads it from standard input; without a name, the plan that the
    /// language model left)
    #[arg(
        long,
        value_name = "PLAN",
        num_args = 0..=1,
        default_missing_value = "",
        conflicts_with_all = ["detach", "llm"]
    )]
    apply: Option<OsString>,
    /// Do it in the background, if it is due
    #[arg(long, conflicts_with_all = ["from", "force"])]
    detach: bool,
    /// Ask the language model of the setting dream.provider too
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
}

pub(crate) fn run(ctx: &Shell, args: &Args) -> Result<Exit, Failure> {
    let (dir, scope, known) = ctx.target()?;
    if !known {
        ctx.ui.note("There is no store yet, and nothing to dream about");
        show::nothing(ctx);
        return Ok(Exit::Done);
    }
    let store = ctx.store(dir, scope);
    if args.detach {
        return detach(ctx, args, &store);
    }
    if args.detached_run {
        let store = store.strict();
        let dreamt = background::run(ctx, &store, || dream(ctx, args, &store))?;
        return Ok(dreamt.unwrap_or(Exit::Done));
    }
    if args.plan {
        return plan(ctx, args, &store);
    }
    let _lock = store.lock_dreams(ctx.now)?;
    match &args.apply {
        Some(path) => apply(ctx, &store, Some(Path::new(path)).filter(|path| *path != "")),
        None => match background::too_early(ctx, &store) {
            Some(next) if !args.force && args.from.is_empty() => {
                let when = local_time::local(next);
                ctx.ui.note(&format!(
                    "The last dream was not long ago; the next is due at {when} (--force dreams now)"
                ));
                show::nothing(ctx);
                Ok(Exit::Done)
            }
            _ => dream(ctx, args, &store),
        },
    }
}

/// Has another process do it.
fn detach(ctx: &Shell, args: &Args, store: &Store) -> Result<Exit, Failure> {
    let llm: &[&str] = if args.llm { &["--llm"] } else { &[] };
    let started = background::start(ctx, store, llm)?;
    if ctx.ui.json {
        ctx.ui.document(&show::started(&started));
    }
    ctx.ui.note(&match started {
        Started::Yes { log } => format!("Dreaming in the background; {} says how", log.display()),
        Started::NotDue { next } => {
            format!("Not due: the next dream may begin at {}", local_time::local(next))
        }
        Started::Busy(busy) => Failure::from(anyhow::Error::new(busy)).message,
    });
    Ok(Exit::Done)
}

/// Prints what would be done.
fn plan(ctx: &Shell, args: &Args, store: &Store) -> Result<Exit, Failure> {
    let dreams = store.dreams(ctx.now);
    let gathered = gather::gather(ctx, store, &dreams, &args.from, args.llm)?;
    let mut stage = PlanRun::plan(ctx, store, None, &gathered.learned)?;
    if args.llm {
        stage.ask(ctx, store, &gathered.told);
    }
    gathered.expect(store, &stage.plan.state)?;
    if ctx.ui.json {
        ctx.ui.document(&show::document(store, &gathered, &[&stage]));
    } else {
        ctx.ui.text(&script::write(&stage.plan, &stage.sight));
    }
    Ok(Exit::Done)
}

/// Plans, and does what cannot do harm.
fn dream(ctx: &Shell, args: &Args, store: &Store) -> Result<Exit, Failure> {
    let dreams = store.dreams(ctx.now);
    let gathered = gather::gather(ctx, store, &dreams, &args.from, args.llm)?;
    let by_rules = {
        let _whole = Committing::begin();
        let lock = memory::lock(ctx, store)?;
        let stage = PlanRun::plan(ctx, store, Some(&lock), &gathered.learned)?;
        gathered.keep(store)?;
        store.dreamt(&lock, ctx.now, &gathered.waiting)?;
        stage
    };
    show::done(ctx, &by_rules);
    show::summary(ctx, &by_rules, &gathered);
    let by_model = if args.llm { Some(propose(ctx, store, &gathered.told)?) } else { None };
    if ctx.ui.json {
        let stages: Vec<&PlanRun<'_>> = [&by_rules].into_iter().chain(&by_model).collect();
        ctx.ui.document(&show::document(store, &gathered, &stages));
    }
    Ok(Exit::Done)
}

/// Lets the language model propose more. Its plan is left for somebody to look at, unless the user has
/// said that it need not be.
fn propose<'a>(ctx: &'a Shell, store: &'a Store, told: &[String]) -> Result<PlanRun<'a>, Failure> {
    let mut stage = PlanRun::of(ctx, store, None)?;
    let name = stage.ask(ctx, store, told);
    let Some(name) = name.filter(|_| !stage.plan.steps.is_empty()) else { return Ok(stage) };
    if ctx.config.settings.dream.apply_model {
        let _whole = Committing::begin();
        let lock = memory::lock(ctx, store)?;
        let mut now = PlanRun::of(ctx, store, Some(&lock))?;
        // Something may have changed while the model was thinking.
        now.vet(ctx, std::mem::take(&mut stage.plan.steps));
        now.plan.refused.splice(..0, stage.plan.refused);
        now.carry_out(ctx, store, Some(&lock))?;
        show::done(ctx, &now);
        return Ok(now);
    }
    let path = left(store)?;
    journal::keep(&path, script::write(&stage.plan, &stage.sight).as_bytes())?;
    show::left(ctx, &name, &stage, &path);
    stage.file = Some(path);
    Ok(stage)
}

/// Where the plan of a language model waits to be looked at.
fn left(store: &Store) -> Result<PathBuf, Failure> {
    store.dream_dir().map(|dir| dir.join(LEFT)).ok_or_else(gather::no_place)
}

/// Does what a plan says: all of it, or nothing where a line cannot be done.
fn apply(ctx: &Shell, store: &Store, path: Option<&Path>) -> Result<Exit, Failure> {
    let hint = "pimem dream --plan prints one";
    let own = left(store)?;
    let text = match path {
        Some(path) if path.as_os_str() == "-" => input::read_stdin()?,
        named => {
            let bytes = named_file::named(named.unwrap_or(&own), read::MAX_FILE, hint)?;
            String::from_utf8_lossy(&bytes).into_owned()
        }
    };
    let _whole = Committing::begin();
    let lock = memory::lock(ctx, store)?;
    let mut stage = PlanRun::of(ctx, store, Some(&lock))?;
    let refuse =
        |message: String, hints: Vec<String>| Failure { kind: Kind::Refused, message, hints };
    let script = script::read(&text, &stage.sight)
        .ok_or_else(|| refuse("that is no plan of a dream".to_owned(), vec![hint.to_owned()]))?;
    if script.state != stage.plan.state {
        let made = script.made.map(|made| format!(" ({made})")).unwrap_or_default();
        let message = format!("the store has changed since the plan was made{made}");
        return Err(refuse(message, vec!["pimem dream --plan makes a new one".to_owned()]));
    }
    let mut wrong = Vec::new();
    let mut steps = Vec::new();
    for (number, step) in script.lines {
        let by = By::Rules;
        let checked = step.and_then(|(act, reason)| stage.check(ctx, Step { act, reason, by }));
        match checked {
            Ok(step) => steps.push(step),
            Err(why) => wrong.push(format!("line {number}: {why}")),
        }
    }
    if !wrong.is_empty() {
        let message = format!("{} of the plan cannot be done", view::count(wrong.len(), "line"));
        return Err(refuse(message, wrong));
    }
    stage.plan.steps = steps;
    stage.carry_out(ctx, store, Some(&lock))?;
    gather::applied(store, &script.state, script.made, ctx.now, &lock)?;
    if path.is_none() {
        journal::discard(&own)?;
    }
    show::done(ctx, &stage);
    show::applied(ctx, store, &stage);
    Ok(Exit::Done)
}
