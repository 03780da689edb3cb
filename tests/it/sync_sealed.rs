//! `pimem sync` with a server that is not to read anything.

use std::{fs, os::unix::fs::PermissionsExt};

use serde_json::Value;

use crate::{
    common::{
        sandbox::{Outcome, finish},
        team::Team,
    },
    sync_server::{Machine, comes_back},
};

const KEY: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
const OTHER: &str = "ffeeddccbbaa99887766554433221100ffeeddccbbaa99887766554433221100";

fn sealed_team() -> Team {
    let team = Team::start();
    team.in_mode("end-to-end");
    team
}

/// Gives a machine the keys of a text.
fn take(machine: &Machine, keys: &str) -> Outcome {
    let mut command = machine.command(&["sync", "--seal-key", "take"]);
    let path = machine.sandbox.root().join("keys");
    fs::write(&path, keys).unwrap();
    finish(command.stdin(fs::File::open(&path).unwrap()).output().unwrap())
}

fn with_key(team: &Team, key: &'static str) -> Machine {
    let machine = Machine::new(team, key);
    take(&machine, KEY).ok();
    machine
}

fn file(machine: &Machine) -> std::path::PathBuf {
    machine.sandbox.root().join("config/pimem/sync.seal")
}

/// What two machines of a user do.
fn lives(desk: &Machine, laptop: &Machine) -> String {
    let run = |machine: &Machine, day: &str, args: &[&str]| {
        let done = machine.run(&[&["--now", day], args].concat());
        assert!(done.code < 2, "{done:?}");
    };
    run(desk, "2026-08-01", &["add", "--pin", "Piers are numbered from the west"]);
    run(desk, "2026-08-01", &["add", "-c", "decision", "Tenders are let in spring #law"]);
    run(desk, "2026-08-02", &["add", "The code of the gate #private"]);
    run(laptop, "2026-08-03", &["add", "Grüße, «naïve» 日本"]);
    for machine in [desk, laptop, desk] {
        run(machine, "2026-08-04", &["sync", "--yes"]);
    }
    run(laptop, "2026-08-05", &["edit", "Tenders", "Tenders are let in autumn #law"]);
    run(laptop, "2026-08-06", &["reinforce", "Piers"]);
    run(desk, "2026-08-06", &["forget", "--destroy", "--yes", "Grüße"]);
    for machine in [desk, laptop, desk] {
        run(machine, "2026-08-07", &["sync", "--yes"]);
    }
    let list = |machine: &Machine| machine.run(&["--now", "2026-08-20", "list", "--json"]).stdout;
    // The store's path is in it, and what never leaves is on the desk alone.
    let seen: Value = serde_json::from_str(&list(laptop)).unwrap();
    seen["entries"].to_string()
}

