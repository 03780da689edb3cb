//! Children with a deadline: whatever one does, its caller has an answer or a reason in time.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    ops::{Deref, DerefMut},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender},
    thread,
    time::Duration,
};

/// How long a killed child is waited for.
const REAPING: Duration = Duration::from_millis(500);
/// How often is looked whether a child has ended, once its output has.
const GLANCE: Duration = Duration::from_millis(2);
/// Bytes that are read at once.
const BUFFER: usize = 4096;

/// Gives this process the lowest priority.
pub fn yield_to_others() {
    #[cfg(unix)]
    rustix::process::nice(19).ok();
}

/// Who is killed when the time is up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kill {
    Child,
    /// The child in a group of its own, with all that it has started.
    Group,
}

/// What of a pipe is kept, in bytes.
#[derive(Debug, Clone, Copy)]
pub enum Keep {
    /// Line by line, each no longer than this; what comes after a longer one is not read.
    Lines(u64),
    /// All of it; where there is more, a part of that too, and the rest is not read.
    Whole(usize),
    /// The beginning; the rest is read too, and thrown away.
    Start(usize),
    End(usize),
}

/// What happens around a running child.
pub enum ProcessEvent {
    /// It wrote a line, or all that it had to.
    Output(Vec<u8>),
    /// It will write no more lines.
    End,
    Late,
}

/// Why a child has not run to its end.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error("cannot be started: {0}")]
    Start(#[from] io::Error),
    #[error("did not end in time")]
    Late,
    #[error("something that it started keeps its output open")]
    Held,
    #[error("wrote more than is read")]
    TooLong,
}

/// What a child left behind.
pub struct ProcessOutput {
    pub status: ExitStatus,
    pub stdout: Vec<u8>,
    /// What is kept of its standard error, once that is closed: what it has started may keep it open.
    pub stderr: Receiver<Vec<u8>>,
}

/// A running child. Ends with this value.
pub struct Running {
    pub(crate) child: Option<Child>,
    #[cfg_attr(not(unix), expect(dead_code, reason = "groups end with their leader there"))]
    kill: Kill,
    exit: Option<ExitStatus>,
    /// To the thread that writes to it, so that a full pipe stops nobody else.
    feed: Option<Sender<Vec<u8>>>,
    events: Receiver<ProcessEvent>,
    /// Stops the clock, and its thread, when it is dropped.
    _clock: Option<Sender<()>>,
}

/// The group of the child that is running, for whoever ends this process meanwhile.
#[cfg(unix)]
static GROUP: std::sync::Mutex<Option<rustix::process::Pid>> = std::sync::Mutex::new(None);

/// Kills the group that is running, because this process is about to end.
pub fn abandon() {
    #[cfg(unix)]
    if let Some(group) = GROUP.lock().ok().and_then(|group| *group) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}

/// Has a program that nobody sees open no window, which Windows gives to each that is started without a
/// console.
pub fn unseen(command: &mut Command) -> &mut Command {
    #[cfg(windows)]
    std::os::windows::process::CommandExt::creation_flags(command, CREATE_NO_WINDOW);
    command
}

/// A flag of `CreateProcessW`.
#[cfg(windows)]
const CREATE_NO_WINDOW: u32 = 0x0800_0000;

/// A line as the system's shell runs it.
pub fn shell(line: &str) -> Command {
    let (shell, option) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let mut command = Command::new(shell);
    command.args([option, line]);
    command
}

/// Runs a program to its end, or to the end of its time.
pub fn run(
    command: &mut Command,
    input: Vec<u8>,
    (stdout, stderr): (Keep, Keep),
    limit: Duration,
    kill: Kill,
) -> Result<ProcessOutput, RunError> {
    command.stderr(Stdio::piped());
    let mut running = Running::start(command, stdout, Some(limit), kill)?;
    running.feed(input);
    running.feed = None;
    let (told, complaint) = mpsc::channel();
    if let Some(pipe) = running.child.as_mut().and_then(|child| child.stderr.take()) {
        thread::spawn(move || told.send(kept(pipe, stderr)));
    }
    let Ok(ProcessEvent::Output(bytes)) = running.events.recv() else {
        // A group is killed before its number is given up.
        let exited = kill == Kill::Child && running.status().is_some();
        return Err(if exited { RunError::Held } else { RunError::Late });
    };
    if matches!(stdout, Keep::Whole(most) if bytes.len() > most) {
        return Err(RunError::TooLong);
    }
    loop {
        if let Some(status) = running.status() {
            return Ok(ProcessOutput { status, stdout: bytes, stderr: complaint });
        }
        if !matches!(running.next(GLANCE), Err(RecvTimeoutError::Timeout)) {
            return Err(RunError::Late);
        }
    }
}

