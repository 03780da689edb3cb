//! SIGKILL at every system call of every command that writes: what was there is there, what was
//! acknowledged is too, and the next command is not held up.

use std::{fs, process::Command};

use anyhow::Result;

use crate::{
    Found,
    cases::{self, CASES, Case},
    strace::{self, Point},
    truth::{End, torn, truth},
    world::{Scene, feed},
};

pub fn run(scene: &Scene, sabotaged: bool) -> Result<Found> {
    if sabotaged {
        return in_place(scene);
    }
    scene.each(CASES, |case| {
        let world = case.world(scene)?;
        let (before, after) = cases::undisturbed(&world, case)?;
        world.lay(&before)?;
        let args = case.args();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let (_, calls) = strace::calls(&world, "all", &args, case.input.as_bytes())?;
        let (old, new) = (truth(&before), truth(&after));
        let mut found = Found::default();
        for point in sample(&strace::points(&calls), scene.runs.div_ceil(CASES.len())) {
            world.lay(&before)?;
            let done =
                strace::strike(&world, point, "signal=SIGKILL", &args, case.input.as_bytes())?;
            let now = truth(&world.files()?);
            let mut fault =
                torn(&now, &old, &new, End::Cut).pop().map(|name| format!("{name} is torn"));
            if !done.out.is_empty() && !case.is_hook() && now != new {
                fault = fault.or_else(|| Some(format!("{:?} was said before it was so", done.out)));
            }
            let fault = match fault {
                Some(fault) => Some(fault),
                None => cases::goes_on(&world, case)?,
            };
            found.trials += 1;
            found.faults.extend(fault.map(|fault| told(case, point, &fault)));
        }
        Ok(found)
    })
}

fn told(case: &Case, point: &Point, fault: &str) -> String {
    format!("{}: killed at {} {}: {fault}", case.line, point.name, point.number)
}

/// Returns about so many of the points, spread over the run.
pub fn sample(points: &[Point], most: usize) -> impl Iterator<Item = &Point> {
    let step = points.len().div_ceil(most.max(1)).max(1);
    points.iter().step_by(step)
}

/// A program that writes its file in place, as the control.
fn in_place(scene: &Scene) -> Result<Found> {
    let world = scene.world()?;
    let file = world.project().join("topic.md");
    let script = "printf 'first\\nsecond\\nthird\\n' > topic.md; printf 'fourth\\n' >> topic.md";
    let mut found = Found::default();
    for number in 1..=8 {
        fs::write(&file, "first\n")?;
        let inject = format!("inject=write:signal=SIGKILL:when={number}");
        let mut command = world.prepare(Command::new("strace"));
        command.args(["-f", "-qqq", "-o", "/dev/null", "-e", "trace=write", "-e", &inject]);
        command.args(["sh", "-c", script]);
        drop(feed(command, b"")?);
        let now = fs::read_to_string(&file)?;
        found.trials += 1;
        if now != "first\n" && now != "first\nsecond\nthird\nfourth\n" {
            found.faults.push(format!("killed at write {number}: {now:?}"));
        }
    }
    Ok(found)
}
