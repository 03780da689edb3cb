//! Remains of killed processes and unusable directories are cleaned up, completed or reported, and
//! block no command.

use std::{
    fs,
    os::unix::fs::symlink,
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

/// Returns the key of the project's store, which names its files on this machine.
fn key(sandbox: &Sandbox) -> String {
    let ledgers = fs::read_dir(sandbox.root().join("state/pimem/trust")).unwrap();
    let mut names = ledgers.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.find(|name| name != "lock").unwrap()
}

/// A process that replaces files in a directory under its lock deletes temporary files left there.
#[test]
fn temporary_files() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).ok();
    sandbox.git("project", &["init", "-q"]);
    let transcript = repository().join("fixtures/transcripts/claude.jsonl");
    let transcript = transcript.to_str().unwrap();
    let dreams = format!("state/pimem/dream/{}", key(&sandbox));
    let memory = "project/.pi/memory";
    let runs = [
        (&["add", "One"][..], &[memory, "state/pimem/trust"][..]),
        (
            &["forget", "--archive", "One"],
            &["project/.pi/memory/topics", "project/.pi/memory/archive"],
        ),
        (&["log", "A line"], &["project/.pi/memory/daily"]),
        (&["dream", "index", transcript], &["project/.git/pimem/data"]),
        (
            &["dream", "observe", transcript],
            &["project/.pi/memory/observations", "project/.git/pimem/data/observations"],
        ),
        (&["dream", "--force"], &["project/.git/pimem/data/dream", &dreams]),
        (&["hooks", "install", "claude", "--user"], &["state/pimem/hooks", "home/.claude"]),
        (&["merge-driver", "--install"], &["project/.git/info"]),
    ];
    for (args, dirs) in runs {
        let place = |dir: &str, name: &str| sandbox.root().join(dir).join(name);
        for dir in dirs {
            fs::create_dir_all(place(dir, "")).unwrap();
            fs::write(place(dir, ".pimem-tmp-0a0a0a0a"), "half a fi").unwrap();
            fs::write(place(dir, "pimem-tmp-of-mine"), "").unwrap();
        }
        // One of the commands runs git, which must be in the path.
        let done = match args[0] {
            "merge-driver" => sandbox.shell(&format!("pimem {}", args.join(" "))),
            _ => sandbox.run(args),
        };
        assert_eq!(done.code, 0, "{args:?}: {}", done.stderr);
        for dir in dirs {
            assert!(!place(dir, ".pimem-tmp-0a0a0a0a").exists(), "{args:?} {dir}");
            assert!(place(dir, "pimem-tmp-of-mine").exists(), "{args:?} {dir}");
        }
    }
}

/// Where no lock tells whether its process lives, a temporary file is one of a killed process when it
/// is old.
#[test]
fn temporary_files_in_the_cache_and_beside_outputs() {
    let sandbox = Sandbox::new("harbor");
    sandbox.run(&["rebuild", "-q"]).done();
    let index = fs::read_dir(sandbox.cache().join("pimem")).unwrap();
    let index = index.map(|entry| entry.unwrap().path()).find(|path| path.is_dir()).unwrap();
    let runs: [(&str, &[&Path]); 5] = [
        ("rebuild -q", &[Path::new("cache/pimem"), Path::new("cache/pimem/models"), &index]),
        ("sync --bundle out/a.bundle", &[Path::new("project/out")]),
        ("export jsonl --output out/a.jsonl", &[Path::new("project/out")]),
        ("report --html out/a.html", &[Path::new("project/out")]),
        ("export embeddings --output a.json", &[Path::new("project")]),
    ];
    let days = |days: u64| SystemTime::now() - Duration::from_hours(24 * days);
    for (line, dirs) in runs {
        let place = |dir: &Path, name: &str| sandbox.root().join(dir).join(name);
        for dir in dirs {
            fs::create_dir_all(place(dir, "")).unwrap();
            for (name, age) in [(".pimem-tmp-0a0a0a0a", 2), ("pimem-tmp-of-mine", 2)] {
                fs::write(place(dir, name), "half a fi").unwrap();
                let file = fs::File::options().write(true).open(place(dir, name)).unwrap();
                file.set_modified(days(age)).unwrap();
            }
            if *dir != index {
                fs::write(place(dir, ".pimem-tmp-in-use"), "half a fi").unwrap();
            }
        }
        let done = sandbox.run(&line.split(' ').collect::<Vec<_>>());
        assert_eq!(done.code, 0, "{line}: {done:?}");
        for dir in dirs {
            assert!(!place(dir, ".pimem-tmp-0a0a0a0a").exists(), "{line} {dir:?}");
            assert!(place(dir, "pimem-tmp-of-mine").exists(), "{line} {dir:?}");
            let is_used = place(dir, ".pimem-tmp-in-use").exists();
            assert!(is_used || *dir == index, "{line} {dir:?}");
        }
    }
}

