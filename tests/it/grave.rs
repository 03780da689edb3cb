//! Lines whose purge comes from elsewhere go to the grave, from which a person brings them back.

use std::{fs, os::unix::fs::PermissionsExt, process::Stdio, thread, time::Duration};

use serde_json::Value;

use crate::{
    common::{
        sandbox::{Sandbox, copy_tree},
        scale,
        team::Team,
    },
    sync_server::Machine,
};

const LINE: &str = "The vault is behind the map";

fn grave(machine: &Machine) -> String {
    fs::read_to_string(machine.sandbox.project().join(".pi/data/grave.jsonl")).unwrap_or_default()
}

/// Returns two machines of anna, both with the line, which has been reinforced and is pinned.
fn pair(team: &Team) -> (Machine, Machine) {
    let (desk, laptop) = (Machine::new(team, "anna-1"), Machine::new(team, "anna-2"));
    desk.run(&["add", "--pin", LINE]).ok();
    desk.run(&["reinforce", "--by", "4", "vault"]).ok();
    desk.run(&["add", "Tugs are two"]).ok();
    desk.sync();
    laptop.sync();
    (desk, laptop)
}

fn at(machine: &Machine, now: &str, args: &[&str]) -> crate::common::sandbox::Outcome {
    machine.run(&[&["--now", now], args].concat())
}

/// Has the line purged on one machine and told to the other. Returns what that said.
fn purged(desk: &Machine, laptop: &Machine) -> String {
    assert_eq!(desk.run(&["forget", "--destroy", "--yes", "vault"]).code, 0);
    desk.sync();
    laptop.sync()
}

fn id(said: &str) -> String {
    let (_, rest) = said.split_once(&format!("{LINE} (")).unwrap();
    rest[..7].to_owned()
}

fn evidence(machine: &Machine) -> Value {
    let entry = machine.sandbox.entries().remove(LINE).unwrap();
    assert_eq!(entry["userState"], "pinned", "{entry}");
    entry["evidence"].clone()
}

#[test]
fn a_purge_that_comes_can_be_taken_back() {
    let team = Team::start();
    let (desk, laptop) = pair(&team);
    let before = evidence(&laptop);
    let said = purged(&desk, &laptop);
    assert!(said.contains(&format!("Buried: [lesson] {LINE} (")), "{said}");
    assert!(said.contains("kept for 30 days: pimem restore ID"), "{said}");
    let id = id(&said);
    // It is nowhere but in the grave.
    let files = laptop.sandbox.everything();
    let mut with =
        files.iter().filter(|(_, bytes)| String::from_utf8_lossy(bytes).contains("vault"));
    let (name, _) = with.next().unwrap();
    assert!(name.ends_with("project/.pi/data/grave.jsonl") && with.next().is_none(), "{name}");
    let path = laptop.sandbox.root().join(name);
    assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
    for args in
        [&["list"][..], &["report"], &["search", "vault"], &["search", "--in", "archive", "vault"]]
    {
        let done = laptop.run(args);
        assert!(!done.stdout.contains("vault"), "{args:?}: {done:?}");
    }
    assert_eq!(grave(&desk), "", "who purges a line has it destroyed");
    // What tells of it.
    let said = laptop.run(&["status"]).ok();
    let want = format!("grave          1 line, until 2026-07-30: pimem restore {id}\n");
    assert!(said.contains(&want), "{said}");
    let said = laptop.run(&["why", &id]).done();
    assert!(
        said.contains("in the grave until 2026-07-30") && said.contains("pimem restore"),
        "{said}"
    );
    let said = laptop.run(&["undo"]);
    assert!(said.stderr.contains("1 line purged elsewhere can be restored"), "{said:?}");
    let said = laptop.run(&["forget", &id]);
    assert!(said.code == 0 && grave(&laptop).contains(LINE), "{said:?}");
    // Back, with markers and evidence, and for everybody.
    let said = laptop.run(&["restore", &id]).done();
    assert!(said.contains(LINE), "{said}");
    assert_eq!(evidence(&laptop), before);
    // Who takes that back has it in the grave again.
    laptop.run(&["undo"]).done();
    assert!(!laptop.list().contains(LINE));
    laptop.run(&["restore", &id]).done();
    for _ in 0..2 {
        for machine in [&laptop, &desk] {
            machine.sync();
            assert!(machine.list().contains(LINE));
        }
    }
    assert!(laptop.report().contains(LINE), "it was reviewed before, and still is");
    assert!(!laptop.run(&["status"]).ok().contains("grave"));
    // And once more.
    assert!(purged(&desk, &laptop).contains("Buried: "));
    laptop.run(&["forget", "--destroy", "--yes", &id]).done();
    assert_eq!(grave(&laptop), "");
    let said = laptop.run(&["restore", &id]);
    assert_eq!(said.code, 2, "{said:?}");
    laptop.sync();
    assert!(!laptop.list().contains(LINE));
}

