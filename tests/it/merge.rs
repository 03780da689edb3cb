//! Diverged copies of a store are merged by git without manual work.

use std::fs;

use crate::common::sandbox::{Sandbox, copy_tree};

/// Returns a sandbox whose project is a git repository, with a clone of it in `other`.
fn two_clones(fixture: &str) -> Sandbox {
    let sandbox = Sandbox::new(fixture);
    sandbox.run(&["init"]).ok();
    sandbox.git("project", &["init", "-q"]);
    sandbox.git("project", &["add", "."]);
    sandbox.git("project", &["commit", "-qm", "base"]);
    sandbox.git("", &["clone", "-q", "project", "other"]);
    sandbox
}

/// Runs the commands of two people: the first in `project`, the second in `other`.
fn diverge(sandbox: &Sandbox, commands: &[(&str, &[&str])]) {
    for (number, (place, args)) in commands.iter().enumerate() {
        let now = format!("2026-06-30T17:00:{number:02}Z");
        let done = sandbox.run_in(place, &[&["--now", &now], *args].concat());
        assert_eq!(done.code, 0, "{args:?}: {}", done.stderr);
    }
    for place in ["project", "other"] {
        sandbox.git(place, &["add", "."]);
        sandbox.git(place, &["commit", "-qm", place]);
    }
}

/// Merges each clone into the other, and returns the output of the commands in both.
fn merged(sandbox: &Sandbox, commands: &[&[&str]]) -> Vec<String> {
    // The second merge must not see the first, so it starts from a copy.
    copy_tree(&sandbox.project(), &sandbox.root().join("project.before"));
    sandbox.git("project", &["pull", "-q", "--no-rebase", "--no-edit", "../other", "main"]);
    sandbox.git("other", &["pull", "-q", "--no-rebase", "--no-edit", "../project.before", "main"]);
    for place in ["project", "other"] {
        assert_eq!(sandbox.run_in(place, &["trust", "--all"]).code, 0);
    }
    let mut printed = Vec::new();
    for args in commands {
        let ours = sandbox.run_in("project", args).ok();
        let theirs = sandbox.run_in("other", args).ok();
        let differs = ours.lines().zip(theirs.lines()).find(|(ours, theirs)| ours != theirs);
        assert!(ours == theirs, "{args:?} differs by the order of merging: {differs:?}");
        printed.push(ours);
    }
    printed
}

const LOOKS: &[&[&str]] = &[&["report"], &["list", "--topics"]];

#[test]
fn both_sides_of_a_fork() {
    let sandbox = two_clones("harbor");
    diverge(
        &sandbox,
        &[
            ("project", &["add", "Ours is a lesson"]),
            ("other", &["add", "Theirs is a lesson"]),
            ("other", &["add", "-c", "decision", "Theirs is decided"]),
            ("project", &["reinforce", "rollback", "--by", "3"]),
            ("other", &["reinforce", "rollback", "--by", "4"]),
            ("project", &["pin", "Store and log every time in UTC"]),
            ("other", &["forget", "Keep comments for the why"]),
            ("other", &["edit", "Long lists page by keyset", "Long lists page by keyset, always"]),
            ("project", &["add", "Both know this"]),
            ("other", &["add", "Both know this"]),
        ],
    );
    merged(&sandbox, LOOKS);
    assert_eq!(sandbox.read("topics/lessons.md").matches("Both know this").count(), 1);
    let entries = sandbox.entries();
    for text in ["Ours is a lesson", "Theirs is a lesson", "Theirs is decided", "Both know this"] {
        assert_eq!(entries[text]["evidence"], 1, "{text}");
    }
    let rollback = entries.iter().find(|(text, _)| text.contains("survive a rollback")).unwrap().1;
    assert_eq!(rollback["evidence"], 5 + 3 + 4);
    let state = |text: &str| {
        entries.iter().find(|(known, _)| known.contains(text)).unwrap().1["userState"].clone()
    };
    assert_eq!(state("every time in UTC"), "pinned");
    assert!(!entries.keys().any(|known| known.contains("Keep comments for the why")));
    assert!(sandbox.run(&["why", "Keep comments for the why"]).ok().contains("forgotten"));
    assert!(entries.contains_key("Long lists page by keyset, always"));
    // The merged store can be written.
    sandbox.run(&["add", "After the merge"]).ok();
    sandbox.run(&["rebuild"]).ok();
    assert_eq!(sandbox.litter(), Vec::<String>::new());
}

