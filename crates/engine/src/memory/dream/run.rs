//! Runs a dream: plans it, applies it, leaves its plan for review, or starts it in the background, where
//! it stops after a time limit.

use crate::memory::handles::Tending;
use std::{
    path::PathBuf,
    process,
    sync::{
        Mutex, MutexGuard, PoisonError,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

use pimem_core::{
    dream::step::{self, PlanStep, PlannedBy, RefusedStep},
    model::time::Timestamp,
    safety::safe_text,
    score::ranking::Scope,
};

use super::{
    PlanRun,
    gather::{self, Gathered, LEFT},
};
use crate::{
    error::{Failure, FailureKind},
    local_time,
    memory::{
        self, Memory, WriteTarget, background,
        dream::{Detached, Dream, Dreamed},
        selector,
    },
    store::{Store, commit, dream_schedule::Busy, read},
    view,
};
use anyhow::Context as _;

/// Hint with the source of a plan.
const HINT: &str = "pimem dream --plan prints one";

#[derive(Debug, Clone, Default)]
pub struct DreamRequest {
    pub mode: DreamMode,
    /// True to also ask the language model of `llm.provider`.
    pub llm: bool,
    /// Transcripts to learn from, instead of the pending ones.
    pub from: Vec<PathBuf>,
    /// True to dream even if the last dream was recent.
    pub force: bool,
}

#[derive(Debug, Clone, Default)]
pub enum DreamMode {
    /// Plans, and applies what is harmless.
    #[default]
    Dream,
    /// Plans without changing anything.
    Plan,
    Apply(ScriptInput),
    /// Starts a background process.
    Detach,
    /// Runs as the background process.
    Detached,
}

#[derive(Debug, Clone)]
pub enum ScriptInput {
    Text(String),
    File(PathBuf),
    /// The file where the language model's plan was left.
    Left,
}

/// The result of a dream, including a failure of the language model's part.
#[derive(Debug)]
pub struct DreamOutcome {
    pub view: Dreamed,
    /// The failure that ended the dream early.
    pub failure: Option<Failure>,
}

impl Tending<'_> {
    /// Maintains a store, using its content and what was said since the last dream.
    ///
    /// # Errors
    /// Fails if another dream is running, the store cannot be read or written, or a plan cannot be
    /// applied as a whole.
    pub fn dream(self, request: &DreamRequest) -> Result<DreamOutcome, Failure> {
        let WriteTarget { dir, scope, exists } = self.memory.target()?;
        if !exists {
            self.memory.notices.note("There is no store yet, and nothing to dream about");
            return Ok(done(Dream::default()));
        }
        let store = self.memory.store(dir, scope);
        match &request.mode {
            DreamMode::Detach => self.detach(request, &store),
            DreamMode::Detached => {
                let store = store.strict();
                let dreamt = run(self.memory, &store, || self.dream_now(request, &store))?;
                Ok(dreamt.unwrap_or_else(|| done(Dream::default())))
            }
            DreamMode::Plan => self.plan(request, &store).map(done),
            DreamMode::Apply(script) => {
                let _lock = store.lock_dreams(self.memory.now)?;
                self.apply(&store, script)
            }
            DreamMode::Dream => {
                let _lock = store.lock_dreams(self.memory.now)?;
                let unasked = !request.force && request.from.is_empty();
                let Some(next) = too_early(self.memory, &store).filter(|_| unasked) else {
                    return self.dream_now(request, &store);
                };
                let when = local_time::local(next);
                self.memory.notices.note(&format!(
                    "The last dream was not long ago; the next is due at {when} (--force dreams now)"
                ));
                Ok(done(Dream::default()))
            }
        }
    }

    /// Returns true if a language model left a plan that awaits review.
    ///
    /// # Errors
    /// Fails if the named store does not exist.
    pub fn has_plan_left(self) -> Result<bool, Failure> {
        let WriteTarget { dir, scope, .. } = self.memory.target()?;
        Ok(self.memory.store(dir, scope).dream_dir().is_some_and(|dir| dir.join(LEFT).is_file()))
    }

    fn detach(self, request: &DreamRequest, store: &Store) -> Result<DreamOutcome, Failure> {
        let llm: &[&str] = if request.llm { &["--llm"] } else { &[] };
        let mut view = Detached { detached: false, log: None, due: None };
        self.memory.notices.note(&match start(self.memory, store, llm)? {
            Started::Yes { log } => {
                let path = log.display().to_string();
                let note = format!("Dreaming in the background; {path} says how");
                (view.detached, view.log) = (true, Some(path));
                note
            }
            Started::NotDue { next } => {
                view.due = Some(next.to_string());
                format!("Not due: the next dream may begin at {}", local_time::local(next))
            }
            Started::Busy(busy) => Failure::from(&busy).message,
        });
        Ok(DreamOutcome { view: Dreamed::Detached(view), failure: None })
    }

    fn plan(self, request: &DreamRequest, store: &Store) -> Result<Dream, Failure> {
        let dreams = store.dreams(self.memory.now);
        let gathered = gather::gather(self.memory, store, &dreams, &request.from, request.llm)?;
        let mut run = PlanRun::plan(self.memory, store, None, &gathered.learned)?;
        if request.llm {
            run.ask(self.memory, store, &gathered.transcripts);
        }
        gathered.expect(store, &run.plan.state)?;
        let mut view = begin(store, Some(&gathered));
        view.extend(&run.plan, run.done, &run.store_view);
        view.script = Some(step::write_script(&run.plan, &run.store_view));
        Ok(view)
    }

    /// Plans, and applies what is harmless.
    fn dream_now(self, request: &DreamRequest, store: &Store) -> Result<DreamOutcome, Failure> {
        let dreams = store.dreams(self.memory.now);
        let gathered = gather::gather(self.memory, store, &dreams, &request.from, request.llm)?;
        let by_rules = {
            let _whole = Committing::begin();
            let lock = memory::lock(self.memory, store)?;
            let run = PlanRun::plan(self.memory, store, Some(&lock), &gathered.learned)?;
            gathered.keep(store)?;
            store.dreamt(&lock, self.memory.now, &gathered.waiting)?;
            run
        };
        let mut view = begin(store, Some(&gathered));
        self.take_up(&mut view, &by_rules);
        let failure = if request.llm {
            self.propose(store, &gathered.transcripts, &mut view).err()
        } else {
            None
        };
        Ok(DreamOutcome { failure, ..done(view) })
    }

    /// Adds an applied plan to the output.
    fn take_up(self, view: &mut Dream, run: &PlanRun<'_>) {
        view.extend(&run.plan, run.done, &run.store_view);
        for refused in run.plan.refused.iter().filter(|_| !self.memory.notices.for_programs()) {
            self.memory.notices.detail(&format!("Left out: {}: {}", refused.what, refused.why));
        }
    }

    /// Asks the language model for more proposals. Its plan is left for review, unless the user's
    /// settings apply it.
    fn propose(
        self,
        store: &Store,
        transcripts: &[String],
        view: &mut Dream,
    ) -> Result<(), Failure> {
        let mut run = PlanRun::of(self.memory, store, None)?;
        let name = run.ask(self.memory, store, transcripts).filter(|_| !run.plan.steps.is_empty());
        if name.is_some() && self.memory.config.settings.dream.apply_model {
            let _whole = Committing::begin();
            let lock = memory::lock(self.memory, store)?;
            let mut now = PlanRun::of(self.memory, store, Some(&lock))?;
            // The store may have changed while the model was working.
            now.vet(self.memory, std::mem::take(&mut run.plan.steps));
            now.plan.refused.splice(..0, run.plan.refused);
            now.carry_out(self.memory, store, Some(&lock))?;
            self.take_up(view, &now);
            return Ok(());
        }
        if name.is_some() {
            let path = left(store)?;
            commit::keep(store, &path, step::write_script(&run.plan, &run.store_view).as_bytes())?;
            view.plan_file = Some(path.display().to_string());
        }
        view.model = name;
        view.extend(&run.plan, run.done, &run.store_view);
        Ok(())
    }

    /// Applies a plan, or nothing if a line is not valid. Steps that cannot be done are left
    /// out, which is a failure that the outcome tells.
    fn apply(self, store: &Store, from: &ScriptInput) -> Result<DreamOutcome, Failure> {
        let own = left(store)?;
        let text = match from {
            ScriptInput::Text(text) => text.clone(),
            ScriptInput::File(_) | ScriptInput::Left => {
                let path = if let ScriptInput::File(path) = from { path } else { &own };
                let bytes = selector::named_file(path, read::MAX_FILE, HINT)?;
                let bytes = store.seal.open(path, bytes).map_err(|p| Failure::from(&p))?;
                String::from_utf8_lossy(&bytes).into_owned()
            }
        };
        let _whole = Committing::begin();
        let lock = memory::lock(self.memory, store)?;
        let mut run = PlanRun::of(self.memory, store, Some(&lock))?;
        let refuse = |message: String, hints: Vec<String>| Failure {
            kind: FailureKind::Refused,
            message,
            hints,
        };
        let script = step::read_script(&text, &run.store_view).ok_or_else(|| {
            refuse("that is no plan of a dream".to_owned(), vec![HINT.to_owned()])
        })?;
        if script.state != run.plan.state {
            let made = script.made.map(|made| format!(" ({made})")).unwrap_or_default();
            let message = format!("the store has changed since the plan was made{made}");
            return Err(refuse(message, vec!["pimem dream --plan makes a new one".to_owned()]));
        }
        let mut wrong = Vec::new();
        for (number, step) in script.lines {
            let by = PlannedBy::Rules;
            match step.map(|(act, reason)| run.check(self.memory, PlanStep { act, reason, by })) {
                Ok(Ok(step)) => run.plan.steps.push(step),
                Ok(Err(why)) => wrong.push(format!("line {number}: {why}")),
                Err(why) => wrong.push(format!("line {number}: {why}")),
            }
        }
        if !wrong.is_empty() {
            let lines = view::count(wrong.len(), "line");
            return Err(refuse(format!("{lines} of the plan cannot be done"), wrong));
        }
        run.carry_out(self.memory, store, Some(&lock))?;
        gather::applied(store, &script.state, script.made, self.memory.now, &lock)?;
        if matches!(from, ScriptInput::Left) {
            commit::discard(&own)?;
        }
        let mut view = begin(store, None);
        view.extend(&run.plan, run.done, &run.store_view);
        let left_out =
            |one: &RefusedStep| format!("{}: {}", safe_text::terminal(&one.what), one.why);
        let left_out: Vec<String> = run.plan.refused.iter().map(left_out).collect();
        let failure = (!left_out.is_empty()).then(|| {
            let (steps, verb) = (view::count(left_out.len(), "step"), left_out.len() == 1);
            let verb = if verb { "was" } else { "were" };
            refuse(format!("{steps} {verb} not done"), left_out)
        });
        Ok(DreamOutcome { failure, ..done(view) })
    }
}

/// Returns the path of the language model's plan that awaits review.
fn left(store: &Store) -> Result<PathBuf, Failure> {
    store.dream_dir().map(|dir| dir.join(LEFT)).ok_or_else(gather::no_place)
}

fn begin(store: &Store, gathered: Option<&Gathered>) -> Dream {
    let read = gathered.map(|gathered| gathered.read);
    Dream { store: Some(store.dir.display().to_string()), read, ..Dream::default() }
}

fn done(view: Dream) -> DreamOutcome {
    DreamOutcome { view: Dreamed::Here(Box::new(view)), failure: None }
}

/// Flag by which `pimem dream` recognises the background process.
pub const FLAG: &str = "--detached-run";
/// Exit code of a dream that was stopped.
const FAILED: i32 = 2;
/// Time limit of a dream.
const LIMIT: Duration = Duration::from_mins(30);

#[derive(Debug)]
pub enum Started {
    /// The dream is running.
    Yes {
        log: PathBuf,
    },
    /// The last dream was too recent.
    NotDue {
        /// Earliest time of the next dream.
        next: Timestamp,
    },
    Busy(Busy),
}

/// Starts a dream of a store in the background, if it is due.
pub fn start(memory: &Memory, store: &Store, args: &[&str]) -> Result<Started, Failure> {
    if let Some(next) = too_early(memory, store) {
        return Ok(Started::NotDue { next });
    }
    if let Some(busy) = store.dreaming() {
        return Ok(Started::Busy(busy));
    }
    let (path, log) = store.dream_log()?;
    let mut all = vec!["dream", FLAG];
    all.extend((store.scope == Scope::User).then_some("--user"));
    all.extend(args);
    background::start(memory, &all, log)?;
    Ok(Started::Yes { log: path })
}

/// Runs a dream in the background process, with a time limit. Of several processes only one dreams;
/// the others, and a dream that is not due, return `None` silently.
#[expect(clippy::disallowed_methods, clippy::exit, reason = "a dream that takes too long is ended")]
pub fn run<T>(
    memory: &Memory,
    store: &Store,
    dream: impl FnOnce() -> Result<T, Failure>,
) -> Result<Option<T>, Failure> {
    let _lock = match store.lock_dreams(memory.now) {
        Ok(lock) => lock,
        Err(error) if error.is::<Busy>() => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    if too_early(memory, store).is_some() {
        return Ok(None);
    }
    store.log_dream(&format!("{} dream of process {}", memory.now.0, process::id()));
    let set = memory.env.text("PIMEM_DREAM_LIMIT_SECONDS").and_then(|text| text.parse().ok());
    let limit = set.map_or(LIMIT, Duration::from_secs);
    let (over, waits) = mpsc::channel::<()>();
    let watched = store.clone();
    let watch = move || {
        if waits.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
            let _whole = Committing::begin();
            crate::process::abandon();
            let line = format!("error: the dream was not done after {} s: ended", limit.as_secs());
            watched.log_dream(&line);
            process::exit(FAILED);
        }
    };
    let watcher = thread::Builder::new().spawn(watch).context("cannot start a thread")?;
    let done = dream();
    drop(over);
    // Waits for the watcher: if the time limit was reached, it ends the process here, and the
    // result, possibly without the killed model's answer, is not returned.
    drop(watcher.join());
    done.map(Some)
}

/// Returns the earliest time of the next dream, if it is in the future.
pub fn too_early(memory: &Memory, store: &Store) -> Option<Timestamp> {
    let next = store.dreams(memory.now).next(memory.config.settings.dream.interval_hours)?;
    (next > memory.now.0).then_some(next)
}

/// Held during a commit, or while the process is being ended.
static COMMIT: Mutex<()> = Mutex::new(());

/// Guard of a commit. The time limit does not end the process before it is dropped.
pub struct Committing {
    _held: MutexGuard<'static, ()>,
}

impl Committing {
    /// Waits for the mutex and starts a commit.
    pub fn begin() -> Self {
        Self { _held: COMMIT.lock().unwrap_or_else(PoisonError::into_inner) }
    }
}
