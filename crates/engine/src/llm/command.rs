//! A program as a model: the prompt is its input, the answer its output.
//!
//! It may hang, read nothing, write without end or leave others running: the caller gets an answer
//! or a reason by the end of its time, and the program's whole group is ended then.

use std::{
    io::{Read, Write},
    process::{Child, Command, Stdio},
    sync::mpsc::{self, RecvTimeoutError, Sender},
    thread,
    time::Duration,
};

use super::{MAX_ANSWER, ModelError, Question, Service, said};

/// Of what it says on standard error, the end is kept.
const KEPT: usize = 4096;
/// How often is looked whether it has ended, once its output has.
const GLANCE: Duration = Duration::from_millis(2);

/// The group of the program that is running, for whoever ends this process meanwhile.
#[cfg(unix)]
static RUNNING: std::sync::Mutex<Option<rustix::process::Pid>> = std::sync::Mutex::new(None);

/// What the threads around a program report.
enum Event {
    /// It has closed its output, or written too much.
    Output(Vec<u8>),
    /// The time is up.
    Late,
}

/// Runs the command of a service.
pub(super) fn ask(service: &Service, question: Question<'_>) -> Result<String, ModelError> {
    let mut child = start(service).map_err(|error| {
        let message = format!("{} cannot be run: {error}", service.place);
        ModelError::new(message, format!("{} names it", service.setting("command")))
    })?;
    let _running = Running::note(&child);
    let (events, reports) = mpsc::channel();
    let _clock = clock(service.limit, events.clone());
    if let Some(mut stdin) = child.stdin.take() {
        let prompt = format!("{}\n\n{}\n", question.rules.trim_end(), question.text.trim_end());
        // Whoever does not read its input is not interested; that is seen at its output.
        thread::spawn(move || stdin.write_all(prompt.as_bytes()));
    }
    if let Some(stdout) = child.stdout.take() {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let most = u64::try_from(MAX_ANSWER).unwrap_or(u64::MAX);
            drop(stdout.take(most + 1).read_to_end(&mut bytes));
            events.send(Event::Output(bytes))
        });
    }
    let (told, complaint) = mpsc::channel();
    if let Some(stderr) = child.stderr.take() {
        thread::spawn(move || told.send(end_of(stderr)));
    }
    let Ok(Event::Output(bytes)) = reports.recv() else {
        stop(&mut child);
        return Err(service.too_late());
    };
    if bytes.len() > MAX_ANSWER {
        stop(&mut child);
        return Err(service.too_long());
    }
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if matches!(reports.recv_timeout(GLANCE), Err(RecvTimeoutError::Timeout)) => {}
            _ => {
                stop(&mut child);
                return Err(service.too_late());
            }
        }
    };
    if status.success() {
        return Ok(String::from_utf8_lossy(&bytes).into_owned());
    }
    // Something that it has started may keep this open; then there is nothing to tell.
    let complaint = complaint.recv_timeout(Duration::from_millis(200)).unwrap_or_default();
    let last = complaint.lines().rev().map(str::trim).find(|line| !line.is_empty());
    let last = last.map_or_else(String::new, |line| format!(": {}", said::shown(line, None)));
    let message = format!("the {}'s command failed ({status}){last}", service.role.name());
    Err(ModelError::new(message, format!("{} names it", service.setting("command"))))
}

/// A program is noted as running until this is dropped.
struct Running;

impl Running {
    fn note(child: &Child) -> Self {
        #[cfg(unix)]
        if let Ok(mut running) = RUNNING.lock() {
            *running = Some(rustix::process::Pid::from_child(child));
        }
        #[cfg(not(unix))]
        let _ = child;
        Self
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Ok(mut running) = RUNNING.lock() {
            *running = None;
        }
    }
}

/// Ends the program that is running, because this process is about to end.
pub(super) fn abandon() {
    #[cfg(unix)]
    if let Some(group) = RUNNING.lock().ok().and_then(|running| *running) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}

fn start(service: &Service) -> std::io::Result<Child> {
    let (shell, option) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let mut command = Command::new(shell);
    command.args([option, &service.place]);
    // An agent that is run as a model must not have its hooks come back here.
    command.env("PIMEM_DISABLE", "1");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn()
}

/// Says when the time is up, unless what it gives is dropped before.
fn clock(limit: Duration, events: Sender<Event>) -> Sender<()> {
    let (done, stop) = mpsc::channel::<()>();
    thread::spawn(move || {
        if stop.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
            drop(events.send(Event::Late));
        }
    });
    done
}

/// The end of what comes out of a pipe.
fn end_of(mut pipe: impl Read) -> String {
    let (mut kept, mut buffer) = (Vec::new(), [0; KEPT]);
    while let Ok(count @ 1..) = pipe.read(&mut buffer) {
        kept.extend_from_slice(buffer.get(..count).unwrap_or_default());
        let excess = kept.len().saturating_sub(KEPT);
        kept.drain(..excess);
    }
    String::from_utf8_lossy(&kept).into_owned()
}

/// Ends a program and all that it has started. It has not been waited for, so its number is still
/// its own.
fn stop(child: &mut Child) {
    // It may have ended by itself.
    #[cfg(unix)]
    let _ = rustix::process::kill_process_group(
        rustix::process::Pid::from_child(child),
        rustix::process::Signal::KILL,
    );
    drop(child.kill());
    drop(child.wait());
}
