//! Telemetry: records are complete, bounded and private, and never block a command.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use serde_json::{Value, json};

use crate::{
    bad_files::{chmod, run_unprivileged},
    common::{every, sandbox::Sandbox},
};

const LIMIT: usize = 512_000;
const KEPT: usize = 200;
const FIND: &[&str] = &["search", "-n", "1", "berth"];

/// Returns a store with one entry, and a directory for local data.
fn store() -> Sandbox {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).ok();
    sandbox.run(&["add", "Berth windows are closed intervals in UTC"]).ok();
    fs::create_dir_all(data(&sandbox)).unwrap();
    sandbox
}

fn data(sandbox: &Sandbox) -> PathBuf {
    sandbox.project().join(".pi/data")
}

fn log(sandbox: &Sandbox) -> PathBuf {
    data(sandbox).join("memory-telemetry.jsonl")
}

/// Returns the records of the log; every line must be a record or empty.
fn records(sandbox: &Sandbox) -> Vec<Value> {
    let text = fs::read_to_string(log(sandbox)).unwrap_or_default();
    assert!(text.is_empty() || text.ends_with('\n'));
    let lines = text.lines().filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn injection(ts: &str, ids: &[&str]) -> String {
    let entry = |id: &&str| json!({"id": id, "text": "x", "similarity": 0.5});
    let entries: Vec<Value> = ids.iter().map(entry).collect();
    let record = json!({
        "ts": ts, "agent": "claude", "session": "s", "type": "injection", "event": "prompt",
        "prompt": "p".repeat(200), "entries": entries,
    });
    format!("{record}\n")
}

fn id(sandbox: &Sandbox) -> String {
    let entries = sandbox.entries();
    entries.values().next().unwrap()["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_search_is_one_whole_line_whoever_else_searches() {
    let sandbox = store();
    let (workers, each) = (16, 50 / every(4));
    thread::scope(|threads| {
        for worker in 0..workers {
            let sandbox = &sandbox;
            threads.spawn(move || {
                for number in 0..each {
                    let mut command = sandbox.command(FIND);
                    command.env("PIMEM_AGENT", format!("w{worker}"));
                    command.env("PIMEM_SESSION", number.to_string());
                    crate::common::sandbox::outcome(command).ok();
                }
            });
        }
    });
    let mut names: Vec<String> = records(&sandbox)
        .iter()
        .map(|record| {
            assert_eq!(
                (&record["type"], &record["entries"]),
                (&json!("access"), &json!([id(&sandbox)]))
            );
            format!("{}/{}", record["agent"], record["session"])
        })
        .collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), workers * each);
    assert_eq!(sandbox.entries().values().next().unwrap()["accessCount"], workers * each);
}

#[test]
fn what_is_too_large_is_cut_to_its_last_lines() {
    let sandbox = store();
    let line = injection("2026-06-01T10:00:00.000Z", &["00000000000000aa"]);
    let most = (LIMIT - 200) / line.len();
    fs::write(log(&sandbox), line.repeat(most)).unwrap();
    sandbox.run(FIND).ok();
    assert_eq!(records(&sandbox).len(), most + 1, "it is not too large yet");
    fs::write(log(&sandbox), line.repeat(LIMIT / line.len() + 1)).unwrap();
    sandbox.run(FIND).ok();
    let after = records(&sandbox);
    assert_eq!((after.len(), &after[KEPT - 1]["type"]), (KEPT, &json!("access")));
    assert_eq!(sandbox.litter(), Vec::<String>::new());
    // Lines so long that keeping 200 of them would exceed the limit again.
    let long = injection("2026-06-01T10:00:00.000Z", &["00000000000000aa"; 200]);
    fs::write(log(&sandbox), long.repeat(LIMIT / long.len() + 1)).unwrap();
    sandbox.run(FIND).ok();
    assert!(fs::metadata(log(&sandbox)).unwrap().len() <= LIMIT as u64 / 2);
    assert!(records(&sandbox).len() > 10);
}

