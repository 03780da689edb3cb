//! A process that is killed at any moment loses nothing; `proof/` tries every command at every call.

use std::{
    collections::BTreeMap,
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

fn reset(sandbox: &Sandbox, files: &BTreeMap<String, Vec<u8>>) {
    std::fs::remove_dir_all(sandbox.store()).unwrap();
    for (name, bytes) in files {
        let path = sandbox.project().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
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
