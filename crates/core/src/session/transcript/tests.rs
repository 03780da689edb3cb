//! Tests of transcripts of each agent against a table of their messages.

use proptest::prelude::*;

use super::*;

#[test]
fn a_prompt_that_the_agent_gave_to_a_tool() {
    let call = |kind: &str, input: Value| {
        let part = serde_json::json!({"type": kind, "name": "ScheduleWakeup", "input": input});
        serde_json::json!({"type": "assistant", "message": {"content": [part]}}).to_string()
    };
    let rule = "From now on,\n\"always\" use yarn – not npm.";
    let given = serde_json::json!({"delaySeconds": 60, "prompt": format!("{rule}\n")});
    let before = "{\"type\":\"user\",\"message\":{\"content\":\"torn";
    let said = serde_json::json!({"type": "user", "message": {"content": rule}}).to_string();
    for (line, want) in [
        (call("tool_use", given.clone()), true),
        (call("tool_use", serde_json::json!({"prompt": format!("{rule} And more.")})), false),
        (call("text", given), false),
        (said, false),
        (String::new(), false),
    ] {
        let tail = format!("{before}\n{line}\n");
        assert_eq!(is_scheduled(tail.as_bytes(), rule), want, "{line}");
        assert!(!is_scheduled(tail.as_bytes(), ""), "{line}");
    }
}

const FIXTURES: &[(&str, &[u8])] = &[
    ("claude.jsonl", include_bytes!("../../../../../fixtures/transcripts/claude.jsonl")),
    ("codex.jsonl", include_bytes!("../../../../../fixtures/transcripts/codex.jsonl")),
    ("codex-old.jsonl", include_bytes!("../../../../../fixtures/transcripts/codex-old.jsonl")),
    ("gemini.jsonl", include_bytes!("../../../../../fixtures/transcripts/gemini.jsonl")),
    ("gemini-old.json", include_bytes!("../../../../../fixtures/transcripts/gemini-old.json")),
    ("gemini-logs.json", include_bytes!("../../../../../fixtures/transcripts/gemini-logs.json")),
    ("pi.jsonl", include_bytes!("../../../../../fixtures/transcripts/pi.jsonl")),
    (
        "claude-compacted.jsonl",
        include_bytes!("../../../../../fixtures/transcripts/claude-compacted.jsonl"),
    ),
    (
        "codex-compacted.jsonl",
        include_bytes!("../../../../../fixtures/transcripts/codex-compacted.jsonl"),
    ),
    (
        "gemini-compacted.jsonl",
        include_bytes!("../../../../../fixtures/transcripts/gemini-compacted.jsonl"),
    ),
    (
        "pi-compacted.jsonl",
        include_bytes!("../../../../../fixtures/transcripts/pi-compacted.jsonl"),
    ),
];

/// One line for the session, one for each message.
fn table(name: &str, bytes: &[u8]) -> String {
    let Some((session, messages)) = read(bytes) else { return format!("{name}\t-\n") };
    let (id, cwd) = (session.id.unwrap_or_default(), session.cwd.unwrap_or_default());
    let mut out = format!("{name}\t{}\t{id}\t{cwd}\n", session.format.name());
    for Message { role, text, when } in messages {
        let who = if role == Role::User { "user" } else { "agent" };
        let when = when.map_or_else(|| "-".to_owned(), |when| when.to_string());
        out.push_str(&format!("\t{who}\t{when}\t{}\n", text.replace('\n', "⏎")));
    }
    out
}

#[test]
fn every_fixture_says_what_the_table_has() {
    let all: String = FIXTURES.iter().map(|(name, bytes)| table(name, bytes)).collect();
    assert_eq!(all, include_str!("../../../../../fixtures/transcripts/messages.tsv"), "\n{all}");
}

/// Byte order marks, Windows line ends, and no line end after the last line.
#[test]
fn the_same_in_other_clothes() {
    for (name, bytes) in FIXTURES {
        let text = String::from_utf8_lossy(bytes);
        let marked = format!("\u{feff}{text}");
        let crlf = text.replace('\n', "\r\n");
        let spaced = format!("\n\n{}", text.replace('\n', "\n\n"));
        for other in [marked, crlf, spaced, text.trim_end().to_owned()] {
            assert_eq!(table(name, other.as_bytes()), table(name, bytes));
        }
    }
}

#[test]
fn a_damaged_first_line() {
    for (name, bytes) in FIXTURES.iter().filter(|(name, _)| name.contains(".jsonl")) {
        let (_, all) = read(bytes).unwrap();
        for first in ["[", "{", "{\"sessionId\": ", "\0\0", "[1]"] {
            let damaged = [first.as_bytes(), b"\n", bytes].concat();
            assert_eq!(read(&damaged).map(|(_, said)| said), Some(all.clone()), "{name}: {first}");
        }
    }
}

