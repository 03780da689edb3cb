//! Session files of today's agents in the states that hooks meet them in: half written, or replaced
//! by a shorter one.

use std::{fs, path::PathBuf};

use serde_json::{Value, json};

use crate::{
    common::{repository, sandbox::Sandbox},
    hooks::call,
};

const AGENTS: [&str; 4] = ["claude", "codex", "gemini", "pi"];
const EVENTS: [&str; 5] = ["session-start", "prompt", "pre-compact", "stop", "session-end"];
/// Stands in the last message of the user, and in no other.
const LAST: &str = "And now,";

struct Case {
    sandbox: Sandbox,
    agent: &'static str,
    path: PathBuf,
}

impl Case {
    fn new(agent: &'static str) -> Self {
        let sandbox = Sandbox::new("empty");
        sandbox.run(&["init"]).done();
        let path = sandbox.home().join("transcript.jsonl");
        Self { sandbox, agent, path }
    }

    /// Writes the transcript, and calls the hooks of a session that is resumed.
    fn play(&self, session: &str, transcript: &[u8]) {
        fs::write(&self.path, transcript).unwrap();
        for event in EVENTS {
            let input = json!({"session_id": session, "cwd": self.sandbox.project(),
                "transcript_path": self.path, "source": "resume", "reason": "other",
                "trigger": "auto", "prompt": "which gate is next?"});
            let done = call(&self.sandbox, self.agent, event, input.to_string());
            assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{} {event}", self.agent);
        }
    }

    fn summaries(&self) -> Vec<String> {
        let list = self.sandbox.run(&["list", "--sessions", "--json"]).stdout;
        let list: Value = serde_json::from_str(&list).unwrap();
        let all = list["sessions"].as_array().unwrap().iter();
        all.map(|one| one["summary"].as_str().unwrap().to_owned()).collect()
    }
}

fn transcript(agent: &str) -> Vec<u8> {
    let path = repository().join(format!("fixtures/transcripts/{agent}-compacted.jsonl"));
    fs::read(path).unwrap()
}

/// Where the lines end.
fn ends(bytes: &[u8]) -> Vec<usize> {
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    ends.map(|(at, _)| at + 1).collect()
}

#[test]
fn a_transcript_that_is_being_written() {
    for agent in AGENTS {
        let whole = transcript(agent);
        let case = Case::new(agent);
        let ends = ends(&whole);
        // In the middle of a line in the first half, before and in the last line.
        let half = ends[ends.len() / 2];
        for cut in [1, half - 9, whole.len() - 2] {
            case.play("s", &whole[..cut]);
        }
        let found = case.summaries();
        assert_eq!(found.len(), 1, "{agent}: {found:?}");
        let text = &found[0];
        assert!(text.contains("tide tables"), "{agent}: {text}");
        for strange in ["\"type\"", "<hook_context>", "Project Memory", "\\u", "{\""] {
            assert!(!text.contains(strange), "{agent}: {strange} in {text}");
        }
    }
}

#[test]
fn a_transcript_that_is_replaced_by_a_shorter_one() {
    for agent in AGENTS {
        let whole = transcript(agent);
        let case = Case::new(agent);
        case.play("s", &whole);
        let before = case.summaries();
        let last = if agent == "pi" { "Now write the second gate" } else { LAST };
        assert!(before.len() == 1 && before[0].contains(last), "{agent}: {before:?}");
        // What was found in the longer one stays, whatever is left of it.
        let ends = ends(&whole);
        for left in [ends[ends.len() / 2], ends[1], 0] {
            case.play("s", &whole[..left]);
            assert_eq!(case.summaries(), before, "{agent}: {left} bytes");
        }
        // Another session in the same place has a summary of its own.
        let other = ends[ends.len() * 3 / 4];
        case.play("t", &whole[..other]);
        assert_eq!(case.summaries().len(), 2, "{agent}");
        fs::remove_file(&case.path).unwrap();
        fs::create_dir(&case.path).unwrap();
        let input = json!({"session_id": "s", "cwd": case.sandbox.project(),
            "transcript_path": case.path});
        for event in EVENTS {
            let done = call(&case.sandbox, agent, event, input.to_string());
            assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{agent} {event}");
        }
        assert_eq!(case.summaries().len(), 2, "{agent}");
    }
}
