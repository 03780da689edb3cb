//! Hooks: every agent's messages get the recorded answers, and no input or environment makes a hook
//! fail.
//!
//! `fixtures/hooks/AGENT/EVENT.in.json` is the input and `EVENT.out.json` the answer, in one
//! session per agent and in the order of a session. `fixtures/hooks/any` has inputs that every
//! agent's hooks must accept. `$PROJECT` stands for the project.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;

use crate::common::{
    bless, repository,
    sandbox::{Outcome, Sandbox, outcome},
};

pub(crate) const AGENTS: [&str; 10] = [
    "claude",
    "codex",
    "gemini",
    "copilot",
    "qwen",
    "antigravity",
    "cursor",
    "opencode",
    "pi",
    "generic",
];

/// Steps of a session in order; a suffix after a dash names a variant of the event.
const SESSION: [&str; 28] = [
    "session-start",
    "subagent-start",
    "prompt",
    "prompt-trivial",
    "prompt-later",
    "post-tool",
    "post-tool-write",
    "stop",
    "stop-silent",
    "session-start-resume",
    "pre-compact",
    "post-compact",
    "session-start-compact",
    "session-end",
    "prompt-typed",
    "prompt-typed-old",
    "prompt-print",
    "prompt-sub-agent",
    "prompt-scheduled",
    "prompt-loop",
    "prompt-injected",
    "prompt-polled",
    "prompt-notification",
    "prompt-teammate",
    "prompt-cross-session",
    "prompt-channel",
    "prompt-steering",
    "prompt-unknown",
];

const EVENTS: [&str; 8] = [
    "session-start",
    "subagent-start",
    "prompt",
    "post-tool",
    "pre-compact",
    "post-compact",
    "stop",
    "session-end",
];

/// Prepares a hook with enough time for a busy machine and no background work.
pub(crate) fn hook(sandbox: &Sandbox, agent: &str, event: &str) -> Command {
    let mut command = sandbox.command(&["hook", agent, event]);
    command.env("PIMEM_HOOK_REBUILD_MINUTES", "0");
    command
}

pub(crate) fn call(
    sandbox: &Sandbox,
    agent: &str,
    event: &str,
    input: impl AsRef<[u8]>,
) -> Outcome {
    piped(hook(sandbox, agent, event), input)
}

pub(crate) fn piped(command: Command, input: impl AsRef<[u8]>) -> Outcome {
    let mut command = assert_cmd::Command::from_std(command);
    let done = command.write_stdin(input.as_ref()).output().unwrap();
    Outcome {
        code: done.status.code().unwrap_or(-1),
        stdout: String::from_utf8(done.stdout).unwrap(),
        stderr: String::from_utf8(done.stderr).unwrap(),
    }
}

pub(crate) fn fixtures(agent: &str) -> PathBuf {
    repository().join("fixtures/hooks").join(agent)
}

pub(crate) fn message(sandbox: &Sandbox, path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    text.replace("$PROJECT", &sandbox.project().to_string_lossy())
}

/// Returns the events of a session of an agent, each with its message.
pub(crate) fn session_of(sandbox: &Sandbox, agent: &str) -> Vec<(&'static str, String)> {
    let paths = SESSION.map(|step| (event(step), fixtures(agent).join(format!("{step}.in.json"))));
    let there = paths.into_iter().filter(|(_, path)| path.is_file());
    there.map(|(event, path)| (event, message(sandbox, &path))).collect()
}

/// Returns the event of a step: `session-start-compact` is a `session-start`.
fn event(step: &str) -> &'static str {
    EVENTS.into_iter().find(|event| step.starts_with(event)).unwrap()
}

