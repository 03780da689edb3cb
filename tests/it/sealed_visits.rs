//! A store that was sealed, visited as it was before: by another branch, a linked work tree or
//! another clone. Hooks write nothing there, and what commands wrote is sealed by whoever writes
//! next.

use std::{collections::BTreeMap, fs};

use serde_json::{Value, json};

use crate::{
    common::{
        client::Client,
        sandbox::{Sandbox, copy_tree},
    },
    hooks::{self, AGENTS},
    sealed::{canary, key_file, leaks, seal},
};

/// A project with a branch from before it was sealed.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new("empty");
    sandbox.git("project", &["init", "-q"]);
    sandbox.run(&["add", "Gauge tests want a frozen clock"]).done();
    sandbox.commit("project");
    sandbox.git("project", &["branch", "old"]);
    seal(&sandbox);
    sandbox.commit("project");
    sandbox
}

fn checkout(sandbox: &Sandbox, branch: &str) {
    sandbox.git("project", &["checkout", "-q", branch]);
}

/// Returns all files but git's, and the notes of which agents have called.
fn held(sandbox: &Sandbox) -> BTreeMap<String, Vec<u8>> {
    let mut files = sandbox.everything();
    files.retain(|name, _| !name.contains("/.git/") && !name.contains("pimem/hooks/"));
    files
}

/// Has an agent's hooks told words that stand nowhere else.
fn session(sandbox: &Sandbox, agent: &str, id: &str, cwd: &str) {
    let (asked, done) = (canary(150), canary(151));
    for (event, message) in hooks::session_of(sandbox, agent) {
        let here = sandbox.root().join(cwd);
        let message =
            message.replace(&*sandbox.project().to_string_lossy(), &here.to_string_lossy());
        let mut message: Value = serde_json::from_str(&message).unwrap_or_default();
        let Some(fields) = message.as_object_mut() else { continue };
        for (key, value) in [
            (
                "prompt",
                format!("What about the {asked} clock? From now on always use {done} here."),
            ),
            ("last_assistant_message", format!("The {done} is done by the {asked} clock")),
        ] {
            if fields.contains_key(key) {
                fields.insert(key.to_owned(), json!(value));
            }
        }
        for key in ["session_id", "conversation_id"] {
            if fields.contains_key(key) {
                fields.insert(key.to_owned(), json!(format!("{agent}-{id}")));
            }
        }
        let mut hook = hooks::hook(sandbox, agent, event);
        hook.current_dir(here);
        assert_eq!(hooks::piped(hook, message.to_string()).code, 0, "{agent} {event}");
    }
}

/// Commands of a person, each with words that stand nowhere else. They leave plain text in every
/// place that there is.
fn commands(sandbox: &Sandbox, cwd: &str) {
    for (number, line) in
        ["add --force The ? is ready", "log met ?", "todo add ask ?", "note the host is ?"]
            .into_iter()
            .enumerate()
    {
        let line = line.replace('?', &canary(number));
        let args: Vec<&str> = line.split(' ').collect();
        let done = sandbox.run_in(cwd, &args);
        assert_eq!(done.code, 0, "{done:?}");
        assert!(done.stderr.contains("was sealed on this machine"), "{done:?}");
    }
    assert_eq!(sandbox.run_in(cwd, &["rebuild", "-q"]).code, 0);
    assert_eq!(sandbox.run_in(cwd, &["search", &canary(0)]).code, 0);
}

#[test]
fn hooks_of_every_agent_write_nothing_on_a_branch_from_before() {
    let sandbox = sandbox();
    checkout(&sandbox, "old");
    let before = held(&sandbox);
    for agent in AGENTS {
        session(&sandbox, agent, "old", "project");
        let now = held(&sandbox);
        let new = now.iter().filter(|(name, bytes)| before.get(*name) != Some(bytes));
        assert_eq!(new.map(|(name, _)| name).collect::<Vec<_>>(), Vec::<&String>::new(), "{agent}");
    }
    // A client of MCP cannot ask anybody either.
    let mut client = Client::new(&sandbox);
    let said = client.failure("memory_add", &json!({ "text": format!("{} is ready", canary(9)) }));
    assert!(said.contains("was sealed on this machine"), "{said}");
    drop(client);
    assert_eq!(leaks(&sandbox), Vec::<String>::new());
    checkout(&sandbox, "main");
    for agent in AGENTS {
        session(&sandbox, agent, "new", "project");
    }
    assert!(held(&sandbox) != before, "hooks write again");
    assert_eq!(leaks(&sandbox), Vec::<String>::new());
}

