//! Exchanges of real stores by the real program.

use std::{collections::BTreeMap, fs, thread, time::Duration};

use serde_json::{Value, json};

use crate::common::{
    history::Random,
    sandbox::{Sandbox, copy_tree},
    scale,
};

/// Directories of the replicas.
const REPLICAS: [&str; 3] = ["project", LAPTOP, STICK];
const LAPTOP: &str = "laptop/project";
const STICK: &str = "stick/project";

/// Returns a sandbox with empty replicas.
fn replicas() -> Sandbox {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["init"]).ok();
    for name in &REPLICAS[1..] {
        copy_tree(&sandbox.project(), &sandbox.root().join(name));
    }
    sandbox
}

/// Returns the entries as `list --json` has them, without the lines on which they stand.
fn listed(sandbox: &Sandbox, replica: &str) -> BTreeMap<String, Value> {
    let list = sandbox.run_in(replica, &["--json", "--now", "2026-08-20", "list"]).json();
    let rows = list["entries"].as_array().unwrap().clone();
    let row = |mut row: Value| {
        let fields = row.as_object_mut().unwrap();
        fields.remove("line");
        fields.remove("store");
        (fields["id"].to_string(), row)
    };
    rows.into_iter().map(row).collect()
}

fn report(sandbox: &Sandbox, replica: &str) -> String {
    sandbox.run_in(replica, &["--now", "2026-08-20", "report"]).stdout
}

/// Returns the absolute path of a replica or file.
fn path(sandbox: &Sandbox, name: &str) -> String {
    sandbox.root().join(name).to_string_lossy().into_owned()
}

fn sync(sandbox: &Sandbox, from: &str, to: &str) -> String {
    sandbox.run_in(from, &["sync", "--with", &path(sandbox, to)]).ok()
}

/// Does something to a replica, by a command or by hand.
fn act(sandbox: &Sandbox, replica: &str, random: &mut Random) {
    let number = random.below(6).to_string();
    let text = format!("Quay {number} is dredged by the harbor pilots");
    let category = ["lesson", "preference", "decision"][random.below(3)];
    let args: &[&str] = match random.below(9) {
        0..4 => &["add", "-c", category, &text],
        4 => &["pin", &text],
        5 => &["edit", &text, "Quays are dredged by the pilots of the harbor"],
        6 => &["forget", "--archive", &text],
        7 => &["forget", &text],
        _ => {
            let path = sandbox.root().join(replica).join(".pi/memory/topics/lessons.md");
            let held = fs::read_to_string(&path).unwrap_or_default();
            let kept = held.replacen("pilots", "captains", random.below(2));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            return fs::write(&path, format!("{kept}- [lesson] Typed {number}\n")).unwrap();
        }
    };
    let now = format!("2026-06-30T1{}:00:00Z", random.below(9));
    drop(sandbox.run_in(replica, &[&["--now", &now], args].concat()));
}

#[test]
fn replicas_end_alike() {
    for seed in 0..6 * scale() as u64 {
        let sandbox = replicas();
        let mut random = Random(seed);
        for _ in 0..12 {
            let replica = REPLICAS[random.below(3)];
            act(&sandbox, replica, &mut random);
            let other = REPLICAS[random.below(3)];
            if random.below(4) == 0 && other != replica {
                sync(&sandbox, replica, other);
            }
        }
        for (from, to) in [(0, 1), (1, 2), (2, 0), (0, 1), (1, 2)] {
            sync(&sandbox, REPLICAS[from], REPLICAS[to]);
        }
        let lists = REPLICAS.map(|replica| listed(&sandbox, replica));
        assert_eq!(lists[0], lists[1], "seed {seed}");
        assert_eq!(lists[0], lists[2], "seed {seed}");
        let reports = REPLICAS.map(|replica| report(&sandbox, replica));
        assert_eq!(reports[0], reports[1], "seed {seed}");
        assert_eq!(reports[0], reports[2], "seed {seed}");
        let said = sync(&sandbox, REPLICAS[0], REPLICAS[2]);
        assert!(
            said.contains("0 lines and 0 events sent, 0 lines and 0 events received"),
            "{said}"
        );
    }
}