/// Checks an answer by the documented schemas, written here independently of the program.
fn assert_valid(agent: &str, event: &str, stdout: &str) {
    let text = stdout.trim_end_matches('\n');
    assert!(!text.contains('\u{1b}'), "{agent} {event}: no escapes");
    if agent == "generic" {
        return;
    }
    let must_answer =
        matches!((agent, event), ("codex", "stop") | ("antigravity", _) | ("cursor", "prompt"));
    if text.is_empty() {
        assert!(!must_answer, "{agent} {event} wants an answer");
        return;
    }
    assert_eq!(text.lines().count(), 1, "{agent} {event}: {text}");
    let answer: Value = serde_json::from_str(text).expect("one JSON object");
    let keys = |value: &Value| -> Vec<String> {
        value.as_object().expect("an object").keys().cloned().collect()
    };
    let context = match (agent, event) {
        ("cursor", "prompt") => return assert_eq!(text, "{\"continue\":true}"),
        ("antigravity", "prompt") if text != "{}" => {
            assert_eq!(keys(&answer), ["injectSteps"]);
            assert_eq!(keys(&answer["injectSteps"][0]), ["ephemeralMessage"]);
            &answer["injectSteps"][0]["ephemeralMessage"]
        }
        ("antigravity", _) | ("codex", "stop") => return assert_eq!(text, "{}"),
        ("cursor", "session-start") => {
            assert_eq!(keys(&answer), ["additional_context"]);
            &answer["additional_context"]
        }
        ("copilot", "session-start" | "prompt" | "post-tool") => {
            assert_eq!(keys(&answer), ["additionalContext"]);
            &answer["additionalContext"]
        }
        (
            "opencode" | "pi",
            "session-start" | "subagent-start" | "prompt" | "post-tool" | "pre-compact",
        ) => {
            assert_eq!(keys(&answer), ["context"]);
            &answer["context"]
        }
        (
            "claude" | "codex" | "gemini" | "qwen",
            "session-start" | "subagent-start" | "prompt" | "post-tool",
        ) => {
            let mut given = keys(&answer);
            // Shown to the person, by those that document it.
            if agent != "codex" && given.iter().any(|key| key == "systemMessage") {
                assert!(answer["systemMessage"].as_str().unwrap().starts_with("learned: "));
                given.retain(|key| key != "systemMessage");
                if given.is_empty() {
                    return;
                }
            }
            assert_eq!(given, ["hookSpecificOutput"]);
            let output = &answer["hookSpecificOutput"];
            assert_eq!(keys(output), ["hookEventName", "additionalContext"]);
            let name = match (agent, event) {
                (_, "session-start") => "SessionStart",
                (_, "subagent-start") => "SubagentStart",
                ("gemini", "prompt") => "BeforeAgent",
                ("gemini", _) => "AfterTool",
                (_, "prompt") => "UserPromptSubmit",
                _ => "PostToolUse",
            };
            assert_eq!(output["hookEventName"], name);
            &output["additionalContext"]
        }
        _ => panic!("{agent} {event} takes no answer: {text}"),
    };
    let context = context.as_str().expect("a text");
    assert!(!context.trim().is_empty() && context.encode_utf16().count() <= 10_000);
}

#[test]
fn every_agent_gets_its_answers() {
    let mut wrong = Vec::new();
    for agent in AGENTS {
        let sandbox = Sandbox::new("working");
        for step in SESSION {
            let path = fixtures(agent).join(format!("{step}.in.json"));
            if !path.is_file() {
                continue;
            }
            let done = call(&sandbox, agent, event(step), message(&sandbox, &path));
            assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{agent} {step}");
            assert_valid(agent, event(step), &done.stdout);
            let want = path.with_file_name(format!("{step}.out.json"));
            let got = sandbox.normal(&done.stdout);
            if bless() {
                fs::write(&want, &got).unwrap();
            } else if fs::read_to_string(&want).unwrap_or_default() != got {
                wrong.push(format!("{agent} {step}:\n{got}"));
            }
        }
        assert_eq!(sandbox.litter(), Vec::<String>::new());
    }
    assert!(wrong.is_empty(), "PIMEM_BLESS=1 accepts\n{}", wrong.join("\n"));
}

#[test]
fn whatever_is_said() {
    let mut messages: Vec<(String, Vec<u8>)> = Vec::new();
    let sandbox = Sandbox::new("working");
    let mut files: Vec<PathBuf> =
        fs::read_dir(fixtures("any")).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 7);
    for file in &files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        messages.push((name, message(&sandbox, file).into_bytes()));
    }
    messages.push(("not text".to_owned(), b"{\"prompt\":\"\xff\xfe\"}".to_vec()));
    messages.push(("nul".to_owned(), b"\0\0\0{}".to_vec()));
    let deep = format!("{{\"a\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    messages.push(("deep".to_owned(), deep.into_bytes()));
    for agent in AGENTS {
        for event in EVENTS {
            for (name, message) in &messages {
                let done = call(&sandbox, agent, event, message);
                let said = (done.code, done.stderr.as_str());
                assert_eq!(said, (0, ""), "{agent} {event} {name}");
                assert_valid(agent, event, &done.stdout);
            }
        }
    }
    // Unusual formats that can be read are answered.
    for name in ["bom-crlf.in", "future.in", "traversal.in"] {
        let sandbox = Sandbox::new("working");
        let text = message(&sandbox, &fixtures("any").join(name));
        let done = call(&sandbox, "claude", "prompt", text);
        assert!(done.stdout.contains("needs 4 s to reach speed"), "{name}: {}", done.stdout);
    }
}

