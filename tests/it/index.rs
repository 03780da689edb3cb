//! The index is a cache: in any state, answers are the same bytes.

use std::{
    fs::{self, File, FileTimes},
    path::PathBuf,
    time::{Duration, SystemTime},
};

use crate::common::{
    every,
    sandbox::{Outcome, Sandbox, outcome},
};

const QUERIES: &[&[&str]] = &[
    &["berth"],
    &["how", "do", "we", "lock", "the", "berths"],
    &["#database"],
    &["[[berth-lock]]"],
    &["src/api/error.rs"],
    &["--dry-run"],
    &["berth_slots", "overlap"],
    &["migration", "-c", "mistake"],
    &["lock_timeout", "--in", "daily,notes"],
    &["v0.14.2", "release", "-n", "40"],
    &["PostgreSQL", "16", "--explain"],
    // Words of headings and names of topics.
    &["pilot", "glossary", "-n", "40", "--explain"],
    &["lessons", "midnight"],
    &["zeppelin"],
];

/// Returns the index directory of the sandbox's only store.
pub(crate) fn index_dir(sandbox: &Sandbox) -> PathBuf {
    let found = fs::read_dir(sandbox.cache().join("pimem")).unwrap();
    let mut dirs = found.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    dirs.find(|dir| !dir.ends_with("models") && !dir.ends_with("runtime")).unwrap()
}

fn search(sandbox: &Sandbox, query: &[&str]) -> Outcome {
    let is_option = |word: &&str| ["-c", "-n", "--in", "--explain"].contains(word);
    let words = query.iter().position(is_option).unwrap_or(query.len());
    let (words, options) = query.split_at(words);
    sandbox.run(&[&["search", "--json"], options, &["--"], words].concat())
}

fn answers(sandbox: &Sandbox) -> Vec<Outcome> {
    QUERIES.iter().map(|query| search(sandbox, query)).collect()
}

/// Returns the answer while the cache is elsewhere.
pub(crate) fn cache_away(sandbox: &Sandbox, ask: impl FnOnce() -> Outcome) -> Outcome {
    let kept = sandbox.root().join("cache.kept");
    fs::rename(sandbox.cache(), &kept).unwrap();
    let answer = ask();
    drop(fs::remove_dir_all(sandbox.cache()));
    fs::rename(kept, sandbox.cache()).unwrap();
    answer
}

/// Returns the answers without an index.
fn oracle(sandbox: &Sandbox) -> Vec<Outcome> {
    QUERIES.iter().map(|query| cache_away(sandbox, || search(sandbox, query))).collect()
}

/// Asks a part of the questions, which differs from state to state.
fn check(sandbox: &Sandbox, what: &str) {
    let step = every(6);
    for query in QUERIES.iter().skip(what.len() % step).step_by(step) {
        let want = cache_away(sandbox, || search(sandbox, query));
        assert_eq!(search(sandbox, query), want, "{query:?} with an index that is {what}");
    }
}

fn doctor_says(sandbox: &Sandbox, words: &str) {
    let doctor = sandbox.run(&["check", "-v"]).stdout;
    let line = doctor.lines().find(|line| line.starts_with("index")).unwrap();
    assert!(line.contains(words), "{line:?} does not say {words:?}");
}

