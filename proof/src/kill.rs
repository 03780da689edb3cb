//! SIGKILL at every system call of every command that writes: what was there is there, what was
//! acknowledged is too, and the next command is not held up.

use std::{fs, process::Command};

use anyhow::Result;

use crate::{
    Found, calls,
    cases::{CASES, Trial},
    strace,
    truth::{End, torn, truth},
    world::{Scene, feed},
};

pub fn run(scene: &Scene, sabotaged: bool) -> Result<Found> {
    if sabotaged {
        return in_place(scene);
    }
    scene.each(CASES, |case| {
        let trial = Trial::new(scene, case)?;
        let (_, all) = strace::calls(&trial.world, "all", &case.args(), case.input.as_bytes())?;
        let points = calls::points(&all, |_| true);
        let mut found = Found::default();
        for point in strace::sample(&points, scene.runs.div_ceil(CASES.len())) {
            let done = trial.strike(point, "signal=SIGKILL")?;
            let now = truth(&trial.world.files()?);
            let said_too_early = !done.out.is_empty() && !case.is_hook() && now != trial.new;
            let fault = if let Some(name) = torn(&now, &trial.old, &trial.new, End::Cut).pop() {
                Some(format!("{name} is torn"))
            } else if said_too_early {
                Some(format!("{:?} was said before it was so", done.out))
            } else {
                trial.goes_on()?
            };
            found.trials += 1;
            let told = |fault| format!("{}: killed at {point}: {fault}", case.line);
            found.faults.extend(fault.map(told));
        }
        Ok(found)
    })
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
