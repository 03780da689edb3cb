//! The root of a store: `.pi` and `.pi/memory` may be a link, a repository of their own, or lead
//! elsewhere by any way that a clone can bring. Such a root is no store until a person names it.

use std::{collections::BTreeMap, fs, os::unix::fs::symlink, path::Path};

use serde_json::json;

use crate::{
    common::{
        client::Client,
        sandbox::{Outcome, Sandbox, outcome},
    },
    hooks::{self, AGENTS, piped},
};

/// What stands where a root leads.
const SECRET: &str = "The merger codename is zzmerger";
/// What a person says in the clone.
const SAID: &str = "From now on, always use the harbor planner here";

/// What is said of it.
const NOT_KEPT: &str = "{\"systemMessage\":\"not kept: From now on, always use the harbor planner \
                        here (the store of this project leads away from it: pimem status)\"}\n";

/// Writes a store with one line.
fn store(dir: &Path) {
    fs::create_dir_all(dir.join("topics")).unwrap();
    fs::write(dir.join("topics/lessons.md"), format!("- [lesson] {SECRET}\n")).unwrap();
}

/// Gives the clone a root, and makes what it leads to.
type Root = fn(&Sandbox);

/// Links a part of the root.
fn link(sandbox: &Sandbox, part: &str, target: &str) {
    let path = sandbox.project().join(part);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    symlink(target, path).unwrap();
}

/// The roots that lead away, and the part that does.
const ROOTS: &[(&str, &str, Root)] = &[
    (".pi/memory", "a directory", |s| {
        fs::create_dir_all(s.root().join("victim")).unwrap();
        link(s, ".pi/memory", "../../victim");
    }),
    (".pi/memory", "a store", |s| {
        store(&s.root().join("private/.pi/memory"));
        link(s, ".pi/memory", "../../private/.pi/memory");
    }),
    (".pi/memory", "the user's store", |s| {
        s.run(&["--user", "add", "-q", SECRET]).done();
        link(s, ".pi/memory", "../../home/.pi/agent/memory");
    }),
    (".pi/memory", "a whole path", |s| {
        let there = s.root().join("private/.pi/memory");
        store(&there);
        link(s, ".pi/memory", there.to_str().unwrap());
    }),
    (".pi/memory", "a chain of links", |s| {
        store(&s.root().join("private"));
        link(s, "docs/more", "../../private");
        link(s, ".pi/memory", "../docs/more");
    }),
    (".pi/memory", "git's own directory", |s| {
        fs::create_dir_all(s.project().join(".git/info/memory")).unwrap();
        link(s, ".pi/memory", "../.git/info/memory");
    }),
    (".pi", "a directory", |s| {
        store(&s.root().join("x/memory"));
        link(s, ".pi", "../x");
    }),
    (".pi/memory", "a submodule", |s| {
        store(&s.path("."));
        fs::write(s.path(".git"), "gitdir: ../../.git/modules/memory\n").unwrap();
    }),
    (".pi", "a submodule", |s| {
        store(&s.path("."));
        s.git("project/.pi", &["init", "-q"]);
    }),
    (".pi/memory", "a store of a submodule", |s| {
        store(&s.project().join("lib/memory"));
        fs::write(s.project().join("lib/.git"), "gitdir: ../.git/modules/lib\n").unwrap();
        link(s, ".pi/memory", "../lib/memory");
    }),
];

fn clone(root: Root) -> Sandbox {
    let sandbox = Sandbox::new("empty");
    sandbox.git("project", &["init", "-q"]);
    root(&sandbox);
    sandbox
}

/// Returns all files but those of the machine, in which no text may be.
fn held(sandbox: &Sandbox) -> BTreeMap<String, Vec<u8>> {
    let mut files = sandbox.everything();
    let ours = ["state/pimem/hooks/", "project/.git/", "cache/"];
    files.retain(|name, _| !ours.iter().any(|dir| name.starts_with(dir)));
    files
}

