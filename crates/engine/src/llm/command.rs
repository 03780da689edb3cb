//! A program as a model: the prompt is its input, the answer its output.
//!
//! It may hang, read nothing, write without end or leave others running: the caller gets an answer
//! or a reason by the end of its time, and the program's whole group is ended then.

use std::time::Duration;

use super::{MAX_ANSWER, ModelError, Question, Service, said};
use crate::process::{self, Keep, Kill, RunError};

/// Bytes that are kept of the end of what it says on standard error.
const COMPLAINT: usize = 4096;

/// Runs the command of a service.
pub(super) fn ask(service: &Service, question: Question<'_>) -> Result<String, ModelError> {
    let named = || format!("{} names it", service.setting("command"));
    let mut command = process::shell(&service.place);
    // An agent that is run as a model must not have its hooks come back here.
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
    // Something that it has started may keep this open; then there is nothing to tell.
    let complaint = done.stderr.recv_timeout(Duration::from_millis(200)).unwrap_or_default();
    let complaint = String::from_utf8_lossy(&complaint);
    let last = complaint.lines().rev().map(str::trim).find(|line| !line.is_empty());
    let last = last.map_or_else(String::new, |line| format!(": {}", said::shown(line, None)));
    let status = done.status;
    let message = format!("the {}'s command failed ({status}){last}", service.role.name());
    Err(ModelError::new(message, named()))
}
