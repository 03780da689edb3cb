//! The run of a dream: its queue of sessions, its lock, its schedule, and its independence from the
//! caller.

use std::{
    fs,
    io::Write,
    path::PathBuf,
    process::Command,
    thread,
    time::{Duration, Instant, SystemTime},
};

use serde_json::{Value, json};

use crate::{
    common::{
        repository,
        sandbox::{PIMEM, Sandbox, outcome},
    },
    hooks::{hook, piped},
};

/// Returns the path of a file below `data/dream`.
fn path(sandbox: &Sandbox, name: &str) -> PathBuf {
    sandbox.project().join(".pi/data/dream").join(name)
}

fn kept(sandbox: &Sandbox, name: &str) -> Option<String> {
    fs::read_to_string(path(sandbox, name)).ok()
}

fn end(sandbox: &Sandbox, session: &str, more: &Value, with: impl FnOnce(&mut Command)) {
    let mut input = json!({"session_id": session, "cwd": sandbox.project(), "reason": "other"});
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let mut command = hook(sandbox, "claude", "session-end");
    with(&mut command);
    assert_eq!(piped(command, input.to_string()).ok(), "");
}

/// Creates a session with nothing to learn, ended at a time on 30 June.
fn session(sandbox: &Sandbox, name: &str, time: &str) -> PathBuf {
    let transcript = sandbox.root().join(format!("{name}.jsonl"));
    fs::write(&transcript, message(name)).unwrap();
    end(sandbox, name, &json!({"transcript_path": transcript}), |command| {
        command.env("PIMEM_NOW", format!("2026-06-30T{time}Z"));
    });
    transcript
}

fn message(session: &str) -> String {
    let record = json!({
        "type": "user", "uuid": "1", "sessionId": session, "cwd": "/x",
        "timestamp": "2026-06-30T10:00:00.000Z",
        "message": {"role": "user", "content": "Where is the log?"},
    });
    format!("{record}\n")
}

fn at(time: &str) -> String {
    format!("2026-{time}:00Z")
}

