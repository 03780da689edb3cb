//! `pimem hook`: the command that agents call. The exit code is always 0 and the answer always
//! valid.
//!
//! A second thread watches the deadline and ends the process when it passes, whatever the first
//! thread is doing. A lock, a slow disk or an endless input therefore costs only the answer.
#![expect(clippy::disallowed_methods, reason = "the one place that keeps a deadline")]

mod answer;
mod call;
mod close;
mod compact;
mod day;
mod input;
mod prompt;
mod reminder;
mod start;
mod turn;

use std::{
    ffi::OsString,
    panic::{self, AssertUnwindSafe},
    process,
    rc::Rc,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, RecvTimeoutError, Sender},
    },
    thread,
    time::{Duration, Instant},
};

use clap::builder::PossibleValuesParser;

use self::{answer::Answer, call::Call};
use super::{
    globals::Globals,
    shell::Shell,
    ui::{self, Color, Ui},
};
use crate::agents::{
    reply,
    spec::{Agent, HookEvent},
};
use pimem_core::{safe, safety::safe_text::SafeText};
use pimem_engine::config::{env::Env, settings::Hook};

/// Stack size in bytes of the watching thread.
const STACK: usize = 64 << 10;

/// Answer an agent's hook
///
/// Reads what the agent says from standard input and prints what should go into its prompt, in the
/// form that the agent documents, or nothing. Agents call this; pimem hooks install tells them to.
/// The exit code is always 0, and what goes wrong is only told with `PIMEM_DEBUG=1`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "Examples:\n  pimem hook claude session-start < input.json\n  \
    echo '{\"prompt\":\"why do berths overlap?\"}' | pimem hook generic prompt")]
pub(crate) struct Args {
    /// Who asks
    #[arg(value_name = "AGENT", value_parser = PossibleValuesParser::new(Agent::ALL.map(Agent::name)))]
    agent: String,
    /// When: session-start, prompt, post-tool, pre-compact, post-compact, stop, session-end, or what
    /// the agent calls it
    #[arg(value_name = "EVENT")]
    event: String,
}

impl Args {
    /// Returns the call with these options; `None` if the agent is unknown.
    pub(crate) fn called(self, globals: Globals) -> Option<Called> {
        Some((globals, Agent::find(&self.agent)?, self.event))
    }
}

/// Returns true if the arguments call `hook`, which must not fail even if they are invalid.
pub(crate) fn is_meant(args: &[OsString]) -> bool {
    let mut rest = args.iter().skip(1).map(|arg| arg.to_str().unwrap_or_default());
    while let Some(arg) = rest.next() {
        match arg {
            "hook" => return true,
            "--dir" | "--scope" | "--now" | "--color" => drop(rest.next()),
            _ if arg.starts_with('-') => {}
            _ => return false,
        }
    }
    false
}

/// Consumes the input of an invalid call, so that the agent's pipe is not closed early.
pub(crate) fn ignore_input() {
    input::drain(Duration::ZERO);
}

/// Answers a call and returns the exit code.
pub(crate) fn main((globals, agent, event): Called, env: Env) -> u8 {
    let started = Instant::now();
    let debug = env.text("PIMEM_DEBUG") == Some("1");
    let moment = agent.moment(&event);
    let nothing =
        moment.map(|moment| reply::reply(agent, moment, &SafeText::default())).unwrap_or_default();
    if !debug {
        panic::set_hook(Box::new(|_| {}));
    }
    let watch = Watch::start(started, first_deadline(&env), nothing, debug);
    let off = env.text("PIMEM_DISABLE") == Some("1");
    let Some(moment) = moment.filter(|_| !off) else {
        if moment.is_none() {
            tell(debug, &format!("{} has no hook {event:?}", agent.name()));
        }
        watch.answer_nothing();
        // The agent's input must be consumed anyway.
        drop(input::read(agent));
        return 0;
    };
    let request = Request { agent, moment, debug, started };
    let done = panic::catch_unwind(AssertUnwindSafe(|| work(&request, globals, env, &watch)));
    if done.is_err() {
        tell(debug, "the hook has panicked");
    }
    watch.answer_nothing();
    input::drain(input::MORE);
    0
}

/// Options, agent and event of a call.
pub(crate) type Called = (Globals, Agent, String);

/// Parses `pimem hook AGENT EVENT`, the form that agents use, without clap: defining the options
/// costs as much as starting the process.
pub(crate) fn plain(args: &[OsString]) -> Option<Called> {
    let [_, hook, agent, event] = args else { return None };
    let event = event.to_str().filter(|event| *hook == "hook" && !event.starts_with('-'))?;
    Some((Globals::default(), Agent::find(agent.to_str()?)?, event.to_owned()))
}

/// What is known about a call before its input is read.
struct Request {
    agent: Agent,
    moment: HookEvent,
    debug: bool,
    started: Instant,
}

/// The deadline watch: gives one answer, and ends the process when the time is up.
struct Watch {
    /// The empty answer; `None` once an answer was given.
    nothing: Arc<Mutex<Option<String>>>,
    deadline: Sender<Duration>,
}

