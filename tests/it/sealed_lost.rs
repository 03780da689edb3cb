//! Sealed stores that lost what describes them or opens them: nothing is written, everything says
//! so, and there is a way back or a new start.

use std::fs;

use serde_json::Value;

use crate::{
    common::sandbox::{Sandbox, copy_tree},
    hooks,
    sealed::{canary, key_file, leaks, seal},
};

fn sealed() -> Sandbox {
    let sandbox = Sandbox::new("empty");
    for number in 0..3 {
        sandbox.run(&["add", "--force", &format!("The {} is ready", canary(number))]).done();
    }
    sandbox.run(&["note", &format!("the host is {}", canary(3))]).done();
    hook(&sandbox, "prompt");
    seal(&sandbox);
    sandbox
}

fn hook(sandbox: &Sandbox, event: &str) -> String {
    let said = format!("tell me what {} and {} are", canary(150), canary(151));
    let told = format!("From now on always name the {}", canary(152));
    let mut message = serde_json::json!({
        "session_id": "s-1", "cwd": sandbox.project(),
        "prompt": format!("{said}. {told}."), "last_assistant_message": said,
    });
    if event == "session-start" {
        message["source"] = "startup".into();
    }
    hooks::call(sandbox, "claude", event, message.to_string()).stdout
}

/// Commands and hooks say `want` and change nothing.
fn says_and_writes_nothing(sandbox: &Sandbox, want: &str) {
    let before = sandbox.everything();
    let is_same = |what: &str| {
        let now = sandbox.everything();
        let new: Vec<&String> =
            now.iter().filter(|file| before.get(file.0) != Some(file.1)).map(|f| f.0).collect();
        assert_eq!(new, Vec::<&String>::new(), "{what}");
        assert_eq!(now.len(), before.len(), "{what}");
    };
    for line in [
        "add Something new",
        "log x",
        "note x",
        "todo add x",
        "todo",
        "list",
        "list --json",
        "search ready",
        "report",
        "status",
        "check",
        "check",
        "check --fix",
        "why ready",
        "rebuild",
        "forget ready",
        "reinforce ready",
        "undo",
        "dream",
        "export jsonl",
        "trust --review",
        "encrypt init",
        "encrypt rotate",
        "encrypt decrypt",
    ] {
        let done = sandbox.run(&line.split(' ').collect::<Vec<_>>());
        let said = format!("{}{}", done.stdout, done.stderr);
        assert!(done.code != 0 && said.contains(want), "{line}: {done:?}");
        assert!(!said.contains("delete") && !said.contains("enc:v1"), "{line}: {said}");
        is_same(line);
    }
    let status = sandbox.run(&["encrypt", "status"]);
    assert!(status.code == 1 && status.stdout.contains(want), "{status:?}");
    for event in ["session-start", "prompt", "post-tool", "stop", "pre-compact", "session-end"] {
        let said = hook(sandbox, event);
        assert!(event != "session-start" || said.contains("is sealed"), "{said}");
        is_same(event);
    }
    // Nor is it written into the user's store.
    assert_eq!(leaks(sandbox), Vec::<String>::new());
}

#[test]
fn sealed_lines_that_nothing_describes_are_said_and_nothing_is_written() {
    for user in [false, true] {
        let sandbox = sealed();
        if user {
            sandbox.run(&["--user", "add", "A line of my own"]).done();
            fs::remove_file(sandbox.path("store.json")).unwrap();
            let before = sandbox.everything();
            for event in ["session-start", "prompt", "stop", "session-end"] {
                hook(&sandbox, event);
            }
            assert_eq!(sandbox.everything(), before);
            assert_eq!(leaks(&sandbox), Vec::<String>::new());
            let listed = sandbox.run(&["list"]);
            assert!(listed.stderr.contains("does not say so"), "{listed:?}");
            let found = sandbox.run(&["check"]);
            assert!(found.stdout.contains("pimem encrypt repair"), "{found:?}");
            continue;
        }
        fs::remove_file(sandbox.path("store.json")).unwrap();
        says_and_writes_nothing(&sandbox, "does not say so");
        // Without a log too, and on a machine that remembers nothing.
        fs::remove_file(sandbox.path("evidence.jsonl")).unwrap();
        fs::remove_dir_all(sandbox.root().join("state/pimem/sealed")).unwrap();
        says_and_writes_nothing(&sandbox, "does not say so");
    }
}

