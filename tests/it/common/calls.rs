//! System calls as strace writes them, and the points at which something can happen to them. `proof/`
//! has this file too.

use std::{collections::BTreeMap, fmt};

/// A system call of a thread that has ended: name, arguments and result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) thread: String,
    pub(crate) name: String,
    pub(crate) args: String,
    pub(crate) gave: String,
}

/// The n-th call of this name in a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Point {
    pub(crate) name: String,
    pub(crate) number: usize,
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.number)
    }
}

/// Parses a trace. Calls that another thread interrupts are joined.
pub(crate) fn parse(trace: &str) -> Vec<Call> {
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
        let args = args.trim_end().trim_end_matches(')').to_owned();
        let (thread, name, gave) = (thread.to_owned(), name.to_owned(), gave.to_owned());
        calls.push(Call { thread, name, args, gave });
    }
    calls
}

/// Returns the points of a run in their order, each once: those that `count`.
pub(crate) fn points(calls: &[Call], count: impl Fn(&Call) -> bool) -> Vec<Point> {
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