impl Watch {
    fn start(started: Instant, first: Duration, nothing: String, debug: bool) -> Self {
        let nothing = Arc::new(Mutex::new(Some(nothing)));
        let (deadline, changed) = mpsc::channel();
        let watch = Self { nothing, deadline };
        let waiting = Arc::clone(&watch.nothing);
        let watched = thread::Builder::new().stack_size(STACK).spawn(move || {
            let mut deadline = first;
            loop {
                match changed.recv_timeout(deadline.saturating_sub(started.elapsed())) {
                    Ok(longer) => deadline = longer,
                    Err(RecvTimeoutError::Disconnected) => return,
                    Err(RecvTimeoutError::Timeout) => break,
                }
            }
            if give(&waiting, None) {
                tell(debug, &format!("no answer after {} ms", started.elapsed().as_millis()));
            }
            input::drain(Duration::ZERO);
            process::exit(0);
        });
        drop(watched);
        watch
    }

    fn answer(&self, text: &str) {
        give(&self.nothing, Some(text));
    }

    /// Gives the empty answer, unless an answer was given.
    fn answer_nothing(&self) {
        give(&self.nothing, None);
    }

    fn deadline(&self, deadline: Duration) {
        // If the thread could not be started, there is no deadline.
        let _ = self.deadline.send(deadline);
    }
}

/// Gives an answer, or the empty one for `None`, unless one was given. Returns true if it did.
fn give(nothing: &Mutex<Option<String>>, text: Option<&str>) -> bool {
    // Release the lock before printing: a blocked reader must not block the watch.
    let nothing = nothing.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(nothing) = &nothing {
        ui::reply(text.unwrap_or(nothing));
    }
    nothing.is_some()
}

/// Returns the deadline that holds until the settings are read.
fn first_deadline(env: &Env) -> Duration {
    let key = &Hook::deadline;
    let set = env.text(key.env).map(|text| key.read(text));
    let set = set.filter(|set| key.mismatch(set).is_none()).unwrap_or_else(|| key.default());
    Duration::from_millis(set.as_u64().unwrap_or_default())
}

fn work(request: &Request, globals: Globals, env: Env, watch: &Watch) {
    let Request { agent, moment, debug, started } = *request;
    let Some(input) = input::read(agent) else {
        return tell(debug, "standard input is no JSON object");
    };
    let ui = Rc::new(Ui::new(&env, false, !debug, debug, Color::Never));
    let ctx = match Shell::of_hook(input.cwd.clone(), globals, env, ui) {
        Ok(ctx) => ctx,
        Err(failure) => return tell(debug, &failure.message),
    };
    if !ctx.config.settings.memory.enabled {
        return;
    }
    let deadline = ctx.config.settings.hook.deadline;
    watch.deadline(deadline);
    let left = deadline.saturating_sub(started.elapsed());
    let call = match Call::new(&ctx, agent, moment, input, left) {
        Ok(Some(call)) => call,
        Ok(None) => {
            let line = ctx.locked_for_agents().filter(|_| moment == HookEvent::SessionStart);
            if let Some(line) = line {
                watch.answer(&reply::reply(agent, moment, &safe!("{}\n", line)));
            }
            return;
        }
        Err(failure) => return tell(debug, &failure.message),
    };
    let mut found = match moment {
        HookEvent::SessionStart => start::start(&call),
        HookEvent::Prompt => prompt::prompt(&call),
        HookEvent::PostTool => reminder::reminder(&call),
        HookEvent::PreCompact => compact::observations(&call),
        HookEvent::PostCompact | HookEvent::Stop | HookEvent::SessionEnd => Answer::default(),
    };
    let observed = found.observed.take();
    found.fit(agent.limit());
    watch.answer(&reply::reply(agent, moment, &found.render()));
    call.record(found);
    let done = match moment {
        HookEvent::SessionStart => start::afterwards(&call),
        HookEvent::Prompt => prompt::learn(&call),
        HookEvent::PostTool => Ok(()),
        HookEvent::PreCompact => {
            close::hand_off(&call).and_then(|()| compact::keep(&call, observed))
        }
        HookEvent::PostCompact => close::index_compaction(&call),
        HookEvent::Stop => turn::weigh(&call)
            .and_then(|()| turn::learn(&call))
            .and_then(|()| close::index_unended(&call)),
        // The hook of the last turn may have died with the agent.
        HookEvent::SessionEnd => turn::weigh(&call).and_then(|()| close::index(&call)),
    };
    if let Err(failure) = done {
        tell(debug, &failure.message);
    }
}

fn tell(debug: bool, message: &str) {
    if debug {
        ui::debug(message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_hook() {
        let meant = |line: &str| is_meant(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        for line in [
            "pimem hook",
            "pimem --dir x hook claude prompt",
            "pimem -v --json hook",
            "pimem --now 1 hook x y",
        ] {
            assert!(meant(line), "{line}");
        }
        for line in ["pimem", "pimem search hook", "pimem --dir hook report", "pimem hooks status"]
        {
            assert!(!meant(line), "{line}");
        }
    }
}
