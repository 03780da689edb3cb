//! A process is killed before any of its system calls, or any call fails: data persists, output is
//! true, and the next process is not blocked.
//!
//! The calls are taken from an undisturbed run, so the points are the same in each: a part of them,
//! and every one with `PIMEM_TEST_SCALE`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use crate::{
    common::{
        calls::{self, Call, Point},
        every, repository,
        sandbox::{Outcome, Sandbox},
        scale, trace,
    },
    hooks::piped,
};

/// Calls that change the disk, including `openat` that creates a file. All moments between two of
/// them are equivalent for the next process.
pub(crate) const CHANGES: &str = "openat,write,rename,unlink,mkdir,ftruncate";
const CALLS: &str = "openat,read,write,fsync,fdatasync,rename,unlink,mkdir,statx,newfstatat,lseek,\
                     ftruncate,flock,getdents64,fchmod,readlink";
/// Calls among them that read.
const READS: &str = "openat,read,statx,newfstatat,getdents64";
const ERRORS: [&str; 6] = ["EIO", "ENOSPC", "EACCES", "EMFILE", "EROFS", "EDQUOT"];
/// Number of errors tried per command.
const ROUNDS: usize = 4;

/// Content of the store before each command.
const TEXTS: [&str; 3] = ["Locks survive a rollback", "Never deploy on a Friday", "Tides turn"];

/// Commands that write; the first runs in a project without a store.
const WRITERS: &[&str] = &[
    "init",
    "add One more",
    "forget --archive rollback",
    "trust --all",
    "forget --destroy --yes nothing-of-theirs",
    "todo done milk",
    "dream index ../transcript.jsonl",
];

const READERS: &[&str] = &[
    "list",
    "search rollback",
    "forget nothing-of-that-name",
    "restore nothing-of-that-name",
    "todo",
    "list --sessions",
    "check --scope project",
    "trust --count",
];

fn store(line: &str) -> Sandbox {
    let sandbox = Sandbox::new("empty");
    let transcript = repository().join("fixtures/transcripts/claude.jsonl");
    fs::copy(transcript, sandbox.root().join("transcript.jsonl")).unwrap();
    if line == "init" {
        return sandbox;
    }
    for text in TEXTS {
        sandbox.run(&["add", text]).done();
    }
    for line in ["add nothing-of-theirs", "add Forgotten words", "forget Forgotten"] {
        sandbox.run(&line.split(' ').collect::<Vec<_>>()).ok();
    }
    for line in ["todo add Buy milk", "note A note", "dream index ../transcript.jsonl", "rebuild"] {
        sandbox.run(&line.split(' ').collect::<Vec<_>>()).ok();
    }
    // A store that cannot be inspected counts as existing, so both stores exist.
    sandbox.run(&["init", "--user"]).ok();
    // As after a pull, because a hook asks git.
    if line == "hook" {
        sandbox.share();
    }
    sandbox.plant("topics/patterns.md", "- [pattern] Planted words\n");
    sandbox
}

/// Returns the points of a run that concern the sandbox. `opens` selects all `openat` calls or only
/// those that may create a file.
pub(crate) fn points(sandbox: &Sandbox, calls: &[Call], opens: &str) -> Vec<Point> {
    let root = sandbox.root().to_string_lossy().into_owned();
    calls::points(calls, |Call { name, args, .. }| {
        let counts = name != "openat" || args.contains(opens);
        counts && args.contains(&root) && !args.contains("/trace")
    })
}

/// Runs a command with an injection at a point.
pub(crate) fn strike(
    sandbox: &Sandbox,
    Point { name, number }: &Point,
    what: &str,
    args: &[&str],
) -> Outcome {
    struck(sandbox, (name, *number), what, args, "")
}

/// Runs a program with an injection at a point and an input.
pub(crate) fn struck(
    sandbox: &Sandbox,
    (call, when): (&str, usize),
    what: &str,
    args: &[&str],
    input: &str,
) -> Outcome {
    let (trace, inject) = (format!("trace={call}"), format!("inject={call}:{what}:when={when}"));
    piped(trace::traced(sandbox, &["-e", &trace, "-e", &inject], args), input)
}