/// Both copies adopt pi's scores before the merge; they count once.
#[test]
fn scores_of_pi_adopted_twice() {
    let sandbox = Sandbox::new("pi");
    let scores = sandbox.bytes("memory-scores.json");
    let once = Sandbox::new("pi");
    once.run(&["rebuild"]).done();
    let before = once.run(&["list", "--json"]).ok();
    sandbox.run(&["init"]).ok();
    sandbox.git("project", &["init", "-q"]);
    sandbox.git("project", &["add", "."]);
    sandbox.git("project", &["commit", "-qm", "base"]);
    sandbox.git("", &["clone", "-q", "project", "other"]);
    // The snapshot is not in git; the second machine has its own copy of pi's.
    fs::write(sandbox.root().join("other/.pi/memory/memory-scores.json"), scores).unwrap();
    for place in ["project", "other"] {
        assert_eq!(sandbox.run_in(place, &["rebuild"]).code, 0);
        sandbox.git(place, &["add", "."]);
        sandbox.git(place, &["commit", "-qm", place]);
    }
    let printed = merged(&sandbox, &[&["list", "--json"], &["report"]]);
    assert!(printed[0] == before, "what was adopted twice is not what it was");
}

/// Both copies adopt the same hand-written lines at different times.
#[test]
fn hand_written_lines_adopted_twice() {
    let sandbox = two_clones("hand-written");
    let rebuild: &[&str] = &["rebuild"];
    let reinforce: &[&str] = &["reinforce", "fsnotify", "--by", "2"];
    diverge(&sandbox, &[("project", rebuild), ("other", reinforce), ("other", rebuild)]);
    let printed = merged(&sandbox, &[&["list", "--json"], &["report"]]);
    let entries = sandbox.entries();
    let fsnotify = entries.iter().find(|(text, _)| text.contains("fsnotify")).unwrap().1;
    assert_eq!(fsnotify["evidence"], 3, "{}", printed[0]);
}

/// A line reworded differently on both sides: both wordings stay, with the evidence.
#[test]
fn two_wordings() {
    let sandbox = two_clones("harbor");
    diverge(
        &sandbox,
        &[
            ("project", &["edit", "survive a rollback", "Advisory locks survive a rollback, ours"]),
            ("other", &["edit", "survive a rollback", "Advisory locks survive a rollback, theirs"]),
        ],
    );
    merged(&sandbox, &[&["list"], &["report"]]);
    let entries = sandbox.entries();
    for text in
        ["Advisory locks survive a rollback, ours", "Advisory locks survive a rollback, theirs"]
    {
        assert_eq!(entries[text]["evidence"], 5, "{text}");
    }
}

/// Git keeps the lines of both sides where they changed side by side, and brings the old wording back.
#[test]
fn a_wording_that_git_brings_back() {
    let sandbox = Sandbox::new("empty");
    sandbox.git("project", &["init", "-q", "-b", "main"]);
    sandbox.run(&["add", "-c", "decision", "Orders are kept in PostgreSQL"]).done();
    sandbox.commit("project");
    sandbox.git("project", &["switch", "-qc", "side"]);
    sandbox.run(&["add", "-c", "decision", "The queue of orders is NATS"]).done();
    sandbox.commit("project");
    sandbox.git("project", &["switch", "-q", "main"]);
    sandbox.run(&["edit", "PostgreSQL", "Orders are kept in MariaDB"]).done();
    sandbox.commit("project");
    sandbox.git("project", &["merge", "-q", "--no-edit", "side"]);
    let topic = || sandbox.read("topics/decisions.md");
    assert!(topic().contains("in PostgreSQL"), "{}", topic());
    let report = || sandbox.run(&["report"]).stdout;
    assert!(report().contains("MariaDB") && !report().contains("PostgreSQL"), "{}", report());
    let list = sandbox.run(&["list"]).stdout;
    let line = list.lines().find(|line| line.contains("PostgreSQL")).unwrap();
    assert!(line.contains("(replaced"), "{list}");
    // An exchange takes it away, and who says it again wants it.
    let other = sandbox.root().join("other").to_string_lossy().into_owned();
    sandbox.run(&["init", "--dir", &other]).done();
    let sync = || sandbox.run(&["sync", "--with", &other]).done();
    sync();
    assert!(!topic().contains("in PostgreSQL"), "{}", topic());
    sandbox.run(&["add", "-c", "decision", "Orders are kept in PostgreSQL"]).done();
    sync();
    assert!(report().contains("PostgreSQL"), "{}", report());
}

/// Git keeps the pinned line of one side beside the plain line of the other; the decision counts.
#[test]
fn a_pin_taken_back() {
    let sandbox = Sandbox::new("empty");
    let (marked, bare) = ("- [lesson] Taken back *(pinned)*\n", "- [lesson] Taken back\n");
    let hand = "- [lesson] Set by hand\n- [lesson] Set by hand *(pinned)*\n";
    sandbox.run(&["add", "Set by hand"]).done();
    for decision in ["pin", "unpin", "pin", "forget"] {
        drop(sandbox.run(&["add", "--force", "Taken back"]).done());
        sandbox.run(&[decision, "Taken back"]).ok();
        for lines in [[marked, bare], [bare, marked]] {
            sandbox.write("topics/lessons.md", format!("{}{hand}", lines.concat()));
            let entries = sandbox.entries();
            let want = match decision {
                "pin" => "pinned",
                "unpin" => "auto",
                _ => "forgotten",
            };
            assert_eq!(entries["Taken back"]["userState"], want, "{lines:?}");
            assert_eq!(entries["Set by hand"]["userState"], "pinned");
            let found = sandbox.run(&["search", "taken back"]).stdout.contains("Taken back");
            assert_eq!(found, decision != "forget", "{lines:?}");
        }
    }
}

