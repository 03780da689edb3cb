//! A model in a process of its own, fed line by line.
//!
//! ONNX Runtime is C++ that loads files: it may crash, abort or hang. Here it can do so without
//! harm: whatever happens in the child, the caller gets [`Unavailable`] in time.

use std::{
    ffi::OsString,
    io::{BufRead, BufReader, Read, Write},
    path::PathBuf,
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender},
    thread,
    time::Duration,
};

use serde_json::Value;

use pimem_core::embed::model::{Embedder, Model, Role, Unavailable};

/// A line of an answer is no longer than this.
const MAX_LINE: u64 = 4 << 20;
/// Without a deadline, a model that has been silent for so long is given up: loading a large one
/// from a slow disk takes its time.
const SILENCE: Duration = Duration::from_mins(2);
/// How long a killed child is waited for.
const REAPING: Duration = Duration::from_millis(500);

/// Microsoft's builds of ONNX Runtime report to Microsoft and leave an identifier in the cache
/// directory, unless the environment says no before the library is loaded. Both names are in use.
const NO_TELEMETRY: [(&str, &str); 2] =
    [("ORT_DISABLE_TELEMETRY", "1"), ("ORT_TELEMETRY_DISABLED", "1")];

/// The program to start.
#[derive(Debug, Clone)]
pub struct Program {
    /// Where it is.
    pub path: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
}

/// What the threads around a child report.
enum Event {
    /// It wrote a line.
    Line(Vec<u8>),
    /// It will write no more.
    End,
    /// The deadline has passed.
    Late,
}

/// A running child and the ways to and from it.
struct Running {
    child: Option<Child>,
    /// To the thread that writes to it, so that a full pipe stops nobody else.
    feed: Sender<Vec<u8>>,
    events: Receiver<Event>,
    /// Stops the clock, and its thread, when it is dropped.
    _clock: Option<Sender<()>>,
}

impl Running {
    fn start(program: &Program, deadline: Option<Duration>) -> Result<Self, Unavailable> {
        let failed = |error| Unavailable(format!("the model's process cannot be started: {error}"));
        let mut child = Command::new(&program.path)
            .args(&program.args)
            .envs(NO_TELEMETRY)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let (mut stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let (feed, texts) = mpsc::channel::<Vec<u8>>();
        let (reports, events) = mpsc::sync_channel(64);
        let clock = deadline.map(|deadline| clock(deadline, reports.clone()));
        thread::spawn(move || {
            // When the child reads no more, it has ended; that is seen at its output.
            while let Ok(line) = texts.recv() {
                if stdin.as_mut().is_none_or(|stdin| stdin.write_all(&line).is_err()) {
                    break;
                }
            }
        });
        let lines = reports;
        thread::spawn(move || {
            let Some(stdout) = stdout else { return };
            let mut stdout = BufReader::new(stdout);
            loop {
                let mut line = Vec::new();
                let read = stdout.by_ref().take(MAX_LINE).read_until(b'\n', &mut line);
                let ended = !matches!(read, Ok(1..)) || !line.ends_with(b"\n");
                if !ended && lines.send(Event::Line(line)).is_err() {
                    return;
                }
                if ended {
                    drop(lines.send(Event::End));
                    return;
                }
            }
        });
        Ok(Self { child: Some(child), feed, events, _clock: clock })
    }

    /// Ends the child. One that cannot even be killed is left to a thread.
    fn stop(&mut self) {
        let Some(mut child) = self.child.take() else { return };
        let (done, ended) = mpsc::channel();
        thread::spawn(move || {
            let reaped = child.kill().and_then(|()| child.wait());
            drop(done.send(reaped));
        });
        drop(ended.recv_timeout(REAPING));
    }

    /// Why a child ended that should not have.
    fn end(&mut self) -> Unavailable {
        // It closes its output a while before it has ended.
        let mut status = self.status();
        for _ in 0..40 {
            if status.is_some() {
                break;
            }
            thread::sleep(Duration::from_millis(5));
            status = self.status();
        }
        Unavailable(match status {
            Some(status) => format!("the model's process ended early ({status})"),
            None => "the model's process stopped answering".to_owned(),
        })
    }

    fn status(&mut self) -> Option<ExitStatus> {
        self.child.as_mut()?.try_wait().ok().flatten()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
    }
}

/// A model that runs in a child process. Starting it is cheap until the first text.
pub struct Worker {
    model: Model,
    program: Program,
    deadline: Option<Duration>,
    running: Option<Running>,
    failed: Option<Unavailable>,
}

impl Worker {
    /// A model that `program` serves. `deadline` is for all calls of [`Embedder::embed`] together
    /// and runs from the first, the start of the process included.
    pub fn new(model: Model, program: Program, deadline: Option<Duration>) -> Self {
        Self { model, program, deadline, running: None, failed: None }
    }

    /// The vector of one text as the model gives it: of any length, and of any dimension.
    pub fn raw(&mut self, text: &str) -> Result<Vec<f32>, Unavailable> {
        let mut vectors = Vec::new();
        self.ask(vec![text.to_owned()], &mut |vector| {
            vectors = vector;
            Ok(())
        })?;
        Ok(vectors)
    }