#[test]
fn store_json_is_written_again_by_whoever_has_the_key() {
    let describe = |sandbox: &Sandbox| sandbox.read("store.json");
    for damage in ["gone", "half", "plain", "rotated", "linked"] {
        let sandbox = sealed();
        if damage == "rotated" {
            sandbox.run(&["encrypt", "rotate"]).done();
        }
        let (list, good) = (sandbox.run(&["list"]).ok(), describe(&sandbox));
        let path = sandbox.path("store.json");
        match damage {
            "half" => fs::write(&path, &good[..good.len() / 2]).unwrap(),
            "plain" => fs::write(&path, good.replace("true", "false")).unwrap(),
            _ => fs::remove_file(&path).unwrap(),
        }
        // The keys are found by what they open, not by what this machine remembers.
        fs::remove_dir_all(sandbox.root().join("state/pimem/sealed")).unwrap();
        if damage == "linked" {
            let linked = sandbox.root().join("linked");
            sandbox.git("project", &["init", "-q"]);
            sandbox.git("project", &["add", "-A"]);
            sandbox.git("project", &["commit", "-qm", "all"]);
            sandbox.git("project", &["worktree", "add", "-q", linked.to_str().unwrap()]);
            let done = sandbox.run_in("linked", &["encrypt", "repair"]);
            assert_eq!(done.code, 0, "{done:?}");
            assert_eq!(fs::read_to_string(linked.join(".pi/memory/store.json")).unwrap(), good);
            // Another work tree is another machine to trust.
            let listed = sandbox.run_in("linked", &["list"]).stdout;
            assert_eq!(listed.replace("(unreviewed)", "(fresh)"), list);
            continue;
        }
        let done = sandbox.run(&["encrypt", "repair"]);
        assert_eq!(done.code, 0, "{damage}: {done:?}");
        assert_eq!(describe(&sandbox), good, "{damage}");
        assert_eq!(sandbox.run(&["list"]).ok(), list, "{damage}");
        assert_eq!(sandbox.run(&["encrypt", "status"]).code, 0, "{damage}");
        let again = sandbox.run(&["encrypt", "repair"]);
        assert_eq!((again.code, describe(&sandbox)), (0, good), "{damage}");
        assert_eq!(leaks(&sandbox), Vec::<String>::new());
    }
    // Without the key, or with that of another store, nothing is written.
    let (sandbox, other) = (sealed(), sealed());
    fs::remove_file(sandbox.path("store.json")).unwrap();
    let key = key_file(&sandbox);
    let away = sandbox.root().join("away");
    fs::rename(&key, &away).unwrap();
    for there in [false, true] {
        if there {
            fs::copy(key_file(&other), &key).unwrap();
        }
        let before = sandbox.tree();
        let said = sandbox.run(&["encrypt", "repair"]).refused();
        assert!(said.contains("no key on this machine opens them"), "{said}");
        assert_eq!(sandbox.tree(), before);
    }
    fs::rename(&away, &key).unwrap();
    sandbox.run(&["encrypt", "repair"]).done();
    let plain = Sandbox::new("empty");
    plain.run(&["add", "Something plain"]).done();
    assert!(plain.run(&["encrypt", "repair"]).refused().contains("no line"));
}

/// A branch, a backup or a colleague has made the store plain.
#[test]
fn hooks_write_nothing_where_the_store_is_not_as_this_machine_remembers_it() {
    for (way, kept) in [("decrypt", "Plain text"), ("init", "Sealed")] {
        let sandbox = Sandbox::new("empty");
        sandbox.run(&["add", "Ships are unloaded at night"]).done();
        let plain = sandbox.root().join("input");
        copy_tree(&sandbox.store(), &plain);
        seal(&sandbox);
        let id = |sandbox: &Sandbox| -> Value {
            sandbox.run(&["encrypt", "status", "--json"]).json()["storeId"].clone()
        };
        let known = id(&sandbox);
        fs::remove_dir_all(sandbox.store()).unwrap();
        copy_tree(&plain, &sandbox.store());
        // That an agent has called is noted of the machine, not of a store.
        let held = || {
            let mut files = sandbox.everything();
            files.retain(|name, _| !name.contains("pimem/hooks/"));
            files
        };
        let before = held();
        for event in ["session-start", "prompt", "stop", "session-end"] {
            let said = hook(&sandbox, event);
            assert!(
                event != "session-start" || said.contains("as this machine remembers it"),
                "{said}"
            );
            assert!(held() == before, "{event}");
        }
        let status = sandbox.run(&["encrypt", "status"]);
        assert!(
            status.code == 1 && status.stdout.contains("was sealed on this machine"),
            "{status:?}"
        );
        // A person is told, and may go on.
        assert!(sandbox.run(&["list"]).stderr.contains("was sealed on this machine"));
        sandbox.run(&["encrypt", way]).done();
        let status = sandbox.run(&["encrypt", "status"]);
        assert!(status.code == 0 && status.stdout.contains(kept), "{status:?}");
        if way == "init" {
            assert_eq!(id(&sandbox), known, "it keeps its key");
        }
        let listed = sandbox.run(&["list"]);
        assert!(listed.stdout.contains("at night") && listed.stderr.is_empty(), "{listed:?}");
        let before = sandbox.everything();
        hook(&sandbox, "prompt");
        assert_ne!(sandbox.everything(), before, "hooks write again");
    }
}

