//! Runs a model in a child process, which reads texts and writes vectors line by line.
//!
//! ONNX Runtime is C++ that loads files: it may crash, abort or hang. In a child process that is
//! harmless: the caller gets [`Unavailable`] in time.

use std::{
    ffi::OsString,
    path::PathBuf,
    process::{Command, Stdio},
    sync::mpsc::RecvTimeoutError,
    thread,
    time::Duration,
};

use serde_json::Value;

use crate::process::{Keep, Kill, ProcessEvent, Running};
use pimem_core::embed::catalog::{Embedder, Model, TextRole, Unavailable};

/// Maximum length of an answer line in bytes.
const MAX_LINE: u64 = 4 << 20;
/// Time after which a silent model is given up if there is no deadline; loading a large model from
/// a slow disk takes long.
const SILENCE: Duration = Duration::from_mins(2);

/// Microsoft's builds of ONNX Runtime send telemetry and write an identifier to the cache
/// directory, unless the environment disables that before the library is loaded. Both names are in
/// use.
const NO_TELEMETRY: [(&str, &str); 2] =
    [("ORT_DISABLE_TELEMETRY", "1"), ("ORT_TELEMETRY_DISABLED", "1")];

#[derive(Debug, Clone)]
pub struct Program {
    pub path: PathBuf,
    pub args: Vec<OsString>,
}

fn start(program: &Program, deadline: Option<Duration>) -> Result<Running, Unavailable> {
    let mut command = Command::new(&program.path);
    command.args(&program.args).envs(NO_TELEMETRY).stderr(Stdio::null());
    Running::start(&mut command, Keep::Lines(MAX_LINE), deadline, Kill::Child)
        .map_err(|error| Unavailable(format!("the model's process cannot be started: {error}")))
}

/// Returns why the child ended early.
fn end(running: &mut Running) -> Unavailable {
    // The child closes its output some time before it has ended.
    let mut status = running.status();
    for _ in 0..40 {
        if status.is_some() {
            break;
        }
        thread::sleep(Duration::from_millis(5));
        status = running.status();
    }
    Unavailable(match status {
        Some(status) => format!("the model's process ended early ({status})"),
        None => "the model's process stopped answering".to_owned(),
    })
}

/// A model that runs in a child process, which starts with the first text.
pub struct Worker {
    model: Model,
    program: Program,
    deadline: Option<Duration>,
    running: Option<Running>,
    failed: Option<Unavailable>,
}

impl Worker {
    /// Creates a worker for a model that `program` serves. `deadline` applies to all calls of
    /// [`Embedder::embed`] together and runs from the first; it includes the start of the process.
    pub fn new(model: Model, program: Program, deadline: Option<Duration>) -> Self {
        Self { model, program, deadline, running: None, failed: None }
    }

    /// Returns the vector of one text as the model gives it, with any length and dimension.
    pub fn raw(&mut self, text: &str) -> Result<Vec<f32>, Unavailable> {
        let mut vectors = Vec::new();
        self.ask(vec![text.to_owned()], &mut |vector| {
            vectors = vector;
            Ok(())
        })?;
        Ok(vectors)
    }

    /// Requests vectors, which arrive in the order of the texts.
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
            none => none.insert(start(&self.program, self.deadline)?),
        };
        let count = texts.len();
        for text in texts {
            let mut line = Value::String(text).to_string().into_bytes();
            line.push(b'\n');
            running.feed(line);
        }
        for _ in 0..count {
            let line = match running.next(SILENCE) {
                Ok(ProcessEvent::Output(line)) => line,
                Ok(ProcessEvent::End) | Err(RecvTimeoutError::Disconnected) => {
                    return Err(end(running));
                }
                Ok(ProcessEvent::Late) => {
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

/// Parses an answer: an array of numbers, or an object with an error.
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

/// Scales a vector to length 1; all zeros stay zeros.
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
        role: TextRole,
        texts: &[&str],
        progress: &mut dyn FnMut(usize),
    ) -> Result<Vec<Vec<f32>>, Unavailable> {
        let prefix = self.model.prefix(role);
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