/// A session of Claude Code in the clone; the answers together.
fn session(sandbox: &Sandbox, cwd: &Path) -> String {
    let mut said = String::new();
    for (event, more) in [
        ("session-start", json!({ "source": "startup" })),
        ("prompt", json!({ "prompt": SAID })),
        ("prompt", json!({ "prompt": "What is the merger codename of the harbor?" })),
        ("stop", json!({ "last_assistant_message": "The harbor planner" })),
        ("pre-compact", json!({ "trigger": "auto" })),
        ("session-end", json!({ "reason": "exit" })),
    ] {
        let mut message = json!({ "session_id": "s", "cwd": cwd });
        message.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let done = hooks::call(sandbox, "claude", event, message.to_string());
        assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{event}");
        said += &done.stdout;
    }
    said
}

#[test]
fn a_root_that_leads_away_is_no_store() {
    for (part, what, root) in ROOTS {
        let sandbox = clone(*root);
        let before = held(&sandbox);
        let is_same = |step: &str| {
            let now = held(&sandbox);
            let names = now.keys().chain(before.keys()).filter(|n| now.get(*n) != before.get(*n));
            assert_eq!(names.collect::<Vec<_>>(), Vec::<&String>::new(), "{part} {what}: {step}");
        };
        assert_eq!(session(&sandbox, &sandbox.project()), NOT_KEPT, "{part} {what}");
        is_same("a session");
        let place = sandbox.project().join(part).display().to_string();
        for line in [
            "list",
            "add Something new",
            "report",
            "search merger",
            "log x",
            "note x",
            "todo add x",
            "check --scope project",
            "undo",
            "rebuild",
            "trust --all",
            "trust --revoke",
            "config set report.budget 900",
            "encrypt init",
            "dream",
            "init",
        ] {
            let done = sandbox.run(&line.split(' ').collect::<Vec<_>>());
            assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{what}: {line}: {done:?}");
            for want in [&*place, "neither read nor written", "pimem trust --always"] {
                assert!(done.stderr.contains(want), "{what}: {line}: {done:?}");
            }
            is_same(line);
        }
        for line in ["status", "status --json", "check"] {
            let done = sandbox.run(&line.split(' ').collect::<Vec<_>>());
            let is_said = done.stdout.replace(['\n', ' '], "").contains(&*place.replace(' ', ""));
            assert!(is_said && done.code == i32::from(line == "check"), "{what}: {done:?}");
            assert!(!done.stdout.contains("zzmerger"), "{what}: {done:?}");
        }
        let mut client = Client::new(&sandbox);
        for (tool, given) in [
            ("memory_search", json!({ "query": "merger codename" })),
            ("memory_context", json!({})),
            ("memory_add", json!({ "text": "Berths are locked by row" })),
        ] {
            let said = client.failure(tool, &given);
            assert!(said.contains(&*place) && !said.contains("zzmerger"), "{tool}: {said}");
        }
        drop(client);
        is_same("MCP");
    }
}

#[test]
fn no_dialect_reads_or_writes_where_a_root_leads() {
    for (part, what, root) in [&ROOTS[1], &ROOTS[6]] {
        let sandbox = clone(*root);
        let before = held(&sandbox);
        for agent in AGENTS {
            for (event, message) in hooks::session_of(&sandbox, agent) {
                let done = hooks::call(&sandbox, agent, event, message);
                let told = format!("{}{}", done.stdout, done.stderr);
                assert_eq!((done.code, told.contains("zzmerger")), (0, false), "{agent} {event}");
            }
            assert_eq!(held(&sandbox), before, "{part} {what}: {agent}");
        }
    }
}

