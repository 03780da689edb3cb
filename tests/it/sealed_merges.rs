//! Sealed stores in git: two machines with one key, one without, and a plain store among them.

use std::fs;

use crate::{
    common::{clones, sandbox::Sandbox},
    hooks,
    sealed::{key_file, seal},
};

/// Directory of the other clone; its machine is the same, so that its key is too.
const THEIRS: &str = "theirs";

fn shared(sealed: bool) -> Sandbox {
    let sandbox = Sandbox::new("empty");
    for text in ["First of all", "Second thing"] {
        sandbox.run(&["add", text]).done();
    }
    if sealed {
        seal(&sandbox);
    }
    sandbox.share();
    sandbox
}

fn pull(sandbox: &Sandbox, dir: &str) {
    sandbox.git(dir, &["pull", "-q", "--no-rebase", "--no-edit"]);
}

/// Adds on both sides, merges both ways, and returns the lists of both.
fn both_add(sandbox: &Sandbox) -> [String; 2] {
    sandbox.run(&["add", "Ours alone"]).done();
    sandbox.run(&["log", "our day"]).done();
    sandbox.commit("project");
    sandbox.run_in(THEIRS, &["add", "Theirs alone"]).done();
    sandbox.run_in(THEIRS, &["log", "their day"]).done();
    sandbox.commit(THEIRS);
    sandbox.git("project", &["push", "-q"]);
    pull(sandbox, THEIRS);
    sandbox.git(THEIRS, &["push", "-q"]);
    pull(sandbox, "project");
    ["project", THEIRS].map(|dir| sandbox.run_in(dir, &["list"]).done())
}

#[test]
fn two_machines_with_one_key() {
    for driver in [false, true] {
        let sandbox = shared(true);
        if driver {
            for dir in ["project", THEIRS] {
                sandbox.run_in(dir, &["merge-driver", "--install"]).done();
            }
        }
        let lists = both_add(&sandbox);
        for list in &lists {
            for text in ["First of all", "Second thing", "Ours alone", "Theirs alone"] {
                assert_eq!(list.matches(text).count(), 1, "{driver}: {text}: {list}");
            }
        }
        let day = "daily/2026-06-30.md";
        assert_eq!(
            sandbox.read(day).matches("enc:v1:").count(),
            sandbox.read(day).lines().filter(|line| !line.is_empty()).count()
        );
        // The file that the merge made waits for a review, and is read then.
        let found = sandbox.run(&["search", "--no-touch", "day"]);
        assert!(found.stderr.contains("2 lines that await review match"), "{found:?}");
        sandbox.trust();
        let found = sandbox.run(&["search", "--no-touch", "day"]).done();
        assert!(found.contains("our day") && found.contains("their day"), "{found}");
        for text in [sandbox.read("topics/lessons.md"), sandbox.read("evidence.jsonl")] {
            assert!(!text.contains("alone") && !text.contains("\"op\""), "{text}");
        }
    }
}

#[test]
fn the_merge_keeps_the_bytes_of_lines_that_did_not_change() {
    let sandbox = shared(true);
    let before = sandbox.read("topics/lessons.md");
    let before: Vec<&str> = before.lines().filter(|line| !line.is_empty()).collect();
    sandbox.run(&["merge-driver", "--install"]).done();
    sandbox.run_in(THEIRS, &["merge-driver", "--install"]).done();
    both_add(&sandbox);
    let after = sandbox.read("topics/lessons.md");
    let kept = before.iter().filter(|line| after.contains(**line)).count();
    assert_eq!(kept, before.len(), "{after}");
}