#[test]
fn after_a_lost_key_a_new_store_starts_afresh() {
    for moved in [".pi", ".pi/memory"] {
        let sandbox = sealed();
        let key = key_file(&sandbox);
        fs::remove_file(&key).unwrap();
        let said = sandbox.run(&["list"]).refused();
        for want in ["is sealed, and its key", "are lost", "move the store away", "pimem init"] {
            assert!(said.contains(want), "{want}: {said}");
        }
        let old = sandbox.everything();
        fs::rename(sandbox.project().join(moved), sandbox.root().join("lost")).unwrap();
        sandbox.run(&["init"]).done();
        let quiet = |when: &str| {
            for args in [&["list"][..], &["report"], &["encrypt", "status"]] {
                let done = sandbox.run(args);
                assert!(done.code == 0 && done.stderr.is_empty(), "{when}: {args:?} {done:?}");
            }
        };
        sandbox.run(&["add", "New in the new store"]).done();
        quiet("plain");
        seal(&sandbox);
        sandbox.run(&["rebuild", "-q"]).done();
        quiet("sealed");
        hook(&sandbox, "prompt");
        quiet("after a hook");
        // Nothing that was sealed is destroyed: the key may be found.
        let ledgers = |files: &std::collections::BTreeMap<String, Vec<u8>>| -> usize {
            let tokens = files.iter().filter(|(name, _)| name.starts_with("state/pimem/trust/"));
            tokens.map(|(_, bytes)| bytes.windows(7).filter(|w| w == b"enc:v1:").count()).sum()
        };
        assert!(ledgers(&sandbox.everything()) >= ledgers(&old), "{moved}");
    }
}

/// As earlier versions left it: lines of a lost key among those of the new store.
#[test]
fn sealing_again_sets_aside_what_only_a_lost_key_opens() {
    let (lost, sandbox) = (sealed(), sealed());
    let ledger = |sandbox: &Sandbox| {
        let files = fs::read_dir(sandbox.root().join("state/pimem/trust")).unwrap();
        let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
        files.retain(|path| !path.ends_with("lock"));
        files.remove(0)
    };
    let mixed = [fs::read(ledger(&lost)).unwrap(), fs::read(ledger(&sandbox)).unwrap()].concat();
    fs::write(ledger(&sandbox), mixed).unwrap();
    assert_eq!(sandbox.run(&["encrypt", "status"]).code, 1);
    assert!(sandbox.run(&["list"]).stderr.contains("cannot be opened"));
    let said = seal(&sandbox);
    assert!(said.contains("Sealed"), "{said}");
    assert_eq!(sandbox.run(&["encrypt", "status"]).code, 0);
    let listed = sandbox.run(&["list"]);
    assert!(listed.stderr.is_empty() && listed.stdout.contains(&canary(0)), "{listed:?}");
    let report = sandbox.run(&["report"]).ok();
    assert!(report.contains(&canary(0)), "what was trusted still is: {report}");
}

#[test]
fn sealing_says_whether_history_holds_plain_text() {
    for (commits, says) in [("before", true), ("never", false), ("after", false)] {
        let sandbox = Sandbox::new("empty");
        sandbox.git("project", &["init", "-q"]);
        sandbox.run(&["add", "Ships are unloaded at night"]).done();
        let commit = || {
            sandbox.git("project", &["add", "-A"]);
            sandbox.git("project", &["commit", "-qm", "all"]);
        };
        if commits == "before" {
            commit();
        }
        let first = sandbox.run(&["encrypt", "init"]);
        let is_told = |stderr: &str| stderr.contains("history of git still holds the plain text");
        assert_eq!((first.code, is_told(&first.stderr)), (0, says), "{commits}: {first:?}");
        if commits == "after" {
            commit();
            let again = sandbox.run(&["encrypt", "init"]);
            assert_eq!((again.code, is_told(&again.stderr)), (0, false), "{again:?}");
        }
    }
}
