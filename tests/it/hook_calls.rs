//! Calls of hooks: each is answered exactly once, also if two installations make it or the clock
//! changes, and the agent's write never fails.

use std::{
    fs::{self, File, OpenOptions},
    io::{ErrorKind, Seek, Write},
    process::Stdio,
};

use serde_json::{Value, json};

use crate::{
    common::sandbox::{Outcome, Sandbox},
    hooks::{AGENTS, call, hook, piped},
};

/// Calls a hook of an agent in a session, at a time.
fn at(sandbox: &Sandbox, time: &str, agent: &str, session: &str, event: &str) -> Outcome {
    with(sandbox, time, agent, session, event, &json!({}))
}

fn with(
    sandbox: &Sandbox,
    time: &str,
    agent: &str,
    session: &str,
    event: &str,
    more: &Value,
) -> Outcome {
    let mut input = json!({"session_id": session, "cwd": sandbox.project()});
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let mut command = hook(sandbox, agent, event);
    command.env("PIMEM_NOW", time);
    piped(command, input.to_string())
}

fn ledger(sandbox: &Sandbox) -> std::path::PathBuf {
    let dir = sandbox.project().join(".pi/data/sessions");
    let mut found: Vec<_> = fs::read_dir(dir).unwrap().flatten().map(|file| file.path()).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    found.pop().unwrap()
}

fn notes(sandbox: &Sandbox, op: &str) -> usize {
    let text = fs::read_to_string(ledger(sandbox)).unwrap();
    text.matches(&format!("{{\"op\":\"{op}\"")).count()
}

fn telemetry(sandbox: &Sandbox, kind: &str) -> usize {
    let text = fs::read_to_string(sandbox.project().join(".pi/data/memory-telemetry.jsonl"));
    text.unwrap_or_default().matches(&format!("\"type\":\"{kind}\"")).count()
}

const NOW: &str = "2026-06-30T18:00:00Z";
const SPINDLE: &str = "When does the spindle reach its speed?";
const ANSWER: &str =
    "The spindle needs 4 s to reach speed; wait for M3 to report before the first plunge.";

/// Hooks installed both for the user and for the project act once.
#[test]
fn two_installations_are_one() {
    let sandbox = Sandbox::new("working");
    let prompt = json!({"prompt": SPINDLE});
    assert!(with(&sandbox, NOW, "claude", "s", "prompt", &prompt).ok().contains("4 s to reach"));
    assert_eq!(with(&sandbox, NOW, "claude", "s", "prompt", &prompt).ok(), "");
    assert_eq!((notes(&sandbox, "said"), telemetry(&sandbox, "injection")), (1, 1));
    let handed = || sandbox.read("daily/2026-06-30.md").matches("<!-- HANDOFF ").count();
    at(&sandbox, NOW, "claude", "s", "pre-compact").ok();
    at(&sandbox, NOW, "claude", "s", "pre-compact").ok();
    assert_eq!(handed(), 1);
    // Of two concurrent calls, exactly one answers.
    for agent in ["claude", "codex", "gemini", "generic"] {
        let session = format!("side {agent}");
        let both = std::thread::scope(|scope| {
            let start = || with(&sandbox, NOW, agent, &session, "session-start", &json!({})).ok();
            let (one, other) = (scope.spawn(start), scope.spawn(start));
            [one.join().unwrap(), other.join().unwrap()]
        });
        let answers = both.iter().filter(|text| text.contains("4 s to reach speed")).count();
        assert_eq!(answers, 1, "{agent}: {both:?}");
    }
}

