//! What killed processes and unusable directories leave: it is swept, ended or said, and stops nobody.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, SystemTime},
};

use serde_json::json;

use crate::{
    common::{
        repository,
        sandbox::{PIMEM, Sandbox, outcome},
    },
    hooks::call,
};

/// The key of the project's store, by which files of this machine are called.
fn key(sandbox: &Sandbox) -> String {
    let ledgers = fs::read_dir(sandbox.root().join("state/pimem/trust")).unwrap();
    let mut names = ledgers.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.find(|name| name != "lock").unwrap()
}

/// Arguments, how they are run, and the directories that this sweeps.
type Run<'a> = (&'a [&'a str], &'a dyn Fn(&[&str]), &'a [&'a str]);

/// Whoever replaces files in a directory and has its lock deletes what another left there.
#[test]
fn temporary_files() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).ok();
    sandbox.git("project", &["init", "-q"]);
    let transcript = repository().join("fixtures/transcripts/claude.jsonl");
    let transcript = transcript.to_str().unwrap();
    let dreams = format!("state/pimem/dream/{}", key(&sandbox));
    let memory = "project/.pi/memory";
    let session = ["session", "index", transcript];
    let git = |args: &[&str]| {
        sandbox.shell(&format!("pimem {}", args.join(" "))).ok();
    };
    let plain = |args: &[&str]| drop(sandbox.run(args).done());
    let runs: [Run<'_>; 7] = [
        (&["add", "One"], &plain, &[memory, "state/pimem/trust"]),
        (&["remove", "One"], &plain, &["project/.pi/memory/topics", "project/.pi/memory/archive"]),
        (&["log", "A line"], &plain, &["project/.pi/memory/daily"]),
        (&session, &plain, &["project/.pi/data"]),
        (
            &["observe", transcript],
            &plain,
            &["project/.pi/memory/observations", "project/.pi/data/observations"],
        ),
        (&["dream", "--force"], &plain, &["project/.pi/data/dream", &dreams]),
        (&["hooks", "install", "claude", "--user"], &plain, &["state/pimem/hooks", "home/.claude"]),
    ];
    let switch: Run<'_> = (&["merge-driver", "--install"], &git, &["project/.git/info"]);
    for (args, run, dirs) in runs.into_iter().chain([switch]) {
        let place = |dir: &str, name: &str| sandbox.root().join(dir).join(name);
        for dir in dirs {
            fs::create_dir_all(place(dir, "")).unwrap();
            fs::write(place(dir, ".pimem-tmp-0a0a0a0a"), "half a fi").unwrap();
            fs::write(place(dir, "pimem-tmp-of-mine"), "").unwrap();
        }
        run(args);
        for dir in dirs {
            assert!(!place(dir, ".pimem-tmp-0a0a0a0a").exists(), "{args:?} {dir}");
            assert!(place(dir, "pimem-tmp-of-mine").exists(), "{args:?} {dir}");
        }
    }
}

/// Without a place for what this machine knows, reviewing is what is lost.
#[test]
fn no_directory_for_what_this_machine_knows() {
    for place in ["state", "state/pimem", "state/pimem/dream", "state/pimem/trust"] {
        let sandbox = Sandbox::new("harbor");
        let path = sandbox.root().join(place);
        fs::remove_dir_all(&path).unwrap_or_default();
        fs::write(&path, "").unwrap();
        for line in [
            "add One more",
            "pin rollback",
            "remove rollback",
            "restore rollback",
            "log A line",
            "note A note",
            "todo add Something",
            "todo done Something",
            "handoff",
            "check --fix --rule duplicate",
            "rebuild",
            "list",
            "report",
            "search berth",
        ] {
            let done = sandbox.run(&line.split(' ').collect::<Vec<_>>());
            assert!(done.code < 2, "{place}: {line}: {done:?}");
            let said = |line: &str| {
                line.starts_with("Not noted as reviewed") || line.contains("pimem trust --review")
            };
            assert!(done.stderr.lines().all(said), "{place}: {line}: {done:?}");
        }
        assert!(path.is_file(), "{place}");
        // All of a dream or nothing of it: that, it cannot promise.
        if place != "state/pimem/trust" {
            let tree = || {
                let mut tree = sandbox.tree();
                tree.retain(|name, _| !name.starts_with(".pi/data/"));
                tree
            };
            let before = tree();
            let refused = sandbox.run(&["dream", "--force"]).refused();
            assert!(refused.contains(&*path.to_string_lossy()), "{place}: {refused}");
            assert_eq!(tree(), before, "{place}");
        }
    }
}

