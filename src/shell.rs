//! The shell: a memory with a terminal, which every command works with.
#![expect(clippy::disallowed_methods, reason = "the one way in to clock and working directory")]

use std::{
    io::{self, IsTerminal},
    ops::Deref,
    path::PathBuf,
    rc::Rc,
    time::SystemTime,
};

use super::{
    agents::Agent,
    exit::Exit,
    globals::{Globals, ScopeChoice},
    ui::{Human, Ui},
};
use pimem_engine::{
    config::env::Env,
    error::{Failure, FailureKind},
    memory::{Answer, Memory, Notices, Reach, StoreWish, Vantage},
    store::read,
};

pub(crate) struct Shell {
    pub(crate) memory: Memory,
    pub(crate) ui: Rc<Ui>,
}

/// Most of what commands do is a call of the memory.
impl Deref for Shell {
    type Target = Memory;

    fn deref(&self) -> &Memory {
        &self.memory
    }
}

impl Shell {
    /// Opens a memory for a command typed by a user. Reads the clock and the working directory.
    pub(crate) fn new(globals: Globals, env: Env, ui: Rc<Ui>) -> Result<Self, Failure> {
        if let Some((name, meant)) = Env::misspelt().into_iter().next() {
            let hint = format!("did you mean {meant}? unset {name} if it is not for pimem");
            return Err(Failure::new(
                FailureKind::Usage,
                format!("{name} is no variable of pimem"),
                hint,
            ));
        }
        Self::open(None, globals, env, ui, Vantage::Typed)
    }

    /// Opens a memory for a hook, in the agent's working directory.
    pub(crate) fn of_hook(
        cwd: Option<PathBuf>,
        globals: Globals,
        env: Env,
        ui: Rc<Ui>,
    ) -> Result<Self, Failure> {
        Self::open(cwd, globals, env, ui, Vantage::Unasked)
    }

    fn open(
        cwd: Option<PathBuf>,
        globals: Globals,
        env: Env,
        ui: Rc<Ui>,
        asked: Vantage,
    ) -> Result<Self, Failure> {
        let cwd = cwd.map_or_else(working_directory, Ok)?;
        let mut env = env;
        if asked == Vantage::Typed
            && env.get("PIMEM_AGENT").is_none()
            && let Some(agent) = Agent::marked(|name| Env::seldom(name).is_some())
        {
            env.put("PIMEM_AGENT", Some(agent.name().into()));
        }
        let notices: Rc<dyn Notices> = Rc::<Ui>::clone(&ui);
        let mut memory = Self::memory(cwd, globals, env, asked, notices)?;
        memory.ends_soon();
        Ok(Self { memory, ui })
    }

    /// Opens a memory without a terminal. Reads the clock.
    pub(crate) fn memory(
        cwd: PathBuf,
        globals: Globals,
        env: Env,
        asked: Vantage,
        notices: Rc<dyn Notices>,
    ) -> Result<Memory, Failure> {
        let Globals { dir, user, scope, now, .. } = globals;
        let stores = scope.map(|scope| match scope {
            ScopeChoice::Project => Reach::Project,
            ScopeChoice::User => Reach::User,
            ScopeChoice::Team => Reach::Team,
            ScopeChoice::All => Reach::All,
        });
        let at_terminal = io::stdin().is_terminal();
        let wish = StoreWish { dir, user, stores, now, at_terminal };
        Memory::open(cwd, SystemTime::now(), wish, env, asked, notices)
    }

    /// Prints an answer and its problems.
    pub(crate) fn show(&self, answer: &Answer<impl Human>) -> Exit {
        self.ui.show(&answer.view);
        self.complain(&answer.problems, Exit::Done)
    }

    /// The same; where nothing was found, the exit code says so.
    pub(crate) fn show_found<V: Human>(&self, answer: &Answer<V>, found: fn(&V) -> bool) -> Exit {
        self.ui.show(&answer.view);
        let exit = if found(&answer.view) { Exit::Done } else { Exit::Nothing };
        self.complain(&answer.problems, exit)
    }

    /// Prints the problems. If there are any, the answer is incomplete and the command has failed.
    pub(crate) fn complain(&self, problems: &[read::ReadProblem], otherwise: Exit) -> Exit {
        for problem in problems {
            self.ui.failure(&Failure::from(problem));
        }
        if problems.is_empty() { otherwise } else { Exit::Error }
    }
}

/// Returns the working directory.
pub(crate) fn working_directory() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(|error| {
        let message = format!("the working directory is gone: {error}");
        Failure::new(FailureKind::Io, message, "change to a directory that exists")
    })
}
