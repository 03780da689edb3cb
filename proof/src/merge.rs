//! Two clones of a project go on apart, are merged both ways by git, and tell the same.

use std::{path::Path, process::Command};

use anyhow::{Result, bail};

use crate::{
    Found,
    random::Random,
    world::{Done, Scene, World, feed},
};

/// What is done in a clone; `N` stands for a number that no other has.
const ACTS: [&str; 9] = [
    "add Fact_N_of_the_harbour",
    "add -c preference Prefer_way_N_over_others",
    "add --pin Rule_N_holds",
    "reinforce Shared_fact",
    "add Said_in_both",
    "pin Shared_fact",
    "edit Shared_rule Shared_rule_as_of_N",
    "forget Shared_habit",
    "reinforce Fact",
];

pub fn run(scene: &Scene, sabotaged: bool) -> Result<Found> {
    let runs = scene.runs.min(if sabotaged { 6 } else { usize::MAX });
    let numbers: Vec<usize> = (0..runs).collect();
    scene.each(&numbers, |number| {
        let mut random = Random::new(scene.seed * 1_000_000 + *number as u64);
        let (one, two) = (scene.world()?, scene.world()?);
        for text in ["Shared_fact", "Shared_rule_of_all", "Shared_habit"] {
            one.must(&format!("add {text}"))?;
        }
        if sabotaged {
            // As if the store had never told git how to merge its log.
            std::fs::write(one.project().join(".pi/memory/.gitattributes"), "* -merge\n")?;
        }
        keep(&one, "the store")?;
        git(&two, &["pull", "-q", &path(&one), "HEAD"])?;
        two.must("trust --all")?;
        let mut said = Vec::new();
        for (world, side) in [(&one, "1"), (&two, "2")] {
            for step in 0..1 + random.below(6) {
                let line = random.of(&ACTS).replace('N', &format!("{side}{step}"));
                if world.line(&line)?.code == 0 && line.starts_with("add ") {
                    said.extend(line.split(' ').next_back().map(|word| word.replace('_', " ")));
                }
            }
            keep(world, side)?;
        }
        // Both before either has what the other had.
        let heads = [path(&one), path(&two)].map(|path| path + ".head");
        for (world, copy) in [&one, &two].into_iter().zip(&heads) {
            clone(world, Path::new(copy))?;
        }
        let mut wrong = None;
        for (world, other) in [(&one, &heads[1]), (&two, &heads[0])] {
            let merged =
                try_git(world, &["pull", "-q", "--no-rebase", "--no-edit", other, "HEAD"])?;
            if merged.code != 0 {
                wrong = Some(format!("git does not merge: {} {}", merged.out, merged.err));
            }
            world.run(&["trust", "--all"])?;
        }
        if wrong.is_none() {
            let reports = [one.run(&["report"])?.out, two.run(&["report"])?.out];
            let list = one.run(&["list"])?.out;
            let lost = said.iter().find(|text| !list.contains(text.as_str()));
            wrong = lost.map(|text| format!("{text:?} is gone: {list}"));
            if reports[0] != reports[1] {
                wrong = Some(format!("two reports:\n{}\n{}", reports[0], reports[1]));
            }
        }
        for world in [one, two] {
            world.remove();
        }
        let faults = wrong.map(|wrong| format!("history {number}: {wrong}")).into_iter().collect();
        Ok(Found { trials: 1, faults })
    })
}

fn path(world: &World) -> String {
    world.project().to_string_lossy().into_owned()
}

fn keep(world: &World, message: &str) -> Result<()> {
    git(world, &["add", "-A"])?;
    git(world, &["commit", "-q", "--allow-empty", "-m", message])
}

fn clone(world: &World, to: &Path) -> Result<()> {
    git(world, &["clone", "-q", "--bare", ".", &to.to_string_lossy()])
}

fn git(world: &World, args: &[&str]) -> Result<()> {
    let done = try_git(world, args)?;
    if done.code != 0 {
        bail!("git {args:?}: {done:?}");
    }
    Ok(())
}

fn try_git(world: &World, args: &[&str]) -> Result<Done> {
    let mut command = world.prepare(Command::new("git"));
    let who = ["-c", "user.name=proof", "-c", "user.email=proof@example.org", "-c", "gc.auto=0"];
    command.args(who).args(args);
    feed(command, b"")
}