/// Returns the relevant files, without the parts that vary between runs.
fn truth(sandbox: &Sandbox) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for (name, bytes) in sandbox.everything() {
        let matters = ["/memory/", "state/pimem/trust/", "session-search.json"];
        if !matters.iter().any(|part| name.contains(part))
            || name.contains(".pimem-tmp-")
            || name.ends_with("/lock")
            || name.ends_with("memory-scores.json")
        {
            continue;
        }
        let text = String::from_utf8(bytes).unwrap();
        // An id has 26 characters from time and random bits.
        let id = |line: &str| match line.strip_prefix("{\"id\":\"").and_then(|rest| rest.get(26..))
        {
            Some(rest) => format!("{{\"id\":\"{rest}"),
            None => line.to_owned(),
        };
        let lines = text.split_inclusive('\n').map(id);
        files.insert(name, lines.collect::<String>());
    }
    files
}

/// Returns the lines of a trust ledger, whose order does not matter.
fn keys(text: Option<&String>) -> BTreeSet<&str> {
    text.map(|text| text.lines().collect()).unwrap_or_default()
}

/// Returns the files that are in neither the old nor the new state. Appended files may lack some of
/// the new lines.
fn torn(
    now: &BTreeMap<String, String>,
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
) -> Vec<String> {
    let names: BTreeSet<&String> = now.keys().chain(before.keys()).chain(after.keys()).collect();
    let is_good = |name: &String| {
        let (now, old, new) = (now.get(name), before.get(name), after.get(name));
        if name.contains("/trust/") {
            let (now, old, new) = (keys(now), keys(old), keys(new));
            return now.is_superset(&(&old & &new)) && now.is_subset(&(&old | &new));
        }
        let begun = |now: &String| {
            let old = old.map_or("", String::as_str);
            let appended = now.starts_with(old) && new.is_some_and(|new| new.starts_with(now));
            appended && name.ends_with("/evidence.jsonl")
        };
        // A purge first says what is to be destroyed.
        let is_tombstone = |line: &str| line.contains("\"op\":\"purge\"");
        let buried = |now: &String| {
            let more = now.strip_prefix(old.map_or("", String::as_str));
            name.ends_with("/evidence.jsonl") && more.is_some_and(|m| m.lines().all(is_tombstone))
        };
        now == old || now == new || now.is_some_and(|now| begun(now) || buried(now))
    };
    names.into_iter().filter(|name| !is_good(name)).cloned().collect()
}

/// The next process finds the old data, can write, and cleans up.
fn goes_on(sandbox: &Sandbox, line: &str, what: &str) {
    let next = sandbox.run(&["add", "-c", "pattern", "After all that"]);
    assert_eq!(next.code, 0, "{line}: {what}: {}", next.stderr);
    let mut litter: Vec<String> = sandbox.everything().into_keys().collect();
    // The temporary file of the index is removed when the index is rebuilt.
    litter.retain(|name| name.contains(".pimem-tmp-") && !name.starts_with("cache/"));
    assert_eq!(litter, Vec::<String>::new(), "{line}: {what}");
    for name in [".gitignore", ".gitattributes"] {
        assert!(!sandbox.read(name).is_empty(), "{line}: {what}: {name}");
    }
    let report = sandbox.run(&["report"]).done();
    for text in TEXTS.iter().filter(|_| line != "init") {
        let gone = line.starts_with("forget --archive") && text.contains("rollback");
        assert!(report.contains(text) || gone, "{line}: {what}: {text} is not in {report}");
    }
    assert!(report.contains("After all that"), "{line}: {what}: {report}");
}

/// A store, a command, and the undisturbed result.
struct Trial {
    sandbox: Sandbox,
    line: &'static str,
    args: Vec<&'static str>,
    files: BTreeMap<String, Vec<u8>>,
    before: BTreeMap<String, String>,
    after: BTreeMap<String, String>,
    points: Vec<Point>,
    done: Outcome,
}

