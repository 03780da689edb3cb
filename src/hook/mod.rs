//! `pimem hook`: the command that agents call. The exit code is always 0 and the answer always
//! valid.
//!
//! A second thread watches the deadline and ends the process when it passes, whatever the first
//! thread is doing. A lock, a slow disk or an endless input therefore costs only the answer. The
//! deadline begins when the input is there; what the user said is put aside first, and for that
//! the process stays a little longer if it must.
#![expect(clippy::disallowed_methods, reason = "the one place that keeps a deadline")]

mod answer;
mod call;
mod close;
mod compact;
mod guard;
mod prompt;
mod reminder;
mod start;

use std::{
    ffi::OsString,
    panic::{self, AssertUnwindSafe},
    process,
    rc::Rc,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        mpsc::{self, RecvTimeoutError, Sender},
    },
    thread,
    time::{Duration, Instant},
};

use clap::builder::PossibleValuesParser;
use pimem_core::{safe, safety::safe_text::SafeText};
use pimem_engine::{
    config::{env::Env, settings::HookSettings},
    error::Failure,
    memory::background,
    store::{
        Store,
        hook_ledger::{self, AgentCall, MissedCall},
        spool::Said,
    },
};

pub(crate) use self::start::at_startup;
use self::{answer::HookAnswer, call::Call, guard::Objection, prompt::Heard};
use super::{
    globals::Globals,
    shell::Shell,
    ui::{self, Color, Ui},
};
use crate::agents::{
    Agent, HookEvent,
    hook_input::{Input, Speaker},
    plugin::{PLUGIN_VARIABLES, Way},
    reply,
};

/// How many deadlines a tool's call has where anything is forbidden.
const JUDGING: u32 = 10;
/// Stack size in bytes of the watching thread.
const STACK: usize = 256 << 10;
/// Maximum wait for the whole input. Agents end a hook after five seconds or later.
const INPUT: Duration = Duration::from_secs(4);
/// Maximum time past the deadline until what the user said is safe on the disk.
const GRACE: Duration = Duration::from_secs(2);

/// Answer an agent's hook
///
/// Reads what the agent says from standard input and prints what should go into its prompt, in the
/// form that the agent documents, or nothing. Agents call this; pimem hooks install tells them to.
/// The exit code is always 0, and what goes wrong is only told with `PIMEM_DEBUG=1`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "Examples:\n  pimem hook claude session-start < input.json\n  \
    echo '{\"prompt\":\"why do berths overlap?\"}' | pimem hook generic prompt")]
pub(crate) struct HookArgs {
    /// Who asks
    #[arg(value_name = "AGENT", value_parser = PossibleValuesParser::new(Agent::ALL.map(Agent::name)))]
    agent: String,
    /// When: session-start, subagent-start, prompt, post-tool, pre-compact, post-compact, stop, session-end, or what
    /// the agent calls it
    #[arg(value_name = "EVENT")]
    event: String,
}

impl HookArgs {
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
    call::drain(Duration::ZERO);
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
    let watch = Watch::start(started + INPUT, nothing, debug);
    let off = env.text("PIMEM_OFF") == Some("1");
    let Some(moment) = moment.filter(|_| !off) else {
        if moment.is_none() {
            tell(debug, &format!("{} has no hook {event:?}", agent.name()));
        }
        watch.answer_nothing();
        // The agent's input must be consumed anyway.
        drop(call::read_input(agent));
        return 0;
    };
    let request = Request { agent, moment, debug };
    let done = panic::catch_unwind(AssertUnwindSafe(|| work(&request, globals, env, &watch)));
    if done.is_err() {
        tell(debug, "the hook has panicked");
    }
    watch.answer_nothing();
    call::drain(call::MORE);
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
}

/// The deadline watch: gives one answer, and ends the process when the time is up.
struct Watch {
    shared: Arc<Shared>,
    end: Sender<Instant>,
}

/// What both threads know.
struct Shared {
    /// The answer that is given if there is no other; `None` once an answer was given.
    reply: Mutex<Option<String>>,
    /// The answer that is given instead when the time is up.
    late: Mutex<Option<String>>,
    /// Where a call that is ended is counted.
    missed: Mutex<Option<(Store, MissedCall)>>,
    /// True while what the user said is not safe yet.
    keeping: Mutex<bool>,
    kept: Condvar,
}