    /// Asks for vectors, which come in the order of the texts.
    fn ask(
        &mut self,
        texts: Vec<String>,
        take: &mut dyn FnMut(Vec<f32>) -> Result<(), Unavailable>,
    ) -> Result<(), Unavailable> {
        if let Some(failed) = &self.failed {
            return Err(failed.clone());
        }
        let done = self.turn(texts, take);
        if let Err(failed) = &done {
            self.failed = Some(failed.clone());
            self.running = None;
        }
        done
    }

    fn turn(
        &mut self,
        texts: Vec<String>,
        take: &mut dyn FnMut(Vec<f32>) -> Result<(), Unavailable>,
    ) -> Result<(), Unavailable> {
        let running = match &mut self.running {
            Some(running) => running,
            none => none.insert(Running::start(&self.program, self.deadline)?),
        };
        let count = texts.len();
        for text in texts {
            let mut line = Value::String(text).to_string().into_bytes();
            line.push(b'\n');
            drop(running.feed.send(line));
        }
        for _ in 0..count {
            let line = match running.events.recv_timeout(SILENCE) {
                Ok(Event::Line(line)) => line,
                Ok(Event::End) | Err(RecvTimeoutError::Disconnected) => {
                    return Err(running.end());
                }
                Ok(Event::Late) => {
                    let millis = self.deadline.unwrap_or_default().as_millis();
                    let message = format!("the model did not answer within {millis} ms");
                    return Err(Unavailable(message));
                }
                Err(RecvTimeoutError::Timeout) => {
                    return Err(Unavailable("the model was silent for two minutes".to_owned()));
                }
            };
            take(answer(&line)?)?;
        }
        Ok(())
    }
}

/// Sends [`Event::Late`] after `deadline`, unless what it gives is dropped before.
fn clock(deadline: Duration, events: SyncSender<Event>) -> Sender<()> {
    let (done, stop) = mpsc::channel::<()>();
    thread::spawn(move || {
        if stop.recv_timeout(deadline) == Err(RecvTimeoutError::Timeout) {
            drop(events.send(Event::Late));
        }
    });
    done
}

/// Reads an answer: an array of numbers, or an object with the reason why there is none.
fn answer(line: &[u8]) -> Result<Vec<f32>, Unavailable> {
    let odd = || Unavailable("the model's process gave an answer that is no vector".to_owned());
    match serde_json::from_slice(line).map_err(|_| odd())? {
        Value::Object(object) => match object.get("error").and_then(Value::as_str) {
            Some(error) => Err(Unavailable(error.to_owned())),
            None => Err(odd()),
        },
        Value::Array(numbers) => numbers
            .iter()
            .map(|number| {
                #[expect(clippy::cast_possible_truncation, reason = "it was written from an f32")]
                let number = number.as_f64().ok_or_else(odd)? as f32;
                if number.is_finite() { Ok(number) } else { Err(odd()) }
            })
            .collect(),
        _ => Err(odd()),
    }
}

/// `vector` at length 1, or all zeros.
fn unit(vector: &mut [f32]) {
    let square: f64 = vector.iter().map(|x| f64::from(*x) * f64::from(*x)).sum();
    let length = square.sqrt();
    if length > 0.0 {
        for x in vector {
            #[expect(clippy::cast_possible_truncation, reason = "at most 1")]
            let scaled = (f64::from(*x) / length) as f32;
            *x = scaled;
        }
    }
}

impl Embedder for Worker {
    fn model(&self) -> &Model {
        &self.model
    }

    fn embed(
        &mut self,
        role: Role,
        texts: &[&str],
        progress: &mut dyn FnMut(usize),
    ) -> Result<Vec<Vec<f32>>, Unavailable> {
        let prefix = match role {
            Role::Query => &self.model.query_prefix,
            Role::Passage => &self.model.passage_prefix,
        };
        let says_something = |text: &&&str| !text.trim().is_empty();
        let asked: Vec<String> =
            texts.iter().filter(says_something).map(|text| format!("{prefix}{text}")).collect();
        let dimension = self.model.dimension;
        let mut got = Vec::with_capacity(asked.len());
        if !asked.is_empty() {
            self.ask(asked, &mut |mut vector| {
                if vector.len() != dimension {
                    let given = vector.len();
                    let message = format!("the model gave {given} numbers, not {dimension}");
                    return Err(Unavailable(message));
                }
                unit(&mut vector);
                got.push(vector);
                progress(got.len());
                Ok(())
            })?;
        }
        let mut got = got.into_iter();
        let of = |text: &&str| {
            let vector = if says_something(&text) { got.next() } else { None };
            vector.unwrap_or_else(|| vec![0.0; dimension])
        };
        Ok(texts.iter().map(of).collect())
    }
}

#[cfg(all(test, unix))]
#[path = "worker_tests.rs"]
mod tests;