#[test]
fn readers_never_see_half_of_it() {
    let sandbox = store();
    let line = injection("2026-06-01T10:00:00.000Z", &["00000000000000aa"]);
    let full = line.repeat(LIMIT / line.len());
    fs::write(log(&sandbox), &full).unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|threads| {
        let reader = threads.spawn(|| {
            let mut reads = 0;
            while !done.load(Ordering::Relaxed) || reads == 0 {
                let summary = sandbox.run(&["telemetry", "--json"]).json();
                assert_eq!(summary["damaged"], 0);
                assert!(summary["records"].as_u64().unwrap() >= KEPT as u64, "{summary}");
                reads += 1;
            }
            reads
        });
        for _ in 0..5 {
            // Renamed into place as an editor would, so that no reader sees a partial file.
            fs::write(data(&sandbox).join("new"), &full).unwrap();
            fs::rename(data(&sandbox).join("new"), log(&sandbox)).unwrap();
            thread::scope(|threads| {
                for _ in 0..4 {
                    threads.spawn(|| {
                        for _ in 0..3 {
                            sandbox.run(FIND).ok();
                        }
                    });
                }
            });
            assert!(records(&sandbox).len() < KEPT + 12, "it was shortened");
        }
        done.store(true, Ordering::Relaxed);
        assert!(reader.join().unwrap() > 1);
    });
}