impl Running {
    /// Starts a child that is fed by and by. Its standard error is the command's affair.
    pub fn start(
        command: &mut Command,
        stdout: Keep,
        limit: Option<Duration>,
        kill: Kill,
    ) -> io::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        unseen(command);
        #[cfg(unix)]
        if kill == Kill::Group {
            std::os::unix::process::CommandExt::process_group(command, 0);
        }
        let mut child = command.spawn()?;
        #[cfg(unix)]
        if let (Kill::Group, Ok(mut group)) = (kill, GROUP.lock()) {
            *group = Some(rustix::process::Pid::from_child(&child));
        }
        let (stdin, pipe) = (child.stdin.take(), child.stdout.take());
        let (feed, input) = mpsc::channel::<Vec<u8>>();
        thread::spawn(move || {
            let Some(mut stdin) = stdin else { return };
            // Whoever does not read its input is not interested; that is seen at its output.
            while let Ok(bytes) = input.recv() {
                if stdin.write_all(&bytes).is_err() {
                    return;
                }
            }
        });
        let (reports, events) = mpsc::sync_channel(64);
        let clock = limit.map(|limit| clock(limit, reports.clone()));
        thread::spawn(move || match (pipe, stdout) {
            (None, _) => {}
            (Some(pipe), Keep::Lines(longest)) => lines(pipe, longest, &reports),
            (Some(pipe), keep) => drop(reports.send(ProcessEvent::Output(kept(pipe, keep)))),
        });
        let feed = Some(feed);
        Ok(Self { child: Some(child), kill, exit: None, feed, events, _clock: clock })
    }

    /// Writes to it, soon.
    pub fn feed(&self, bytes: Vec<u8>) {
        drop(self.feed.as_ref().map(|feed| feed.send(bytes)));
    }

    /// What happens next, unless nothing does for so long.
    pub fn next(&self, patience: Duration) -> Result<ProcessEvent, RecvTimeoutError> {
        self.events.recv_timeout(patience)
    }

    /// How it ended, if it has.
    pub fn status(&mut self) -> Option<ExitStatus> {
        if let Some(exit) = self.child.as_mut().and_then(|child| child.try_wait().ok().flatten()) {
            (self.child, self.exit) = (None, Some(exit));
        }
        self.exit
    }
}

impl Drop for Running {
    /// Kills a child that has not been waited for, so that its number is still its own. One that
    /// cannot even be killed is left to a thread.
    fn drop(&mut self) {
        #[cfg(unix)]
        if let (Kill::Group, Ok(mut group)) = (self.kill, GROUP.lock()) {
            *group = None;
        }
        let Some(mut child) = self.child.take() else { return };
        #[cfg(unix)]
        if self.kill == Kill::Group {
            let group = rustix::process::Pid::from_child(&child);
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let (done, ended) = mpsc::channel();
        thread::spawn(move || {
            // It may have ended by itself.
            let reaped = child.kill().and_then(|()| child.wait());
            drop(done.send(reaped));
        });
        drop(ended.recv_timeout(REAPING));
    }
}

/// Says when the time is up, unless what it gives is dropped before.
fn clock(limit: Duration, events: SyncSender<ProcessEvent>) -> Sender<()> {
    let (done, stop) = mpsc::channel::<()>();
    thread::spawn(move || {
        if stop.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
            drop(events.send(ProcessEvent::Late));
        }
    });
    done
}

/// Reports the lines of a pipe, until it ends or a line is too long.
fn lines(pipe: impl Read, longest: u64, events: &SyncSender<ProcessEvent>) {
    let mut pipe = BufReader::new(pipe);
    loop {
        let mut line = Vec::new();
        let read = pipe.by_ref().take(longest).read_until(b'\n', &mut line);
        if !matches!(read, Ok(1..)) || !line.ends_with(b"\n") {
            return drop(events.send(ProcessEvent::End));
        }
        if events.send(ProcessEvent::Output(line)).is_err() {
            return;
        }
    }
}

/// What is to be kept of a pipe, when it has ended.
fn kept(mut pipe: impl Read, keep: Keep) -> Vec<u8> {
    let (mut kept, mut buffer) = (Vec::new(), [0; BUFFER]);
    while let Ok(count @ 1..) = pipe.read(&mut buffer) {
        kept.extend_from_slice(buffer.get(..count).unwrap_or_default());
        match keep {
            Keep::Whole(most) if kept.len() > most => break,
            Keep::Lines(_) | Keep::Whole(_) => {}
            Keep::Start(most) => kept.truncate(most),
            Keep::End(most) => drop(kept.drain(..kept.len().saturating_sub(most))),
        }
    }
    kept
}
/// A value that is leaked when its process ends soon. Freeing thousands of strings one by one takes
/// longer than ending the process.
#[derive(Debug)]
pub struct Leaky<T: Default> {
    value: T,
    leak: bool,
}

impl<T: Default> Leaky<T> {
    pub fn new(value: T, leak: bool) -> Self {
        Self { value, leak }
    }

    /// Returns the value, which is then freed as any other.
    pub fn into_inner(mut self) -> T {
        std::mem::take(&mut self.value)
    }
}

impl<T: Default> Deref for Leaky<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: Default> DerefMut for Leaky<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

impl<T: Default> Drop for Leaky<T> {
    fn drop(&mut self) {
        if self.leak {
            std::mem::forget(std::mem::take(&mut self.value));
        }
    }
}