#[test]
fn stale_or_fresh() {
    let sandbox = Sandbox::new("harbor");
    assert!(oracle(&sandbox).iter().filter(|answer| answer.code == 0).count() >= QUERIES.len() - 1);
    doctor_says(&sandbox, "none yet");
    rebuild(&sandbox);
    doctor_says(&sandbox, "fresh");
    check(&sandbox, "fresh");

    let lessons = sandbox.read("topics/lessons.md");
    sandbox.write("topics/lessons.md", lessons.replace("berth", "mooring"));
    check(&sandbox, "older than an edit");
    sandbox.write("topics/lessons.md", &lessons);
    check(&sandbox, "older than a touch");
    sandbox.write("daily/2026-07-01.md", "# 2026-07-01\n\n- 09:00 A berth of the new quay\n");
    check(&sandbox, "older than a new file");
    fs::remove_file(sandbox.path("daily/2026-06-30.md")).unwrap();
    fs::remove_file(sandbox.path("topics/patterns.md")).unwrap();
    check(&sandbox, "older than a deletion");
    doctor_says(&sandbox, "changed since");
    sandbox.run(&["rebuild", "--if-older", "0s"]).ok();
    assert!(index_dir(&sandbox).join("delta.idx").is_file());
    check(&sandbox, "a base and a delta");
    sandbox.run(&["add", "A berth between two rebuilds"]).ok();
    sandbox.run(&["forget", "56cffc6"]).ok();
    check(&sandbox, "older than our own writing");
    sandbox.run(&["rebuild"]).ok();
    doctor_says(&sandbox, "fresh");
    check(&sandbox, "fresh again");
    let notes = sandbox.read("MEMORY.md");
    sandbox.write("MEMORY.md", notes.replace("## Domain glossary", "## Pilot glossary"));
    check(&sandbox, "older than a heading");
    fs::rename(sandbox.path("MEMORY.md"), sandbox.path("topics/memory.md")).unwrap();
    check(&sandbox, "older than a move");
}

/// An edit of the same size right after the build with its time stamp restored, which git calls
/// racily clean.
#[test]
fn an_edit_that_no_stamp_shows() {
    let sandbox = Sandbox::new("harbor");
    let path = sandbox.path("topics/lessons.md");
    for (from, to) in [("berth", "quays"), ("quays", "berth")] {
        sandbox.write("topics/lessons.md", sandbox.read("topics/lessons.md"));
        sandbox.run(&["rebuild"]).ok();
        let stamp = fs::metadata(&path).unwrap().modified().unwrap();
        let before = sandbox.bytes("topics/lessons.md");
        let edited = sandbox.read("topics/lessons.md").replace(from, to);
        assert!(before.len() == edited.len() && before != edited.as_bytes());
        sandbox.write("topics/lessons.md", edited);
        let file = File::options().write(true).open(&path).unwrap();
        file.set_times(FileTimes::new().set_modified(stamp)).unwrap();
        check(&sandbox, "as young as the edit");
    }
}

/// Returns damaged versions of a file.
fn mutations(bytes: &[u8], other: &[u8]) -> Vec<(String, Option<Vec<u8>>)> {
    let len = bytes.len();
    let mut all: Vec<(String, Option<Vec<u8>>)> = vec![
        ("deleted".to_owned(), None),
        ("empty".to_owned(), Some(Vec::new())),
        ("garbage".to_owned(), Some(b"garbage".repeat(100))),
        ("of another store".to_owned(), Some(other.to_vec())),
        ("doubled".to_owned(), Some(bytes.repeat(2))),
        ("zeros".to_owned(), Some(vec![0; len])),
        ("ones".to_owned(), Some(vec![0xff; len])),
    ];
    for part in 0..20 {
        // Damage is concentrated at the start and the end of a file, where it has the most effect.
        let at = match part % 4 {
            0 => part / 4 * 8,
            1 => len - 1 - part / 4 * 8,
            _ => len * part / 20,
        };
        let mut flipped = bytes.to_vec();
        flipped[at] ^= 1 << (part % 8);
        all.push((format!("flipped at {at}"), Some(flipped)));
        all.push((format!("cut at {at}"), Some(bytes[..at].to_vec())));
        let mut zeroed = bytes.to_vec();
        zeroed[at..(at + 16).min(len)].fill(0);
        if zeroed != bytes {
            all.push((format!("zero at {at}"), Some(zeroed)));
        }
    }
    all
}

/// Makes all files of the store old enough for their stamps to be trusted.
pub(crate) fn settle(sandbox: &Sandbox) {
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    for name in sandbox.tree().into_keys() {
        let file = File::options().append(true).open(sandbox.project().join(name)).unwrap();
        file.set_times(FileTimes::new().set_modified(long_ago)).unwrap();
    }
}