/// The clock of whoever purged it may be ahead; a restored line outlives that purge.
#[test]
fn a_restored_line_outlives_its_purge() {
    let team = Team::start();
    let (desk, laptop) = pair(&team);
    assert_eq!(
        at(&desk, "2026-07-01T14:00:00Z", &["forget", "--destroy", "--yes", "vault"]).code,
        0
    );
    at(&desk, "2026-07-01T14:00:00Z", &["sync", "--yes"]).done();
    let id = id(&laptop.sync());
    laptop.run(&["restore", &id]).done();
    for machine in [&laptop, &desk, &laptop] {
        machine.sync();
        assert!(machine.list().contains(LINE));
    }
    let log = desk.sandbox.read("evidence.jsonl");
    assert_eq!(log.matches("\"op\":\"purge\"").count(), 1, "nobody purged it again");
}

#[test]
fn what_destroys_at_once() {
    // A person says so.
    let team = Team::start();
    let (desk, laptop) = pair(&team);
    assert_eq!(desk.run(&["forget", "--destroy", "--yes", "vault"]).code, 0);
    desk.sync();
    let said = laptop.run(&["sync", "--yes", "--destroy"]).done();
    assert!(said.contains("Destroyed: ") && grave(&laptop).is_empty(), "{said}");
    // It says that it was a secret. A colleague's clone has the line by git.
    let team = Team::start();
    let (desk, laptop) = pair(&team);
    let secret = "- [lesson] The key is AKIAIOSFODNN7EXAMPLF\n";
    for machine in [&desk, &laptop] {
        let path = machine.sandbox.path("topics/lessons.md");
        let held = fs::read_to_string(&path).unwrap();
        fs::write(&path, held + secret).unwrap();
    }
    assert_eq!(desk.run(&["forget", "--destroy", "--yes", "AKIA"]).code, 0);
    desk.sync();
    assert!(team.held("project").contains("\"why\":\"secret\""), "{}", team.held("project"));
    let said = laptop.sync();
    assert!(said.contains("Destroyed: ") && grave(&laptop).is_empty(), "{said}");
    assert!(!laptop.sandbox.read("topics/lessons.md").contains("AKIA"));
    assert!(laptop.list().contains(LINE));
}

#[test]
fn other_ways_for_a_purge_to_come() {
    let team = Team::start();
    for way in ["with", "into", "from"] {
        let (desk, laptop) = pair(&team);
        assert_eq!(desk.run(&["forget", "--destroy", "--yes", "vault"]).code, 0);
        let (here, there) = (desk.sandbox.project(), laptop.sandbox.project());
        let (here, there) = (here.to_str().unwrap(), there.to_str().unwrap());
        match way {
            "with" => drop(laptop.run(&["sync", "--with", here]).done()),
            "into" => drop(desk.run(&["sync", "--with", there]).done()),
            _ => {
                let bundle = laptop.sandbox.root().join("bundle");
                desk.run(&["sync", "--bundle", bundle.to_str().unwrap()]).done();
                laptop.run(&["sync", "--from", bundle.to_str().unwrap()]).done();
            }
        }
        assert!(grave(&laptop).contains(LINE), "{way}");
        assert!(!laptop.list().contains(LINE), "{way}");
        laptop.run(&["restore", LINE]).done();
        assert!(laptop.list().contains(LINE), "{way}");
    }
}