/// A session id never becomes a path.
#[test]
fn nothing_is_written_elsewhere() {
    let sandbox = Sandbox::new("working");
    let text = message(&sandbox, &fixtures("any").join("traversal.in"));
    for event in EVENTS {
        let done = call(&sandbox, "claude", event, &text);
        assert_eq!(done.code, 0);
    }
    let ledgers: Vec<String> =
        sandbox.tree().into_keys().filter(|name| name.contains("/sessions/")).collect();
    assert_eq!(ledgers.len(), 1, "{ledgers:?}");
    let name = Path::new(&ledgers[0]).file_stem().unwrap().to_string_lossy().into_owned();
    assert!(name.len() == 16 && name.bytes().all(|b| b.is_ascii_hexdigit()), "{name}");
}

#[test]
fn wrong_calls_do_not_fail_either() {
    let sandbox = Sandbox::new("working");
    for args in [
        &["hook"][..],
        &["hook", "claude"],
        &["hook", "claude", "no-such-event"],
        &["hook", "nobody", "prompt"],
        &["hook", "claude", "prompt", "more"],
        &["--dir", "/no/such/store", "hook", "claude", "prompt"],
        &["-v", "hook", "claude", "--no-such-flag"],
    ] {
        let done = sandbox.pipe(args, "{\"prompt\":\"When does the spindle reach speed?\"}");
        assert_eq!((done.code, done.stdout.as_str()), (0, ""), "{args:?}");
    }
    // An invalid time and unusable settings are ignored.
    let mut command = hook(&sandbox, "claude", "prompt");
    command.args(["--now", "never"]);
    let done = piped(command, "{\"prompt\":\"When does the spindle reach speed?\"}").ok();
    assert!(done.contains("4 s to reach speed"), "{done}");
    sandbox.configure("{\"report\": {\"budgte\": 1}}");
    let done = call(&sandbox, "codex", "stop", "{}");
    assert_eq!((done.code, done.stdout.as_str()), (0, "{}\n"));
}

#[test]
fn switched_off() {
    let sandbox = Sandbox::new("working");
    let before = sandbox.tree();
    for agent in AGENTS {
        for event in EVENTS {
            let mut command = hook(&sandbox, agent, event);
            command.env("PIMEM_OFF", "1");
            let done = piped(command, "{\"session_id\":\"s\",\"prompt\":\"spindle speed\"}");
            assert_eq!((done.code, done.stderr.as_str()), (0, ""));
            assert!(!done.stdout.contains("spindle"));
            assert_valid(agent, event, &done.stdout);
        }
    }
    assert_eq!(sandbox.tree(), before);
}

#[test]
fn without_input_or_output() {
    let sandbox = Sandbox::new("working");
    let mut command = hook(&sandbox, "claude", "session-start");
    command.stdin(Stdio::null());
    assert_valid("claude", "session-start", &outcome(command).ok());
    // Closed standard streams, and output that nobody reads.
    for redirection in ["<&- >&- 2>&-", "< /dev/null > /dev/full", "< /dev/null | true"] {
        let line = format!("pimem hook claude session-start {redirection}; echo $? >&2");
        let done = sandbox.shell(&line);
        assert!(done.stderr.ends_with("0\n"), "{redirection}: {}", done.stderr);
    }
    // The message is complete, so the hook does not wait for the end of the open pipe.
    let mut command = hook(&sandbox, "claude", "prompt");
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let said = b"{\"session_id\":\"open\",\"prompt\":\"When does the spindle reach speed?\"}";
    std::io::Write::write_all(&mut pipe, said).unwrap();
    let done = child.wait_with_output().unwrap();
    assert!(String::from_utf8_lossy(&done.stdout).contains("4 s to reach speed"));
    drop(pipe);
}

