//! The store: files written by people and other tools are understood, preserved, and changed only
//! where requested.

use std::fs;

use serde_json::Value;

use crate::common::sandbox::{Outcome, Sandbox};

fn events(sandbox: &Sandbox) -> usize {
    let log = fs::read_to_string(sandbox.path("evidence.jsonl")).unwrap_or_default();
    log.lines().count()
}

/// A hand-edited line keeps its evidence, for readers at once and permanently after a
/// rebuild.
#[test]
fn evidence_outlives_hand_edits() {
    let sandbox = Sandbox::new("hand-written");
    sandbox.run(&["rebuild", "--now", "2026-06-01T12:00:00Z"]).ok();
    let early = ["--now", "2026-06-02T12:00:00Z"];
    sandbox
        .run(&[&early[..], &["add", "--cue", "structural", "The quay is 12 m wide"]].concat())
        .ok();
    sandbox.run(&[&early[..], &["reinforce", "quay is", "fsnotify", "--by", "4"]].concat()).ok();
    // One entry was added by pimem, the other by hand and adopted.
    for (old, new) in [
        ("The quay is 12 m wide", "The quay is only 12 m wide"),
        ("debounce 80 ms and stat the path again", "debounce 120 ms, then stat the path again"),
    ] {
        let show = |text: &str| sandbox.run(&["why", text, "--json"]).json();
        let before = show(old);
        assert_eq!(before["entry"]["evidence"], 5);
        let lessons = sandbox.read("topics/lessons.md");
        sandbox.write("topics/lessons.md", lessons.replace(old, new));
        let kept = |when: &str| {
            let after = show(new);
            assert_ne!(before["entry"]["id"], after["entry"]["id"]);
            for key in ["evidence", "cue", "score", "state", "firstSeen", "lastReinforced"] {
                assert_eq!(before["entry"][key], after["entry"][key], "{key} {when}");
            }
        };
        let log = sandbox.bytes("evidence.jsonl");
        kept("before rebuild");
        assert_eq!(sandbox.bytes("evidence.jsonl"), log, "readers write nothing");
        sandbox.run(&["rebuild"]).ok();
        kept("after rebuild");
        assert!(sandbox.bytes("evidence.jsonl").starts_with(&log), "the log is only appended to");
        let added = events(&sandbox);
        sandbox.run(&["rebuild"]).ok();
        assert_eq!(events(&sandbox), added, "a second rebuild has nothing to adopt");
    }
    // A completely different text is a new entry.
    let lessons = sandbox.read("topics/lessons.md");
    sandbox.write("topics/lessons.md", lessons.replace("The quay is only 12 m wide", "Tea at 4"));
    let tea = sandbox.run(&["why", "Tea at 4", "--json"]).json();
    assert_eq!(
        (&tea["entry"]["evidence"], &tea["entry"]["cue"]),
        (&1.into(), &"behavioral".into())
    );
}

#[test]
fn hand_written_lines_are_adopted_once() {
    let sandbox = Sandbox::new("hand-written");
    let report = sandbox.run(&["report"]).ok();
    assert!(report.contains("goldmark's typographer") && report.contains("Go 1.23"), "{report}");
    let list = sandbox.run(&["list", "--json"]).ok();
    let topics = sandbox.tree();
    assert_eq!(events(&sandbox), 0);
    assert!(sandbox.run(&["rebuild"]).ok().contains("Adopted: 25 hand-written entries"));
    assert_eq!(events(&sandbox), 25);
    for (name, bytes) in topics {
        assert_eq!(fs::read(sandbox.project().join(&name)).unwrap(), bytes, "{name}");
    }
    assert_eq!(sandbox.run(&["report"]).ok(), report);
    assert_eq!(sandbox.run(&["list", "--json"]).ok(), list);
    assert!(!sandbox.run(&["rebuild"]).ok().contains("Adopted"));
    assert_eq!(events(&sandbox), 25);
    // A marker set by hand counts as explicit.
    let entries = sandbox.entries();
    let pinned = entries.values().filter(|entry| entry["userState"] == "pinned");
    assert!(pinned.clone().count() == 2 && pinned.clone().all(|entry| entry["cue"] == "explicit"));
}