/// A truncated file loses messages at its end, but never invents any.
#[test]
fn torn_anywhere() {
    for (name, bytes) in FIXTURES.iter().filter(|(name, _)| name.contains(".jsonl")) {
        let said = |bytes| read(bytes).map(|(_, said)| said).unwrap_or_default();
        let all = said(bytes);
        for cut in (0..bytes.len()).step_by(37) {
            let part = said(&bytes[..cut]);
            let known = |one: &&Message| !all.iter().any(|other| other.text == one.text);
            let strange = part.iter().find(known).map(|one| one.text.as_str());
            // Messages that are taken back later appear until then.
            let taken_back = ["Read all four and keep", "I rewrote", "Try a greedy", "Greedy is"];
            assert!(
                strange.is_none_or(|text| taken_back.iter().any(|start| text.starts_with(start))),
                "{name} up to {cut}: {strange:?}"
            );
        }
    }
}

#[test]
fn nothing_but_transcripts() {
    for bytes in [
        &b""[..],
        b"root:x:0:0:root:/root:/bin/sh\ndaemon:x:1:1::/:/usr/sbin/nologin\n",
        b"{\"key\": \"value\"}\n{\"type\": \"user\"}\n",
        b"[1, 2, {\"a\": []}]",
        b"{\n \"name\": \"harbor\",\n \"type\": \"module\"\n}",
        b"[",
        b"{",
        b"\x7fELF\x02\x01\x01\0\0\0\0\n\0\xff\xfe",
        b"{\"type\":\"user\",\"message\":\"no object\"}",
    ] {
        assert_eq!(read(bytes), None, "{}", String::from_utf8_lossy(bytes));
        assert_eq!(last_assistant(bytes), None);
    }
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    assert_eq!(read(deep.as_bytes()), None);
    let deep = format!("{{\"type\":\"user\",\"message\":{}", "{\"a\":".repeat(200_000));
    assert_eq!(read(deep.as_bytes()), None);
}

#[test]
fn the_last_answer() {
    for (name, want) in [
        ("claude.jsonl", Some("Two calls can no longer be given")),
        ("codex.jsonl", Some("Added `draws_two_hours_at_the_change`")),
        ("codex-old.jsonl", Some("Done.")),
        ("gemini.jsonl", Some("Understood; the tests read")),
        ("gemini-old.json", None),
        ("pi.jsonl", Some("Added `plan/60`")),
    ] {
        let (_, bytes) = FIXTURES.iter().find(|(known, _)| *known == name).unwrap();
        for tail in [bytes, &bytes[1..], &bytes[bytes.len() / 2..]] {
            let got = last_assistant(tail);
            let matches = match want {
                Some(want) => got.as_deref().is_some_and(|text| text.starts_with(want)),
                None => got.is_none(),
            };
            assert!(matches, "{name}: {got:?}");
        }
    }
}