#[test]
fn damaged_lines_and_other_times() {
    let sandbox = store();
    let id = id(&sandbox);
    let mut bytes = injection("2026-06-01T10:00:00.000Z", &[&id]).into_bytes();
    bytes.extend(b"\xff\xfe\x00garbage\n\n{\"ts\":\"2026-06-01T10:00:00Z\"}\n[]\n");
    bytes.extend(
        b"{\"ts\":\"2026-06-02T10:00:00Z\",\"agent\":\"x\",\"type\":\"of-tomorrow\",\"a\":{}}\n",
    );
    bytes.extend(injection("2031-01-01T00:00:00.000Z", &[&id]).into_bytes());
    bytes.extend(br#"{"ts":"2026-06-03T10:00:00Z","agent":"x","type":"acc"#);
    fs::write(log(&sandbox), &bytes).unwrap();
    sandbox.run(FIND).ok();
    let summary = sandbox.run(&["telemetry", "--json"]).json();
    assert_eq!((&summary["records"], &summary["damaged"]), (&json!(3), &json!(4)));
    assert_eq!(summary["to"], "2026-06-30T18:00:00.000Z", "the future is now");
    let shown = sandbox.run(&["why", "--json", &id]).json();
    assert_eq!(shown["entry"]["accessCount"], 3);
    assert_eq!(shown["entry"]["lastAccessed"], "2026-06-30T18:00:00.000Z");
    let after = fs::read(log(&sandbox)).unwrap();
    assert!(after.starts_with(&bytes), "nothing is repaired");
    assert!(after[bytes.len()..].starts_with(b"\n{"), "and nothing is joined to a torn line");
}

#[test]
fn what_cannot_be_written_costs_a_record_only() {
    let sandbox = store();
    let want = sandbox.run(FIND).ok();
    let noted = records(&sandbox);
    chmod(log(&sandbox), 0o444);
    chmod(data(&sandbox), 0o555);
    let check = |why: &str| {
        let done = run_unprivileged(&sandbox, FIND);
        assert_eq!((done.code, &done.stdout, done.stderr.as_str()), (0, &want, ""), "{why}");
    };
    check("read-only");
    assert_eq!(records(&sandbox), noted);
    assert_eq!(
        run_unprivileged(&sandbox, &["telemetry", "log", "--json"]).json()["records"],
        json!(noted)
    );
    chmod(data(&sandbox), 0o755);

    fs::remove_file(log(&sandbox)).unwrap();
    fs::create_dir(log(&sandbox)).unwrap();
    check("a directory in its place");
    assert_eq!(sandbox.run(&["telemetry"]).code, 2);

    fs::remove_dir(log(&sandbox)).unwrap();
    fs::write(sandbox.root().join("outside"), "mine\n").unwrap();
    symlink(sandbox.root().join("outside"), log(&sandbox)).unwrap();
    check("a link that leads out");
    assert_eq!(sandbox.run(&["telemetry", "clear", "--yes"]).code, 2);
    assert_eq!(fs::read(sandbox.root().join("outside")).unwrap(), b"mine\n");

    fs::remove_dir_all(data(&sandbox)).unwrap();
    fs::create_dir(sandbox.root().join("elsewhere")).unwrap();
    symlink(sandbox.root().join("elsewhere"), data(&sandbox)).unwrap();
    // Session summaries are there too, so the search reports the problem.
    let done = run_unprivileged(&sandbox, FIND);
    assert_eq!((done.code, &done.stdout), (2, &want));
    assert_eq!(done.stderr.matches("leads out").count(), 1, "{}", done.stderr);
    assert_eq!(fs::read_dir(sandbox.root().join("elsewhere")).unwrap().count(), 0);

    fs::remove_file(data(&sandbox)).unwrap();
    fs::write(data(&sandbox), "").unwrap();
    let done = run_unprivileged(&sandbox, FIND);
    assert_eq!(done.stdout, want, "{}", done.stderr);
    assert_eq!(fs::read(data(&sandbox)).unwrap(), b"");
}

#[test]
fn only_what_is_wanted_is_noted() {
    let sandbox = store();
    let touched = || fs::read(log(&sandbox)).unwrap_or_default().len();
    sandbox.run(&["search", "--no-touch", "berth"]).ok();
    assert_eq!(sandbox.run(&["search", "--mode", "keyword", "zzqq"]).code, 1);
    let mut off = sandbox.command(FIND);
    off.env("PIMEM_TELEMETRY_ENABLED", "false");
    crate::common::sandbox::outcome(off).ok();
    for args in [&["list"][..], &["report"], &["why", "berth"], &["telemetry"]] {
        drop(sandbox.run(args));
    }
    assert_eq!(touched(), 0);
    sandbox.run(FIND).ok();
    let once = touched();
    assert!(once > 0);
    let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(log(&sandbox)), 0o600);
    assert_eq!(fs::read_to_string(data(&sandbox).join(".gitignore")).unwrap(), "*\n");
    drop(sandbox.run(&["telemetry"]));
    assert_eq!(touched(), once, "asking about it is not noted");

    // Only counting makes the directory.
    fs::remove_dir_all(data(&sandbox)).unwrap();
    let before = sandbox.tree();
    sandbox.run(&["search", "--no-touch", "berth"]).ok();
    assert_eq!(sandbox.tree(), before);
    sandbox.run(FIND).ok();
    assert!(data(&sandbox).join("access.json").is_file());
    fs::remove_dir_all(data(&sandbox)).unwrap();
    // A project can neither disable nor enable telemetry.
    sandbox.configure(r#"{"telemetry": {"enabled": false}}"#);
    fs::create_dir(data(&sandbox)).unwrap();
    let found = sandbox.run(FIND);
    assert!(found.stderr.contains("may not set telemetry.enabled; left out"), "{}", found.stderr);
    found.done();
    assert!(touched() > 0, "it is noted all the same");
}

#[test]
fn counts_follow_an_entry_and_end_with_it() {
    let sandbox = store();
    sandbox.run(FIND).ok();
    sandbox.run(FIND).ok();
    let former = id(&sandbox);
    fs::write(
        log(&sandbox),
        fs::read_to_string(log(&sandbox)).unwrap()
            + &injection("2026-06-30T17:00:00.000Z", &[&former, "00000000000000aa"])
            + &format!("{{\"torn\":\"{former}"),
    )
    .unwrap();
    sandbox.run(&["edit", &former, "Berth windows are half-open intervals in UTC"]).ok();
    let entry = &sandbox.entries()["Berth windows are half-open intervals in UTC"];
    assert_eq!(entry["accessCount"], 2, "by its former wording");
    let counts = || fs::read_to_string(data(&sandbox).join("access.json")).unwrap();
    assert!(counts().contains(&former));
    sandbox.run(&["forget", "--destroy", "--yes", "half-open"]).done();
    assert!(!counts().contains(&former), "{}", counts());
    let left = records(&sandbox);
    assert_eq!(left.len(), 1, "{left:?}");
    let kept = json!([{"id": "00000000000000aa", "text": "x", "similarity": 0.5}]);
    assert_eq!(left[0]["entries"], kept);
}

#[test]
fn each_store_has_its_own() {
    let sandbox = store();
    sandbox.run(&["--user", "init"]).ok();
    sandbox.run(&["--user", "add", "Berth times are told in local time"]).ok();
    fs::create_dir_all(sandbox.home().join(".pi/agent/data")).unwrap();
    sandbox.run(&["search", "berth"]).ok();
    let count = |args: &[&str]| {
        let args: Vec<&str> = args.iter().copied().chain(["telemetry", "log", "--json"]).collect();
        sandbox.run(&args).json()["records"].as_array().unwrap().len()
    };
    assert_eq!(
        (count(&[]), count(&["--scope", "user"]), count(&["--scope", "project"])),
        (2, 1, 1)
    );
    sandbox.run(&["--user", "telemetry", "clear", "--yes"]).ok();
    assert_eq!(count(&[]), 1);
}
