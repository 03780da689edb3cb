//! The program under strace: its system calls in order, and the effect of a failure or kill at any
//! of them.

use std::{
    fs,
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use super::{
    calls::{Call, parse},
    sandbox::{Outcome, PIMEM, Sandbox, finish},
    without_program,
};
use crate::hooks::piped;

/// Returns true if strace is available.
pub(crate) fn is_there() -> bool {
    !without_program("strace", "-V")
}

/// Prepares the program under strace.
pub(crate) fn traced(sandbox: &Sandbox, options: &[&str], args: &[&str]) -> Command {
    let mut command = Command::new("strace");
    command.args(["-f", "-qqq", "-o"]).arg(sandbox.root().join("trace"));
    command.args(options).arg(PIMEM).args(args);
    sandbox.place(&mut command);
    // Hooks get enough time, and start nothing in the background.
    command.env("PIMEM_HOOK_REBUILD_MINUTES", "0");
    command.env("PIMEM_DREAM_ENABLED", "false").env("PIMEM_EMBEDDING_MODEL", "none");
    command
}

/// Of calls with the option `-y`: paths follow file descriptors.
impl Call {
    pub(crate) fn paths(&self) -> Vec<&str> {
        self.args.split('"').skip(1).step_by(2).collect()
    }

    /// Returns the path of the file descriptor in the first argument.
    pub(crate) fn file(&self) -> Option<&str> {
        self.args.split_once('<')?.1.split_once('>').map(|(path, _)| path)
    }

    /// Returns the file descriptor in the first argument.
    pub(crate) fn descriptor(&self) -> &str {
        self.args.split(['<', ',']).next().unwrap_or_default()
    }
}

/// Runs the program with this standard input. Returns all calls of the given names, including
/// failed ones.
pub(crate) fn calls(
    sandbox: &Sandbox,
    names: &str,
    args: &[&str],
    input: &str,
) -> (Outcome, Vec<Call>) {
    let names = format!("trace={names}");
    let done = piped(traced(sandbox, &["-y", "-s", "0", "-e", &names], args), input);
    (done, parse(&fs::read_to_string(sandbox.root().join("trace")).unwrap()))
}

#[test]
fn the_parser_of_traces() {
    let trace = "\
12 openat(AT_FDCWD</p>, \"/p/a b\", O_RDWR|O_CREAT, 0666) = 4</p/a b>
12 write(4</p/a b>, \"\"..., 186 <unfinished ...>
13 flock(5</p/lock>, LOCK_EX) = 0
12 <... write resumed>)  = 186
12 rename(\"/p/t\", \"/p/a b\") = 0
12 +++ exited with 0 +++
";
    let calls = parse(trace);
    let names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
    assert_eq!(names, ["openat", "flock", "write", "rename"]);
    assert_eq!(calls[0].paths(), ["/p/a b"]);
    assert_eq!((calls[0].gave.as_str(), calls[1].thread.as_str()), ("4</p/a b>", "13"));
    assert_eq!((calls[2].file(), calls[2].descriptor()), (Some("/p/a b"), "4"));
    assert_eq!(calls[2].gave, "186");
    assert_eq!(calls[3].paths(), ["/p/t", "/p/a b"]);
}

/// A process that is stopped at a system call.
pub(crate) struct Paused {
    strace: Child,
    pid: String,
    trace: PathBuf,
    stops: usize,
}

impl Paused {
    /// Runs the program up to a call of this name, selected by `when` as in `2` or `1+`. Returns
    /// `None` if it ended without such a call.
    pub(crate) fn at(sandbox: &Sandbox, call: &str, when: &str, args: &[&str]) -> Option<Self> {
        let inject = format!("inject={call}:signal=SIGSTOP:when={when}");
        let name = format!("trace-{}", args.join("-").replace(['/', ' '], "-"));
        let trace = sandbox.root().join(name);
        let mut command = Command::new("strace");
        command.args(["-f", "-qqq", "-e", &format!("trace={call}"), "-e", &inject, "-o"]);
        command.arg(&trace).arg(PIMEM).args(args);
        sandbox.place(&mut command);
        let strace = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut paused = Self { strace, pid: String::new(), trace, stops: 0 };
        paused.waits().then_some(paused)
    }

    /// Waits until the process is stopped again or has ended. Returns true if it is stopped.
    fn waits(&mut self) -> bool {
        loop {
            let ended = self.strace.try_wait().unwrap().is_some();
            let trace = fs::read_to_string(&self.trace).unwrap_or_default();
            // One thread gets the signal, and then all of them stop.
            let mut lines = trace.lines();
            let got = lines.by_ref().filter(|line| line.contains("--- SIGSTOP {")).nth(self.stops);
            let thread = got.and_then(|got| got.split(' ').next()).unwrap_or("none");
            let stopped = |line: &str| {
                let (stopped, what) = line.split_once(' ').unwrap_or_default();
                stopped == thread && what.trim() == "--- stopped by SIGSTOP ---"
            };
            if lines.any(stopped) {
                self.stops += 1;
                thread.clone_into(&mut self.pid);
                return true;
            }
            if ended {
                return false;
            }
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Continues the process. Returns true if it was stopped again.
    pub(crate) fn go_on(&mut self) -> bool {
        assert!(Command::new("kill").args(["-CONT", &self.pid]).status().unwrap().success());
        self.waits()
    }

    pub(crate) fn end(mut self) -> Outcome {
        while self.go_on() {}
        self.ended()
    }

    /// Returns the result of the ended process.
    pub(crate) fn ended(self) -> Outcome {
        finish(self.strace.wait_with_output().unwrap())
    }
}
