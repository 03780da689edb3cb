//! Searches with and without an index agree after any history of the store: reworded entries,
//! merged lines, events of other clocks, files with restored times.

use std::{
    fs::{self, File, FileTimes},
    path::Path,
};

use crate::{
    common::{
        history::Random,
        sandbox::{Outcome, Sandbox},
        scale,
    },
    index::{cache_away, settle},
};

const TEXTS: [&str; 5] = [
    "The berth of the ferry is dredged in May",
    "A berth without a crane takes no freight",
    "Pilots board two miles off the berth",
    "Every berth has a camera since the flood",
    "The berth list is printed at noon",
];

fn search(sandbox: &Sandbox, now: &str) -> Outcome {
    sandbox.run(&["search", "--json", "-n", "20", "--now", now, "--", "berth", "ferry"])
}

fn without_index(sandbox: &Sandbox, now: &str) -> Outcome {
    cache_away(sandbox, || search(sandbox, now))
}

/// Replaces text in a file by the same number of bytes, and restores the file's time.
fn replace_unseen(path: &Path, from: &str, to: &str) {
    assert_eq!(from.len(), to.len());
    let times = fs::metadata(path).unwrap().modified().unwrap();
    let text = fs::read_to_string(path).unwrap();
    fs::write(path, text.replacen(from, to, 1)).unwrap();
    let file = File::options().append(true).open(path).unwrap();
    file.set_times(FileTimes::new().set_modified(times)).unwrap();
}

/// Returns an event as a merge of another branch brings it.
fn foreign(random: &mut Random, ids: &[String]) -> Option<String> {
    let (id, other) = (random.pick(ids)?, random.pick(ids)?);
    let ts = [
        "2026-06-01T00:00:00.000Z",
        "2026-06-30T18:00:00.001Z",
        "2026-07-20T00:00:00.000Z",
        "2036-01-01T00:00:00.000Z",
    ][random.below(4)];
    let what = match random.below(9) {
        0 => "\"op\":\"forget\",\"by\":\"user\"".to_owned(),
        1 => "\"op\":\"pin\",\"by\":\"user\"".to_owned(),
        2 => "\"op\":\"reinforce\",\"n\":9,\"by\":\"claude\"".to_owned(),
        3 => "\"op\":\"add\",\"cue\":\"explicit\",\"by\":\"user\"".to_owned(),
        4 => "\"op\":\"harmful\",\"n\":1,\"by\":\"user\"".to_owned(),
        5 => "\"op\":\"restore\",\"by\":\"user\"".to_owned(),
        6 => format!("\"op\":\"edit\",\"from\":\"{other}\",\"by\":\"user\""),
        7 => format!("\"op\":\"merge\",\"from\":[\"{other}\"],\"by\":\"dream\""),
        _ => format!("\"op\":\"supersede\",\"by\":\"{other}\""),
    };
    let id = format!(
        "{{\"id\":\"foreign-{}\",\"ts\":\"{ts}\",\"entry\":\"{id}\",{what}}}\n",
        random.below(1_000_000)
    );
    Some(id)
}

/// Returns the ids of all entries in the log, including those no longer in use.
fn ids(sandbox: &Sandbox) -> Vec<String> {
    let log = sandbox.read("evidence.jsonl");
    let id = |line: &str| Some(line.split_once("\"entry\":\"")?.1.get(..16)?.to_owned());
    let mut ids: Vec<String> = log.lines().filter_map(id).collect();
    ids.sort();
    ids.dedup();
    ids
}

fn history(random: &mut Random) {
    let sandbox = Sandbox::new("empty");
    let mut told = Vec::new();
    for text in TEXTS {
        sandbox.run(&["add", text, "--now", "2026-05-01"]).done();
    }
    for step in 0..12 {
        let known: Vec<String> = sandbox.entries().into_keys().collect();
        let Some(some) = random.pick(&known).cloned() else { break };
        let reworded = format!("{some} {}", ["again", "still", "too"][random.below(3)]);
        let act = random.below(9);
        told.push(format!("{step}: {act} {some}"));
        match act {
            0 => drop(sandbox.run(&["edit", &some, &reworded, "--now", "2026-06-01"])),
            1 => drop(sandbox.run(&["add", TEXTS[random.below(5)]])),
            2 => drop(sandbox.run(&["reinforce", &some])),
            3 => drop(sandbox.run(&["forget", &some])),
            4 => {
                settle(&sandbox);
                sandbox.run(&["rebuild"]).done();
            }
            5 => replace_unseen(&sandbox.path("topics/lessons.md"), "berth", "quays"),
            6 if sandbox.read("topics/lessons.md").contains("quays") => {
                replace_unseen(&sandbox.path("topics/lessons.md"), "quays", "berth");
            }
            _ => {
                if let Some(line) = foreign(random, &ids(&sandbox)) {
                    let log = sandbox.read("evidence.jsonl");
                    told.push(line.clone());
                    sandbox.write("evidence.jsonl", log + &line);
                }
            }
        }
        for now in ["2026-06-30T18:00:00Z", "2026-05-20", "2027-01-01", "2036-06-01"] {
            let (with, without) = (search(&sandbox, now), without_index(&sandbox, now));
            assert_eq!(with, without, "at {now} after {}", told.join("\n"));
        }
    }
}

/// Runs every other history from `first`, so that two tests share the work.
fn histories(first: u64) {
    for seed in (first..8 * scale() as u64).step_by(2) {
        println!("history {seed}");
        history(&mut Random(seed));
    }
}

#[test]
fn the_index_answers_as_the_files_do() {
    histories(0);
}

#[test]
fn and_in_other_histories() {
    histories(1);
}

/// An event about an old wording applies to the entry with the new wording.
#[test]
fn a_merge_brings_word_of_a_former_wording() {
    for (ts, found) in [("2026-06-30T17:59:59.000Z", false), ("2036-01-01T00:00:00.000Z", true)] {
        let sandbox = Sandbox::new("empty");
        sandbox.run(&["add", TEXTS[0], "--now", "2026-06-30T17:00:00Z"]).done();
        let id = sandbox.entries()[TEXTS[0]]["id"].as_str().unwrap().to_owned();
        sandbox.run(&["edit", TEXTS[0], TEXTS[2]]).ok();
        settle(&sandbox);
        sandbox.run(&["rebuild"]).done();
        let log = sandbox.read("evidence.jsonl");
        let line =
            format!("{{\"id\":\"x\",\"ts\":\"{ts}\",\"entry\":\"{id}\",\"op\":\"forget\"}}\n");
        sandbox.write("evidence.jsonl", log + &line);
        let answer = search(&sandbox, "2026-06-30T18:00:00Z");
        assert_eq!(answer.code == 0, found, "{ts}: what it had by then is what counts");
        assert_eq!(answer, without_index(&sandbox, "2026-06-30T18:00:00Z"), "{ts}");
    }
}

/// As `touch -r` and `rsync -t` leave files: other bytes with the same length and time.
#[test]
fn a_time_that_was_put_back() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["add", TEXTS[0]]).done();
    settle(&sandbox);
    sandbox.run(&["rebuild"]).done();
    let now = "2026-06-30T18:00:00Z";
    for (name, from, to) in
        [("topics/lessons.md", "dredged", "drained"), ("evidence.jsonl", "explicit", "implicit")]
    {
        let before = search(&sandbox, now);
        replace_unseen(&sandbox.path(name), from, to);
        let after = search(&sandbox, now);
        assert_ne!(after.stdout, before.stdout, "{name}");
        assert_eq!(after, without_index(&sandbox, now), "{name}");
    }
}