/// A way back to the sealed branch: what is run there.
type Back = fn(&Sandbox);

#[test]
fn whatever_writes_seals_what_a_visit_has_left() {
    let hook: Back = |s| session(s, "claude", "new", "project");
    let ways: [(&str, Back); 5] = [
        ("a hook", hook),
        ("add", |s| drop(s.run(&["add", "One more line"]).done())),
        ("log", |s| drop(s.run(&["log", "one more"]).done())),
        ("search", |s| drop(s.run(&["search", "gauge"]).done())),
        ("MCP", |s| {
            Client::new(s).document("memory_add", &json!({ "text": "Berths are locked by row" }));
        }),
    ];
    // The ledger of trust and the rest of the state directory may be lost on the way.
    for (what, back) in ways {
        for lost in [false, true] {
            // A search notes nothing of entries that await a review.
            if lost && what == "search" {
                continue;
            }
            let sandbox = sandbox();
            checkout(&sandbox, "old");
            commands(&sandbox, "project");
            assert_ne!(leaks(&sandbox), Vec::<String>::new(), "commands go on");
            if lost {
                fs::remove_dir_all(sandbox.root().join("state")).unwrap();
                session(&sandbox, "claude", "old", "project");
            }
            // What is in git's hands stays with its branch.
            sandbox.commit("project");
            checkout(&sandbox, "main");
            back(&sandbox);
            let left = leaks(&sandbox);
            assert_eq!(left, Vec::<String>::new(), "{what} {lost}");
            let status = sandbox.run(&["encrypt", "status"]);
            // Who takes no lock leaves the store's own files to who does.
            let is_whole = status.code == 0 && !status.stdout.contains("to be sealed");
            let takes_none = ["a hook", "search"].contains(&what);
            assert!(is_whole || takes_none, "{what} {lost}: {status:?}");
            let listed = sandbox.run(&["list"]).done();
            assert!(listed.contains("frozen clock"), "{what}: {listed}");
        }
    }
}

/// Files that git does not have stay where they are; a command seals them too.
#[test]
fn files_that_a_branch_leaves_behind() {
    let sandbox = sandbox();
    checkout(&sandbox, "old");
    commands(&sandbox, "project");
    sandbox.git("project", &["stash", "-q"]);
    checkout(&sandbox, "main");
    session(&sandbox, "claude", "new", "project");
    let left = leaks(&sandbox);
    let is_in_store = |name: &String| name.starts_with("project/.pi/memory/");
    assert!(!left.is_empty() && left.iter().all(is_in_store), "hooks leave them alone: {left:?}");
    sandbox.run(&["add", "One more line"]).done();
    assert_eq!(leaks(&sandbox), Vec::<String>::new());
}

/// A colleague has sealed the store; what this machine had noted beside it is sealed as well.
#[test]
fn a_store_that_comes_sealed() {
    let sandbox = sandbox();
    checkout(&sandbox, "old");
    fs::remove_dir_all(sandbox.root().join("state")).unwrap();
    session(&sandbox, "claude", "old", "project");
    assert_ne!(leaks(&sandbox), Vec::<String>::new(), "nothing says that it is to be sealed");
    sandbox.commit("project");
    checkout(&sandbox, "main");
    session(&sandbox, "claude", "new", "project");
    assert_eq!(leaks(&sandbox), Vec::<String>::new());
}