/// A clock that was ahead and is then set back does not suppress answers.
#[test]
fn a_clock_that_is_set_back() {
    let sandbox = Sandbox::new("working");
    let ahead = |seconds: u64| {
        let text = fs::read_to_string(ledger(&sandbox)).unwrap();
        let lines = text.lines().map(|line| {
            let mut note: Value = serde_json::from_str(line).unwrap();
            if let Some(at) = note.get("at").and_then(Value::as_u64) {
                note["at"] = json!(at + seconds);
            }
            format!("{note}\n")
        });
        let text: String = lines.collect();
        fs::write(ledger(&sandbox), text).unwrap();
    };
    let start = || at(&sandbox, NOW, "claude", "s", "session-start").ok();
    assert!(start().contains("4 s to reach speed"));
    let stop = || {
        let answer = json!({"last_assistant_message": ANSWER});
        with(&sandbox, NOW, "claude", "s", "stop", &answer).ok();
        telemetry(&sandbox, "usage")
    };
    assert_eq!(stop(), 1);
    let hand_off = || {
        at(&sandbox, NOW, "claude", "s", "pre-compact").ok();
        sandbox.read("daily/2026-06-30.md").matches("<!-- HANDOFF ").count()
    };
    assert_eq!(hand_off(), 1);
    ahead(7200);
    assert_eq!(hand_off(), 2);
    let prompt = json!({"prompt": "What of the pendant's jog commands?"});
    with(&sandbox, NOW, "claude", "s", "prompt", &prompt).ok();
    ahead(7200);
    let said = notes(&sandbox, "said");
    with(&sandbox, NOW, "claude", "s", "prompt", &prompt).ok();
    assert_eq!(notes(&sandbox, "said"), said + 1);
}

/// Two answers in one session within seconds, from an agent that does not send its answers.
#[test]
fn quick_turns_are_told_apart() {
    for agent in AGENTS {
        let sandbox = Sandbox::new("working");
        let transcript = sandbox.root().join("transcript.jsonl");
        let log = |role: &str, text: &str| {
            let line = json!({"type": role, "message": {"role": role, "content": text}});
            let mut file = OpenOptions::new().create(true).append(true).open(&transcript).unwrap();
            writeln!(file, "{line}").unwrap();
        };
        let told = json!({"transcript_path": transcript});
        let turn = |prompt: &str, answer: &str| {
            log("user", prompt);
            let mut said = told.clone();
            said["prompt"] = json!(prompt);
            with(&sandbox, NOW, agent, "s", "prompt", &said).done();
            log("assistant", answer);
            for _ in 0..2 {
                with(&sandbox, NOW, agent, "s", "stop", &told).done();
            }
        };
        let start = with(&sandbox, NOW, agent, "s", "session-start", &told).done();
        turn(SPINDLE, "I looked, and there is nothing about it in the manual of the machine.");
        let spindle = |sandbox: &Sandbox| {
            let entries = sandbox.entries();
            entries.iter().find(|(text, _)| text.contains("4 s to reach")).unwrap().1["evidence"]
                .as_i64()
                .unwrap()
        };
        let before = spindle(&sandbox);
        turn("And in what was noted about the spindle?", ANSWER);
        let used = spindle(&sandbox) - before;
        assert_eq!(used, 1, "{agent}: {start}");
    }
}

/// Returns the context after a compaction. A pull has changed the log before, so that only the
/// handoff can contain the text.
fn compacted(sandbox: &Sandbox, time: &str, session: &str) -> String {
    let log = sandbox.read("daily/2026-06-30.md");
    sandbox.plant("daily/2026-06-30.md", format!("{log}- 09:00 planted in the log\n"));
    let compact = json!({"source": "compact"});
    let text = with(sandbox, time, "claude", session, "session-start", &compact).ok();
    assert!(!text.contains("planted"), "{text}");
    text
}

/// A handoff comes back to its own session, even after midnight, and to no other.
#[test]
fn a_handoff_is_of_its_session() {
    let late = "2026-06-30T23:59:30Z";
    for (back, session, want) in [
        ("2026-06-30T23:59:50Z", "s", true),
        ("2026-07-01T00:00:20Z", "s", true),
        ("2026-07-01T11:00:00Z", "s", true),
        ("2026-07-01T12:30:00Z", "s", false),
        ("2026-07-01T23:00:00Z", "s", false),
        ("2026-07-02T00:00:20Z", "s", false),
        // The clock was set back.
        ("2026-06-30T22:59:30Z", "s", true),
        ("2026-07-01T00:00:20Z", "t", false),
        ("2026-06-30T23:59:50Z", "t", false),
    ] {
        let sandbox = Sandbox::new("working");
        sandbox.share();
        at(&sandbox, late, "claude", "s", "pre-compact").ok();
        assert!(
            sandbox.read("daily/2026-06-30.md").contains("<!-- HANDOFF 2026-06-30 23:59:30 [s]")
        );
        let given = compacted(&sandbox, back, session);
        let handed = given.contains("## Handoff of ") && given.contains("Spindle warm-up");
        assert_eq!(handed, want, "{session} at {back}: {given}");
    }
    // Two sessions with a common prefix of the id, one of which handed off later.
    let sandbox = Sandbox::new("working");
    sandbox.share();
    let (one, other) =
        ("0197a3b2-0000-7000-8000-000000000001", "0197a3b2-0000-7000-8000-000000000002");
    at(&sandbox, "2026-06-30T18:00:00Z", "claude", one, "pre-compact").ok();
    sandbox.run(&["log", "Only the other knows"]).done();
    at(&sandbox, "2026-06-30T18:05:00Z", "claude", other, "pre-compact").ok();
    let time = "2026-06-30T18:06:00Z";
    let (first, second) = (compacted(&sandbox, time, one), compacted(&sandbox, time, other));
    assert!(first.contains("Spindle warm-up"), "{first}");
    assert!(!first.contains("Only the other"), "{first}");
    assert!(second.contains("Only the other knows"), "{second}");
}