/// The driver, enabled in a linked work tree, works in all of them. A line removed on one side
/// stays removed, while git alone restores it.
#[test]
fn the_driver() {
    let sandbox = Sandbox::new("harbor");
    sandbox.run(&["init"]).ok();
    sandbox.git("project", &["init", "-q"]);
    sandbox.git("project", &["add", "."]);
    sandbox.git("project", &["commit", "-qm", "base"]);
    sandbox.git("project", &["worktree", "add", "-q", "../linked", "-b", "linked"]);
    let last = sandbox.read("topics/lessons.md").lines().last().unwrap().to_owned();
    let last = last.strip_prefix("- [lesson] ").unwrap();
    for (place, text) in [("project", "Ours"), ("linked", "Theirs")] {
        let topics: &[&str] =
            if place == "linked" { &["forget", "--archive", last] } else { &["add", "Beside it"] };
        assert_eq!(sandbox.run_in(place, topics).code, 0);
        for args in [["note", text].as_slice(), &["todo", "add", text], &["log", text]] {
            assert_eq!(sandbox.run_in(place, args).code, 0);
        }
        sandbox.git(place, &["add", "."]);
        sandbox.git(place, &["commit", "-qm", place]);
    }
    let merge = || {
        sandbox.git("project", &["reset", "-q", "--hard", "ORIG"]);
        sandbox.try_git("project", &["merge", "-q", "--no-edit", "linked"]).code
    };
    sandbox.git("project", &["tag", "ORIG"]);
    let back = || sandbox.read("topics/lessons.md").contains(last);
    assert_eq!((merge(), back()), (0, true));
    assert!(!sandbox.read("MEMORY.md").contains("<<<<<<<"));

    assert_eq!(sandbox.run_in("linked", &["merge-driver", "--install"]).code, 0);
    assert_eq!((merge(), back()), (0, false));
    assert!(sandbox.read("topics/lessons.md").contains("Beside it"));
    for (name, line) in
        [("MEMORY.md", "- "), ("SCRATCHPAD.md", "- [ ] "), ("daily/2026-06-30.md", "- 18:00 ")]
    {
        let text = sandbox.read(name);
        assert!(text.contains(&format!("{line}Ours\n{line}Theirs\n")), "{name}: {text}");
    }

    // Conflict markers in the settings do not affect the driver.
    sandbox.configure("{\n<<<<<<< ours\n");
    assert_eq!((merge(), back()), (0, false));
    fs::remove_file(sandbox.project().join(".pi/memory.json")).unwrap();

    // If the driver fails, our version stays and git reports a conflict.
    let driver = sandbox.git("project", &["config", "merge.pimem.driver"]);
    let failing = format!("{} --now never", driver.trim_end());
    sandbox.git("project", &["config", "merge.pimem.driver", &failing]);
    assert_eq!(merge(), 1);
    let notes = sandbox.read("MEMORY.md");
    assert!(notes.contains("- Ours") && !notes.contains("<<<<<<<") && !notes.contains("Theirs"));

    assert_eq!(sandbox.run(&["merge-driver", "--uninstall"]).code, 0);
    assert_eq!((merge(), back()), (0, true));
    assert_eq!(sandbox.litter(), Vec::<String>::new());
}

/// The order of lines in the log has no effect on answers.
#[test]
fn the_log_is_a_set() {
    let sandbox = Sandbox::new("harbor");
    let looks = |sandbox: &Sandbox| -> Vec<String> {
        let mut all: Vec<String> = LOOKS.iter().map(|args| sandbox.run(args).ok()).collect();
        all.push(sandbox.run(&["list", "--json"]).ok());
        all
    };
    let before = looks(&sandbox);
    let log = sandbox.read("evidence.jsonl");
    let mut lines: Vec<&str> = log.lines().collect();
    for round in 0..4 {
        match round {
            0 => lines.reverse(),
            1 => lines.sort_unstable(),
            2 => lines.sort_by_key(|line| line.bytes().rev().collect::<Vec<u8>>()),
            // Every event twice.
            _ => lines.extend(log.lines()),
        }
        sandbox.write("evidence.jsonl", format!("{}\n", lines.join("\n")));
        assert_eq!(looks(&sandbox), before, "order {round}");
    }
    // A missing event does change the answers.
    let fewer: Vec<&str> = log.lines().filter(|line| !line.contains("\"reinforce\"")).collect();
    sandbox.write("evidence.jsonl", format!("{}\n", fewer.join("\n")));
    assert_ne!(looks(&sandbox), before);
}
