//! Many writers at once: what each was told is there, once.

use std::{collections::BTreeMap, sync::Mutex, thread};

use anyhow::Result;

use crate::{
    Found,
    world::{Scene, World},
};

/// The fewest and the most writers; between, each writes a hundred times.
const WRITERS: (usize, usize) = (16, 64);
const CATEGORIES: [&str; 4] = ["lesson", "preference", "decision", "pattern"];
/// No lock is taken, and the program believes that it was.
const SABOTAGE: &str =
    "exec strace -f -qqq -o /dev/null -e trace=flock -e inject=flock:retval=0 \"$PROGRAM\" \"$@\"";

pub fn run(scene: &Scene, sabotaged: bool) -> Result<Found> {
    let mut world = scene.world()?;
    world.must("add The_first_of_all")?;
    if sabotaged {
        world.wrap(SABOTAGE)?;
    }
    let writers = (scene.runs / 100).clamp(WRITERS.0, WRITERS.1);
    let each = scene.runs.div_ceil(writers).min(if sabotaged { 10 } else { usize::MAX });
    let said: Mutex<Vec<String>> = Mutex::default();
    let mut wrong = thread::scope(|scope| {
        let writer = |writer| {
            let (world, said) = (&world, &said);
            scope.spawn(move || write(world, writer, each, said))
        };
        let writers: Vec<_> = (0..writers).map(writer).collect();
        let mut wrong = Vec::new();
        for writer in writers {
            match writer.join() {
                Ok(more) => wrong.extend(more?),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        anyhow::Ok(wrong)
    })?;
    let said = said.into_inner().unwrap_or_default();
    wrong.extend(faults(&world, &said)?);
    Ok(Found { trials: said.len(), faults: wrong })
}

/// Returns what failed for another reason than the others' lock.
fn write(
    world: &World,
    writer: usize,
    each: usize,
    said: &Mutex<Vec<String>>,
) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for number in 0..each {
        let text = format!("Writer {writer} has said word {number} of {each}");
        let category = CATEGORIES[number % CATEGORIES.len()];
        let done = world.run(&["add", "-q", "-c", category, &text])?;
        match done.code {
            0 => said.lock().unwrap_or_else(|held| held.into_inner()).push(text),
            2 if done.err.contains("lock") => {}
            _ => wrong.push(format!("{text}: {done:?}")),
        }
    }
    Ok(wrong)
}

fn faults(world: &World, said: &[String]) -> Result<Vec<String>> {
    let files = world.files()?;
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let topics = files.iter().filter(|(name, _)| name.contains("/topics/"));
    for line in topics.flat_map(|(_, bytes)| bytes.split(|byte| *byte == b'\n')) {
        let line = String::from_utf8_lossy(line);
        if let Some((_, text)) = line.strip_prefix("- ").and_then(|line| line.split_once("] ")) {
            *counts.entry(text.to_owned()).or_default() += 1;
        }
    }
    let log = files.iter().find(|(name, _)| name.ends_with("evidence.jsonl"));
    let events = log.map_or(0, |(_, bytes)| bytes.split(|byte| *byte == b'\n').count());
    let count = |text: &String| counts.get(text).copied().unwrap_or_default();
    let wrong = said.iter().filter(|text| count(text) != 1);
    let mut faults: Vec<String> =
        wrong.map(|text| format!("{text:?} is there {} times", count(text))).collect();
    if events < said.len() {
        faults.push(format!("{} events of {} additions", events, said.len()));
    }
    Ok(faults)
}