/// Runs a dream and returns the number of sessions that it read.
fn read(sandbox: &Sandbox, time: &str) -> usize {
    let said = sandbox.run(&["--now", &at(time), "dream"]).done();
    let last = said.lines().last().unwrap_or_default().to_owned();
    let count = last.split("; ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok());
    count.unwrap_or_else(|| panic!("{said}"))
}

fn wait_for(what: &str, there: impl Fn() -> bool) {
    let begun = Instant::now();
    while !there() {
        assert!(begun.elapsed() < Duration::from_mins(1), "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}

fn mark(sandbox: &Sandbox) -> Option<String> {
    fs::read_to_string(sandbox.path(".dream-watermark")).ok()
}

#[test]
fn a_session_that_ends_is_put_into_the_queue() {
    let sandbox = Sandbox::new("working");
    let transcript = repository().join("fixtures/session/transcript.jsonl");
    end(&sandbox, "none", &json!({}), |_| {});
    end(&sandbox, "gone", &json!({"transcript_path": "/no/such/file"}), |_| {});
    end(&sandbox, "odd", &json!({"transcript_path": sandbox.project()}), |_| {});
    assert_eq!(kept(&sandbox, "sessions.jsonl"), None, "nothing that could be read");
    end(&sandbox, "s1", &json!({"transcript_path": transcript}), |_| {});
    let queue = kept(&sandbox, "sessions.jsonl").unwrap();
    let line: Value = serde_json::from_str(queue.lines().next().unwrap()).unwrap();
    let want = json!({
        "session": "s1", "agent": "claude", "transcript": transcript,
        "ended": "2026-06-30T18:00:00.000Z",
    });
    assert_eq!((queue.lines().count(), line), (1, want));
    let said = fs::read_to_string(&transcript).unwrap();
    assert!(said.lines().all(|line| !queue.contains(line)), "nothing of what was said");
    assert_eq!(kept(&sandbox, "dream.log"), None, "nobody asked for dreams");
}

/// Agents without a hook at the end, or that were killed.
#[test]
fn a_session_that_ended_without_saying_so_is_put_there_later() {
    let sandbox = Sandbox::new("working");
    let transcript = sandbox.root().join("silent.jsonl");
    fs::write(&transcript, message("silent")).unwrap();
    let call = |event: &str, session: &str, more: Value| {
        let mut input = json!({"session_id": session, "cwd": sandbox.project()});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        drop(piped(hook(&sandbox, "claude", event), input.to_string()).ok());
    };
    call("prompt", "silent", json!({"prompt": "Where is it?", "transcript_path": transcript}));
    call("prompt", "elsewhere", json!({"prompt": "Where is it?"}));
    for ledger in fs::read_dir(sandbox.project().join(".pi/data/sessions")).unwrap() {
        let ledger = fs::File::options().append(true).open(ledger.unwrap().path()).unwrap();
        ledger.set_modified(SystemTime::now() - Duration::from_hours(13)).unwrap();
    }
    // The queue is truncated, however long it was.
    fs::create_dir_all(path(&sandbox, "")).unwrap();
    let old = json!({"agent": "x", "transcript": "/gone", "ended": "2026-06-01T00:00:00.000Z"});
    fs::write(path(&sandbox, "sessions.jsonl"), format!("{old}\n").repeat(5000)).unwrap();
    call("session-start", "next", json!({"source": "startup"}));
    let queue = || kept(&sandbox, "sessions.jsonl").unwrap();
    assert!(queue().contains("\"session\":\"silent\""));
    // On a busy machine, a process that does not get the lock in time leaves this to the next.
    let mut others = 0;
    while queue().lines().count() > 100 && others < 50 {
        others += 1;
        let other = sandbox.root().join("other.jsonl");
        fs::write(&other, message("other")).unwrap();
        end(&sandbox, "other", &json!({"transcript_path": other}), |_| {});
    }
    assert!(queue().lines().count() < 100, "{} lines", queue().lines().count());
    assert_eq!(read(&sandbox, "06-30T18:00"), 1 + others.min(1));
}

#[test]
fn a_session_is_dreamt_of_once_in_its_length() {
    let sandbox = Sandbox::new("working");
    let first = session(&sandbox, "s0", "09:00:00");
    for number in 1..7 {
        session(&sandbox, &format!("s{number}"), &format!("1{number}:00:00"));
    }
    assert_eq!(read(&sandbox, "06-30T18:00"), 5, "so many at a time");
    let queue = kept(&sandbox, "sessions.jsonl").unwrap();
    assert!(queue.lines().count() == 2 && queue.contains("\"s5\"") && queue.contains("\"s6\""));
    assert_eq!(read(&sandbox, "06-30T22:00"), 2);
    assert_eq!(kept(&sandbox, "sessions.jsonl").unwrap(), "");
    assert_eq!(read(&sandbox, "07-01T02:00"), 0);
    // A session that ends again unchanged, and one that was continued.
    let end_again = |id: &str| {
        end(&sandbox, id, &json!({"transcript_path": first}), |command| {
            command.env("PIMEM_NOW", at("07-01T03:00"));
        });
    };
    end_again("resumed");
    assert_eq!(read(&sandbox, "07-01T06:00"), 0);
    fs::OpenOptions::new().append(true).open(&first).unwrap().write_all(b"{}\n").unwrap();
    end_again("resumed again");
    assert_eq!(read(&sandbox, "07-01T10:00"), 1);
}

/// The clock of the machine was wrong for a while.
#[test]
fn a_clock_that_jumps_loses_no_session_and_stops_no_dream() {
    let sandbox = Sandbox::new("working");
    session(&sandbox, "ahead", "23:00:00");
    assert_eq!(read(&sandbox, "12-31T00:00"), 1);
    assert_eq!(mark(&sandbox).unwrap(), "2026-12-31T00:00:00.000Z\n");
    session(&sandbox, "later", "08:00:00");
    assert_eq!(read(&sandbox, "06-30T09:00"), 1, "the last dream is still to come");
    assert_eq!(mark(&sandbox).unwrap(), "2026-06-30T09:00:00.000Z\n");
    // A session that ended before the watermark, by a clock that was behind, still waits.
    session(&sandbox, "behind", "01:00:00");
    assert_eq!(read(&sandbox, "06-30T13:00"), 1);
    // Without its state file, a dream uses the watermark; a damaged one is ignored.
    fs::write(path(&sandbox, "state.json"), "{\"version\":").unwrap();
    session(&sandbox, "known", "12:00:00");
    session(&sandbox, "fresh", "14:00:00");
    assert_eq!(read(&sandbox, "06-30T17:00"), 1);
    fs::write(sandbox.path(".dream-watermark"), b"\xff\0 not a time").unwrap();
    fs::remove_file(path(&sandbox, "state.json")).unwrap();
    session(&sandbox, "last", "02:00:00");
    assert_eq!(read(&sandbox, "06-30T17:01"), 1, "due at once, and nothing is passed over");
}

#[test]
fn a_dream_is_due_some_hours_after_the_last() {
    let sandbox = Sandbox::new("working");
    let dream = |time: &str| sandbox.run(&["--now", &at(time), "dream"]);
    assert!(dream("06-30T18:00").ok().contains("0 sessions"));
    for time in ["06-30T18:01", "06-30T20:59"] {
        let said = dream(time);
        assert!(said.stderr.contains("the next is due at 2026-06-30 21:00:00"), "{said:?}");
        assert_eq!(mark(&sandbox).unwrap(), "2026-06-30T18:00:00.000Z\n");
    }
    dream("06-30T21:00").ok();
    assert_eq!(mark(&sandbox).unwrap(), "2026-06-30T21:00:00.000Z\n");
    let mut command = sandbox.command(&["--now", &at("06-30T21:30"), "dream"]);
    command.env("PIMEM_DREAM_INTERVAL_HOURS", "0.5");
    outcome(command).ok();
    assert_eq!(mark(&sandbox).unwrap(), "2026-06-30T21:30:00.000Z\n");
}

/// A clone may bring a queue, a state and a watermark, which must be ignored.
#[test]
fn what_a_clone_brings_is_not_listened_to() {
    let sandbox = Sandbox::new("working");
    let transcript = sandbox.root().join("other.jsonl");
    fs::write(&transcript, message("other")).unwrap();
    fs::create_dir_all(path(&sandbox, "")).unwrap();
    let planted = json!({
        "session": "other", "agent": "claude", "transcript": transcript,
        "ended": "2026-06-30T09:00:00.000Z",
    });
    fs::write(path(&sandbox, "sessions.jsonl"), format!("{planted}\n")).unwrap();
    assert_eq!(read(&sandbox, "06-30T18:00"), 0, "no hook of this machine has named it");
    end(&sandbox, "other", &json!({"transcript_path": transcript}), |_| {});
    assert_eq!(read(&sandbox, "06-30T22:00"), 1);
}

#[test]
fn one_dream_at_a_time() {
    let sandbox = Sandbox::new("working");
    fs::create_dir_all(path(&sandbox, "")).unwrap();
    let mut lock = fs::File::create(path(&sandbox, "lock")).unwrap();
    lock.write_all(b"{\"pid\":123,\"started\":\"2026-06-30T14:05:00.000Z\"}").unwrap();
    lock.lock().unwrap();
    let said = sandbox.run(&["dream"]).refused();
    let first = "pimem: another dream is under way (process 123, since 14:05)\n";
    assert!(said.starts_with(first), "{said}");
    let said = sandbox.run(&["--json", "dream"]).refused();
    assert!(said.contains("\"locked\""), "{said}");
    // A background dream does not wait for a running one.
    let said = sandbox.run(&["dream", "--detach"]);
    assert!(said.code == 0 && said.stderr.contains("process 123"), "{said:?}");
    assert_eq!(sandbox.run(&["dream", "--detached-run"]).ok(), "");
    let transcript = repository().join("fixtures/session/transcript.jsonl");
    end(&sandbox, "s", &json!({"transcript_path": transcript}), |command| {
        command.env("PIMEM_DREAM_ENABLED", "1");
    });
    assert_eq!(mark(&sandbox), None);
    lock.set_len(0).unwrap();
    let said = sandbox.run(&["dream"]).refused();
    assert!(said.starts_with("pimem: another dream is under way\n"), "{said}");
    drop(lock);
    // Left by a holder that no longer runs.
    fs::write(path(&sandbox, "lock"), "{\"pid\":1}").unwrap();
    drop(sandbox.run(&["dream"]).done());
    assert!(mark(&sandbox).is_some());
}

/// Many sessions that end at once may start as many dreams; one runs.
#[test]
fn of_many_that_are_started_one_dreams() {
    let sandbox = Sandbox::new("working");
    session(&sandbox, "s", "10:00:00");
    let start = || sandbox.command(&["dream", "--detached-run"]).spawn().unwrap();
    let started: Vec<_> = (0..12).map(|_| start()).collect();
    for mut one in started {
        assert!(one.wait().unwrap().success());
    }
    let log = kept(&sandbox, "dream.log").unwrap();
    assert_eq!(log.matches("dream of process").count(), 1, "{log}");
    assert_eq!(kept(&sandbox, "sessions.jsonl").unwrap(), "");
}

#[test]
fn a_session_that_ends_starts_a_dream_in_the_background() {
    let sandbox = Sandbox::new("working");
    let transcript = repository().join("fixtures/session/transcript.jsonl");
    let ended = json!({"transcript_path": transcript});
    end(&sandbox, "a", &ended, |_| {});
    assert_eq!(mark(&sandbox), None, "by itself it does not");
    end(&sandbox, "b", &ended, |command| {
        command.env("PIMEM_DREAM_ENABLED", "true");
    });
    wait_for("the dream is done", || mark(&sandbox).is_some());
    wait_for("and says so", || kept(&sandbox, "dream.log").unwrap().contains("1 session "));
    let log = kept(&sandbox, "dream.log").unwrap();
    assert!(log.starts_with("2026-06-30T18:00:00.000Z dream of process "), "{log}");
    #[cfg(unix)]
    for (name, mode) in [("", 0o700), ("dream.log", 0o600), ("lock", 0o600), ("state.json", 0o600)]
    {
        use std::os::unix::fs::PermissionsExt;
        let meta = fs::metadata(path(&sandbox, name)).unwrap();
        assert_eq!(meta.permissions().mode() & 0o777, mode, "{name}");
    }
    // The next dream is not due, so none is started.
    end(&sandbox, "c", &ended, |command| {
        command.env("PIMEM_DREAM_ENABLED", "true");
    });
    assert_eq!(kept(&sandbox, "dream.log").unwrap(), log);
}

#[cfg(unix)]
#[test]
fn a_dream_in_the_background_outlives_its_caller() {
    let sandbox = Sandbox::new("working");
    fs::create_dir_all(path(&sandbox, "")).unwrap();
    fs::write(path(&sandbox, "dream.log"), "an old line of a log\n".repeat(20_000)).unwrap();
    // The caller is killed with its process group.
    let mut caller = Command::new("sh");
    sandbox.place(&mut caller);
    std::os::unix::process::CommandExt::process_group(&mut caller, 0);
    caller.args(["-c", "\"$0\" dream --detach; kill -9 -$$", PIMEM]);
    let said = outcome(caller);
    assert_eq!(said.code, -1, "{said:?}");
    wait_for("the dream is done", || mark(&sandbox).is_some());
    let log = || kept(&sandbox, "dream.log").unwrap();
    wait_for("and says so", || log().contains("Dreamed: "));
    assert!(log().lines().count() <= 210, "only its end is kept");
    let said = sandbox.run(&["dream", "--detach"]);
    assert!(said.stderr.starts_with("Not due: the next dream may begin at "), "{said:?}");
}

/// No list of the store's files contains these files.
#[test]
fn what_a_dream_knows_stays_on_this_machine() {
    let sandbox = Sandbox::new("empty");
    sandbox.git("project", &["init", "-q"]);
    drop(sandbox.run(&["add", "The log is in /var/log/quay"]).done());
    drop(sandbox.run(&["dream"]).done());
    assert!(mark(&sandbox).is_some());
    sandbox.git("project", &["add", "."]);
    let staged = sandbox.shell("git diff --cached --name-only").done();
    assert!(staged.contains("topics/lessons.md"), "{staged}");
    for name in ["watermark", "data/", "lock"] {
        assert!(!staged.contains(name), "{staged}");
    }
}