/// Without input on an open pipe, the deadline ends the hook.
#[test]
fn the_deadline_ends_what_would_not() {
    let sandbox = Sandbox::new("working");
    for (agent, want) in [("claude", ""), ("codex", "{}\n"), ("cursor", "")] {
        let mut command = hook(&sandbox, agent, "stop");
        command.env("PIMEM_HOOK_DEADLINE_MS", "50").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let pipe = child.stdin.take().unwrap();
        let done = child.wait_with_output().unwrap();
        assert_eq!((done.status.code(), done.stdout.as_slice()), (Some(0), want.as_bytes()));
        drop(pipe);
    }
}

#[test]
fn a_message_of_a_hundred_megabytes() {
    let sandbox = Sandbox::new("working");
    let megabytes = 10 * crate::common::scale().min(10);
    let mut message = b"{\"session_id\":\"big\",\"prompt\":\"spindle\",\"x\":\"".to_vec();
    message.resize(megabytes << 20, b'x');
    message.extend(b"\"}");
    let done = call(&sandbox, "codex", "stop", &message);
    assert_eq!((done.code, done.stdout.as_str()), (0, "{}\n"));
    // A tool result with a whole file is read.
    let large = format!(
        "{{\"tool_response\":\"{}\",\"session_id\":\"l\",\"tool_name\":\"Write\",\"tool_input\":{{\"file_path\":\"src/probe.rs\"}}}}",
        "x".repeat(5 << 20)
    );
    let done = call(&sandbox, "claude", "post-tool", large);
    assert!(done.stdout.contains("src/probe.rs"), "{}", done.stdout);
}

#[test]
fn locked_read_only_and_misplaced_stores() {
    let said = "{\"session_id\":\"s\",\"prompt\":\"When does the spindle reach speed?\"}";
    // Another process holds the lock until after the deadline.
    let sandbox = Sandbox::new("working");
    let lock = fs::OpenOptions::new().append(true).create(true).open(sandbox.path("lock")).unwrap();
    lock.lock().unwrap();
    for agent in AGENTS {
        for event in EVENTS {
            let mut command = hook(&sandbox, agent, event);
            command.env("PIMEM_HOOK_DEADLINE_MS", "300");
            let done = piped(command, said);
            assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{agent} {event}");
            assert_valid(agent, event, &done.stdout);
        }
    }
    drop(lock);
    // The store is a file or a dangling link.
    let sandbox = Sandbox::new("empty");
    fs::create_dir(sandbox.project().join(".pi")).unwrap();
    fs::write(sandbox.store(), "no store").unwrap();
    for event in EVENTS {
        assert_eq!(call(&sandbox, "claude", event, said).ok(), "", "{event}");
    }
    // Memories are recalled even if `data/` is a file or leads elsewhere.
    let sandbox = Sandbox::new("working");
    fs::remove_dir_all(sandbox.project().join(".pi/data")).unwrap();
    fs::write(sandbox.project().join(".pi/data"), "").unwrap();
    assert!(call(&sandbox, "claude", "prompt", said).ok().contains("4 s to reach speed"));
    fs::remove_file(sandbox.project().join(".pi/data")).unwrap();
    fs::create_dir(sandbox.root().join("elsewhere")).unwrap();
    std::os::unix::fs::symlink(
        sandbox.root().join("elsewhere"),
        sandbox.project().join(".pi/data"),
    )
    .unwrap();
    assert!(call(&sandbox, "claude", "prompt", said).ok().contains("4 s to reach speed"));
    assert_eq!(fs::read_dir(sandbox.root().join("elsewhere")).unwrap().count(), 0);
}

/// A hook does not create a store.
#[test]
fn a_project_without_memories_stays_as_it_is() {
    let sandbox = Sandbox::new("empty");
    let said =
        "{\"session_id\":\"s\",\"prompt\":\"From now on, always use tabs for indentation.\"}";
    for agent in AGENTS {
        for event in EVENTS {
            let done = call(&sandbox, agent, event, said);
            assert_eq!((done.code, done.stderr.as_str()), (0, ""));
            let is_told = done.stdout.contains("pimem init --user");
            assert_eq!(done.stdout.contains("tabs"), is_told, "only where it waits");
        }
    }
    assert_eq!(sandbox.tree().len(), 0);
    assert_eq!(fs::read_dir(sandbox.home()).unwrap().count(), 0);
}