impl Watch {
    fn start(end: Instant, nothing: String, debug: bool) -> Self {
        let shared = Arc::new(Shared {
            reply: Mutex::new(Some(nothing)),
            late: Mutex::default(),
            missed: Mutex::default(),
            keeping: Mutex::default(),
            kept: Condvar::new(),
        });
        let (sender, changed) = mpsc::channel();
        let watch = Self { shared, end: sender };
        let waiting = Arc::clone(&watch.shared);
        let watched = thread::Builder::new().stack_size(STACK).spawn(move || {
            let mut end = end;
            loop {
                match changed.recv_timeout(end.saturating_duration_since(Instant::now())) {
                    Ok(other) => end = other,
                    Err(RecvTimeoutError::Disconnected) => return,
                    Err(RecvTimeoutError::Timeout) => break,
                }
            }
            let late = lock(&waiting.late).take();
            if waiting.give(late.as_deref()) {
                tell(debug, "no answer by the deadline");
            }
            waiting.wait_for_keeping();
            if let Some((store, call)) = lock(&waiting.missed).take() {
                store.note_missed(&call);
            }
            call::drain(Duration::ZERO);
            process::exit(0);
        });
        drop(watched);
        watch
    }

    fn answer(&self, text: &str) {
        self.shared.give(Some(text));
    }

    /// Gives the prepared answer, which is empty at first, unless one was given.
    fn answer_nothing(&self) {
        self.shared.give(None);
    }

    /// Sets the answer that is given if there is no other.
    fn prepare(&self, text: &str) {
        if let Some(reply) = lock(&self.shared.reply).as_mut() {
            text.clone_into(reply);
        }
    }

    /// Sets the answer that is given when the time is up; without it that is the prepared one.
    fn prepare_late(&self, text: String) {
        *lock(&self.shared.late) = Some(text);
    }

    /// Takes the note of the call, so that it is not counted twice.
    fn missed(&self) -> Option<(Store, MissedCall)> {
        lock(&self.shared.missed).take()
    }

    fn end_at(&self, end: Instant) {
        // If the thread could not be started, there is no deadline.
        let _ = self.end.send(end);
    }

    /// Keeps the process alive while `work` puts aside what the user said.
    fn keep<T>(&self, work: impl FnOnce() -> T) -> T {
        let done = work();
        self.kept();
        done
    }

    fn kept(&self) {
        *lock(&self.shared.keeping) = false;
        self.shared.kept.notify_all();
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.kept();
    }
}

impl Shared {
    /// Gives an answer, or the prepared one for `None`, unless one was given. Returns true if it
    /// did.
    fn give(&self, text: Option<&str>) -> bool {
        // Release the lock before printing: a blocked reader must not block the watch.
        let prepared = lock(&self.reply).take();
        if let Some(prepared) = &prepared {
            ui::reply(text.unwrap_or(prepared));
        }
        prepared.is_some()
    }

