//! The run of a dream: which sessions wait for it.

use std::{fs, process::Command};

use serde_json::{Value, json};

use crate::{
    common::{repository, sandbox::Sandbox},
    hooks::{hook, piped},
};

/// A file below `data/dream`.
fn kept(sandbox: &Sandbox, name: &str) -> Option<String> {
    fs::read_to_string(sandbox.project().join(".pi/data/dream").join(name)).ok()
}

fn end(sandbox: &Sandbox, session: &str, more: &Value, with: impl FnOnce(&mut Command)) {
    let mut input = json!({"session_id": session, "cwd": sandbox.project(), "reason": "other"});
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let mut command = hook(sandbox, "claude", "session-end");
    with(&mut command);
    assert_eq!(piped(command, input.to_string()).ok(), "");
}

#[test]
fn a_session_that_ends_is_put_into_the_queue() {
    let sandbox = Sandbox::new("working");
    let transcript = repository().join("fixtures/session/transcript.jsonl");
    end(&sandbox, "none", &json!({}), |_| {});
    end(&sandbox, "gone", &json!({"transcript_path": "/no/such/file"}), |_| {});
    end(&sandbox, "odd", &json!({"transcript_path": sandbox.project()}), |_| {});
    assert_eq!(kept(&sandbox, "sessions.jsonl"), None, "nothing that could be read");
    end(&sandbox, "s1", &json!({"transcript_path": transcript}), |_| {});
    let queue = kept(&sandbox, "sessions.jsonl").unwrap();
    let line: Value = serde_json::from_str(queue.lines().next().unwrap()).unwrap();
    let want = json!({
        "session": "s1", "agent": "claude", "transcript": transcript,
        "ended": "2026-06-30T18:00:00.000Z",
    });
    assert_eq!((queue.lines().count(), line), (1, want));
    let said = fs::read_to_string(&transcript).unwrap();
    assert!(said.lines().all(|line| !queue.contains(line)), "nothing of what was said");
    assert_eq!(kept(&sandbox, "dream.log"), None, "nobody asked for dreams");
}
