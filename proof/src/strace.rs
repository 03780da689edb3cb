//! The program under strace: what it calls, and a signal or an error at one of the calls.

use std::{ffi::OsStr, fs, panic::resume_unwind, process::Command, thread, time::Duration};

use anyhow::{Context as _, Result};

use crate::{
    calls::{Call, Point, parse, points},
    world::{Done, World, feed},
};

/// Returns a command under strace.
fn traced(world: &World, options: &[&str], args: &[impl AsRef<OsStr>]) -> Command {
    let mut command = world.prepare(Command::new("strace"));
    command.args(["-f", "-qqq", "-o"]).arg(world.root.with_extension("trace"));
    command.args(options).arg(world.program()).args(args);
    command
}

/// Runs the program and returns its calls of these names, or `all`, with its texts in hexadecimal.
pub fn calls(
    world: &World,
    names: &str,
    args: &[impl AsRef<OsStr>],
    input: &[u8],
) -> Result<(Done, Vec<Call>)> {
    trace(world, names, &["-xx", "-s", "10000000"], args, input)
}

fn trace(
    world: &World,
    names: &str,
    how: &[&str],
    args: &[impl AsRef<OsStr>],
    input: &[u8],
) -> Result<(Done, Vec<Call>)> {
    let names = format!("trace={names}");
    let done = feed(traced(world, &[how, &["-e", &names]].concat(), args), input)?;
    Ok((done, parse(&fs::read_to_string(world.root.with_extension("trace"))?)))
}

/// Returns the points of a run at which a call has to do with a file of the world.
pub fn points_here(
    world: &World,
    names: &str,
    args: &[impl AsRef<OsStr>],
    input: &[u8],
) -> Result<Vec<Point>> {
    let (_, calls) = trace(world, names, &["-y", "-s", "0"], args, input)?;
    let root = world.root.to_string_lossy().into_owned();
    // Without its head the project is none of git's, as git says too.
    let is_head = |call: &Call| call.args.contains("/.git/HEAD\"");
    Ok(points(&calls, |call| call.args.contains(&root) && !is_head(call)))
}

/// Returns about so many of the points, spread over the run.
pub fn sample(points: &[Point], most: usize) -> impl Iterator<Item = &Point> {
    let step = points.len().div_ceil(most.max(1)).max(1);
    points.iter().step_by(step)
}

/// Returns the program under strace with something that happens at a point: `signal=SIGKILL`, `error=EIO`.
fn struck(
    world: &World,
    Point { name, number }: &Point,
    what: &str,
    args: &[impl AsRef<OsStr>],
) -> Command {
    let (trace, inject) = (format!("trace={name}"), format!("inject={name}:{what}:when={number}"));
    traced(world, &["-e", &trace, "-e", &inject], args)
}

/// Runs the program with something that happens at a point.
pub fn strike(
    world: &World,
    point: &Point,
    what: &str,
    args: &[impl AsRef<OsStr>],
    input: &[u8],
) -> Result<Done> {
    feed(struck(world, point, what, args), input)
}

/// Runs the program, which stands still at the end of a call while something else is done once. Returns
/// `None` if it did not stop, as at its start.
pub fn pause(
    world: &World,
    point: &Point,
    args: &[impl AsRef<OsStr>],
    input: &[u8],
    meanwhile: impl FnOnce() -> Result<()>,
) -> Result<Option<Done>> {
    let path = world.root.with_extension("trace");
    fs::write(&path, "")?;
    let command = struck(world, point, "signal=SIGSTOP", args);
    thread::scope(|scope| {
        let run = scope.spawn(|| feed(command, input));
        let (mut meanwhile, mut did, mut seen) = (Some(meanwhile), Ok(()), 0);
        while !run.is_finished() {
            let text = fs::read_to_string(&path).unwrap_or_default();
            let stops = text.lines().filter(|line| line.ends_with("stopped by SIGSTOP ---"));
            for stop in stops.skip(seen) {
                seen += 1;
                if let Some(meanwhile) = meanwhile.take() {
                    did = meanwhile();
                }
                let thread = stop.split(' ').next().unwrap_or_default();
                // A thread may have ended.
                Command::new("kill").args(["-CONT", thread]).output()?;
            }
            thread::sleep(Duration::from_millis(1));
        }
        did?;
        let done = run.join().unwrap_or_else(|panic| resume_unwind(panic))?;
        Ok(meanwhile.is_none().then_some(done))
    })
}

impl Call {
    /// Returns the texts among the arguments.
    pub fn texts(&self) -> Result<Vec<Vec<u8>>> {
        let quoted = self.args.split('"').skip(1).step_by(2);
        quoted.map(bytes).collect()
    }

    /// Returns the first argument as a number.
    pub fn first(&self) -> Option<i64> {
        self.args.split(',').next()?.trim().parse().ok()
    }

    /// Returns the result, if the call succeeded.
    pub fn result(&self) -> Option<usize> {
        self.gave.split(' ').next()?.parse().ok()
    }
}

/// Reads `\x61\x62`.
fn bytes(text: &str) -> Result<Vec<u8>> {
    let digits = text.split("\\x").skip(1);
    digits.map(|two| u8::from_str_radix(two, 16).context("strace writes -xx")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces() {
        let trace = "\
12 openat(AT_FDCWD, \"\\x61\\x20\", O_RDWR|O_CREAT, 0666) = 4
12 write(4, \"\\x62\"..., 1 <unfinished ...>
13 flock(5, LOCK_EX) = 0
12 <... write resumed>)  = 1
12 openat(AT_FDCWD, \"\\x63\", O_RDONLY) = -1 ENOENT (No such file)
12 +++ exited with 0 +++
";
        let calls = parse(trace);
        let names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
        assert_eq!(names, ["openat", "flock", "write", "openat"]);
        assert_eq!(calls[0].texts().unwrap(), [b"a ".to_vec()]);
        assert_eq!((calls[2].first(), calls[2].result()), (Some(4), Some(1)));
        assert_eq!(calls[3].result(), None);
        let points = points(&calls, |_| true);
        assert_eq!(points.last(), Some(&Point { name: "openat".to_owned(), number: 2 }));
    }
}
