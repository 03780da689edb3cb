//! Commands and hooks side by side, of which one is killed now and then: what each was told is there.

use std::{process::Stdio, sync::Mutex, thread, time::Duration};

use anyhow::{Result, bail};

use crate::{
    Found,
    random::Random,
    world::{Scene, World},
};

const AGENTS: u64 = 8;

pub fn run(scene: &Scene, sabotaged: bool) -> Result<Found> {
    let world = scene.world()?;
    world.must("add The_first_of_all")?;
    let runs = scene.runs.min(if sabotaged { 80 } else { usize::MAX });
    let each = runs.div_ceil(usize::try_from(AGENTS)?);
    let said: Mutex<Vec<String>> = Mutex::default();
    let faults: Mutex<Vec<String>> = Mutex::default();
    thread::scope(|scope| {
        let agents: Vec<_> = (0..AGENTS)
            .map(|agent| {
                let (world, said, faults) = (&world, &said, &faults);
                let random = Random::new(scene.seed * 1_000 + agent);
                scope.spawn(move || live(world, agent, each, random, said, faults))
            })
            .collect();
        agents.into_iter().try_for_each(|agent| match agent.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })?;
    let said = said.into_inner().unwrap_or_default();
    let mut faults = faults.into_inner().unwrap_or_default();
    if let (true, Some(text)) = (sabotaged, said.last()) {
        forget(&world, text)?;
    }
    let list = world.must("list")?.out;
    let lost = said.iter().filter(|text| !list.contains(text.as_str()));
    faults.extend(lost.map(|text| format!("{text:?} is gone")));
    Ok(Found { trials: runs, faults })
}

fn live(
    world: &World,
    agent: u64,
    each: usize,
    mut random: Random,
    said: &Mutex<Vec<String>>,
    faults: &Mutex<Vec<String>>,
) -> Result<()> {
    for number in 0..each {
        let text = format!("Agent {agent} has learned {number} today");
        let prompt = format!(
            "{{\"session_id\":\"s{agent}\",\"cwd\":\".\",\"prompt\":\"What did agent {agent} learn?\"}}"
        );
        let (args, input) = match random.below(4) {
            0 => (vec!["hook", "claude", "session-start"], prompt.as_str()),
            1 => (vec!["hook", "claude", "prompt"], prompt.as_str()),
            2 => (vec!["reinforce", "first"], ""),
            _ => (vec!["add", "-q", &text], ""),
        };
        if random.below(5) == 0 {
            let mut command = world.prepare(std::process::Command::new(world.program()));
            command.args(&args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            let mut child = command.spawn()?;
            thread::sleep(Duration::from_micros(random.below(9_000) as u64));
            child.kill()?;
            child.wait()?;
            continue;
        }
        let done = world.feed(&args, input.as_bytes())?;
        let is_busy = done.code == 2 && done.err.contains("lock");
        if done.broke() || args[0] == "hook" && done.code != 0 || done.code == 2 && !is_busy {
            faults
                .lock()
                .unwrap_or_else(|held| held.into_inner())
                .push(format!("{args:?}: {done:?}"));
        } else if args[0] == "add" && done.code == 0 {
            said.lock().unwrap_or_else(|held| held.into_inner()).push(text);
        }
    }
    Ok(())
}

/// Takes a line out of its file, as no command would.
fn forget(world: &World, text: &str) -> Result<()> {
    let mut files = world.files()?;
    let holds = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).contains(text);
    // Whoever was killed may have left a temporary file of it there.
    let is_topic = |name: &String| name.contains("/topics/") && name.ends_with(".md");
    let Some((_, bytes)) = files.iter_mut().find(|(name, bytes)| is_topic(name) && holds(bytes))
    else {
        bail!("{text:?} is in no file");
    };
    let kept = String::from_utf8_lossy(bytes).replace(text, "something else");
    *bytes = kept.into_bytes();
    world.lay(&files)
}
