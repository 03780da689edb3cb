//! Damaged files. Of what is derived, answers stay the same; of what was said, the rest is still there.

use anyhow::Result;

use crate::{
    Found,
    random::Random,
    world::{Done, Files, Scene, World},
};

const QUESTIONS: [&str; 6] = [
    "search -n 8 --no-touch tide gauge",
    "search -n 5 --no-touch --mode semantic where_do_ships_wait",
    "search --no-touch --mode keyword crane",
    "report",
    "list",
    "report --prompt which_crane_is_broken",
];
const SUBJECTS: [&str; 6] =
    ["tide gauge", "crane", "berth", "pilot boat", "quay", "harbour master"];
const PLACES: [&str; 6] = ["north", "south", "old", "new", "outer", "inner"];

pub fn run(scene: &Scene, sabotaged: bool) -> Result<Found> {
    let runs = scene.runs.min(if sabotaged { 40 } else { usize::MAX });
    let parts: Vec<u64> = (0..8).collect();
    scene.each(&parts, |part| {
        let world = store(scene)?;
        let files = world.files()?;
        let good = answers(&world)?;
        let mut random = Random::new(scene.seed * 1_000 + part);
        // The control asks for the same answers from damaged texts.
        let derived: Vec<&String> =
            files.keys().filter(|name| is_derived(name) != sabotaged && is_ours(name)).collect();
        let kept: Vec<&String> = files.keys().filter(|name| is_kept(name)).collect();
        let mut found = Found::default();
        for number in 0..runs.div_ceil(parts.len()) {
            let of_kept = !sabotaged && number % 3 == 2;
            let name = *random.of(if of_kept { &kept } else { &derived });
            let mut damaged = files.clone();
            let how = mutate(&mut damaged, name, &mut random);
            world.lay(&damaged)?;
            let wrong = match of_kept {
                true => spoils(&world, &files, name)?,
                false => differs(&world, &good)?,
            };
            found.trials += 1;
            found.faults.extend(wrong.map(|wrong| format!("{how} in {name}: {wrong}")));
        }
        Ok(found)
    })
}

fn store(scene: &Scene) -> Result<World> {
    let world = scene.world()?;
    for subject in SUBJECTS {
        for place in PLACES {
            world.run(&[
                "add",
                "-q",
                &format!("The {subject} of the {place} harbour is read at noon"),
            ])?;
        }
    }
    world.must("rebuild")?;
    answers(&world)?;
    Ok(world)
}

fn answers(world: &World) -> Result<Vec<Done>> {
    QUESTIONS.iter().map(|line| world.line(line)).collect()
}

fn is_ours(name: &str) -> bool {
    !name.ends_with('/') && !name.ends_with("lock") && (is_derived(name) || is_kept(name))
}

fn is_derived(name: &str) -> bool {
    name.starts_with("cache/") || name.ends_with("memory-scores.json")
}

/// Returns true for files of texts and their evidence.
fn is_kept(name: &str) -> bool {
    name.contains("/topics/") && name.ends_with(".md") || name.ends_with("evidence.jsonl")
}

fn differs(world: &World, good: &[Done]) -> Result<Option<String>> {
    for (line, good) in QUESTIONS.iter().zip(good) {
        let done = world.line(line)?;
        if done.broke() || (done.code, &done.out) != (good.code, &good.out) {
            return Ok(Some(format!("{line}: {} {} {}", done.code, done.out, done.err)));
        }
    }
    Ok(None)
}

/// Returns what is wrong with the other files, and with the next commands.
fn spoils(world: &World, before: &Files, name: &str) -> Result<Option<String>> {
    for line in ["list", "check", "rebuild", "add -c pattern After_the_damage", "report"] {
        let done = world.line(line)?;
        if done.broke() || ![0, 1, 2].contains(&done.code) {
            return Ok(Some(format!("{line}: {done:?}")));
        }
        if done.code == 2 && done.err.trim().is_empty() {
            return Ok(Some(format!("{line} fails and does not say why")));
        }
    }
    let now = world.files()?;
    let lost = before.iter().find(|(other, bytes)| {
        let other = other.as_str();
        let stays = |now: &Vec<u8>| now.starts_with(bytes.as_slice());
        other != name && is_kept(other) && !now.get(other).is_some_and(stays)
    });
    Ok(lost.map(|(other, _)| format!("{other} has changed too")))
}

/// Damages a file, and tells how.
fn mutate(files: &mut Files, name: &str, random: &mut Random) -> String {
    let mut bytes = files.get(name).cloned().unwrap_or_default();
    let count = bytes.len();
    let at = random.below(count);
    let kind = random.below(10);
    let how = match kind {
        0..=3 if count > 0 => {
            bytes[at] ^= 1 << random.below(8);
            format!("a bit at {at}")
        }
        4 => {
            bytes.truncate(at);
            format!("cut at {at}")
        }
        5 => {
            let end = (at + 4096).min(count);
            bytes[at..end].fill(0);
            format!("zeros at {at}")
        }
        6 => {
            bytes.extend(bytes.clone());
            "doubled".to_owned()
        }
        7 => {
            let junk = random.bytes(64);
            bytes.splice(at..at, junk);
            format!("junk at {at}")
        }
        8 => {
            bytes.splice(at..at, b"\n<<<<<<< HEAD\n{\"id\":[[[[\n=======\n\0\xff".iter().copied());
            format!("a conflict at {at}")
        }
        _ => {
            files.remove(name);
            return "no file".to_owned();
        }
    };
    files.insert(name.to_owned(), bytes);
    how
}