/// Rebuilds twice: the first run archives faded entries, which are too many for a delta.
pub(crate) fn rebuild(sandbox: &Sandbox) {
    for _ in 0..2 {
        settle(sandbox);
        sandbox.run(&["rebuild"]).ok();
    }
}

/// Returns a sandbox with a base and a delta.
fn indexed() -> Sandbox {
    let sandbox = Sandbox::new("harbor");
    rebuild(&sandbox);
    sandbox.run(&["add", "-c", "mistake", "A berth that the delta knows"]).ok();
    sandbox.run(&["rebuild", "--if-older", "0s"]).ok();
    assert!(index_dir(&sandbox).join("delta.idx").is_file());
    sandbox
}

const FILES: [&str; 2] = ["base.idx", "delta.idx"];

/// Returns two indexed sandboxes with different entries.
fn two_indexed() -> [Sandbox; 2] {
    let (sandbox, other) = (indexed(), indexed());
    other.run(&["add", "Another berth of another store"]).ok();
    settle(&other);
    other.run(&["rebuild"]).ok();
    other.run(&["add", "-c", "mistake", "And a delta of its own"]).ok();
    other.run(&["rebuild", "--if-older", "0s"]).ok();
    [sandbox, other]
}

/// Answers do not depend on damage of one file of the index.
fn any_damage(name: &str) {
    let [sandbox, other] = two_indexed();
    let dir = index_dir(&sandbox);
    let good = FILES.map(|name| (name, fs::read(dir.join(name)).unwrap()));
    let want = oracle(&sandbox);
    let differs =
        |(query, want): (&&[&str], &Outcome)| cache_away(&other, || search(&other, query)) != *want;
    let would_be_noticed = QUERIES.iter().zip(&want).any(differs);
    assert!(would_be_noticed, "an answer from the other store would be noticed");
    let theirs = fs::read(index_dir(&other).join(name)).unwrap();
    let all = mutations(&fs::read(dir.join(name)).unwrap(), &theirs);
    assert!(all.len() >= 60, "{} mutations", all.len());
    for (done, (what, bytes)) in all.into_iter().enumerate().step_by(every(6)) {
        for (name, bytes) in &good {
            fs::write(dir.join(name), bytes).unwrap();
        }
        match bytes {
            Some(bytes) => fs::write(dir.join(name), bytes).unwrap(),
            None => fs::remove_file(dir.join(name)).unwrap(),
        }
        // For each damage only two queries, but every query for many damages.
        for number in [done % QUERIES.len(), (done + 5) % QUERIES.len()] {
            let got = search(&sandbox, QUERIES[number]);
            assert_eq!(got, want[number], "{:?} with {name} {what}", QUERIES[number]);
        }
    }
}

#[test]
fn any_damage_of_the_base() {
    any_damage("base.idx");
}

#[test]
fn any_damage_of_the_delta() {
    any_damage("delta.idx");
}

#[test]
fn another_index_and_none() {
    let [sandbox, other] = two_indexed();
    let dir = index_dir(&sandbox);
    // Both files are from the other store: consistent, but of the wrong store.
    for name in FILES {
        fs::copy(index_dir(&other).join(name), dir.join(name)).unwrap();
    }
    check(&sandbox, "another store's");
    // A damaged index is reported, does not block commands, and is repaired.
    fs::write(dir.join("base.idx"), b"garbage").unwrap();
    let doctor = sandbox.run(&["check"]);
    assert!(doctor.code == 1 && doctor.stdout.contains("the index is damaged"), "{doctor:?}");
    assert!(sandbox.run(&["search", "-v", "berth"]).stderr.contains("answered without it"));
    sandbox.run(&["add", "Written beside a damaged index"]).ok();
    sandbox.run(&["rebuild"]).ok();
    doctor_says(&sandbox, "fresh");
    check(&sandbox, "mended");
}

