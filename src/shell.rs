//! A memory with a terminal: what a command works with.
#![expect(clippy::disallowed_methods, reason = "the one way in to clock and working directory")]

use std::{ops::Deref, path::PathBuf, rc::Rc, time::SystemTime};

use super::{
    exit::Exit,
    globals::{Globals, ScopeChoice},
    ui::{Human, Ui},
};
use pimem_engine::{
    config::env::Env,
    error::{Failure, Kind},
    memory::{Answer, Asked, Memory, Notices, Reach, Wish},
    store::read,
};

/// A memory, and the terminal that shows what it answers.
pub(crate) struct Shell {
    /// What answers.
    pub(crate) memory: Memory,
    /// Standard output and error.
    pub(crate) ui: Rc<Ui>,
}

/// Commands ask their memory most of the time.
impl Deref for Shell {
    type Target = Memory;

    fn deref(&self) -> &Memory {
        &self.memory
    }
}

impl Shell {
    /// Reads clock and working directory, for somebody who typed a command.
    pub(crate) fn new(globals: Globals, env: Env, ui: Rc<Ui>) -> Result<Self, Failure> {
        Self::open(None, globals, env, ui, Asked::Typed)
    }

    /// The same for a hook, in the directory that an agent works in.
    pub(crate) fn of_hook(
        cwd: Option<PathBuf>,
        globals: Globals,
        env: Env,
        ui: Rc<Ui>,
    ) -> Result<Self, Failure> {
        Self::open(cwd, globals, env, ui, Asked::Unasked)
    }

    fn open(
        cwd: Option<PathBuf>,
        globals: Globals,
        env: Env,
        ui: Rc<Ui>,
        asked: Asked,
    ) -> Result<Self, Failure> {
        let cwd = cwd.map_or_else(std::env::current_dir, Ok).map_err(|error| {
            let message = format!("the working directory is gone: {error}");
            Failure::new(Kind::Io, message, "change to a directory that exists")
        })?;
        let Globals { dir, user, scope, now, .. } = globals;
        let stores = scope.map(|scope| match scope {
            ScopeChoice::Project => Reach::Project,
            ScopeChoice::User => Reach::User,
            ScopeChoice::All => Reach::All,
        });
        let wish = Wish { dir, user, stores, now };
        let notices: Rc<dyn Notices> = Rc::<Ui>::clone(&ui);
        let mut memory = Memory::open(cwd, SystemTime::now(), wish, env, asked, notices)?;
        memory.ends_soon();
        Ok(Self { memory, ui })
    }

    /// Shows an answer, and says what could not be read for it.
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

    /// Says what could not be read; the command's answer is then incomplete, and it has failed.
    pub(crate) fn complain(&self, problems: &[read::Problem], otherwise: Exit) -> Exit {
        for problem in problems {
            self.ui.failure(&Failure::from(problem));
        }
        if problems.is_empty() { otherwise } else { Exit::Error }
    }
}