/// An automatic handoff does not repeat text that came with a clone or pull.
#[test]
fn a_handoff_repeats_what_is_known_here() {
    let cloned = Sandbox::cloned("working");
    let before = cloned.tree();
    at(&cloned, NOW, "claude", "s", "pre-compact").ok();
    let after = cloned.tree();
    let changed: Vec<&String> = after
        .keys()
        .filter(|name| !name.contains("/data/") && before.get(*name) != after.get(*name))
        .collect();
    assert!(changed.is_empty(), "{changed:?}");
    // Created here, then pulled: the list is unchanged, the log is not.
    let sandbox = Sandbox::new("working");
    sandbox.share();
    sandbox.run(&["todo", "add", "Tram the head"]).done();
    sandbox.run(&["log", "Said here"]).done();
    let log = sandbox.read("daily/2026-06-30.md");
    sandbox.plant("daily/2026-06-30.md", format!("{log}- 09:00 planted in the log\n"));
    at(&sandbox, NOW, "claude", "s", "pre-compact").ok();
    let shown = sandbox.run(&["handoff", "--show"]).ok();
    assert!(shown.contains("Tram the head") && !shown.contains("planted"), "{shown}");
    let list = sandbox.read("SCRATCHPAD.md");
    sandbox.plant("SCRATCHPAD.md", format!("{list}- [ ] planted in the list\n"));
    let compact = json!({"source": "compact"});
    let given = with(&sandbox, NOW, "claude", "s", "session-start", &compact).ok();
    assert!(given.contains("## Handoff of ") && given.contains("Tram the head"), "{given}");
    assert!(!given.contains("planted"), "{given}");
    at(&sandbox, "2026-06-30T19:00:00Z", "claude", "t", "pre-compact").ok();
    let log = sandbox.read("daily/2026-06-30.md");
    assert!(!log.contains("HANDOFF 2026-06-30 19:00"), "nothing is known: {log}");
    // A handoff on request repeats everything.
    sandbox.run(&["handoff"]).done();
    let shown = sandbox.run(&["handoff", "--show"]).ok();
    assert!(
        shown.contains("planted in the list") && shown.contains("planted in the log"),
        "{shown}"
    );
}

/// At most twenty preferences are learned per session.
#[test]
fn twenty_preferences_a_session() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).done();
    let things = [
        "anchors", "beacons", "cables", "davits", "engines", "fenders", "gauges", "hawsers",
        "inlets", "jetties", "keels", "locks", "moorings", "nets", "oars", "pilots", "quays",
        "rudders", "sails", "tides", "units", "vessels", "winches", "yachts", "zones",
    ];
    for thing in things {
        let said = format!("From now on, document all {thing} in the table of {thing} first.");
        with(&sandbox, NOW, "claude", "s", "prompt", &json!({"prompt": said})).ok();
    }
    assert_eq!(sandbox.entries().len(), 20);
    let said = "From now on, document all buoys in the table of buoys first.";
    with(&sandbox, NOW, "claude", "t", "prompt", &json!({"prompt": said})).ok();
    assert_eq!(sandbox.entries().len(), 21, "another session is another matter");
}