/// The scores in pi's snapshot become evidence.
#[test]
fn scores_of_pi_are_adopted() {
    let sandbox = Sandbox::new("pi");
    let scores: Value = serde_json::from_str(&sandbox.read("memory-scores.json")).unwrap();
    let seen = |when: &str, all: bool| {
        let list = sandbox.run(&["list", "--json"]).ok();
        let list: Value = serde_json::from_str(&list).unwrap();
        let mut matched = 0;
        for entry in list["entries"].as_array().unwrap() {
            let key = pi_key(entry["category"].as_str().unwrap(), entry["text"].as_str().unwrap());
            let Some(score) = scores["entries"].get(&key) else { continue };
            matched += 1;
            let text = &entry["text"];
            for (ours, theirs) in [
                ("evidence", "evidenceCount"),
                ("cue", "cue"),
                ("firstSeen", "firstSeen"),
                ("lastReinforced", "lastReinforced"),
                ("userState", "userState"),
            ] {
                assert_eq!(entry[ours], score[theirs], "{ours} of {text} {when}");
            }
        }
        let known = scores["entries"].as_object().unwrap().len();
        // A rebuild moves forgotten lines to the archive.
        let all_scores = scores["entries"].as_object().unwrap().values();
        let gone = all_scores.filter(|score| score["userState"] == "forgotten").count();
        let whole = [known, known - gone].contains(&matched);
        assert!(whole || !all && matched > 20, "{when}: {matched}");
        list
    };
    let live = |list: &Value| {
        let entries = list["entries"].as_array().unwrap().iter();
        let mut live: Vec<Value> =
            entries.filter(|entry| entry["userState"] != "forgotten").cloned().collect();
        for entry in &mut live {
            entry["line"] = Value::Null;
        }
        live
    };
    let before = seen("at first contact", true);
    sandbox.run(&["rebuild"]).ok();
    assert_eq!(live(&seen("after rebuild", true)), live(&before));
    // The snapshot is now written by pimem and no longer an input.
    assert!(!sandbox.read("memory-scores.json").contains("4d952d20"));
    sandbox.run(&["rebuild"]).ok();
    // Adopted days count like others; entries that had faded by then are archived.
    seen("after another rebuild", false);
}

/// Returns pi's hash of a canonical line.
fn pi_key(category: &str, text: &str) -> String {
    let line = format!("- [{category}] {text}");
    format!("{:08x}", pimem_core::model::hash::pi32(&line))
}

#[test]
fn the_hash_of_pi() {
    assert_eq!(pi_key("lesson", "x"), "12657548");
    assert_eq!(pi_key("decision", "naïve café 👍"), "abeac7c8");
    assert_eq!(pi_key("preference", "User prefers concise responses"), "5ec33969");
}

/// P9: the same store at the same time gives the same bytes.
#[test]
fn the_same_bytes_twice() {
    for fixture in ["harbor", "hand-written", "pi", "working"] {
        let [one, two] = [(); 2].map(|()| Sandbox::new(fixture));
        for args in [
            &["list", "--json"][..],
            &["list", "--sort", "hot"],
            &["report", "--explain"],
            &["report", "--json", "--prompt", "how do we lock berths and pages?"],
            &["search", "--no-touch", "--json", "the berth of a page"],
            &["list", "--topics"],
            &["config", "show"],
        ] {
            let first = one.run(args);
            assert_eq!(one.run(args), first, "{args:?} in the same store");
            assert_eq!(two.run(args), first, "{args:?} in a copy");
        }
        one.run(&["rebuild"]).ok();
        two.run(&["rebuild"]).ok();
        assert_eq!(one.read("memory-scores.json"), two.read("memory-scores.json"));
    }
}

/// Returns the only difference between two texts: the removed and the inserted part.
fn difference(before: &[u8], after: &[u8]) -> (String, String) {
    let start = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let rest = before[start..].iter().rev().zip(after[start..].iter().rev());
    let end = rest.take_while(|(a, b)| a == b).count();
    let text =
        |bytes: &[u8]| String::from_utf8_lossy(&bytes[start..bytes.len() - end]).into_owned();
    (text(before), text(after))
}

