//! `undo` restores everything as it was before the command, except for the log, which only grows.

use std::{collections::BTreeMap, path::Path};

use serde_json::Value;

use crate::common::{every, sandbox::Sandbox};

fn markdown(sandbox: &Sandbox) -> BTreeMap<String, String> {
    let mut files = sandbox.tree();
    files.retain(|name, _| Path::new(name).extension().is_some_and(|end| end == "md"));
    let text = |(name, bytes)| (name, String::from_utf8(bytes).unwrap());
    files.into_iter().map(text).collect()
}

fn differing(a: &BTreeMap<String, String>, b: &BTreeMap<String, String>) -> Vec<String> {
    let all: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let differ = all.into_iter().filter(|name| a.get(*name) != b.get(*name));
    differ.map(|name| format!("{name}: {:?} {:?}", a.get(name), b.get(name))).collect()
}

/// Returns what readers show of all entries.
fn said(sandbox: &Sandbox) -> Value {
    sandbox.run(&["list", "--json"]).json()
}

fn store() -> Sandbox {
    let sandbox = Sandbox::new("harbor");
    for args in [
        &["add", "Gulls eat the bait"][..],
        &["add", "--pin", "Pilots board at the buoy"],
        &["add", "Forgotten words"],
        &["add", "Removed words"],
        &["forget", "Forgotten words"],
        &["forget", "--archive", "Removed words"],
        &["todo", "add", "Paint the berth"],
        &["log", "Looked at the berths"],
        &["note", "--section", "Berths", "Berth 7 is short"],
    ] {
        sandbox.run(args).done();
    }
    std::fs::write(
        sandbox.root().join("import.jsonl"),
        "{\"text\": \"From elsewhere\"}\n{\"text\": \"Gulls eat the bait\"}\n",
    )
    .unwrap();
    // As a merge leaves it.
    let topic = sandbox.read("topics/lessons.md");
    sandbox.write("topics/lessons.md", format!("{topic}- [lesson] Gulls eat the bait\n"));
    sandbox.run(&["rebuild"]).done();
    sandbox
}

const COMMANDS: &[&[&str]] = &[
    &["add", "Sand the hull"],
    &["add", "-c", "mistake", "A topic that was not there"],
    &["add", "Gulls eat the bait"],
    &["add", "--supersedes", "Gulls eat the bait", "Gulls eat bread"],
    &["add", "--valid-until", "2026-12-31", "--tag", "x", "Tugs are late"],
    &["reinforce", "Gulls", "rollback"],
    &["reinforce", "--harmful", "rollback"],
    &["edit", "Gulls eat the bait", "Gulls eat all bait"],
    &["pin", "Gulls"],
    &["unpin", "Pilots"],
    &["forget", "rollback"],
    &["restore", "Forgotten words"],
    &["restore", "Removed words"],
    &["forget", "--archive", "Gulls"],
    &["import", "jsonl", "../import.jsonl"],
    &["check", "--fix"],
    &["dream", "--force"],
    &["log", "Painted"],
    &["note", "A note"],
    &["note", "--section", "Berths", "Berth 8 too"],
    &["todo", "add", "Oil the winch"],
    &["todo", "done", "Paint"],
    &["todo", "clear"],
    &["--user", "add", "A line of one's own"],
];

#[test]
fn everything_is_as_it_was() {
    for args in COMMANDS.iter().step_by(every(2)) {
        let sandbox = store();
        let (files, entries) = (markdown(&sandbox), said(&sandbox));
        sandbox.run(&["todo", "add", "Before"]).ok();
        let done = sandbox.run(args);
        assert!(done.code < 2, "{args:?}: {done:?}");
        if done.stdout.contains("nothing") || *args == ["todo", "clear"] {
            continue;
        }
        let again = sandbox.run(&["undo"]);
        assert!(again.stdout.starts_with("Taken back: "), "{args:?}: {again:?}");
        let before = sandbox.run(&["undo"]).done();
        assert!(before.contains("- - [ ] Before"), "{args:?}: {before}");
        assert_eq!(differing(&markdown(&sandbox), &files), Vec::<String>::new(), "{args:?}");
        assert_eq!(said(&sandbox), entries, "{args:?}");
        // A merge does not preserve the order of the log.
        let mut log: Vec<String> =
            sandbox.read("evidence.jsonl").lines().map(str::to_owned).collect();
        log.reverse();
        sandbox.plant("evidence.jsonl", log.join("\n") + "\n");
        assert_eq!(said(&sandbox), entries, "{args:?}");
    }
}