#[test]
fn a_machine_without_the_key_loses_nothing() {
    let sandbox = shared(true);
    let file = key_file(&sandbox);
    let away = sandbox.root().join("away");
    for driver in [false, true] {
        if driver {
            sandbox.run_in("project", &["merge-driver", "--install"]).done();
        }
        let ours = format!("Ours alone {driver}");
        sandbox.run(&["add", &ours]).done();
        sandbox.commit("project");
        let theirs = format!("Theirs alone {driver}");
        sandbox.run_in(THEIRS, &["add", &theirs]).done();
        sandbox.commit(THEIRS);
        sandbox.git(THEIRS, &["push", "-q"]);
        // The merge is made where the key is not.
        fs::rename(&file, &away).unwrap();
        pull(&sandbox, "project");
        let before = sandbox.tree();
        let said = sandbox.run(&["list"]).refused();
        let lines: Vec<&str> = said.lines().filter(|line| line.contains("is sealed")).collect();
        assert_eq!(lines.len(), 1, "{said}");
        for args in
            [&["report"][..], &["search", "x"], &["add", "y"], &["rebuild"], &["check"], &["dream"]]
        {
            assert_eq!(sandbox.run(args).code, 2, "{args:?}");
        }
        let after = sandbox.tree();
        let changed: Vec<&String> =
            after.keys().filter(|name| before.get(*name) != after.get(*name)).collect();
        assert!(changed.is_empty() && after.len() == before.len(), "{changed:?}");
        fs::rename(&away, &file).unwrap();
        sandbox.commit("project");
        sandbox.git("project", &["push", "-q"]);
        pull(&sandbox, THEIRS);
        let list = sandbox.run(&["list"]).done();
        for text in ["First of all", "Second thing", &ours, &theirs] {
            assert_eq!(list.matches(text).count(), 1, "{driver}: {text}: {list}");
        }
    }
}

#[test]
fn a_sealed_store_is_merged_with_a_plain_one() {
    for driver in [false, true] {
        let sandbox = shared(false);
        if driver {
            sandbox.run(&["merge-driver", "--install"]).done();
        }
        sandbox.run_in(THEIRS, &["add", "Theirs in plain text"]).done();
        sandbox.commit(THEIRS);
        sandbox.git(THEIRS, &["push", "-q"]);
        seal(&sandbox);
        sandbox.commit("project");
        pull(&sandbox, "project");
        let list = sandbox.run(&["list"]).done();
        for text in ["First of all", "Second thing", "Theirs in plain text"] {
            assert_eq!(list.matches(text).count(), 1, "{driver}: {text}: {list}");
        }
        // Git's own merge brings plain lines, pimem's seals them.
        let status = sandbox.run(&["encrypt", "status"]);
        assert_eq!(status.code, i32::from(!driver), "{status:?}");
        // Hooks change no file that git knows.
        let tree = || {
            let mut tree = sandbox.tree();
            tree.retain(|name, _| name.starts_with(".pi/memory"));
            tree
        };
        let before = tree();
        for event in ["session-start", "prompt", "stop"] {
            let said = "How does the second thing work, if not in plain text?";
            let input = serde_json::json!({
                "session_id": "s", "cwd": sandbox.project(), "prompt": said,
                "source": "startup", "last_assistant_message": said,
            });
            assert_eq!(hooks::call(&sandbox, "claude", event, input.to_string()).code, 0);
        }
        assert!(tree() == before, "{driver}");
        // The next write seals what came as plain text, evidence too.
        sandbox.run(&["add", "Ours afterwards"]).done();
        assert_eq!(sandbox.run(&["encrypt", "status"]).code, 0, "{driver}");
        for name in ["topics/lessons.md", "evidence.jsonl"] {
            let text = sandbox.read(name);
            assert!(!text.contains("plain text") && !text.contains("\"op\""), "{driver}: {text}");
        }
        let list = sandbox.run(&["list"]).ok();
        assert_eq!(list.lines().count(), 4, "{driver}: {list}");
    }
}

#[test]
fn what_a_pull_brings_waits_for_a_review_in_a_sealed_store_too() {
    let sandbox = shared(true);
    sandbox.run(&["add", "Ours alone"]).done();
    // A line typed by hand needs no review, one of a pull does.
    clones::append(&sandbox.project(), "topics/lessons.md", "- [lesson] Typed by hand\n");
    sandbox.run_in(THEIRS, &["add", "Theirs alone"]).done();
    sandbox.commit(THEIRS);
    sandbox.git(THEIRS, &["push", "-q"]);
    sandbox.run(&["add", "And one more"]).done();
    sandbox.commit("project");
    pull(&sandbox, "project");
    let waits = sandbox.run(&["trust"]);
    assert!(waits.stdout.contains("Theirs alone"), "{waits:?}");
    for text in ["Typed by hand", "Ours alone", "And one more", "First of all"] {
        assert!(!waits.stdout.contains(text), "{text}: {waits:?}");
    }
}