#[test]
fn a_bundle_is_as_good_as_an_exchange() {
    let sandbox = replicas();
    sandbox.run(&["add", "--pin", "Piers are numbered from the west"]).ok();
    sandbox.run(&["add", "-c", "decision", "Tenders are let in spring #tenders"]).ok();
    sandbox.run(&["add", "The code of the gate #private"]).ok();
    sandbox.run(&["search", "piers"]).ok();
    let carried = &*path(&sandbox, "carried");
    sandbox.run(&["sync", "--bundle", carried]).ok();
    let bundle = fs::read_to_string(carried).unwrap();
    assert!(!bundle.contains("code of the gate"), "{bundle}");
    assert!(sandbox.run(&["sync", "--bundle", "-"]).ok().lines().eq(bundle.lines()));
    // Agents are not shown the lines of a bundle before a review.
    let said = sandbox.run_in(LAPTOP, &["sync", "--from", carried]).ok();
    assert!(said.contains("2 lines to review"), "{said}");
    assert!(!report(&sandbox, LAPTOP).contains("Piers"));
    sandbox.run_in(LAPTOP, &["sync", "--from", carried, "--trust"]).ok();
    sandbox.run_in(STICK, &["sync", "--from", carried, "--trust"]).ok();
    drop(sandbox.run(&["forget", "--destroy", "--yes", "code of the gate"]));
    assert_eq!(listed(&sandbox, LAPTOP), listed(&sandbox, "project"));
    assert_eq!(report(&sandbox, LAPTOP), report(&sandbox, "project"));
    assert_eq!(report(&sandbox, STICK), report(&sandbox, "project"));
    let piers =
        &listed(&sandbox, LAPTOP).into_values().find(|row| row["userState"] == "pinned").unwrap();
    assert_eq!(piers["accessCount"], 1, "another machine found it: {piers}");
}

#[test]
fn trust_goes_from_store_to_store_and_no_further() {
    let sandbox = replicas();
    sandbox.run(&["add", "Said in the project"]).ok();
    let path = sandbox.root().join("laptop/project/.pi/memory/topics/lessons.md");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, "- [lesson] Brought by a pull\n").unwrap();
    let said = sync(&sandbox, LAPTOP, "project");
    assert!(said.contains("1 line and 1 event sent, 1 line and 1 event received"), "{said}");
    for replica in [LAPTOP, "project"] {
        let report = report(&sandbox, replica);
        assert!(report.contains("Said in the project"), "{replica}: {report}");
        assert!(!report.contains("Brought by a pull"), "{replica}: {report}");
    }
    sandbox.run_in(LAPTOP, &["trust", "--all"]).ok();
    sync(&sandbox, "project", LAPTOP);
    assert!(report(&sandbox, "project").contains("Brought by a pull"));
}

#[test]
fn a_purge_reaches_all_and_lasts() {
    let sandbox = replicas();
    sandbox.run(&["add", "The vault is behind the map"]).ok();
    sync(&sandbox, "project", LAPTOP);
    sync(&sandbox, "project", STICK);
    assert_eq!(sandbox.run_in(LAPTOP, &["forget", "--destroy", "--yes", "vault"]).code, 0);
    sync(&sandbox, LAPTOP, "project");
    let log = sandbox.read("evidence.jsonl");
    assert_eq!(log.lines().count(), 1, "the tombstone: {log}");
    // Neither an exchange nor a line from elsewhere brings it back, but who types it does.
    sync(&sandbox, STICK, "project");
    assert_eq!(sandbox.entries().len(), 0);
    sandbox.plant("topics/lessons.md", "- [lesson] The vault is behind the map\n");
    sync(&sandbox, STICK, "project");
    assert_eq!(sandbox.entries().len(), 0);
    sandbox.run_in(STICK, &["add", "The vault is behind the map"]).ok();
    sync(&sandbox, STICK, "project");
    sync(&sandbox, LAPTOP, "project");
    assert_eq!(listed(&sandbox, LAPTOP).len(), 1);
    assert_eq!(listed(&sandbox, LAPTOP), listed(&sandbox, "project"));
}

