//! Random histories on branches, merged by git alone and with `pimem merge-driver`: the report does
//! not depend on the order, and nothing acknowledged is lost.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use serde_json::Value;

use crate::common::{
    history::{Random, Told},
    sandbox::{Outcome, Sandbox, outcome},
    scale,
};

/// Number of histories with two branches at scale 1.
const HISTORIES: usize = 12;
/// Number of histories with three branches at scale 1.
const THREEFOLD: usize = 2;

/// A commit: the commands before it, the content of its topic files, and the output of `list`.
struct Side {
    told: Told,
    entries: BTreeMap<String, usize>,
    rows: BTreeMap<String, Value>,
}

/// A sandbox in which histories run one after another.
struct Stage {
    sandbox: Sandbox,
    /// Lines of `.gitattributes` that enable the driver.
    attributes: String,
    now: &'static str,
    /// Number of categories used; with fewer, more changes meet in one file.
    categories: usize,
    commands: Vec<String>,
}

const CATEGORIES: [&str; 6] = ["lesson", "preference", "pattern", "decision", "done", "mistake"];

impl Stage {
    fn new() -> Self {
        let sandbox = Sandbox::new("empty");
        sandbox.git("", &["init", "-q", "--template=", "template"]);
        sandbox.git("template", &["config", "gc.auto", "0"]);
        let done = sandbox.run_in("template", &["merge-driver", "--install"]);
        assert_eq!(done.code, 0, "{}", done.stderr);
        let file = sandbox.root().join("template/.git/info/attributes");
        let attributes = fs::read_to_string(&file).unwrap();
        fs::remove_file(file).unwrap();
        Self { sandbox, attributes, now: "", categories: 1, commands: Vec::new() }
    }

    /// Creates an empty repository without the driver.
    fn clear(&mut self, random: &mut Random) {
        fs::remove_dir_all(self.sandbox.project()).unwrap();
        let template = self.sandbox.root().join("template");
        crate::common::sandbox::copy_tree(&template, &self.sandbox.project());
        self.now = ["2026-06-30T18:00:00Z", "2026-07-05T09:30:00Z", "2026-08-20T00:00:00Z"]
            [random.below(3)];
        self.categories = [1, 1, 2, 6][random.below(4)];
        self.commands.clear();
        self.run("2026-06-30T16:00:00Z", &["init"]).ok();
    }

    fn drive(&self, on: bool) {
        let file = self.sandbox.project().join(".git/info/attributes");
        fs::write(file, if on { &self.attributes } else { "" }).unwrap();
    }

    fn git(&self, args: &[&str]) -> Outcome {
        self.sandbox.try_git("project", args)
    }

    fn run(&self, now: &str, args: &[&str]) -> Outcome {
        let mut command = self.sandbox.command(&["--now", now]);
        // Syncs are tested in `durable`.
        command.args(args).env("PIMEM_SYNC", "0");
        outcome(command)
    }

    /// Runs some commands and commits the result.
    fn branch(&mut self, name: &str, random: &mut Random, most: usize) -> Side {
        let mut told = Told::default();
        let mut seconds = random.below(4);
        for _ in 0..=random.below(most) {
            seconds += random.below(4);
            let now = format!("2026-06-30T17:00:{seconds:02}Z");
            let Some(args) = self.command(name, random) else { continue };
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let done = self.run(&now, &args);
            self.commands.push(format!("{name} {seconds:02} {args:?}: {}", done.code));
            assert!(done.code < 2 || done.stderr.contains("no forgotten"), "{args:?} {done:?}");
            if done.code == 0 {
                told.tell(&args, &done.stdout);
            }
        }
        self.sandbox.git("project", &["add", "-A"]);
        self.sandbox.git("project", &["commit", "-q", "--allow-empty", "-m", name]);
        Side { told, entries: self.entries("topics"), rows: rows(&self.look().1) }
    }

