//! Listings without anything to list: all end alike, and tell a person how to begin.

use crate::common::{
    sandbox::Sandbox,
    terminal::{on_terminal, without_terminal},
};

/// Commands that list, with the exit code where there is nothing: only a search that found nothing,
/// and a day without a log that was asked for, are failures.
const LISTINGS: &[(&str, i32)] = &[
    ("list", 0),
    ("list -c lesson --state active", 0),
    ("list --topics", 0),
    ("why --all", 0),
    ("report --since 7d", 0),
    ("why --ahead", 0),
    ("report", 0),
    ("todo", 0),
    ("list --sessions", 0),
    ("note", 0),
    ("todo --all", 0),
    ("log", 0),
    ("log --date 2026-01-31", 1),
    ("log --days", 0),
    ("telemetry", 0),
    ("telemetry log", 0),
    ("telemetry --by entry", 0),
    ("telemetry --by category", 0),
    ("telemetry --never-used", 0),
    ("trust", 0),
    ("search berth", 1),
    ("search --in sessions berth", 1),
];

#[test]
fn they_end_alike() {
    let sandbox = Sandbox::new("empty");
    for store in ["no store", "an empty store"] {
        if store == "an empty store" {
            sandbox.run(&["init"]).done();
        }
        for (command, code) in LISTINGS {
            let args: Vec<&str> = command.split(' ').collect();
            let done = sandbox.run(&args);
            assert_eq!((done.code, done.stdout.as_str()), (*code, ""), "{command} in {store}");
            // A script that reads messages sees at most that there is nothing to review.
            assert!(done.stderr.lines().count() <= usize::from(*command == "trust"), "{done:?}");
            let done = sandbox.run(&[&args[..], &["--json"]].concat());
            assert_eq!(done.code, *code, "{command} --json in {store}: {done:?}");
            let document: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
            assert!(document["schema"].as_str().unwrap().starts_with("pimem."), "{command}");
        }
    }
}

#[test]
fn a_person_is_told_how_to_begin() {
    let sandbox = Sandbox::new("empty");
    if without_terminal(&sandbox) {
        return;
    }
    for store in ["no store", "an empty store"] {
        if store == "an empty store" {
            sandbox.run(&["init"]).done();
        }
        for (command, code) in LISTINGS {
            let done = on_terminal(&sandbox, 80, &format!("pimem {command}"));
            assert_eq!((done.code, done.stdout.lines().count()), (*code, 1), "{command}: {done:?}");
            let quiet = on_terminal(&sandbox, 80, &format!("pimem {command} -q"));
            assert_eq!(quiet.stdout, "", "{command}");
        }
    }
    // With something to list, nothing is said.
    sandbox.run(&["add", "Berths are locked"]).done();
    let list = on_terminal(&sandbox, 80, "pimem list").stdout;
    assert_eq!(list.lines().count(), 3, "{list}");
}