/// What is named is used, until it leads elsewhere or is taken back.
#[test]
fn a_person_names_a_root() {
    for (part, what, root) in ROOTS.iter().filter(|(_, what, _)| *what != "the user's store") {
        let sandbox = clone(*root);
        let named = sandbox.run(&["trust", "--always"]);
        assert_eq!(named.code, 0, "{part} {what}: {named:?}");
        let place = sandbox.project().join(part).display().to_string();
        assert!(named.stderr.contains(&format!("Named, as it leads now: {place}")), "{named:?}");
        sandbox.run(&["add", "A line of our own"]).done();
        let told = session(&sandbox, &sandbox.project());
        assert!(told.contains("A line of our own"), "{part} {what}: {told}");
        assert!(sandbox.run(&["list"]).done().contains("harbor planner"), "{part} {what}");
        if what.contains("submodule") {
            continue;
        }
        sandbox.run(&["trust", "--revoke"]).done();
        sandbox.run(&["list"]).refused();
        sandbox.run(&["trust", "--always"]).done();
        store(&sandbox.root().join("third/memory"));
        fs::remove_file(sandbox.project().join(part)).unwrap();
        let to = sandbox.root().join(if *part == ".pi" { "third" } else { "third/memory" });
        symlink(to, sandbox.project().join(part)).unwrap();
        let told = session(&sandbox, &sandbox.project());
        assert_eq!(told, NOT_KEPT, "{part} {what}: led elsewhere");
        sandbox.run(&["list"]).refused();
    }
}

/// Nothing is made by way of a link to nothing, and a project that is not there yet needs no store.
#[test]
fn roots_without_a_store() {
    for (part, target) in [(".pi/memory", "../../victim"), (".pi", "../x"), (".pi", "../nothing")] {
        let sandbox = Sandbox::new("empty");
        sandbox.git("project", &["init", "-q"]);
        fs::create_dir_all(sandbox.root().join("x")).unwrap();
        link(&sandbox, part, target);
        let before = held(&sandbox);
        session(&sandbox, &sandbox.project());
        assert_eq!(sandbox.run(&["list"]).ok(), "", "{part} {target}");
        for line in ["init", "add Something"] {
            let said = sandbox.run(&line.split(' ').collect::<Vec<_>>()).refused();
            assert!(said.contains("pimem trust --always"), "{part} {target}: {said}");
        }
        assert_eq!(held(&sandbox), before, "{part} {target}");
        // Another store than the project's is not concerned.
        sandbox.run(&["--user", "add", "A line of my own"]).done();
        sandbox.run(&["--dir", "own", "add", "A line elsewhere"]).done();
        sandbox.run(&["list"]).done();
    }
}