/// A command can be repeated after its undo.
#[test]
fn and_once_more() {
    // Excluded because a dream remembers its conclusions.
    let passing = [&["todo", "clear"][..], &["dream", "--force"]];
    let odd = COMMANDS.iter().skip(every(2) - 1).step_by(every(2));
    for args in odd.filter(|args| !passing.contains(args)) {
        let sandbox = store();
        sandbox.run(args).done();
        let (files, entries) = (markdown(&sandbox), said(&sandbox));
        if sandbox.run(&["undo"]).code == 0 {
            assert!(sandbox.run(args).code < 2, "{args:?}");
            assert_eq!(differing(&markdown(&sandbox), &files), Vec::<String>::new(), "{args:?}");
            assert_eq!(said(&sandbox), entries, "{args:?}");
        }
    }
}

#[test]
fn twenty_steps_back() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).ok();
    for number in 0..25 {
        sandbox.run(&["add", "--force", &format!("Number {number} of them")]).ok();
    }
    for number in (5..25).rev() {
        let done = sandbox.run(&["undo"]).ok();
        assert!(done.contains(&format!("- - [lesson] Number {number} of them")), "{done}");
    }
    let done = sandbox.run(&["undo"]);
    assert_eq!((done.code, done.stdout.as_str()), (1, ""), "{done:?}");
    let kept = "20 steps are kept, and they are taken back; before them were 5 steps";
    assert!(done.stderr.contains(kept), "{done:?}");
    assert_eq!(sandbox.entries().len(), 5);
    let none = Sandbox::new("empty");
    none.run(&["init"]).ok();
    let done = none.run(&["undo"]);
    assert!(done.code == 1 && done.stderr.contains("nothing is left"), "{done:?}");
}

/// What a purge leaves of earlier commands can still be taken back.
#[test]
fn across_a_purge() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).ok();
    sandbox.run(&["add", "--force", "Tides turn"]).ok();
    sandbox
        .pipe(&["add", "--force", "-"], "Gulls eat bait\nThe code is tangerine\nPilots board\n")
        .ok();
    sandbox.run(&["reinforce", "tangerine", "Pilots"]).ok();
    sandbox.run(&["edit", "tangerine", "The code is mandarin"]).ok();
    sandbox.run(&["add", "--force", "Tugs are late"]).ok();
    sandbox.run(&["forget", "--destroy", "--yes", "mandarin"]).done();
    for (name, bytes) in sandbox.everything() {
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("tangerine") && !text.contains("mandarin"), "{name}: {text}");
    }
    let mut taken = Vec::new();
    while let done = sandbox.run(&["undo"])
        && done.code == 0
    {
        taken.push(done.stdout.lines().next().unwrap().to_owned());
    }
    let names: Vec<&str> = taken.iter().filter_map(|line| line.split_whitespace().nth(2)).collect();
    assert_eq!(names, ["add", "reinforce", "add", "add"], "{taken:?}");
    assert_eq!(sandbox.run(&["list"]).ok(), "");
    assert!(!sandbox.read("evidence.jsonl").contains("tangerine"));
}

#[test]
fn refused_where_a_line_has_changed() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["add", "Tides turn"]).done();
    sandbox.run(&["add", "Gulls eat the bait"]).ok();
    let topic = sandbox.read("topics/lessons.md");
    let log = sandbox.read("evidence.jsonl");
    sandbox.write("topics/lessons.md", topic.replace("the bait", "all the bait there is"));
    let refused = sandbox.run(&["undo"]).refused();
    assert!(refused.contains("topics/lessons.md has changed since"), "{refused}");
    assert_eq!(sandbox.read("evidence.jsonl"), log, "all or nothing");
    // An unrelated line of another person does not matter.
    sandbox.write("topics/lessons.md", format!("{topic}- [lesson] Somebody else's\n"));
    sandbox.run(&["undo"]).ok();
    assert_eq!(
        sandbox.read("topics/lessons.md"),
        "# Lessons\n\n- [lesson] Tides turn\n- [lesson] Somebody else's\n"
    );
}

/// Actions of hooks and commands that cannot be undone are not steps.
#[test]
fn what_is_no_step() {
    let sandbox = Sandbox::new("working");
    for args in [
        &["trust", "--all"][..],
        &["config", "set", "report.budget", "900"],
        &["rebuild"],
        &["list"],
    ] {
        sandbox.run(args).done();
    }
    let said =
        "{\"session_id\":\"s\",\"prompt\":\"From now on, leave 0.2 mm for the finishing pass.\"}";
    sandbox.pipe(&["hook", "claude", "prompt"], said).ok();
    assert_eq!(sandbox.run(&["undo"]).code, 1);
    // After a purge, the undo history does not contain the text.
    sandbox.run(&["add", "A secret of ours"]).ok();
    sandbox.run(&["edit", "A secret of ours", "Another text"]).ok();
    sandbox.run(&["forget", "--destroy", "--yes", "Another text"]).done();
    let held = std::fs::read_to_string(sandbox.project().join(".pi/data/undo.jsonl")).unwrap();
    assert!(!held.contains("Another text"), "{held}");
}