    /// Returns a random command that probably has an effect.
    fn command(&self, name: &str, random: &mut Random) -> Option<Vec<String>> {
        let known: Vec<String> = self.entries("topics").into_keys().collect();
        let archived: Vec<String> = self.entries("archive").into_keys().collect();
        let number = random.below(90) + 10;
        let own =
            |name: &str| (CATEGORIES[number % self.categories], format!("Rule {number} of {name}"));
        let shared = 10 + number % 3;
        let (category, text) = match random.below(5) {
            0 | 1 => (CATEGORIES[shared % self.categories], format!("Rule {shared} of all")),
            _ => own(name),
        };
        let some = random.pick(&known).cloned();
        let words = |words: &[&str]| Some(words.iter().map(|word| (*word).to_owned()).collect());
        match random.below(26) {
            0..6 => words(&["add", "-c", category, &text]),
            6 => words(&["add", "-c", category, "--pin", &text]),
            7 => words(&["add", "-c", category, "--valid-until", "2026-07-10", &text]),
            8 => words(&["add", "-c", category, "--supersedes", &some?, &text]),
            9..12 => words(&["reinforce", &some?, "--by", ["1", "2", "5"][number % 3]]),
            12 => words(&["reinforce", &some?, "--harmful"]),
            13 | 14 => words(&["pin", &some?]),
            15 => words(&["unpin", &some?]),
            16 => words(&["forget", &some?]),
            17 => words(&["restore", random.pick(&archived).cloned().or(some)?.as_str()]),
            18 | 19 => {
                let some = some?;
                // The number determines the category, so it is kept.
                let text = format!("{some}, {name}{}", random.below(900) + 100);
                words(&["edit", &some, &text])
            }
            20 | 21 => words(&["forget", "--archive", &some?]),
            22 => words(&["note", &text]),
            23 => words(&["log", &text]),
            24 if number.is_multiple_of(2) => words(&["todo", "add", &text]),
            24 => words(&["todo", "done", "Rule"]),
            _ if number.is_multiple_of(4) => words(&["rebuild"]),
            _ => words(&["handoff"]),
        }
    }

    /// Returns the texts of entry lines with their counts.
    fn entries(&self, folder: &str) -> BTreeMap<String, usize> {
        let mut found = BTreeMap::new();
        for file in fs::read_dir(self.sandbox.path(folder)).into_iter().flatten() {
            let text = fs::read_to_string(file.unwrap().path()).unwrap();
            for line in
                text.lines().filter(|line| line.starts_with("- [") && line.contains("Rule "))
            {
                let text = line.split_once("] ").unwrap().1;
                *found.entry(text.trim_end_matches(" *(pinned)*").to_owned()).or_default() += 1;
            }
        }
        found
    }

    fn look(&self) -> (String, Value) {
        (self.run(self.now, &["report"]).ok(), self.run(self.now, &["list", "--json"]).json())
    }

    fn merge(&self, into: &str, others: &[&str]) -> Result<(), String> {
        self.sandbox.git("project", &["checkout", "-q", "-B", "merged", into]);
        for other in others {
            let done = self.git(&["merge", "-q", "--no-edit", "--no-ff", other]);
            if done.code != 0 {
                return Err(format!("git merge: {}{}", done.stdout, done.stderr));
            }
        }
        Ok(())
    }
}

fn rows(list: &Value) -> BTreeMap<String, Value> {
    let text = |entry: &Value| entry["text"].as_str().unwrap().to_owned();
    list["entries"].as_array().unwrap().iter().map(|e| (text(e), e.clone())).collect()
}

/// Removes line numbers, which depend on the order of sides when git merges alone.
fn without_lines(mut list: Value) -> Value {
    for entry in list["entries"].as_array_mut().unwrap() {
        entry.as_object_mut().unwrap().remove("line");
    }
    list
}

/// Runs a history of two branches, merged in both orders, with and without the driver.
fn two_branches(stage: &mut Stage, random: &mut Random) -> Result<(), String> {
    stage.clear(random);
    let base = stage.branch("base", random, 6);
    let left = stage.branch("left", random, 7);
    stage.sandbox.git("project", &["branch", "left"]);
    stage.sandbox.git("project", &["checkout", "-q", "-b", "right", "HEAD~1"]);
    let right = stage.branch("right", random, 7);
    for driven in [false, true] {
        stage.drive(driven);
        let mut seen = Vec::new();
        for (into, other) in [("left", "right"), ("right", "left")] {
            stage.merge(into, &[other])?;
            let (report, list) = stage.look();
            let wrong = wrong(stage, driven, [&base, &left, &right], &list);
            if !wrong.is_empty() {
                return Err(format!("driven {driven}, {other} into {into}: {wrong:?}"));
            }
            let files = if driven { stage.sandbox.tree() } else { BTreeMap::new() };
            let files: Vec<_> = files.into_iter().filter(|(name, _)| of_a_store(name)).collect();
            seen.push((report, if driven { list } else { without_lines(list) }, files));
        }
        if seen[0] != seen[1] {
            return Err(format!("driven {driven}, by the order: {:#?}", differences(&seen)));
        }
    }
    Ok(())
}

fn of_a_store(name: &str) -> bool {
    let path = Path::new(name);
    let kind = path.extension().is_some_and(|kind| kind == "md" || kind == "jsonl");
    kind && name.starts_with(".pi/memory/")
}

type Seen = (String, Value, Vec<(String, Vec<u8>)>);

