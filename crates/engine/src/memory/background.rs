//! Starts background processes of this program, which outlive their caller.

use std::{
    fs::File,
    process::{Child, Command, Stdio},
    sync::Mutex,
};

use anyhow::Context as _;

use super::Memory;
use crate::{config::env::Env, error::Failure};

/// What was started, so that a caller that lives on does not keep the remains of what has ended.
static STARTED: Mutex<Vec<Child>> = Mutex::new(Vec::new());

/// Returns true if something that was started is running.
pub fn is_busy() -> bool {
    STARTED.lock().is_ok_and(|mut started| {
        started.retain_mut(|child| matches!(child.try_wait(), Ok(None)));
        !started.is_empty()
    })
}

/// Starts this program with arguments, for the same stores. Its output goes to `log`, if given. It
/// inherits no pipe, so that readers of the caller's pipes do not wait for it.
pub fn start(memory: &Memory, args: &[&str], log: Option<File>) -> Result<(), Failure> {
    let program = Env::program().context("cannot find this program itself")?;
    let mut command = Command::new(program);
    command.args(args).current_dir(&memory.places.cwd);
    if let Some(named) = memory.places.named.as_ref().filter(|_| !args.contains(&"--user")) {
        command.arg("--dir").arg(named);
    }
    if let Some(now) = memory.set_clock() {
        command.args(["--now", &now]);
    }
    command.env("PIMEM_UNASKED", "1");
    let errors = log.as_ref().map(File::try_clone).transpose().context("cannot share a log")?;
    let output = |file: Option<File>| file.map_or_else(Stdio::null, Stdio::from);
    command.stdin(Stdio::null()).stdout(output(log)).stderr(output(errors));
    // A process group of its own, so that it survives the end of the caller's group or terminal.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let child = command.spawn().context("cannot start another process")?;
    if let Ok(mut started) = STARTED.lock() {
        started.push(child);
    }
    Ok(())
}
