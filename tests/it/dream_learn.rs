//! Learning from sessions and logs in dreams: once, while it is recent, and as far as there is
//! room.

use std::{fs, path::PathBuf};

use serde_json::json;

use crate::{
    common::sandbox::Sandbox,
    dream::transcript,
    hooks::{hook, piped},
};

/// A session in which the user states one rule.
pub(crate) const ONE_RULE: [&str; 6] = [
    "From now on, always run just check before you commit",
    "Will do.",
    "Look at the planner",
    "I did.",
    "And now at the tide table",
    "I did.",
];

#[test]
fn what_is_said_is_learned_once() {
    let sandbox = Sandbox::new("harbor");
    let path = transcript(
        &sandbox,
        "s1",
        &[
            "Please add a test for the tide table",
            "Added a test for the tide table.",
            "No, that's wrong: the tide table is in local time, not in UTC",
            "Right, I have fixed it.",
            "From now on, always run just check before you commit",
            "Will do.",
        ],
    );
    let args = ["dream", "--from", path.to_str().unwrap()];
    let told = sandbox.run(&args).ok();
    assert!(told.contains("1 session and "), "{told}");
    let preference = "Added: [preference] From now on, always run just check before you commit";
    assert!(told.contains(preference), "{told}");
    assert!(told.contains("Added: [lesson] "), "{told}");
    let again = sandbox.run(&args).ok();
    assert!(!again.contains("Added") && !again.contains("Reinforced"), "{again}");
}

#[test]
fn what_a_plan_learned_is_known_once_it_is_applied() {
    let sandbox = Sandbox::new("empty");
    drop(sandbox.run(&["init"]).done());
    let path = transcript(&sandbox, "s1", &ONE_RULE);
    let args = ["dream", "--from", path.to_str().unwrap()];
    let plan = sandbox.run(&[&args[..], &["--plan"]].concat()).ok();
    let told = sandbox.pipe(&["dream", "--apply", "-"], plan).ok();
    assert!(told.ends_with("Applied: 1 added\n"), "{told}");
    let later = ["--now", "2026-06-30T22:00:00Z"];
    let again = sandbox.run(&[&later[..], &args[..]].concat()).ok();
    assert_eq!(again, "Dreamed: nothing to do; 1 session and 0 daily logs read\n");
    // Purged text is not kept for a later dream either.
    drop(sandbox.run(&["forget", "--destroy", "--yes", "just check"]).done());
    let heard = |dir: PathBuf| fs::read_to_string(dir.join("heard.json")).unwrap();
    let dreams = fs::read_dir(sandbox.root().join("state/pimem/dream")).unwrap();
    for dir in dreams.map(|dir| dir.unwrap().path()) {
        assert!(!heard(dir).contains("just check"));
    }
}

/// A hook already learned the preference during the session, so the dream of that session adds no
/// evidence.
#[test]
fn what_was_learned_while_it_was_said_is_no_evidence_twice() {
    let sandbox = Sandbox::new("empty");
    drop(sandbox.run(&["init"]).done());
    let text = "From now on, always run just check before you commit";
    let other = "Have a look at the planner";
    for (number, name) in ["s1", "s2"].into_iter().enumerate() {
        let path = transcript(&sandbox, name, &[text, "Yes.", other, "I did.", other, "I did."]);
        if name == "s1" {
            let input = json!({"session_id": name, "cwd": sandbox.project(), "prompt": text});
            let mut command = hook(&sandbox, "claude", "prompt");
            command.env("PIMEM_NOW", "2026-06-30T10:00:00Z");
            drop(piped(command, input.to_string()).ok());
        }
        let now = format!("2026-06-30T{}:00:00Z", 14 + 4 * number);
        let args = ["--now", &now, "dream", "--from", path.to_str().unwrap()];
        drop(sandbox.run(&args).ok());
        assert_eq!(sandbox.entries()[text]["evidence"], 1 + number, "{name}");
    }
}

#[test]
fn what_would_have_faded_since_is_not_learned() {
    let sandbox = Sandbox::new("empty");
    for (day, text) in [
        ("2026-06-01", "Released 0.1 of the planner"),
        ("2026-06-29", "Released 0.2 of the planner"),
    ] {
        let now = format!("{day}T12:00:00Z");
        drop(sandbox.run(&["--now", &now, "log", text]).done());
    }
    let told = sandbox.run(&["dream"]).ok();
    assert!(told.contains("Added: [done] Released 0.2 of the planner"), "{told}");
    assert!(!told.contains("0.1"), "{told}");
}

#[test]
fn sessions_that_are_too_short_teach_nothing() {
    let sandbox = Sandbox::new("harbor");
    let path = transcript(&sandbox, "s1", &["From now on, always run just check first", "Yes."]);
    let told = sandbox.run(&["dream", "--from", path.to_str().unwrap()]).ok();
    assert!(!told.contains("Added: [preference]"), "{told}");
}

#[test]
fn what_comes_up_in_three_sessions_is_promoted() {
    let sandbox = Sandbox::new("harbor");
    for number in 1..=3 {
        let name = format!("s{number}");
        let said = [
            "Have a look at the berth planner",
            "It plans berths.",
            "Run the tests with just check-fast",
            "They pass.",
            "Now release it to the staging cluster",
            "Released.",
        ];
        let path = transcript(&sandbox, &name, &said);
        let told = sandbox.run(&["dream", "--from", path.to_str().unwrap()]).ok();
        let promoted = told.contains("Added: [pattern] Run the tests with just check-fast");
        assert_eq!(promoted, number == 3, "{told}");
    }
    assert_eq!(sandbox.entries()["Run the tests with just check-fast"]["cue"], "recurrence");
}

#[test]
fn a_topic_without_room_goes_on_in_another() {
    let sandbox = Sandbox::new("empty");
    let line =
        |n: usize| format!("- [preference] Preference number {n} of many, {}\n", "x".repeat(415));
    sandbox.write("topics/preferences.md", (0..26).map(line).collect::<String>());
    let said = [
        "From now on, always run just check before you commit",
        "Will do.",
        "No, that's wrong: the tide table is in local time, not in UTC",
        "I see.",
        "And now look at the planner",
        "I did.",
    ];
    let path = transcript(&sandbox, "s1", &said);
    let before = sandbox.read("topics/preferences.md");
    let told = sandbox.run(&["-v", "dream", "--from", path.to_str().unwrap()]).done();
    assert!(told.contains("Added: [lesson] The tide table is in local time, not in UTC"), "{told}");
    assert_eq!(sandbox.read("topics/preferences.md"), before);
    let learned = "- [preference] From now on, always run just check before you commit";
    assert!(sandbox.read("topics/preferences-2.md").contains(learned), "{told}");
}