    fn wait_for_keeping(&self) {
        let waited = self.kept.wait_timeout_while(lock(&self.keeping), GRACE, |keeping| *keeping);
        drop(waited);
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the deadline that holds until the settings are read.
fn first_deadline(env: &Env) -> Duration {
    let key = &HookSettings::deadline;
    let set = env.text(key.env).map(|text| key.read(text));
    let set = set.filter(|set| key.mismatch(set).is_none()).unwrap_or_else(|| key.default());
    Duration::from_millis(set.as_u64().unwrap_or_default())
}

fn work(request: &Request, globals: Globals, env: Env, watch: &Watch) {
    let Request { agent, moment, debug } = *request;
    let is_judged = |input: &Input| moment == HookEvent::PreTool || !input.too_large;
    let Some(mut input) = call::read_input(agent).filter(is_judged) else {
        return tell(debug, "standard input is no JSON object, or too large");
    };
    let began = Instant::now();
    let is_said = moment == HookEvent::Prompt && input.prompt.is_some();
    if is_said {
        *lock(&watch.shared.keeping) = true;
    }
    watch.end_at(began + first_deadline(&env));
    let ui = Rc::new(Ui::new(&env, false, !debug, debug, Color::Never));
    let ctx = match Shell::of_hook(input.cwd.clone(), globals, env, ui) {
        Ok(ctx) => ctx,
        Err(failure) => return tell(debug, &failure.message),
    };
    if !ctx.memory.config.settings.memory.enabled {
        return;
    }
    let _noted = input.session.as_ref().map(|_| Noted { ctx: &ctx, agent, moment });
    let deadline = ctx.memory.config.settings.hook.deadline;
    watch.end_at(began + deadline);
    let left = deadline.saturating_sub(began.elapsed());
    let stores = Call::stores(&ctx, left).unwrap_or_else(|failure| {
        // What a person says is not lost in silence.
        tell(debug, &failure.message);
        Vec::new()
    });
    let has_none = stores.is_empty();
    // What is said in a project whose store may not be written goes into no other one either.
    let is_shut = ctx.memory.is_shut();
    if let Some(home) = stores.first().filter(|_| !is_shut) {
        let (agent, event) = (agent.name().to_owned(), moment.name().to_owned());
        // It is counted if it is ended at the deadline.
        let at = ctx.memory.now.0.to_string();
        let call = MissedCall { at, agent, event, too_large: false };
        *lock(&watch.shared.missed) = Some((home.clone(), call));
    }
    if moment == HookEvent::PreTool {
        return forbid(&ctx, agent, input, stores, watch);
    }
    let home = stores.first().filter(|_| !is_shut);
    call::works_on(&ctx, home, &input);
    if let Some(said) = home.and_then(|home| prompt::switched_off(home, &input)) {
        watch.answer(&with_told(agent, moment, &SafeText::default(), &said));
        return;
    }
    let heard = if is_said {
        watch.keep(|| prompt::keep(&ctx, agent, &input, &stores))
    } else {
        Heard::default()
    };
    if heard.is_machine {
        input.speaker = Speaker::Agent;
    }
    if let Some(failure) = &heard.failure {
        tell(debug, failure);
    }
    if moment == HookEvent::SessionStart && !is_shut {
        // The report tells what the last session has learned.
        ctx.memory.learning().take_in(&stores, true);
    }
    let Some(call) = Call::new(&ctx, agent, moment, input, stores) else {
        watch.answer(&without_call(&ctx, (agent, moment), &heard, has_none));
        return;
    };
    let mut found = found(&call);
    let observed = found.observed.take();
    let stale = std::mem::take(&mut found.stale);
    found.fit(agent.limit());
    let context = found.render();
    if call.is_shut() {
        let line = ctx.memory.locked_for_agents().filter(|_| heard.is_shut);
        let context = line.map_or(context.clone(), |line| safe!("{}{}\n", context, line));
        watch.answer(&reply::reply(agent, moment, &context));
        return tell(debug, "a store is not kept as it was; nothing is noted");
    }
    let told: SafeText = heard.told.iter().chain([&guard::lift(&call)]).collect();
    let answer = |learned: &SafeText, lost: &[Said]| {
        let why = "memory cannot be written: pimem check says why";
        let lost: SafeText = lost.iter().map(|said| prompt::not_kept(&said.text, why)).collect();
        with_told(agent, moment, &context, &safe!("{}{}{}", learned, told, lost))
    };
    if call.shows_notices() && call.has_news(&heard) || !heard.unspooled.is_empty() {
        // What is told must be true, and the answer is there whatever learning takes.
        watch.prepare(&answer(&SafeText::default(), &heard.unspooled));
        let lost = call.learn(&heard);
        let notice = if call.shows_notices() { call.notice() } else { SafeText::default() };
        watch.answer(&answer(&notice, lost));
    } else {
        watch.answer(&answer(&SafeText::default(), &[]));
    }
    call.record(&found);
    let done = keep_books(&call, observed);
    if let Err(failure) = done {
        tell(debug, &failure.message);
    }
    call.learn(&heard);
    for store in call.stores.iter().filter(|_| !call.is_shut()) {
        if let Err(error) = store.cover_beside() {
            tell(debug, &format!("{error:#}"));
        }
    }
    // What was said counts more than a cache.
    background::refresh(&ctx.memory, stale);
}

/// Returns what an event adds to the context.
fn found(call: &Call<'_>) -> HookAnswer {
    match call.moment {
        HookEvent::SessionStart => start::start(call),
        HookEvent::SubagentStart => prompt::task(call),
        HookEvent::Prompt => prompt::prompt(call),
        HookEvent::PostTool => reminder::reminder(call),
        HookEvent::PreCompact => compact::observations(call),
        HookEvent::PreTool | HookEvent::PostCompact | HookEvent::Stop | HookEvent::SessionEnd => {
            HookAnswer::default()
        }
    }
}

/// Answers before a tool runs. Nothing is noted of a call that is let through.
fn forbid(ctx: &Shell, agent: Agent, input: Input, stores: Vec<Store>, watch: &Watch) {
    let begin = || {
        watch.prepare_late(reply::refusal(agent, &guard::too_slow()));
        watch.end_at(Instant::now() + JUDGING * ctx.memory.config.settings.hook.deadline);
    };
    let Some(objection) = guard::judge(ctx, &input, &stores, begin) else {
        return watch.answer_nothing();
    };
    watch.answer(&reply::refusal(agent, &objection.permission()));
    match objection {
        Objection::Forbidden(guard, _) => {
            let call = Call::new(ctx, agent, HookEvent::PreTool, input, stores);
            if let Some(Err(failure)) = call.map(|call| guard::note(&call, &guard)) {
                ctx.memory.notices.detail(&failure.message);
            }
        }
        Objection::TooLarge => {
            if let Some((home, call)) = watch.missed() {
                home.note_missed(&MissedCall { too_large: true, ..call });
            }
        }
        Objection::Ours(_) => {}
    }
}

/// Returns the answer where there is no store, or another process answers.
fn without_call(
    ctx: &Shell,
    (agent, moment): (Agent, HookEvent),
    heard: &Heard,
    has_none: bool,
) -> String {
    let is_start = moment == HookEvent::SessionStart;
    let locked = ctx.memory.locked_for_agents().filter(|_| is_start || heard.is_shut);
    let foreign = ctx.memory.foreign_for_agents().filter(|_| is_start && has_none);
    let lines = locked.into_iter().chain(foreign).map(|line| safe!("{}\n", line)).collect();
    // Another process tells what it has heard.
    let told = heard.told.iter().filter(|_| has_none).collect();
    with_told(agent, moment, &lines, &told)
}

/// Returns an answer with lines for the person: beside the context where the agent shows such lines,
/// else in it.
fn with_told(agent: Agent, moment: HookEvent, context: &SafeText, told: &SafeText) -> String {
    if agent.record().shows_notices || told.is_empty() {
        return reply::with_notice(agent, moment, context, told);
    }
    let lines: SafeText = told.split_lines().map(|line| safe!("> Memory: {}", line)).collect();
    reply::reply(agent, moment, &safe!("{}{}", context, lines))
}

/// Notes what comes of a call, when the agent has its answer.
fn keep_books(call: &Call<'_>, observed: Option<compact::Observed>) -> Result<(), Failure> {
    match call.moment {
        HookEvent::SessionStart => start::afterwards(call),
        HookEvent::Prompt => {
            prompt::note(call);
            Ok(())
        }
        HookEvent::SubagentStart | HookEvent::PreTool | HookEvent::PostTool => Ok(()),
        HookEvent::PreCompact => close::hand_off(call).and_then(|()| compact::keep(call, observed)),
        HookEvent::PostCompact => close::index_compaction(call),
        HookEvent::Stop => close::weigh(call)
            .and_then(|()| close::learn(call))
            .and_then(|()| close::index_unended(call)),
        // The hook of the last turn may have died with the agent.
        HookEvent::SessionEnd => close::weigh(call).and_then(|()| close::index(call)),
    }
}

/// Notes, when all is done, that the agent has called: that proves its installation.
struct Noted<'a> {
    ctx: &'a Shell,
    agent: Agent,
    moment: HookEvent,
}

impl Drop for Noted<'_> {
    fn drop(&mut self) {
        let Some(state) = &self.ctx.memory.env.state else { return };
        let is_plugin = PLUGIN_VARIABLES.iter().any(|name| Env::seldom(name).is_some());
        let way = if is_plugin { Way::Plugin } else { Way::Settings };
        hook_ledger::note_call(state, &self.agent.note(way), self.ctx.memory.real_now, || {
            AgentCall {
                at: self.ctx.memory.now.0.to_string(),
                event: self.moment.name().to_owned(),
            }
        });
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
        for line in ["pimem", "pimem search hook", "pimem --dir hook report", "pimem hooks"] {
            assert!(!meant(line), "{line}");
        }
    }
}
