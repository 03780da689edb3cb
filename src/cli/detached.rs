//! Work that goes on after its caller has ended: another process of this program.

use std::process::{Command, Stdio};

use anyhow::Context as _;

use super::{context::Context, error::Failure};
use crate::config::env::Env;

/// Starts this program with arguments, for the same stores. Nobody waits for it, and it keeps no
/// pipe open that somebody reads to its end.
pub(crate) fn start(ctx: &Context, args: &[&str]) -> Result<(), Failure> {
    let program = Env::program().context("cannot find this program itself")?;
    let mut command = Command::new(program);
    command.args(args).current_dir(&ctx.places.cwd);
    if let Some(named) = &ctx.places.named {
        command.arg("--dir").arg(named);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // A group of its own: what ends the caller's does not end it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn().context("cannot start another process")?;
    Ok(())
}