/// Steps in a clone were not made on this machine and are ignored.
#[test]
fn steps_of_a_clone() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["add", "Tides turn"]).done();
    sandbox.run(&["forget", "--archive", "Tides turn"]).ok();
    std::fs::rename(sandbox.project(), sandbox.root().join("other")).unwrap();
    let topic = sandbox.root().join("other/.pi/memory/topics/lessons.md");
    let before = std::fs::read(&topic).unwrap();
    assert_eq!(sandbox.run_in("other", &["undo"]).code, 1);
    assert_eq!(std::fs::read(&topic).unwrap(), before);
}

/// An undo killed between the log and the files is continued.
/// What cannot be read is not nothing.
#[test]
fn lists_of_steps_that_cannot_be_read() {
    let sandbox = store();
    let runs = std::fs::read_dir(sandbox.root().join("state/pimem/undo")).unwrap();
    let runs = runs.map(|file| file.unwrap().path()).find(|path| path.is_file()).unwrap();
    for path in [runs, sandbox.project().join(".pi/data/undo.jsonl")] {
        let kept = path.with_extension("kept");
        std::fs::rename(&path, &kept).unwrap();
        std::fs::create_dir(&path).unwrap();
        let said = sandbox.run(&["undo"]).refused();
        assert!(said.contains(&*path.to_string_lossy()), "{said}");
        std::fs::remove_dir(&path).unwrap();
        std::fs::rename(&kept, &path).unwrap();
    }
    // A state directory that is none has no steps either.
    let state = sandbox.root().join("state");
    std::fs::rename(&state, sandbox.root().join("gone")).unwrap();
    std::fs::write(&state, "").unwrap();
    assert!(sandbox.run(&["undo"]).refused().contains("state/pimem/undo"));
    std::fs::remove_file(&state).unwrap();
    std::fs::rename(sandbox.root().join("gone"), &state).unwrap();
    assert!(sandbox.run(&["undo"]).done().contains("Berth 7 is short"));
}

#[test]
fn interrupted() {
    let sandbox = store();
    let files = markdown(&sandbox);
    sandbox.run(&["forget", "--archive", "Gulls"]).ok();
    let after = markdown(&sandbox);
    let steps = sandbox.project().join(".pi/data/undo.jsonl");
    let noted = std::fs::read(&steps).unwrap();
    sandbox.run(&["undo"]).ok();
    assert_eq!(differing(&markdown(&sandbox), &files), Vec::<String>::new());
    for part in 0..3 {
        std::fs::write(&steps, &noted).unwrap();
        for (number, (name, bytes)) in after.iter().enumerate() {
            if number % 3 == part {
                std::fs::write(sandbox.project().join(name), bytes).unwrap();
            }
        }
        sandbox.run(&["undo"]).ok();
        assert_eq!(differing(&markdown(&sandbox), &files), Vec::<String>::new());
    }
}

/// What cannot be read is said, and neither takes anything nor stands in the way of what follows.
#[test]
fn a_damaged_log_of_steps_is_said() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["add", "Gulls eat the bait"]).done();
    let log = sandbox.project().join(".pi/data/undo.jsonl");
    let (steps, before) = (std::fs::read(&log).unwrap(), markdown(&sandbox));
    for garbage in [&b"\0\xff{\"run\":\n[[[["[..], &b"{}\n"[..], &[0xf0; 4096][..]] {
        std::fs::write(&log, garbage).unwrap();
        let done = sandbox.run(&["undo"]);
        assert_eq!(done.code, 1, "{done:?}");
        assert!(done.stderr.contains("undo.jsonl is damaged"), "{done:?}");
        assert_eq!(markdown(&sandbox), before);
    }
    std::fs::write(&log, [&b"\xffnothing\n"[..], &steps].concat()).unwrap();
    let done = sandbox.run(&["undo"]);
    assert!(done.code == 0 && done.stderr.contains("is damaged"), "{done:?}");
    assert!(!sandbox.run(&["list"]).stdout.contains("bait"));
    sandbox.run(&["add", "Pilots board at the buoy"]).done();
    assert!(sandbox.run(&["undo"]).done().contains("Taken back"));
}