impl Trial {
    fn new(line: &'static str, calls: &str, opens: &str) -> Self {
        let sandbox = store(line);
        let args: Vec<&str> = line.split(' ').collect();
        let (files, before) = (sandbox.everything(), truth(&sandbox));
        let (done, calls) = trace::calls(&sandbox, calls, &args, "");
        let (after, points) = (truth(&sandbox), points(&sandbox, &calls, opens));
        assert!(!points.is_empty(), "{line}: {done:?}");
        Self { sandbox, line, args, files, before, after, points, done }
    }

    /// Restores the state before the command.
    fn reset(&self) {
        let root = self.sandbox.root();
        for entry in fs::read_dir(root).unwrap() {
            let path = entry.unwrap().path();
            drop((fs::remove_file(&path), fs::remove_dir_all(&path)));
        }
        for dir in ["project", "home", "cache"] {
            fs::create_dir_all(root.join(dir)).unwrap();
        }
        for (name, bytes) in &self.files {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
    }

    /// Returns up to `most` points, spread over the run, and listings of directories: a part of them, or all.
    fn some(&self, most: usize) -> impl Iterator<Item = (usize, &Point)> {
        let step = self.points.len().div_ceil(most.max(1)).max(1);
        let all = self.points.iter().enumerate();
        let lists =
            |number: usize, call: &str| call == "getdents64" && number.is_multiple_of(every(4));
        all.filter(move |(number, point)| number % step == 0 || lists(*number, &point.name))
    }

    fn is_whole(&self, what: &str) {
        let now = truth(&self.sandbox);
        let torn = torn(&now, &self.before, &self.after);
        assert!(torn.is_empty(), "{}: {what}: {torn:?} of {now:#?}", self.line);
    }
}

#[test]
fn a_process_is_killed() {
    if !trace::is_there() {
        return;
    }
    for line in WRITERS {
        let trial = Trial::new(line, CHANGES, "O_CREAT");
        let mut kills = 0;
        for point in trial.points.iter().step_by(every(3)) {
            trial.reset();
            let what = format!("killed at {point}");
            let done = strike(&trial.sandbox, point, "signal=SIGKILL", &trial.args);
            assert_eq!(done.code, -1, "{line}: {what}: {done:?}");
            trial.is_whole(&what);
            assert!(
                done.stdout.is_empty() || truth(&trial.sandbox) == trial.after,
                "{line}: {what}: {done:?} was acknowledged"
            );
            // The command may have been done, with nothing left to do.
            drop(trial.sandbox.run(&trial.args));
            goes_on(&trial.sandbox, line, &what);
            kills += 1;
        }
        println!("{line}: {kills} kills");
    }
}

#[test]
fn a_call_of_a_writer_fails() {
    if !trace::is_there() {
        return;
    }
    for line in WRITERS {
        let trial = Trial::new(line, CALLS, "");
        for (number, point) in trial.some(ROUNDS * scale() / every(2)) {
            trial.reset();
            let error = ERRORS[number % ERRORS.len()];
            let what = format!("{error} from {point}");
            let done = strike(&trial.sandbox, point, &format!("error={error}"), &trial.args);
            assert!(!done.stderr.contains("panicked"), "{line}: {what}: {done:?}");
            trial.is_whole(&what);
            let now = truth(&trial.sandbox);
            let noted = !done.stderr.contains("Not noted as reviewed");
            let is_done = now.iter().all(|(name, text)| {
                let wanted = trial.after.get(name);
                let held = || keys(Some(text)).is_superset(&keys(wanted)) || !noted;
                wanted == Some(text) || name.contains("/trust/") && held()
            });
            match done.code {
                0 => assert!(is_done, "{line}: {what} is not done: {done:?}"),
                2 => assert!(names_a_path(&trial.sandbox, &done), "{line}: {what}: {done:?}"),
                _ => panic!("{line}: {what}: {done:?}"),
            }
            goes_on(&trial.sandbox, line, &what);
        }
    }
}

/// Lines of the trust ledger that could not be read are not deleted.
#[test]
fn a_call_fails_while_trust_is_taken_back() {
    if !trace::is_there() {
        return;
    }
    for line in ["trust --revoke Tides", "purge --yes Tides"] {
        let trial = Trial::new(line, READS, "");
        for (number, point) in trial.some(trial.points.len() / every(24)) {
            trial.reset();
            let error = ["EIO", "EMFILE"][number / every(24) % 2];
            let what = format!("{error} from {point}");
            let done = strike(&trial.sandbox, point, &format!("error={error}"), &trial.args);
            assert!([0, 2].contains(&done.code), "{line}: {what}: {done:?}");
            trial.is_whole(&what);
        }
    }
}

/// What cannot be looked at for a moment is not taken for missing, or for what another wrote.
#[test]
fn a_call_fails_on_what_a_writer_looks_at() {
    if !trace::is_there() {
        return;
    }
    for line in ["log One line", "handoff", "restore Forgotten"] {
        let trial = Trial::new(line, READS, "");
        for (_, point) in trial.some(trial.points.len() / every(3)) {
            trial.reset();
            let what = format!("EIO from {point}");
            let done = strike(&trial.sandbox, point, "error=EIO", &trial.args);
            let now = truth(&trial.sandbox);
            let is_done = trial.after.iter().all(|(name, text)| {
                let held = || keys(now.get(name)).is_superset(&keys(Some(text)));
                now.get(name) == Some(text) || name.contains("/trust/") && held()
            });
            let is_said = done.code == 2 && names_a_path(&trial.sandbox, &done)
                || done.stderr.contains("Not noted as reviewed");
            assert!(is_done && done.code == 0 || is_said, "{line}: {what}: {done:?}");
        }
    }
}

fn names_a_path(sandbox: &Sandbox, done: &Outcome) -> bool {
    let root = sandbox.root().to_string_lossy();
    done.stderr.contains(&*root) || done.stderr.contains(".jsonl") || done.stderr.contains("../")
}

/// An answer is complete, or states what is missing.
#[test]
fn a_call_of_a_reader_fails() {
    if !trace::is_there() {
        return;
    }
    for line in READERS {
        let trial = Trial::new(line, READS, "");
        for (number, point) in trial.some(trial.points.len() / every(24)) {
            let error = ["EIO", "ESTALE", "EMFILE"][number / every(24) % 3];
            let what = format!("{error} from {point}");
            let done = strike(&trial.sandbox, point, &format!("error={error}"), &trial.args);
            let same = (done.code, &done.stdout) == (trial.done.code, &trial.done.stdout);
            // Without the trust ledger, nothing counts as reviewed.
            let withheld = done.stderr.contains("warning: cannot read");
            let said = (done.code == 2 || withheld) && names_a_path(&trial.sandbox, &done);
            assert!(same || said, "{line}: {what}: {done:?} instead of {:?}", trial.done);
        }
    }
}

/// A hook never fails and shows nothing extra: content that it cannot judge is left out.
#[test]
fn a_call_of_a_hook_fails() {
    if !trace::is_there() {
        return;
    }
    let prompt = "What about the rollback, the words forgotten and the words planted?";
    for event in ["session-start", "prompt"] {
        let sandbox = store("hook");
        let args = ["hook", "claude", event];
        // Each run has its own session, whose first hook brings the report.
        let input = |session: usize| {
            format!(
                "{{\"session_id\":\"s{session}\",\"source\":\"startup\",\"prompt\":{prompt:?}}}"
            )
        };
        let (done, calls) = trace::calls(&sandbox, CALLS, &args, &input(0));
        assert!(done.stdout.contains("Locks survive"), "{done:?}");
        let points = points(&sandbox, &calls, "");
        for (number, point) in points.iter().enumerate().step_by(every(24)) {
            let error = ["EIO", "EACCES", "EMFILE"][number / every(24) % 3];
            let inject = format!("error={error}");
            let call = (point.name.as_str(), point.number);
            let done = struck(&sandbox, call, &inject, &args, &input(number + 1));
            let what = format!("{event}: {error} from {point}");
            assert_eq!(done.code, 0, "{what}: {done:?}");
            for text in ["Forgotten words", "Planted words"] {
                assert!(!done.stdout.contains(text), "{what}: {done:?}");
            }
        }
    }
}
