//! Work that goes on after its caller has ended: another process of this program.

use std::{
    fs::File,
    process::{Command, Stdio},
};

use anyhow::Context as _;

use super::Memory;
use crate::{config::env::Env, error::Failure};

/// Starts this program with arguments, for the same stores. Nobody waits for it, and it keeps no
/// pipe open that somebody reads to its end: what it says goes to a file, if there is one.
pub fn start(memory: &Memory, args: &[&str], log: Option<File>) -> Result<(), Failure> {
    let program = Env::program().context("cannot find this program itself")?;
    let mut command = Command::new(program);
    command.args(args).current_dir(&memory.places.cwd);
    if let Some(named) = memory.places.named.as_ref().filter(|_| !args.contains(&"--user")) {
        command.arg("--dir").arg(named);
    }
    if let Some(now) = memory.set_clock() {
        command.args(["--now", now]);
    }
    command.env("PIMEM_UNASKED", "1");
    let errors = log.as_ref().map(File::try_clone).transpose().context("cannot share a log")?;
    let output = |file: Option<File>| file.map_or_else(Stdio::null, Stdio::from);
    command.stdin(Stdio::null()).stdout(output(log)).stderr(output(errors));
    // A group of its own: what ends the caller's, or its terminal, does not end it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn().context("cannot start another process")?;
    Ok(())
}