/// Links within the work tree, links above the root, and what a person has named.
#[test]
fn roots_that_stay() {
    let seen = |done: Outcome| -> bool { done.done().contains("zzmerger") };
    let inside = |sandbox: &Sandbox, part: &str, to: &str| {
        store(&sandbox.project().join(to));
        let up = if part == ".pi" { "" } else { "../" };
        let to = if part == ".pi" { to.trim_end_matches("/memory") } else { to };
        link(sandbox, part, &format!("{up}{to}"));
    };
    for (part, to) in [(".pi/memory", "docs/memory"), (".pi", "tools/pi/memory")] {
        for git in [true, false] {
            let sandbox = Sandbox::new("empty");
            if git {
                sandbox.git("project", &["init", "-q"]);
            }
            inside(&sandbox, part, to);
            let listed = sandbox.run(&["list"]).done();
            assert!(listed.contains("zzmerger") && listed.contains("unreviewed"), "{listed}");
            assert!(!session(&sandbox, &sandbox.project()).contains("zzmerger"), "unreviewed");
            sandbox.run(&["trust", "--all"]).done();
            assert!(seen(sandbox.run(&["report"])), "{part} {git}");
        }
    }
    // A part of a work tree that links to the store of the whole.
    let sandbox = Sandbox::new("empty");
    sandbox.git("project", &["init", "-q"]);
    store(&sandbox.store());
    fs::create_dir_all(sandbox.project().join("a/b")).unwrap();
    symlink("../.pi", sandbox.project().join("a/.pi")).unwrap();
    assert!(seen(sandbox.run_in("project/a/b", &["list"])));
    // Without git, the parent of `.pi` is all that there is.
    fs::remove_dir_all(sandbox.project().join(".git")).unwrap();
    assert!(sandbox.run_in("project/a/b", &["list"]).code == 2);
    // A work tree that is reached by a link, and a directory of it.
    let sandbox = Sandbox::new("empty");
    sandbox.git("project", &["init", "-q"]);
    store(&sandbox.store());
    sandbox.run(&["trust", "--all"]).done();
    fs::create_dir_all(sandbox.project().join("src")).unwrap();
    let alias = sandbox.root().join("alias");
    symlink(sandbox.project(), &alias).unwrap();
    symlink(sandbox.project().join("src"), sandbox.root().join("src")).unwrap();
    for cwd in [alias.clone(), alias.join("src"), sandbox.root().join("src")] {
        assert!(seen(sandbox.run_in(&cwd, &["list"])), "{cwd:?}");
    }
    assert!(session(&sandbox, &alias).contains("zzmerger"), "a hook's working directory");
    // A linked work tree uses its own store, or that of the main one.
    sandbox.git("project", &["commit", "-q", "--allow-empty", "-m", "one"]);
    sandbox.git("project", &["worktree", "add", "-q", "../side"]);
    assert!(seen(sandbox.run_in("side", &["list"])));
    symlink(sandbox.store(), sandbox.root().join("linked")).unwrap();
    // What a person names may be a link.
    assert!(seen(sandbox.run(&["--dir", "../linked", "list"])));
    let mut command = sandbox.command(&["list"]);
    command.env("PIMEM_DIR", sandbox.root().join("linked"));
    assert!(seen(outcome(command)));
}

/// A manager of dotfiles links the user's own store.
#[test]
fn the_users_store_may_be_a_link() {
    for part in [".pi", ".pi/agent", ".pi/agent/memory"] {
        let sandbox = Sandbox::new("empty");
        sandbox.git("project", &["init", "-q"]);
        let home = sandbox.home().join(part);
        let below = Path::new(".pi/agent/memory").strip_prefix(part).unwrap();
        let there = sandbox.root().join("dotfiles");
        fs::create_dir_all(home.parent().unwrap()).unwrap();
        fs::create_dir_all(there.join(below)).unwrap();
        symlink(&there, &home).unwrap();
        sandbox.run(&["--user", "add", SECRET]).done();
        assert!(there.join(below).join("topics").is_dir(), "{part}");
        assert!(session(&sandbox, &sandbox.project()).contains("zzmerger"), "{part}");
        // A home that is a repository is no work tree that a root may lead about in.
        sandbox.git("home", &["init", "-q"]);
        let clone = sandbox.home().join("clone");
        fs::create_dir_all(&clone).unwrap();
        symlink("../.pi/agent", clone.join(".pi")).unwrap();
        let mut hook = hooks::hook(&sandbox, "claude", "session-start");
        hook.current_dir(&clone);
        let message = json!({ "session_id": "t", "cwd": clone, "source": "startup" });
        assert_eq!(piped(hook, message.to_string()).stdout, "", "{part}");
        sandbox.run_in(&clone, &["list"]).refused();
    }
}

/// A command that is given a project's directory asks the same.
#[test]
fn other_projects_of_a_command() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["add", "A line of our own"]).done();
    store(&sandbox.root().join("private/.pi/memory"));
    fs::create_dir_all(sandbox.root().join("clone/.pi")).unwrap();
    symlink("../../private/.pi/memory", sandbox.root().join("clone/.pi/memory")).unwrap();
    let before = held(&sandbox);
    for line in ["sync --with ../clone", "sync --with ../clone --dry-run", "import pi ../clone"] {
        let said = sandbox.run(&line.split(' ').collect::<Vec<_>>()).refused();
        assert!(said.contains("clone/.pi/memory is a link that leads out"), "{line}: {said}");
        assert_eq!(held(&sandbox), before, "{line}");
    }
}
