//! An editor that saves a file while a command changes it, at every system call of the command: what was
//! saved is there in the end, and so is what the command did. Only between the last look at the file and
//! the rename that puts another in its place a save is lost, as the documents say.

use std::{
    fs::{self, OpenOptions},
    io::Write as _,
    path::Path,
};

use anyhow::{Context as _, Result};

use crate::{
    Found,
    calls::{self, Call, Point},
    cases::{CASES, Case},
    strace,
    world::{Scene, World},
};

/// A command, the file that it changes, what an editor adds to that, and what the command adds.
struct Save {
    line: &'static str,
    file: &'static str,
    saved: &'static str,
    gives: &'static str,
}

const SAVES: [Save; 9] = [
    of_lessons("add One_more", "One more"),
    of_lessons("add --pin One_that_stays", "One that stays"),
    of_lessons("edit rollback Locks_do_survive_it", "Locks do survive it"),
    of_lessons("pin rollback", "Locks survive a rollback"),
    of_lessons("forget --archive rollback", "Never deploy on a Friday"),
    of_lessons("forget --destroy --yes rollback", "Never deploy on a Friday"),
    of_lessons("add --supersedes rollback Locks_are_released_by_a_rollback", "Locks are released"),
    Save {
        line: "todo add Another",
        file: "SCRATCHPAD.md",
        saved: "- [ ] Saved meanwhile\n",
        gives: "Another",
    },
    Save {
        line: "note Another_note",
        file: "MEMORY.md",
        saved: "Saved meanwhile\n",
        gives: "Another note",
    },
];

const fn of_lessons(line: &'static str, gives: &'static str) -> Save {
    Save { line, file: "topics/lessons.md", saved: "- [lesson] Saved meanwhile\n", gives }
}

/// Most calls between the last look and the rename.
const WINDOW: usize = 8;

/// The same command without a last look, as the control.
const BLIND: &str = "cd .pi/memory/topics && cat lessons.md > ../new && \
                     echo '- [lesson] One more' >> ../new && exec mv ../new lessons.md";

pub fn run(scene: &Scene, sabotaged: bool) -> Result<Found> {
    let saves = if sabotaged { &SAVES[..1] } else { &SAVES };
    scene.each(saves, |save| {
        let case = CASES.iter().find(|case| case.line == save.line);
        let case = case.with_context(|| format!("{} is no case", save.line))?;
        let mut world = case.world(scene)?;
        if sabotaged {
            world.wrap(BLIND)?;
        }
        interrupt(&world, case, save, scene.runs.div_ceil(SAVES.len()))
    })
}

/// Saves at some of the points of a command.
fn interrupt(world: &World, case: &Case, save: &Save, most: usize) -> Result<Found> {
    let before = world.files()?;
    let (_, calls) = strace::calls(world, "all", &case.args(), case.input.as_bytes())?;
    let points = calls::points(&calls, |_| true);
    let window = window(&calls, save.file)?;
    let mut found = Found::default();
    if window.len() > WINDOW {
        found.faults.push(format!("{}: {} calls before the rename", save.line, window.len()));
    }
    for (number, point) in strace::sample(&points, most).enumerate() {
        world.lay(&before)?;
        let path = world.project().join(".pi/memory").join(save.file);
        let saves =
            || if number % 2 == 0 { replace(&path, save.saved) } else { append(&path, save.saved) };
        let done = strace::pause(world, point, &case.args(), case.input.as_bytes(), saves)?;
        let Some(done) = done else { continue };
        let now = fs::read_to_string(&path)?;
        found.trials += 1;
        let fault = if done.code != 0 {
            Some(format!("{done:?}"))
        } else if now.matches(save.gives).count() != 1 {
            Some(format!("{:?} is not there once: {now}", save.gives))
        } else if !now.contains(save.saved.trim_end()) && !window.contains(point) {
            Some(format!("what was saved is lost: {now}"))
        } else {
            None
        };
        found.faults.extend(fault.map(|fault| format!("{} at {point}: {fault}", save.line)));
    }
    Ok(found)
}

/// Returns the points between the last look at a file and the rename that replaces it. What happens at a
/// call happens at its end.
fn window(calls: &[Call], file: &str) -> Result<Vec<Point>> {
    let name = file.rsplit('/').next().unwrap_or(file);
    let names = |call: &Call| {
        let texts = call.texts().unwrap_or_default();
        texts.last().is_some_and(|text| text.ends_with(name.as_bytes()))
    };
    let end = calls.iter().rposition(|call| call.name.starts_with("rename") && names(call));
    let end = end.with_context(|| format!("nothing replaces {file}"))?;
    let looks = |call: &Call| call.name == "openat" && names(call);
    let begin = calls[..end].iter().rposition(looks).context("there is no last look")?;
    let until = |end: usize| calls::points(&calls[..end], |_| true);
    let before = until(begin);
    Ok(until(end).into_iter().filter(|point| !before.contains(point)).collect())
}

/// Saves as most editors do: a new file in the place of the old one.
fn replace(path: &Path, more: &str) -> Result<()> {
    let aside = path.with_extension("swp");
    fs::write(&aside, fs::read_to_string(path)? + more)?;
    Ok(fs::rename(aside, path)?)
}

fn append(path: &Path, more: &str) -> Result<()> {
    Ok(OpenOptions::new().append(true).open(path)?.write_all(more.as_bytes())?)
}