/// Without a state directory, only records of review are lost.
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
            "forget rollback",
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
        // A dream is all or nothing, which it cannot guarantee here, so it is refused.
        if place != "state/pimem/trust" {
            let tree = || {
                let mut tree = sandbox.tree();
                tree.retain(|name, _| !name.starts_with(".pi/data/"));
                tree
            };
            let before = tree();
            let refused = sandbox.run(&["dream", "--force"]).refused();
            assert!(refused.contains(&*path.to_string_lossy()), "{place}: {refused}");
            let after = tree();
            let changed = |name: &&String| after.get(*name) != before.get(*name);
            let changed: Vec<_> = before.keys().chain(after.keys()).filter(changed).collect();
            assert_eq!(changed, Vec::<&String>::new(), "{place}");
        }
    }
}

/// An interrupted journal whose topic has become full is completed by the next process, in a file in
/// which the topic goes on.
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
    assert!(done.stderr.starts_with("Ended what an interrupted command had begun"), "{done:?}");
    assert!(!dir.join("journal.json").exists());
    let known: Vec<String> = sandbox.entries().into_keys().collect();
    assert_eq!(known, ["Sails are set", "The next", words.trim()]);
}

/// Ended sessions are found among any number of running ones.
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

/// Every command names the lock that it cannot take.
#[test]
fn locks_are_named() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).ok();
    let hooks = ["hooks", "install", "claude", "--user"];
    let session = ["dream", "index", "-"];
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
        // An entry that is not in the trust ledger.
        sandbox.plant("topics/patterns.md", "- [pattern] By hand\n");
        let done = sandbox.pipe(args, input);
        assert_eq!(done.code, 2, "{args:?}: {done:?}");
        let says = format!("cannot lock {}", path.display());
        assert!(done.stderr.contains(&says), "{args:?}: {}", done.stderr);
        fs::remove_dir(&path).unwrap();
    }
}

/// If the log cannot grow, a partial event is removed from its end.
#[test]
fn half_an_event_is_taken_back() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["add", "Before"]).done();
    // Padding of empty lines, which are not events, makes the log the longest file in the sandbox.
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
    sandbox.run(&["check"]).done();
}

/// `data/` is ignored by git, even if a clone or a power cut left a different `.gitignore`.
#[test]
fn what_git_is_told_of_data() {
    for what in ["nothing", "empty", "link to nothing", "link"] {
        let sandbox = Sandbox::new("empty");
        sandbox.run(&["add", "Locks survive"]).done();
        let data = sandbox.project().join(".pi/data");
        let ignore = data.join(".gitignore");
        fs::create_dir_all(&data).unwrap();
        fs::write(sandbox.root().join("outside"), "*\n").unwrap();
        drop(fs::remove_file(&ignore));
        match what {
            "empty" => fs::write(&ignore, "").unwrap(),
            "link" => symlink("../../../outside", &ignore).unwrap(),
            "link to nothing" => symlink("../../../none", &ignore).unwrap(),
            _ => {}
        }
        call(&sandbox, "claude", "prompt", "{\"session_id\":\"s\",\"prompt\":\"Where is it?\"}")
            .ok();
        assert!(data.join("sessions").is_dir() && !ignore.is_symlink(), "{what}");
        assert_eq!(fs::read_to_string(&ignore).unwrap(), "*\n", "{what}");
        assert!(!sandbox.root().join("none").exists(), "{what}");
    }
}