fn differences(seen: &[Seen]) -> Vec<String> {
    let lines = |(report, list, files): &Seen| -> Vec<String> {
        let files = files
            .iter()
            .map(|(name, bytes)| format!("{name}:\n{}", String::from_utf8_lossy(bytes)));
        let rows = list["entries"].as_array().unwrap().iter().map(Value::to_string);
        report.lines().map(str::to_owned).chain(rows).chain(files).collect()
    };
    let (one, other) = (lines(&seen[0]), lines(&seen[1]));
    let only = |a: &[String], b: &[String]| -> Vec<String> {
        a.iter().filter(|line| !b.contains(line)).cloned().collect()
    };
    [only(&one, &other), only(&other, &one)].concat()
}

/// Returns the violations in a merged store.
fn wrong(
    stage: &Stage,
    driven: bool,
    [base, left, right]: [&Side; 3],
    list: &Value,
) -> Vec<String> {
    let mut wrong = Vec::new();
    let held = stage.entries("topics");
    let merged = rows(list);
    if merged.len() != list["entries"].as_array().unwrap().len() {
        wrong.push("an entry is listed twice".to_owned());
    }
    let all = base.told.and(&left.told).and(&right.told);
    for text in held.keys() {
        let known = [base, left, right].iter().any(|side| side.entries.contains_key(text));
        if !known {
            wrong.push(format!("made up: {text}"));
        }
    }
    let sides: BTreeSet<&String> = left.entries.keys().chain(right.entries.keys()).collect();
    for text in sides {
        let on = [left, right].map(|side| side.entries.contains_key(text));
        let family = all.family(text);
        let touched = [left, right].map(|side| !side.told.touched.is_disjoint(&family));
        let is_new = !base.entries.contains_key(text);
        if !is_new && on != [true, true] {
            let idle = touched[usize::from(on[1])];
            // Removed on one side, and unchanged on the other.
            if driven && !idle && held.contains_key(text) {
                wrong.push(format!("came back: {text}"));
            }
            continue;
        }
        let (Some(row), Some(times)) = (merged.get(text), held.get(text)) else {
            wrong.push(format!("lost: {text}"));
            continue;
        };
        if driven && *times != 1 {
            wrong.push(format!("{times} times: {text}"));
        }
        if row["evidence"].as_i64() != Some(all.evidence(text)) {
            let want = all.evidence(text);
            wrong.push(format!("evidence {} instead of {want}: {text}", row["evidence"]));
        }
        // An entry changed on only one side is as that side left it.
        let alone = match touched {
            [true, true] => None,
            [_, true] => Some(right),
            _ => Some(left),
        };
        let before = alone.and_then(|side| side.rows.get(text));
        if before.is_some_and(|before| before["userState"] != row["userState"]) {
            wrong.push(format!("{} and not as before: {text}", row["userState"]));
        }
    }
    wrong
}

/// Runs histories in parallel, and prints how to reproduce the failed ones.
fn play(count: usize, history: impl Fn(&mut Stage, &mut Random) -> Result<(), String> + Sync) {
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|threads| {
        for _ in 0..thread::available_parallelism().map_or(2, |count| count.get().min(8)) {
            threads.spawn(|| {
                let mut stage = Stage::new();
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= count || failures.lock().unwrap().len() > 3 {
                        return;
                    }
                    if let Err(wrong) = history(&mut stage, &mut Random(seed as u64)) {
                        let commands = stage.commands.join("\n");
                        failures.lock().unwrap().push(format!("seed {seed}: {wrong}\n{commands}"));
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn two_branches_in_either_order() {
    play(HISTORIES * scale(), two_branches);
}

/// Runs a history of three branches, merged one after another in several orders.
fn three_branches(stage: &mut Stage, random: &mut Random) -> Result<(), String> {
    stage.clear(random);
    stage.branch("base", random, 6);
    for name in ["a", "b", "c"] {
        stage.sandbox.git("project", &["checkout", "-q", "-b", name, "main"]);
        stage.branch(name, random, 5);
    }
    for driven in [false, true] {
        stage.drive(driven);
        let mut seen: Option<(String, Value)> = None;
        for (into, others) in
            [("a", &["b", "c"][..]), ("b", &["c", "a"]), ("c", &["b", "a"]), ("c", &["a", "b"])]
        {
            stage.merge(into, others)?;
            let (report, list) = stage.look();
            let now = (report, without_lines(list));
            if seen.as_ref().is_some_and(|seen| *seen != now) {
                let seen = [seen.unwrap(), now].map(|(report, list)| (report, list, Vec::new()));
                let found = differences(&seen);
                return Err(format!("driven {driven}, {others:?} into {into}: {found:#?}"));
            }
            seen = Some(now);
        }
    }
    Ok(())
}

#[test]
fn three_branches_in_every_order() {
    play(THREEFOLD * scale(), three_branches);
}
