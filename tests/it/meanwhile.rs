//! Concurrent changes between the read of a file and its replacement: an editor saves, or another
//! process creates the same store. The process under test is stopped at that point.

use std::{fs, os::unix::fs::MetadataExt};

use crate::common::{
    repository,
    sandbox::{Sandbox, outcome},
    trace::{self, Paused},
};

/// Saves as most editors do, by renaming a new file over the old one.
fn save(sandbox: &Sandbox, name: &str, more: &str) {
    let text = fs::read_to_string(sandbox.path(name)).unwrap_or_default();
    let aside = sandbox.root().join("editor");
    fs::write(&aside, text + more).unwrap();
    fs::rename(aside, sandbox.path(name)).unwrap();
}

fn store() -> Sandbox {
    let sandbox = Sandbox::new("empty");
    for line in ["add Locks survive a rollback", "todo add Buy milk", "note A note"] {
        sandbox.run(&line.split(' ').collect::<Vec<_>>()).done();
    }
    sandbox
}

/// The first `fsync` is of the temporary file: the old file has been read, and is checked once more
/// afterwards.
#[test]
fn an_editor_saves_meanwhile() {
    if !trace::is_there() {
        return;
    }
    for (args, file, line, result) in [
        (
            &["add", "One more"][..],
            "topics/lessons.md",
            "- [lesson] By hand\n",
            "- [lesson] One more",
        ),
        (
            &["edit", "rollback", "Locks live on"],
            "topics/lessons.md",
            "- [lesson] By hand\n",
            "- [lesson] Locks live on",
        ),
        (
            &["forget", "--archive", "rollback"],
            "archive/lessons.md",
            "- [lesson] By hand\n",
            "- [lesson] Locks survive a rollback",
        ),
        (&["todo", "done", "milk"], "SCRATCHPAD.md", "- [ ] Fetch water\n", "Buy milk"),
        (&["note", "Another"], "MEMORY.md", "- By hand\n", "- Another"),
    ] {
        let sandbox = store();
        fs::create_dir_all(sandbox.path("archive")).unwrap();
        let paused = Paused::at(&sandbox, "fsync", "1", args).unwrap();
        save(&sandbox, file, line);
        let done = paused.end();
        assert_eq!(done.code, 0, "{args:?}: {}", done.stderr);
        let text = sandbox.read(file);
        assert!(text.contains(line) && text.contains(result), "{args:?}: {text}");
        assert_eq!(sandbox.litter(), Vec::<String>::new(), "{args:?}");
    }
}

/// If an editor saves repeatedly, the command gives up with an error.
#[test]
fn an_editor_saves_all_the_time() {
    if !trace::is_there() {
        return;
    }
    for (args, file) in
        [(&["add", "One more"][..], "topics/lessons.md"), (&["note", "Another"], "MEMORY.md")]
    {
        let sandbox = store();
        let mut paused = Paused::at(&sandbox, "fsync", "1+", args).unwrap();
        let mut saved = 0;
        loop {
            saved += 1;
            save(&sandbox, file, &format!("- By hand, {saved}\n"));
            let text = sandbox.read(file);
            if !paused.go_on() {
                let refused = paused.ended().refused();
                assert!(refused.contains("keeps changing while it is written"), "{refused}");
                assert_eq!(sandbox.read(file), text, "{args:?}");
                break;
            }
        }
        assert_eq!(saved, 3, "{args:?}");
        assert_eq!(sandbox.litter(), Vec::<String>::new(), "{args:?}");
    }
}

/// A change in place, with the same length.
#[test]
fn a_file_is_written_in_place_meanwhile() {
    if !trace::is_there() {
        return;
    }
    let sandbox = store();
    let before = fs::metadata(sandbox.path("topics/lessons.md")).unwrap().ino();
    let paused = Paused::at(&sandbox, "fsync", "1", &["add", "One more"]).unwrap();
    let text = sandbox.read("topics/lessons.md").replace("survive", "outlive");
    fs::write(sandbox.path("topics/lessons.md"), text).unwrap();
    assert_eq!(fs::metadata(sandbox.path("topics/lessons.md")).unwrap().ino(), before);
    paused.end().ok();
    let text = sandbox.read("topics/lessons.md");
    assert!(text.contains("outlive") && text.contains("One more"), "{text}");
}

/// Two processes create `data/`, where appending needs no lock.
#[test]
fn its_data_is_made_twice() {
    if !trace::is_there() {
        return;
    }
    let transcript = repository().join("fixtures/transcripts/claude.jsonl");
    let args = ["dream", "index", transcript.to_str().unwrap()];
    for when in 1.. {
        let sandbox = store();
        let Some(paused) = Paused::at(&sandbox, "write", &when.to_string(), &args) else { break };
        let mut other = sandbox.command(&args);
        other.env("PIMEM_LOCK_TIMEOUT_MS", "100").env("PIMEM_SESSION", "another");
        let other = outcome(other);
        let waited = other.code == 2 && other.stderr.contains("is locked by another process");
        assert!(other.code == 0 || waited, "{when}: {other:?}");
        let first = paused.end();
        assert_eq!(first.code, 0, "{when}: {}", first.stderr);
        let ignored = fs::read_to_string(sandbox.project().join(".pi/data/.gitignore")).unwrap();
        assert_eq!(ignored, "*\n", "{when}");
        assert_eq!(sandbox.litter(), Vec::<String>::new(), "{when}");
    }
}

/// Two processes create a store: while one is about to move a file into place, the other waits or
/// is faster, and nothing is removed.
#[test]
fn a_store_is_made_twice() {
    if !trace::is_there() {
        return;
    }
    for call in ["mkdir", "write"] {
        for when in 1.. {
            let sandbox = Sandbox::new("empty");
            let when = when.to_string();
            let Some(paused) = Paused::at(&sandbox, call, &when, &["add", "From one"]) else {
                assert!(sandbox.entries().contains_key("From one") && when != "1", "{call} {when}");
                break;
            };
            let mut other = sandbox.command(&["add", "From another"]);
            other.env("PIMEM_LOCK_TIMEOUT_MS", "100");
            let other = outcome(other);
            let waited = other.code == 2 && other.stderr.contains("is locked by another process");
            assert!(other.code == 0 || waited, "{call} {when}: {other:?}");
            let first = paused.end();
            assert_eq!(first.code, 0, "{call} {when}: {}", first.stderr);
            for name in [".gitignore", ".gitattributes"] {
                assert!(!sandbox.read(name).is_empty(), "{call} {when}: {name}");
            }
            assert_eq!(sandbox.litter(), Vec::<String>::new(), "{call} {when}");
            sandbox.run(&["add", "After both"]).ok();
            let added = sandbox.entries();
            assert_eq!(added.contains_key("From another"), other.code == 0, "{call} {when}");
            assert!(added.contains_key("From one") && added.contains_key("After both"));
            let report = sandbox.run(&["report"]).done();
            assert!(report.contains("From one"), "{call} {when}: {report}");
        }
    }
}