/// The first prompt of a session brings the report, and recall adds only what is not in it.
#[test]
fn recall_repeats_nothing_of_the_report() {
    let sandbox = Sandbox::new("working");
    for agent in ["claude", "codex", "generic", "pi"] {
        let text = with(&sandbox, NOW, agent, agent, "prompt", &json!({"prompt": SPINDLE})).ok();
        assert!(text.contains("# Project Memory"), "{agent}: {text}");
        assert_eq!(text.matches("4 s to reach speed").count(), 1, "{agent}: {text}");
    }
}

#[test]
fn a_session_is_switched_off_by_its_person() {
    let sandbox = Sandbox::new("working");
    let rule = "From now on, always use clamps on the router";
    for agent in ["claude", "codex", "generic"] {
        let say = |session: &str, prompt: &str| {
            with(&sandbox, NOW, agent, session, "prompt", &json!({ "prompt": prompt })).ok()
        };
        let session = format!("off-{agent}");
        assert!(say(&session, "Pimem: off\n").contains("off for this session"), "{agent}");
        assert!(!say(&session, &format!("{rule}. {SPINDLE}")).contains("Memory"), "{agent}");
        let stop = json!({ "last_assistant_message": "Done." });
        with(&sandbox, NOW, agent, &session, "stop", &stop).ok();
        assert_eq!(sandbox.run(&["search", "--mode", "keyword", "clamps"]).code, 1, "{agent}");
        assert!(say(&format!("other-{agent}"), SPINDLE).contains("4 s to reach"), "{agent}");
        assert!(say(&session, "pimem: on").contains("on again"), "{agent}");
        assert!(say(&session, SPINDLE).contains("4 s to reach"), "{agent}");
    }
}

/// Input larger than a pipe buffer is read to its end, even by a hook that does not use it.
#[test]
fn no_write_fails() {
    let sandbox = Sandbox::new("working");
    let large = json!({"session_id": "s", "tool_response": "x".repeat(1 << 20)}).to_string();
    for (event, off) in [("prompt", true), ("session-start", true), ("no-such-event", false)] {
        let mut command = hook(&sandbox, "claude", event);
        if off {
            command.env("PIMEM_OFF", "1");
        }
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let written = child.stdin.take().unwrap().write_all(large.as_bytes());
        assert_eq!(written.map_err(|error| error.kind()), Ok(()), "{event}");
        assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0));
    }
    // Input after the object is read too, at the end and at the deadline.
    let input = sandbox.root().join("input");
    let said =
        format!("{{\"session_id\":\"t\",\"prompt\":\"{SPINDLE}\"}}{}", " \n".repeat(200_000));
    fs::write(&input, &said).unwrap();
    let lock = OpenOptions::new().append(true).create(true).open(sandbox.path("lock")).unwrap();
    for locked in [false, true] {
        let mut command = hook(&sandbox, "claude", "pre-compact");
        if locked {
            lock.lock().unwrap();
            command.env("PIMEM_HOOK_DEADLINE_MS", "300");
        }
        let mut file = File::open(&input).unwrap();
        command.stdin(file.try_clone().unwrap());
        assert_eq!(command.output().unwrap().status.code(), Some(0));
        assert_eq!(file.stream_position().unwrap(), said.len() as u64, "locked: {locked}");
        drop(fs::remove_file(ledger(&sandbox)));
    }
}

/// An object that arrives in many pieces, each of which ends in a brace.
#[test]
fn pieces_that_end_in_braces() {
    let sandbox = Sandbox::new("working");
    let mut child = hook(&sandbox, "claude", "prompt")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let piece = "}".repeat(64 << 10);
    pipe.write_all(b"{\"session_id\":\"s\",\"tool_response\":\"").unwrap();
    for _ in 0..120 {
        pipe.write_all(piece.as_bytes()).unwrap();
    }
    pipe.write_all(format!("\",\"prompt\":\"{SPINDLE}\"}}").as_bytes()).unwrap();
    // The pipe stays open; the message ends with the object.
    let done = child.wait_with_output().unwrap();
    assert!(String::from_utf8_lossy(&done.stdout).contains("4 s to reach speed"));
    let late = pipe.write_all(b"\n").map_err(|error| error.kind());
    assert_eq!(late, Err(ErrorKind::BrokenPipe), "nobody waits for what is written then");
    assert_eq!(call(&sandbox, "claude", "prompt", "{}").code, 0);
}