/// P4: bytes outside the edited line never change: line ends, BOM, notes, a missing last line
/// break.
#[test]
fn edits_are_local() {
    let crlf = "topics/preferences.md";
    let (bom, mixed, plain) = ("topics/lessons.md", "topics/patterns.md", "topics/decisions.md");
    let cases: &[(&[&str], &str, &str, &str)] = &[
        (&["pin", "Table-driven"], crlf, "", " *(pinned)*"),
        (&["unpin", "Standard library"], crlf, " *(pinned)*", ""),
        (
            &["edit", "Wrap errors", "Wrap"],
            crlf,
            " errors with `fmt.Errorf(\"render %s: %w\", path, err)` and never log and return the same error",
            "",
        ),
        (&["add", "-c", "preference", "New"], crlf, "", "- [preference] New\r\n"),
        (&["pin", "fsnotify"], bom, "", " *(pinned)*"),
        (&["unpin", "typographer"], bom, " *(pinned)*", ""),
        (&["add", "New"], bom, "", "\n- [lesson] New\n"),
        (
            &["forget", "typographer"],
            bom,
            "- [lesson] goldmark's typographer turns `--flag` into an en dash outside code spans; it is off for `docs/cli/*.md` *(pinned)*",
            "",
        ),
        (&["pin", "Golden files"], mixed, "", " *(pinned)*"),
        (&["pin", "Template helpers"], mixed, "", " *(pinned)*"),
        (&["pin", "Go 1.23"], plain, "", " *(pinned)*"),
        (&["reinforce", "Go 1.23"], plain, "", ""),
        (&["rebuild"], plain, "", ""),
    ];
    for (args, name, out, into) in cases {
        let sandbox = Sandbox::new("hand-written");
        let before = sandbox.tree();
        sandbox.run(args).ok();
        let after = sandbox.tree();
        for (file, bytes) in &before {
            if !file.ends_with(name) {
                assert_eq!(after.get(file), Some(bytes), "{args:?} changed {file}");
            }
        }
        let file = format!(".pi/memory/{name}");
        let (taken, put) = difference(&before[&file], &after[&file]);
        assert_eq!((taken.as_str(), put.as_str()), (*out, *into), "{args:?}");
    }
    for (name, selector, end) in [
        (crlf, "Wrap errors", "\r\n"),
        (bom, "fsnotify", "\n"),
        (mixed, "Golden", "\n"),
        (plain, "Go 1.23", "\n"),
    ] {
        let sandbox = Sandbox::new("hand-written");
        let before = sandbox.bytes(name);
        let line = String::from_utf8_lossy(&before)
            .lines()
            .find(|l| l.contains(selector))
            .unwrap()
            .to_owned();
        sandbox.run(&["forget", "--archive", selector]).ok();
        let (taken, put) = difference(&before, &sandbox.bytes(name));
        assert_eq!(put, "");
        assert_eq!(taken.len(), line.len() + end.len(), "{name}: {taken:?}");
    }
}

/// A time in the future counts as now and is not rewritten.
#[test]
fn a_clock_that_ran_ahead() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["add", "From the future", "--now", "2031-01-01T00:00:00Z"]).done();
    sandbox.run(&["add", "From today"]).ok();
    let log = sandbox.read("evidence.jsonl");
    assert!(log.contains("2031-01-01"));
    let (entries, today) = (sandbox.entries(), "From today");
    assert_eq!(entries["From the future"]["score"], entries[today]["score"]);
    sandbox.run(&["rebuild"]).ok();
    assert_eq!(sandbox.read("evidence.jsonl"), log);
    // Years later the entry decays like the other.
    let list = sandbox.run(&["list", "--json", "--now", "2033-01-01"]).json();
    let scores: Vec<f64> =
        list["entries"].as_array().unwrap().iter().map(|e| e["score"].as_f64().unwrap()).collect();
    assert!(scores.iter().all(|score| *score < 0.01), "{scores:?}");
    for time in ["1970-01-01T00:00:00Z", "1900-01-01T00:00:00Z", "9999-12-31T23:59:59Z"] {
        let list = sandbox.run(&["list", "--now", time]).ok();
        assert!(
            list.lines().count() == 2 && !list.contains("NaN") && !list.contains("inf"),
            "{list}"
        );
    }
}

