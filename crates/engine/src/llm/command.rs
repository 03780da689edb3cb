//! Runs a program as a language model: the prompt is its input, the answer its output.
//!
//! The program may hang, read nothing, write without end or leave child processes. The caller gets
//! an answer or an error within the time limit. After a timeout or an oversized answer, the
//! program's whole process group is killed.

use std::time::Duration;

use super::{MAX_ANSWER, ModelError, Question, Service, said};
use crate::process::{self, Keep, Kill, RunError};

/// Bytes that are kept of the end of what it says on standard error.
const COMPLAINT: usize = 4096;

/// Runs the command of a service.
pub(super) fn ask(service: &Service, question: Question<'_>) -> Result<String, ModelError> {
    let named = || format!("{} names it", service.setting("command"));
    let mut command = process::shell(&service.place);
    // An agent that runs as a model must not call pimem's hooks.
    command.env("PIMEM_DISABLE", "1");
    let prompt = format!("{}\n\n{}\n", question.rules.trim_end(), question.text.trim_end());
    let keep = (Keep::Whole(MAX_ANSWER), Keep::End(COMPLAINT));
    let done = process::run(&mut command, prompt.into_bytes(), keep, service.limit, Kill::Group);
    let done = done.map_err(|error| match error {
        RunError::Start(error) => {
            ModelError::new(format!("{} cannot be run: {error}", service.place), named())
        }
        RunError::Late | RunError::Held => service.too_late(),
        RunError::TooLong => service.too_long(),
    })?;
    if done.status.success() {
        return Ok(String::from_utf8_lossy(&done.stdout).into_owned());
    }
    // It may have ended by itself.
    let complaint = done.stderr.recv_timeout(Duration::from_millis(200)).unwrap_or_default();
    let complaint = String::from_utf8_lossy(&complaint);
    let last = complaint.lines().rev().map(str::trim).find(|line| !line.is_empty());
    let last = last.map_or_else(String::new, |line| format!(": {}", said::shown(line, None)));
    let status = done.status;
    let message = format!("the {}'s command failed ({status}){last}", service.role.name());
    Err(ModelError::new(message, named()))
}