/// What is early by this machine's clock is refused nowhere, and comes when the clock is right.
#[test]
fn a_clock_that_is_behind_loses_nothing() {
    let sandbox = replicas();
    let ahead = ["--now", "2026-08-20T10:00:00Z"];
    let text = "Berths are numbered from the north";
    sandbox.run_in(LAPTOP, &[&ahead[..], &["add", text]].concat()).done();
    let bundle = path(&sandbox, "later");
    sandbox.run_in(LAPTOP, &[&ahead[..], &["sync", "--bundle", &bundle]].concat()).done();
    let laptop = path(&sandbox, LAPTOP);
    for (args, says) in [
        (["sync", "--with", &laptop], "kept until it is right"),
        (["sync", "--from", &bundle], "left in the file: read it again when it is right"),
    ] {
        let done = sandbox.run(&args);
        assert_eq!(done.code, 1, "{done:?}");
        assert!(done.stdout.contains("dated more than a day ahead of this machine's clock"));
        assert!(done.stdout.contains(says) && !done.stdout.contains("Refused"), "{done:?}");
        assert!(listed(&sandbox, "project").is_empty());
        let right = sandbox.root().join("right/project");
        drop(fs::remove_dir_all(&right));
        copy_tree(&sandbox.project(), &right);
        sandbox.run_in("right/project", &[&ahead[..], &args].concat()).done();
        assert!(listed(&sandbox, "right/project").values().any(|row| row["text"] == text));
    }
}

#[test]
fn bad_objects_are_refused_and_the_rest_is_taken() {
    let sandbox = replicas();
    sandbox.run(&["add", "Piers are numbered"]).ok();
    let good = sandbox.run(&["sync", "--bundle", "-"]).ok();
    let object = good.lines().nth(1).unwrap();
    let event = good.lines().nth(2).unwrap();
    let mut bundle = good.clone().into_bytes();
    for line in [
        object.replace("numbered", "lettered"),
        event.replace("\"ts\":\"2026", "\"ts\":\"2036"),
        "x".repeat(10 << 20),
        json!({"kind": "entry", "hash": "0".repeat(64)}).to_string(),
        json!({"kind": "event", "event": {"op": "add"}}).to_string(),
    ] {
        bundle.extend(line.bytes().chain(*b"\n"));
    }
    bundle.extend(*b"\xff\0\x1b[2J\n\n{\"kind\":\"entry\",\"ha");
    fs::write(sandbox.root().join("bad"), &bundle).unwrap();
    let done = sandbox.run_in(LAPTOP, &["--json", "sync", "--from", &path(&sandbox, "bad")]);
    assert_eq!(done.code, 1, "{}", done.stderr);
    let view: Value = serde_json::from_str(&done.stdout).unwrap();
    let reasons: Vec<&str> =
        view["refused"].as_array().unwrap().iter().map(|r| r["reason"].as_str().unwrap()).collect();
    let mut reasons = reasons.clone();
    reasons.sort_unstable();
    let want = ["bad-event", "bad-hash", "bad-line", "bad-line", "bad-line", "too-long"];
    assert_eq!((reasons, &view["later"]), (want.to_vec(), &json!(1)), "{view}");
    assert_eq!(listed(&sandbox, LAPTOP).len(), 1);
    let foreign =
        String::from_utf8_lossy(&bundle).replacen("project\":\"project", "project\":\"tern", 1);
    let done = sandbox.pipe(&["sync", "--from", "-"], foreign);
    // Events that both have tell that it is of this project, whatever its folder is called.
    assert_eq!(done.code, 1, "{done:?}");
    for junk in [&b""[..], b"\0\0\0", b"{}\n", &vec![b'['; 1 << 20]] {
        let done = sandbox.pipe(&["sync", "--from", "-"], junk);
        assert_eq!(done.code, 2, "{done:?}");
        assert!(done.stderr.contains("is not a bundle"), "{done:?}");
    }
}

