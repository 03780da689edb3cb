//! A process killed at any moment leaves every file in its old or its new state.

use std::{
    collections::{BTreeMap, BTreeSet},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::common::{sandbox::Sandbox, scale};

/// Number of kills per kind of command.
const ROUNDS: usize = 16;

/// A deterministic source of delays.
struct Delays(u64);

impl Delays {
    fn next(&mut self, most: u64) -> Duration {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Duration::from_micros((self.0 >> 33) % most)
    }
}

/// Returns the files of the store that hold user data.
fn truth(sandbox: &Sandbox) -> BTreeMap<String, String> {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let mut files: BTreeMap<String, String> =
        sandbox.tree().into_iter().map(|(name, bytes)| (name, text(bytes))).collect();
    // A file that was created but not written counts as missing.
    files.retain(|name, text| {
        name.contains(".md") && !name.contains(".pimem-tmp-") && !text.is_empty()
    });
    files
}

/// Runs a command and kills it after a delay. Returns true if it had finished.
pub(crate) fn kill(mut command: Command, after: Duration) -> bool {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    thread::sleep(after);
    child.kill().unwrap();
    child.wait().unwrap().code() == Some(0)
}

/// Returns the longest delay in microseconds to begin with: one and a half times the undisturbed
/// duration.
fn usual(sandbox: &Sandbox, args: &[&str]) -> u64 {
    let start = Instant::now();
    sandbox.run(args).ok();
    u64::try_from(start.elapsed().as_micros()).unwrap() * 3 / 2
}

/// Returns the files that are in neither version. `after` may lack files that `before` has.
fn torn(
    now: &BTreeMap<String, String>,
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
) -> Vec<String> {
    let mut names: BTreeSet<&String> = now.keys().chain(before.keys()).collect();
    names.retain(|name| now.get(*name) != before.get(*name) && now.get(*name) != after.get(*name));
    names.into_iter().cloned().collect()
}

/// Kills `args` repeatedly at different moments, from the same state.
fn survives(sandbox: &Sandbox, args: &[&str], seed: u64) {
    let start = sandbox.tree();
    let mut most = usual(sandbox, args);
    let after = truth(sandbox);
    let (mut delays, mut finished) = (Delays(seed), 0);
    let rounds = ROUNDS * scale();
    for round in 0..rounds {
        reset(sandbox, &start);
        let before = truth(sandbox);
        let done = kill(sandbox.command(args), delays.next(most));
        let now = truth(sandbox);
        assert_eq!(torn(&now, &before, &after), Vec::<String>::new(), "{args:?}");
        if done {
            finished += 1;
            assert_eq!(now, after, "{args:?} was acknowledged");
        }
        // How long a command takes depends on what else runs: two of three are to be killed in time.
        most = if done { (most * 2 / 3).max(1) } else { most * 5 / 4 };
        // The next writer is not blocked, and cleans up.
        let text = format!("after kill {round}");
        let next = sandbox.run(&["add", "-c", "decision", &text]);
        assert_eq!((next.code, next.stderr.as_str()), (0, ""));
        let litter: Vec<String> = sandbox.litter();
        assert_eq!(litter, Vec::<String>::new(), "{args:?}");
        // A kill may cut a write of several pages; the torn line is reported and skipped.
        let list = sandbox.run(&["list"]);
        let torn = "warning: damaged lines of evidence.jsonl skipped: 1 (pimem check names them)\n";
        assert!(list.stderr.is_empty() || !done && list.stderr == torn, "{}", list.stderr);
        let list = list.done();
        assert!(list.contains(&text), "{list}");
    }
    println!("{args:?}: {finished} of {rounds} had finished after up to {most} microseconds");
    assert!(finished < rounds, "some of {args:?} were killed in time");
}

fn reset(sandbox: &Sandbox, files: &BTreeMap<String, Vec<u8>>) {
    std::fs::remove_dir_all(sandbox.store()).unwrap();
    for (name, bytes) in files {
        let path = sandbox.project().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
}

#[test]
fn add() {
    let sandbox = Sandbox::new("harbor");
    survives(&sandbox, &["add", "A killed process loses nothing"], 1);
}

#[test]
fn pin() {
    survives(&Sandbox::new("harbor"), &["pin", "rollback"], 2);
}

#[test]
fn remove() {
    survives(&Sandbox::new("harbor"), &["forget", "--archive", "rollback"], 3);
}

#[test]
fn rebuild() {
    survives(&Sandbox::new("pi"), &["rebuild"], 4);
}

#[test]
fn log() {
    survives(&Sandbox::new("harbor"), &["log", "A line of the log"], 20);
}

#[test]
fn note() {
    survives(&Sandbox::new("harbor"), &["note", "--section", "Kills", "A note"], 21);
}

#[test]
fn todo_add() {
    survives(&Sandbox::new("harbor"), &["todo", "add", "Something to do"], 22);
}

#[test]
fn todo_done() {
    survives(&Sandbox::new("harbor"), &["todo", "done", "runbook"], 23);
}

#[test]
fn todo_clear() {
    survives(&Sandbox::new("harbor"), &["todo", "clear"], 24);
}

#[test]
fn handoff() {
    survives(&Sandbox::new("harbor"), &["handoff"], 25);
}

#[test]
fn purge() {
    survives(&Sandbox::new("harbor"), &["forget", "--destroy", "--yes", "-q", "rollback"], 26);
}

/// `remove` writes the archive before the topic. If it is killed between, the line is in both
/// files, never in neither.
#[test]
fn a_line_is_never_in_no_file() {
    let sandbox = Sandbox::new("harbor");
    let start = sandbox.tree();
    let most = usual(&sandbox, &["forget", "--archive", "rollback"]);
    let mut delays = Delays(5);
    for _ in 0..ROUNDS * scale() {
        reset(&sandbox, &start);
        kill(sandbox.command(&["forget", "--archive", "rollback"]), delays.next(most));
        let held = truth(&sandbox).into_values().filter(|text| text.contains("survive a rollback"));
        assert!((1..=2).contains(&held.count()));
        // In every state, the entry can be restored.
        if sandbox.run(&["why", "rollback"]).code != 0 {
            sandbox.run(&["restore", "rollback"]).ok();
        }
        sandbox.run(&["why", "rollback"]).ok();
    }
}

/// Every addition acknowledged during a series of kills is stored.
#[test]
fn acknowledged_additions_stay() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).ok();
    let most = usual(&sandbox, &["add", "the first"]);
    let mut delays = Delays(6);
    let mut acknowledged = Vec::new();
    for number in 0..ROUNDS * scale() {
        let text = format!("number {number}");
        if kill(sandbox.command(&["add", &text]), delays.next(most)) {
            acknowledged.push(text);
        }
    }
    let present = sandbox.entries();
    let lost: Vec<&String> = acknowledged.iter().filter(|t| !present.contains_key(*t)).collect();
    assert!(lost.is_empty(), "lost: {lost:?}");
    // Every line has its event, or it would have the cue of a hand-written line.
    for text in present.keys() {
        assert_eq!(present[text]["cue"], "explicit", "{text} came with its event");
    }
}

#[test]
fn the_checker_notices_a_torn_file() {
    let version = |text: &str| BTreeMap::from([("topics/a.md".to_owned(), text.to_owned())]);
    let (before, after) = (version("- [lesson] a\n"), version("- [lesson] a\n- [lesson] b\n"));
    assert_eq!(torn(&before, &before, &after), Vec::<String>::new());
    assert_eq!(torn(&after, &before, &after), Vec::<String>::new());
    for bad in ["", "- [lesson] a\n- [les", "- [lesson] b\n"] {
        assert_eq!(torn(&version(bad), &before, &after).len(), 1, "{bad:?}");
    }
    assert_eq!(torn(&BTreeMap::new(), &before, &after).len(), 1, "a file that is gone");
}
