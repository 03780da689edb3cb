//! The program under strace: what it calls, and a signal or an error at one of the calls.

use std::{collections::BTreeMap, ffi::OsStr, fmt, fs, process::Command};

use anyhow::{Context as _, Result};

use crate::world::{Done, World, feed};

/// A system call of a thread that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    pub thread: String,
    pub name: String,
    pub args: String,
    pub gave: String,
}

/// The n-th call of this name in a thread.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    pub name: String,
    pub number: usize,
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.number)
    }
}

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

/// Returns the points of a run in their order, each once: those that `count`.
pub fn points(calls: &[Call], count: impl Fn(&Call) -> bool) -> Vec<Point> {
    let mut numbers: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut points: Vec<Point> = Vec::new();
    for call in calls {
        let number = numbers.entry((&call.thread, &call.name)).or_default();
        *number += 1;
        let point = Point { name: call.name.clone(), number: *number };
        if count(call) && !points.contains(&point) {
            points.push(point);
        }
    }
    points
}

/// Returns about so many of the points, spread over the run.
pub fn sample(points: &[Point], most: usize) -> impl Iterator<Item = &Point> {
    let step = points.len().div_ceil(most.max(1)).max(1);
    points.iter().step_by(step)
}

/// Runs the program with something that happens at a point: `signal=SIGKILL`, `error=EIO`.
pub fn strike(
    world: &World,
    Point { name, number }: &Point,
    what: &str,
    args: &[impl AsRef<OsStr>],
    input: &[u8],
) -> Result<Done> {
    let (trace, inject) = (format!("trace={name}"), format!("inject={name}:{what}:when={number}"));
    feed(traced(world, &["-e", &trace, "-e", &inject], args), input)
}

/// Parses a trace. Calls that another thread interrupts are joined.
fn parse(trace: &str) -> Vec<Call> {
    let mut begun: BTreeMap<&str, &str> = BTreeMap::new();
    let mut calls = Vec::new();
    for line in trace.lines() {
        let (thread, rest) = line.split_once(' ').unwrap_or_default();
        let rest = rest.trim_start();
        if let Some(start) = rest.strip_suffix("<unfinished ...>") {
            begun.insert(thread, start);
            continue;
        }
        let resumed = rest.strip_prefix("<... ").and_then(|rest| rest.split_once('>'));
        let whole = match resumed {
            Some((_, end)) => format!("{}{end}", begun.remove(thread).unwrap_or_default()),
            None => rest.to_owned(),
        };
        let Some((name, rest)) = whole.split_once('(') else { continue };
        let Some((args, gave)) = rest.rsplit_once(" = ") else { continue };
        calls.push(Call {
            thread: thread.to_owned(),
            name: name.to_owned(),
            args: args.trim_end().strip_suffix(')').unwrap_or(args).to_owned(),
            gave: gave.to_owned(),
        });
    }
    calls
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