/// A journal that was begun, and whose topic has no room any more, is ended by whoever comes next.
#[test]
fn a_journal_without_room() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["add", "Locks survive"]).done();
    let id = sandbox.entries()["Locks survive"]["id"].as_str().unwrap().to_owned();
    let dir = sandbox.root().join("state/pimem/dream").join(key(&sandbox));
    fs::create_dir_all(&dir).unwrap();
    let (words, wanted) = ("word ".repeat(2500), "Sails are set".to_owned());
    let change = |what: serde_json::Value, stem: &str| {
        let mut change = json!({"archive": false, "stem": stem});
        change.as_object_mut().unwrap().extend(what.as_object().unwrap().clone());
        change
    };
    let append = |text: &str| json!({"do": "append", "category": "lesson", "text": text.trim(), "pinned": false, "enforced": false});
    let of = json!({"entry": id, "category": "lesson", "text": "Locks survive"});
    let journal = json!({"events": [], "changes": [
        change(json!({"do": "reword", "of": of, "text": words.trim()}), "lessons"),
        change(append(&words), "lessons"),
        change(append(&wanted), "elsewhere"),
    ]});
    fs::write(dir.join("journal.json"), journal.to_string()).unwrap();
    let mut command = Command::new("timeout");
    command.args(["20", PIMEM, "add", "The next"]);
    sandbox.place(&mut command);
    let done = outcome(command);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(done.stderr.starts_with("Ended what an interrupted dream had begun"), "{done:?}");
    assert!(!dir.join("journal.json").exists());
    let known: Vec<String> = sandbox.entries().into_keys().collect();
    assert_eq!(known, ["Locks survive", "Sails are set", "The next"]);
}

/// However many sessions go on, those that are over are found among them.
#[test]
fn ledgers_of_sessions_that_are_over() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).ok();
    let dir = sandbox.project().join(".pi/data/sessions");
    fs::create_dir_all(&dir).unwrap();
    let path = |number: u32| dir.join(format!("{number:016x}.jsonl"));
    for number in 0..1100 {
        fs::write(path(number), "{\"op\":\"report\"}\n").unwrap();
    }
    let long_ago = SystemTime::now() - Duration::from_hours(13);
    let over: Vec<PathBuf> = (0..1100).step_by(100).map(path).collect();
    for path in &over {
        fs::File::options().append(true).open(path).unwrap().set_modified(long_ago).unwrap();
    }
    call(&sandbox, "claude", "session-start", "{\"source\":\"startup\"}").ok();
    let left: Vec<&PathBuf> = over.iter().filter(|path| path.exists()).collect();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 1100 - over.len());
}

/// What cannot be locked is named, whoever wanted the lock.
#[test]
fn locks_are_named() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).ok();
    let hooks = ["hooks", "install", "claude", "--user"];
    let session = ["session", "index", "-"];
    for (place, args) in [
        ("project/.pi/memory/lock", &["add", "One"][..]),
        ("state/pimem/hooks/lock", &hooks),
        ("project/.pi/data/lock", &session),
        ("state/pimem/trust/lock", &["trust", "--all"]),
    ] {
        let path = sandbox.root().join(place);
        drop(fs::remove_file(&path));
        fs::create_dir_all(&path).unwrap();
        let input = "Where are the berths painted?\n".repeat(4);
        // Something that the ledger does not hold.
        sandbox.plant("topics/patterns.md", "- [pattern] By hand\n");
        let done = sandbox.pipe(args, input);
        assert_eq!(done.code, 2, "{args:?}: {done:?}");
        let says = format!("cannot lock {}", path.display());
        assert!(done.stderr.contains(&says), "{args:?}: {}", done.stderr);
        fs::remove_dir(&path).unwrap();
    }
}

/// A log that may not grow any further is as it was before, not with half an event at its end.
#[test]
fn half_an_event_is_taken_back() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["add", "Before"]).done();
    // Empty lines are no events; nothing else in the sandbox is as long.
    let log = sandbox.read("evidence.jsonl");
    let log = format!("{log}{}", "\n".repeat(32 * 1024 - 100 - log.len()));
    sandbox.write("evidence.jsonl", &log);
    let limit = |line: &str| format!("trap '' XFSZ; ulimit -f 64; exec pimem {line}");
    let refused = sandbox.shell(&limit("add 'One more'")).refused();
    assert!(
        refused.contains("cannot append to") && refused.contains("evidence.jsonl"),
        "{refused}"
    );
    assert_eq!(sandbox.read("evidence.jsonl"), log);
    assert!(!sandbox.read("topics/lessons.md").contains("One more"));
    sandbox.run(&["add", "One more"]).ok();
    assert!(Path::new(&sandbox.path("topics/lessons.md")).exists());
    assert_eq!(sandbox.read("evidence.jsonl").lines().filter(|line| !line.is_empty()).count(), 2);
    sandbox.run(&["doctor"]).done();
}