#[test]
fn what_trees_do() {
    let entry = |id: &str, parent: &str, text: &str| {
        format!(
            r#"{{"type":"message","id":"{id}","parentId":{parent},"message":{{"role":"user","content":"{text}"}}}}"#
        )
    };
    let head = r#"{"type":"session","id":"s","cwd":"/w"}"#;
    let said = |lines: &[String]| {
        let (_, said) = read([&[head.to_owned()], lines].concat().join("\n").as_bytes()).unwrap();
        said.into_iter().map(|one| one.text).collect::<Vec<_>>()
    };
    let a = entry("a", "null", "one");
    let lost = entry("c", "\"b\"", "three");
    assert_eq!(said(&[a.clone(), lost]), ["one", "three"], "a damaged parent");
    let own = entry("b", "\"b\"", "two");
    assert_eq!(said(&[a.clone(), own]), ["one", "two"], "its own parent");
    let later = [entry("b", "\"c\"", "two"), entry("c", "\"b\"", "three")];
    assert_eq!(said(&later), ["two", "three"], "a circle");
    let root = entry("b", "null", "again");
    assert_eq!(said(&[a, root]), ["again"], "another root");
    let old = |text: &str| {
        format!(r#"{{"type":"message","message":{{"role":"user","content":"{text}"}}}}"#)
    };
    assert_eq!(said(&[old("x"), old("y")]), ["x", "y"], "the first version");
}

#[test]
fn rewinding() {
    let said = |lines: &[&str]| {
        let head = r#"{"sessionId":"s","projectHash":"h"}"#;
        let text = [&[head], lines].concat().join("\n");
        let (_, said) = read(text.as_bytes()).unwrap();
        said.into_iter().map(|one| one.text).collect::<Vec<_>>()
    };
    let (a, b) = (
        r#"{"id":"a","type":"user","content":"one"}"#,
        r#"{"id":"b","type":"user","content":{"text":"two"}}"#,
    );
    assert_eq!(said(&[a, b, r#"{"$rewindTo":"b"}"#]), ["one"]);
    assert_eq!(said(&[a, b, r#"{"$rewindTo":"b"}"#, b]), ["one", "two"]);
    assert_eq!(said(&[a, b, r#"{"$rewindTo":"unknown"}"#]), [""; 0]);
    let many: Vec<&str> = [a, r#"{"$rewindTo":"a"}"#].repeat(20_000);
    assert_eq!(said(&many), [""; 0]);
}

proptest! {
    /// For any bytes, and for transcripts with flipped bytes, no message is empty and nothing
    /// panics.
    #[test]
    fn damaged_in_any_way(
        which in 0..FIXTURES.len(),
        holes in prop::collection::vec((0..20_000_usize, any::<u8>()), 0..40),
        noise in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let mut bytes = FIXTURES[which].1.to_vec();
        for (at, byte) in holes {
            let at = at % bytes.len();
            bytes[at] = byte;
        }
        for bytes in [bytes, noise] {
            for message in read(&bytes).map(|(_, said)| said).unwrap_or_default() {
                prop_assert!(!message.text.trim().is_empty());
            }
            prop_assert!(last_assistant(&bytes).is_none_or(|text| !text.trim().is_empty()));
        }
    }
}

#[test]
fn compactions_of_gemini() {
    let start = r#"{"sessionId":"s","projectHash":"9f","startTime":"2026-11-22T10:56:34.890Z"}"#;
    let all = r#"{"$set":{"messages":[{"id":"c","type":"user","content":"<session_context>"}]}}"#;
    let same = r#"{"$set":{"sessionId":"s"}}"#;
    let asked = r#"{"id":"u1","type":"user","content":[{"text":"which \"gemini\"?"}]}"#;
    let answered = r#"{"id":"g1","type":"gemini","content":"As noted."}"#;
    for (lines, before, want) in [
        (vec![start, all, asked], false, (false, false)),
        (vec![start, all, asked, answered], false, (false, true)),
        (vec![start, all, asked, answered, same, all, asked], false, (true, true)),
        // A compaction of which the first lines were seen before, and one that is torn.
        (vec![same, all], true, (true, true)),
        (vec![same, &all[..40]], true, (false, true)),
        // A session that is resumed repeats its history.
        (vec![start, all, same, all, asked], true, (false, false)),
        (vec![], true, (false, true)),
    ] {
        let found = compactions(lines.join("\n").as_bytes(), before);
        assert_eq!((!found.replaced.is_empty(), found.answered), want, "{lines:?}");
        for replaced in found.replaced {
            assert_eq!(replaced.last, "c");
            assert!(lines.join("\n")[replaced.at..].starts_with("{\"$set\":{\"messages\""));
        }
    }
}

#[test]
fn messages_that_a_compaction_repeats_are_said_once() {
    let log = br#"{"sessionId":"s","projectHash":"9f"}
{"id":"u1","type":"user","content":[{"text":"Where are berths locked?"}]}
{"id":"g1","type":"gemini","content":"In the journal."}
{"id":"u2","type":"user","content":[{"text":"Add a test for it"}]}
{"$set":{"messages":[{"id":"x1","type":"user","content":"<scratchpad>Berths.</scratchpad>\n<state_snapshot>Always lock berths.</state_snapshot>"},{"id":"x0","type":"gemini","content":[{"text":"Got it. Thanks for the additional context!"}]},{"id":"x2","type":"user","content":[{"text":"Add a test for it"}]}]}}
{"id":"x2","type":"user","content":[{"text":"Add two tests for it"}]}
{"id":"u3","type":"user","content":[{"text":"Where are berths locked?"}]}
"#;
    let (_, messages) = read(log).unwrap();
    let said: Vec<&str> = messages.iter().map(|message| message.text.as_str()).collect();
    assert_eq!(
        said,
        [
            "Where are berths locked?",
            "In the journal.",
            "Add two tests for it",
            "Where are berths locked?",
        ]
    );
}

#[test]
fn the_last_task_of_a_kind() {
    use serde_json::json;
    let call = |name: &str, kind: &str, prompt: &str| {
        let input = json!({"subagent_type": kind, "prompt": prompt, "description": "d"});
        let part = json!({"type": "tool_use", "name": name, "input": input});
        json!({"type": "assistant", "message": {"role": "assistant", "content": [part]}})
            .to_string()
    };
    let lines = [
        call("Task", "Explore", "Find the berths"),
        call("Bash", "Explore", "no task"),
        call("Agent", "reviewer", "Review the planner"),
        json!({"type": "user", "message": {"role": "user", "content": "\"tool_use\""}}).to_string(),
        "{\"type\":\"assistant\",\"tool_use\"".to_owned(),
    ];
    let tail = lines.join("\n");
    for (kind, want) in [
        (None, Some("Review the planner")),
        (Some("Explore"), Some("Find the berths")),
        (Some("reviewer"), Some("Review the planner")),
        (Some("Plan"), None),
    ] {
        assert_eq!(last_task(tail.as_bytes(), kind).as_deref(), want, "{kind:?}");
    }
    assert_eq!(last_task(b"", None), None);
    for (given, want) in [
        (json!({"message": "Find the tables", "task_name": "a_b"}), "Find the tables"),
        (json!({"message": "gAAAAABn", "task_name": "tide_tables"}), "tide tables"),
    ] {
        let call =
            json!({"type": "function_call", "name": "spawn_agent", "arguments": given.to_string()});
        let line = json!({"type": "response_item", "payload": call}).to_string();
        assert_eq!(last_task(line.as_bytes(), Some("default")).as_deref(), Some(want));
    }
}