#[test]
fn a_kill_leaves_what_the_next_exchange_completes() {
    let sandbox = replicas();
    for n in 0..8 {
        let category = ["lesson", "decision"][n % 2];
        sandbox.run(&["add", "-c", category, &format!("Pier {n} is closed")]).ok();
    }
    sandbox.run(&["forget", "--archive", "Pier 3"]).ok();
    sandbox.run_in(LAPTOP, &["add", "The tide tables are in the office"]).ok();
    let before = sandbox.root().join("before");
    copy_tree(&sandbox.root().join(LAPTOP), &before);
    sync(&sandbox, "project", LAPTOP);
    let want = listed(&sandbox, LAPTOP);
    for round in 0..20 * scale() as u64 {
        fs::remove_dir_all(sandbox.root().join(LAPTOP)).unwrap();
        copy_tree(&before, &sandbox.root().join(LAPTOP));
        let mut command = sandbox.command(&["sync", "--with", &path(&sandbox, LAPTOP)]);
        let mut child = command.stdout(std::process::Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_micros(1_500 * round % 30_000));
        child.kill().unwrap();
        child.wait().unwrap();
        let project = path(&sandbox, "project");
        assert_eq!(sandbox.run_in(LAPTOP, &["sync", "--with", &project]).code, 0);
        assert_eq!(listed(&sandbox, LAPTOP), want, "round {round}");
        assert_eq!(listed(&sandbox, "project"), want, "round {round}");
    }
}

#[test]
fn a_sealed_store_exchanges_with_its_key_only() {
    let sandbox = replicas();
    assert_eq!(sandbox.run_in(STICK, &["encrypt", "init"]).code, 0);
    sandbox.run(&["add", "Berthlock is the codeword"]).ok();
    sync(&sandbox, "project", STICK);
    assert_eq!(listed(&sandbox, STICK).len(), 1);
    let topic = sandbox.root().join("stick/project/.pi/memory/topics/lessons.md");
    assert!(!fs::read_to_string(&topic).unwrap().contains("Berthlock"));
    let done = sandbox.run_in(STICK, &["sync", "--bundle", "-"]);
    assert!(done.code == 2 && done.stderr.contains("--plain"), "{done:?}");
    let plain = sandbox.run_in(STICK, &["sync", "--bundle", "-", "--plain"]).ok();
    assert!(plain.contains("Berthlock"));
    let keys = sandbox.root().join("config/pimem/keys");
    fs::rename(&keys, keys.with_extension("gone")).unwrap();
    let before = sandbox.tree();
    let done = sandbox.run(&["sync", "--with", &path(&sandbox, STICK)]);
    assert_eq!(done.code, 2, "{done:?}");
    assert_eq!(sandbox.tree(), before);
}

#[test]
fn two_exchanges_at_once_wait_for_each_other() {
    let sandbox = replicas();
    sandbox.run(&["add", "From here"]).ok();
    sandbox.run_in(LAPTOP, &["add", "From there"]).ok();
    thread::scope(|scope| {
        for n in 0..8 {
            let (from, to) = if n % 2 == 0 { (0, 1) } else { (1, 0) };
            scope.spawn({
                let sandbox = &sandbox;
                move || sync(sandbox, REPLICAS[from], REPLICAS[to])
            });
        }
    });
    assert_eq!(listed(&sandbox, LAPTOP).len(), 2);
    assert_eq!(listed(&sandbox, LAPTOP), listed(&sandbox, "project"));
}

/// A clone in a folder of another name has events of the bundle, and takes it.
#[test]
fn a_folder_of_another_name() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["add", "Berths are locked by row"]).done();
    copy_tree(&sandbox.project(), &sandbox.root().join("clone-of-it"));
    fs::create_dir_all(sandbox.root().join("stranger/.pi/memory/topics")).unwrap();
    sandbox.run_in("stranger", &["add", "Something else"]).done();
    sandbox.run(&["add", "Tides turn twice a day"]).done();
    sandbox.run(&["sync", "--bundle", "../harbor.bundle"]).done();
    sandbox.run_in("clone-of-it", &["sync", "--from", "../harbor.bundle"]).done();
    let listed = sandbox.run_in("clone-of-it", &["list"]).ok();
    assert!(listed.contains("Tides turn"), "{listed}");
    let refused = sandbox.run_in("stranger", &["sync", "--from", "../harbor.bundle"]);
    assert!(refused.code == 2 && refused.stderr.contains("of another project"), "{refused:?}");
    assert!(refused.stderr.contains("sync.project"), "{refused:?}");
}