/// Directories and links in place of index files, and no cache directory.
#[test]
fn no_place_for_a_cache() {
    let sandbox = indexed();
    let dir = index_dir(&sandbox);
    for name in ["base.idx", "delta.idx"] {
        fs::remove_file(dir.join(name)).unwrap();
        fs::create_dir(dir.join(name)).unwrap();
        check(&sandbox, "a directory");
    }
    fs::remove_dir_all(sandbox.cache()).unwrap();
    fs::write(sandbox.cache(), "a file").unwrap();
    let want = {
        fs::remove_file(sandbox.cache()).unwrap();
        let want = answers(&sandbox);
        drop(fs::remove_dir_all(sandbox.cache()));
        fs::write(sandbox.cache(), "a file").unwrap();
        want
    };
    assert_eq!(answers(&sandbox), want);
    assert!(sandbox.run(&["add", "No cache, no matter"]).ok().starts_with("Added"));
    let done = sandbox.run(&["rebuild"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(done.stderr.contains("The index could not be written"), "{}", done.stderr);
    let doctor = sandbox.run(&["check"]);
    assert_eq!(doctor.code, 0, "an index that is not there is no finding: {doctor:?}");
    // Without HOME the system may know a home directory, which must not be used.
    let mut command = sandbox.command(&["search", "--json", "--", "berth"]);
    command.env_remove("XDG_CACHE_HOME").env("HOME", "/nonexistent");
    assert_eq!(outcome(command).stdout, search(&sandbox, &["berth"]).stdout);
    fs::remove_file(sandbox.cache()).unwrap();
}

/// Deleting the cache directory and `memory-scores.json` does not change any output.
#[test]
fn caches_are_disposable() {
    let commands: &[&[&str]] = &[
        &["list", "--json"],
        &["search", "--no-touch", "--json", "berth"],
        &["search", "--no-touch", "tides"],
        &["report", "--json", "--explain"],
        &["report", "--prompt", "why do berths overlap?"],
        &["list", "--topics", "--json"],
    ];
    for fixture in ["harbor", "hand-written", "pi", "working"] {
        let sandbox = Sandbox::new(fixture);
        sandbox.run(&["rebuild"]).ok();
        let all = || -> Vec<Outcome> { commands.iter().map(|args| sandbox.run(args)).collect() };
        let before = all();
        fs::remove_dir_all(sandbox.cache()).unwrap();
        fs::remove_file(sandbox.path("memory-scores.json")).unwrap();
        assert_eq!(all(), before, "{fixture}");
    }
}

/// An edit of the log that keeps its length and its end is noticed.
#[test]
fn an_old_line_of_the_log_changes() {
    const OLD: &str = "\"op\":\"reinforce\",\"n\":1,";
    let sandbox = indexed();
    let log = sandbox.read("evidence.jsonl");
    let entries = sandbox.entries();
    let id = |line: &str| line.split("\"entry\":\"").nth(1).unwrap()[..16].to_owned();
    let fades = |line: &&str| {
        // Faded entries are in the archive.
        let entry = entries.values().find(|entry| entry["id"] == id(line));
        let is_plain =
            |entry: &serde_json::Value| entry["userState"] == "auto" && entry["evidence"] == 2;
        line.contains(OLD) && entry.is_some_and(is_plain)
    };
    let line = log.lines().find(fades).unwrap();
    let at = log.find(line).unwrap();
    assert!(log.len() - at > 8192, "far from the end");
    let (text, _) = entries.iter().find(|(_, entry)| entry["id"] == id(line)).unwrap();
    let before = search(&sandbox, &[text]);
    let edited = line.replace(OLD, "\"op\":\"reinforce\",\"n\":9,");
    sandbox.write("evidence.jsonl", log.replacen(line, &edited, 1));
    let with_index = search(&sandbox, &[text]);
    assert_ne!(with_index.stdout, before.stdout);
    fs::remove_dir_all(sandbox.cache()).unwrap();
    assert_eq!(with_index.stdout, search(&sandbox, &[text]).stdout);
}