#[test]
fn removed_and_restored() {
    let sandbox = Sandbox::new("harbor");
    let before = sandbox.run(&["list", "--json"]).json();
    let lines = |name: &str| {
        let mut lines: Vec<String> = sandbox.read(name).lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let lessons = lines("topics/lessons.md");
    let later = ["--now", "2026-06-30T18:00:01Z"];
    sandbox.run(&["forget", "--archive", "survive a rollback"]).ok();
    assert!(!sandbox.run(&["list"]).ok().contains("survive a rollback"));
    assert!(!sandbox.run(&["search", "advisory", "rollback"]).ok().contains("survive a rollback"));
    assert!(sandbox.read("archive/lessons.md").contains("survive a rollback"));
    sandbox.run(&[&later[..], &["restore", "survive a rollback"]].concat()).ok();
    assert_eq!(lines("topics/lessons.md"), lessons);
    assert!(!sandbox.read("archive/lessons.md").contains("survive a rollback"));
    let without_lines = |mut list: Value| {
        for entry in list["entries"].as_array_mut().unwrap() {
            for name in ["line", "accessCount", "lastAccessed"] {
                entry.as_object_mut().unwrap().remove(name);
            }
        }
        list
    };
    let after = sandbox.run(&["list", "--json"]).json();
    assert_eq!(without_lines(after), without_lines(before.clone()), "evidence and all");
    // A pinned entry is restored with its pin.
    sandbox.run(&["forget", "--archive", "Readiness must fail"]).ok();
    sandbox.run(&[&later[..], &["restore", "Readiness must fail"]].concat()).ok();
    let list = sandbox.run(&["list", "--json"]).json();
    assert_eq!(without_lines(list), without_lines(before));
}

#[test]
fn forgotten_and_restored() {
    let sandbox = Sandbox::new("harbor");
    let before = (sandbox.run(&["list"]), sandbox.run(&["report"]), sandbox.tree());
    sandbox.run(&["forget", "survive a rollback"]).ok();
    let list = sandbox.run(&["list", "--state", "dropped"]).ok();
    assert!(list.contains("dropped (forgotten)\t0\t39d\tAdvisory locks taken"), "{list}");
    assert!(!sandbox.run(&["search", "advisory", "rollback"]).ok().contains("survive a rollback"));
    sandbox.run(&["restore", "survive a rollback", "--now", "2026-06-30T18:00:01Z"]).ok();
    let after = (sandbox.run(&["list"]), sandbox.run(&["report"]));
    assert_eq!((after.0, after.1), (before.0, before.1));
    let sorted = |bytes: &[u8]| {
        let mut lines: Vec<String> =
            String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    let lessons = sandbox.bytes("topics/lessons.md");
    assert_eq!(sorted(&lessons), sorted(&before.2[".pi/memory/topics/lessons.md"]));
}

/// The later of two decisions counts, even with the same time stamp.
#[test]
fn decisions_within_a_millisecond() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["add", "Undecided"]).done();
    let state = || sandbox.entries()["Undecided"]["userState"].clone();
    for round in 0..6 {
        sandbox.run(&["pin", "Undecided"]).ok();
        assert_eq!(state(), "pinned", "round {round}");
        sandbox.run(&["unpin", "Undecided"]).ok();
        assert_eq!(state(), "auto", "round {round}: unpinned after being pinned");
        sandbox.run(&["forget", "Undecided"]).ok();
        assert!(sandbox.entries().is_empty(), "round {round}");
        sandbox.run(&["restore", "Undecided"]).ok();
        assert_eq!(state(), "auto", "round {round}: restored after being forgotten");
    }
}

#[test]
fn a_cold_topic_goes_to_the_archive_and_comes_back() {
    let sandbox = Sandbox::new("hand-written");
    sandbox.run(&["rebuild"]).ok();
    let patterns = sandbox.bytes("topics/patterns.md");
    let later =
        |args: &[&str]| -> Outcome { sandbox.run(&[&["--now", "2026-10-15"], args].concat()) };
    let done = later(&["rebuild"]).ok();
    assert!(!done.contains("Archived"), "nobody was there: {done}");
    for day in 1..=10 {
        let now = format!("2026-07-{day:02}");
        sandbox.run(&["--now", &now, "add", "-c", "done", &format!("Day {day} is over")]).ok();
    }
    let done = later(&["rebuild"]).ok();
    let moved = done.lines().filter(|line| line.ends_with(", to archive/patterns.md"));
    assert_eq!(moved.count(), 5, "{done}");
    assert!(!done.contains("is over"), "what was said on purpose stays: {done}");
    let again = later(&["rebuild"]).ok();
    assert!(!again.contains("Archived"), "{again}");
    let left = sandbox.read("topics/patterns.md");
    assert_eq!(left, "# Patterns\n\r\n\nConcurrency:\r\n\r\n", "notes stay as they were");
    let archived = sandbox.read("archive/patterns.md");
    assert_eq!(archived.lines().filter(|line| line.starts_with("- [pattern] ")).count(), 5);
    for line in String::from_utf8(patterns).unwrap().lines().filter(|line| line.starts_with("- ")) {
        assert!(archived.contains(line.trim_end()), "{line}");
        let text = line.trim_end().trim_start_matches("- [pattern] ");
        later(&["restore", text]).ok();
        assert!(sandbox.read("topics/patterns.md").contains(line.trim_end()));
    }
    assert_eq!(sandbox.read("archive/patterns.md"), "# Patterns\n\n");
}