#[test]
fn the_grave_of_a_sealed_store_is_sealed() {
    let team = Team::start();
    for seal_first in [true, false] {
        let (desk, laptop) = pair(&team);
        if seal_first {
            laptop.run(&["encrypt", "init"]).done();
        }
        assert_eq!(desk.run(&["forget", "--destroy", "--yes", "vault"]).code, 0);
        let there = desk.sandbox.project();
        laptop.run(&["sync", "--with", there.to_str().unwrap()]).done();
        if !seal_first {
            laptop.run(&["encrypt", "init"]).done();
        }
        assert!(!grave(&laptop).is_empty());
        for (name, bytes) in laptop.sandbox.everything() {
            assert!(!String::from_utf8_lossy(&bytes).contains("vault"), "{name}");
        }
        laptop.run(&["restore", LINE]).done();
        assert!(laptop.list().contains(LINE));
    }
}

#[test]
fn what_is_old_leaves_the_grave() {
    let team = Team::start();
    let (desk, laptop) = pair(&team);
    purged(&desk, &laptop);
    // A clock that is wrong once destroys nothing; what reads leaves it alone.
    for (now, args, is_there) in [
        ("2027-06-30T18:00:00Z", &["add", "Typed a year ahead"][..], true),
        ("2026-07-30T17:00:00Z", &["add", "Typed on the last day"], true),
        ("2026-07-31T18:00:00Z", &["add", "Typed later"], true),
        ("2026-08-02T18:00:00Z", &["list"], true),
        ("2026-08-02T18:00:00Z", &["add", "Typed two days later"], false),
    ] {
        at(&laptop, now, args).done();
        assert_eq!(grave(&laptop).contains(LINE), is_there, "{now} {args:?}");
    }
}

/// A kill between the steps leaves the line in its topic, in the grave, or in both.
#[test]
fn a_kill_on_the_way_to_the_grave() {
    let sandbox = Sandbox::new("empty");
    sandbox.run(&["add", LINE]).done();
    sandbox.run(&["reinforce", "--by", "2", "vault"]).ok();
    sandbox.run(&["add", "Tugs are two"]).ok();
    let (laptop, before) = (sandbox.root().join("laptop/project"), sandbox.root().join("before"));
    copy_tree(&sandbox.project(), &laptop);
    copy_tree(&sandbox.project(), &before);
    assert_eq!(sandbox.run_in(&laptop, &["forget", "--destroy", "--yes", "vault"]).code, 0);
    let with = laptop.to_str().unwrap();
    let held = |dir: &str| {
        let path = sandbox.project().join(".pi").join(dir);
        fs::read_to_string(path).unwrap_or_default().matches(LINE).count()
    };
    let places = || (held("memory/topics/lessons.md"), held("data/grave.jsonl"));
    for round in 0..24 * scale() as u64 {
        fs::remove_dir_all(sandbox.project()).unwrap();
        copy_tree(&before, &sandbox.project());
        let mut command = sandbox.command(&["sync", "--with", with]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_micros(1_500 * round % 36_000));
        child.kill().unwrap();
        child.wait().unwrap();
        let (topic, buried) = places();
        assert!(topic + buried >= 1 && topic <= 1 && buried <= 1, "round {round}");
        sandbox.run(&["sync", "--with", with]).done();
        assert_eq!(places(), (0, 1), "round {round}");
    }
    // Buried and removed, and the log not yet shortened: it stays buried.
    let older = fs::read_to_string(before.join(".pi/memory/evidence.jsonl")).unwrap();
    let log = sandbox.read("evidence.jsonl");
    fs::write(sandbox.path("evidence.jsonl"), older + &log).unwrap();
    sandbox.run(&["sync", "--with", with]).done();
    assert_eq!(places(), (0, 1));
    // Buried, and not removed: it is buried again, and keeps what is known of it.
    let grave = fs::read(sandbox.project().join(".pi/data/grave.jsonl")).unwrap();
    sandbox.plant("topics/lessons.md", format!("- [lesson] {LINE}\n- [lesson] Tugs are two\n"));
    sandbox.run(&["sync", "--with", with]).done();
    assert_eq!(fs::read(sandbox.project().join(".pi/data/grave.jsonl")).unwrap(), grave);
    sandbox.run(&["restore", "vault"]).done();
    assert_eq!(held("memory/topics/lessons.md"), 1);
    assert_eq!(sandbox.entries()[LINE]["evidence"], 3);
}