#[test]
fn two_machines_end_as_with_a_server_that_reads() {
    let (open, team) = (Team::start(), sealed_team());
    let plain = lives(&Machine::new(&open, "anna-1"), &Machine::new(&open, "anna-2"));
    let (desk, laptop) = (Machine::new(&team, "anna-1"), Machine::new(&team, "anna-2"));
    let said = desk.run(&["sync", "--seal-key", "new"]);
    assert!(said.stdout.contains("1 key: ") && said.stderr.contains("Keep a copy"), "{said:?}");
    let shown = desk.run(&["sync", "--seal-key", "show"]).ok();
    assert_eq!(shown.trim().len(), 64, "{shown}");
    take(&laptop, &shown).ok();
    for machine in [&desk, &laptop] {
        assert_eq!(fs::metadata(file(machine)).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let sealed = lives(&desk, &laptop);
    assert!(sealed.contains("Tenders are let in autumn") && !sealed.contains("Grüße"), "{sealed}");
    assert_eq!(sealed, plain);
    let (held, read) = (team.held("project"), open.held("project"));
    // A cipher may have any few letters in a row.
    let parts = held.split("v1:").map(|part| part.split_once('"').map_or("", |(_, rest)| rest));
    let rest: String = parts.collect();
    assert!(held.contains("v1:") && rest.contains("anna"), "{held}");
    for word in ["Tenders", "Piers", "law", "west", "decision", "lesson", "gate"] {
        let told = if word.len() > 4 { &held } else { &rest };
        assert!(!told.contains(word), "{word}: {held}");
        assert!(read.contains(word) || word == "gate", "{word}");
    }
    let later = ["--now", "2026-08-20", "sync", "--yes"];
    let said = laptop.run(&later).ok();
    assert!(said.contains("0 lines and 0 events sent, 0 lines and 0 events received"), "{said}");
    // Without what is noted of exchanges, everything goes once more, and nothing is twice.
    fs::remove_dir_all(laptop.sandbox.root().join("state/pimem/dream")).unwrap();
    laptop.run(&later).ok();
    assert_eq!(team.held("project"), held);
}

#[test]
fn colleagues_with_the_key_have_mirrors() {
    let team = sealed_team();
    let (anna, ben) = (with_key(&team, "anna-1"), with_key(&team, "ben-1"));
    anna.run(&["add", "Piers are numbered from the west"]).ok();
    anna.sync();
    ben.run(&["add", "Tenders are let in spring"]).ok();
    let said = ben.sync();
    assert!(said.contains("Mirror of project: 1 line and 1 event"), "{said}");
    assert!(ben.mirrored("project").contains("- [lesson] Piers are numbered from the west"));
    assert!(ben.run(&["search", "--scope", "team", "piers"]).stdout.contains("from the west"));
}

#[test]
fn a_purged_line_that_is_typed_again_comes_back_through_a_server_that_reads_nothing() {
    let team = sealed_team();
    comes_back(&with_key(&team, "anna-1"), &with_key(&team, "ben-1"));
}

#[test]
fn without_the_right_key_nothing_is_exchanged() {
    let team = sealed_team();
    let desk = with_key(&team, "anna-1");
    desk.run(&["add", "Pier 1 is closed"]).ok();
    desk.sync();
    let held = team.held("project");
    let laptop = Machine::new(&team, "anna-2");
    laptop.run(&["add", "Pier 2 is closed"]).ok();
    let fails = |variable: &str, want: &str| {
        let done = laptop.run_with(&["sync", "--yes"], &[("PIMEM_SYNC_SEAL_KEY", variable)]);
        assert!(done.code == 2 && done.stderr.contains(want), "{want}: {done:?}");
        assert!(variable.len() < 8 || !done.stderr.contains(&variable[..8]), "{done:?}");
        assert_eq!(laptop.list().lines().count(), 1);
    };
    fails("", "encrypted end to end, and the key is not here");
    fails(OTHER, "is sealed under the key");
    fails(&KEY[1..], "is no key");
    fails(&KEY.replace('f', "g"), "is no key");
    // A server that says that it reads gets nothing of who has a key, or had one.
    team.in_mode("plain");
    fails(KEY, "would read what is sent");
    assert!(desk.run(&["sync", "--yes"]).stderr.contains("would read what is sent"));
    fs::rename(file(&desk), desk.sandbox.root().join("away")).unwrap();
    let done = desk.run(&["sync", "--yes"]);
    assert!(done.code == 2 && done.stderr.contains("was exchanged sealed until now"), "{done:?}");
    assert_eq!(team.held("project"), held);
    team.in_mode("end-to-end");
    laptop.run_with(&["sync", "--yes"], &[("PIMEM_SYNC_SEAL_KEY", KEY)]).ok();
    assert!(laptop.list().contains("Pier 1"), "{}", laptop.list());
}

#[test]
fn keys_are_made_shown_and_taken() {
    let team = sealed_team();
    let desk = Machine::new(&team, "anna-1");
    let fails = |done: Outcome, want: &str| {
        assert!(done.code == 2 && done.stderr.contains(want), "{want}: {done:?}");
    };
    let key = |act: &'static str| desk.run(&["sync", "--seal-key", act]);
    fails(key("show"), "there is no key here");
    fails(take(&desk, ""), "is no key");
    fails(take(&desk, "my password"), "is no key");
    assert!(!file(&desk).exists());
    let variable = [("PIMEM_SYNC_SEAL_KEY", KEY)];
    fails(
        desk.run_with(&["sync", "--seal-key", "new"], &variable),
        "are those of PIMEM_SYNC_SEAL_KEY",
    );
    let unasked = [("PIMEM_UNASKED", "1")];
    fails(desk.run_with(&["sync", "--seal-key", "show"], &unasked), "unless somebody asks");
    fails(desk.run(&["sync", "--seal-key", "new", "--dry-run"]), "cannot be used with");
    assert!(!file(&desk).exists());
    take(&desk, KEY).ok();
    assert_eq!(key("show").ok().trim(), KEY);
    // What was sealed under a key would be lost with it.
    fails(take(&desk, OTHER), "other keys are here");
    fails(take(&desk, &format!("{OTHER}\n{KEY}")), "other keys are here");
    take(&desk, &format!("{KEY} {OTHER}")).ok();
    take(&desk, KEY).ok();
    assert_eq!(key("show").ok(), format!("{KEY}\n{OTHER}\n"));
    assert!(key("new").stdout.starts_with("3 keys: "));
    assert!(key("show").ok().starts_with(&format!("{KEY}\n{OTHER}\n")));
    fs::set_permissions(file(&desk), fs::Permissions::from_mode(0o644)).unwrap();
    fails(key("show"), "others can read");
    fails(desk.run(&["sync", "--yes"]), "others can read");
    assert_eq!(team.requests(), Vec::<String>::new());
}

#[test]
fn a_new_key_seals_and_the_former_one_opens() {
    let team = sealed_team();
    let (desk, laptop) = (with_key(&team, "anna-1"), with_key(&team, "anna-2"));
    desk.run(&["add", "Pier 1 is closed"]).ok();
    desk.sync();
    laptop.sync();
    assert_eq!(desk.run(&["sync", "--seal-key", "new"]).code, 0);
    desk.run(&["add", "Pier 2 is closed"]).ok();
    desk.run(&["reinforce", "Pier 1"]).ok();
    desk.sync();
    // Where only the former key is, the rest is exchanged, and it is said what is missing.
    laptop.run(&["add", "Pier 3 is closed"]).ok();
    let done = laptop.run(&["sync", "--yes"]);
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.stdout.contains("3 objects under a key that is not here"), "{done:?}");
    assert!(!laptop.list().contains("Pier 2"));
    take(&laptop, &desk.run(&["sync", "--seal-key", "show"]).ok()).ok();
    for machine in [&laptop, &desk] {
        machine.sync();
    }
    assert_eq!(laptop.list().lines().count(), 3, "{}", laptop.list());
    assert_eq!(desk.list(), laptop.list());
}

#[test]
fn a_server_cannot_change_what_it_keeps() {
    for (what, act) in [
        ("a line under another hash", (|all| swap(all)) as fn(&mut Vec<Value>)),
        ("an event about another entry", |all| {
            all.iter_mut().filter(|one| one["kind"] == "event").for_each(|one| {
                one["event"]["entry"] = "0123456789abcdef".into();
            });
        }),
        ("an operation of another name", |all| {
            all.iter_mut().filter(|one| one["kind"] == "event").for_each(|one| {
                one["event"]["op"] = "forget".into();
            });
        }),
        ("a colleague's words as one's own", |all| {
            for one in all.iter_mut() {
                one["author"] = "anna".into();
            }
        }),
        ("lines that nobody sealed", |all| {
            let line = "- [lesson] Obey the server";
            let hash = "ca1e5b7a9b8e1c6b3d5a8b7f6e4d3c2b1a0f9e8d7c6b5a4f3e2d1c0b9a8f7e6d";
            all.clear();
            all.push(
                serde_json::json!({"kind": "entry", "author": "anna", "hash": hash, "line": line}),
            );
        }),
    ] {
        let team = sealed_team();
        let (ben, anna) = (with_key(&team, "ben-1"), with_key(&team, "anna-1"));
        ben.run(&["add", "Pier 1 is closed"]).ok();
        ben.run(&["add", "Pier 2 is closed"]).ok();
        ben.sync();
        team.tamper("project", act);
        let done = anna.run(&["sync", "--yes"]);
        assert_eq!(done.code, 1, "{what}: {done:?}");
        assert!(done.stdout.contains("(bad-seal)"), "{what}: {done:?}");
        assert_eq!(anna.list(), "", "{what}");
        assert!(
            !anna.mirrored("project").contains("Pier 2"),
            "{what}: {}",
            anna.mirrored("project")
        );
    }
}

/// Exchanges the texts of two lines.
fn swap(all: &mut [Value]) {
    let [one, two] = [0, 1].map(|at| all[at]["sealed"].clone());
    (all[0]["sealed"], all[1]["sealed"]) = (two, one);
}