#[test]
fn linked_work_trees_are_one_store() {
    let sandbox = sandbox();
    sandbox.git("project", &["worktree", "add", "-q", "../side", "old"]);
    let before = held(&sandbox);
    for agent in AGENTS {
        session(&sandbox, agent, "side", "side");
    }
    assert_eq!(held(&sandbox), before);
    let said = sandbox.run_in("side", &["encrypt", "status"]);
    assert!(said.code == 1 && said.stdout.contains("is the same store as"), "{said:?}");
    // A person may say that it is plain there, which is no word on the others.
    assert_eq!(sandbox.run_in("side", &["encrypt", "decrypt"]).code, 0);
    session(&sandbox, "claude", "plain", "side");
    let left = leaks(&sandbox);
    // Its spool is where those of all work trees are.
    let of_side = ["side/", "project/.git/pimem/worktrees/side/"];
    let is_of_side = |name: &String| of_side.iter().any(|place| name.starts_with(place));
    assert!(!left.is_empty() && left.iter().all(is_of_side), "{left:?}");
    checkout(&sandbox, "--detach");
    sandbox.git("project", &["checkout", "-q", "old~0"]);
    let before = held(&sandbox);
    session(&sandbox, "claude", "old", "project");
    assert_eq!(held(&sandbox), before);
}

/// Clones of one store, of which one says that it is plain.
#[test]
fn a_store_id_that_two_clones_share() {
    let sandbox = sandbox();
    sandbox.git("", &["clone", "-q", "project", "other"]);
    sandbox.run_in("other", &["trust", "--always"]).done();
    let status = sandbox.run_in("other", &["encrypt", "decrypt"]).done();
    assert!(status.contains("Plain"), "{status}");
    for agent in AGENTS {
        session(&sandbox, agent, "plain", "other");
        session(&sandbox, agent, "sealed", "project");
    }
    let left = leaks(&sandbox);
    assert!(!left.is_empty() && left.iter().all(|name| name.starts_with("other/")), "{left:?}");
    // A `store.json` that says so of the same store is not this machine's word.
    let text = sandbox.read("store.json").replace("\"sealed\": true", "\"sealed\": false");
    sandbox.git("", &["clone", "-q", "-b", "old", "project", "third"]);
    fs::write(sandbox.root().join("third/.pi/memory/store.json"), text).unwrap();
    let before = held(&sandbox);
    session(&sandbox, "claude", "third", "third");
    assert_eq!(held(&sandbox), before);
}

/// A branch may bring a store that says that it is being made plain.
#[test]
fn an_end_of_sealing_that_was_not_begun_here() {
    let sandbox = sandbox();
    let store_json = sandbox.read("store.json");
    let opening = store_json.replace("\"sealed\": true", "\"sealed\": true, \"opening\": true");
    assert_ne!(opening, store_json);
    fs::write(sandbox.path("store.json"), opening).unwrap();
    let before = held(&sandbox);
    for agent in AGENTS {
        session(&sandbox, agent, "open", "project");
    }
    assert_eq!(held(&sandbox), before);
    assert_eq!(sandbox.run(&["encrypt", "decrypt"]).code, 0);
    session(&sandbox, "claude", "plain", "project");
    assert!(held(&sandbox) != before && key_file(&sandbox).exists());
}

/// A copy of the work tree at another place, sealed and with nothing remembered of it.
#[test]
fn a_copied_store() {
    let sandbox = sandbox();
    copy_tree(&sandbox.project(), &sandbox.root().join("copy"));
    let plain = format!("{{\"text\": \"{}\"}}\n", canary(7));
    fs::create_dir_all(sandbox.root().join("copy/.pi/data/sessions")).unwrap();
    for name in ["memory-telemetry.jsonl", "sessions/a.jsonl"] {
        fs::write(sandbox.root().join("copy/.pi/data").join(name), &plain).unwrap();
    }
    sandbox.run_in("copy", &["trust", "--all"]).done();
    session(&sandbox, "claude", "copy", "copy");
    assert_eq!(leaks(&sandbox), Vec::<String>::new());
}
