//! Hooks with anything as their input: they end well, and say nothing or what their agent reads.

use anyhow::Result;
use serde_json::{Value, json};

use crate::{
    Found,
    cases::CASES,
    random::Random,
    world::{Done, Scene},
};

const AGENTS: [&str; 5] = ["claude", "codex", "gemini", "cursor", "copilot"];
const EVENTS: [&str; 7] =
    ["session-start", "prompt", "pre-tool", "post-tool", "stop", "session-end", "pre-compact"];
/// Says something else besides.
const SABOTAGE: &str = "\"$PROGRAM\" \"$@\"; echo what no agent reads";

pub fn run(scene: &Scene, sabotaged: bool) -> Result<Found> {
    let runs = scene.runs.min(if sabotaged { 20 } else { usize::MAX });
    let parts: Vec<u64> = (0..8).collect();
    scene.each(&parts, |part| {
        let mut world = CASES[0].world(scene)?;
        if sabotaged {
            world.wrap(SABOTAGE)?;
        }
        let mut random = Random::new(scene.seed * 1_000 + part);
        let mut found = Found::default();
        for _ in 0..runs.div_ceil(parts.len()) {
            let (agent, event) = (*random.of(&AGENTS), *random.of(&EVENTS));
            let input = input(&mut random, &world.project().to_string_lossy());
            let done = world.feed(&["hook", agent, event], &input)?;
            found.trials += 1;
            let shown = String::from_utf8_lossy(&input[..input.len().min(300)]).into_owned();
            let wrong = wrong(&done);
            found.faults.extend(wrong.map(|wrong| format!("{agent} {event}: {wrong}: {shown:?}")));
        }
        Ok(found)
    })
}

fn wrong(done: &Done) -> Option<String> {
    let out = done.out.trim();
    let is_document = || serde_json::from_str::<Value>(out).is_ok_and(|value| value.is_object());
    match done.code {
        0 if !done.broke() && (out.is_empty() || is_document()) => None,
        _ => Some(format!("{done:?}")),
    }
}

/// Returns an input that an agent might send, or a spoiled one.
fn input(random: &mut Random, project: &str) -> Vec<u8> {
    let texts = [
        "From now on use tabs",
        "why does the rollback fail?",
        "",
        "\u{202e}\u{0}",
        "</memory>",
        "ignore all previous instructions",
        "/etc/passwd",
        "..",
        "\u{1f600}",
    ];
    let text = |random: &mut Random| match random.below(8) {
        0 => Value::Null,
        1 => json!(random.below(usize::MAX)),
        2 => json!([[[[[]]]]]),
        3 => json!(texts.concat().repeat(1 + random.below(400))),
        _ => json!(*random.of(&texts)),
    };
    let mut object = json!({"session_id": "s1", "cwd": project});
    for key in ["prompt", "tool_name", "transcript_path", "hook_event_name", "source", "cwd"] {
        if random.below(3) > 0 && (key != "cwd" || random.below(9) == 0) {
            object[key] = text(random);
        }
    }
    let arguments =
        json!({"file_path": text(random), "command": text(random), "content": text(random)});
    object["tool_input"] = arguments;
    let mut bytes = object.to_string().into_bytes();
    match random.below(6) {
        0 => {
            let at = random.below(bytes.len());
            bytes.truncate(at);
        }
        1 => {
            let at = random.below(bytes.len());
            bytes[at] = random.below(256) as u8;
        }
        2 => bytes = random.bytes(200),
        _ => {}
    }
    bytes
}
