//! Only words that a person typed teach: whatever else an agent puts into a prompt's place does not
//! become a rule of the user, and waits for a review where the agent does not tell who wrote it.
//!
//! The inputs are those of `fixtures/hooks/AGENT/prompt-*.in.json` that state the rule.

use std::fs;

use serde_json::Value;

use crate::{
    common::sandbox::Sandbox,
    hooks::{AGENTS, call, fixtures, message},
};

const RULE: &str = "From now on, always use yarn instead of npm";

/// What became of the rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// The next session gets it.
    Learned,
    /// It is kept for a review, and no agent gets it.
    Waits,
    /// There is no trace of it.
    Nothing,
}

use Fate::{Learned, Nothing, Waits};

const TABLE: &[(&str, &str, Fate)] = &[
    ("claude", "typed", Learned),
    ("claude", "typed-old", Learned),
    ("claude", "print", Learned),
    ("claude", "sub-agent", Nothing),
    ("claude", "scheduled", Nothing),
    ("claude", "loop", Nothing),
    ("claude", "injected", Nothing),
    ("claude", "polled", Nothing),
    ("claude", "notification", Nothing),
    ("claude", "teammate", Nothing),
    ("claude", "cross-session", Nothing),
    ("claude", "channel", Nothing),
    ("claude", "unknown", Waits),
    ("codex", "typed", Learned),
    ("codex", "sub-agent", Nothing),
    ("gemini", "typed", Learned),
    ("gemini", "steering", Waits),
    ("gemini", "notification", Nothing),
    ("copilot", "typed", Learned),
    ("qwen", "typed", Learned),
    ("antigravity", "unknown", Waits),
    ("cursor", "typed", Learned),
    ("cursor", "sub-agent", Nothing),
    ("cursor", "background", Nothing),
    ("opencode", "typed", Learned),
    ("opencode", "sub-agent", Nothing),
    ("opencode", "unknown", Waits),
    ("opencode", "typed-old", Waits),
    ("pi", "typed", Learned),
    ("pi", "injected", Nothing),
    ("pi", "unknown", Waits),
    ("pi", "typed-old", Waits),
    ("generic", "typed", Learned),
    ("generic", "typed-old", Learned),
    ("generic", "sub-agent", Nothing),
    ("generic", "injected", Nothing),
    ("generic", "unknown", Waits),
];

/// Returns true if the rule is in a file of the project other than the telemetry, which has queries.
fn is_kept(sandbox: &Sandbox) -> bool {
    let has_it = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains("always use yarn");
    sandbox.tree().iter().any(|(name, bytes)| !name.contains("telemetry") && has_it(bytes))
}

#[test]
fn only_what_a_person_typed_teaches() {
    for (agent, case, want) in TABLE {
        let sandbox = Sandbox::new("empty");
        sandbox.run(&["init"]).ok();
        let path = fixtures(agent).join(format!("prompt-{case}.in.json"));
        let input = message(&sandbox, &path);
        assert!(input.contains(RULE), "{agent} {case}");
        drop(call(&sandbox, agent, "prompt", &input).ok());
        let entry = sandbox.entries().get(RULE).cloned();
        let got = match &entry {
            None => Nothing,
            Some(entry) if entry["reviewed"] == false => Waits,
            Some(_) => Learned,
        };
        assert_eq!(got, *want, "{agent} {case}");
        // The end of the session keeps nothing of it either.
        let mut ended: Value = serde_json::from_str(&input).unwrap();
        ended.as_object_mut().unwrap().remove("prompt");
        ended["reason"] = "other".into();
        for event in ["stop", "session-end"] {
            drop(call(&sandbox, agent, event, ended.to_string()).ok());
        }
        assert_eq!(is_kept(&sandbox), *want != Nothing, "{agent} {case}");
        let next = r#"{"session_id": "next", "source": "startup"}"#;
        let start = call(&sandbox, "generic", "session-start", next).ok();
        assert_eq!(start.contains(RULE), *want == Learned, "{agent} {case}: {start}");
        let waits = start.contains("1 preference waits: pimem trust --review");
        assert_eq!(waits, *want == Waits, "{agent} {case}: {start}");
    }
}

/// Every recorded prompt that states the rule has its row.
#[test]
fn every_recorded_origin_is_judged() {
    let mut recorded = Vec::new();
    for agent in AGENTS {
        for file in fs::read_dir(fixtures(agent)).unwrap() {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let case = name.strip_prefix("prompt-").and_then(|name| name.strip_suffix(".in.json"));
            if let Some(case) = case
                && fs::read_to_string(&path).unwrap().contains(RULE)
            {
                recorded.push((agent.to_owned(), case.to_owned()));
            }
        }
    }
    recorded.sort();
    let rows = TABLE.iter().map(|(agent, case, _)| ((*agent).to_owned(), (*case).to_owned()));
    let mut rows: Vec<_> = rows.collect();
    rows.sort();
    assert_eq!(rows, recorded);
}

/// Cursor tells when a session begins that nobody is at it, and not with each prompt.
#[test]
fn a_session_in_the_background_teaches_nothing() {
    for (is_background, count) in [(true, 0), (false, 1)] {
        let sandbox = Sandbox::new("empty");
        sandbox.run(&["init"]).ok();
        let start = message(&sandbox, &fixtures("cursor").join("session-start.in.json"));
        let mut start: Value = serde_json::from_str(&start).unwrap();
        start["is_background_agent"] = is_background.into();
        drop(call(&sandbox, "cursor", "session-start", start.to_string()).ok());
        let prompt = message(&sandbox, &fixtures("cursor").join("prompt-typed.in.json"));
        drop(call(&sandbox, "cursor", "prompt", prompt).ok());
        assert_eq!(sandbox.entries().len(), count, "background: {is_background}");
        assert_eq!(is_kept(&sandbox), !is_background, "background: {is_background}");
    }
}

/// Claude Code does not tell of each prompt that it was put on a schedule; its transcript does.
#[test]
fn what_the_agent_has_scheduled_is_not_typed() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).ok();
    let transcript = sandbox.root().join("session.jsonl");
    let wake = serde_json::json!({"type": "assistant", "sessionId": "s", "message": {"content": [
        {"type": "tool_use", "name": "ScheduleWakeup", "input": {"delaySeconds": 60, "prompt": RULE}},
    ]}});
    fs::write(&transcript, format!("{wake}\n")).unwrap();
    let say = |session: &str, prompt: &str| {
        let input = serde_json::json!({"session_id": session, "cwd": sandbox.project(),
            "transcript_path": transcript, "hook_event_name": "UserPromptSubmit", "prompt": prompt});
        drop(call(&sandbox, "claude", "prompt", input.to_string()).ok());
    };
    say("s", RULE);
    assert!(!is_kept(&sandbox), "it is nowhere");
    say("s", &format!("{RULE}, please"));
    assert_eq!(sandbox.entries().len(), 1, "other words are the user's");
}
