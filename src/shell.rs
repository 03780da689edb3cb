//! The shell: a memory with a terminal, which every command works with; standard input, questions to the
//! user, and exit codes.
#![expect(clippy::disallowed_methods, reason = "the one way in to clock and working directory")]

use std::{
    io::{self, BufRead, IsTerminal, Read, StdinLock},
    path::{Path, PathBuf},
    rc::Rc,
    time::SystemTime,
};

use pimem_core::model::entry::Share;
use pimem_engine::{
    config::env::Env,
    error::{Failure, FailureKind},
    memory::{
        Answer, Memory, Notices, Reach, StoreWish, Vantage, background::Stale, sessions::Transcript,
    },
    store::read,
};

use super::{
    agents::Agent,
    globals::{Globals, ScopeChoice},
    ui::{Human, Ui},
};

pub(crate) struct Shell {
    pub(crate) memory: Memory,
    pub(crate) ui: Rc<Ui>,
}

impl Shell {
    /// Returns the settings directory of an agent.
    pub(crate) fn config_dir(&self, agent: Agent) -> Result<PathBuf, Failure> {
        let home = self.memory.places.home.as_deref().ok_or_else(|| {
            Failure::new(FailureKind::Usage, "there is no home directory", "set HOME")
        })?;
        Ok(agent.config_dir(home, |name| self.memory.env.get(name).map(PathBuf::from)))
    }

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

    /// Returns true if there is somebody to ask.
    pub(crate) fn may_ask(&self) -> bool {
        io::stdin().is_terminal() && !self.memory.notices.for_programs()
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

pub(crate) fn working_directory() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(|error| {
        let message = format!("the working directory is gone: {error}");
        Failure::new(FailureKind::Io, message, "change to a directory that exists")
    })
}

/// The outcome of a command, with the exit codes of grep and ripgrep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Success.
    Done = 0,
    /// Nothing found, or a check with findings.
    Nothing = 1,
    Error = 2,
}

impl Exit {
    /// Returns [`Exit::Nothing`] if the command succeeded and `empty` is true, else `self`.
    pub(crate) fn unless_empty(self, empty: bool) -> Self {
        if self == Self::Done && empty { Self::Nothing } else { self }
    }
}

/// The exit code, and the stores whose index should be refreshed after the answer was printed.
pub(crate) type Outcome = (Exit, Vec<Stale>);

impl From<Exit> for Outcome {
    fn from(exit: Exit) -> Self {
        (exit, Vec::new())
    }
}

/// Maximum input in bytes.
const MAX: u64 = 16 << 20;

/// Returns standard input for an argument `-`, with a hint for whom it is a terminal.
pub(crate) fn piped(hint: &str) -> Result<StdinLock<'static>, Failure> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        let message = "- reads standard input, and that is a terminal";
        return Err(Failure::new(FailureKind::Usage, message, hint));
    }
    Ok(stdin.lock())
}

pub(crate) fn read_stdin() -> Result<String, Failure> {
    let stdin = piped("pipe something in, or give the text itself")?;
    let mut bytes = Vec::new();
    let read = stdin.take(MAX + 1).read_to_end(&mut bytes);
    read.map_err(|error| Failure::from(anyhow::Error::new(error).context("standard input")))?;
    if bytes.len() as u64 > MAX {
        let message = format!("standard input is larger than {} MiB", MAX >> 20);
        return Err(Failure::new(FailureKind::Refused, message, "give less at a time"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let message = format!("standard input is not UTF-8 (byte {at})");
        Failure::new(FailureKind::Refused, message, "convert it first, as with iconv")
    })
}

/// Parses the number of an option, from 0 to 1.
pub(crate) fn share(option: &str, text: &str) -> Result<Share, Failure> {
    text.trim().parse().ok().and_then(Share::new).ok_or_else(|| {
        let message = format!("{option} is {text:?}, not a number from 0 to 1");
        Failure::new(FailureKind::Usage, message, format!("as in {option} 0.8"))
    })
}

/// Joins the words of the command line; a single `-` reads standard input.
pub(crate) fn text(words: &[String]) -> Result<String, Failure> {
    if words == ["-"] { read_stdin() } else { Ok(words.join(" ")) }
}

/// Returns the transcript at a path; `-` is standard input.
pub(crate) fn transcript(path: &Path) -> Result<Transcript<'_>, Failure> {
    if path != Path::new("-") {
        return Ok(Transcript::File(path));
    }
    Ok(Transcript::Stdin(Box::new(piped("name a transcript, or pipe one in")?)))
}

/// Asks the user to choose one of `letters`; `None` at the end of input.
pub(crate) fn choose(ctx: &Shell, question: &str, letters: &str) -> Result<Option<char>, Failure> {
    loop {
        let answer = answer(ctx, question)?;
        let letter = answer.trim().chars().next().map(|letter| letter.to_ascii_lowercase());
        if answer.is_empty() || letter.is_some_and(|letter| letters.contains(letter)) {
            return Ok(letter);
        }
    }
}

/// Asks the user for a line; `None` if it is empty.
pub(crate) fn line(ctx: &Shell, question: &str) -> Result<Option<String>, Failure> {
    Ok(Some(answer(ctx, question)?.trim().to_owned()).filter(|line| !line.is_empty()))
}

/// Asks a question; the answer is empty at the end of input.
fn answer(ctx: &Shell, question: &str) -> Result<String, Failure> {
    ctx.ui.explain(question);
    let mut answer = String::new();
    let read = io::stdin().lock().take(64 << 10).read_line(&mut answer);
    read.map_err(|error| Failure::from(anyhow::Error::new(error).context("standard input")))?;
    Ok(answer)
}

/// Shows `lines` and asks the user to confirm. Fails without a terminal.
pub(crate) fn confirm(ctx: &Shell, lines: &[String], question: &str) -> Result<bool, Failure> {
    if !io::stdin().is_terminal() {
        let message = "there is no terminal to ask on";
        return Err(Failure::new(FailureKind::Usage, message, "--yes does it without asking"));
    }
    for line in lines {
        ctx.ui.explain(line);
    }
    let answer = answer(ctx, &format!("{question} [y/N]"))?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// Returns the selectors of the command line; `-` reads them from standard input, one per line.
pub(crate) fn selectors(args: &[String]) -> Result<Vec<String>, Failure> {
    let mut all = Vec::new();
    for arg in args {
        if arg == "-" {
            let text = read_stdin()?;
            all.extend(
                text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned),
            );
        } else {
            all.push(arg.clone());
        }
    }
    Ok(all)
}
